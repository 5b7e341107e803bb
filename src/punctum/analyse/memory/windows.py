"""Joins of windows: what is kept of each input, and how many values that are at most.

In: a relation. Out: for a join of windows, or groups of one, the rows of each input. Of a window these are the last
ones; of an input without one all, equal ones counted, which are finitely many when its own conditions leave its columns
finitely many values.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from punctum.analyse.memory.finite import rows as most_rows
from punctum.ir.expressions import Call, Column, Expression, columns, conjuncts
from punctum.ir.flatten import flat, has_join
from punctum.ir.relations import Aggregate, Distinct, Projection
from punctum.ir.tree import Relation, title
from punctum.ir.windows import window


@dataclass(frozen=True)
class Kept:
    """What is kept of an input: the columns that are read, and the most rows, if there is an end of them."""

    input: Relation
    columns: tuple[int, ...]
    rows: int | None
    last: bool
    computed: int = 0

    @property
    def name(self) -> str:
        """The streams that it reads."""
        return title(self.input)

    @property
    def values(self) -> int | None:
        """How many values: those of the columns, and for each row its number, or how often it came.

        What rows are joined by is kept too where it is computed.
        """
        return None if self.rows is None else self.rows * (len(self.columns) + 1 + self.computed)

    @property
    def text(self) -> str:
        """In a few words."""
        assert self.rows is not None
        if self.last:
            return last_rows(self.rows)
        return "1 row" if self.rows == 1 else f"{self.rows} rows"


def last_rows(rows: int) -> str:
    """A window in a few words.

    >>> last_rows(100)
    'the last 100 rows'
    """
    return "the last row" if rows == 1 else f"the last {rows} rows"


def kept(relation: Relation) -> tuple[Kept, ...]:
    """What is kept of each input of a join that has windows among them, or of groups of a window; else nothing."""
    top = _top(relation)
    if isinstance(top, Aggregate):
        used = [c for _, c in top.keys]
        used += [c for call in top.aggregates for c in call.reads]
        return (_kept(top.input, {c.index for c in used}),) if window(top.input) is not None else ()
    block = flat(relation)
    if len(block.leaves) < 2 or not any(map(window, block.leaves)):
        return ()
    computed, reads = sum(_computed(relation)), block.reads
    of = ({column for at, column in reads if at == leaf} for leaf in range(len(block.leaves)))
    return tuple(replace(_kept(*pair), computed=computed) for pair in zip(block.leaves, of, strict=True))


def _kept(leaf: Relation, used: set[int]) -> Kept:
    last, chosen = window(leaf), tuple(sorted(used)) or (0,)
    if last is not None:
        return Kept(leaf, chosen, last.rows, True)
    attributes = leaf.schema.attributes
    shown = Projection(leaf, tuple((attributes[i].name, Column(i, attributes[i].name, attributes[i])) for i in chosen))
    return Kept(leaf, chosen, most_rows(Distinct(shown)), False)


def _top(relation: Relation) -> Relation:
    while isinstance(relation, Projection):
        relation = relation.input
    return relation


def _computed(relation: Relation) -> Iterator[int]:
    """How many sides of equalities are computed, in each condition of a join."""
    if not has_join(relation):
        return
    condition = getattr(relation, "residual", getattr(relation, "predicate", None))
    for conjunct in conjuncts(condition) if condition is not None else ():
        match conjunct:
            case Call("=", sides):
                yield sum(not isinstance(side, Column) and bool(_reads(side)) for side in sides)
    for below in relation.inputs:
        yield from _computed(below)


def _reads(*expressions: Expression | None) -> set[int]:
    return {column.index for expression in expressions if expression is not None for column in columns(expression)}
