"""A stage on Spark: a stateful processor that sees one bucket at a time.

For each bucket it takes the packed slices of all inputs, runs the operators on them, and gives packed slices for the
next stage, or for the sink. The state of a bucket lives in Spark's state store, in chunks: a batch writes the chunks
that changed. A worker also keeps the bucket's operators in memory, and uses them when the state store's version is
exactly the one that they were left with.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.engine.inputs import StageInput
from punctum.engine.packing import PACKED, Exchange, Sent, blob_of, from_blob, points_of, to_blob, to_lines
from punctum.operators.columns import Columns
from punctum.operators.operator import Operator
from punctum.operators.table import Table

METRICS = -2
"""The input number of rows that carry metrics; stages pass them on."""


@dataclass(frozen=True)
class Running:
    """A stage's operators in one bucket: operators in the order in which they run, and what each of them reads.

    A reference below zero is an input (-1 is the first), others are positions of operators. Without operators the stage
    passes on its only input.
    """

    inputs: tuple[StageInput, ...]
    operators: tuple[Operator, ...]
    reads: tuple[tuple[int, ...], ...]
    schema: Schema

    def feed(self, sent: dict[int, list[Sent]]) -> tuple[Columns, list[dict[str, int]]]:
        """Run a slice through, and say for each operator how many rows it took, gave and keeps."""
        taken = [source.take(sent.get(number, [])) for number, source in enumerate(self.inputs)]
        given: list[Columns] = []
        metrics = []
        for operator, reads in zip(self.operators, self.reads, strict=True):
            read = (given[i] if i >= 0 else taken[-1 - i] for i in reads)
            slices = [renamed(piece, schema) for piece, schema in zip(read, operator.inputs, strict=True)]
            given.append(operator.feed(*slices))
            size = operator.size()
            metrics.append(
                {
                    "rows_in": sum(len(piece.rows) for piece in slices),
                    "rows_out": len(given[-1].rows),
                    "puncts_in": sum(map(said, slices)),
                    "puncts_out": said(given[-1]),
                    "rows_kept": size.rows,
                    "bytes_kept": size.bytes,
                    "puncts_kept": size.puncts,
                }
            )
        return renamed(given[-1] if given else taken[0], self.schema), metrics

    def tables(self) -> dict[str, Table]:
        """All tables of all operators."""
        return {f"{n}.{name}": t for n, operator in enumerate(self.operators) for name, t in operator.tables().items()}

    def notes(self) -> str:
        """All that is not in tables, as JSON."""
        return json.dumps([[i.notes() for i in self.inputs], [o.notes() for o in self.operators]])

    def restore(self, notes: str, chunks: dict[str, dict[int, bytes]]) -> None:
        """Go on from a state."""
        inputs, operators = json.loads(notes)
        for source, known in zip(self.inputs, inputs, strict=True):
            source.restore(known)
        for n, (operator, known) in enumerate(zip(self.operators, operators, strict=True)):
            tables = {
                name: Table(table.frame(), {i: from_blob(blob) for i, blob in chunks.get(f"{n}.{name}", {}).items()})
                for name, table in operator.tables().items()
            }
            operator.restore_tables(tables)
            operator.restore_notes(known)


def renamed(piece: Columns, schema: Schema) -> Columns:
    """The slice over a schema that differs in names and domains alone."""
    names = dict(zip(piece.rows.columns, schema.names, strict=True))
    puncts = tuple(p if p.schema is schema else Punctuation(schema, p.patterns) for p in piece.puncts)
    return Columns(piece.rows.rename(names), puncts, {names[name]: values for name, values in piece.points.items()})


def said(piece: Columns) -> int:
    """How many punctuations a slice has."""
    return len(piece.puncts) + sum(map(len, piece.points.values()))


_CACHE: dict[tuple[str, int, int], tuple[int, Running]] = {}


class StageProcessor(StatefulProcessor):
    """Runs a stage's operators for each bucket, with their state in Spark's state store."""

    def __init__(self, run: str, number: int, build: Callable[[], Running], to: Exchange | None) -> None:
        self._run, self._number, self._build, self._to = run, number, build, to

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Name the state."""
        self._version = handle.getValueState("version", "version BIGINT, notes BINARY")
        self._chunks = handle.getMapState("chunks", "name STRING, id BIGINT", "data BINARY")

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Iterator[pd.DataFrame]:
        """Run a batch of one bucket."""
        bucket = int(key[0])
        sent: dict[int, list[Sent]] = {}
        for frame in rows:
            if (frame["input"] == METRICS).any():
                yield frame[frame["input"] == METRICS]
            for number, *arrived in zip(*(frame[name] for name in PACKED), strict=True):
                if number != METRICS:
                    sent.setdefault(int(number), []).append(Sent(*arrived))
        if not sent:
            return
        version, running = self._load(bucket)
        piece, metrics = running.feed(sent)
        self._save(bucket, version + 1, running)
        yield self._packed(bucket, piece, metrics)

    def close(self) -> None:
        """Nothing to close."""

    def _load(self, bucket: int) -> tuple[int, Running]:
        stored = self._version.get()
        version = int(stored[0]) if stored is not None else 0
        cached = _CACHE.get((self._run, self._number, bucket))
        if cached is not None and cached[0] == version:
            return version, cached[1]
        running = self._build()
        if stored is not None:
            chunks: dict[str, dict[int, bytes]] = {}
            for (name, number), (data,) in self._chunks.iterator():
                chunks.setdefault(name, {})[int(number)] = bytes(data)
            running.restore(bytes(stored[1]).decode(), chunks)
        return version, running

    def _save(self, bucket: int, version: int, running: Running) -> None:
        for name, table in running.tables().items():
            written, deleted = table.changes()
            for number in deleted:
                self._chunks.removeKey((name, number))
            for number, frame in written.items():
                self._chunks.updateValue((name, number), (to_blob(frame),))
        self._version.update((version, running.notes().encode()))
        _CACHE[self._run, self._number, bucket] = (version, running)

    def _packed(self, bucket: int, piece: Columns, metrics: list[dict[str, int]]) -> pd.DataFrame:
        if self._to is None:
            pieces, number = ({bucket: piece} if len(piece.rows) or said(piece) else {}), 0
        else:
            pieces, number = self._to.split(piece), self._to.input
        told = json.dumps({f"s{self._number}o{n}": counts for n, counts in enumerate(metrics)})
        return pd.DataFrame(
            {
                "bucket": pd.array([*pieces, bucket], dtype="int64"),
                "input": pd.array([number] * len(pieces) + [METRICS], dtype="int32"),
                "sender": pd.array([bucket] * (len(pieces) + 1), dtype="int64"),
                "rows": [*(blob_of(part) for part in pieces.values()), None],
                "puncts": [*(to_lines(part.puncts) for part in pieces.values()), told],
                "points": [*(points_of(part) for part in pieces.values()), None],
            }
        )
