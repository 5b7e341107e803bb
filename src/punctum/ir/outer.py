"""What the residual of a join demands of one side's rows alone: a row that does not fulfil it never has a partner."""

from dataclasses import replace

from punctum.ir.expressions import Call, Column, Expression, columns, conjunction, conjuncts, rebased
from punctum.ir.functions import call
from punctum.ir.relations import OuterJoin

_COMPARED = ("=", "<>", "<", "<=", ">", ">=")


def able(join: OuterJoin, side: int) -> Expression | None:
    """A condition over the rows of a side: conditions on that side alone, and no NULL where it would be compared."""
    found: list[Expression] = []
    for condition in () if join.residual is None else conjuncts(join.residual):
        if _of_side(join, side, condition):
            found.append(condition)
        elif isinstance(condition, Call) and condition.op in _COMPARED:
            found += [_filled(e) for e in condition.args if e.nullable and _of_side(join, side, e)]
    start, names = side * len(join.left.schema), join.inputs[side].schema.names

    def own(column: Column) -> Column:
        return replace(column, index=column.index - start, name=names[column.index - start])

    return conjunction([rebased(condition, own) for condition in dict.fromkeys(found)])


def _of_side(join: OuterJoin, side: int, expression: Expression) -> bool:
    """Whether an expression reads columns of a side, and no others."""
    width = len(join.left.schema)
    return {int(column.index >= width) for column in columns(expression)} == {side}


def _filled(expression: Expression) -> Expression:
    return call("not", (call("is null", (expression,), expression.place),), expression.place)
