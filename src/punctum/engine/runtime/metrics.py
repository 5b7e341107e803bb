"""What is counted of a stage's operators: with each slice, and since when they keep what they keep."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from punctum.engine.exchange.messages import Counts
from punctum.engine.runtime.dataflow import Dataflow
from punctum.engine.runtime.lmerge import Merging
from punctum.engine.runtime.stage import StagePart
from punctum.operators.columns import ColumnarSlice
from punctum.operators.expect import Expect
from punctum.plan.joins.counts import PUNCTS_FROM, ROWS_FROM

_OF_ROWS = ("rows_in", "rows_out", "rows_purged", "rows_covered")


class OperatorMetrics(StagePart):
    """Counts what each operator took, gave and keeps."""

    def __init__(self, flow: Dataflow) -> None:
        self._flow = flow

    def on_output(
        self, number: int, slices: list[ColumnarSlice], given: ColumnarSlice, counts: Counts
    ) -> ColumnarSlice:
        """Count; what is given goes on as it is."""
        counts |= counted(self._flow, number, slices, given)
        return given


def counted(flow: Dataflow, number: int, slices: Sequence[ColumnarSlice], given: ColumnarSlice) -> Counts:
    """What an operator took, gave and keeps."""
    operator, reads = flow.operators[number], flow.reads[number]
    tables = operator.tables().values()
    purged, covered = sum(table.purged for table in tables), sum(table.covered for table in tables)
    for table in tables:
        table.purged = table.covered = 0
    direct = [(-1 - i, piece) for i, piece in zip(reads, slices, strict=True) if i < 0]
    return (
        standing(flow, number)
        | {
            "rows_in": sum(len(piece.rows) for piece in slices) + sum(flow.inputs[i].folded for i, _ in direct),
            "rows_out": len(given.rows),
            "puncts_in": sum(map(punctuations_in, slices)),
            "puncts_out": punctuations_in(given),
            "rows_purged": purged,
        }
        | ({"rows_covered": covered} if covered else {})
        | {ROWS_FROM + flow.names[i]: len(piece.rows) + flow.inputs[i].folded for i, piece in direct}
        | {PUNCTS_FROM + flow.names[i]: punctuations_in(piece) for i, piece in direct}
    )


def standing(flow: Dataflow, number: int) -> Counts:
    """What an operator keeps."""
    operator, size = flow.operators[number], flow.operators[number].size()
    due = operator.due if isinstance(operator, Expect) else None
    return (
        ({"stable": operator.stable} | operator.stables if isinstance(operator, Merging) else {})
        | ({} if due is None else {"due": due.timestamp()})
        | {
            "rows_kept": size.rows,
            "bytes_kept": size.bytes,
            "puncts_kept": size.puncts,
            "puncts_waiting": operator.waiting(),
            "puncts_received": sum(flow.inputs[-1 - i].puncts() for i in flow.reads[number] if i < 0),
        }
    )


def of_rows(counts: Counts) -> Counts:
    """What is counted of the rows of a batch, and neither of punctuations nor of what is kept.

    >>> of_rows({"rows_in": 3, "rows_from bid": 3, "rows_kept": 0, "puncts_in": 2})
    {'rows_in': 3, 'rows_from bid': 3}
    """
    return {name: n for name, n in counts.items() if name in _OF_ROWS or name.startswith(ROWS_FROM)}


def oldest(flow: Dataflow) -> dict[int, tuple[float, str]]:
    """For each operator that keeps rows: since when the oldest one is kept, and what it waits for."""
    waiting: dict[int, tuple[float, str]] = {}
    for n, operator in enumerate(flow.operators):
        for name, waits in operator.waits().items():
            first = operator.tables()[name].oldest()
            if first is not None and first[0] < waiting.get(n, (math.inf,))[0]:
                waiting[n] = first[0], waits_for(flow.stream(n, waits.input), waits.on, first[1])
    return waiting


def waits_for(stream: str, on: Sequence[tuple[str, str]], row: Mapping[str, Any]) -> str:
    """The punctuation that a row waits for: that of a stream, on attributes whose values the row has in its columns.

    >>> waits_for("bid", [("item", "itemid")], {"item": 17, "price": 5.0})
    'bid(itemid=17)'
    """
    return f"{stream}({', '.join(f'{theirs}={row[mine]}' for mine, theirs in on)})"


def punctuations_in(piece: ColumnarSlice) -> int:
    """How many punctuations a slice has."""
    return len(piece.puncts) + sum(map(len, piece.constants.values()))
