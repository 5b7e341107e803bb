"""Names of columns on the way to a result: where they come from, not what a script happens to call them.

State is kept by the names of columns. With names that follow from the streams and the expressions alone, a query in
which only an alias is another goes on with the state that it has. The columns of the result keep their names, and so
do those of set operators, whose inputs have them in common.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import assert_never

from punctum.algebra.schema import Schema
from punctum.ir.expressions import Column, Expression, rebased, text
from punctum.ir.hop import Hop
from punctum.ir.lookup import Lookup
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
from punctum.ir.tree import Relation, transform, with_inputs

Names = Sequence[str]


def canonicalise_names(relation: Relation) -> Relation:
    """The same result, with columns on the way named by what they are."""
    plain = transform(relation, lambda node: node if node.alias is None else replace(node, alias=None))
    return _named(plain, relation.schema.names)


def _named(relation: Relation, names: Names | None) -> Relation:
    """The relation with these names of its columns, or with any that follow from what it reads."""
    match relation:
        case Source():
            return relation
        case Projection():
            below = _named(relation.input, None)
            expressions = [_moved(expression, below) for _, expression in relation.columns]
            chosen = names or _unique(text(expression) for expression in expressions)
            return replace(relation, input=below, columns=tuple(zip(chosen, expressions, strict=True)))
        case Join():
            left, right = _named(relation.left, None), _named(relation.right, None)
            chosen = tuple(names or _unique((*left.schema.names, *right.schema.names)))
            on = tuple((_column(a, left), _column(b, right)) for a, b in relation.on)
            bare = replace(relation, left=left, right=right, on=on, residual=None, names=chosen)
            return bare if relation.residual is None else replace(bare, residual=_moved(relation.residual, bare))
        case OuterJoin():
            return _outer(relation, names)
        case Hop(input=rows, width=width):
            below = _named(rows, None if names is None else _unique([*names[:-1], *rows.schema.names[width:]]))
            start = _unique([*below.schema.names[:width], relation.name])[-1] if names is None else names[-1]
            return replace(relation, input=below, name=start)
        case Stamped():
            below = _named(relation.input, names and names[:-1])
            taken = _unique([*below.schema.names, relation.name])
            return replace(relation, input=below, name=names[-1] if names else taken[-1])
        case Lookup():
            return _lookup(relation, names)
        case MultiJoin():
            joined = tuple(_named(below, None) for below in relation.joined)
            chosen = tuple(names or _unique(name for below in joined for name in below.schema.names))
            many = replace(relation, joined=joined, residual=None, names=chosen)
            return many if relation.residual is None else replace(many, residual=_moved(relation.residual, many))
        case Synopsis():
            columns = zip(names or relation.schema.names, relation.schema.attributes, strict=True)
            return replace(relation, result=Schema(tuple(replace(a, name=name) for name, a in columns)))
        case Aggregate():
            return _aggregate(relation, names)
        case Sessions():
            return _sessions(relation, names)
        case UnionAll() | Union() | Intersect() | Except():
            same = names or relation.schema.names
            return replace(relation, left=_named(relation.left, same), right=_named(relation.right, same))
        case Filter():
            below = _named(relation.input, names)
            return replace(relation, input=below, predicate=_moved(relation.predicate, below))
        case OrderBy():
            below = _named(relation.input, names)
            keys = tuple((_column(column, below), down, first) for column, down, first in relation.keys)
            return replace(relation, input=below, keys=keys)
        case Ranked() | Over():
            below = _named(relation.input, names and names[:-1])
            by = tuple(_column(column, below) for column in relation.partition)
            ranked = tuple((_column(column, below), down, first) for column, down, first in relation.keys)
            taken = _unique([*below.schema.names, relation.function.value])
            name = names[-1] if names else taken[-1]
            if isinstance(relation, Ranked):
                return replace(relation, input=below, partition=by, keys=ranked, name=name)
            of = relation.argument and _column(relation.argument, below)
            return replace(relation, input=below, partition=by, keys=ranked, argument=of, name=name)
        case LMerge() | Final() | Opened() | Cleansed():
            return with_inputs(relation, [_named(below, below.schema.names) for below in relation.inputs])
        case Punctuated():
            below = _named(relation.input, names)
            unit, when = (e and _moved(e, below) for e in (relation.unit, relation.when))
            return replace(relation, input=below, unit=unit, when=when)
        case Distinct() | Window() | ExpectNode() | LifespanNode():
            return replace(relation, input=_named(relation.input, names))
        case _:
            assert_never(relation)


def _outer(relation: OuterJoin, names: Names | None) -> Relation:
    """A join whose result has the columns of a pair, or the left ones."""
    left, right = _named(relation.left, None if relation.kind.pairs else names), _named(relation.right, None)
    own = _unique((*left.schema.names, *right.schema.names))
    chosen = tuple(names or own) if relation.kind.pairs else tuple(own)
    on = tuple((_column(a, left), _column(b, right)) for a, b in relation.on)
    residual = relation.residual and rebased(relation.residual, lambda c: replace(c, name=chosen[c.index]))
    return replace(relation, left=left, right=right, on=on, residual=residual, names=chosen)


def _lookup(relation: Lookup, names: Names | None) -> Relation:
    """A lookup, whose table keeps its names."""
    below = _named(relation.input, None if relation.pairs else names)
    own = _unique((*below.schema.names, *relation.table.schema.names))
    chosen = tuple(names or own) if relation.pairs else tuple(own)
    on = tuple((_column(a, below), b) for a, b in relation.on)
    residual = relation.residual and rebased(relation.residual, lambda c: replace(c, name=chosen[c.index]))
    return replace(relation, input=below, on=on, residual=residual, names=chosen)


def _aggregate(relation: Aggregate, names: Names | None) -> Relation:
    below = _named(relation.input, None)
    keys, calls = _grouped(relation, below)
    chosen = names or _unique([*map(text, keys), *map(str, calls)])
    return replace(
        relation,
        input=below,
        keys=tuple(zip(chosen, keys, strict=False)),
        aggregates=tuple(replace(c, name=name) for name, c in zip(chosen[len(keys) :], calls, strict=True)),
    )


def _sessions(relation: Sessions, names: Names | None) -> Relation:
    below = _named(relation.input, None)
    keys, calls = _grouped(relation, below)
    chosen = names or _unique([*map(text, keys), *relation.names, *map(str, calls)])
    start, end, *rest = chosen[len(keys) :]
    return replace(
        relation,
        input=below,
        keys=tuple(zip(chosen, keys, strict=False)),
        time=_column(relation.time, below),
        end=_column(relation.end, below),
        names=(start, end),
        aggregates=tuple(replace(c, name=name) for name, c in zip(rest, calls, strict=True)),
    )


def _grouped(relation: Aggregate | Sessions, below: Relation) -> tuple[list[Column], list[AggregateCall]]:
    """The keys and aggregates of groups over what is below them now."""
    calls = [old.rebased(lambda column: _column(column, below)) for old in relation.aggregates]
    return [_column(key, below) for _, key in relation.keys], calls


def _moved(expression: Expression, below: Relation) -> Expression:
    """The expression with the names that its columns have now."""
    return rebased(expression, lambda column: _column(column, below))


def _column(column: Column, below: Relation) -> Column:
    return replace(column, name=below.schema.names[column.index])


def _unique(names: Iterable[str]) -> list[str]:
    """The names, those that were there before with a number.

    >>> _unique(["itemid", "increase", "itemid"])
    ['itemid', 'increase', 'itemid #2']
    """
    taken: list[str] = []
    for name in names:
        number, chosen = 1, name
        while chosen in taken:
            number += 1
            chosen = f"{name} #{number}"
        taken.append(chosen)
    return taken
