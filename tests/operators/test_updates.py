"""Groups and ranks that come again when they change: specification and vectorised operator, slice by slice."""

import json
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from engine.queries import A, ended
from punctum.algebra.aggregates import AggregateFunction, Function
from punctum.algebra.ranking import Ranking
from punctum.algebra.sorting import SortKey
from punctum.operators.columns import ColumnarSlice, frame, to_rows
from punctum.operators.group_by import GroupBy
from punctum.operators.ranking import Ranks
from punctum.spec.group_by import GroupBy as Specification
from punctum.spec.ranking import Ranks as SpecifiedRanks
from punctum.spec.stream import Slice

CALLS = (
    AggregateFunction(Function.COUNT, None, "n"),
    AggregateFunction(Function.SUM, "x", "t"),
    AggregateFunction(Function.MAX, "s", "m"),
)


@given(stream=ended(A), by=st.sampled_from([(), ("k",), ("k", "s")]))
def test_updates(stream: list[Slice], by: tuple[str, ...]) -> None:
    specified = Specification(A, by, CALLS, updates=True)
    execution, running = specified.start(), GroupBy(A, by, CALLS, updates=True)
    rows, latest = list[tuple[object, ...]](), dict[tuple[object, ...], tuple[object, ...]]()
    for xs in stream:
        expected = execution.feed(xs)
        updates = to_rows(running.feed(ColumnarSlice(frame(A, xs.rows), xs.puncts)).rows)
        assert Counter(updates) == Counter(expected.rows)
        latest |= {row[: len(by)]: row for row in updates}
        rows += xs.rows
        again = GroupBy(A, by, CALLS, updates=True)
        again.restore_tables(running.tables())
        again.restore_metadata(json.loads(json.dumps(running.metadata())))
        running = again
        whole = Specification(A, by, CALLS)._results_of(rows)  # type: ignore[arg-type]
        assert set(whole) <= set(latest.values()), "what was reported last of each group is the answer so far"
    assert len(latest) == max(len({tuple(row[A.index(n)] for n in by) for row in rows}), int(not by))


@given(stream=ended(A), by=st.sampled_from([(), ("k",), ("k", "s")]), most=st.integers(1, 3), down=st.booleans())
def test_updates_of_ranks(stream: list[Slice], by: tuple[str, ...], most: int, down: bool) -> None:
    how = (by, (SortKey("x", down),), Ranking.ROW_NUMBER, "n", most)
    specified = SpecifiedRanks(A, *how, updates=True)
    execution, running = specified.start(), Ranks(A, *how, updates=True)
    rows, latest, at = list[tuple[object, ...]](), dict[tuple[object, ...], tuple[object, ...]](), A.indices(by)
    for xs in stream:
        expected = execution.feed(xs)
        out = running.feed(ColumnarSlice(frame(A, xs.rows), xs.puncts))
        updates = to_rows(out.rows)
        assert Counter(updates) == Counter(expected.rows)
        assert all(latest.get(key) != row for row in updates for key in [(*(row[i] for i in at), row[-1])])
        latest |= {(*(row[i] for i in at), row[-1]): row for row in updates}
        rows += xs.rows
        again = Ranks(A, *how, updates=True)
        again.restore_tables(running.tables())
        again.restore_metadata(json.loads(json.dumps(running.metadata())))
        running = again
        best = SpecifiedRanks(A, *how).best(rows)  # type: ignore[arg-type]
        assert Counter(latest.values()) == Counter((*t, n) for t, n in best), (
            "what came last of each rank is the answer"
        )
