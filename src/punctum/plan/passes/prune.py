"""Columns that nobody reads do not leave their stream: what does not cross the JVM costs nothing.

From the result down, each relation is asked for the columns that are needed of it (``ir/needed.py``). A stream of which
some are not needed gets a projection, which its pipe runs before the exchange.
"""

from dataclasses import replace
from typing import assert_never

from punctum.ir.expressions import Column, Expression, rebased
from punctum.ir.hop import BOUNDS, Hop
from punctum.ir.lookup import Lookup
from punctum.ir.needed import all_columns, needed
from punctum.ir.over import Over
from punctum.ir.planned import ExpectNode, LifespanNode, MultiJoin, Synopsis
from punctum.ir.punctuated import Punctuated
from punctum.ir.ranking import Ranked
from punctum.ir.relations import (
    Aggregate,
    AggregateCall,
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
from punctum.ir.windows import window

Moved = dict[int, int]
"""Where the needed columns are now."""


def pruned(relation: Relation) -> Relation:
    """The same result, with no column on the way that is not needed for it."""
    return _prune(relation, all_columns(relation))[0]


def _prune(relation: Relation, wanted: set[int]) -> tuple[Relation, Moved]:
    of_inputs = needed(relation, wanted)
    match relation:
        case Source():
            return _chosen(relation, wanted)
        case Punctuated():
            below, moved = _prune(relation.input, *of_inputs)
            terms = tuple((moved[i], order) for i, order in relation.terms)
            member = None if relation.member is None else moved[relation.member]
            unit, when = (e and _moved(e, moved) for e in (relation.unit, relation.when))
            return replace(relation, input=below, terms=terms, member=member, unit=unit, when=when), moved
        case ExpectNode() | LifespanNode():
            below, moved = _prune(relation.input, *of_inputs)
            by, time = tuple(moved[i] for i in relation.by), None if relation.time is None else moved[relation.time]
            return replace(relation, input=below, by=by, time=time), moved
        case Filter():
            below, moved = _prune(relation.input, *of_inputs)
            return replace(relation, input=below, predicate=_moved(relation.predicate, moved)), moved
        case Window():
            below, moved = _prune(relation.input, *of_inputs)
            return replace(relation, input=below), moved
        case Projection():
            kept = sorted(wanted) or [0]
            below, moved = _prune(relation.input, *of_inputs)
            chosen = tuple((name, _moved(e, moved)) for name, e in (relation.columns[i] for i in kept))
            return replace(relation, input=below, columns=chosen), {old: new for new, old in enumerate(kept)}
        case Join() | OuterJoin():
            return _join(relation, of_inputs)
        case Hop():
            narrow, moved = _narrow(relation.input, *of_inputs)
            start = {relation.width: len(narrow.schema) - BOUNDS}
            return replace(relation, input=narrow), {i: n for i, n in moved.items() if i < relation.width} | start
        case Stamped():
            below, moved = _prune(relation.input, *of_inputs)
            return replace(relation, input=below), moved | {relation.width: len(below.schema)}
        case Lookup():
            return _lookup(relation, *of_inputs)
        case MultiJoin():
            return _multijoin(relation, wanted, of_inputs)
        case Synopsis():
            return relation, _all(relation)
        case UnionAll():
            (left, moved), (right, there) = map(_prune, relation.inputs, of_inputs)
            return (replace(relation, left=left, right=right), moved) if moved == there else (relation, _all(relation))
        case Aggregate():
            below, moved = (_narrow if window(relation.input) else _prune)(relation.input, *of_inputs)
            keys = tuple((name, _column(column, moved)) for name, column in relation.keys)
            return replace(relation, input=below, keys=keys, aggregates=_calls(relation, moved)), _all(relation)
        case Sessions():
            below, moved = _prune(relation.input, *of_inputs)
            keys = tuple((name, _column(column, moved)) for name, column in relation.keys)
            first, last, calls = _column(relation.time, moved), _column(relation.end, moved), _calls(relation, moved)
            return replace(relation, input=below, keys=keys, time=first, end=last, aggregates=calls), _all(relation)
        case OrderBy():
            below, moved = _prune(relation.input, *of_inputs)
            keys_ = tuple((_column(column, moved), down, first) for column, down, first in relation.keys)
            return replace(relation, input=below, keys=keys_), moved
        case Ranked() | Over():
            below, moved = _prune(relation.input, *of_inputs)
            partition = tuple(_column(column, moved) for column in relation.partition)
            ranked = tuple((_column(column, moved), down, first) for column, down, first in relation.keys)
            made = replace(relation, input=below, partition=partition, keys=ranked)
            if isinstance(made, Over):
                made = replace(made, argument=made.argument and _column(made.argument, moved))
            return made, moved | {len(relation.input.schema): len(below.schema)}
        case Distinct() | Union() | Intersect() | Except() | LMerge() | Opened() | Cleansed() | Final():
            return with_inputs(relation, [pruned(below) for below in relation.inputs]), _all(relation)
        case _:
            assert_never(relation)


def _calls(relation: Aggregate | Sessions, moved: Moved) -> tuple[AggregateCall, ...]:
    return tuple(call.rebased(lambda column: _column(column, moved)) for call in relation.aggregates)


def _join(relation: Join | OuterJoin, of_inputs: tuple[set[int], ...]) -> tuple[Relation, Moved]:
    width = len(relation.left.schema)
    (left, mine), (right, theirs) = map(_prune, relation.inputs, of_inputs)
    moved = mine | {width + old: len(left.schema) + new for old, new in theirs.items()}
    on = tuple((_column(a, mine), _column(b, theirs)) for a, b in relation.on)
    residual = None if relation.residual is None else _moved(relation.residual, moved)
    names = tuple(relation.names[old] for old, _ in sorted(moved.items(), key=lambda pair: pair[1]))
    bands = tuple(band.moved((mine, theirs)) for band in relation.bands)
    made = replace(relation, left=left, right=right, on=on, residual=residual, names=names, bands=bands)
    return made, mine if isinstance(relation, OuterJoin) and not relation.kind.pairs else moved


def _lookup(relation: Lookup, wanted: set[int]) -> tuple[Relation, Moved]:
    """A lookup keeps all columns of its table, which crosses no exchange."""
    width = len(relation.input.schema)
    below, mine = _prune(relation.input, wanted)
    moved = mine | {width + i: len(below.schema) + i for i in range(len(relation.table.schema))}
    on = tuple((_column(a, mine), b) for a, b in relation.on)
    residual = None if relation.residual is None else _moved(relation.residual, moved)
    names = tuple(relation.names[old] for old, _ in sorted(moved.items(), key=lambda pair: pair[1]))
    made = replace(relation, input=below, on=on, residual=residual, names=names)
    return made, moved if relation.pairs else mine


def _multijoin(relation: MultiJoin, wanted: set[int], of_inputs: tuple[set[int], ...]) -> tuple[Relation, Moved]:
    joined, places, moved = list[Relation](), list[Moved](), Moved()
    prune = _narrow if any(relation.windows) else _prune
    for offset, old_input, columns in zip(relation.offsets, relation.joined, of_inputs, strict=True):
        below, there = prune(old_input, columns)
        start = sum(len(before.schema) for before in joined)
        moved |= {offset + old: start + new for old, new in there.items()}
        joined.append(below)
        places.append(there)
    classes = tuple(
        replace(equated, members=tuple((i, places[i][at]) for i, at in equated.members)) for equated in relation.classes
    )
    residual = None if relation.residual is None else _moved(relation.residual, moved)
    names = tuple(relation.names[old] for old, _ in sorted(moved.items(), key=lambda pair: pair[1]))
    shown = frozenset(moved[c] for c in wanted)
    bands = tuple(band.moved(places) for band in relation.bands)
    return replace(
        relation, joined=tuple(joined), classes=classes, residual=residual, names=names, shown=shown, bands=bands
    ), moved


def _narrow(relation: Relation, wanted: set[int]) -> tuple[Relation, Moved]:
    """A relation with nothing but what is wanted, one column at least: all of it is kept."""
    below, moved = _prune(relation, wanted)
    kept = sorted(wanted) or [0]
    if len(kept) == len(below.schema):
        return below, moved
    attributes = [below.schema.attributes[moved[i]] for i in kept]
    chosen = tuple((a.name, Column(moved[i], a.name, a)) for i, a in zip(kept, attributes, strict=True))
    return Projection(below, chosen), {old: new for new, old in enumerate(kept)}


def _chosen(source: Source, wanted: set[int]) -> tuple[Relation, Moved]:
    """A stream with a projection to what is wanted of it, one column at least."""
    kept = sorted(wanted) or [0]
    if len(kept) == len(source.schema):
        return source, _all(source)
    attributes = source.schema.attributes
    chosen = tuple((attributes[i].name, Column(i, attributes[i].name, attributes[i])) for i in kept)
    return Projection(source, chosen), {old: new for new, old in enumerate(kept)}


def _all(relation: Relation) -> Moved:
    return {i: i for i in range(len(relation.schema))}


def _column(column: Column, moved: Moved) -> Column:
    return replace(column, index=moved[column.index])


def _moved(expression: Expression, moved: Moved) -> Expression:
    return rebased(expression, lambda column: _column(column, moved))
