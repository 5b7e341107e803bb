"""The inputs of a stage, in one bucket: what comes from a stream, and what comes from the stage before.

Both take what was sent to the bucket in a batch and give one slice that the operators can rely on. Their state is a few
punctuation sets, as JSON, and a table of what does not coalesce.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import replace
from typing import Any

import polars as pl

from punctum.algebra.pattern import Constant, between
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import Schema
from punctum.engine.exchange.blobs import from_lines, to_lines
from punctum.engine.exchange.buckets import Exchange
from punctum.engine.exchange.messages import StageMessage, StageSlice, StreamSlice, SweepMessage
from punctum.engine.exchange.quarantine import MOST, Record
from punctum.engine.runtime.arrived import Arrived, Came, arrived, in_one
from punctum.engine.runtime.unfold import Folding
from punctum.operators.batch import PunctuationBatch, batch, constant_punctuations
from punctum.operators.checked import REASON
from punctum.operators.clock import time_of
from punctum.operators.columns import AT, NOW, ColumnarSlice, empty
from punctum.operators.emitted import EmittedPunctuations, hold
from punctum.operators.guard import Guard, Guarded
from punctum.operators.operator import Operator
from punctum.operators.origins import DomainLimits
from punctum.operators.project import Project
from punctum.operators.sequence import PlacedPunctuations, furthest, placed, together
from punctum.operators.table import Table

SliceMessage = StreamSlice | StageSlice | SweepMessage
"""What brings a slice, or what is said behind one."""


class StageInput(ABC):
    """An input of a stage, in one bucket."""

    folded = 0
    """How many rows of the last slice are not there, since they have been folded into others."""

    @abstractmethod
    def take(self, sent: Sequence[SliceMessage]) -> ColumnarSlice:
        """The slice that has arrived."""

    def violations(self) -> list[Record]:
        """What was not taken of the last slice."""
        return []

    @abstractmethod
    def puncts(self) -> int:
        """How many punctuations it remembers."""

    def forget(self, expired: PunctuationBatch, sender: int | None = None) -> None:
        """Remember no longer what is over, for all that send or for one bucket of the stage before."""
        raise NotImplementedError(f"{type(self).__name__} does not forget")

    def restart(self) -> None:  # noqa: B027
        """What sends here begins anew: what it has said before binds it no longer."""

    def tables(self) -> dict[str, Table]:
        """The part of its state that is in tables."""
        return {}

    @abstractmethod
    def metadata(self) -> dict[str, Any]:
        """The rest of its state, as JSON."""

    def announce(self, metadata: dict[str, Any]) -> None:  # noqa: B027
        """A state comes that has this metadata: have the tables that are in it."""

    @abstractmethod
    def restore(self, metadata: dict[str, Any], tables: dict[str, Table]) -> None:
        """Go on from a state."""


class FromStream(StageInput):
    """What comes from a stream: its rows have been through the pipe, its punctuations go through it here.

    Rows that punctuations before them exclude go no further. ``original`` finds them in the file that they came from.
    No value lies outside its declared domain: this is said once, as if a slice had come before the first. Punctuations
    on exactly those columns that are ``idle`` are of no use behind the guard, and end here. Unless some expire, what a
    prefix says is said by one that goes further. Rows may have been folded;
    from the first punctuation on that speaks of a folded column, they are read again as they were.
    """

    spoken: bool
    """Whether a punctuation has come on a column that is folded: from then on, no row is."""
    reported: Set[str] = frozenset()
    """The columns whose time is made behind it, of reports: where it moves nothing is said of it here."""

    def __init__(
        self,
        raw: Schema,
        schema: Schema,
        steps: Sequence[Operator],
        original: "Original",
        idle: Set[frozenset[int]] = frozenset(),
        folding: Folding | None = None,
        guard: Guard | None = None,
        expires: bool = False,
    ) -> None:
        self._raw, self._schema, self._steps, self._guard = raw, schema, steps, guard or Guard(schema)
        self._expires = expires
        self._original, self._idle, self._folding, self.spoken = original, idle, folding, False
        self._violations: list[Record] = []
        self._sent: list[StreamSlice] = []
        self._limits = tuple(DomainLimits(raw).opening())

    def take(self, sent: Sequence[SliceMessage]) -> ColumnarSlice:
        """The rows, in the order of their files, and what the stream's punctuations say of them."""
        return self.take_in_order(self.in_order(sent))

    def in_order(self, sent: Sequence[StageMessage]) -> Arrived:
        """What has come, put in order; nothing is taken yet."""
        self._sent = [m for m in sent if isinstance(m, StreamSlice)]
        return arrived(self._sent, self._raw, self._schema, self._unfolded)

    def cut(self, came: Arrived, place: int) -> tuple[Arrived, Arrived]:
        """What stands before a place, with how far time has come there, and all else."""
        punctuations = []
        for name, steps in came.times.items():
            if name not in self.reported and (now := steps.filter(pl.col(AT) < place)[NOW].max()) is not None:
                assert isinstance(now, int)
                kind = self._raw.attributes[self._raw.index(name)].type
                punctuations.append(Punctuation.of(self._raw, {name: between(None, time_of(now, kind))}))
        return came.cut(place, punctuations, self._raw)

    def plain(self, puncts: PlacedPunctuations) -> PlacedPunctuations:
        """Those of some punctuations that come out of the pipe as they are, each by itself."""
        for step in self._steps:
            if isinstance(step, Project):
                puncts = step.shown(step.plain(puncts))
        return replace(puncts, schema=self._schema)

    def by_themselves(self, came: Arrived) -> PunctuationBatch:
        """What punctuations that came say by themselves behind the pipe, whatever has been said before."""
        puncts = self.plain(placed(self._raw, in_one(came.pieces, self._raw), 0))
        constants = {at: values.unique() for at, (values, _) in puncts.constants.items()}
        return PunctuationBatch(self._schema, constants, [p for _, p in puncts.others])

    def excludes(self, rows: pl.DataFrame) -> pl.Series:
        """Whether what came before the batch excludes each of some rows."""
        return self._guard.excludes(rows)

    def take_in_order(self, came: Arrived) -> ColumnarSlice:
        """The rows, and what the stream's punctuations say of them."""
        limits = self._guard.feed(self._piped(self._limits, {})).puncts if self._limits else ()
        self._limits = ()
        known = [step.metadata() for step in self._steps]
        piped, sequences = self._in_order(came)
        if came.folded and any(isinstance(step, Project) and step.widened for step in self._steps):
            for step, before in zip(self._steps, known, strict=True):  # where each row stands may matter
                step.restore_metadata(before)
            self.spoken = True
            came = arrived(self._sent, self._raw, self._schema, self._unfolded)
            piped, sequences = self._in_order(came)
        self._sent = []
        self.folded = sum(came.folded.values())
        guarded = self._guard.split(ColumnarSlice(came.rows, piped.puncts, piped.constants), sequences)
        self._violations = self._records(guarded, came) if guarded.bad.height else []
        return self._used(ColumnarSlice(guarded.good.rows, limits + guarded.good.puncts, guarded.good.constants))

    def _unfolded(self, came: Came) -> Came:
        """What has come, with all its rows once a punctuation has come on a column that is folded."""
        if self._folding is None:
            return came
        self.spoken = self.spoken or self._folding.is_spoken_of([piece for _, piece in came])
        return self._folding.undone(came) if self.spoken else came

    def _in_order(self, came: Arrived) -> tuple[ColumnarSlice, list[tuple[pl.Series, PlacedPunctuations]]]:
        """The punctuations behind the pipe, and again with their places where rows stand behind them."""
        known, every = [step.metadata() for step in self._steps], in_one(came.pieces, self._raw)
        piped = self._piped(every.puncts if self._expires else furthest(every.puncts), every.constants)
        if not came.sequences or not any(isinstance(step, Project) and step.widened for step in self._steps):
            return piped, [(at, self._shown(puncts)) for at, puncts in came.sequences]
        for step, before in zip(self._steps, known, strict=True):
            step.restore_metadata(before)
        return self._one_by_one(came)

    def _one_by_one(self, came: Arrived) -> tuple[ColumnarSlice, list[tuple[pl.Series, PlacedPunctuations]]]:
        """The same when some of them say more together: that is known where the last of these stands."""
        sequences, parts = list[tuple[pl.Series, PlacedPunctuations]](), list[ColumnarSlice]()
        for at, puncts in came.sequences:
            slices = [(place, self._piped(xs.puncts, xs.constants)) for place, xs in puncts.between(at)]
            sequences.append((at, together(self._schema, [placed(self._schema, xs, place) for place, xs in slices])))
            parts += [xs for _, xs in slices]
        return in_one(parts, self._schema), sequences

    def _shown(self, puncts: PlacedPunctuations) -> PlacedPunctuations:
        """What each of some punctuations by itself says behind the pipe."""
        for step in self._steps:
            if isinstance(step, Project):
                puncts = step.shown(puncts)
        return replace(puncts, schema=self._schema)

    def _used(self, piece: ColumnarSlice) -> ColumnarSlice:
        """A slice with those punctuations that an operator may use."""
        if not self._idle:
            return piece
        puncts = tuple(p for p in piece.puncts if frozenset(i for i, _ in p.sides) not in self._idle)
        at = self._schema.positions
        constants = {
            name: values for name, values in piece.constants.items() if frozenset([at[name]]) not in self._idle
        }
        return ColumnarSlice(piece.rows, puncts, constants)

    def _piped(self, puncts: tuple[Punctuation, ...], constants: dict[str, pl.Series]) -> ColumnarSlice:
        """Punctuations behind the pipe."""
        piece = ColumnarSlice(empty(self._raw), puncts, constants)
        for step in self._steps:
            piece = step.feed(ColumnarSlice(empty(step.inputs[0]), piece.puncts, piece.constants))
        return piece

    def puncts(self) -> int:
        """Those that find rows which come too late."""
        return self._guard.puncts()

    def violations(self) -> list[Record]:
        """The rows of the last slice that punctuations before them exclude."""
        return self._violations

    def _records(self, guarded: Guarded, came: Arrived) -> list[Record]:
        """A record for each bad row, file by file; of very many the rest is counted."""
        records: list[Record] = []
        start = 0
        for piece, split in zip(came.pieces, came.splits, strict=True):
            here = (guarded.at >= start) & (guarded.at < start + piece.rows.height)
            if here.any():
                bad = guarded.bad.filter(here).with_columns(guarded.reasons.filter(here).alias(REASON))
                if split in came.folded and self._folding is not None:
                    unfolded = self._folding.unfolded(split, bad)
                    self.folded -= unfolded.height - bad.height
                    bad = unfolded
                if piece.places is not None:
                    bad = bad.with_columns(piece.places.rows.gather(guarded.at.filter(here) - start).alias(AT))
                texts = self._original(split, bad.head(max(1, MOST - len(records))))
                beyond = bad.height - len(texts) if texts else 0
                records += [*texts, texts[-1].counted(beyond)] if beyond > 0 else texts
            start += piece.rows.height
        return records

    def forget(self, expired: PunctuationBatch, sender: int | None = None) -> None:
        """The guard and the pipe forget it; the pipe's columns are the stream's own, some of them left out."""
        self._guard.forget(0, PunctuationBatch(self._schema, expired.constants, expired.others))
        for step in reversed(self._steps):
            assert isinstance(step, Project), "a lifespan stands before all filters"
            expired = step.before(expired)
            step.forget(0, expired)

    def restart(self) -> None:
        """The stream may send again what it has sent before."""
        self._guard.restart()

    def tables(self) -> dict[str, Table]:
        """What the guard has received and does not coalesce."""
        return self._guard.tables()

    def metadata(self) -> dict[str, Any]:
        """What the steps and the guard know."""
        steps = {str(n): step.metadata() for n, step in enumerate(self._steps)}
        return {"guard": self._guard.metadata(), "spoken": self.spoken} | steps

    def restore(self, metadata: dict[str, Any], tables: dict[str, Table]) -> None:
        """Go on from a state."""
        self._limits, self.spoken = (), metadata["spoken"]
        self._guard.restore_tables(tables)
        self._guard.restore_metadata(metadata["guard"])
        for n, step in enumerate(self._steps):
            step.restore_metadata(metadata[str(n)])


Original = Callable[[str | None, pl.DataFrame], list[Record]]
"""The records of rows that violate, with the reason of each in a column of its own, and the file they come from."""


class FromStage(StageInput):
    """What comes from the buckets of the stage before: a merge of as many inputs.

    A punctuation holds when every bucket that can have rows for it has said it. When the earlier stage's key can be
    seen in its output, a punctuation that fixes it concerns one bucket, and the others need say nothing. Constants that
    hold are forgotten, unless they may be over one day.
    """

    def __init__(self, schema: Schema, origin: Exchange, punctuations_expire: bool = False) -> None:
        self._schema, self._origin, self._lasting = schema, origin, punctuations_expire
        self._received = {bucket: PunctuationSet(schema) for bucket in origin.buckets}
        self._agreed = EmittedPunctuations(schema)

    def take(self, sent: Sequence[SliceMessage]) -> ColumnarSlice:
        """The rows, and what all buckets together have come to say."""
        ordered = sorted((m for m in sent if not isinstance(m, StreamSlice)), key=lambda m: m.sender)
        received = [(m.sender, p) for m in ordered for p in m.slice.punctuations(self._schema)]
        own: dict[int, list[pl.Series]] = {}
        for message in ordered:
            sender = message.sender
            for name, values in message.slice.constant_values().items():
                at = self._schema.index(name)
                if self._origin.key == (at,):  # who alone can have rows for a constant need not wait for the others
                    if values.dtype != pl.String:  # what coalesces may become part of a range that waits
                        hold(self._received[sender], at, values)
                    own.setdefault(at, []).append(values.filter(self._origin.owners(values) == sender))
                else:
                    received += [(sender, p) for p in constant_punctuations(self._schema, at, values)]
        constants = {at: pl.concat(parts) for at, parts in own.items()}
        agreed = batch(self._schema, (q for sender, p in received for q in self._together(sender, p)))
        new = self._agreed.add_new(agreed + PunctuationBatch(self._schema, constants))
        names = self._schema.names
        named = {names[at]: values for at, values in new.constants.items()}
        return ColumnarSlice(_rows(ordered, self._schema), tuple(new.others), named)

    def puncts(self) -> int:
        """What each bucket has said, and what they have agreed on."""
        return sum(map(len, self._received.values())) + len(self._agreed)

    def _together(self, sender: int, p: Punctuation) -> Iterable[Punctuation]:
        """Hear one bucket, and give what the others have said of the same rows before."""
        self._received[sender].add(p)
        agreed = self._origin.owned(p, sender)  # of each of several keys, its bucket speaks alone
        if agreed is None:
            agreed = [p]
            for bucket in self._origin.target_buckets(p):
                if bucket != sender:
                    agreed = [q for part in agreed for q in self._received[bucket].alike(part)]
        for q in agreed if not self._lasting else ():
            if q.sides and all(isinstance(side, Constant) for _, side in q.sides):
                for puncts in self._received.values():
                    if puncts.has(q.sides):
                        puncts.take(q.sides)
        return agreed

    def forget(self, expired: PunctuationBatch, sender: int | None = None) -> None:
        """One bucket says it no longer, so they do not agree on it."""
        for p in expired:
            for bucket in self._received if sender is None else (sender,):
                self._received[bucket].forget(p)
        self._agreed.forget(expired)

    def metadata(self) -> dict[str, Any]:
        """What each bucket has said, and what they have agreed on."""
        received = {str(bucket): to_lines(puncts) for bucket, puncts in self._received.items() if len(puncts)}
        return {"received": received, "agreed": self._agreed.metadata()}

    def restore(self, metadata: dict[str, Any], tables: dict[str, Table]) -> None:
        """Go on from a state."""
        self._received = {bucket: PunctuationSet(self._schema) for bucket in self._received}
        for bucket, lines in metadata["received"].items():
            self._received[int(bucket)] = PunctuationSet(self._schema, from_lines(str(lines), self._schema))
        self._agreed.restore(metadata["agreed"])


def _rows(sent: Sequence[SliceMessage], schema: Schema) -> pl.DataFrame:
    frames = [rows for message in sent if (rows := message.slice.frame()) is not None]
    return pl.concat(frames) if frames else empty(schema)
