"""The options of a stream of files, by their names."""

from collections.abc import Mapping

from punctum.algebra.schema import Schema
from punctum.errors import SchemaError
from punctum.ir.elements import HIDDEN

IN_PATH = "\0in path"
"""The columns that a file has in its path, as an option with which it is read; none of a script is named so."""


def option(options: Mapping[str, str], name: str, default: str) -> str:
    """An option of a stream; names are case-insensitive, as in Spark."""
    return next((value for key, value in options.items() if key.lower() == name.lower()), default)


def switch(options: Mapping[str, str], name: str, default: bool) -> bool:
    """An option that is true or false."""
    given = option(options, name, str(default)).lower()
    if given not in ("true", "false"):
        raise SchemaError(f"the option {name} is {given!r}", "", "'true' or 'false'")
    return given == "true"


def path_columns(options: Mapping[str, str]) -> tuple[str, ...]:
    """The columns of a file that stand in its path."""
    return tuple(filter(None, options.get(IN_PATH, "").split("\0")))


def may_be_left_out(options: Mapping[str, str], schema: Schema) -> frozenset[str]:
    """The columns that a row need not have, and that are NULL then: those in the path, and with ``missing 'null'`` all.

    Those that say what a temporal element is are never left out.
    """
    given = option(options, "missing", "error").lower()
    if given not in ("error", "null"):
        raise SchemaError(f"the option missing is {given!r}", "", "'error' or 'null'")
    names = (name for name in schema.names if name not in HIDDEN) if given == "null" else path_columns(options)
    return frozenset(names)
