"""Conditions as a list that all have to hold, in a form that shows the comparisons and equalities among them.

NOT goes to what it stands before: ``NOT (a.k < b.k OR x)`` is ``a.k >= b.k`` and ``NOT x``. A condition that is asked
whether it is true is itself (``(a.k < b.k) IS TRUE``, ``IF(a.k < b.k, 1, 0) = 1``), and how far two values are apart is
as many comparisons as it takes (``distances.py``). A branch of a disjunction that is never true is none.

A disjunction whose branches share conditions demands these: ``(a.k = b.k AND x) OR (a.k = b.k AND y)`` is ``a.k = b.k``
and ``x OR y``. Two comparisons that leave only equality are one: ``a.k >= b.k AND a.k <= b.k`` is ``a.k = b.k``. NULL,
and NaN, which equals itself, pass through these laws as all other values do. A condition that is written twice is there
once.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from punctum.ir.distances import compared_apart
from punctum.ir.evaluate import evaluate
from punctum.ir.expressions import Call, Expression, Literal, conjunction, conjuncts
from punctum.ir.functions import call

_TURNED = {"<=": ">=", ">=": "<="}
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
        case Call("or", parts) if any(map(_never, parts)) and not all(map(_never, parts)):
            return _plain(_either([part for part in parts if not _never(part)], condition))
        case Call("and" | "or" as op, parts):
            plain = tuple(map(_plain, parts))
            return condition if plain == parts else call(op, plain, condition.place)
        case Call("not", (inside,)):
            return _denied(inside, condition)
        case Call(("<=>" | "=" | "<>") as op, (Literal(bool()) as first, Call() as second)):
            return _plain(call(op, (second, first), condition.place))
        case Call(("<=>" | "=" | "<>") as op, (Call(of) as inside, Literal(bool() as truth))) if of in _TRUTHS:
            return _plain(inside) if truth is (op != "<>") else _denied(inside, condition)
        case Call("coalesce", (Call(op) as inside, Literal(False))) if op in _TRUTHS:
            return _plain(inside)
        case Call("if" | "case", (inside, Literal(True), Literal(False | None))):
            return _plain(inside)
        case Call("<=>", (one, other)) if not (one.nullable and other.nullable):
            return call("=", (one, other), condition.place)
        case Call(op, (Call("if" | "case", (inside, Literal() as then, Literal() as otherwise)), Literal() as to)) if (
            op in _OPPOSITE and _holds(op, then, to) and not _holds(op, otherwise, to)
        ):
            return _plain(inside)
    apart = compared_apart(condition)
    return condition if apart is None else _plain(apart)


def _holds(op: str, one: Literal, other: Literal) -> bool:
    return evaluate(call(op, (one, other), one.place), ()) is True


def _never(condition: Expression) -> bool:
    """Whether a condition reads nothing and is not true: FALSE, NULL, or ``0 = 1``."""
    match condition:
        case Literal(value):
            return value is not True
        case Call(op, (Literal() as one, Literal() as other)) if op in _OPPOSITE:
            return not _holds(op, one, other)
    return False


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


def _either(parts: list[Expression], whole: Expression) -> Expression:
    return parts[0] if len(parts) == 1 else call("or", parts, whole.place)


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
