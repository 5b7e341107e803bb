"""Joins that look at rows without a partner: two relations and conditions on their pairs in, a relation out.

The conditions are over the left columns, then the right ones. One on the right side alone filters that side, unless its
rows come out without a partner too; an equality of something left and something right joins the sides, which get a
column for what they have to compute; all others are the residual.
"""

from collections.abc import Sequence
from dataclasses import replace

from punctum.algebra.outer import JoinKind
from punctum.errors import Place
from punctum.ir.expressions import Call, Column, Expression, columns, conjunction, rebased, text
from punctum.ir.names import fresh
from punctum.ir.relations import Filter, OuterJoin, Projection
from punctum.ir.tree import Relation

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
    own = [c for c in conditions if made.sides(c) == {1} and kind is not JoinKind.FULL]
    rest = [c for c in conditions if c not in own]
    equated = [(c, made.equality(c)) for c in rest]
    pairs = [pair for _, pair in equated if pair is not None]
    on = tuple({(a.index, b.index): (a, b) for a, b in pairs}.values())
    below = [_widened(side, made.computed[i]) for i, side in enumerate((left, filtered(right, made.of_right(own))))]
    residual = conjunction([made.moved(c) for c, pair in equated if pair is None])
    join = OuterJoin(below[0], below[1], on, residual, made.all_names(), kind, place)
    if not any(made.computed):
        return join
    shown = made.shown() if kind.pairs else list(range(len(left.schema)))
    schema = join.schema
    columns_ = ((schema.names[i], Column(i, schema.names[i], schema.attributes[i])) for i in shown)
    return Projection(join, tuple(columns_), place)


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

    def equality(self, condition: Expression) -> tuple[Column, Column] | None:
        """The columns of both sides that a condition equates, computed where they are none."""
        match condition:
            case Call("=", (a, b)) if a.type is b.type and {*self.sides(a)} | {*self.sides(b)} == {0, 1}:
                if len(self.sides(a)) == len(self.sides(b)) == 1:
                    one, other = (a, b) if self.sides(a) == {0} else (b, a)
                    return self._column(0, one), self._column(1, other)
        return None

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
            at = column.index + (more if column.index >= self._widths[0] else 0)
            return replace(column, index=at, name=names[at])

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


def filtered(relation: Relation, conditions: Sequence[Expression]) -> Relation:
    """A relation with the rows for which conditions hold; those on rows that a join preserves hold below it."""
    if isinstance(relation, OuterJoin) and relation.alias is None and relation.kind is not JoinKind.FULL:
        names = relation.left.schema.names
        below = [c for c in conditions if all(column.index < len(names) for column in columns(c))]
        if below:
            moved = [rebased(c, lambda column: replace(column, name=names[column.index])) for c in below]
            relation = replace(relation, left=filtered(relation.left, moved))
        conditions = [c for c in conditions if c not in below]
    condition = conjunction(list(conditions))
    return relation if condition is None else Filter(relation, condition, condition.place)


def _widened(relation: Relation, computed: list[tuple[str, Expression]]) -> Relation:
    """A relation with further columns."""
    if not computed:
        return relation
    schema = relation.schema
    own = ((name, Column(i, name, schema.attributes[i])) for i, name in enumerate(schema.names))
    return Projection(relation, (*own, *computed))
