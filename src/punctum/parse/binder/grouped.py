"""Groups in a subquery that names columns of the query around it: in come its rows, out come its groups.

``WHERE b.k = a.k GROUP BY b.x`` is of one row of a. The groups by ``b.k, b.x`` are those for all rows at once, and
``b.k = a.k`` is a condition on pairs of a row and a group. So the side of an equality that is inside becomes one more
key. Where nothing is aggregated, that goes for every condition: groups are then different rows. A comparison
cannot move above an aggregate: the rows that it leaves depend on the row outside.

Without GROUP BY there is a group even of no rows. Its aggregates are NULL, which is in no list; but it exists, and its
COUNT is 0.
"""

from typing import NamedTuple

from sqlglot import exp

from punctum.algebra.aggregates import Function
from punctum.errors import Place, SqlError
from punctum.ir.expressions import Call, Column, Expression, columns, rebased, text
from punctum.ir.tree import Relation
from punctum.parse.binder.bind import aggregates
from punctum.parse.binder.groups import Groups, over_groups, read_groups, renumbered
from punctum.parse.binder.scope import Scope, levels
from punctum.parse.lexer.text import Text


class Inside(NamedTuple):
    """The relation of a subquery, conditions on pairs of rows outside and inside, and the columns that it shows."""

    relation: Relation
    conditions: list[Expression]
    shown: list[Expression]


def grouped(source: Text, node: exp.Select, inside: Inside, scope: Scope, listed: bool, place: Place) -> Inside:
    """The groups of a subquery over what it reads; they are listed where a value may be IN them."""
    groups = read_groups(source, node, scope, place)
    written = len(groups.keys)
    plain = _aggregates_nothing(node, groups)
    for condition in inside.conditions:
        for key in _keys(condition, plain):
            if key not in groups.keys:
                groups.keys.append(key)
    shown = [groups.bind(item.this if isinstance(item, exp.Alias) else item) for item in node.expressions]
    aggregate, made = over_groups(node, inside.relation, groups, {}, place)
    if inside.conditions and not written:
        _check_empty(groups, shown, listed, place)
    keys = {key: Column(i, aggregate.schema.names[i], key.attribute) for i, key in enumerate(groups.keys)}
    conditions = [_over(condition, keys) for condition in inside.conditions]
    return Inside(made, conditions, [renumbered(expression, aggregate) for expression in shown])


def _aggregates_nothing(node: exp.Select, groups: Groups) -> bool:
    """Whether groups are different rows and no more."""
    parts = [*node.expressions, *([node.args["having"].this] if node.args.get("having") is not None else [])]
    return bool(groups.keys) and not any(any(aggregates(part)) for part in parts)


def _keys(condition: Expression, plain: bool) -> list[Expression]:
    """What a condition needs of a group: the side of an equality that is inside, or every column that is."""
    own: list[Expression] = [column for column in columns(condition) if not levels(column)]
    if plain or not own:
        return own
    if (side := _inside(condition)) is not None:
        return [side]
    hint = "below an aggregate, an equality may name a column of the query around it: b.k = a.k"
    detail = f"which rows {text(condition, True)} leaves depends on the row outside"
    raise SqlError("this condition cannot stand below GROUP BY", detail, hint, condition.place)


def _inside(condition: Expression) -> Expression | None:
    """The side of an equality that is inside, where the other one is outside."""
    match condition:
        case Call("=", (a, b)):
            sides = [{bool(levels(column)) for column in columns(side)} for side in (a, b)]
            if sides == [{False}, {True}]:
                return a
            if sides == [{True}, {False}]:
                return b
    return None


def _over(condition: Expression, keys: dict[Expression, Column]) -> Expression:
    """A condition over the keys of groups."""
    if (side := _inside(condition)) is not None and side in keys:
        assert isinstance(condition, Call)
        a, b = (keys[side] if arg is side else arg for arg in condition.args)
        return Call(condition.op, (a, b), condition.attribute, condition.place)
    return rebased(condition, lambda column: column if levels(column) else keys[column])


def _check_empty(groups: Groups, shown: list[Expression], listed: bool, place: Place) -> None:
    """That it makes no difference whether a group of no rows is there."""
    counts = (Function.COUNT, Function.COUNT_DISTINCT)
    null = [isinstance(e, Column) and e.index >= len(groups.keys) and _of(groups, e) not in counts for e in shown]
    if not listed or not all(null):
        detail = "without it there is a group even where no row fits, and that is not looked for"
        raise SqlError("a subquery with an aggregate needs GROUP BY here", detail, "add GROUP BY", place)


def _of(groups: Groups, column: Column) -> Function:
    return groups.wanted[column.index - len(groups.keys)][0]
