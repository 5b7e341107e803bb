"""Joins that look at rows without a partner: two relations and conditions on their pairs in, a relation out.

The conditions are over the left columns, then the right ones. One on the right side alone filters that side, unless its
rows come out without a partner too; an equality of something left and something right joins the sides; all others are
the residual. Sides get a column for what they have to compute, for equalities and for comparisons, so that punctuations
on it can purge: ``b.ts >= DATE_TRUNC('hour', a.ts)``.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from punctum.algebra.outer import JoinKind
from punctum.errors import Place
from punctum.ir.differences import compared
from punctum.ir.expressions import Call, Column, Expression, columns, conjunction, rebased, text
from punctum.ir.flatten import LeafColumn
from punctum.ir.functions import call
from punctum.ir.names import fresh
from punctum.ir.outer import demands
from punctum.ir.relations import Filter, Join, OuterJoin, Projection
from punctum.ir.tree import Relation
from punctum.parse.binder.ranks import limited

JOINS = {
    "": JoinKind.LEFT,
    "LEFT": JoinKind.LEFT,
    "RIGHT": JoinKind.LEFT,
    "FULL": JoinKind.FULL,
    "SEMI": JoinKind.SEMI,
    "LEFT SEMI": JoinKind.SEMI,
    "ANTI": JoinKind.ANTI,
    "LEFT ANTI": JoinKind.ANTI,
}
"""The kinds of joins by how they are written: nothing for inner ones, and RIGHT is LEFT with the sides exchanged."""
SUPPORTED = (
    "supported: INNER, LEFT, RIGHT, FULL, LEFT SEMI, LEFT ANTI JOIN with ON or USING, CROSS JOIN, and comma joins"
)


def outer_join(
    left: Relation,
    right: Relation,
    conditions: Sequence[Expression],
    kind: JoinKind,
    names: tuple[str, ...],
    place: Place,
) -> Relation:
    """The join of two relations, with the columns of both or, for SEMI and ANTI, the left ones."""
    made = _Sides(left, right, names)
    plain = made.untangled(conditions)
    own = [c for c in plain if made.sides(c) == {1} and kind is not JoinKind.FULL]
    rest = [c for c in plain if c not in own]
    equated = [(c, made.equality(c)) for c in rest]
    on = tuple(pair for _, pair in equated if pair is not None)
    beside = [made.comparison(c) for c, pair in equated if pair is None]
    below = [_widened(side, made.computed[i]) for i, side in enumerate((left, filtered(right, made.of_right(own))))]
    residual = conjunction([made.moved(c) for c in beside])
    join = OuterJoin(below[0], below[1], on, residual, made.all_names(), kind, place)
    if not any(made.computed):
        return join
    shown = made.shown() if kind.pairs else list(range(len(left.schema)))
    schema = join.schema
    columns_ = ((schema.names[i], Column(i, schema.names[i], schema.attributes[i])) for i in shown)
    return Projection(join, tuple(columns_), place)


@dataclass(frozen=True)
class _Computed(Column):
    """A column that a side computes."""

    side: int = 0


class _Sides:
    """Both sides of a join, and what each of them has to compute for it."""

    def __init__(self, left: Relation, right: Relation, names: tuple[str, ...]) -> None:
        self._widths, self._names = (len(left.schema), len(right.schema)), names
        self._below = (left.schema.names, right.schema.names)
        self.computed: tuple[list[tuple[str, Expression]], list[tuple[str, Expression]]] = ([], [])

    def sides(self, expression: Expression) -> set[int]:
        """The sides of which an expression reads columns."""
        return {int(column.index >= self._widths[0]) for column in columns(expression)}

    def of_right(self, conditions: list[Expression]) -> list[Expression]:
        """Conditions on the right side, over its columns."""
        return [self._own(1, condition) for condition in conditions]

    def untangled(self, conditions: Sequence[Expression]) -> list[Expression]:
        """The conditions with each side of an equality in one of them only: of a = b and a = c the latter is b = c."""
        untangled, partner = list[Expression](), dict[Expression, Expression]()
        for condition in conditions:
            a, b = self._equated(condition) or (None, None)
            if a is None or b is None:
                untangled.append(condition)
            elif a not in partner and b not in partner:
                partner |= {a: b, b: a}
                untangled.append(condition)
            elif partner.get(a) != b:
                known, other = (partner[a], b) if a in partner else (partner[b], a)
                untangled.append(call("=", (known, other), condition.place))
        return untangled

    def _equated(self, condition: Expression) -> tuple[Expression, Expression] | None:
        """What a condition equates of the left side and of the right one."""
        match condition:
            case Call("=", (a, b)) if a.type is b.type:
                if (self.sides(a), self.sides(b)) == ({0}, {1}):
                    return a, b
                if (self.sides(a), self.sides(b)) == ({1}, {0}):
                    return b, a
        return None

    def equality(self, condition: Expression) -> tuple[Column, Column] | None:
        """The columns of both sides that a condition equates, computed where they are none."""
        equated = self._equated(condition)
        return None if equated is None else (self._column(0, equated[0]), self._column(1, equated[1]))

    def comparison(self, condition: Expression) -> Expression:
        """A condition; where it compares both sides, with columns for what each of them computes."""
        difference = compared(rebased(condition, self._of_leaf))
        if difference is None or self.sides(condition) != {0, 1}:
            return condition
        computed = [e for e in (difference.more, difference.less) if e is not None and not isinstance(e, Column)]
        for expression in computed:
            plain = rebased(expression, lambda c: Column(c.index, c.name, c.attribute))
            if len(sides := self.sides(plain)) == 1:
                (side,) = sides
                made = self._column(side, plain)
                condition = replaced(condition, plain, _Computed(made.index, made.name, made.attribute, side=side))
        return condition

    def _of_leaf(self, column: Column) -> LeafColumn:
        return LeafColumn(column.index, column.name, column.attribute, leaf=int(column.index >= self._widths[0]))

    def _column(self, side: int, expression: Expression) -> Column:
        own = self._own(side, expression)
        if isinstance(own, Column):
            return own
        computed, width = self.computed[side], self._widths[side]
        known = [made for _, made in computed]
        if own not in known:
            taken = [name.lower() for name in (*self._below[side], *(name for name, _ in computed))]
            computed.append((fresh(text(own), taken), own))
            known.append(own)
        at = known.index(own)
        name = computed[at][0]
        return Column(width + at, name, replace(own.attribute, name=name), own.place)

    def _own(self, side: int, expression: Expression) -> Expression:
        start, names = side * self._widths[0], self._below[side]
        return rebased(expression, lambda c: replace(c, index=c.index - start, name=names[c.index - start]))

    def moved(self, expression: Expression) -> Expression:
        """A condition over the sides as they are now."""
        more, names = len(self.computed[0]), self.all_names()

        def to(column: Column) -> Column:
            if isinstance(column, _Computed):
                at = column.index + column.side * (self._widths[0] + more)
            else:
                at = column.index + (more if column.index >= self._widths[0] else 0)
            return Column(at, names[at], column.attribute)

        return rebased(expression, to)

    def all_names(self) -> tuple[str, ...]:
        """The names of the columns of a pair, with those that are computed."""
        taken = [name.lower() for name in self._names]
        more = [[fresh(name, taken) for name, _ in computed] for computed in self.computed]
        width = self._widths[0]
        return (*self._names[:width], *more[0], *self._names[width:], *more[1])

    def shown(self) -> list[int]:
        """The columns of a pair that are not computed."""
        left, more = range(self._widths[0]), self._widths[0] + len(self.computed[0])
        return [*left, *range(more, more + self._widths[1])]


def replaced(expression: Expression, part: Expression, by: Expression) -> Expression:
    """An expression with another one in the place of a part of it."""
    if expression == part:
        return by
    if not isinstance(expression, Call):
        return expression
    return replace(expression, args=tuple(replaced(arg, part, by) for arg in expression.args))


def filtered(relation: Relation, conditions: Sequence[Expression]) -> Relation:
    """A relation with the rows for which conditions hold; those on rows that a join preserves hold below it."""
    relation = _partnered(relation, conditions)
    if isinstance(relation, Join | OuterJoin) and relation.alias is None:
        relation, conditions = _filtered_below(relation, conditions)
    relation, rest = limited(relation, conditions)
    condition = conjunction(rest)
    return relation if condition is None else Filter(relation, condition, condition.place)


def _filtered_below(join: Join | OuterJoin, conditions: Sequence[Expression]) -> tuple[Relation, list[Expression]]:
    """A join whose sides have the rows for which conditions on one of them hold, and the other conditions.

    Not a side that the join only looks at: a row without a partner would come out in the place of one that is excluded.
    """
    left, rest = _split(join.left, 0, conditions)
    if isinstance(join, Join):
        right, rest = _split(join.right, len(join.left.schema), rest)
        return replace(join, left=left, right=right), rest
    return (join, list(conditions)) if join.kind is JoinKind.FULL else (replace(join, left=left), rest)


def _split(side: Relation, start: int, conditions: Sequence[Expression]) -> tuple[Relation, list[Expression]]:
    """A side of a join with the rows for which conditions on it alone hold, and the other conditions."""
    names = side.schema.names
    here = range(start, start + len(names))
    mine = [c for c in conditions if all(column.index in here for column in columns(c))]
    moved = [rebased(c, lambda of: replace(of, index=of.index - start, name=names[of.index - start])) for c in mine]
    return filtered(side, moved) if mine else side, [c for c in conditions if c not in mine]


def _partnered(relation: Relation, conditions: Sequence[Expression]) -> Relation:
    """A relation with joins that do not look for rows without a partner which conditions would exclude again."""
    if relation.alias is not None:
        return relation
    match relation:
        case Filter():
            below = _partnered(relation.input, conditions)
            return relation if below is relation.input else replace(relation, input=below)
        case Projection():
            moved = [rebased(c, lambda column: relation.columns[column.index][1]) for c in conditions]
            below = _partnered(relation.input, moved)
            return relation if below is relation.input else replace(relation, input=below)
        case OuterJoin() if relation.kind.pairs:
            width = len(relation.left.schema)
            left = any(demands(c, lambda column: column.index < width) for c in conditions)
            right = any(demands(c, lambda column: column.index >= width) for c in conditions)
            if right and (left or relation.kind is JoinKind.LEFT):
                sides = relation.left, relation.right
                return Join(*sides, relation.on, relation.residual, relation.names, relation.place)
            return replace(relation, kind=JoinKind.LEFT) if left else relation
    return relation


def _widened(relation: Relation, computed: list[tuple[str, Expression]]) -> Relation:
    """A relation with further columns."""
    if not computed:
        return relation
    schema = relation.schema
    own = ((name, Column(i, name, schema.attributes[i])) for i, name in enumerate(schema.names))
    return Projection(relation, (*own, *computed))
