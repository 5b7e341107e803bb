"""A stage that runs, in one bucket: messages in, a slice and what is counted out.

There is one loop. What a stage does beside it is in parts: each may look at what arrives, change what an operator takes
and gives, act behind a slice, send messages, and keep state of its own. ``build.py`` says which parts a stage has.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from itertools import groupby

import polars as pl

from punctum.engine.exchange.buckets import Exchange
from punctum.engine.exchange.messages import (
    Addressed,
    Counts,
    ExpiredMessage,
    StageMessage,
    StageSlice,
    StreamSlice,
    SweepMessage,
)
from punctum.engine.exchange.quarantine import Record
from punctum.engine.runtime.arrived import Arrived as InOrder
from punctum.engine.runtime.dataflow import Dataflow, renamed, together
from punctum.engine.runtime.timeline import Timeline
from punctum.errors import failing_in
from punctum.operators.columns import ColumnarSlice

Arrived = Mapping[int, Sequence[StageMessage]]
"""The messages of a batch, by input."""


class StagePart:
    """A feature of a running stage. A hook that it does not have leaves everything as it is."""

    name = ""
    """What its state is called; a part without state needs none."""
    tick: int | None = None
    """When the tick began that the slice is in, where the time of streams ends what punctuations say."""

    def begin(self) -> None:
        """A batch begins, which is a slice, or several."""

    def before(self, arrived: Arrived) -> None:
        """Look at what has arrived, before any of it is taken."""

    def on_input(self, number: int, slices: list[ColumnarSlice]) -> list[ColumnarSlice]:
        """What an operator is to take of the slices that have come for it."""
        return slices

    def on_output(
        self, number: int, slices: list[ColumnarSlice], given: ColumnarSlice, counts: Counts
    ) -> ColumnarSlice:
        """What is to go on of that which an operator has given for some slices; what is counted of it is added."""
        return given

    def after(self, arrived: Arrived, given: ColumnarSlice, counts: list[Counts]) -> ColumnarSlice:
        """What is to leave the stage, once all operators have run; what is counted of each is added."""
        return given

    def messages(self, to: Exchange, bucket: int) -> list[Addressed]:
        """What goes to buckets of the next stage behind the slice."""
        return []

    def records(self) -> list[Record]:
        """What goes to the quarantine since the slice began; to be asked once."""
        return []

    def metadata(self) -> object:
        """Its state, as data for JSON."""
        return None

    def restore(self, metadata: object) -> None:
        """Go on from a state; nothing, when the part was not there."""


class StageRuntime:
    """The operators of a stage in one bucket, and the parts that are composed with them, in order.

    Inputs with a timeline are taken in parts, in which nothing stands behind what has to be swept before it. Where they
    have ticks, those of earlier ones are taken first, of streams and of what the stages before have sent.
    """

    def __init__(
        self, flow: Dataflow, parts: Sequence[StagePart], timelines: Mapping[int, Timeline] | None = None
    ) -> None:
        self.flow, self.parts, self._timelines = flow, tuple(parts), timelines or {}
        self._records: list[Record] = []
        self.given: list[tuple[int | None, ColumnarSlice]] = []
        """What has come out of the last batch, by ticks."""

    def feed(self, arrived: Arrived) -> tuple[ColumnarSlice, list[Counts]]:
        """Run a batch through, and say what is counted of each operator."""
        self._records = []
        for part in self.parts:
            part.begin()
        left = {number: line.opened(arrived.get(number, ())) for number, line in self._timelines.items()}
        sent = _by_tick(arrived, left)
        results, counts = list[tuple[int | None, ColumnarSlice]](), list[list[Counts]]()
        while left or sent or not results:
            tick, heads, left = self._heads(left, sent)
            for part in self.parts:
                part.tick = tick
            result, counted = self._feed(sent.pop(tick, {}), heads)
            results.append((tick, result))
            counts.append(counted)
            self._records += [record for part in self.parts for record in part.records()] if left or sent else []
        pairs = groupby(results, lambda pair: pair[0])
        self.given = [(tick, together([piece for _, piece in some], self.flow.schema)) for tick, some in pairs]
        whole = together([piece for _, piece in self.given], self.flow.schema)
        return whole, [_summed(operator_counts) for operator_counts in zip(*counts, strict=True)]

    def _heads(
        self, left: Mapping[int, InOrder], sent: Mapping[int | None, Arrived]
    ) -> tuple[int | None, dict[int, InOrder], dict[int, InOrder]]:
        """The tick that comes next, what is taken at once of streams that have come to it, and what is left of all."""
        began = {number: self._timelines[number].began(came) for number, came in left.items()}
        tick = min((*began.values(), *sent), key=_instant, default=None)
        heads, rest = dict[int, InOrder](), dict[int, InOrder]()
        for number, came in left.items():
            behind: InOrder | None = came
            if began[number] == tick:
                heads[number], behind = self._timelines[number].next(came)
            rest |= {} if behind is None else {number: behind}
        return tick, heads, rest

    def _feed(self, arrived: Arrived, heads: Mapping[int, InOrder]) -> tuple[ColumnarSlice, list[Counts]]:
        """Run a slice through."""
        flow = self.flow
        for part in self.parts:
            part.before(arrived)
        taken = [
            flow.take(number, heads[number] if number in heads else slices_of(arrived.get(number, ())))
            for number in range(len(flow.inputs))
        ]
        given: list[ColumnarSlice] = []
        counts: list[Counts] = []
        for n, reads in enumerate(flow.reads):
            with failing_in(flow.labels[n]):
                counts.append({})
                given.append(self._run(n, [given[i] if i >= 0 else taken[-1 - i] for i in reads], counts[n]))
        result = renamed(given[-1] if given else taken[0], flow.schema)
        for part in self.parts:
            result = part.after(arrived, result, counts)
        return result, counts

    def _run(self, number: int, read: list[ColumnarSlice], counts: Counts) -> ColumnarSlice:
        """What an operator gives for the slices that it reads."""
        slices = self.flow.read(number, read)
        for part in self.parts:
            slices = part.on_input(number, slices)
        given = self.flow.operators[number].feed(*slices)
        for part in self.parts:
            given = part.on_output(number, slices, given, counts)
        return given

    def messages(self, to: Exchange, bucket: int) -> list[Addressed]:
        """What goes to buckets of the next stage behind the last slice."""
        return [sent for part in self.parts for sent in part.messages(to, bucket)]

    def records(self) -> list[Record]:
        """What goes to the quarantine since the last batch began; to be asked once."""
        return self._records + [record for part in self.parts for record in part.records()]

    def metadata(self) -> str:
        """All state that is not in tables, as JSON."""
        parts = {part.name: part.metadata() for part in self.parts if part.name}
        return json.dumps(self.flow.metadata() | {"parts": parts})

    def restore(self, metadata: str, chunks: Mapping[str, Mapping[int, pl.DataFrame]]) -> None:
        """Go on from a state."""
        known = json.loads(metadata)
        self.flow.restore(known, chunks)
        for part in self.parts:
            if part.name:
                part.restore(known["parts"].get(part.name))


def _instant(tick: int | None) -> int:
    """When a tick began; what has none is before all of them."""
    return -(2**63) if tick is None else tick


def _by_tick(arrived: Arrived, opened: Collection[int]) -> dict[int | None, Arrived]:
    """The messages of a batch by the ticks that they belong to, but for slices of some inputs, which are opened."""
    by_tick: dict[int | None, dict[int, list[StageMessage]]] = {}
    for number, messages in arrived.items():
        for m in messages:
            if number not in opened or not isinstance(m, StreamSlice):
                tick = m.tick if isinstance(m, StageSlice | SweepMessage | ExpiredMessage) else None
                by_tick.setdefault(tick, {}).setdefault(number, []).append(m)
    return dict(by_tick)


_STANDS = frozenset(["rows_kept", "bytes_kept", "puncts_kept", "puncts_waiting", "puncts_received", "stable", "due"])


def _summed(counts: Sequence[Counts]) -> Counts:
    """What is counted of an operator in a batch, of its slices: sums, and of what it keeps the last."""
    summed: Counts = {}
    for counted in counts:
        summed |= {what: n if what in _STANDS else summed.get(what, 0) + n for what, n in counted.items()}
    return summed


def slices_of(arrived: Sequence[StageMessage]) -> list[StreamSlice | StageSlice]:
    """The messages that bring a part of a slice, and do not come behind one."""
    return [message for message in arrived if isinstance(message, StreamSlice | StageSlice)]
