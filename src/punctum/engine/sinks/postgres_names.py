"""How a sink's options name a database, a table and columns.

A name is read as Postgres reads it: a part in double quotes is meant as it is, with ``""`` for a quote, and any other
part in lower case; a dot stands between a schema and a table.
"""

import re
from functools import partial
from typing import NamedTuple
from urllib.parse import quote

import psycopg
from psycopg.conninfo import conninfo_to_dict

from punctum.algebra.schema import Schema
from punctum.errors import SchemaError
from punctum.ir.references import resolved, unresolved

_QUOTED = r'"(?:[^"\0\ud800-\udfff]|"")+"'
_PART = re.compile(rf"({_QUOTED}|[^\W\d][\w$]*)(\.|$)")
_COLUMN = re.compile(rf'\s*({_QUOTED}|[^",]*[^",\s])\s*(,|$)')
LONGEST = 63
"""Bytes: Postgres cuts names that are longer, and then two may be the same."""


class TableName(NamedTuple):
    """A table and its schema; without one, it is where the connection's search path says."""

    schema: str | None
    table: str

    def __str__(self) -> str:
        """The name as SQL has it."""
        return ".".join(quoted(part) for part in self if part is not None)


def quoted(name: str) -> str:
    """A name as SQL has it, whatever it is."""
    return '"' + name.replace('"', '""') + '"'


def table_name(text: str, sink: str) -> TableName:
    """The table that an option names.

    >>> table_name("Public.Closing", "s"), table_name('"a.b"', "s")
    (TableName(schema='public', table='closing'), TableName(schema=None, table='a.b'))
    """
    parts = _split(_PART, text.strip())
    if parts is None or len(parts) > 2:
        hint = """table 'closing', table 'public.closing', or, for any other name, table '"My Schema"."a.b"'"""
        raise SchemaError(f"the sink {sink} has no valid table name", f"table {text!r}", hint)
    table = TableName(None, *parts) if len(parts) == 1 else TableName(*parts)
    if table.schema is not None and table.schema.startswith("pg_"):  # what is in pg_temp is gone with the connection
        detail = f"the schema {table.schema} belongs to Postgres"
        raise SchemaError(f"the sink {sink} names a table that it cannot write to", detail, "name another schema")
    return table


def column_list(text: str, sink: str, schema: Schema) -> tuple[str, ...]:
    """The columns that an option names, with commas between them.

    >>> column_list('a, "b,c"', "s", Schema.of(**{"a": "BIGINT", "b,c": "BIGINT"}))
    ('a', 'b,c')
    """
    names = _split(_COLUMN, text.strip(), fold=False) if text.strip() else []
    if names is None:
        raise SchemaError(f"the sink {sink} has no valid key", f"key {text!r}", """key 'a, b', or key 'a, "b,c"'""")
    for name in names:
        schema.index(name)
    return tuple(dict.fromkeys(names))


def _split(part: re.Pattern[str], text: str, fold: bool = True) -> list[str] | None:
    """The names of a text that has nothing but such parts."""
    parts, at, more = [], 0, True
    while more:
        match = part.match(text, at)
        if match is None:
            return None
        name, at, more = match[1], match.end(), bool(match[2])
        whole = name[1:-1].replace('""', '"') if name.startswith('"') else _folded(name) if fold else name
        parts.append(whole)
    return parts if at == len(text) else None


def _folded(name: str) -> str:
    return "".join(c.lower() if c.isascii() else c for c in name)


def address(url: str) -> str:
    """A url with what it refers to, which is escaped unless it is the whole url: for a connection, and nothing else."""
    if unresolved(url) == _ALL:
        return resolved(url)
    is_uri = url.startswith(("postgresql://", "postgres://"))
    return resolved(url, partial(quote, safe="") if is_uri else _escaped)


_ALL = unresolved("${env:URL}")


def _escaped(value: str) -> str:
    r"""A value as a connection string of keys and values has it.

    >>> print(_escaped(r"it's a\b"))
    it\'s\ a\\b
    """
    return re.sub(r"([\\'\s])", r"\\\1", value)


def check_url(url: str, sink: str) -> None:
    """Refuse a url that is not understood, or that is not understood as it was meant; never show it."""
    if (url := unresolved(url)) == _ALL:
        return
    hint = "url 'postgresql://user@host/database'; in a user or password @ is %40, / is %2F and % is %25"
    try:
        known = conninfo_to_dict(url)
    except psycopg.Error:  # what it says may be a part of a password
        raise SchemaError(f"the url of the sink {sink} is not valid", "", hint) from None
    if any("@" in str(known.get(part, "")) for part in ("host", "dbname")):
        raise SchemaError(f"the url of the sink {sink} has one @ too many", "", hint)


def check_lengths(names: TableName, schema: Schema) -> None:
    """Refuse names that Postgres would cut."""
    for name in (*filter(None, names), *schema.names):
        if len(name.encode(errors="replace")) > LONGEST or "\0" in name:
            why = "it contains the character NUL" if "\0" in name else f"it has more than {LONGEST} bytes"
            raise SchemaError(f"{name!r} is not a valid name in Postgres", why, "rename it: SELECT … AS name")
