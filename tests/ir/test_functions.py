"""Every function of the table: its kernel gives what it means, and the page lists it."""

import math
import os
from pathlib import Path
from typing import Any

import pytest

from ir.calls import ALL, SCHEMA, bound, rows
from punctum.errors import ComputationError
from punctum.ir import evaluate
from punctum.ir.functions import CHAPTERS, Scalar
from punctum.ir.functions.aggregates import GROUPED
from punctum.ir.functions.page import page
from punctum.operators.checked import REASON, computed
from punctum.operators.columns import frame, to_rows
from punctum.operators.expressions import careful

ROWS = [SCHEMA.row(*row) for row in rows()]


def same(a: Any, b: Any, close: bool) -> bool:
    if isinstance(a, float) and isinstance(b, float):
        return a == b or (a != a and b != b) or (close and math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-300))
    return bool(a == b)


@pytest.mark.parametrize(("entry", "sql"), ALL, ids=[sql for _, sql in ALL])
def test_a_kernel_gives_what_a_function_means(entry: Scalar, sql: str) -> None:
    expression = bound(sql)
    df = frame(SCHEMA, ROWS).with_row_index("#")
    good, bad = computed(df, [("v", careful(expression, SCHEMA))])
    values = dict(zip(good["#"], (value for (value,) in to_rows(good.select("v"))), strict=True))
    reasons = {} if bad is None else dict(zip(bad["#"], bad[REASON], strict=True))
    for n, row in enumerate(ROWS):
        try:
            meant = evaluate(expression, row)
        except ComputationError as error:
            assert reasons.get(n) == error.reason, row
            continue
        assert n in values, (row, reasons[n])
        assert same(values[n], meant, entry.close), (row, values[n], meant)
        assert meant is not None or expression.nullable, "it says that it is never NULL"


def test_the_page_is_made_of_the_table() -> None:
    path = Path(__file__).parents[2] / "docs/functions.md"
    if os.environ.get("PUNCTUM_REWRITE") == "1":
        path.write_text(page())
    assert path.read_text() == page()


def test_there_are_enough_functions() -> None:
    scalars = {entry.name for chapter in CHAPTERS.values() for entry in chapter if entry.description}
    assert len(scalars | {entry.name for entry in GROUPED if entry.description}) >= 120


def test_entries_are_whole() -> None:
    for chapter in CHAPTERS.values():
        for entry in chapter:
            assert entry.meaning is not None or entry.rule is not None, entry.name
            assert entry.name.isidentifier() == bool(entry.description) or entry.name in "&|^~", entry.name
