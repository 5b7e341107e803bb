"""A test of the tests: operators that are wrong in one way each, and the law that catches each of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from lanes import long
from punctum.algebra.outer import JoinKind
from punctum.algebra.pattern import Pattern
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.algebra.sorting import SortKey
from punctum.algebra.values import Row
from punctum.spec.difference import Difference, DifferenceRows
from punctum.spec.dupelim import Dupelim
from punctum.spec.framework import Emitter, Execution, Operator, Puncts, Rows, Specified
from punctum.spec.group_by import GroupBy
from punctum.spec.group_by import GroupState as Groups
from punctum.spec.intersect import Intersect, IntersectRows
from punctum.spec.join import Join, Side
from punctum.spec.join import State as Joined
from punctum.spec.merge import Merge
from punctum.spec.merge import State as Merged
from punctum.spec.outer import OuterJoin
from punctum.spec.sets import State
from punctum.spec.sort import Sort
from punctum.spec.sort import SortState as Unsorted
from punctum.spec.stream import Slice
from spec import batch
from spec.laws import conform, faithful, faithful_in_order, minimal, proper
from spec.test_faithful import SUMMARY, UNIVERSE, inputs, other, plane

# purges too much


@dataclass(frozen=True)
class ForgetfulDupelim(Dupelim):
    """Purges rows that only part of a punctuation matches."""

    def keep(self, ps: Puncts, st: list[Row]) -> list[Row]:
        return [t for t in st if not any(pattern.match(t[i]) for p in ps for i, pattern in p.sides)]


@dataclass(frozen=True)
class ForgetfulJoin(Join):
    """Purges by punctuations that speak of other attributes too."""

    def _on_key(self, side: int, p: Punctuation) -> bool:
        return any(i in self._positions(side) for i, _ in p.sides)

    def _closes(self, side: int, p: Punctuation, t: Row) -> bool:
        return all(p.patterns[i].match(v) for i, v in zip(self._positions(side), self.key(1 - side, t), strict=True))


@dataclass(frozen=True)
class ForgetfulDifference(Difference):
    """Purges a right row when the right input promises that it will not come again."""

    @property
    def first(self) -> DifferenceRows:
        class Forgetful(DifferenceRows):
            def keep_right(self, ps: Puncts, st: State) -> State:
                lts, rts, lps, rps = super().keep_right(ps, st)
                return lts, [t for t in rts if not rps.matches(t)], lps, rps

        return Forgetful(self.left, self.right)


@dataclass(frozen=True)
class ForgetfulIntersect(Intersect):
    """Purges each input by its own punctuations."""

    @property
    def first(self) -> IntersectRows:
        class Forgetful(IntersectRows):
            def keep_right(self, ps: Puncts, st: State) -> State:
                lts, rts, lps, rps = st
                rps_new = rps | ps
                return [t for t in lts if not lps.matches(t)], [t for t in rts if not rps_new.matches(t)], lps, rps_new

        return Forgetful(self.left, self.right)


@dataclass(frozen=True)
class ForgetfulOuterJoin(OuterJoin):
    """Does not remember which rows have had a partner."""

    def _step(self, side: int, ts: Rows, st: Joined) -> tuple[Rows, Joined]:
        rows, (left, right) = super()._step(side, ts, st)
        return rows, (replace(left, met=(False,) * len(left.rows)), right)  # type: ignore[call-arg]


# passes too early


@dataclass(frozen=True)
class HastyOuterJoin(OuterJoin):
    """Gives rows out alone as soon as any punctuation of the other side matches their key."""

    def _on_key(self, side: int, p: Punctuation) -> bool:
        return True

    def _closes(self, side: int, p: Punctuation, t: Row) -> bool:
        return all(p.patterns[i].match(v) for i, v in zip(self._positions(side), self.key(1 - side, t), strict=True))


@dataclass(frozen=True)
class HastyGroupBy(GroupBy):
    """Releases a group for a punctuation on other attributes as well."""

    def pass_(self, ps: Puncts, st: Groups) -> Rows:
        grouping = self.schema.indices(self.by)
        return self._results(st.rows, [p for p in ps if any(i in grouping for i, _ in p.sides)])


@dataclass(frozen=True)
class HastyDifference(Difference):
    """Releases left rows before the right input has promised that they will not come."""

    @property
    def first(self) -> DifferenceRows:
        class Hasty(DifferenceRows):
            def pass_right(self, ps: Puncts, st: State) -> Rows:
                lts, rts, _, _ = st
                return [t for t in lts if t not in rts]

        return Hasty(self.left, self.right)


@dataclass(frozen=True)
class HastySort(Sort):
    """Releases whatever a punctuation matches, a prefix of the order or not."""

    def pass_(self, ps: Puncts, st: Unsorted) -> Rows:
        seen = self._seen(ps, st)
        return self.sorted(t for t in st.rows if seen.matches(t))


# propagates too early


@dataclass(frozen=True)
class BoldMerge(Merge):
    """Passes on the punctuations of one input alone."""

    def prop_left(self, ps: Puncts, st: Merged) -> Puncts:
        return ps


@dataclass(frozen=True)
class BoldJoin(Join):
    """Passes on punctuations that kept rows still match."""

    def _released(self, st: tuple[Side, Side]) -> list[Punctuation]:
        return [q for side in (0, 1) for p in st[side].waiting for q in self.mod(side, p)]


@dataclass(frozen=True)
class BoldOuterJoin(OuterJoin):
    """Passes on the punctuations of a join, as if no row came out alone."""

    def _sound(self, side: int, way: Sequence[tuple[int, Pattern]]) -> bool:
        return self.kind.pairs or all(n < len(self.left) for n, _ in way)


@dataclass(frozen=True)
class BoldGroupBy(GroupBy):
    """Passes on punctuations on other attributes, as if they were wildcards there."""

    def prop(self, ps: Puncts, st: Groups) -> Puncts:
        grouping = set(self.schema.indices(self.by))
        named = [{self.schema.names[i]: pattern for i, pattern in p.sides if i in grouping} for p in ps]
        return [Punctuation.of(self.output, patterns) for patterns in named if patterns]


# emits things twice


@dataclass(frozen=True)
class ChattyDupelim(Dupelim):
    """Outputs a row each time that it comes."""

    def step(self, ts: Rows, st: list[Row]) -> tuple[Rows, list[Row]]:
        return ts, super().step(ts, st)[1]


@dataclass(frozen=True)
class ChattySemiJoin(OuterJoin):
    """Outputs a left row for each partner."""

    def _step(self, side: int, ts: Rows, st: Joined) -> tuple[Rows, Joined]:
        rows, new = super()._step(side, ts, st)
        others = st[1].rows if side == 0 else ts
        return [t for t in rows for s in others if self._meet(0, t, s)], new


Law = Callable[[Specified, st.DataObject], None]


def over(law: Callable[..., None], *more: Any) -> Law:
    return lambda operator, data: law(operator, [data.draw(inputs(schema)) for schema in operator.inputs], *more)


def in_order(operator: Specified, data: st.DataObject) -> None:
    faithful_in_order(operator, data.draw(inputs(plane)), batch.order([(0, False, True)]), UNIVERSE, 1)


join_on = (plane, other, (("x", "v"),))
by_x = (plane, ("x",), tuple(SUMMARY))
one, two = [UNIVERSE], [UNIVERSE, UNIVERSE]
to_distinct, to_sums = over(faithful, batch.distinct, one, 1), over(faithful, batch.summary([0], 1), one, 1)
to_join = over(faithful, batch.join([(0, 0)]), two, 1)
to_intersect, to_difference = over(faithful, batch.intersect, two, 1), over(faithful, batch.difference, two, 1)
to_left, to_full, to_semi, to_anti = (over(faithful, batch.outer([(0, 0)], k.value), two, 1) for k in JoinKind)
WRONG: list[tuple[Specified, Law, str]] = [
    (ForgetfulDupelim(plane), over(conform), "ckeep"),
    (ForgetfulDupelim(plane), to_distinct, "unsafe"),
    (ForgetfulJoin(*join_on), to_join, "incomplete"),
    (ForgetfulDifference(plane, plane), over(conform), "ckeep"),
    (ForgetfulDifference(plane, plane), to_difference, "unsafe"),
    (ForgetfulIntersect(plane, plane), over(conform), "ckeep"),
    (ForgetfulIntersect(plane, plane), to_intersect, "incomplete"),
    (ForgetfulOuterJoin(*join_on), over(conform), "cpass|ckeep"),
    (ForgetfulOuterJoin(*join_on), to_left, "unsafe"),
    (HastyOuterJoin(*join_on, kind=JoinKind.ANTI), to_anti, "unsafe"),
    (HastyOuterJoin(*join_on, kind=JoinKind.FULL), to_full, "unsafe"),
    (HastyGroupBy(*by_x), over(conform), "cpass"),
    (HastyGroupBy(*by_x), to_sums, "unsafe"),
    (HastyDifference(plane, plane), over(conform), "cpass"),
    (HastyDifference(plane, plane), to_difference, "unsafe"),
    (HastySort(plane, (SortKey("x"),)), over(conform), "cpass"),
    (HastySort(plane, (SortKey("x"),)), in_order, "unsafe"),
    (BoldMerge(plane, plane), over(conform), "cprop"),
    (BoldMerge(plane, plane), over(proper), "an ungrammatical row"),
    (BoldJoin(*join_on), over(conform), "cprop"),
    (BoldJoin(*join_on), over(proper), "an ungrammatical row"),
    (BoldOuterJoin(*join_on), over(proper), "an ungrammatical row"),
    (BoldOuterJoin(*join_on, kind=JoinKind.FULL), over(proper), "an ungrammatical row"),
    (BoldOuterJoin(*join_on, kind=JoinKind.ANTI), over(proper), "an ungrammatical row"),
    (BoldGroupBy(*by_x), over(conform), "cprop"),
    (BoldGroupBy(*by_x), over(proper), "an ungrammatical row"),
    (ChattyDupelim(plane), over(conform), "cpass"),
    (ChattyDupelim(plane), to_distinct, "unsafe"),
    (ChattySemiJoin(*join_on, kind=JoinKind.SEMI), over(conform), "cpass"),
    (ChattySemiJoin(*join_on, kind=JoinKind.SEMI), to_semi, "unsafe"),
]


def search(operator: Specified, law: Law, examples: int) -> None:
    @settings(max_examples=examples, phases=[Phase.generate], derandomize=True, report_multiple_bugs=False)
    @given(st.data())
    def searched(data: st.DataObject) -> None:
        law(operator, data)

    searched()


RARE = (
    "ForgetfulOuterJoin-unsafe",
    "HastyOuterJoin-unsafe",
    "ForgetfulDifference-unsafe",
    "ForgetfulIntersect-incomplete",
)
"""Those that it takes many examples to catch by what comes out in the end."""


def named(operator: Specified, law: Law, why: str) -> Any:
    name = f"{type(operator).__name__}-{why}"
    return pytest.param(operator, law, why, id=name, marks=[long] if name in RARE else [])


@pytest.mark.parametrize(("operator", "law", "why"), [named(*wrong) for wrong in WRONG])
def test_a_wrong_operator_is_caught(operator: Specified, law: Law, why: str) -> None:
    with pytest.raises(AssertionError, match=f"^{why}"):
        search(operator, law, 2000)
    right = type(operator).__bases__[0](**{f.name: getattr(operator, f.name) for f in fields(operator)})  # type: ignore
    search(right, law, 50)


def test_an_operator_that_emits_a_punctuation_twice_is_caught() -> None:
    """A punctuation that comes again would go out again, but for the driver."""
    once = [Slice.of(Punctuation.of(plane, x=1)), Slice.of(Punctuation.of(plane, x=1))]
    minimal(Merge(plane, plane), [once, once])
    with pytest.raises(AssertionError, match="a punctuation twice"):
        minimal(Repeating(Merge(plane, plane)), [once, once])


class Repeating(Operator):
    """An operator whose driver forgets what it has emitted."""

    def __init__(self, merge: Merge) -> None:
        self._merge = merge

    @property
    def inputs(self) -> tuple[Schema, ...]:
        return self._merge.inputs

    @property
    def output(self) -> Schema:
        return self._merge.output

    def start(self) -> Execution:
        running = self._merge.start()
        feed = running.feed

        def forgetful(*slices: Slice) -> Slice:
            running._output = Emitter(self.output)
            return feed(*slices)

        running.feed = forgetful  # type: ignore[method-assign]
        return running
