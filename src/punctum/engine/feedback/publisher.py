"""What a query tells others after a batch: counts of its operators in, files for those that feed it out.

Its merges tell how far they are (``LMERGE (…) OPTIONS (feedback 'm.feedback')``), and it passes on what nobody needs of
its own result to the producers of those of its streams that have an option ``feedback``, in the columns of these
streams. A query that starts afresh takes back what its files say: it needs everything.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import polars as pl

from punctum.algebra.schema import Schema
from punctum.algebra.trends import Trend
from punctum.algebra.values import Type
from punctum.engine.exchange.messages import Counts
from punctum.engine.feedback.filter import Signals
from punctum.engine.recovery.durable import replace_text
from punctum.errors import PunctumError
from punctum.ir.evaluate import evaluate
from punctum.ir.expressions import Column, Expression
from punctum.ir.shape import depends_on_zone, shape
from punctum.lmerge.elements import FOREVER, NEVER, time_value
from punctum.lmerge.feedback import Signal, least
from punctum.operators.columns import dtype
from punctum.plan.physical.feedback import FeedbackMapping, feedback_column, published
from punctum.plan.physical.pipes import Pipe
from punctum.plan.physical.stages import Stage, all_stages
from punctum.storage.location import joined

OPTION = "feedback"
"""The option of sinks, streams and merges."""


@dataclass(frozen=True)
class FeedbackPublisher:
    """The files that a query writes, and those that it reads."""

    last: Stage
    directory: str
    signals: Signals
    feedback_mappings: Mapping[str, FeedbackMapping]

    def __call__(self, counts: Mapping[str, Counts]) -> None:
        """Tell how far the query is."""
        received = self.signals.now() if self.signals.paths else None
        for stage, number, merge in published(self.last):
            stable = counts.get(f"s{stage}o{number}", {}).get("stable", NEVER)
            own = Signal(feedback_column(merge), stable)
            self._write(merge.feedback, self._merged(own, (stage, number), received), merge.schema)
        if received is None:
            return
        for pipes in self._streams():
            signal = least(self._passed(at, pipe, received) for at, pipe in pipes)
            _, first = pipes[0]
            self._write(first.stream.options[OPTION], signal, first.stream.schema)

    def _merged(self, own: Signal, at: tuple[int, int], received: Signal | None) -> Signal | None:
        """What a merge needs no longer: what it has said itself, or what nobody needs of its output."""
        over = (
            self.feedback_mappings[received.column].merges.get(at)
            if received is not None and received.column in self.feedback_mappings
            else None
        )
        same = received is not None and (
            received.limit == FOREVER or (isinstance(over, Column) and over.name == own.column)
        )
        limit = max(own.limit, received.limit) if received is not None and same else own.limit
        return None if limit == NEVER else replace(own, limit=limit)

    def _streams(self) -> Iterator[list[tuple[tuple[int, int], Pipe]]]:
        """Where each stream is read whose producer is to be told."""
        read: dict[str, list[tuple[tuple[int, int], Pipe]]] = {}
        for stage in all_stages(self.last):
            for source in stage.inputs:
                if isinstance(source.origin, Pipe) and OPTION in source.origin.stream.options:
                    at = stage.number, source.number
                    read.setdefault(source.origin.stream.name, []).append((at, source.origin))
        yield from read.values()

    def _passed(self, at: tuple[int, int], pipe: Pipe, received: Signal) -> Signal | None:
        if received.limit == FOREVER:
            return received
        over = (
            self.feedback_mappings[received.column].streams.get(at)
            if received.column in self.feedback_mappings
            else None
        )
        return None if over is None else before(over, pipe.stream.schema, received.limit)

    def _write(self, path: str | None, signal: Signal | None, schema: Schema) -> None:
        if path is not None and signal is not None:
            file, text = joined(self.directory, path), signal.text(schema)
            if not file.exists() or file.read_text("utf-8") != text:
                replace_text(file, text)

    def take_back(self) -> None:
        """Need everything again."""
        merges = (merge.feedback for _, _, merge in published(self.last))
        streams = (pipes[0][1].stream.options[OPTION] for pipes in self._streams())
        for path in (*merges, *streams):
            if path is not None:
                joined(self.directory, path).unlink(missing_ok=True)


_YEARS = (datetime(1900, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC))


def before(over: Expression, schema: Schema, limit: int) -> Signal | None:
    """The rows of a stream for which an expression is below a limit, by a limit on the column that it grows with.

    >>> from punctum.parse.script import parse_query
    >>> from punctum.ir.definitions import StreamDef
    >>> schema = Schema.of(a="BIGINT", b="BIGINT")
    >>> query = parse_query("SELECT 3 * b + 1 FROM s", {"s": StreamDef("s", schema)})
    >>> before(query.columns[0][1], schema, 11)
    Signal(column='b', limit=4)
    """
    source, _, trend = shape(over)
    if source is None or trend is not Trend.INCREASING or depends_on_zone(over):
        return None
    attribute = schema.attributes[source]
    if isinstance(over, Column):
        return Signal(attribute.name, limit)
    if attribute.type is not over.type or attribute.type not in (Type.BIGINT, Type.TIMESTAMP):
        return None
    low, high = (-(2**62), 2**62) if attribute.type is Type.BIGINT else (int(t.timestamp()) * 10**6 for t in _YEARS)

    def below(number: int) -> bool:
        row = tuple(time_value(number, attribute.type) if i == source else None for i in range(len(schema)))
        try:
            value = evaluate(over, row)
        except (PunctumError, OverflowError):
            return number < 0
        return value is not None and int(pl.Series([value], dtype=dtype(attribute)).to_physical()[0]) < limit

    if not below(low):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if below(middle) else (low, middle)
    return Signal(attribute.name, high)


def feedback_publisher(
    last: Stage, directory: str, signals: Signals, feedback_mappings: Mapping[str, FeedbackMapping], afresh: bool
) -> FeedbackPublisher | None:
    """What a query tells others, if anything."""
    made = FeedbackPublisher(last, directory, signals, feedback_mappings)
    if not any(True for _ in published(last)) and not any(True for _ in made._streams()):
        return None
    if afresh:
        made.take_back()
    return made
