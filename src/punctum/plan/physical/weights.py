"""Weights: a row says for how many it stands, so that rows which are counted may become one where they are read.

What is folded before an exchange (``fold.py``) are columns of which one thing is asked. Aggregates that ask for more
get columns of their own, computed where the stream is read: COUNT adds up ones, or zeros where its argument is NULL or
its filter lets no row through; AVG has such a column beside its values; SUM, MIN and MAX have their argument again, and
NULL where a filter lets no row through. The result is the same, and so is what is kept of a group. The columns that
were there stay, so that punctuations on them are held against rows as before.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from punctum.algebra.aggregates import Function
from punctum.algebra.schema import Schema
from punctum.algebra.values import Type
from punctum.ir.definitions import KAFKA
from punctum.ir.expressions import Call, Column, Expression, Literal, columns, kind, like, rebased, text
from punctum.ir.hop import Hop
from punctum.ir.names import fresh
from punctum.ir.relations import Aggregate, AggregateCall, Filter, Join, Projection
from punctum.ir.stamped import Stamped
from punctum.ir.tree import Relation, sources, transform
from punctum.ir.windows import window
from punctum.plan.physical.pipes import as_pipe

_CHOSEN = (Function.MIN, Function.MAX)
_NUMBERS = (Type.BIGINT, Type.DOUBLE)
_ONE, _NONE = Literal(1, Type.BIGINT), Literal(0, Type.BIGINT)


class _Wanted(NamedTuple):
    """A column that an aggregate is to have of its own, and how it is folded."""

    expression: Expression
    how: Function


@dataclass(frozen=True)
class _Carried:
    """A relation with further columns: where its own are now, and where these are."""

    relation: Relation
    moved: list[int]
    added: list[int]

    @property
    def schema(self) -> Schema:
        return self.relation.schema

    def column(self, column: Column) -> Column:
        return replace(column, index=self.moved[column.index])

    def at(self, index: int) -> Column:
        attribute = self.schema.attributes[index]
        return Column(index, attribute.name, attribute)


def weighted(relation: Relation) -> Relation:
    """The same result, with what counts rows as sums of columns, where that may leave less to exchange."""
    return transform(relation, lambda node: _weighted(node) if isinstance(node, Aggregate) else node)


def _weighted(groups: Aggregate) -> Aggregate:
    calls = groups.aggregates
    if not groups.keys or window(groups.input) is not None or not all(map(_foldable, calls)):
        return groups
    wishes = _Wishes({column.index for _, column in groups.keys})
    own = [(wishes.argument(call), wishes.weight(call)) for call in calls]
    carried = _carrying(groups.input, wishes.wanted, wishes.summed) if wishes.wanted else None
    if carried is None:
        return groups
    at = {want: carried.at(n) for want, n in zip(wishes.wanted, carried.added, strict=True)}
    shown = [tuple(at[e] if isinstance(e, _Wanted) else e and carried.column(e) for e in pair) for pair in own]
    made = tuple(
        replace(call, argument=argument, by=weight, filter=None)
        for call, (argument, weight) in zip(calls, shown, strict=True)
    )
    keys = tuple((name, carried.column(key)) for name, key in groups.keys)
    return replace(groups, input=carried.relation, keys=keys, aggregates=made)


def _foldable(call: AggregateCall) -> bool:
    """Whether rows may become one for an aggregate, when it has columns of its own."""
    if call.function in (Function.SUM, Function.AVG):
        return call.argument is not None and call.argument.type in _NUMBERS
    return call.function is Function.COUNT or call.function in _CHOSEN


class _Wishes:
    """The columns that the aggregates of a group-by are to have of their own, beside what they share."""

    def __init__(self, keys: set[int]) -> None:
        self.wanted = list[_Wanted]()
        self._keys, self._taken = keys, dict[int, Function]()

    @property
    def summed(self) -> frozenset[int]:
        """The columns that are added up as they are."""
        return frozenset(at for at, how in self._taken.items() if how is Function.SUM)

    def argument(self, call: AggregateCall) -> Column | _Wanted | None:
        """What an aggregate is to be of: its argument, when nothing else is asked of that column."""
        of = call.argument
        if of is None or call.function is Function.COUNT:
            return None
        how = call.function if call.function in _CHOSEN else Function.SUM
        if call.filter is not None:
            return self._want(_if(call.filter, of, Literal(None, of.type, of.attribute.digits)), how)
        if of.index not in self._keys and self._taken.setdefault(of.index, how) is how:
            return of
        return self._want(_if(Literal(True, Type.BOOLEAN), of, of), how)  # no punctuation speaks of a second copy

    def weight(self, call: AggregateCall) -> _Wanted | None:
        """What says for how many rows each of its values stands."""
        if call.function not in (Function.COUNT, Function.AVG):
            return None
        known: Expression = _ONE
        if call.argument is not None and call.argument.nullable:
            known = _if(Call("is null", (call.argument,), kind(Type.BOOLEAN, False)), _NONE, _ONE)
        return self._want(known if call.filter is None else _if(call.filter, known, _NONE), Function.SUM)

    def _want(self, expression: Expression, how: Function) -> _Wanted:
        want = _Wanted(expression, how)
        if want not in self.wanted:
            self.wanted.append(want)
        return want


def _if(condition: Expression, value: Expression, other: Expression) -> Expression:
    return Call("if", (condition, value, other), like(value.attribute, value.nullable or other.nullable))


def _carrying(relation: Relation, wanted: list[_Wanted], summed: frozenset[int]) -> _Carried | None:
    """A relation with further columns that are computed where its streams are read; nothing where they cannot be.

    Some of its own columns are added up.
    """
    pipe = as_pipe(relation)
    if pipe is not None:
        again = pipe.stream.format == KAFKA or (pipe.stream.format is not None and "path" in pipe.stream.options)
        return _with(relation, [e for e, _ in wanted]) if again else None
    match relation:
        case Filter(predicate=predicate):
            below = _carrying(relation.input, wanted, summed)
            return below and replace(
                below, relation=Filter(below.relation, rebased(predicate, below.column), relation.place)
            )
        case Projection(columns=shown):
            through = [_Wanted(rebased(e, lambda c: shown[c.index][1]), how) for e, how in wanted]
            added = frozenset(column.index for at in summed for column in columns(shown[at][1]))
            below = _carrying(relation.input, through, added)
            return below and _projected(relation, below)
        case Hop() | Stamped():
            width = relation.width
            if any(column.index >= width for e, _ in wanted for column in columns(e)):
                return None
            below = _carrying(relation.input, wanted, summed)
            return below and (_hopping(relation, below) if isinstance(relation, Hop) else _stamped(relation, below))
        case Join():
            return _joined(relation, wanted, summed)
        case _:
            return None


def _with(relation: Relation, more: list[Expression]) -> _Carried:
    """A relation with further columns that a projection computes."""
    width = len(relation.schema)
    taken = [name.lower() for name in relation.schema.names]
    own = tuple((a.name, Column(i, a.name, a)) for i, a in enumerate(relation.schema.attributes))
    named = tuple((fresh(text(e), taken), e) for e in more)
    return _Carried(Projection(relation, own + named), list(range(width)), list(range(width, width + len(more))))


def _projected(relation: Projection, below: _Carried) -> _Carried:
    """A projection that shows what is carried below it, behind its own columns."""
    width, taken = len(relation.columns), [name.lower() for name, _ in relation.columns]
    own = tuple((name, rebased(e, below.column)) for name, e in relation.columns)
    more = tuple((fresh(column.name, taken), column) for column in map(below.at, below.added))
    made = replace(relation, input=below.relation, columns=own + more)
    return _Carried(made, list(range(width)), list(range(width, width + len(more))))


def _hopping(relation: Hop, below: _Carried) -> _Carried:
    """Hopping windows of rows with more columns, behind which the two that say which windows a row is in come last."""
    width, more = relation.width, len(below.added)
    order = [*below.moved[:width], *below.added, *below.moved[width:]]
    placed = Projection(below.relation, tuple((below.at(i).name, below.at(i)) for i in order))
    moved = [*range(width), width + more]
    return _Carried(replace(relation, input=placed), moved, list(range(width, width + more)))


def _stamped(relation: Stamped, below: _Carried) -> _Carried:
    """The time of the batch behind more columns."""
    return _Carried(replace(relation, input=below.relation), [*below.moved, len(below.schema)], below.added)


def _joined(join: Join, wanted: list[_Wanted], summed: frozenset[int]) -> _Carried | None:
    """A join of which one side at most has something that is added up."""
    width = len(join.left.schema)
    reads = [{int(column.index >= width) for column in columns(e)} for e, _ in wanted]
    adds = {int(at >= width) for at in summed}
    adds |= {side for (_, how), sides in zip(wanted, reads, strict=True) if how is Function.SUM for side in sides}
    if len(adds) > 1 or any(len(sides) > 1 for sides in reads):
        return None
    several = next(iter(adds), int(not all(source.stream.unique for source in sources(join.right))))
    chosen = [next(iter(sides), several) for sides in reads]
    pairs = list(zip(wanted, chosen, strict=True))
    left = _side(join.left, [want for want, side in pairs if side == 0], summed, 0)
    right = _side(join.right, [want for want, side in pairs if side == 1], summed, width)
    return left and right and _rejoined(join, left, right, chosen)


def _side(relation: Relation, wanted: list[_Wanted], summed: frozenset[int], first: int) -> _Carried | None:
    """A side of a join with further columns; the join's columns that are its own begin with the first."""
    width, names = len(relation.schema), relation.schema.names
    here = partial(_renumbered, first, names)
    own = [_Wanted(rebased(e, here), how) for e, how in wanted]
    added = frozenset(at - first for at in summed if first <= at < first + width)
    return _carrying(relation, own, added) if own else _Carried(relation, list(range(width)), [])


def _renumbered(first: int, names: Sequence[str], column: Column) -> Column:
    return replace(column, index=column.index - first, name=names[column.index - first])


def _rejoined(join: Join, left: _Carried, right: _Carried, chosen: list[int]) -> _Carried:
    """A join of sides that carry more; for each further column, the side that it is on."""
    start = len(left.schema)
    moved = [*left.moved, *(start + i for i in right.moved)]
    mine, theirs = iter(left.added), iter([start + i for i in right.added])
    added = [next(theirs if side else mine) for side in chosen]
    taken = [name.lower() for name in join.names]
    names = dict(zip(moved, join.names, strict=True)) | {at: fresh(f"#{n}", taken) for n, at in enumerate(added)}
    places = dict(enumerate(left.moved)), dict(enumerate(right.moved))
    residual = join.residual and rebased(join.residual, lambda column: replace(column, index=moved[column.index]))
    made = replace(
        join,
        left=left.relation,
        right=right.relation,
        on=tuple((left.column(a), right.column(b)) for a, b in join.on),
        residual=residual,
        names=tuple(names[i] for i in sorted(names)),
        bands=tuple(band.moved(places) for band in join.bands),
    )
    return _Carried(made, moved, added)
