"""Punctuations that hold for a while (LIFESPAN): when they are over, all that remembers them forgets them.

Before a slice, what the stages before have said to be over goes in, and what lifespans end in this one. It goes the way
of punctuations, from the stream's guard to the last operator, and to the next stage.
"""

from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.engine.exchange.blobs import to_lines
from punctum.engine.exchange.buckets import Exchange
from punctum.engine.exchange.messages import Addressed, Counts, ExpiredMessage, PackedSlice, to_all
from punctum.engine.runtime.dataflow import Dataflow
from punctum.engine.runtime.stage import Arrived, StagePart
from punctum.operators.batch import PunctuationBatch, batch
from punctum.operators.columns import ColumnarSlice
from punctum.operators.lifespan import Lifespan


class Lifespans(StagePart):
    """Lets a stage forget punctuations that are over."""

    def __init__(self, flow: Dataflow, lifespans: dict[int, Lifespan]) -> None:
        self._flow, self._lifespans = flow, lifespans
        self._ended: dict[int, int] = {}
        self._expired: list[tuple[int | None, PunctuationBatch]] = []

    def begin(self) -> None:
        """Nothing is over yet in a batch that begins."""
        self._expired = []

    def before(self, arrived: Arrived) -> None:
        """Let all forget what is over, before the next slice."""
        flow, expired = self._flow, self._arrived(arrived)
        ended = {n: operator.expire() for n, operator in self._lifespans.items()}
        for n, over in ended.items():
            self._forget_below(flow.reads[n][0], over)
        for n, (operator, reads) in enumerate(zip(flow.operators, flow.reads, strict=True)):
            expired[n] = ended.get(n, PunctuationBatch(operator.output))
            for i, read in enumerate(reads):
                if len(expired[read]):
                    over = _moved(expired[read], operator.inputs[i])
                    operator.forget(i, over)
                    expired[n] = expired[n] + operator.map_punctuations(i, over)
        self._expired.append((self.tick, expired[len(flow.operators) - 1 if flow.operators else -1]))
        self._ended = {n: len(over) for n, over in ended.items()}

    def _arrived(self, arrived: Arrived) -> dict[int, PunctuationBatch]:
        """What the stages before have said to be over, by input as in reads; the inputs have forgotten it."""
        expired: dict[int, PunctuationBatch] = {}
        for number, source in enumerate(self._flow.inputs):
            schema = self._flow.input_schema(number)
            expired[-1 - number] = PunctuationBatch(schema)
            for message in arrived.get(number, ()):
                if isinstance(message, ExpiredMessage):
                    over = batch(schema, message.slice.punctuations(schema))
                    source.forget(over, message.sender)
                    expired[-1 - number] += over
        return expired

    def _forget_below(self, read: int, over: PunctuationBatch) -> None:
        """Let what is between a lifespan and its stream forget."""
        if not len(over):
            return
        if read < 0:
            self._flow.inputs[-1 - read].forget(_moved(over, self._flow.input_schema(-1 - read)))
        else:
            operator = self._flow.operators[read]
            operator.forget(0, _moved(over, operator.inputs[0]))
            self._forget_below(self._flow.reads[read][0], over)

    def after(self, arrived: Arrived, given: ColumnarSlice, counts: list[Counts]) -> ColumnarSlice:
        """Count how many punctuations each lifespan has ended."""
        for n, ended in self._ended.items():
            counts[n]["puncts_forgotten"] = ended
        return given

    def messages(self, to: Exchange, bucket: int) -> list[Addressed]:
        """What is over in the result of this stage."""
        messages = (
            ExpiredMessage(bucket, PackedSlice(puncts=to_lines(list(_moved(over, to.schema)))), tick)
            for tick, over in self._expired
            if len(over)
        )
        return [sent for message in messages for sent in to_all(to.used_buckets, message, to.input)]


def _moved(puncts: PunctuationBatch, schema: Schema) -> PunctuationBatch:
    """Punctuations over a schema that differs in names and domains alone."""
    return PunctuationBatch(schema, puncts.constants, [Punctuation(schema, p.patterns) for p in puncts.others])
