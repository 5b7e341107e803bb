"""Files of results: rows in columns and punctuations, written as JSON lines, CSV or Parquet.

JSON gets a line for each element. In the other formats a punctuation is a row whose column ``_punct`` holds its JSON.
Values are written as ``algebra.json`` reads them, but for DECIMALs, which JSON gets as numbers, as Spark writes them.
"""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from punctum.algebra.json import STABLE, to_json
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.values import Type
from punctum.engine.formats.csv import Dialect
from punctum.engine.formats.files import PUNCT_COLUMN
from punctum.errors import CodecError
from punctum.ir.elements import ADJUST, VE, VOLD, is_elements, written
from punctum.lmerge.elements import stable_of, time_type, time_value
from punctum.operators.columns import dtype

Puncts = Sequence[Punctuation]
_TIMES = {Type.TIMESTAMP: "%Y-%m-%dT%H:%M:%S%.6fZ", Type.TIMESTAMP_NTZ: "%Y-%m-%dT%H:%M:%S%.6f"}
_MICROS = "%.6f"
_SECOND = 1_000_000
MANY = 1_000
"""So many instants are worth a look at their seconds."""
_ENCODED = {Type.BIGINT, Type.BOOLEAN, Type.STRING, Type.DATE, *_TIMES}
"""The types whose values Polars writes as JSON as we do, times as texts."""
_BARE = (Type.BIGINT, Type.BOOLEAN, Type.DECIMAL)
_DAY = 86_400_000_000
FAST = 1
"""The level of Zstandard in Parquet: the next ones take half as long again, for files a fifth smaller."""
_ENDLESS = {"inf": "Infinity", "-inf": "-Infinity"}


def json_lines(rows: pl.DataFrame, schema: Schema) -> pl.Series:
    """Each row as JSON.

    >>> item = Schema.of(itemid="BIGINT", name="STRING", price="DOUBLE")
    >>> print(json_lines(pl.DataFrame({"itemid": [17], "name": ["a vase"], "price": [None]}), item).item())
    {"itemid":17,"name":"a vase","price":null}
    """
    if not schema.attributes:
        return pl.Series("line", ["{}"] * rows.height, pl.String)
    if rows.height and all(attribute.type in _ENCODED for attribute in schema.attributes):
        columns = [_encoded(rows[attribute.name], attribute) for attribute in schema.attributes]
        return pl.DataFrame(columns).to_struct().struct.json_encode().alias("line")
    parts: list[pl.Expr] = []
    for n, attribute in enumerate(schema.attributes):
        name = _quote(attribute.name)
        parts += [pl.lit(("," if n else "{") + name + ":"), _json(pl.col(attribute.name), attribute).fill_null("null")]
    return rows.select(pl.concat_str(*parts, pl.lit("}")).alias("line")).to_series()


def _encoded(column: pl.Series, attribute: Attribute) -> pl.Series:
    """A column whose values Polars writes as JSON gets them."""
    if attribute.type in _TIMES:
        return _instants(column, _TIMES[attribute.type])
    return column.cast(pl.String) if attribute.type is Type.DATE else column


def _instants(column: pl.Series, written: str) -> pl.Series:
    """Instants as texts: of many the seconds that they are in are written once each, for Polars writes slowly.

    >>> from datetime import datetime
    >>> column = pl.Series("t", [datetime(1969, 12, 31, 23, 59, 59, 7)] * MANY)
    >>> _instants(column, _TIMES[Type.TIMESTAMP_NTZ])[0], len(_instants(column[:1], _TIMES[Type.TIMESTAMP_NTZ]))
    ('1969-12-31T23:59:59.000007', 1)
    """
    ticks = column.to_physical()
    seconds = ticks // _SECOND
    known = seconds.unique().sort() if len(column) >= MANY and not column.null_count() else seconds
    if 2 * len(known) > len(column):
        return column.dt.strftime(written)
    begins = (known * _SECOND).cast(column.dtype).dt.strftime(written.partition(_MICROS)[0])
    begin = begins.gather(known.search_sorted(seconds))
    behind = (ticks - seconds * _SECOND + _SECOND).cast(pl.String)  # a digit more, so that all have as many
    parts = pl.DataFrame([begin.alias("begin"), behind.alias("behind")])
    digits, zone = pl.col("behind").str.slice(1), pl.lit(written.partition(_MICROS)[2])
    return parts.select(pl.concat_str("begin", pl.lit("."), digits, zone).alias(column.name)).to_series()


def lines_of(rows: pl.DataFrame, schema: Schema) -> pl.Series:
    """Each row as JSON, and each element as temporal streams have it."""
    if not is_elements(schema):
        return json_lines(rows, schema)
    insert = written(schema, adjusts=False)
    (*event, end) = insert.attributes
    adjust = Schema((*event, schema.attributes[schema.index(VOLD)], end))
    shown = rows.select(
        pl.when(ADJUST)
        .then(json_lines(rows.select(adjust.names), adjust))
        .otherwise(json_lines(rows.select(insert.names), insert))
        .alias("line")
    )
    return shown.to_series()


def text_of(puncts: Puncts, schema: Schema) -> list[str]:
    """Punctuations as JSON; of elements those that are stables."""
    if not is_elements(schema):
        return [to_json(p, schema) for p in puncts]
    stable = Schema((replace(schema.attributes[schema.index(VE)], name=STABLE),))
    times = (t for p in puncts if (t := stable_of(p)) is not None)
    return [to_json((time_value(t, time_type(schema)),), stable) for t in times]


def _quote(name: str) -> str:
    """A name as JSON has it."""
    return str(pl.select(pl.lit(name).alias("n")).select(pl.struct("n").struct.json_encode()).item()[5:-1])


def _json(column: pl.Expr, attribute: Attribute) -> pl.Expr:
    if attribute.type is Type.ARRAY:
        elements = column.list.eval(_json(pl.element(), attribute.parts[0]).fill_null("null"))
        return pl.concat_str(pl.lit("["), elements.list.join(","), pl.lit("]"))
    if attribute.type is Type.STRUCT:
        fields = [(pl.lit(_quote(a.name) + ":"), _json(column.struct.field(a.name), a)) for a in attribute.parts]
        pairs = pl.concat_str([name + value.fill_null("null") for name, value in fields], separator=",")
        return pl.when(column.is_not_null()).then(pl.concat_str(pl.lit("{"), pairs, pl.lit("}")))
    text = column.cast(pl.String)
    if attribute.type in _BARE:
        return text
    if attribute.type is Type.DOUBLE:
        return text.replace({"NaN": '"NaN"', "inf": '"Infinity"', "-inf": '"-Infinity"'})
    if attribute.type is Type.STRING:
        return pl.when(column.is_not_null()).then(
            pl.struct(column.alias("s")).struct.json_encode().str.slice(5).str.head(-1)
        )
    if attribute.type is Type.INTERVAL:
        text = interval_text(column)
    if attribute.type in _TIMES:
        text = column.dt.strftime(_TIMES[attribute.type])
    return pl.concat_str(pl.lit('"'), text, pl.lit('"'))


def interval_text(column: pl.Expr) -> pl.Expr:
    """Intervals as Spark writes them.

    >>> pl.select(interval_text(pl.lit(-90_500_000).cast(pl.Duration("us")))).item()
    "INTERVAL '-0 00:01:30.5' DAY TO SECOND"
    """
    micros = column.to_physical()
    length = micros.cast(pl.Int128).abs()
    away, rest = (part.cast(pl.Int64) for part in (length // _DAY, length % _DAY))
    clock = (rest * 1000).cast(pl.Time)
    exact = clock.dt.strftime("%H:%M:%S%.6f").str.strip_chars_end("0")
    whole = pl.when(rest % 1_000_000 == 0).then(clock.dt.strftime("%H:%M:%S")).otherwise(exact)
    sign = pl.when(micros < 0).then(pl.lit("-")).otherwise(pl.lit(""))
    return pl.concat_str(pl.lit("INTERVAL '"), sign, away, pl.lit(" "), whole, pl.lit("' DAY TO SECOND"))


def write_json(
    path: Path, rows: pl.DataFrame, puncts: Puncts | None, schema: Schema, options: Mapping[str, str]
) -> None:
    """Rows, then punctuations, a line each."""
    with path.open("w", newline="") as out:
        if rows.height:
            out.write(_joined(lines_of(rows, schema)) + "\n")
        out.writelines(line + "\n" for line in text_of(puncts or (), schema))


def _joined(lines: pl.Series) -> str:
    return str(lines.str.join("\n").item())


def write_parquet(
    path: Path, rows: pl.DataFrame, puncts: Puncts | None, schema: Schema, options: Mapping[str, str]
) -> None:
    """Rows, and punctuations when there may be any, in one table."""
    try:
        _with_puncts(rows, puncts, schema).write_parquet(path, compression_level=FAST)
    except pl.exceptions.ComputeError as error:
        system = re.search(r"\(os error (\d+)\)", str(error))
        if system is None:
            raise
        raise OSError(int(system[1]), os.strerror(int(system[1]))) from None


def write_csv(
    path: Path, rows: pl.DataFrame, puncts: Puncts | None, schema: Schema, options: Mapping[str, str]
) -> None:
    """Rows, and punctuations when there may be any, as the reader of CSV takes them with the same options."""
    dialect, whole = Dialect.of(options), _with_puncts(rows, puncts, schema)
    names = pl.Series(whole.columns, dtype=pl.String).to_frame("name").select(quoted(pl.col("name"), dialect))
    lines = csv_lines(whole, schema, dialect)
    with path.open("w", newline="") as out:
        if dialect.header:
            out.write(dialect.sep.join(names.to_series()) + "\n")
        if lines.len():
            out.write(_joined(lines) + "\n")


def csv_lines(rows: pl.DataFrame, schema: Schema, dialect: Dialect) -> pl.Series:
    """Each row as CSV."""
    strings = {PUNCT_COLUMN} | {a.name for a in schema.attributes if a.type is Type.STRING}
    texts = in_text(rows, schema).cast(pl.String)
    fields = [quoted(pl.col(name), dialect) if name in strings else pl.col(name) for name in texts.columns]
    lines = texts.select(pl.concat_str([f.fill_null(dialect.null) for f in fields], separator=dialect.sep)).to_series()
    if any((texts[name] == dialect.null).any() for name in texts.columns if name not in strings):
        hint = "choose another nullValue for the sink"
        raise CodecError("a value cannot be written", f"{dialect.null!r} is the text for NULL", hint)
    if (lines == "").any():
        hint = "add a nullValue to the sink, such as nullValue 'NULL'"
        raise CodecError("a NULL cannot be written", "the row would be an empty line", hint)
    return lines


def quoted(text: pl.Expr, dialect: Dialect) -> pl.Expr:
    """A text in quotes where it would not be the same without them."""
    plain = ~text.str.contains(rf'["\r\n\ufeff\x{ord(dialect.sep):02x}]') & (text != "") & (text != dialect.null)
    return pl.when(plain).then(text).otherwise(pl.lit('"') + text.str.replace_all('"', '""', literal=True) + '"')


def in_text(rows: pl.DataFrame, schema: Schema) -> pl.DataFrame:
    """Rows with instants and endless numbers as the texts that CSV gets."""
    times = [pl.col(a.name).dt.strftime(_TIMES[a.type]) for a in schema.attributes if a.type in _TIMES]
    times += [interval_text(pl.col(a.name)).alias(a.name) for a in schema.attributes if a.type is Type.INTERVAL]
    doubles = [pl.col(a.name).cast(pl.String).replace(_ENDLESS) for a in schema.attributes if a.type is Type.DOUBLE]
    return rows.with_columns(times + doubles)


def _with_puncts(rows: pl.DataFrame, puncts: Puncts | None, schema: Schema) -> pl.DataFrame:
    if puncts is None:
        return rows
    lines = pl.Series(PUNCT_COLUMN, text_of(puncts, schema), dtype=pl.String)
    if is_elements(schema):
        schema = written(schema)
        rows = rows.select(schema.names)
    nothing = pl.DataFrame({a.name: pl.Series([None] * len(lines), dtype=dtype(a)) for a in schema.attributes})
    whole = rows.with_columns(pl.lit(None, pl.String).alias(PUNCT_COLUMN))
    return pl.concat([whole, nothing.with_columns(lines)])


WRITERS: dict[str, Callable[[Path, pl.DataFrame, Puncts | None, Schema, Mapping[str, str]], None]] = {
    "json": write_json,
    "csv": write_csv,
    "parquet": write_parquet,
}
