"""Differences: what comparisons say about how far columns lie apart, and what follows from all of them together.

In: conditions over columns of leaves. Out: each comparison as ``x - y <= c`` (``compared``), and the closure of many
(``Closure``): for any two columns the least such c that follows. Sides are columns, or any expressions of one leaf that
are taken for columns; a constant that is added to one, an INTERVAL or a number, belongs to c. On types whose values
have neighbours ``x < y`` is ``x <= y - 1``. DOUBLEs are never moved, for their sums round.
"""

from collections import deque
from collections.abc import Hashable, Iterable
from datetime import timedelta
from decimal import Decimal
from typing import Generic, NamedTuple, TypeVar

from punctum.algebra.bands import STEPS, WIDE, Limit, Offset, shifted
from punctum.algebra.cuts import below
from punctum.algebra.values import INSTANTS, Type
from punctum.ir.conjunctive.axes import ordinal, value_at
from punctum.ir.expressions import Call, Expression, Literal, columns
from punctum.ir.functions import call
from punctum.ir.shape import exact_step

Node = TypeVar("Node", bound=Hashable)

_TURNED = {"<": "<", "<=": "<=", "=": "=", ">": "<", ">=": "<="}
_HOUR = 3_600_000_000
LENGTHS = {
    "MICROSECOND": 1,
    "MILLISECOND": 1_000,
    "SECOND": 1_000_000,
    "MINUTE": _HOUR // 60,
    "HOUR": _HOUR,
    "DAY": 24 * _HOUR,
    "WEEK": 7 * 24 * _HOUR,
    "MONTH": 31 * 24 * _HOUR,
    "QUARTER": 92 * 24 * _HOUR,
    "YEAR": 366 * 24 * _HOUR,
}
"""The longest each unit of DATE_TRUNC can be, in microseconds."""


class Compared(NamedTuple):
    """A comparison: ``more - less <= most``, and ``=`` when it is equal; a side that is missing is 0.

    Where one is missing, ``most`` is a constant: the value that the other one has at most, or at least.
    """

    more: Expression | None
    less: Expression | None
    most: Limit
    equal: bool = False


def compared(condition: Expression) -> Compared | None:
    """A condition as a difference, if it is one: each side is of one leaf, or a constant.

    >>> from punctum.ir.expressions import Column, kind
    >>> from punctum.algebra.schema import Attribute
    >>> x, y = (Column(i, name, Attribute(name, Type.BIGINT)) for i, name in enumerate("xy"))
    >>> plus = Call("+", (y, Literal(5, Type.BIGINT)), kind(Type.BIGINT, True))
    >>> more, less, most, equal = compared(Call("<", (x, plus), kind(Type.BOOLEAN, True)))
    >>> more.name, less.name, most.offset, equal
    ('x', 'y', 4, False)
    """
    if not isinstance(condition, Call) or condition.op not in _TURNED or len(condition.args) != 2:
        return None
    one, other = condition.args if condition.op in ("<", "<=", "=") else reversed(condition.args)
    strict = condition.op in ("<", ">")
    if one.type not in STEPS:
        return _plain(one, other, strict, condition.op == "=")
    left, right = summed(one), summed(other)
    more, less = _cancelled([*left.plus, *right.minus], [*left.minus, *right.plus])
    if len(more) > 1 or len(less) > 1 or not (more or less):
        return None
    most, equal = _limit(_minus(right.steps, left.steps), strict, one.type), condition.op == "="
    if (days := _between_days(more, less, most, equal)) is not None:
        return days
    kind = (more or less)[0].type
    if more and less:
        return Compared(more[0], less[0], most, equal) if less[0].type is kind else None
    value = value_at(kind, most.offset if more else -most.offset)
    if value is None:
        return None
    end = most._replace(offset=value)
    return Compared(more[0], None, end, equal) if more else Compared(None, less[0], end, equal)


def _plain(one: Expression, other: Expression, strict: bool, equal: bool) -> Compared | None:
    """A comparison of values that cannot be moved."""
    match one, other:
        case Literal(), Literal():
            return None
        case Literal(value), _:
            return None if value is None else Compared(None, other, Limit(value, strict), equal)
        case _, Literal(value):
            return None if value is None else Compared(one, None, Limit(value, strict), equal)
        case _:
            return Compared(one, other, Limit(0, strict), equal)


def _between_days(more: list[Expression], less: list[Expression], most: Limit, equal: bool) -> Compared | None:
    """A difference of two days that are written as their beginnings, in days."""
    match more, less:
        case [Call("cast", (later,)) as one], [Call("cast", (sooner,))] if one.type in INSTANTS:
            days, rest = divmod(most.offset, LENGTHS["DAY"])
            if later.type is sooner.type is Type.DATE and not (equal and rest):
                apart = call("datediff", (later, sooner), later.place)
                return compared(call("=" if equal else "<=", (apart, Literal(days, Type.BIGINT)), later.place))
    return None


class Sum(NamedTuple):
    """An expression as others that are added and subtracted, and a number of steps."""

    plus: tuple[Expression, ...] = ()
    minus: tuple[Expression, ...] = ()
    steps: Offset = 0


def summed(expression: Expression) -> Sum:
    """An expression of a type that has steps, as a sum."""
    match expression:
        case Literal(value) if value is not None and not isinstance(value, str):
            return Sum(steps=steps(value, expression.type))
        case Call("+" | "-" as op, (one, Literal(timedelta() as length))):
            base = summed(one)
            return base._replace(steps=_plus(base.steps, _length(length, one.type) * (1 if op == "+" else -1)))
        case Call("date_add" | "date_sub" as op, (one, Literal(int() as days))):
            base = summed(one)
            return base._replace(steps=_plus(base.steps, days if op == "date_add" else -days))
        case Call("+" | "-" | "datediff" as op, (one, other)) if _apart(one, other) and exact_step(expression):
            left, right = summed(one), summed(other)
            plus, minus = (right.plus, right.minus) if op == "+" else (right.minus, right.plus)
            steps_ = (_plus if op == "+" else _minus)(left.steps, right.steps)
            return Sum((*left.plus, *plus), (*left.minus, *minus), steps_)
        case Call("cast", (one,)) if one.type is expression.type is Type.DECIMAL and exact_step(expression):
            return summed(one)
        case _:
            return Sum((expression,))


def _apart(one: Expression, other: Expression) -> bool:
    """Whether two summands are to be looked at by themselves: they are of different leaves, or one is a constant."""
    leaves = [{getattr(column, "leaf", 0) for column in columns(side)} for side in (one, other)]
    return not leaves[0] or not leaves[1] or leaves[0].isdisjoint(leaves[1])


def _cancelled(more: list[Expression], less: list[Expression]) -> tuple[list[Expression], list[Expression]]:
    for side in list(more):
        if side in less:
            more.remove(side)
            less.remove(side)
    return more, less


def steps(value: object, kind: Type) -> Offset:
    """How many steps a value is from zero."""
    match value:
        case Decimal():
            return value
        case timedelta():
            return _length(value, kind)
        case _:
            return ordinal(value)


def _length(length: timedelta, kind: Type) -> int:
    return length // timedelta(days=1) if kind is Type.DATE else length // timedelta(microseconds=1)


def _plus(one: Offset, other: Offset) -> Offset:
    return (
        WIDE.add(Decimal(one), Decimal(other))
        if isinstance(one, Decimal) or isinstance(other, Decimal)
        else one + other
    )


def _minus(one: Offset, other: Offset) -> Offset:
    return _plus(one, -other)


def _limit(offset: Offset, strict: bool, kind: Type) -> Limit:
    return Limit(offset - 1) if strict and kind.discrete else Limit(offset, strict)


Difference = tuple[Node, Node, Limit]
"""The first is at most so many steps above the second."""
End = tuple[Node, bool, Limit]
"""A value that a node has at most, or else at least."""


class Closure(Generic[Node]):
    """What follows from differences and constants: shortest paths.

    >>> closed = Closure([("x", "y", Limit(3)), ("y", "z", Limit(4, True))], [("z", True, Limit(10))])
    >>> closed.most("x", "z"), closed.most("z", "x"), closed.ends("x")
    (Limit(offset=7, strict=True), None, (None, Limit(offset=17, strict=True)))
    """

    def __init__(self, given: Iterable[Difference[Node]], constants: Iterable[End[Node]] = ()) -> None:
        self._steps: dict[Node, dict[Node, Limit]] = {}
        for more, less, most in given:
            near = self._steps.setdefault(more, {})
            near[less] = min(near.get(less, most), most, key=_tight)
            self._steps.setdefault(less, {})
        self._constants = list(constants)
        for node, _, _ in self._constants:
            self._steps.setdefault(node, {})
        self._paths = {node: self._from(node) for node in self._steps}
        self.satisfiable = all(_tight(paths[node]) >= (0, True) for node, paths in self._paths.items())
        if not self.satisfiable:
            self._paths = {node: {node: Limit(0)} for node in self._steps}

    @property
    def nodes(self) -> list[Node]:
        """All that something is known of."""
        return list(self._steps)

    def most(self, more: Node, less: Node) -> Limit | None:
        """How far a node is above another one at most, if that is known."""
        return self._paths.get(more, {}).get(less)

    def least(self, more: Node, less: Node) -> Limit | None:
        """How far a node is above another one at least, if that is known."""
        other = self.most(less, more)
        return None if other is None else other._replace(offset=-other.offset)

    def near(self, node: Node) -> list[Node]:
        """The other nodes from which something is known of how far it is, above or below."""
        return [
            other
            for other in self._steps
            if other != node and (other in self._paths.get(node, ()) or node in self._paths[other])
        ]

    @property
    def equal(self) -> list[tuple[Node, Node]]:
        """The pairs of nodes that must be equal, each with the first one."""
        first: dict[Node, Node] = {}
        for node in self._steps:
            same = (other for other in first.values() if self.most(node, other) == self.most(other, node) == Limit(0))
            first[node] = next(same, node)
        return [(node, other) for node, other in first.items() if node != other]

    def ends(self, node: Node) -> tuple[Limit | None, Limit | None]:
        """The values that a node has at least and at most."""
        low, high = list[Limit](), list[Limit]()
        for other, above, (value, strict) in self._constants:
            apart = self.most(node, other) if above else self.least(node, other)
            moved = None if apart is None else shifted(value, apart.offset)
            if apart is not None and moved is not None:
                (high if above else low).append(Limit(moved, strict or apart.strict))
        return (
            max(low, key=lambda end: (below(end.offset), end.strict), default=None),
            min(high, key=lambda end: (below(end.offset), not end.strict), default=None),
        )

    def _from(self, start: Node) -> dict[Node, Limit]:
        """The least differences to all other nodes; one below zero to itself when there is no solution."""
        paths, rounds = {start: Limit(0)}, dict.fromkeys(self._steps, 0)
        waiting = deque([start])
        while waiting:
            node = waiting.popleft()
            rounds[node] += 1
            if rounds[node] > len(self._steps):
                return {start: Limit(-1)}
            for other, step in self._steps[node].items():
                longer = Limit(_plus(paths[node].offset, step.offset), paths[node].strict or step.strict)
                if other not in paths or _tight(longer) < _tight(paths[other]):
                    paths[other] = longer
                    waiting.append(other)
        return paths


def _tight(limit: Limit) -> tuple[Offset, bool]:
    return limit.offset, not limit.strict
