"""The way of a sweep through a stage: what becomes of values whose punctuations are lost (EXPECT WITHIN).

Behind the slice that led to it, a sweep says the lost punctuations to the operators, so that they purge what waits for
them. What operators release then is no result: it goes to the quarantine, and no further. An operator above may hear
such a punctuation later, when a join or an exchange has held it back, or as a part of a wider one. So it is also told
at once what is lost, over its own columns, and until that is closed it withholds the rows that match it.

Punctuations that hold for a while (LIFESPAN) go the same way when they are over: before the next slice, everything that
remembers one, from the stream's guard to the last operator, forgets it.

A slice goes in, with the sweep that the stages before send behind theirs, and the time of the batch where the clock
tells it. A slice comes out, a sweep for the next stage, and records for the quarantine.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import polars as pl

from punctum.algebra.json import from_json, to_json
from punctum.algebra.pattern import EMPTY, Constant
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import Schema
from punctum.algebra.values import Row
from punctum.engine.exchange.packing import CLOCK, Exchange, Message, from_lines, points_of, to_lines
from punctum.engine.exchange.quarantine import Record, fail
from punctum.engine.formats.write import json_lines
from punctum.engine.runtime.stage import Counts, StageRuntime, renamed
from punctum.errors import failing_in
from punctum.ir.definitions import Violation
from punctum.ir.planned import ExpectNode, LifespanNode, duration_text
from punctum.operators.batch import PunctuationBatch, batch, heard
from punctum.operators.columns import ColumnarSlice, empty, to_rows
from punctum.operators.expect import Expect, instant
from punctum.operators.lifespan import Lifespan
from punctum.operators.matching import matches
from punctum.operators.operator import Operator

LATE = "the value of the row was swept before it came"
"""The reason of a row that comes after its value was swept."""
NO_RESULT = "not a result, since "
"""What the reason of a row begins with that a sweep has released."""
FORGET = "forget"
"""The origin of what a stage sends to the next one to be forgotten."""
_DONE = ("rows_purged",)
_KEPT = ("rows_kept", "bytes_kept", "puncts_kept", "puncts_heard", "puncts_waiting", "stable")


@dataclass(frozen=True)
class Lost:
    """A punctuation that has not come, over some columns, its stream, the reason, and its JSON over the stream."""

    punctuation: Punctuation
    stream: str
    reason: str
    said: str

    def data(self) -> list[str]:
        """Itself as data for JSON."""
        return [to_json(self.punctuation, self.punctuation.schema), self.stream, self.reason, self.said]

    @staticmethod
    def of(data: Sequence[str], schema: Schema) -> "Lost":
        """What data mean."""
        text, *rest = data
        found = from_json(text, schema)
        assert isinstance(found, Punctuation)
        return Lost(found, *rest)

    def over(self, operator: Operator, number: int) -> "list[Lost]":
        """The same over the columns of an operator that reads it."""
        schema = operator.inputs[number]
        moved = operator.map_punctuations(number, batch(schema, [Punctuation(schema, self.punctuation.patterns)]))
        return [replace(self, punctuation=p) for p in moved]

    def record(self, text: str, withheld: bool = False) -> Record:
        """What goes to the quarantine: the value, or a row that would have come out."""
        return Record(self.stream, (NO_RESULT if withheld else "") + self.reason, text, punctuation=self.said)


@dataclass
class Sweep:
    """What is said behind a slice, in the place of what is lost; the cause of it, when there is any."""

    said: ColumnarSlice
    lost: list[Lost] = field(default_factory=list)
    cause: Lost | None = None

    @property
    def puncts(self) -> bool:
        """Whether anything is said."""
        return bool(self.said.puncts or self.said.constants)


@dataclass
class _Known:
    """What changes from slice to slice: what each operator is told is lost, the last sweep, and so on."""

    lost: list[list[Lost]]
    sweep: Sweep | None = None
    forgotten: PunctuationBatch | None = None
    records: list[Record] = field(default_factory=list)


@dataclass(frozen=True)
class Sweeping(StageRuntime):
    """A stage's operators in one bucket, some of which expect punctuations, or hear of those that others expect."""

    expects: dict[int, ExpectNode] = field(default_factory=dict)
    lasts: dict[int, LifespanNode] = field(default_factory=dict)
    last: bool = True
    """Whether no stage follows: what a sweep has closed is closed for whoever reads the result, too."""
    known: _Known = field(default_factory=lambda: _Known([]))

    def feed(self, sent: dict[int, list[Message]]) -> tuple[ColumnarSlice, list[Counts]]:
        """Run a slice through, and a sweep behind it."""
        times = [int(s.origin or 0) for each in sent.values() for s in each if s.sender == CLOCK]
        for n, relation in (self.expects | self.lasts).items():
            if times and relation.time is None:
                self._timed(n).at(instant(max(times)))
        over = self._forget(sent)
        self.known.records = []
        piece, metrics = super().feed(sent)
        self.known.records += super().violations()
        for n in self.lasts:
            metrics[n]["puncts_forgotten"] = over.get(n, 0)
        below = [self._sweep_from(number, sent.get(number, [])) for number in range(len(self.inputs))]
        sweeps = self._sweep(below, metrics)
        self.known.records += [record for told in self.failed for record in told()]
        self.known.sweep = sweeps[-1] if sweeps else below[0]
        if self.last and self.known.sweep.puncts:
            both = heard(self.schema, piece) + heard(self.schema, renamed(self.known.sweep.said, self.schema))
            piece = ColumnarSlice(piece.rows, tuple(both))
        return piece, metrics

    def _forget(self, sent: dict[int, list[Message]]) -> dict[int, int]:
        """Let all forget what is over before the next slice, and say how many punctuations each lifespan has ended."""
        begun: dict[int, PunctuationBatch] = {}
        for number, source in enumerate(self.inputs):
            schema = self._schema_of(number)
            begun[-1 - number] = PunctuationBatch(schema)
            for s in (s for s in sent.get(number, []) if s.origin == FORGET and s.sender >= 0):
                gone = batch(schema, from_lines(s.puncts, schema))
                source.forget(gone, s.sender)
                begun[-1 - number] += gone
        ended = {n: self._lasting(n).expire() for n in self.lasts}
        for n, gone in ended.items():
            self._forget_below(self.reads[n][0], gone)
        for n, (operator, reads) in enumerate(zip(self.operators, self.reads, strict=True)):
            begun[n] = ended.get(n, PunctuationBatch(operator.output))
            for i, read in enumerate(reads):
                if len(begun[read]):
                    gone = _moved(begun[read], operator.inputs[i])
                    operator.forget(i, gone)
                    begun[n] = begun[n] + operator.map_punctuations(i, gone)
        self.known.forgotten = begun[len(self.operators) - 1 if self.operators else -1]
        return {n: len(gone) for n, gone in ended.items()}

    def _forget_below(self, read: int, gone: PunctuationBatch) -> None:
        """Let what is between a lifespan and its stream forget."""
        if not len(gone):
            return
        if read < 0:
            self.inputs[-1 - read].forget(_moved(gone, self._schema_of(-1 - read)))
        else:
            self.operators[read].forget(0, _moved(gone, self.operators[read].inputs[0]))
            self._forget_below(self.reads[read][0], gone)

    def run(self, number: int, read: list[ColumnarSlice]) -> tuple[ColumnarSlice, Counts]:
        """What an operator gives, less what is withheld of it."""
        found, counts = super().run(number, read)
        if not self.operators[number].releasing_inputs:
            return found, counts
        piece = self._withheld(number, found) if self.known.lost[number] else found
        return piece, counts | {"rows_out": len(piece.rows), "rows_withheld": len(found.rows) - len(piece.rows)}

    def _withheld(self, n: int, found: ColumnarSlice) -> ColumnarSlice:
        """What an operator gives, less the rows that match what is lost; what has been closed is not lost any more."""
        operator, lost = self.operators[n], self.known.lost[n]
        wrong = matches(found.rows, PunctuationSet(operator.output, (each.punctuation for each in lost)))
        self._withhold(found.rows.filter(wrong), operator.output, lost, lost[0])
        self.known.lost[n] = [each for each in lost if not operator.has_emitted(each.punctuation)]
        return ColumnarSlice(found.rows.filter(~wrong), found.puncts, found.constants)

    def _withhold(self, rows: pl.DataFrame, schema: Schema, lost: list[Lost], cause: Lost | None) -> None:
        if rows.height:
            causes = _causes(to_rows(rows), lost)
            pairs = zip(json_lines(rows, schema), causes, strict=True)
            self.known.records += [because.record(text, True) for text, why in pairs if (because := why or cause)]

    def _sweep_from(self, number: int, sent: list[Message]) -> Sweep:
        """The sweep that has come from the stage before."""
        marked = [s for s in sent if _is_sweep(s)]
        schema = self._schema_of(number)
        if not marked:
            return Sweep(ColumnarSlice(empty(schema)))
        lost = [Lost.of(data, schema) for s in marked for data in json.loads(s.origin or "[]")]
        once = list(dict.fromkeys(lost))
        causes = [each for each in once if not each.punctuation.empty]
        return Sweep(self.take(number, marked), causes, once[0] if once else None)

    def _sweep(self, below: list[Sweep], metrics: list[Counts]) -> list[Sweep]:
        """What each operator says behind the last slice."""
        own = {n: self._swept(n, metrics[n]) for n in self.expects}
        sweeps: list[Sweep] = []
        for n, reads in enumerate(self.reads):
            read = [sweeps[i] if i >= 0 else below[-1 - i] for i in reads]
            with failing_in(f"{self.labels[n]}, behind a sweep"):
                sweeps.append(self._through(n, read, metrics[n]))
            if n in own and own[n].puncts:
                sweeps[n] = _together(self.operators[n].output, sweeps[n], own[n])
        return sweeps

    def _through(self, n: int, read: list[Sweep], counts: Counts) -> Sweep:
        """A sweep through an operator: what it releases goes to the quarantine, and what it says is lost."""
        operator, known = self.operators[n], self.known
        moved = [[q for each in sweep.lost for q in each.over(operator, i)] for i, sweep in enumerate(read)]
        lost = [each for some in moved for each in some]
        known.lost[n] += [each for i in operator.releasing_inputs for each in moved[i]]
        cause = next((sweep.cause for sweep in read if sweep.cause is not None), None)
        said = ColumnarSlice(empty(operator.output))
        if any(sweep.puncts for sweep in read):
            found, after = super().run(n, [sweep.said for sweep in read])
            self._withhold(found.rows, operator.output, lost + known.lost[n], cause)
            said = ColumnarSlice(said.rows, found.puncts, found.constants)
            lost += _freed(operator.output, said, lost, cause)
            counts |= {what: after[what] for what in _KEPT if what in after}
            counts |= {what: counts[what] + after[what] for what in _DONE}
            if operator.releasing_inputs:
                counts["rows_withheld"] += len(found.rows)
        if known.lost[n]:
            known.lost[n] = [each for each in known.lost[n] if not operator.has_emitted(each.punctuation)]
        return Sweep(said, lost, cause)

    def _swept(self, n: int, counts: Counts) -> Sweep:
        """What an operator has swept behind the last slice, and the records of it."""
        operator, relation = self._expect(n), self.expects[n]
        what = f"no punctuation {relation.scheme} has come within {duration_text(relation.within)}"
        lost = []
        for each in operator.swept:
            reason = f"{what}: open since {each.since.isoformat(' ')}"
            said = to_json(each.punctuation, operator.output)
            lost.append(Lost(each.punctuation, relation.stream.name, reason, said))
            self.known.records.append(lost[-1].record(f"{each.rows} row{'s' if each.rows > 1 else ''}"))
        if lost and relation.stream.on_violation is Violation.FAIL:
            fail(self.known.records[-len(lost)])
        counts["values_swept"], counts["rows_swept"] = len(lost), sum(each.rows for each in operator.swept)
        sweep = ColumnarSlice(empty(operator.output), tuple(each.punctuation for each in operator.swept))
        return Sweep(sweep, lost, lost[0] if lost else None)

    def violations(self) -> list[Record]:
        """What was not taken of the last slice, and what was swept behind it."""
        return self.known.records

    def behind(self, to: Exchange, bucket: int) -> list[tuple[int, Message]]:
        """The time, where it is needed, and the sweep, with what is lost, to all buckets of the next stage."""
        found, sweep = super().behind(to, bucket), self.known.sweep
        if self.known.forgotten is not None and len(self.known.forgotten):
            lines = to_lines(_moved(self.known.forgotten, to.schema))
            found += [(each, Message(bucket, None, lines, None, FORGET)) for each in _targets(to)]
        if sweep is None or sweep.cause is None:
            return found
        pieces = to.split(renamed(sweep.said, to.schema))
        schema, nothing = to.schema, ColumnarSlice(empty(to.schema))
        # the cause is there in any case: what is said may not show what is lost
        lost = [replace(each, punctuation=Punctuation(schema, each.punctuation.patterns)) for each in sweep.lost]
        cause = replace(sweep.cause, punctuation=_none(schema))
        data = json.dumps([each.data() for each in (lost or [cause])])
        for each in _targets(to):
            part = pieces.get(each, nothing)
            found.append((each, Message(bucket, None, to_lines(part.puncts), points_of(part), data)))
        return found

    def metadata(self) -> str:
        """All that is not in tables, as JSON."""
        lost = [[each.data() for each in some] for some in self.known.lost]
        return json.dumps({"running": super().metadata(), "lost": lost})

    def restore(self, metadata: str, chunks: Any) -> None:
        """Go on from a state."""
        found = json.loads(metadata)
        super().restore(found["running"], chunks)
        pairs = zip(self.operators, found["lost"], strict=True)
        self.known.lost = [[Lost.of(data, operator.output) for data in some] for operator, some in pairs]

    def _timed(self, n: int) -> Expect | Lifespan:
        operator = self.operators[n]
        assert isinstance(operator, Expect | Lifespan)
        return operator

    def _lasting(self, n: int) -> Lifespan:
        operator = self.operators[n]
        assert isinstance(operator, Lifespan)
        return operator

    def _expect(self, n: int) -> Expect:
        operator = self.operators[n]
        assert isinstance(operator, Expect)
        return operator

    def _schema_of(self, number: int) -> Schema:
        """The schema of an input: that of what reads it."""
        for operator, reads in zip(self.operators, self.reads, strict=True):
            if -1 - number in reads:
                return operator.inputs[reads.index(-1 - number)]
        return self.schema


def sweeping(
    running: StageRuntime, expects: dict[int, ExpectNode], lasts: dict[int, LifespanNode], last: bool
) -> Sweeping:
    """The same operators, with sweeps."""
    same = {each.name: getattr(running, each.name) for each in fields(StageRuntime)}
    return Sweeping(**same, expects=expects, lasts=lasts, last=last, known=_Known([[] for _ in running.operators]))


def _is_sweep(sent: Message) -> bool:
    """Whether something was sent behind a slice by the stage before."""
    return sent.sender >= 0 and sent.origin is not None and sent.origin != FORGET


def _targets(to: Exchange) -> tuple[int, ...]:
    return to.buckets if to.key else to.buckets[:1]


def _moved(said: PunctuationBatch, schema: Schema) -> PunctuationBatch:
    """Punctuations over a schema that differs in names and domains alone."""
    return PunctuationBatch(schema, said.constants, [Punctuation(schema, p.patterns) for p in said.others])


def _together(schema: Schema, one: Sweep, other: Sweep) -> Sweep:
    both = heard(schema, one.said) + heard(schema, other.said)
    return Sweep(ColumnarSlice(empty(schema), tuple(both)), one.lost + other.lost, one.cause or other.cause)


def _freed(schema: Schema, said: ColumnarSlice, lost: list[Lost], cause: Lost | None) -> list[Lost]:
    """What is said in a sweep beyond what is lost: it was held back by rows that are purged, and is no surer."""
    if cause is None:
        return []
    known = PunctuationSet(schema, (each.punctuation for each in lost))
    return [replace(cause, punctuation=p) for p in heard(schema, said) if not known.covers(p)]


def _causes(rows: list[Row], lost: list[Lost]) -> list[Lost | None]:
    """For each row what is lost that it matches."""
    by_value: dict[tuple[int, ...], dict[Row, Lost]] = {}
    others = []
    for each in lost:
        sides = each.punctuation.sides
        if all(isinstance(side, Constant) for _, side in sides):
            values = tuple(side.value for _, side in sides if isinstance(side, Constant))
            by_value.setdefault(tuple(i for i, _ in sides), {}).setdefault(values, each)
        else:
            others.append(each)

    def cause(row: Row) -> Lost | None:
        for at, known in by_value.items():
            if (found := known.get(tuple(row[i] for i in at))) is not None:
                return found
        return next((each for each in others if each.punctuation.match(row)), None)

    return [cause(row) for row in rows]


def _none(schema: Schema) -> Punctuation:
    """The punctuation that no row matches."""
    return Punctuation.of(schema, {schema.names[0]: EMPTY})
