"""The answer of a database: DuckDB is asked a query's SQL over all rows at once, and knows nothing of streams.

The text of the query is translated by sqlglot, not by Punctum: what it means is not ours to say. Streams and tables are
tables there, CREATE STREAM … AS SELECT is a view. What has no meaning in batch, or no translation, is an error.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

import polars as pl
import sqlglot
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import TokenType

from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.values import Row, Type
from punctum.errors import MissingError, QueryError
from punctum.ir.definitions import QueryDef, Script
from punctum.operators.columns import fitting, to_rows

_TYPES = {
    Type.BIGINT: "BIGINT",
    Type.DOUBLE: "DOUBLE",
    Type.STRING: "VARCHAR",
    Type.BOOLEAN: "BOOLEAN",
    Type.DATE: "DATE",
    Type.TIMESTAMP: "TIMESTAMPTZ",
    Type.TIMESTAMP_NTZ: "TIMESTAMP",
    Type.INTERVAL: "INTERVAL",
}
_HINT = "give the SQL for DuckDB: batch='SELECT …'"
_DIGITS = 9


def answer(
    script: Script, query: QueryDef, rows: Mapping[str, tuple[Schema, pl.DataFrame]], zone: str, sql: str
) -> pl.DataFrame:
    """The rows that a database gives for a query, or for the SQL in its place, over the rows of streams and tables."""
    try:
        import duckdb
    except ImportError:
        hint = "pip install 'punctum[testing]'"
        raise MissingError("DuckDB is not installed", "it gives the answer in batch", hint) from None
    schema = query.relation.schema
    with duckdb.connect() as database:
        database.execute(f"SET TimeZone = '{zone}'")
        for name, (columns, frame) in rows.items():
            _load(database, name, columns, frame)
        untranslated = _create_views(database, script)
        try:
            chosen = ", ".join(f"{_given(n, a)} AS {_quoted(a.name)}" for n, a in enumerate(schema.attributes, 1))
            text = sql or _select(script.text[query.place.start : query.place.end])
            result = database.sql(f"SELECT {chosen} FROM ({text})")
            given = pl.from_arrow(result.to_arrow_table())
        except (duckdb.Error, SqlglotError) as error:
            detail = "; ".join([*untranslated, str(error).strip().splitlines()[0]])
            raise QueryError(f"{query.name} cannot be asked in batch", detail, _HINT) from None
    assert isinstance(given, pl.DataFrame)
    return fitting(given, schema)


def difference(given: pl.DataFrame, wanted: pl.DataFrame, most: int = 5) -> str:
    """Which rows are missing, and which are too many; nothing, when both are the same up to their order."""
    ours, theirs = _bag(given), _bag(wanted)
    lines = [*_some("missing", theirs - ours, most), *_some("too many", ours - theirs, most)]
    return "\n".join(lines)


def _some(word: str, rows: Counter[Row], most: int) -> list[str]:
    lines = [f"  {word}: {row}" + (f", {n} times" if n > 1 else "") for row, n in rows.most_common(most)]
    return lines + ([f"  {word}: {len(rows) - most} more"] if len(rows) > most else [])


def _bag(frame: pl.DataFrame) -> Counter[Row]:
    return Counter(tuple(map(_rounded, row)) for row in to_rows(frame))


def _rounded(value: Any) -> Any:
    """A value that can be compared: the order of a sum decides on the last digits of a float."""
    if isinstance(value, float) and math.isfinite(value):
        return float(f"{value:.{_DIGITS}g}")
    if isinstance(value, float):
        return str(value)
    return tuple(map(_rounded, value)) if isinstance(value, tuple) else value


def _load(database: Any, name: str, schema: Schema, frame: pl.DataFrame) -> None:
    """A table with the rows of a stream."""
    database.register("given", frame.to_arrow())
    typed = ", ".join(f"CAST({_quoted(a.name)} AS {_type(a)}) AS {_quoted(a.name)}" for a in schema.attributes)
    database.execute(f"CREATE TABLE {_quoted(name)} AS SELECT {typed} FROM given")
    database.unregister("given")


def _create_views(database: Any, script: Script) -> list[str]:
    """Make views of the streams that are made of others, and say which of them have no meaning there."""
    untranslated = list[str]()
    for stream in script.streams.values():
        if stream.relation is not None:
            try:
                view = _select(script.text[stream.place.start : stream.place.end])
                database.execute(f"CREATE VIEW {_quoted(stream.name)} AS {view}")
            except Exception as error:  # whatever a database or a translator does not take
                untranslated.append(f"{stream.name}: {str(error).strip().splitlines()[0]}")
    return untranslated


def _select(statement: str) -> str:
    """The query in a statement, behind INSERT INTO or behind AS, in the words of DuckDB."""
    statement = re.sub(r"\bALLOW\s+UNBOUNDED\s*$", "", statement.strip().rstrip(";"), flags=re.IGNORECASE)
    (translated,) = sqlglot.transpile(statement[_query_at(statement) :], read="spark", write="duckdb")
    return translated


def _query_at(statement: str) -> int:
    """Where the query of a statement begins: behind the sink, or behind an AS that is not in brackets."""
    tokens, depth = sqlglot.tokenize(statement, read="spark"), 0
    at = 3 if tokens[0].token_type is TokenType.INSERT else len(tokens)
    for n, token in enumerate(tokens):
        depth += (token.token_type is TokenType.L_PAREN) - (token.token_type is TokenType.R_PAREN)
        if depth == 0 and token.token_type is TokenType.ALIAS:
            at = min(at, n + 1)
    if at >= len(tokens) or tokens[at].token_type not in (TokenType.SELECT, TokenType.WITH, TokenType.L_PAREN):
        raise QueryError("a stream has no meaning in batch", " ".join(statement.split())[:80], _HINT)
    return tokens[at].start


def _given(column: int, attribute: Attribute) -> str:
    """A column of the answer, with the type that it has for us; an interval in microseconds."""
    return f"epoch_us(#{column})" if attribute.type is Type.INTERVAL else f"CAST(#{column} AS {_type(attribute)})"


def _type(attribute: Attribute) -> str:
    if attribute.type is Type.DECIMAL:
        return "DECIMAL({}, {})".format(*attribute.digits)
    if attribute.type is Type.ARRAY:
        return f"{_type(attribute.parts[0])}[]"
    if attribute.type is Type.STRUCT:
        return f"STRUCT({', '.join(f'{_quoted(part.name)} {_type(part)}' for part in attribute.parts)})"
    return _TYPES[attribute.type]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
