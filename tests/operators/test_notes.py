"""What an operator notes beside its tables stays small, however many keys are closed or wait."""

import json
from collections.abc import Callable
from datetime import timedelta

import numpy as np
import polars as pl
import pytest

from punctum.algebra.aggregates import AggregateFunction, Function
from punctum.algebra.classes import Class
from punctum.algebra.outer import JoinKind
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.algebra.scheme import Scheme
from punctum.operators import (
    Difference,
    Dupelim,
    GroupBy,
    Intersect,
    Join,
    Merge,
    MultiJoin,
    Operator,
    Select,
    Union,
)
from punctum.operators.columns import ColumnarSlice
from punctum.operators.expect import Expect
from punctum.operators.guard import Guard
from punctum.operators.limits import limited
from punctum.operators.outer import OuterJoin

STREAM = Schema.of(k="BIGINT", s="STRING")
NAMES = ("a.k", "a.s", "b.k", "b.s", "c.k", "c.s")
CLASSES = tuple(Class(tuple((i, at) for i in range(3))) for at in (0, 1))
BOTH = [("k", "k"), ("s", "s")]
MADE: dict[str, Callable[[], Operator]] = {
    "join": lambda: Join(STREAM, STREAM, BOTH),
    "left join": lambda: OuterJoin(STREAM, STREAM, BOTH, JoinKind.LEFT, NAMES[:4]),
    "full join": lambda: OuterJoin(STREAM, STREAM, BOTH, JoinKind.FULL, NAMES[:4]),
    "semi join": lambda: OuterJoin(STREAM, STREAM, BOTH, JoinKind.SEMI, NAMES[:4]),
    "join of three": lambda: MultiJoin([STREAM] * 3, CLASSES, NAMES),
    "merge": lambda: Merge(STREAM, STREAM),
    "union": lambda: Union(STREAM, STREAM),
    "intersect": lambda: Intersect(STREAM, STREAM),
    "difference": lambda: Difference(STREAM, STREAM),
    "dupelim": lambda: Dupelim(STREAM),
    "group-by": lambda: GroupBy(STREAM, ["k", "s"], [AggregateFunction(Function.COUNT, None, "n")]),
    "select": lambda: Select(STREAM, pl.lit(True)),
    "guard": lambda: Guard(STREAM),
    "expect": lambda: Expect(Scheme.of(STREAM, "k"), timedelta(days=1)),
}
DRAW = np.random.default_rng(7)


@pytest.mark.parametrize("names", [["k"], ["s"], ["k", "s"]], ids="-".join)
@pytest.mark.parametrize("name", MADE)
def test_notes_do_not_grow(name: str, names: list[str]) -> None:
    """The first input closes keys that others have not closed; its own rows hold them back."""
    operator, many = MADE[name](), 100 if len(names) > 1 else 2_000
    with limited(apart=100):
        sizes = [noted(operator, closing(many, names)) for _ in range(20)]
    assert max(sizes[10:]) <= max(sizes[:5]) + 1_000
    if len(operator.inputs) > 1:
        assert operator.puncts() >= 20 * many, "nothing is forgotten that one input alone has closed"


def noted(operator: Operator, first: ColumnarSlice) -> int:
    operator.feed(first, *(ColumnarSlice(first.rows.clear()) for _ in operator.inputs[1:]))
    return len(json.dumps(operator.metadata()))


def closing(many: int, names: list[str]) -> ColumnarSlice:
    k = pl.Series("k", DRAW.integers(0, 2**62, many))
    rows = pl.DataFrame([k, k.cast(pl.String).alias("s")])
    if len(names) > 1:
        return ColumnarSlice(rows, tuple(Punctuation.of(STREAM, row) for row in rows.to_dicts()))
    return ColumnarSlice(rows, (), {names[0]: rows[names[0]]})
