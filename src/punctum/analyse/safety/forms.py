"""Other forms of a query that give the same rows, to be reported to its writer when one of them is safe.

- An ORDER BY below something else orders nothing that is seen.
- A DISTINCT, or a UNION that may be UNION ALL, below what does not see duplicates.
- A column that is compared with constants need not come to a group-by that does not read it.

A multiway join instead of binary ones is no form of its own: joins that stand together are one join.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import assert_never

from punctum.algebra.aggregates import PAIRED, Function
from punctum.analyse.safety.inference import Inference
from punctum.ir.expressions import Column
from punctum.ir.hop import Hop
from punctum.ir.lookup import Lookup
from punctum.ir.node import PlannedNode
from punctum.ir.over import Over
from punctum.ir.punctuated import Punctuated
from punctum.ir.ranking import Ranked
from punctum.ir.relations import (
    Aggregate,
    Distinct,
    Except,
    Filter,
    Intersect,
    Join,
    OrderBy,
    OuterJoin,
    Projection,
    Source,
    Union,
    UnionAll,
    Window,
)
from punctum.ir.session import Sessions
from punctum.ir.stamped import Stamped
from punctum.ir.temporal import Cleansed, Final, LMerge, Opened
from punctum.ir.tree import Relation, with_inputs

_BLIND = (Function.MIN, Function.MAX, Function.COUNT_DISTINCT, Function.COLLECT_SET, *PAIRED)
"""Aggregates that do not see duplicates."""
_KINDS = {
    "order": "remove ORDER BY from subqueries",
    "duplicates": "remove DISTINCT, and write UNION ALL for UNION, where duplicates are removed later",
    "constant": "drop the columns that are compared with constants in a subquery, before GROUP BY",
}


@dataclass(frozen=True)
class Form:
    """A relation that gives the same rows, and what to do to get it."""

    relation: Relation
    change: str


def forms(relation: Relation) -> tuple[Form, ...]:
    """The forms that each kind of change gives alone, then the one that all of them give."""
    by_change: dict[str, Form] = {}
    for kinds in (*((kind,) for kind in _KINDS), tuple(_KINDS)):
        change = _Change(kinds)
        new = change.of(relation, seen=True, once=False)
        advice = "; ".join(text for kind, text in _KINDS.items() if kind in change.done)
        if advice:
            by_change.setdefault(advice, Form(new, advice))
    return tuple(by_change.values())


class _Change:
    """Rebuilds a relation; ``done`` are the kinds of change that it has met."""

    def __init__(self, kinds: Iterable[str]) -> None:
        self.kinds = frozenset(kinds)
        self.done: set[str] = set()

    def of(self, relation: Relation, seen: bool, once: bool) -> Relation:
        """The relation changed, when its order is seen or not, and when each row matters once or as often as it is."""
        match relation:
            case OrderBy(most=None) if not seen and self._do("order"):
                return self.of(relation.input, False, once)
            case Distinct() if once and self._do("duplicates"):
                return self.of(relation.input, False, True)
            case Union() if once and self._do("duplicates"):
                left, right = (self.of(side, False, True) for side in relation.inputs)
                return UnionAll(left, right, relation.place)
            case Aggregate():
                blind = bool(relation.keys) and all(call.function in _BLIND for call in relation.aggregates)
                return self._narrow(replace(relation, input=self.of(relation.input, False, blind)))
            case Sessions():
                return self._inputs(relation, False, False)
            case Projection():  # it drops the columns that are only sorted by
                return self._inputs(relation, seen, once)
            case Distinct() | Union() | Intersect() | Except():
                return self._inputs(relation, False, True)
            case OuterJoin() if not relation.kind.pairs:  # one partner is as good as many
                return with_inputs(
                    relation, [self.of(relation.left, False, once), self.of(relation.right, False, True)]
                )
            case Lookup() | Hop() | Stamped() | Punctuated() | Ranked() | Over():
                return self._inputs(relation, False, once and isinstance(relation, Lookup | Hop))
            case OrderBy() if relation.most is not None:  # of its rows each counts
                return self._inputs(relation, False, False)
            case Filter() | Window() | OrderBy() | Join() | OuterJoin() | UnionAll() | Opened() | Cleansed() | Final():
                return self._inputs(relation, False, once)
            case Source() | LMerge():
                return relation
            case PlannedNode():
                raise AssertionError(relation)
            case _:
                assert_never(relation)

    def _inputs(self, relation: Relation, seen: bool, once: bool) -> Relation:
        return with_inputs(relation, [self.of(below, seen, once) for below in relation.inputs])

    def _do(self, kind: str) -> bool:
        if kind in self.kinds:
            self.done.add(kind)
        return kind in self.kinds

    def _narrow(self, relation: Aggregate) -> Relation:
        """A group-by of only those columns that it reads, where others are compared with constants."""
        names = [c for _, c in relation.keys]
        names += [c for call in relation.aggregates for c in call.reads]
        kept = sorted({column.index for column in names})
        few = {column for column, _ in Inference().facts(relation.input).ending}
        if not kept or few <= set(kept) or not self._do("constant"):
            return relation
        at = {old: new for new, old in enumerate(kept)}

        def moved(column: Column) -> Column:
            return replace(column, index=at[column.index])

        schema = relation.input.schema
        columns = tuple((schema.names[i], Column(i, schema.names[i], schema.attributes[i])) for i in kept)
        calls = tuple(call.rebased(moved) for call in relation.aggregates)
        keys = tuple((name, moved(column)) for name, column in relation.keys)
        return replace(relation, input=Projection(relation.input, columns), keys=keys, aggregates=calls)
