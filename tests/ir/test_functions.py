"""Every function of the table: its kernel gives what it means, and the page lists it."""

import math
from typing import Any

import pytest

from ir.calls import ALL, SCHEMA, bound, rows
from punctum.errors import ComputationError
from punctum.ir import evaluate
from punctum.ir.functions import Scalar
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
    values = dict(to_rows(good.select("#", "v")))
    reasons = {} if bad is None else dict(to_rows(bad.select("#", REASON)))
    for n, row in enumerate(ROWS):
        try:
            meant = evaluate(expression, row)
        except ComputationError as error:
            assert reasons.get(n) == error.reason, row
            continue
        assert n in values, (row, reasons[n])
        assert same(values[n], meant, entry.close), (row, values[n], meant)
        assert meant is not None or expression.nullable, "it says that it is never NULL"
