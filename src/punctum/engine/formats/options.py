"""The options of a stream of files, by their names."""

from collections.abc import Mapping

from punctum.errors import SchemaError


def option(options: Mapping[str, str], name: str, default: str) -> str:
    """An option of a stream; names are case-insensitive, as in Spark."""
    return next((value for key, value in options.items() if key.lower() == name.lower()), default)


def switch(options: Mapping[str, str], name: str, default: bool) -> bool:
    """An option that is true or false."""
    given = option(options, name, str(default)).lower()
    if given not in ("true", "false"):
        raise SchemaError(f"the option {name} is {given!r}", "", "'true' or 'false'")
    return given == "true"
