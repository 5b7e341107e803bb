"""Conditions as a list that all have to hold, in a form that shows the equalities among them.

A disjunction whose branches share conditions demands these: ``(a.k = b.k AND x) OR (a.k = b.k AND y)`` is ``a.k = b.k``
and ``x OR y``. Two comparisons that leave only equality are one: ``a.k >= b.k AND a.k <= b.k`` is ``a.k = b.k``. NULL,
and NaN, which equals itself, pass through these laws as all other values do. A condition that is written twice is there
once.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from punctum.ir.expressions import Call, Expression, conjunction, conjuncts
from punctum.ir.functions import call

_TURNED = {"<=": ">=", ">=": "<="}


def normalised(conditions: Iterable[Expression]) -> list[Expression]:
    """The conditions that have to hold, equalities brought out."""
    single = [part for whole in conditions for condition in conjuncts(whole) for part in _parts(condition)]
    return _equated(list(dict.fromkeys(single)))


def _parts(condition: Expression) -> list[Expression]:
    """A condition as those that all have to hold."""
    if isinstance(condition, Call) and condition.op == "or":
        return _factored([normalised([branch]) for branch in _branches(condition)], condition)
    return [condition]


def _branches(condition: Expression) -> Iterator[Expression]:
    if isinstance(condition, Call) and condition.op == "or":
        for arg in condition.args:
            yield from _branches(arg)
    else:
        yield condition


def _factored(branches: list[list[Expression]], whole: Call) -> list[Expression]:
    """What all branches of a disjunction demand, and the disjunction of the rest, if each of them demands more."""
    shared = [condition for condition in branches[0] if all(condition in branch for branch in branches[1:])]
    if not shared:
        return [whole]
    rests = [conjunction([condition for condition in branch if condition not in shared]) for branch in branches]
    more = tuple(rest for rest in rests if rest is not None)
    return shared if len(more) < len(rests) else [*shared, call("or", more, whole.place)]


def _equated(conditions: list[Expression]) -> list[Expression]:
    """The conditions, with an equality in the place of the first of two comparisons that demand it."""
    kept: dict[Expression, Expression] = {}
    for condition in conditions:
        match condition:
            case Call(op, (a, b)) if op in _TURNED:
                twins = (replace(condition, op=_TURNED[op]), replace(condition, args=(b, a)))
                first = next((twin for twin in twins if twin in kept), condition)
                kept[first] = condition if first is condition else call("=", condition.args, kept[first].place)
            case _:
                kept[condition] = condition
    return list(dict.fromkeys(kept.values()))
