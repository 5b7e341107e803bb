"""Parquet files and DataFrames, held against Arrow's scalar values."""

import io
import random
import re
from collections import Counter
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from engine.reading import digited, elements, fits, mutated, positions
from punctum.algebra.functions import Element
from punctum.algebra.json import from_json, to_json
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.algebra.values import Type
from punctum.engine.formats.files import READERS
from punctum.engine.formats.parquet import from_columns, read_parquet
from punctum.engine.formats.puncts import constants
from punctum.errors import CodecError, PunctumError
from strategies import punctuations

NS = Schema.of(n="BIGINT", s="STRING")
Case = tuple[Schema, pa.Table, Counter[Element], list[int]]
_EPOCH = datetime(1970, 1, 1)


def ticks(per: int, zone: Any) -> Callable[[int], datetime]:
    """A count of nanoseconds, microseconds or milliseconds as a time."""
    return lambda n: _EPOCH.replace(tzinfo=zone) + timedelta(microseconds=n * per if per > 0 else n // -per)


BIG = st.sampled_from([0, 1, -1, 2**53, 2**53 + 1, 2**62, -(2**63), 2**63 - 1, 1999, -1, -1001, 253402300799999999])
KINDS: list[tuple[pa.DataType, st.SearchStrategy[Any], Callable[[Any], Any]]] = [
    (pa.int8(), st.integers(-128, 127), int),
    (pa.int32(), st.integers(-(2**31), 2**31 - 1), int),
    (pa.int64(), BIG, int),
    (pa.uint64(), st.sampled_from([0, 5, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1]), int),
    (pa.float32(), st.floats(width=32), float),
    (pa.float64(), st.floats(), float),
    (pa.decimal128(5, 2), st.decimals("-999.99", "999.99", places=2), Decimal),
    (pa.decimal128(38, 18), st.decimals("-1e19", "1e19", places=18), Decimal),
    (pa.string(), st.text(), str),
    (pa.large_string(), st.text(), str),
    (pa.dictionary(pa.int32(), pa.string()), st.sampled_from(["a", "b"]), str),
    (pa.binary(), st.binary(), bytes),
    (pa.bool_(), st.booleans(), bool),
    (pa.date32(), st.integers(-(2**31), 2**31 - 1), lambda n: (_EPOCH + timedelta(days=n)).date()),
    (pa.timestamp("ms"), BIG, ticks(1000, None)),
    (pa.timestamp("us"), BIG, ticks(1, None)),
    (pa.timestamp("ns"), BIG, ticks(-1000, None)),
    (pa.timestamp("us", "UTC"), BIG, ticks(1, UTC)),
    (pa.timestamp("us", "Europe/Berlin"), BIG, ticks(1, UTC)),
    (pa.time64("us"), st.integers(0, 10**9), lambda n: (_EPOCH + timedelta(microseconds=n)).time()),
    (pa.duration("us"), st.integers(0, 10**9), lambda n: timedelta(microseconds=n)),
    (pa.list_(pa.int64()), st.lists(st.integers(0, 5)), list),
    (pa.struct([("a", pa.int64())]), st.just({"a": 1}), dict),
    (pa.null(), st.none(), lambda n: n),
]


@st.composite
def tables(draw: st.DrawFn) -> Case:
    """A table of any types, and what of it is a row or a punctuation."""
    schema = draw(digited())
    size = draw(st.integers(0, 4))
    columns: dict[str, Any] = {}
    values: list[list[Any]] = []
    for attribute in schema.attributes:
        kind, strategy, meaning = draw(st.sampled_from(KINDS))
        drawn = draw(st.lists(st.none() | strategy, min_size=size, max_size=size))
        columns[attribute.name] = pa.array(drawn, pa.int32() if pa.types.is_date(kind) else kind).cast(kind)
        values.append([None if v is None else meant(meaning, v, attribute.type) for v in drawn])
    said = [
        draw(st.none() | punctuations(schema).map(lambda p: to_json(p, schema)) | st.sampled_from(["{}", "", "x"]))
        for _ in range(size)
    ]
    if draw(st.booleans()):
        columns["_punct"] = pa.array(said, pa.string())
    else:
        said = [None] * size
    columns["more"] = pa.array([[1]] * size)
    found: Counter[Element] = Counter()
    rejected = []
    for at, text in enumerate(said):
        try:
            element: Element = (
                schema.row(*(column[at] for column in values)) if text is None else from_json(text, schema)
            )
            assert text is None or isinstance(element, Punctuation)
            assert fits(element, schema)
            found[element] += 1
        except (PunctumError, AssertionError):
            rejected.append(at + 1)
    return schema, pa.table(columns), found, rejected


def meant(meaning: Callable[[Any], Any], value: Any, kind: Type) -> object:
    """The Python value, or one that no type takes; a DECIMAL is not a DOUBLE."""
    try:
        found = meaning(value)
    except OverflowError:
        return object()
    return object() if kind is Type.DOUBLE and isinstance(found, Decimal) else found


def written(table: pa.Table, **options: Any) -> bytes:
    out = io.BytesIO()
    parquet.write_table(table, out, **options)
    return out.getvalue()


@given(tables(), st.sampled_from(["snappy", "zstd", "none"]))
def test_values_are_those_of_arrow(case: Case, compression: str) -> None:
    schema, table, expected, rejected = case
    read = read_parquet(written(table, compression=compression), schema, {})
    assert elements(read, schema) == expected
    assert positions(read) == rejected


@given(tables())
def test_a_dataframe_is_read_alike(case: Case) -> None:
    schema, table, expected, rejected = case
    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)
    read = from_columns(frame, schema)
    assert (elements(read, schema), positions(read)) == (expected, rejected)


@given(st.integers(0, 2**64))
def test_a_broken_file_is_rejected_as_a_whole_or_read(seed: int) -> None:
    chance = random.Random(seed)
    table = pa.table({"n": range(50), "s": [f"é{n % 7}" for n in range(50)], "_punct": pa.nulls(50, pa.string())})
    compression = chance.choice(["snappy", "zstd", "none"])
    read = read_parquet(mutated(written(table, compression=compression), chance), NS, {})
    elements(read, NS)
    assert positions(read) == [0] or len(read.piece.rows) + len(read.piece.puncts) + len(read.rejected) <= 100


def test_every_cut_is_rejected() -> None:
    data = written(pa.table({"n": [1, 2], "s": ["a", "b"]}))
    for cut in range(0, len(data), 7):
        read = read_parquet(data[:cut], NS, {})
        assert positions(read) == [0]
        assert read.rejected["reason"][0].startswith("the file is not Parquet")


def test_a_column_that_is_missing() -> None:
    read = read_parquet(written(pa.table({"n": [1], "m": [[2]]})), NS, {})
    reason = "the data has no column s: available: n, m (the stream has (n BIGINT, s STRING))"
    assert read.rejected.rows() == [(0, reason, "")]
    with pytest.raises(CodecError, match="the data has no column s"):
        from_columns(pl.DataFrame({"n": [1]}), NS)


def test_a_whole_number_that_a_double_does_not_hold_is_rejected() -> None:
    numbers = pa.array([2**53, 2**53 + 1, 2**63, 2**64 - 1, None], pa.uint64())
    read = read_parquet(written(pa.table({"x": numbers})), Schema.of(x="DOUBLE"), {})
    assert elements(read, Schema.of(x="DOUBLE")) == Counter([(2.0**53,), (2.0**63,), (None,)])
    assert positions(read) == [2, 4]


def test_times_that_spark_writes_reach_to_the_last_year() -> None:
    schema = Schema.of(ts="TIMESTAMP")
    last = datetime(9999, 12, 31, 23, 59, 59, 999_999, UTC)
    table = pa.table({"ts": pa.array([last], pa.timestamp("us", "UTC"))})
    data = written(table, use_deprecated_int96_timestamps=True)
    assert elements(read_parquet(data, schema, {}), schema) == Counter([(last,)])


def test_a_rejected_row_is_shown() -> None:
    read = read_parquet(written(pa.table({"n": [1.5, None], "s": ["é", None]})), NS, {})
    reason = "the column n has a wrong value: expected BIGINT, found 1.5"
    assert read.rejected.rows() == [(1, reason, '{"n": "1.5", "s": "é"}')]
    assert elements(read, NS) == Counter([(None, None)])


NUMBERS = st.sampled_from(["7", "8", "-3", "0", "-0", "08", "+5", " 7", "1e3", "7.0", str(2**63 - 1), str(2**63), ""])
LINES = st.sampled_from(['{"$punct": {"n": %s}}', '{"$punct":{"s":%s}}', ' {"$punct": {"n": %s}}\n'])


@given(st.lists(NUMBERS, max_size=5), LINES, st.lists(st.sampled_from(["", "m"]), max_size=5))
def test_punctuations_that_differ_in_a_number_are_read_as_all_others(
    numbers: list[str], line: str, others: list[str]
) -> None:
    """Beside some that are written otherwise, too: in any order, each is what it is when it is read by itself."""
    schema = Schema.of(n="BIGINT", s="STRING", m="BIGINT")
    lines = [line % number for number in numbers]
    lines += ['{"$punct": {}}' if not name else f'{{"$punct": {{"{name}": 7}}}}' for name in others]
    lines = random.Random(len(lines)).sample(lines, len(lines))
    (closed, at), plain = constants(pl.Series(lines, dtype=pl.String), np.arange(len(lines)), schema)
    exact = {n: from_json(text, schema) for n, text in enumerate(lines) if plain[n]}
    told = {n: Punctuation.of(schema, {k: v}) for k in closed for n, v in zip(at[k], closed[k], strict=True)}
    assert told == exact
    assert all(list(where) == sorted(where) for where in at.values())
    surely = [n for n, text in enumerate(lines) if re.search(r'"[nm]": (0|-?[1-9]\d{0,17})}}$', text)]
    assert plain[surely].all(), "they are taken at once"


def test_columns_that_are_not_wanted_are_not_read(tmp_path: Path) -> None:
    schema, path = Schema.of(n="BIGINT", s="STRING", day="DATE"), tmp_path / "0.parquet"
    days = [date(2026, 11, 18)] * 2
    pl.DataFrame({"n": [1, 2], "s": ["a", "b"], "day": days}).write_parquet(path)
    read = READERS["parquet"](path, schema, {}, None, {"n"})
    assert read.piece.rows.rows() == [(1, None, days[0]), (2, None, days[1])]
    assert read.whole is not None and read.whole().piece.rows.rows() == [(1, "a", days[0]), (2, "b", days[1])]
    assert READERS["parquet"](path, schema, {}, None, set()).piece.rows.height == 2
    pl.DataFrame({"n": [1.0, 2.5], "s": ["a", "b"], "day": days}).write_parquet(path)
    read = READERS["parquet"](path, schema, {}, None, {"day"})
    assert read.rejected["text"].to_list() == READERS["parquet"](path, schema, {}).rejected["text"].to_list() != []
    assert all('"s": "' in text for text in read.rejected["text"])
