"""The conditions of joins that stand together, as equalities and differences of columns of leaves.

In: the leaves, and conditions over their columns. Out: pairs of columns that must be equal, what follows of how far
others lie apart, and the conditions that say neither. A side that is computed of one leaf becomes a column of it, so
spelling does not matter: ``DATE_TRUNC('minute', a.ts) = b.w`` is the equality of two columns. What a leaf knows of its
own columns, by its selections and by how it computes them, counts too. Of a disjunction counts what follows from each
of its branches: how far two columns lie apart at most in any of them.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from itertools import permutations
from typing import Any

from punctum.algebra.bands import STEPS, Limit
from punctum.algebra.cuts import below
from punctum.algebra.pattern import Constant
from punctum.algebra.scheme import Order
from punctum.algebra.values import Type
from punctum.analyse.predicates import pattern_of
from punctum.ir.conjunctive.axes import At
from punctum.ir.differences import LENGTHS, Closure, Compared, Difference, End, compared, steps, summed
from punctum.ir.expressions import Call, Column, Expression, Literal, columns, conjuncts, rebased, text
from punctum.ir.flatten import at_of, leaf_column, placed
from punctum.ir.functions import call
from punctum.ir.names import fresh
from punctum.ir.over import Over
from punctum.ir.punctuated import Punctuated
from punctum.ir.ranking import Ranked
from punctum.ir.relations import Aggregate, Distinct, Filter, OrderBy, Projection, Window
from punctum.ir.time_windows import lengths
from punctum.ir.tree import Relation

_NONE = Limit(0)
Known = tuple[list[Difference[int]], list[End[int]]]
"""What is known of columns of one relation."""


class Conditions:
    """What conditions over some leaves say; the leaves get columns where a condition computes one."""

    def __init__(self, leaves: list[Relation]) -> None:
        self.leaves, self._computed = list(leaves), dict[tuple[int, Expression], At]()
        self.equal: list[tuple[At, At]] = []
        self.fixed: set[At] = set()
        self.outside: list[Expression] = []
        self.others: list[Expression] = []
        self._differences: list[Difference[At]] = []
        self._ends: list[End[At]] = []

    def read(self, conditions: list[Expression]) -> None:
        """Take all conditions."""
        for condition in conditions:
            before = len(self.equal)
            if not self._read(condition) and len(leaves_of(condition)) > 1:
                self.outside.append(condition)
                self._read_branches(condition)
            if len(self.equal) == before:
                self.others.append(condition)
            pattern = pattern_of(self._plain(condition))
            if pattern is not None and isinstance(pattern[1], Constant) and not pattern[1].null:
                self.fixed.add(at_of(pattern[0]))

    def column(self, expression: Expression) -> At | None:
        """An expression of one leaf as a column of it; nothing for one of several."""
        return self._column(expression, True)

    @cached_property
    def closure(self) -> Closure[At]:
        """What follows of how far columns lie apart; nothing where there are only equalities."""
        if not self._differences:
            return Closure[At]([])
        differences, ends = list(self._differences), list(self._ends)
        for i, leaf in enumerate(self.leaves):
            within, constants = known(leaf)
            differences += [((i, more), (i, less), most) for more, less, most in within]
            ends += [((i, at), above, end) for at, above, end in constants]
        pairs = [(one, other, _NONE) for pair in self.equal for one, other in (pair, pair[::-1])]
        return Closure([*differences, *pairs], ends)

    def _read(self, condition: Expression) -> bool:
        """Take a condition, and tell whether it is an equality or a difference."""
        several = len(leaves_of(condition)) > 1
        match condition:
            case Call("=", (a, b)) if a.type is b.type and len(leaves_of(a)) == len(leaves_of(b)) == 1:
                one, other = self._column(a, several), self._column(b, several)
                if one is not None and other is not None:
                    self.equal.append((one, other))
                    return True
        difference = compared(condition)
        return difference is not None and self._take(difference, several)

    def _read_branches(self, condition: Expression) -> None:
        """Take what follows from every branch of a disjunction."""
        closures = [made for branch in _branches(condition) if (made := self._branch(branch)).satisfiable]
        nodes = closures[0].nodes if closures else []
        for more, less in permutations(nodes, 2):
            most = _all([closure.most(more, less) for closure in closures])
            if most is not None:
                self._differences.append((more, less, max(most, key=_loose)))
        for at in nodes:
            low, high = (_all([closure.ends(at)[side] for closure in closures]) for side in (0, 1))
            if low is not None:
                self._ends.append((at, False, min(low, key=lambda end: (below(end.offset), end.strict))))
            if high is not None:
                self._ends.append((at, True, max(high, key=lambda end: (below(end.offset), not end.strict))))

    def _branch(self, branch: Expression) -> Closure[At]:
        """What follows from one branch alone, of columns that are there: another one may not need to compute any."""
        made = Conditions(self.leaves)
        for condition in conjuncts(branch):
            difference = compared(condition)
            if difference is not None:
                made._take(difference, False)
            else:
                made._read_branches(condition)
        return Closure(made._differences, made._ends)

    def _take(self, difference: Compared, several: bool) -> bool:
        more, less, most, equal = difference
        sides = [None if side is None else self._column(side, several) for side in (more, less)]
        if any(side is not None and at is None for side, at in zip((more, less), sides, strict=True)):
            return False
        above, below = sides
        if above is not None and below is not None:
            self._differences.append((above, below, most))
            if equal:
                self._differences.append((below, above, most._replace(offset=-most.offset)))
        else:
            self._ends += [(at, here, most) for at, here in ((above, True), (below, False)) if at is not None]
            if equal:
                self._ends += [(at, here, most) for at, here in ((above, False), (below, True)) if at is not None]
        return True

    def _column(self, expression: Expression, several: bool) -> At | None:
        """An expression of one leaf as a column of it; one that is computed becomes one where several are compared."""
        if isinstance(expression, Column):
            return at_of(expression)
        if (column := self._known(expression)) is not None:
            return column
        of = leaves_of(expression)
        if len(of) != 1 or not several:
            return None
        (leaf,) = of
        computed = _of_leaf(expression)
        self.leaves[leaf] = widened(self.leaves[leaf], computed)
        self._computed[leaf, computed] = at = leaf, len(self.leaves[leaf].schema) - 1
        return at

    def _plain(self, condition: Expression) -> Expression:
        """A condition with the columns that leaves have got by now in the place of what computes them."""
        if not isinstance(condition, Call):
            return condition
        sides = tuple(self._named(side) for side in condition.args)
        return condition if sides == condition.args else replace(condition, args=sides)

    def _named(self, side: Expression) -> Expression:
        at = None if isinstance(side, Column) else self._known(side)
        return side if at is None else leaf_column(at[0], self.leaves[at[0]], at[1])

    def _known(self, side: Expression) -> At | None:
        of = leaves_of(side)
        return self._computed.get((of.pop(), _of_leaf(side))) if len(of) == 1 else None


def _branches(condition: Expression) -> tuple[Expression, ...]:
    """Conditions of which one has to hold; none where there is only the condition itself."""
    match condition:
        case Call("or", branches):
            return tuple(part for branch in branches for part in _branches(branch) or (branch,))
        case Call("in", (value, *listed)):
            return tuple(call("=", (value, one), condition.place) for one in listed if not one.nullable)
    return ()


def _all(limits: list[Limit | None]) -> list[Limit] | None:
    """The limits, if there are all of them."""
    known = [limit for limit in limits if limit is not None]
    return known if len(known) == len(limits) else None


def _loose(limit: Limit) -> tuple[Any, bool]:
    return limit.offset, not limit.strict


def leaves_of(expression: Expression) -> set[int]:
    """The leaves of which an expression reads columns."""
    return {at_of(column)[0] for column in columns(expression)}


def _of_leaf(expression: Expression) -> Expression:
    """An expression over columns of one leaf, over that leaf alone."""
    return rebased(expression, lambda column: placed(column, column.index))


def widened(leaf: Relation, expression: Expression) -> Relation:
    """A relation with one more column, under a name of its own."""
    schema = leaf.schema
    own = tuple((name, Column(i, name, schema.attributes[i])) for i, name in enumerate(schema.names))
    return Projection(leaf, (*own, (fresh(text(expression), [name.lower() for name in schema.names]), expression)))


def known(relation: Relation) -> Known:
    """What a relation says of its own columns: by its selections, and by how columns are computed of others."""
    match relation:
        case Filter():
            differences, ends = known(relation.input)
            for condition in conjuncts(relation.predicate):
                if (difference := compared(condition)) is not None:
                    more, less = _own(difference, differences, ends)
                    differences, ends = more, less
            return differences, ends
        case Projection():
            return _projected(relation)
        case Aggregate():
            at = {column.index: n for n, (_, column) in enumerate(relation.keys)}
            return _moved(known(relation.input), at)
        case Distinct() | OrderBy() | Ranked() | Over() | Window() | Punctuated():
            return known(relation.input)
        case _:
            return [], []


def _own(difference: Compared, differences: list[Difference[int]], ends: list[End[int]]) -> Known:
    """What is known with one more comparison of plain columns."""
    more, less, most, equal = difference
    back = most._replace(offset=-most.offset) if more is not None and less is not None else most
    match more, less:
        case Column(), Column():
            both = [(less.index, more.index, back)] if equal else []
            return [*differences, (more.index, less.index, most), *both], ends
        case Column(), None:
            return differences, [*ends, (more.index, True, most), *([(more.index, False, most)] if equal else [])]
        case None, Column():
            return differences, [*ends, (less.index, False, most), *([(less.index, True, most)] if equal else [])]
    return differences, ends


def _moved(below: Known, to: dict[int, int]) -> Known:
    """What is known of some columns under other positions."""
    closure, shown = Closure(*below), sorted(to)
    pairs = ((a, b, closure.most(a, b)) for a in shown for b in shown if a != b)
    differences = [(to[a], to[b], most) for a, b, most in pairs if most is not None]
    return differences, [
        (to[a], above, end)
        for a in shown
        for above, end in zip((False, True), closure.ends(a), strict=True)
        if end is not None
    ]


def _projected(relation: Projection) -> Known:
    """What is known of computed columns: they are so many steps from a column, or the beginning of its hour."""
    differences, ends = known(relation.input)
    width = len(relation.input.schema)
    for n, (_, expression) in enumerate(relation.columns):
        differences = [*differences, *_computed(width + n, expression)]
    if not differences and not ends:
        return [], []
    return _moved((differences, ends), {width + n: n for n in range(len(relation.columns))})


def _computed(at: int, expression: Expression) -> Iterator[Difference[int]]:
    """How far a column lies from the one of which it is computed."""
    if isinstance(expression, Column):
        yield from ((at, expression.index, _NONE), (expression.index, at, _NONE))
        return
    if expression.type not in STEPS:
        return
    plus, minus, offset = summed(expression)
    match plus, minus:
        case (Column() as column,), ():
            yield from ((at, column.index, Limit(offset)), (column.index, at, Limit(-offset)))
        case (Call("date_trunc", (Literal(str() as unit), inner)),), ():
            below, none, more = summed(inner)
            if len(below) == 1 and not none and isinstance(below[0], Column) and inner.type is not Type.DATE:
                of, apart = below[0].index, offset + more
                yield at, of, Limit(apart)
                yield of, at, Limit(LENGTHS[unit] - 1 - apart)
        case (Call("add_months", (Column() as column, Literal(int() as months))),), ():
            least, most = sorted((28 * months, 31 * months))
            yield at, column.index, Limit(offset + most)
            yield column.index, at, Limit(-offset - least)
        case (Call("tumble", (inner, *_)) as window,), ():
            below, none, more = summed(inner)
            if len(below) == 1 and not none and isinstance(below[0], Column):
                of, apart = below[0].index, offset + more
                yield at, of, Limit(apart)
                yield of, at, Limit(steps(lengths(window)[0], window.type) - 1 - apart)


def bounding(closure: Closure[At], at: At, order: Order) -> Iterator[At | None]:
    """The columns of other leaves whose values tell which punctuations of an order close all partners on a column.

    Nothing stands for a constant: the column never lies beyond one.
    """
    low, high = closure.ends(at)
    if _closes(order, low, high):
        yield None
    for other in closure.near(at):
        if other[0] != at[0] and _closes(order, closure.least(at, other), closure.most(at, other)):
            yield other


def enclosing(closure: Closure[At], at: At) -> list[tuple[Order, At | None]]:
    """The columns of other leaves between which a column lies, those above it as ASC and those below it as DESC.

    Nothing stands for a constant. Those at a fixed distance are not among them, and there are none where an end is
    missing: of a column of whole numbers they leave finitely many values.
    """
    exact = set(bounding(closure, at, Order.EQUALITY))
    ends = [(order, by) for order in (Order.ASC, Order.DESC) for by in bounding(closure, at, order) if by not in exact]
    return ends if None not in exact and len({order for order, _ in ends}) == 2 else []


def _closes(order: Order, low: Limit | None, high: Limit | None) -> bool:
    match order:
        case Order.EQUALITY:
            return low is not None and low == high and not low.strict
        case Order.ASC:
            return high is not None
        case Order.DESC:
            return low is not None
