"""Orders of rows in partitions, as Python sorts them: keys of all types, NULL first or last, in either direction."""

from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from punctum.algebra.cuts import below
from punctum.algebra.sorting import SortKey
from punctum.operators.partitions import Partitions

TIMES = [datetime(2026, 11, 19, tzinfo=UTC) + timedelta(days=40_000 * n) for n in (0, 1, -1)]
TYPES: dict[str, tuple[Any, list[Any]]] = {
    "a": (pl.Int64, [0, 1, -(2**63), 2**63 - 1, None]),
    "b": (pl.Int64, [5, 6, 7, None]),
    "c": (pl.Datetime("us", "UTC"), [*TIMES, None]),
    "d": (pl.Boolean, [False, True, None]),
    "e": (pl.String, ["", "a", "b", None]),
    "f": (pl.Float64, [0.5, float("nan"), -1.0, None]),
    "g": (pl.Int64, [2**61, -(2**61), 3]),
}
KEYS = st.builds(SortKey, st.sampled_from(sorted(TYPES)), st.booleans(), st.none() | st.booleans())


@st.composite
def frames(draw: st.DrawFn) -> pl.DataFrame:
    rows = draw(st.lists(st.tuples(*(st.sampled_from(values) for _, values in TYPES.values())), max_size=9))
    return pl.DataFrame(rows, {name: kind for name, (kind, _) in TYPES.items()}, orient="row")


@given(frames(), st.lists(st.sampled_from(sorted(TYPES)), max_size=3, unique=True), st.lists(KEYS, max_size=4))
def test_rows_are_in_order(rows: pl.DataFrame, by: list[str], keys: list[SortKey]) -> None:
    keys = [key for n, key in enumerate(keys) if key.name not in (*by, *(k.name for k in keys[:n]))]
    found = Partitions.of(rows, by, keys)
    assert sorted(found.at.tolist()) == list(range(rows.height))
    shown = [{n: below(v) for n, v in row.items() if v is not None} for row in rows.to_dicts()]
    order, last = found.at.tolist(), 0
    wanted = [SortKey(name) for name in by] + keys
    for place, at in enumerate(order):
        if place:
            compared = [_compared(shown[last], shown[at], key) for key in wanted]
            assert next((c for c in compared if c), 0) <= 0
            assert found.starts[place] == any(compared[: len(by)])
            assert found.leads[place] == any(compared)
        last = at
    assert found.starts[:1].all() and found.leads[:1].all()
    assert (np.diff(found.firsts) >= 0).all()


def _compared(one: Any, other: Any, key: SortKey) -> int:
    """-1 when a row stands before another one by a key, 1 behind it, 0 when they are equal."""
    x, y = one.get(key.name), other.get(key.name)
    if x is None or y is None:
        return 0 if x is y else -1 if (x is None) == key.null_leads else 1
    return 0 if x == y else -1 if (x < y) != key.descending else 1
