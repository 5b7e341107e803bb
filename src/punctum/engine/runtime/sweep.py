"""The way of a sweep through a stage: what becomes of values whose punctuations are lost (EXPECT WITHIN).

Behind the slice that led to it, a sweep says the lost punctuations to the operators, so that they purge what waits for
them. What operators release then is no result: it goes to the quarantine, and no further. An operator above may hear
such a punctuation later, when a join or an exchange has held it back, or as a part of a wider one. So it is also told
at once what is lost, over its own columns, and until that is closed it withholds the rows that match it.

A slice goes in, with the sweep that the stages before send behind theirs. A slice comes out, a sweep for the next
stage, and records for the quarantine.
"""

from typing import Any

import polars as pl

from punctum.algebra.json import to_json
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import Schema
from punctum.engine.exchange.buckets import Exchange
from punctum.engine.exchange.messages import Addressed, Counts, PackedSlice, SweepMessage
from punctum.engine.exchange.quarantine import Record, fail
from punctum.engine.formats.write import json_lines
from punctum.engine.runtime.dataflow import Dataflow, renamed
from punctum.engine.runtime.lost import Lost, Sweep, causes, freed
from punctum.engine.runtime.metrics import counted
from punctum.engine.runtime.stage import Arrived, StagePart
from punctum.errors import failing_in
from punctum.ir.definitions import Violation
from punctum.ir.planned import ExpectNode, duration_text
from punctum.operators.batch import punctuations_of
from punctum.operators.columns import ColumnarSlice, empty, to_rows
from punctum.operators.expect import Expect
from punctum.operators.matching import matches

LATE = "the row arrived after its value was swept"
"""The reason of a row that comes after its value was swept."""
_DONE = ("rows_purged",)
_KEPT = ("rows_kept", "bytes_kept", "puncts_kept", "puncts_received", "puncts_waiting", "stable")


class Sweeps(StagePart):
    """Sweeps values through a stage some of whose operators expect punctuations, or hear what others expect.

    ``last`` says that no stage follows: what a sweep has closed is closed for whoever reads the result, too.
    """

    name = "lost"

    def __init__(self, flow: Dataflow, expects: dict[int, tuple[ExpectNode, Expect]], last: bool) -> None:
        self._flow, self._expects, self._last = flow, expects, last
        self._lost: list[list[Lost]] = [[] for _ in flow.operators]  # of each operator what it withholds
        self._sweeps: list[tuple[int | None, Sweep]] = []
        self._records: list[Record] = []

    def begin(self) -> None:
        """Nothing has been swept in a batch that begins."""
        self._sweeps = []

    def before(self, arrived: Arrived) -> None:
        """Begin with a slice."""
        self._records = []

    def on_output(
        self, number: int, slices: list[ColumnarSlice], given: ColumnarSlice, counts: Counts
    ) -> ColumnarSlice:
        """What an operator gives, less what is withheld of it."""
        if not self._flow.operators[number].releasing_inputs:
            return given
        piece = self._withheld(number, given) if self._lost[number] else given
        counts |= {"rows_out": len(piece.rows), "rows_withheld": len(given.rows) - len(piece.rows)}
        return piece

    def _withheld(self, n: int, given: ColumnarSlice) -> ColumnarSlice:
        """What an operator gives, less the rows that match what is lost."""
        operator, lost = self._flow.operators[n], self._lost[n]
        wrong = matches(given.rows, PunctuationSet(operator.output, (one.punctuation for one in lost)))
        self._quarantine(given.rows.filter(wrong), operator.output, lost, lost[0])
        self._drop_closed(n)
        return ColumnarSlice(given.rows.filter(~wrong), given.puncts, given.constants)

    def _drop_closed(self, n: int) -> None:
        """What an operator has closed is not lost any more."""
        if self._lost[n]:
            operator = self._flow.operators[n]
            self._lost[n] = [one for one in self._lost[n] if not operator.has_emitted(one.punctuation)]

    def _quarantine(self, rows: pl.DataFrame, schema: Schema, lost: list[Lost], cause: Lost | None) -> None:
        if rows.height:
            pairs = zip(json_lines(rows, schema), causes(to_rows(rows), lost), strict=True)
            self._records += [because.record(text, True) for text, why in pairs if (because := why or cause)]

    def after(self, arrived: Arrived, given: ColumnarSlice, counts: list[Counts]) -> ColumnarSlice:
        """Let a sweep go through behind the slice."""
        below = [self._arrived(number, arrived) for number in range(len(self._flow.inputs))]
        sweeps = self._through_all(below, counts)
        sweep = sweeps[-1] if sweeps else below[0]
        self._sweeps.append((self.tick, sweep))
        if self._last and sweep.says_anything:
            schema = self._flow.schema
            both = punctuations_of(schema, given) + punctuations_of(schema, renamed(sweep.slice, schema))
            return ColumnarSlice(given.rows, tuple(both))
        return given

    def _arrived(self, number: int, arrived: Arrived) -> Sweep:
        """The sweep that has come from the stage before."""
        messages = [m for m in arrived.get(number, ()) if isinstance(m, SweepMessage)]
        schema = self._flow.input_schema(number)
        if not messages:
            return Sweep.nothing(schema)
        lost = list(dict.fromkeys(Lost.of(data, schema) for m in messages for data in m.lost))
        shown = [one for one in lost if not one.punctuation.empty]
        return Sweep(self._flow.take(number, messages), shown, lost[0] if lost else None)

    def _through_all(self, below: list[Sweep], counts: list[Counts]) -> list[Sweep]:
        """What each operator says behind the last slice."""
        own = {n: self._swept(n, counts[n]) for n in self._expects}
        sweeps: list[Sweep] = []
        for n, reads in enumerate(self._flow.reads):
            read = [sweeps[i] if i >= 0 else below[-1 - i] for i in reads]
            with failing_in(f"{self._flow.labels[n]}, after a sweep"):
                sweeps.append(self._through(n, read, counts[n]))
            if n in own and own[n].says_anything:
                sweeps[n] = sweeps[n].together(own[n], self._flow.operators[n].output)
        return sweeps

    def _through(self, n: int, read: list[Sweep], counts: Counts) -> Sweep:
        """A sweep through an operator: what it releases goes to the quarantine, and what it says is lost."""
        operator = self._flow.operators[n]
        moved = [[q for one in sweep.lost for q in one.over(operator, i)] for i, sweep in enumerate(read)]
        lost = [one for several in moved for one in several]
        self._lost[n] += [one for i in operator.releasing_inputs for one in moved[i]]
        cause = next((sweep.cause for sweep in read if sweep.cause is not None), None)
        puncts = ColumnarSlice(empty(operator.output))
        if any(sweep.says_anything for sweep in read):
            slices = self._flow.read(n, [sweep.slice for sweep in read])
            given = operator.feed(*slices)
            self._quarantine(given.rows, operator.output, lost + self._lost[n], cause)
            self._count(counts, counted(self._flow, n, slices, given), bool(operator.releasing_inputs))
            puncts = ColumnarSlice(puncts.rows, given.puncts, given.constants)
            lost += freed(operator.output, puncts, lost, cause)
        self._drop_closed(n)
        return Sweep(puncts, lost, cause)

    def _count(self, counts: Counts, behind: Counts, releasing: bool) -> None:
        """Add what is counted of an operator behind a slice; what it gives there is withheld."""
        counts |= {what: behind[what] for what in _KEPT if what in behind}
        counts |= {what: counts.get(what, 0) + behind[what] for what in _DONE}
        if releasing:
            counts["rows_withheld"] = counts.get("rows_withheld", 0) + behind["rows_out"]

    def _swept(self, n: int, counts: Counts) -> Sweep:
        """What an operator has swept behind the last slice, and the records of it."""
        relation, operator = self._expects[n]
        what = f"no punctuation {relation.scheme} arrived within {duration_text(relation.within)}"
        lost = []
        for value in operator.swept:
            reason = f"{what}: open since {value.since.isoformat(' ')}"
            original = to_json(value.punctuation, operator.output)
            lost.append(Lost(value.punctuation, relation.stream.name, reason, original))
            self._records.append(lost[-1].record(f"{value.rows} row{'s' if value.rows > 1 else ''}"))
        if lost and relation.stream.on_violation is Violation.FAIL:
            fail(self._records[-len(lost)])
        counts["values_swept"], counts["rows_swept"] = len(lost), sum(value.rows for value in operator.swept)
        puncts = tuple(value.punctuation for value in operator.swept)
        return Sweep(ColumnarSlice(empty(operator.output), puncts), lost, lost[0] if lost else None)

    def records(self) -> list[Record]:
        """What was swept and withheld."""
        return self._records

    def messages(self, to: Exchange, bucket: int) -> list[Addressed]:
        """The sweeps, with what is lost, to all buckets of the next stage."""
        return [sent for tick, sweep in self._sweeps for sent in self._sent(sweep, to, bucket, tick)]

    def _sent(self, sweep: Sweep, to: Exchange, bucket: int, tick: int | None) -> list[Addressed]:
        if sweep.cause is None:
            return []
        pieces = to.split(renamed(sweep.slice, to.schema))
        # the cause is there in any case: what is said may not show what is lost
        lost = [one.renamed(to.schema) for one in sweep.lost] or [sweep.cause.nowhere(to.schema)]
        data, nothing = [one.data() for one in lost], ColumnarSlice(empty(to.schema))
        return [
            Addressed(target, SweepMessage(bucket, PackedSlice.of(pieces.get(target, nothing)), data, tick), to.input)
            for target in to.used_buckets
        ]

    def metadata(self) -> list[list[list[str]]]:
        """What each operator withholds."""
        return [[one.data() for one in lost] for lost in self._lost]

    def restore(self, metadata: Any) -> None:
        """Go on from a state."""
        pairs = zip(self._flow.operators, metadata or [[]] * len(self._lost), strict=True)
        self._lost = [[Lost.of(data, operator.output) for data in lost] for operator, lost in pairs]
