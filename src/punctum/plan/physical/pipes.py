"""What happens to a stream where it is read: a relation in, the stream and its selections and projections out."""

from dataclasses import dataclass

from punctum.algebra.schema import Schema
from punctum.ir.definitions import StreamDef
from punctum.ir.expressions import Column, columns
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

    @property
    def reads(self) -> frozenset[str]:
        """The stream's columns that are looked at, by name: all of them where punctuations are made of rows."""
        stream = self.stream
        if stream.punctuates or stream.unique or stream.limits or stream.temporal is not None:
            return frozenset(stream.schema.names)
        return frozenset(stream.schema.names[i] for i in self.used)

    @property
    def used(self) -> set[int]:
        """The stream's columns on which the selections and what comes out depend."""
        wanted = set(range(len(self.schema)))
        for step in reversed(self.steps):
            if isinstance(step, Projection):
                wanted = {column.index for _, expression in step.columns for column in columns(expression)}
            elif isinstance(step, Filter):
                wanted |= {column.index for column in columns(step.predicate)}
        return wanted

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
