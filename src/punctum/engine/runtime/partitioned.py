"""The input of a stage that comes from a topic, in one bucket: a merge of its partitions, each of them a sequence."""

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any

import polars as pl

from punctum.algebra.schema import Schema
from punctum.engine.exchange.messages import PartitionsMessage, StreamSlice
from punctum.engine.exchange.quarantine import Record
from punctum.engine.runtime.arrived import Arrived as InOrder
from punctum.engine.runtime.dataflow import Dataflow
from punctum.engine.runtime.inputs import FromStream, SliceMessage, StageInput
from punctum.engine.runtime.stage import Arrived, StagePart
from punctum.operators.batch import PunctuationBatch, columns, punctuations_of
from punctum.operators.columns import ColumnarSlice, empty
from punctum.operators.guard import Guard
from punctum.operators.operator import CLOSED
from punctum.operators.partitioned import Partitioned, guard_of
from punctum.operators.table import Table


class FromPartitions(StageInput):
    """What comes from the partitions of a topic: each through a pipe and a guard of its own, and then merged."""

    def __init__(
        self, schema: Schema, sequence: Callable[[Guard], FromStream], owned: frozenset[frozenset[int]] = frozenset()
    ) -> None:
        self._schema, self._sequence = schema, sequence
        self._merge, self._has_owners = Partitioned(schema, owned), bool(owned)
        self._sequences: dict[int, FromStream] = {}
        self._fresh = set[int]()
        self._new = PunctuationBatch(schema)
        self._violations: list[Record] = []

    def hear(self, message: PartitionsMessage) -> None:
        """Which partitions there are, and which of them are idle, from this batch on."""
        self._fresh = set(message.known) - set(self._sequences)
        self._add(self._fresh)
        self._new = self._merge.hear(message.known, message.idle)

    def _add(self, partitions: set[int]) -> None:
        for p in sorted(partitions):
            self._sequences[p] = self._sequence(guard_of(self._schema, self._merge))

    def take(self, sent: Sequence[SliceMessage]) -> ColumnarSlice:
        """The rows of all partitions, and what holds of their merge."""
        came = sorted((m for m in sent if isinstance(m, StreamSlice) and m.origin is not None), key=lambda m: m.order)
        by_partition = {p: list(several) for p, several in groupby(came, key=lambda m: m.order[0])}
        fresh, self._fresh = self._fresh, set()
        in_order = self._received(by_partition, fresh)
        pieces = {p: self._sequences[p].take_in_order(came) for p, came in in_order.items()}
        released, self._new = self._new, PunctuationBatch(self._schema)
        self.folded = sum(self._sequences[p].folded for p in pieces)
        self._violations = [record for p in by_partition for record in self._sequences[p].violations()]
        punctuations = {p: self._own(p, in_order[p]) + punctuations_of(self._schema, xs) for p, xs in pieces.items()}
        held = released + self._merge.receive(punctuations)
        rows = [xs.rows for xs in pieces.values() if xs.rows.height]
        return columns(pl.concat(rows) if rows else empty(self._schema), held, *pieces.values())

    def _received(self, sent: dict[int, list[StreamSlice]], fresh: set[int]) -> dict[int, InOrder]:
        """What has come of each partition, in order.

        A punctuation of one may exclude rows of another: when it speaks of a folded column, all have their rows again.
        """
        some = sorted({*fresh, *sent})
        in_order = {p: self._sequences[p].in_order(sent.get(p, [])) for p in some}
        spoken = [sequence.spoken for sequence in self._sequences.values()]
        if any(spoken) and not all(spoken):
            for sequence in self._sequences.values():
                sequence.spoken = True
            in_order = {p: self._sequences[p].in_order(sent.get(p, [])) for p in some}
        return in_order

    def _own(self, partition: int, came: InOrder) -> PunctuationBatch:
        """What a partition alone can say, whatever it has said before of more than that."""
        if not self._has_owners:
            return PunctuationBatch(self._schema)
        return self._merge.owned(self._sequences[partition].by_themselves(came))

    def violations(self) -> list[Record]:
        """The rows of the last slice that punctuations of their own partition exclude, or that come too late of all."""
        return self._violations

    def puncts(self) -> int:
        """What each partition has said, and what holds."""
        return len(self._merge) + sum(sequence.puncts() for sequence in self._sequences.values())

    def forget(self, expired: PunctuationBatch, sender: int | None = None) -> None:
        """Remember no longer what is over."""
        self._merge.forget(expired)
        for sequence in self._sequences.values():
            sequence.forget(expired)

    def tables(self) -> dict[str, Table]:
        """The keys that hold, that each partition has closed, and that its guard remembers."""
        seen = {f"{CLOSED}seen {p} {n}": t for p, s in self._sequences.items() for n, t in s.tables().items()}
        return self._merge.tables() | seen

    def metadata(self) -> dict[str, Any]:
        """What the merge and each partition know."""
        sequences = {str(p): sequence.metadata() for p, sequence in self._sequences.items()}
        return {"merge": self._merge.metadata(), "sequences": sequences}

    def announce(self, metadata: dict[str, Any]) -> None:
        """Have the partitions that a state has."""
        self._merge.announce(metadata["merge"])
        self._sequences = {}
        self._add({int(p) for p in metadata["sequences"]})

    def restore(self, metadata: dict[str, Any], tables: dict[str, Table]) -> None:
        """Go on from a state."""
        self._merge.restore_tables(tables)
        self._merge.restore(metadata["merge"])
        for p, sequence in self._sequences.items():
            known = {n: tables[f"{CLOSED}seen {p} {n}"] for n in sequence.tables()}
            sequence.restore(metadata["sequences"][str(p)], known)


class PartitionsHeard(StagePart):
    """Lets inputs hear of their partitions, before anything of the batch is taken."""

    def __init__(self, flow: Dataflow) -> None:
        self._flow = flow

    def before(self, arrived: Arrived) -> None:
        """Take what has been told."""
        for number, messages in arrived.items():
            source = self._flow.inputs[number] if number >= 0 else None
            for message in messages:
                if isinstance(message, PartitionsMessage) and isinstance(source, FromPartitions):
                    source.hear(message)
