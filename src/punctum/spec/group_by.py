"""Grouping and aggregation (GROUP BY).

::

    cpass(ts, ps)  =  [result(g) | g ∈ groups(ts) ∧ setMatch(g, groupPs(ps))]
    cprop(ts, ps)  =  groupPs(ps)
    ckeep(ts, ps)  =  [t | t ∈ ts ∧ setNomatch(t, groupPs(ps))]

``groupPs`` gives the punctuations that speak of grouping attributes alone: the groups they match are complete. Without
grouping attributes there is one group, and as in SQL it has a result even when no row came. A group with an aggregate
that has no value (``aggregates.py``) gives no row: it goes to the quarantine.

With *updates* a group's result comes out after each slice that has rows of it, and not again when it is complete.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from punctum.algebra.aggregates import AggregateFunction
from punctum.algebra.functions import set_match, set_nomatch_ts
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.algebra.values import Row
from punctum.spec.aggregates import value_of
from punctum.spec.framework import Kept, Puncts, Rows, Specified, Unary, valued
from punctum.spec.stream import Slice


@dataclass(frozen=True)
class GroupState:
    """The rows of groups that are not complete, and whether the stream has ended."""

    rows: tuple[Row, ...] = ()
    ended: bool = False


@dataclass(frozen=True)
class GroupBy(Unary[GroupState], Specified):
    """A row for each group: the grouping attributes and the aggregates."""

    schema: Schema
    by: tuple[str, ...]
    aggregates: tuple[AggregateFunction, ...]
    updates: bool = False

    @property
    def output(self) -> Schema:
        """The grouping attributes, then the aggregates."""
        grouping = tuple(self.schema.attributes[i] for i in self.schema.indices(self.by))
        return Schema((*grouping, *(aggregate.attribute(self.schema) for aggregate in self.aggregates)))

    def initial(self) -> GroupState:
        return GroupState()

    def step(self, ts: Rows, st: GroupState) -> tuple[Rows, GroupState]:
        rows, at = (*st.rows, *ts), self.schema.indices(self.by)
        touched = {tuple(t[i] for i in at) for t in ts} if self.updates else set()
        return self._results_of([t for t in rows if tuple(t[i] for i in at) in touched]), GroupState(rows, st.ended)

    def pass_(self, ps: Puncts, st: GroupState) -> Rows:
        if st.ended or (self.updates and (st.rows or self.by)):
            return []
        return self._results(st.rows, self.group_ps(ps))

    def prop(self, ps: Puncts, st: GroupState) -> Puncts:
        return [self._over_output(p) for p in self.group_ps(ps)]

    def keep(self, ps: Puncts, st: GroupState) -> GroupState:
        ended = st.ended or any(not p.sides for p in ps)
        return GroupState(tuple(set_nomatch_ts(st.rows, self.group_ps(ps))), ended)

    def kept(self, st: GroupState) -> Kept:
        return {"input": list(st.rows)}

    def group_ps(self, ps: Iterable[Punctuation]) -> list[Punctuation]:
        """The punctuations that speak of grouping attributes alone."""
        grouping = set(self.schema.indices(self.by))
        return [p for p in ps if {i for i, _ in p.sides} <= grouping]

    def _results(self, ts: Iterable[Row], complete: Puncts) -> list[Row]:
        """A result for each group that is complete."""
        return self._results_of([t for t in ts if set_match(t, complete)], bool(complete) and not self.by)

    def _results_of(self, ts: Iterable[Row], one: bool = False) -> list[Row]:
        """A result for each group of rows, or for one of none."""
        at = self.schema.indices(self.by)
        groups: dict[Row, list[Row]] = {(): []} if one else {}
        for t in ts:
            groups.setdefault(tuple(t[i] for i in at), []).append(t)
        results = (valued(self._result, (key, rows)) for key, rows in groups.items())
        return [result for result in results if result is not None]

    def _result(self, group: tuple[Row, list[Row]]) -> Row:
        key, rows = group
        return (*key, *(value_of(a, rows, self.schema) for a in self.aggregates))

    def _over_output(self, p: Punctuation) -> Punctuation:
        return Punctuation.of(self.output, {self.schema.names[i]: pattern for i, pattern in p.sides})

    def cpass(self, *inputs: Slice) -> list[Row]:
        return self._results(inputs[0].rows, self.group_ps(inputs[0].puncts))

    def cprop(self, *inputs: Slice) -> list[Punctuation]:
        return [self._over_output(p) for p in self.group_ps(inputs[0].puncts)]

    def ckeep(self, *inputs: Slice) -> Kept:
        (xs,) = inputs
        return {"input": set_nomatch_ts(xs.rows, self.group_ps(xs.puncts))}
