"""The tables of a sink in Postgres: those that are not there are made, and those that are there must fit.

The last batch of each query is noted in a table of Punctum's own, in a schema of its own.
"""

import re
from typing import Any

from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.values import Type
from punctum.engine.sinks.postgres_names import TableName, quoted
from punctum.errors import SchemaError, choices

NOTES = TableName("punctum", "batches")
"""The table where the last batch of each query is noted."""
_LOCK = 0x70756E6374756D  # "punctum": who makes tables does so alone
_TYPES = {
    Type.BIGINT: ("BIGINT", "NUMERIC"),
    Type.DOUBLE: ("DOUBLE PRECISION",),
    Type.STRING: ("TEXT", "CHARACTER VARYING"),
    Type.BOOLEAN: ("BOOLEAN",),
    Type.DATE: ("DATE",),
    Type.TIMESTAMP: ("TIMESTAMP WITH TIME ZONE",),
    Type.TIMESTAMP_NTZ: ("TIMESTAMP WITHOUT TIME ZONE",),
    Type.DECIMAL: ("NUMERIC",),
    Type.INTERVAL: ("INTERVAL",),
}
"""The types of columns that have all values of a type, the one of a new table first."""


def prepare(connection: Any, name: TableName, schema: Schema, key: tuple[str, ...]) -> tuple[TableName, set[str]]:
    """Make the tables that are not there, check those that are, and say where the table is and what is required."""
    connection.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
    _prepare_notes(connection)
    there, kind = _find(connection, name)
    if there == NOTES:
        raise SchemaError(
            f"the table {NOTES} is reserved for Punctum", "it records which batches are committed", "name another table"
        )
    if kind is None:
        columns = [f"{quoted(a.name)} {_type(a)}" for a in schema.attributes]
        columns += [f"PRIMARY KEY ({', '.join(map(quoted, key))})"] if key else []
        connection.execute(f"CREATE TABLE {there} ({', '.join(columns)})")
        return there, set(key)
    if kind not in "rpf":
        raise SchemaError(f"{there} is not a table", "another object has this name", "name another table")
    return there, _check(connection, there, schema, key)


def _prepare_notes(connection: Any) -> None:
    """Make the table of batches; who has no right to do so can be given one."""
    encoding = connection.execute("SHOW server_encoding").fetchone()[0]
    if encoding != "UTF8":
        raise SchemaError(
            "the database does not support all characters",
            f"its encoding is {encoding}",
            "use a database with the encoding UTF8",
        )
    if connection.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", [NOTES.schema]).fetchone() is None:
        connection.execute(f"CREATE SCHEMA {NOTES.schema}")
    if _find(connection, NOTES)[1] is None:
        connection.execute(
            f'CREATE TABLE {NOTES} (query TEXT, "table" TEXT, batch BIGINT NOT NULL, PRIMARY KEY (query, "table"))'
        )
    connection.execute(f'SELECT query, "table", batch FROM {NOTES} LIMIT 0')  # it may be a table of somebody else


def _find(connection: Any, name: TableName) -> tuple[TableName, str | None]:
    """Where a table is, or would be, and what there is of this name, if anything."""
    path = "current_schemas(false)" if name.schema is None else "ARRAY[%(schema)s::name]"
    tables = connection.execute(
        f"""SELECT nspname, (SELECT relkind FROM pg_class WHERE relnamespace = space.oid AND relname = %(table)s)
            FROM unnest({path}) WITH ORDINALITY AS path(name, n)
            JOIN pg_namespace AS space ON nspname = name ORDER BY n""",
        name._asdict(),
    ).fetchall()
    if not tables:
        hint = f"CREATE SCHEMA {quoted(name.schema)}" if name.schema else "name a schema: table 'public.closing'"
        raise SchemaError(f"there is no schema for the table {name}", "", hint)
    schema, kind = next((table for table in tables if table[1] is not None), tables[0])
    return TableName(schema, name.table), kind


def _check(connection: Any, name: TableName, schema: Schema, key: tuple[str, ...]) -> set[str]:
    """Refuse a table that could not take each row, and give its columns that are NOT NULL."""
    known = {
        column: rest
        for column, *rest in connection.execute(
            """SELECT attname, upper(format_type(atttypid, atttypmod)), attnotnull,
                      attgenerated <> '' OR attidentity = 'a', atthasdef OR attidentity <> ''
               FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped""",
            [str(name)],
        )
    }
    for a in schema.attributes:
        if a.name not in known:
            raise SchemaError(f"the table {name} has no column {a.name}", choices(known), _ANOTHER)
        there, _, computed, _ = known[a.name]
        if computed or not _holds(there, a):
            what = "computed by Postgres" if computed else there
            detail = f"it is {what}, but the result has {_type(a)}"
            raise SchemaError(f"the column {a.name} of {name} does not fit", detail, _ANOTHER)
    for column, (_, required, _, filled) in known.items():
        if required and not filled and column not in schema.positions:
            detail = f"the result has no {column}, which is NOT NULL"
            raise SchemaError(f"the table {name} does not fit", detail, f"select it, or add a DEFAULT; {_ANOTHER}")
    if key and set(key) not in _unique(connection, name):
        columns = ", ".join(map(quoted, key))
        hint = f"CREATE UNIQUE INDEX ON {name} ({columns})"
        raise SchemaError(f"the table {name} does not have the key", f"({columns}) has no unique index", hint)
    return {column for column, (_, required, _, _) in known.items() if required and column in schema.positions}


_ANOTHER = "change the table, or name one that does not exist: Punctum then creates it"


def _unique(connection: Any, name: TableName) -> list[set[str]]:
    """The columns of each index that says of all rows at once that they are unique."""
    keys = connection.execute(
        """SELECT array(SELECT attname::text FROM pg_attribute
                        WHERE attrelid = indrelid AND attnum = ANY (indkey[0:indnkeyatts - 1]))
           FROM pg_index WHERE indrelid = %s::regclass
           AND indisunique AND indimmediate AND indisvalid AND indpred IS NULL AND indexprs IS NULL""",
        [str(name)],
    )
    return [set(columns) for (columns,) in keys]


def _type(attribute: Attribute) -> str:
    name = _TYPES[attribute.type][0]
    return f"{name}({attribute.digits[0]},{attribute.digits[1]})" if attribute.type is Type.DECIMAL else name


def _holds(there: str, attribute: Attribute) -> bool:
    """Whether a column of a type has all values of an attribute."""
    digits = re.fullmatch(r"NUMERIC\((\d+),(-?\d+)\)", there)
    if digits is None or attribute.type is not Type.DECIMAL:
        return there in _TYPES[attribute.type]
    (total, behind), (wanted, wanted_behind) = map(int, digits.groups()), attribute.digits
    return behind >= wanted_behind and total - behind >= wanted - wanted_behind
