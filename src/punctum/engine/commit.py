"""The end of a batch, in the driver: results get to their sink, and what else the stages have to say to its place.

A batch's messages come here from the last stage: slices of results or files of them that workers have written, records
for the quarantine, and metrics.
"""

import json
import logging
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame

from punctum.engine.exchange.kinds import FOR_DRIVER, SkippedMessage
from punctum.engine.exchange.messages import (
    Counts,
    Message,
    MetricsMessage,
    QuarantineMessage,
    StageSlice,
    WrittenMessage,
    decode_rows,
)
from punctum.engine.exchange.quarantine import how_many, in_order
from punctum.engine.exchange.told import ToldFiles
from punctum.engine.metrics import AFTER, ALWAYS
from punctum.engine.prometheus import Totals
from punctum.engine.recovery.durable import RESTORE
from punctum.engine.recovery.lease import check_lease, release_lease
from punctum.engine.recovery.measured import NAME, append_metrics, drop_metrics, metrics_of
from punctum.engine.recovery.rotated import QuarantineFiles, rotate
from punctum.engine.sinks.files import ResultFiles
from punctum.engine.sinks.postgres import PostgresSink
from punctum.engine.sources.timer import write_due
from punctum.errors import QueryError, failing_in, printable
from punctum.lmerge.elements import NEVER
from punctum.plan.joins.counts import STABLE_OF
from punctum.storage.location import Location

if TYPE_CHECKING:
    from punctum.engine.sinks.kafka import KafkaSink  # else only where a query writes to one: it needs an extra

Metrics = dict[str, Any]
CountsByBucket = list[tuple[int, dict[str, Counts]]]
"""What buckets have counted, by operator."""
OTHER_BUCKETS = "the query begins again with other buckets"
_LOG = logging.getLogger("punctum")
RECENT = 1_000
"""How many batches' metrics a query remembers; the checkpoint has more."""


@dataclass
class Commit:
    """Commits each batch of a query: sink, quarantine, metrics, what others are told, in this order."""

    name: str
    query: str
    checkpoint: Location
    quarantine: Location
    files: "ResultFiles | PostgresSink | KafkaSink | None" = None
    deliver: "Callable[[list[StageSlice], int], None] | None" = None
    hand_over: "Callable[[DataFrame, int], None] | None" = None
    log: Path | None = None
    """The log of Spark and its workers, which is put aside when it is large."""
    publish: "Callable[[dict[str, Counts]], None] | None" = None
    """What tells others how far the query is, given the counts of its operators."""
    told: ToldFiles | None = None
    """Where tasks of this machine tell what they have for the driver."""
    totals: Totals = field(default_factory=Totals)
    """What the batches of this run have counted."""
    recent: deque[Metrics] = field(default_factory=lambda: deque(maxlen=RECENT))
    begun: threading.Event = field(default_factory=threading.Event)
    """Set when the first batch has come: all processes that Spark's driver needs for the query are there then."""
    begins_again: bool = False
    """Whether the query begins again behind its first batch, with other buckets."""
    _first: bool = True
    _ended: bool = False
    _kept: dict[int, dict[str, Counts]] = field(default_factory=dict)
    _written: dict[str, dict[str, int]] = field(default_factory=dict)
    """The last batch that has written a state, by stage and bucket."""
    _lock: Any = field(default_factory=threading.RLock)  # what a batch is handed over to may stop the query

    @cached_property
    def _rejected(self) -> QuarantineFiles:
        return QuarantineFiles(self.quarantine, self.query)

    def __call__(self, packed: DataFrame, batch: int) -> None:
        """Commit a batch; the first one of a run may have been committed before, wholly or in part."""
        begun = time.time()
        self.begun.set()
        with self._lock, failing_in(f"the commit of batch {batch}"):
            if self._ended:
                raise QueryError("the query was stopped", f"batch {batch} is not committed", "start it again to resume")
            check_lease(self.checkpoint)
            if self.begins_again and not self._first:
                raise QueryError(OTHER_BUCKETS, f"batch {batch} is not committed", "start it again to resume")
            messages = self._messages(packed, batch)
            counts = [(m.sender, m.counts) for m in messages if isinstance(m, MetricsMessage)]
            if self._first:
                self._recall(batch)
            if self.files is not None:
                files = sorted((m.sender, m.file) for m in messages if isinstance(m, WrittenMessage))
                self.files.commit(batch, [*files, *self._stable(self.files, counts)], self._first)
            if self.deliver is not None:
                self.deliver([m for m in messages if isinstance(m, StageSlice)], batch)
            records = [line for m in messages if isinstance(m, QuarantineMessage) for line in m.lines]
            self._rejected.write(batch, in_order(records), self._first)
            skipped = Counter[str]()
            for m in messages:
                skipped += {m.stream: m.rows} if isinstance(m, SkippedMessage) else {}
            self._measure(counts, how_many(records), skipped, batch, begun)
            if self.publish is not None:
                self.publish(self.recent[-1]["operators"])
            self._first = False
            if self.log is not None:
                rotate(self.log)

    def _messages(self, packed: DataFrame, batch: int) -> list[Message]:
        """What the tasks of a batch have for the driver; what is handed over is handed over."""
        if self.told is not None:
            return self.told.messages(packed, batch)
        if self.hand_over is None:
            return decode_rows(packed.collect())
        packed = packed.persist()
        rows = packed.where(FOR_DRIVER).collect()
        self.hand_over(packed.where(f"NOT {FOR_DRIVER}"), batch)
        packed.unpersist()
        return decode_rows(rows)

    def end(self) -> None:
        """Wait for a commit that is under way, and let no other begin: Spark does not wait when a query is stopped."""
        with self._lock:
            self._ended = True
        release_lease(self.checkpoint)

    def _recall(self, batch: int) -> None:
        """Go on with the metrics of the batches before one; what there is of later ones will be written again."""
        last = next((n for n, _ in metrics_of(self.checkpoint) if n < batch), None)
        started = batch > 0 or (self.checkpoint / "punctum" / "state.json").exists()
        if started and last != batch - 1 and self.files is not None and self.files.stables is not None:
            path = self.checkpoint / "punctum" / NAME
            detail = f"{path} has no complete line for batch {batch - 1}, from which the next stable is computed"
            raise QueryError("a checkpoint has lost its metrics", detail, RESTORE)
        _, line = drop_metrics(self.checkpoint, batch)
        self._kept = {int(b): kept for b, kept in json.loads(line)["kept"].items()}
        self._written = json.loads(line).get("written", {})

    def _stable(
        self, files: "ResultFiles | PostgresSink | KafkaSink", by_bucket: CountsByBucket
    ) -> list[tuple[str, str]]:
        """The file with the stable that a batch has brought to all buckets, if it is to be written apart."""
        if files.stables is None:
            return []
        name = files.stables
        before = {bucket: kept[name]["stable"] for bucket, kept in self._kept.items() if name in kept}
        after = before | {bucket: counted[name]["stable"] for bucket, counted in by_bucket if name in counted}
        t = min(after.values(), default=NEVER)
        return [("stable", files.write_stable(t))] if t > min(before.values(), default=NEVER) else []

    def _measure(
        self, by_bucket: CountsByBucket, quarantined: int, skipped: Mapping[str, int], batch: int, begun: float
    ) -> None:
        operators: dict[str, Counts] = {}
        for bucket, counted in by_bucket:
            self._kept[bucket] = self._kept.get(bucket, {})
            for name, counts in counted.items():
                kept = {what: n for what, n in counts.items() if _stays(what)}
                self._kept[bucket] |= {name: kept} if kept else {}  # a part of a bucket's rows tells of these alone
                self._written.setdefault(name[1:].partition("o")[0], {})[str(bucket)] = batch
                _add(operators, name, {what: n for what, n in counts.items() if not _stays(what)})
        for counted in self._kept.values():  # of all buckets, those without any input now as well
            for name, counts in counted.items():
                _add(operators, name, dict.fromkeys(ALWAYS, 0) | counts)
        measured: Metrics = {"batch": batch, "time": round(now := time.time(), 3), "seconds": round(now - begun, 3)}
        measured |= {"quarantined": quarantined, "operators": dict(sorted(operators.items()))}
        measured |= {"skipped": dict(sorted(skipped.items()))} if skipped else {}
        self.recent.append(measured)
        self.totals.add(measured)
        _LOG.info("%s", summary(self.name, measured), extra={"more": {"query": self.name, "metrics": measured}})
        append_metrics(self.checkpoint, measured | {"kept": self._kept, "written": self._written})
        write_due(self.checkpoint, operators)


def summary(name: str, measured: Metrics) -> str:
    """A batch in a line: what went in and came out, what is kept, and what the oldest of it waits for.

    >>> counts = {"rows_in": 9, "rows_out": 2, "rows_kept": 3, "bytes_kept": 2048, "oldest": [1000.0, "bid(itemid=17)"]}
    >>> summary("closing", {"batch": 4, "time": 11800.0, "quarantined": 0, "operators": {"s1o0": counts}})
    'closing: batch 4, 2 rows out, 3 rows (2 kB) kept, bid(itemid=17) has been open for 3 h'
    """
    counts = list(measured["operators"].values())
    kept, size = (sum(counted[what] for counted in counts) for what in ("rows_kept", "bytes_kept"))
    parts = [f"{name}: batch {measured['batch']}"]
    parts += [f"{counts[-1]['rows_out']:,} rows out", f"{kept:,} rows ({size / 1024:,.0f} kB) kept"] if counts else []
    parts += [f"{measured['quarantined']:,} in quarantine"] if measured["quarantined"] else []
    since, what = min((counted["oldest"] for counted in counts if "oldest" in counted), default=(0, ""))
    parts += [f"{what} has been open for {span(measured['time'] - since)}"] if what else []
    return printable(", ".join(parts))


def span(seconds: float) -> str:
    """A time in a few words.

    >>> span(3 * 3600 + 60)
    '3 h'
    """
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"


def _stays(what: str) -> bool:
    """Whether a count says how things are after a batch, and so holds until there is another one."""
    return what in AFTER or what.startswith(STABLE_OF)


def _add(operators: dict[str, Counts], name: str, counts: Counts) -> None:
    sums = operators.setdefault(name, {})
    for what, n in counts.items():
        if what in ("oldest", "due", "stable") or what.startswith(STABLE_OF):
            sums[what] = min(sums.get(what, n), n)
        else:
            sums[what] = sums.get(what, 0) + n
