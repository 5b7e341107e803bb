"""How many rows the same operators keep when no punctuation ever comes.

In: a query's relation, then for each step the files that its streams have got. Out: the rows that all its operators
would keep. They are the operators that run on Spark, in one bucket and in this process, fed the same rows alone.

A group counts as one row. On Spark, in several buckets, a group-by would keep several partial aggregates of a group for
a while, so this is what it keeps at the least.
"""

from collections.abc import Mapping
from pathlib import Path

from punctum.compile import compile_relation
from punctum.engine.exchange.buckets import Buckets
from punctum.engine.exchange.messages import PackedSlice, StageMessage, StageSlice, StreamSlice
from punctum.engine.formats.files import READERS
from punctum.engine.runtime import build
from punctum.engine.sources.pipe import Piped
from punctum.ir.tree import Relation
from punctum.operators.columns import ColumnarSlice
from punctum.operators.group_by import GroupBy
from punctum.operators.operator import Operator
from punctum.plan.physical.pipes import Pipe
from punctum.plan.physical.stages import Stage, all_stages

_BUCKETS = Buckets((0,))


class Unpunctuated:
    """A query that receives no punctuation."""

    def __init__(self, relation: Relation) -> None:
        self._last = compile_relation(relation).last
        self._running = {stage.number: build.running(stage, _BUCKETS, _BUCKETS[0]) for stage in all_stages(self._last)}

    def feed(self, files: Mapping[str, Path]) -> int:
        """Take a file of each stream, and return how many rows are kept now."""
        self._stage(self._last, files)
        return sum(_rows(operator) for running in self._running.values() for operator in running.flow.operators)

    def _stage(self, stage: Stage, files: Mapping[str, Path]) -> ColumnarSlice:
        pieces = {source.number: self._origin(source.origin, files) for source in stage.inputs}
        sent = {source.number: [_message(source.origin, pieces[source.number])] for source in stage.inputs}
        return self._running[stage.number].feed(sent)[0]

    def _origin(self, origin: Pipe | Stage, files: Mapping[str, Path]) -> ColumnarSlice:
        if isinstance(origin, Stage):
            return self._stage(origin, files)
        rows = READERS["json"](files[origin.stream.name], origin.stream.schema, {}).piece.rows
        return Piped(origin.steps)(ColumnarSlice(rows))


def _message(origin: Pipe | Stage, piece: ColumnarSlice) -> StageMessage:
    rows = PackedSlice.of(ColumnarSlice(piece.rows))
    return StreamSlice(rows) if isinstance(origin, Pipe) else StageSlice(_BUCKETS[0], rows)


def _rows(operator: Operator) -> int:
    return len(operator.groups()) if isinstance(operator, GroupBy) else operator.size().rows
