"""Lookups: a relation that meets the rows of a table, which stands still while the query runs."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from punctum.algebra.outer import JoinKind
from punctum.algebra.pattern import WILDCARD
from punctum.algebra.schema import Schema
from punctum.algebra.values import Type
from punctum.errors import Place
from punctum.ir.definitions import NOWHERE
from punctum.ir.expressions import Call, Column, Expression, columns, conjuncts, text
from punctum.ir.node import UnaryRelation, fits

if TYPE_CHECKING:
    from punctum.ir.tree import Relation


@dataclass(frozen=True)
class Lookup(UnaryRelation):
    """Pairs of a row and a row of a table that are equal on pairs of columns, if any, and fulfil the residual.

    The table is a relation that streams have no part in. Without a kind it is an inner join; with one, rows without a
    partner come out too, or rows of the input alone, as for other joins.
    """

    OPERATOR = "lookup"

    table: "Relation"
    on: tuple[tuple[Column, Column], ...]
    residual: Expression | None
    names: tuple[str, ...]
    kind: JoinKind | None = None
    place: Place = field(default=NOWHERE, compare=False)

    def __post_init__(self) -> None:
        for a, b in self.on:
            fits(a, self.input.schema)
            fits(b, self.table.schema)
            assert a.type is b.type
        assert self.kind is not JoinKind.FULL
        if self.residual is not None:
            assert self.residual.type is Type.BOOLEAN
            fits(self.residual, self.paired)

    @property
    def pairs(self) -> bool:
        """Whether the columns of the table come out."""
        return self.kind is None or self.kind.pairs

    @cached_property
    def paired(self) -> Schema:
        """The columns of a pair: those of the input, then those of the table."""
        attributes = self.input.schema.attributes + self.table.schema.attributes
        return Schema(tuple(replace(a, name=name) for a, name in zip(attributes, self.names, strict=True)))

    @cached_property
    def schema(self) -> Schema:
        """The columns of a pair, of which those of the table may be NULL when there may be no partner."""
        width = len(self.input.schema)
        if not self.pairs:
            return self.input.schema
        if self.kind is None:
            return self.paired
        attributes = enumerate(self.paired.attributes)
        return Schema(tuple(a if i < width else replace(a, domain=WILDCARD) for i, a in attributes))

    def equated(self) -> dict[int, int]:
        """The columns of the table that show a column of the input, by their positions in the result."""
        width = len(self.input.schema)
        return {width + b.index: a.index for a, b in self.on} if self.kind is None else {}

    def computed(self) -> tuple[list[tuple[Expression, Expression]], list[Expression]]:
        """What the residual demands: equal values, computed of a row and of a row of the table, and all else."""
        equal, rest = list[tuple[Expression, Expression]](), list[Expression]()
        for condition in () if self.residual is None else conjuncts(self.residual):
            sides = self._sides(condition)
            if sides is None:
                rest.append(condition)
            else:
                equal.append(sides)
        return equal, rest

    def _sides(self, condition: Expression) -> tuple[Expression, Expression] | None:
        """What is computed of a row and what of a row of the table, when a condition says that they are equal.

        NaN equals itself, but not where keys are compared.
        """
        if not isinstance(condition, Call) or condition.op != "=" or condition.args[0].type is Type.DOUBLE:
            return None
        width, (a, b) = len(self.input.schema), condition.args
        of_table = [{column.index >= width for column in columns(side)} for side in (a, b)]
        if a.type is not b.type or of_table not in ([{False}, {True}], [{True}, {False}]):
            return None
        return (a, b) if of_table[0] == {False} else (b, a)

    @property
    def label(self) -> str:
        """The table, the equalities and the residual."""
        width = len(self.input.schema)
        pairs = ", ".join(f"{self.names[a.index]} = {self.names[width + b.index]}" for a, b in self.on)
        where = f" where {text(self.residual)}" if self.residual is not None else ""
        kind = "" if self.kind is None else f"{self.kind.value} "
        return f"Lookup {kind}{' of '.join(_shown(self.table))} on {pairs or 'all'}{where}"


def _shown(table: "Relation") -> list[str]:
    """What is done to a table, and the table."""
    below = [line for child in table.inputs for line in _shown(child)]
    return [table.label.removeprefix("Source "), *below]
