"""Every function of the table gives what Spark gives, on hard values of every type, in one SELECT."""

import math
import re
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from pyspark.sql import SparkSession

from ir.calls import ALL, SCHEMA, STREAM, bound, rows
from lanes import also_long
from punctum.algebra import end_of_stream
from punctum.errors import ComputationError
from punctum.ir import evaluate
from punctum.ir.functions import FUNCTIONS, Scalar
from punctum.operators.columns import ColumnarSlice, frame, to_rows
from punctum.parse import parse_query
from punctum.testing.simulate import run

ROWS = [SCHEMA.row(*row) for row in rows()]
INTS = ("k",)
"""Columns that Spark has as INT, which its functions ask for."""


INTERVALS = [
    "t - timestamp_seconds(k * 100000000)",
    "t - d",
    "d - t",
    "z - d",
    "d - e",
    "-(d - e)",
    "d - e < INTERVAL '10' DAY",
    "z - e - INTERVAL '36' HOUR",
    "(z - e) + (t - d)",
    "z + (z - e)",
    "CAST(t - d AS STRING)",
    "CAST(-(z - e) AS STRING)",
    "COALESCE(t - d, INTERVAL '1' SECOND)",
    "greatest(t - d, z - e)",
    "nullif(d - d, INTERVAL '0' DAY)",
    "INTERVAL '10' DAY",
    "t + INTERVAL '1' HOUR - t",
]
NESTED = ["o['n']", "l", "o", "o.n", "o.l[1]", "l[0]", "l[k]", "o.p[0].d", "o.p[k].s", "l IS NULL", "o IS NULL", "o.p"]
"""Elements and fields."""


LOCAL = re.compile(r"\bz\b")
"""Spark takes local times for instants in its zone where functions ask for instants; here they stay as they are."""
EMPTY = re.compile(r"(regexp_replace|regexp_count|split)\(s, '(b\?|x\*)'")
"""Spark finds an empty match between the halves of a character that Java keeps in two."""


def in_spark(spark: SparkSession, file: Path, zone: str, chosen: list[tuple[Scalar, str]]) -> list[list[Any]]:
    """The values of calls, one list for each call."""
    frame(SCHEMA, ROWS).with_row_index("#").with_columns(pl.col(INTS).cast(pl.Int32)).write_parquet(file)
    own = {"spark.sql.session.timeZone": zone, "spark.sql.ansi.enabled": "false"}
    own["spark.sql.legacy.sizeOfNull"] = "false"  # as it is in ANSI mode
    before = {name: spark.conf.get(name) for name in own}
    for name, value in own.items():
        spark.conf.set(name, value)
    try:
        made = spark.read.parquet(str(file)).selectExpr("`#`", *(f"{sql} AS c{n}" for n, (_, sql) in enumerate(chosen)))
        df = pl.from_arrow(made.toArrow())
    finally:
        for name, old in before.items():
            spark.conf.set(name, str(old))
    assert isinstance(df, pl.DataFrame)
    # years beyond 9999 are no dates of Python's
    numbers = df.sort("#").with_columns(pl.selectors.temporal().to_physical())
    return [numbers[f"c{n}"].to_list() for n in range(len(chosen))]


def number(value: Any) -> Any:
    """A time as the days or microseconds since 1970, an interval as its microseconds."""
    if isinstance(value, dict | list | tuple):
        return tuple(number(part) for part in (value.values() if isinstance(value, dict) else value))
    if isinstance(value, timedelta):
        return value // timedelta(microseconds=1)
    if isinstance(value, datetime):
        return (value.replace(tzinfo=None) - datetime(1970, 1, 1)) // timedelta(microseconds=1)
    return (value - date(1970, 1, 1)).days if isinstance(value, date) else value


def same(ours: Any, theirs: Any, close: bool) -> bool:
    if isinstance(ours, tuple) and isinstance(theirs, tuple):
        return len(ours) == len(theirs) and all(same(a, b, close) for a, b in zip(ours, theirs, strict=True))
    if isinstance(ours, float) and isinstance(theirs, float):
        near = close and math.isclose(ours, theirs, rel_tol=1e-12, abs_tol=1e-300)
        return ours == theirs or (ours != ours and theirs != theirs) or near
    return bool(ours == theirs)


@pytest.mark.parametrize("zone", also_long("UTC", more=["Europe/Berlin"]))
def test_functions_as_spark_has_them(spark: SparkSession, tmp_path: Path, zone: str) -> None:
    wrong = []
    calls = [call for call in ALL if zone == "UTC" or not LOCAL.search(call[1])]
    chosen = [*calls, *((FUNCTIONS["pi"], sql) for sql in INTERVALS + NESTED)]
    for (entry, sql), theirs in zip(chosen, in_spark(spark, tmp_path / "r.parquet", zone, chosen), strict=True):
        expression = bound(sql, zone)
        for row, their in zip(ROWS, theirs, strict=True):
            try:
                ours = number(evaluate(expression, row))
            except ComputationError:
                continue
            if not same(ours, number(their), entry.close) and not ("😀" in str(row[0]) and EMPTY.search(sql)):
                wrong.append((sql, row, ours, their))
    assert not wrong, "\n".join(f"{sql}: {ours!r}, not {their!r} {row}" for sql, row, ours, their in wrong)


AGGREGATES = [
    *(
        f"{name}({of})"
        for name in ("stddev", "stddev_pop", "var_samp", "var_pop", "median")
        for of in ("k", "c", "n % 100")
    ),
    *(f"percentile(k, {share})" for share in ("0", "0.25", "0.9", "1")),
    "percentile(c, 0.3) FILTER (WHERE k > 0)",
    "max_by(length(s), s)",
    "min_by(upper(s), s)",
    "max_by(x, x)",
    "min_by(d, t) FILTER (WHERE d IS NULL)",
    "any(k > 3)",
    "every(k < 9)",
    "bool_or(n IS NULL)",
    "count_if(k > 0)",
    "count_if(b) FILTER (WHERE k > 0)",
    "approx_count_distinct(k)",
    "mean(k)",
    "std(k)",
    "variance(k)",
    *(f"collect_list({of})" for of in ("k", "s", "c", "d", "b", "t - d")),
    "array_agg(x) FILTER (WHERE k > 0)",
    "collect_set(n)",
    "collect_list(DISTINCT s)",
    "size(collect_set(u))",
    "sum(t - d)",
    "avg(d - t)",
    "mean(z - d) FILTER (WHERE k > 0)",
]
SORTED = {"collect_list", "array_agg", "collect_set"}
"""Spark gives these in any order."""


def test_aggregates_as_spark_has_them(spark: SparkSession, tmp_path: Path) -> None:
    frame(SCHEMA, ROWS).with_columns(pl.col(INTS).cast(pl.Int32)).write_parquet(tmp_path / "r.parquet")
    spark.read.parquet(str(tmp_path / "r.parquet")).createOrReplaceTempView("r")
    sql = f"SELECT b, {', '.join(f'{call} AS c{n}' for n, call in enumerate(AGGREGATES))} FROM r GROUP BY b"
    ordered = [re.sub(r"^((\w+)\(.*)", r"sort_array(\1)", c) if c.split("(")[0] in SORTED else c for c in AGGREGATES]
    in_order = f"SELECT b, {', '.join(f'{call} AS c{n}' for n, call in enumerate(ordered))} FROM r GROUP BY b"
    theirs = pl.from_arrow(spark.sql(in_order).toArrow())
    assert isinstance(theirs, pl.DataFrame)
    fed = {"r": ColumnarSlice(frame(SCHEMA, ROWS), (end_of_stream(SCHEMA),))}
    (ours,) = run(parse_query(sql, STREAM), [fed], buckets=2)
    answers = {row[0]: row for row in to_rows(ours.rows)}
    assert theirs.height == len(answers) == 3
    for row in theirs.iter_rows():
        for call, mine, their in zip(["b", *AGGREGATES], answers[row[0]], row, strict=True):
            assert same(number(mine), number(their), True), (call, row[0], mine, their)
