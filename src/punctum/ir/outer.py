"""Joins that look at rows without a partner: what the residual demands of one side's rows alone, and merged columns.

A row that does not fulfil what is demanded of it never has a partner. Behind such a join, a column may be the first of
several that is not NULL, as that of FULL JOIN … USING is.
"""

from collections.abc import Callable
from dataclasses import replace
from math import prod

from punctum.ir.evaluate import strict
from punctum.ir.expressions import Call, Column, Expression, columns, conjunction, conjuncts, rebased
from punctum.ir.functions import call
from punctum.ir.relations import OuterJoin, Projection
from punctum.ir.tree import walk

MOST_WAYS = 16
"""Of more ways to choose a column for each, none is looked at."""
_COMPARED = ("=", "<>", "<", "<=", ">", ">=")


def able(join: OuterJoin, side: int) -> Expression | None:
    """A condition over the rows of a side: conditions on that side alone, and no NULL where it would be compared."""
    conditions: list[Expression] = []
    for condition in () if join.residual is None else conjuncts(join.residual):
        if _of_side(join, side, condition):
            conditions.append(condition)
        elif isinstance(condition, Call) and condition.op in _COMPARED:
            conditions += [_filled(e) for e in condition.args if e.nullable and _of_side(join, side, e)]
    start, names = side * len(join.left.schema), join.inputs[side].schema.names

    def own(column: Column) -> Column:
        return replace(column, index=column.index - start, name=names[column.index - start])

    return conjunction([rebased(condition, own) for condition in dict.fromkeys(conditions)])


def demands(condition: Expression, of: Callable[[Column], bool]) -> bool:
    """Whether a condition is true for no row that has NULL in all of some columns, so that it excludes such rows."""
    match condition:
        case Call("and", parts):
            return any(demands(part, of) for part in parts)
        case Call("or", parts):
            return all(demands(part, of) for part in parts)
        case Call("not", (Call("is null", (inside,)),)) | Call("in", (inside, *_)):
            return _null(inside, of)
    return _null(condition, of)


def _null(expression: Expression, of: Callable[[Column], bool]) -> bool:
    if isinstance(expression, Column):
        return of(expression)
    return isinstance(expression, Call) and strict(expression) and any(_null(arg, of) for arg in expression.args)


def coalesced_columns(relation: Projection) -> dict[int, tuple[Column, ...]]:
    """The columns of a projection behind such a join that are the first of several which is not NULL, with these."""
    coalesced = {n: of for n, (_, e) in enumerate(relation.columns) if (of := _first_of(e)) is not None}
    behind = coalesced and any(isinstance(node, OuterJoin) and node.kind.pairs for node in walk(relation.input))
    return coalesced if behind and prod(map(len, coalesced.values())) <= MOST_WAYS else {}


def _first_of(expression: Expression) -> tuple[Column, ...] | None:
    if not isinstance(expression, Call) or expression.op != "coalesce":
        return None
    columns_ = tuple(arg for arg in expression.args if isinstance(arg, Column) and arg.type is expression.type)
    return columns_ if len(columns_) == len(expression.args) > 1 else None


def _of_side(join: OuterJoin, side: int, expression: Expression) -> bool:
    """Whether an expression reads columns of a side, and no others."""
    width = len(join.left.schema)
    return {int(column.index >= width) for column in columns(expression)} == {side}


def _filled(expression: Expression) -> Expression:
    return call("not", (call("is null", (expression,), expression.place),), expression.place)
