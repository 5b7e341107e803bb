"""What happens to a stream where it is read: a relation in, the stream and its selections and projections out."""

from dataclasses import dataclass

from punctum.algebra.schema import Schema
from punctum.ir.definitions import StreamDef
from punctum.ir.expressions import Column
from punctum.ir.relations import Filter, Projection, Source, Window
from punctum.ir.tree import Relation


@dataclass(frozen=True)
class Pipe:
    """A stream and the selections and projections that run before the exchange, in order."""

    stream: StreamDef
    steps: tuple[Relation, ...] = ()

    @property
    def schema(self) -> Schema:
        """The schema of what comes out."""
        return self.steps[-1].schema if self.steps else self.stream.schema

    def origin(self, column: int) -> int | None:
        """The stream's column that comes out, unchanged, as this one."""
        at: int | None = column
        for step in reversed(self.steps):
            if isinstance(step, Projection) and at is not None:
                at = column_of(step.columns[at][1])
        return at


def as_pipe(relation: Relation) -> Pipe | None:
    """The relation as a pipe, when it is a stream under selections and projections alone."""
    if isinstance(relation, Source):
        return Pipe(relation.stream)
    if isinstance(relation, Window):
        return as_pipe(relation.input)
    if isinstance(relation, Filter | Projection):
        below = as_pipe(relation.inputs[0])
        return None if below is None else Pipe(below.stream, (*below.steps, relation))
    return None


def column_of(expression: object) -> int | None:
    """The column that an expression is, if it is one."""
    return expression.index if isinstance(expression, Column) else None
