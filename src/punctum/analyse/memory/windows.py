"""Joins of windows: what is kept of each input, and how many values that are at most.

In: a relation. Out: for a join of windows, or groups of one, the rows of each input. Of a window these are the last
ones; of an input without one all, equal ones counted, which are finitely many when its own conditions leave its columns
finitely many values.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from punctum.analyse.memory.finite import rows as most_rows
from punctum.ir.expressions import Call, Column, Expression, columns, conjuncts
from punctum.ir.relations import Aggregate, Distinct, Filter, Join, Projection
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
    def told(self) -> str:
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
        used += [c for call in top.aggregates for c in (call.argument, call.filter) if c is not None]
        return (_kept(top.input, {c.index for c in used}),) if window(top.input) is not None else ()
    found = list(_leaves(relation, set(range(len(relation.schema)))))
    if len(found) < 2 or not any(window(leaf) for leaf, _ in found):
        return ()
    computed = sum(_computed(relation))
    return tuple(replace(_kept(*each), computed=computed) for each in found)


def _kept(leaf: Relation, used: set[int]) -> Kept:
    found, chosen = window(leaf), tuple(sorted(used)) or (0,)
    if found is not None:
        return Kept(leaf, chosen, found.rows, True)
    attributes = leaf.schema.attributes
    shown = Projection(leaf, tuple((attributes[i].name, Column(i, attributes[i].name, attributes[i])) for i in chosen))
    return Kept(leaf, chosen, most_rows(Distinct(shown)), False)


def _top(relation: Relation) -> Relation:
    while isinstance(relation, Projection):
        relation = relation.input
    return relation


def _leaves(relation: Relation, needed: set[int]) -> Iterator[tuple[Relation, set[int]]]:
    """The inputs of a join from left to right, and which columns of each are read."""
    match relation:
        case Join():
            width = len(relation.left.schema)
            read = needed | _reads(relation.residual)
            mine, theirs = ({pair[side].index for pair in relation.on} for side in (0, 1))
            yield from _leaves(relation.left, {i for i in read if i < width} | mine)
            yield from _leaves(relation.right, {i - width for i in read if i >= width} | theirs)
        case Filter() if _joins(relation.input):
            yield from _leaves(relation.input, needed | _reads(relation.predicate))
        case Projection() if _joins(relation.input):
            yield from _leaves(relation.input, _reads(*(relation.columns[i][1] for i in needed)))
        case _:
            yield relation, needed


def _computed(relation: Relation) -> Iterator[int]:
    """How many sides of equalities are computed, in each condition of a join."""
    if not _joins(relation):
        return
    condition = getattr(relation, "residual", getattr(relation, "predicate", None))
    for each in conjuncts(condition) if condition is not None else ():
        match each:
            case Call("=", sides):
                yield sum(not isinstance(side, Column) and bool(_reads(side)) for side in sides)
    for below in relation.inputs:
        yield from _computed(below)


def _joins(relation: Relation) -> bool:
    while isinstance(relation, Filter | Projection):
        relation = relation.input
    return isinstance(relation, Join)


def _reads(*expressions: Expression | None) -> set[int]:
    return {column.index for each in expressions if each is not None for column in columns(each)}
