"""Conditions as a list that all have to hold, in a form that shows the comparisons and equalities among them.

NOT goes to what it stands before: ``NOT (a.k < b.k OR x)`` is ``a.k >= b.k`` and ``NOT x``. A condition that is asked
whether it is true is itself (``(a.k < b.k) IS TRUE``), and how far two values are apart is two comparisons:
``ABS(a.k - b.k) <= 5`` is ``a.k - b.k <= 5`` and ``a.k - b.k >= -5``.

A disjunction whose branches share conditions demands these: ``(a.k = b.k AND x) OR (a.k = b.k AND y)`` is ``a.k = b.k``
and ``x OR y``. Two comparisons that leave only equality are one: ``a.k >= b.k AND a.k <= b.k`` is ``a.k = b.k``. NULL,
and NaN, which equals itself, pass through these laws as all other values do. A condition that is written twice is there
once.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from decimal import Decimal

from punctum.algebra.values import Value
from punctum.ir.expressions import Call, Expression, Literal, conjunction, conjuncts
from punctum.ir.functions import call

_TURNED = {"<=": ">=", ">=": "<="}
_SWAPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_OPPOSITE = {"=": "<>", "<>": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_DUAL = {"and": "or", "or": "and"}
_TRUTHS = {*_OPPOSITE, *_DUAL, "not"}


def normalised(conditions: Iterable[Expression]) -> list[Expression]:
    """The conditions that have to hold, equalities brought out."""
    single = [part for whole in conditions for condition in conjuncts(_plain(whole)) for part in _parts(condition)]
    return _equated(list(dict.fromkeys(single)))


def _plain(condition: Expression) -> Expression:
    """A condition that is true for the same rows, without what only wraps it."""
    match condition:
        case Call("and" | "or" as op, parts):
            plain = tuple(map(_plain, parts))
            return condition if plain == parts else call(op, plain, condition.place)
        case Call("not", (inside,)):
            return _denied(inside, condition)
        case Call("<=>" | "=", (Call(op) as inside, Literal(True))) if op in _TRUTHS:
            return _plain(inside)
        case Call("=", (Call(op) as inside, Literal(False))) if op in _TRUTHS:
            return _denied(inside, condition)
        case Call("coalesce", (Call(op) as inside, Literal(False))) if op in _TRUTHS:
            return _plain(inside)
        case Call("if" | "case", (inside, Literal(True), Literal(False | None))):
            return _plain(inside)
        case Call("<=>", (one, other)) if not (one.nullable and other.nullable):
            return call("=", (one, other), condition.place)
        case Call("<" | "<=" as op, (distance, Literal() as most)):
            return _within(distance, op, most) or condition
        case Call(">" | ">=" as op, (Literal() as most, distance)):
            return _within(distance, _SWAPPED[op], most) or condition
    return condition


def _denied(inside: Expression, whole: Expression) -> Expression:
    """A condition that is true where the one inside is false, as a whole says already."""
    match inside:
        case Call("not", (again,)):
            return _plain(again)
        case Call(op, parts) if op in _DUAL:
            denied = [_denied(part, call("not", (part,), part.place)) for part in parts]
            return call(_DUAL[op], denied, whole.place)
        case Call(op, args) if op in _OPPOSITE:
            return _plain(call(_OPPOSITE[op], args, inside.place))
    return whole


def _within(distance: Expression, op: str, most: Literal) -> Expression | None:
    """The absolute value of a difference below a limit, as two comparisons of the difference."""
    match distance:
        case Call("cast", (Call("abs") as inside,)):
            return _within(inside, op, most)
        case Call("abs", (Call("-" | "datediff") as apart,)) if _positive(most.value):
            least = call("negate", (most,), most.place)
            ends = ((op, most), (_SWAPPED[op], least))
            return call("and", [call(by, (apart, end), distance.place) for by, end in ends], distance.place)
    return None


def _positive(value: Value | None) -> bool:
    return isinstance(value, int | float | Decimal) and value >= 0


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
