"""Aggregates whose partials are combined: however rows are cut, the result is that of all rows at once."""

import math
import random
from decimal import Decimal
from typing import Any

import pytest

from punctum.algebra import NAN, Schema, end_of_stream
from punctum.algebra.aggregates import PAIRED, SPREADS, AggregateFunction, Function
from punctum.operators.columns import ColumnarSlice, frame, to_rows
from punctum.operators.group_by import GroupBy
from punctum.spec.aggregates import value_of

VALUES: dict[str, list[Any]] = {
    "BIGINT": [None, 0, 1, -7, 10**9, 10**9 + 1, 10**9 + 2, 2**53],
    "DOUBLE": [None, 0.0, 1.5, -2.25, 1e9, 1e9 + 0.5, 1e-9, 1e160],
    "DECIMAL": [None, *map(Decimal, ("0", "1.25", "-99.5", "1000000.01"))],
}
SPECIAL = [None, 1.0, math.inf, -math.inf, NAN]


def same(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9) or (one != one and other != other)
    return bool(one == other)


@pytest.mark.parametrize("seed", range(30))
def test_cuts_do_not_show(seed: int) -> None:
    chance = random.Random(seed)
    kind = chance.choice(list(VALUES))
    schema = Schema.of(k="BIGINT", v=kind, b="DOUBLE", s="STRING")
    values = SPECIAL if kind == "DOUBLE" and seed % 4 == 0 else VALUES[kind]
    drawn = (
        [chance.choice([1, 2]), chance.choice(values), chance.choice(SPECIAL), chance.choice("ab")] for _ in range(40)
    )
    rows = [schema.row(*row) for row in drawn]
    shares = [AggregateFunction(Function.PERCENTILE, "v", f"p{share}", share=share) for share in (0.0, 0.3, 0.9, 1.0)]
    of = [*(AggregateFunction(f, "v", f.value) for f in SPREADS), *shares]
    of += [
        AggregateFunction(f, a, f"{f.value} {a} {b}", b)
        for f in PAIRED
        for a, b in (("v", "b"), ("s", "v"), ("b", "s"))
    ]
    groups, at = GroupBy(schema, ["k"], of), 0
    while at < len(rows):
        size = chance.randint(1, 15)
        groups.feed(ColumnarSlice(frame(schema, rows[at : at + size]), ()))
        at += size
    made = groups.feed(ColumnarSlice(frame(schema, []), (end_of_stream(schema),)))
    answers = {row[0]: row[1:] for row in to_rows(made.rows)}
    assert set(answers) == {row[0] for row in rows}
    for key, answer in answers.items():
        for function, value in zip(of, answer, strict=True):
            meant = value_of(function, [row for row in rows if row[0] == key], schema)
            assert same(value, meant), (function, value, meant)
