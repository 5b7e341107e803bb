"""Every function of the table gives what Spark gives, on hard values of every type, in one SELECT."""

import math
import re
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from pyspark.sql import SparkSession

from ir.calls import ALL, SCHEMA, bound, rows
from punctum.errors import ComputationError
from punctum.ir import evaluate
from punctum.ir.functions import Scalar
from punctum.operators.columns import frame

ROWS = [SCHEMA.row(*row) for row in rows()]
INTS = ("k",)
"""Columns that Spark has as INT, which its functions ask for."""


LOCAL = re.compile(r"\bz\b")
"""Spark takes local times for instants in its zone where functions ask for instants; here they stay as they are."""
EMPTY = re.compile(r"regexp_(replace|count)\(s, '(b\?|x\*)'")
"""Spark finds an empty match between the halves of a character that Java keeps in two."""


def in_spark(spark: SparkSession, file: Path, zone: str, chosen: list[tuple[Scalar, str]]) -> list[list[Any]]:
    """The values of calls, one list for each call."""
    frame(SCHEMA, ROWS).with_row_index("#").with_columns(pl.col(INTS).cast(pl.Int32)).write_parquet(file)
    own = {"spark.sql.session.timeZone": zone, "spark.sql.ansi.enabled": "false"}
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
    """A time as the days or microseconds since 1970."""
    if isinstance(value, datetime):
        return (value.replace(tzinfo=None) - datetime(1970, 1, 1)) // timedelta(microseconds=1)
    return (value - date(1970, 1, 1)).days if isinstance(value, date) else value


def same(ours: Any, theirs: Any, close: bool) -> bool:
    if isinstance(ours, float) and isinstance(theirs, float):
        near = close and math.isclose(ours, theirs, rel_tol=1e-12, abs_tol=1e-300)
        return ours == theirs or (ours != ours and theirs != theirs) or near
    return bool(ours == theirs)


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin"])
def test_functions_as_spark_has_them(spark: SparkSession, tmp_path: Path, zone: str) -> None:
    wrong = []
    chosen = [call for call in ALL if zone == "UTC" or not LOCAL.search(call[1])]
    for (entry, sql), theirs in zip(chosen, in_spark(spark, tmp_path / "r.parquet", zone, chosen), strict=True):
        expression = bound(sql, zone)
        for row, their in zip(ROWS, theirs, strict=True):
            try:
                ours = number(evaluate(expression, row))
            except ComputationError:
                continue
            if not same(ours, their, entry.close) and not ("😀" in str(row[0]) and EMPTY.search(sql)):
                wrong.append((sql, row, ours, their))
    assert not wrong, "\n".join(f"{sql}: {ours!r}, not {their!r} {row}" for sql, row, ours, their in wrong)
