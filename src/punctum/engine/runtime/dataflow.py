"""The operators of a stage in one bucket, and how they are wired: slices go in at inputs, and through operators.

A reference below zero is an input (-1 is the first), others are positions of operators.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.engine.runtime.arrived import Arrived, in_one
from punctum.engine.runtime.inputs import FromStream, SliceMessage, StageInput
from punctum.errors import failing_in
from punctum.operators.columns import ColumnarSlice
from punctum.operators.operator import Operator
from punctum.operators.table import Table


@dataclass
class Dataflow:
    """Operators in the order in which they run, and what each of them reads.

    Without operators the only input is the output.
    """

    inputs: tuple[StageInput, ...]
    operators: tuple[Operator, ...]
    reads: tuple[tuple[int, ...], ...]
    schema: Schema
    """The schema of the output."""
    names: tuple[str, ...]
    """The stream or the stage that each input comes from."""
    labels: tuple[str, ...]
    """What each operator does, and with which streams: for errors."""

    def take(self, number: int, sent: Sequence[SliceMessage] | Arrived) -> ColumnarSlice:
        """The slice that has arrived at an input; of a stream, what has come may be in order already."""
        with failing_in(f"input from {self.names[number]}"):
            source = self.inputs[number]
            if isinstance(sent, Arrived):
                assert isinstance(source, FromStream)
                return source.take_in_order(sent)
            return source.take(sent)

    def read(self, number: int, slices: Sequence[ColumnarSlice]) -> list[ColumnarSlice]:
        """Slices for an operator, over the schemas of its inputs."""
        pairs = zip(slices, self.operators[number].inputs, strict=True)
        return [renamed(piece, schema) for piece, schema in pairs]

    def input_schema(self, number: int) -> Schema:
        """The schema of an input: that of what reads it."""
        for operator, reads in zip(self.operators, self.reads, strict=True):
            if -1 - number in reads:
                return operator.inputs[reads.index(-1 - number)]
        return self.schema

    def stream(self, operator: int, number: int) -> str:
        """The stream that an operator's input comes from; the first, when there are several."""
        read = self.reads[operator][number]
        return self.names[-1 - read] if read < 0 else self.stream(read, 0)

    def tables(self) -> dict[str, Table]:
        """All tables of all inputs and operators."""
        received = {
            f"{-1 - n}.{name}": t for n, source in enumerate(self.inputs) for name, t in source.tables().items()
        }
        kept = {f"{n}.{name}": t for n, operator in enumerate(self.operators) for name, t in operator.tables().items()}
        return received | kept

    def metadata(self) -> dict[str, Any]:
        """All that is not in tables, as data for JSON."""
        return {"inputs": [i.metadata() for i in self.inputs], "operators": [o.metadata() for o in self.operators]}

    def restore(self, metadata: Mapping[str, Any], chunks: Mapping[str, Mapping[int, pl.DataFrame]]) -> None:
        """Go on from a state."""

        def stored(of: int, tables: dict[str, Table]) -> dict[str, Table]:
            return {name: t.restored(chunks.get(f"{of}.{name}", {})) for name, t in tables.items()}

        for n, (source, known) in enumerate(zip(self.inputs, metadata["inputs"], strict=True)):
            source.announce(known)
            source.restore(known, stored(-1 - n, source.tables()))
        for n, (operator, known) in enumerate(zip(self.operators, metadata["operators"], strict=True)):
            operator.restore_tables(stored(n, operator.tables()))
            operator.restore_metadata(known)


def renamed(piece: ColumnarSlice, schema: Schema) -> ColumnarSlice:
    """The slice over a schema that differs in names and domains alone."""
    if piece.rows.columns == list(schema.names) and all(p.schema is schema for p in piece.puncts):
        return piece
    names = dict(zip(piece.rows.columns, schema.names, strict=True))
    puncts = tuple(p if p.schema is schema else Punctuation(schema, p.patterns) for p in piece.puncts)
    return ColumnarSlice(
        piece.rows.rename(names), puncts, {names[name]: values for name, values in piece.constants.items()}
    )


def together(slices: Sequence[ColumnarSlice], schema: Schema) -> ColumnarSlice:
    """Slices that follow each other, as one."""
    if len(slices) == 1:
        return slices[0]
    puncts = in_one(slices, schema)
    return ColumnarSlice(pl.concat([piece.rows for piece in slices]), puncts.puncts, puncts.constants)
