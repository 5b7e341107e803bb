"""The files of a stage's streams as one Spark stream of packed slices: which bytes of which files, batch by batch.

Spark starts a process for each source of a query, and others that only pass the source on. So all streams of files that
a stage reads are one source, and this module imports nothing but what it takes to list files: what reading them takes
is pickled inside, and unpickled where files are read.

Which bytes of which files belong to which batch must be the same after a restart. So each stream has a list of its
splits in the checkpoint (``split_log.py``), to which the source appends before it offers new ones; an offset is a
number of splits for each stream.
"""

import base64
import pickle
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any, NamedTuple

from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, SupportsTriggerAvailableNow

from punctum.engine.formats.splits import Split
from punctum.engine.kafka.topics import Deal, KnownPartitions, Topic, TopicListing, TopicOffset, TopicShare
from punctum.engine.recovery.durable import RESTORE
from punctum.engine.sources.chosen import ChosenNames
from punctum.engine.sources.known import FORGET
from punctum.engine.sources.listing import SETTLE, Listing
from punctum.engine.sources.objects import ObjectListing
from punctum.engine.sources.refresh import RefreshedTable
from punctum.engine.sources.split_log import SplitLog, check_list
from punctum.engine.sources.timer import Timer
from punctum.engine.sources.tree import TreeListing, listing
from punctum.errors import QueryError, failing_in
from punctum.storage.location import location

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

FORMAT = "punctum"
SCHEMA_OPTION, STREAMS_OPTION = "packed", "secretstreams"
"""The options of the source. Spark does not show the value of one with such a name, and a topic may have a password."""
WORTH_A_TASK = 4 << 20
"""So many bytes of files are worth a task of Spark's of their own."""
WORTH_A_PART = 256 << 10
"""And so many are worth a part, where any task that has time does one."""
_PAUSE = 0.05

Offset = dict[str, Any]
"""How many splits have been read of each stream: ``{"files": {"bid-1-0": 3, "item-1-1": 2}}``.

How far topics have been read, if there are any: ``"topics": {"bid-1-0": {"next": {"0": 15, "1": 7}}}``.

And the time, ``"clock": 1763350000000``, of the last batch that the timer has made, if any, and the versions of tables
that are read again, ``"tables": {"category": 1}``, from the first new one on.
"""


@dataclass(frozen=True)
class Directory:
    """A stream's directory of files, as it is listed; who reads its files unpickles ``reading``, a FileStream."""

    key: str
    stream: str
    path: str
    format: str
    log: str
    reading: bytes
    files_a_batch: int | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    settle: float = SETTLE
    chosen: ChosenNames = field(default_factory=ChosenNames)
    forget: float = FORGET


class Share(NamedTuple):
    """What a task reads of a stream: splits with their numbers in the batch, and whether it says how it begins."""

    key: str
    splits: tuple[tuple[int, Split], ...]
    first: bool


class BatchPart(NamedTuple):
    """What a task does: read shares of files and of topics, as one of so many tasks, or tell what is new.

    That is other versions of tables, partitions of topics, or the time.

    Where a stage runs where its streams are read, tasks are numbered. Each reads the punctuations of the splits
    *before* its own, whose rows others read; the last one reads all of them.
    """

    shares: Sequence[Share]
    tasks: int
    tables: Mapping[str, int]
    topics: Sequence[TopicShare] = ()
    partitions: Sequence[KnownPartitions] = ()
    number: int = 0
    before: Sequence[Share] = ()
    ticks: str = ""
    """A stream in whose name the buckets are told of the time and of tables."""

    @property
    def last(self) -> bool:
        """Whether it is the last one of the batch."""
        return self.number == self.tasks - 1


class BatchParts(NamedTuple):
    """What the tasks of a batch do together, and exchange in a directory: any of them may do any part."""

    parts: Sequence[BatchPart]
    number: int
    tasks: int
    directory: str


class Running(NamedTuple):
    """What runs in the tasks that read streams, pickled: where they exchange what they read, and between how many."""

    stage: bytes
    exchange: str | None = None
    buckets: int = 1


Splits = Sequence[tuple[str, int, Split]]
"""The splits of a batch: the stream of each, and its number there."""


class PackedFiles(DataSource):
    """The data source."""

    @classmethod
    def name(cls) -> str:
        """Its name in ``spark.readStream.format``."""
        return FORMAT

    def schema(self) -> str:
        """Packed slices."""
        return self.options[SCHEMA_OPTION]

    def streamReader(self, schema: "StructType") -> "PackedFilesReader":
        """A reader for the directories in the option that holds them."""
        return PackedFilesReader(*pickle.loads(base64.b64decode(self.options[STREAMS_OPTION])))


def encoded(
    directories: Sequence[Directory],
    tasks: int,
    timer: Timer | None = None,
    tables: Sequence[RefreshedTable] = (),
    topics: Sequence[Topic] = (),
    running: Running | None = None,
) -> str:
    """The directories as a string, for an option of a data source, with the number of tasks that can run at once."""
    given = tuple(directories), tasks, timer, tuple(tables), tuple(topics), running
    return base64.b64encode(pickle.dumps(given)).decode()


class PackedFilesReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Offers new files of each stream in the order in which it found them, and reads them packed.

    A stage that is given runs in the tasks that read them: each does a part of a batch, or whichever nobody does yet.
    """

    def __init__(
        self,
        directories: Sequence[Directory],
        tasks: int,
        timer: Timer | None = None,
        tables: Sequence[RefreshedTable] = (),
        topics: Sequence[Topic] = (),
        running: Running | None = None,
    ) -> None:
        self._directories, self._tasks = {directory.key: directory for directory in directories}, tasks
        self._topics, self._deal = {topic.key: TopicListing(topic) for topic in topics}, Deal()
        self._reading = {d.key: d.reading for d in directories} | {t.key: t.reading for t in topics}
        self._ends: dict[str, dict[int, int]] | None = None
        self._until: dict[str, int] | None = None
        self._timer, self._tables, self._running = timer, tables, running
        self._over: int | None = None
        self._done: Mapping[str, int] = {}

    def initialOffset(self) -> Offset:
        """No file read, and each topic from where it begins."""
        files: Offset = {"files": dict.fromkeys(self._directories, 0)}
        return files | ({"topics": {key: topic.initial for key, topic in self._topics.items()}} if self._topics else {})

    def getDefaultReadLimit(self) -> ReadLimit:
        """All that there is: how many files a batch reads is a limit of each stream."""
        return ReadAllAvailable()

    def prepareForTriggerAvailableNow(self) -> None:
        """Offer nothing that comes later than now; what is not complete has as long as it takes to settle."""
        begun = time.monotonic()
        self._over = None if self._timer is None else self._timer.over()
        self._ends = {key: self._ends_of(key) for key in self._topics}
        self._until = {key: self._listed(key) for key in self._directories}
        waiting = list(self._directories)
        while waiting := [key for key in waiting if self._waits(key, time.monotonic() - begun)]:
            time.sleep(_PAUSE)
            self._until |= {key: self._listed(key) for key in waiting}

    def _waits(self, key: str, waited: float) -> bool:
        return self._listings[key].waits and waited < self._directories[key].settle + _PAUSE

    def latestOffset(self, start: Offset, limit: ReadLimit) -> Offset:
        """The splits to read by the end of the next batch."""
        files = {key: self._latest(key, start["files"][key]) for key in self._directories}
        over = self._over if self._until is not None or self._timer is None else self._timer.over()
        clock = max((at for at in (start.get("clock"), over) if at is not None), default=None)
        end: Offset = {"files": files} if clock is None else {"files": files, "clock": clock}
        if self._topics:
            end["topics"] = {key: self._read_to(key, start["topics"][key]) for key in self._topics}
        known = start.get("tables", {})
        if (files, end.get("topics")) != (start["files"], start.get("topics")):  # tables make no batches of their own
            known = known | {table.name: table.version(known.get(table.name, 0)) for table in self._tables}
        return end | {"tables": known} if known else end

    def _read_to(self, key: str, start: TopicOffset) -> TopicOffset:
        topic, ends = self._topics[key], self._ends_of(key) if self._ends is None else self._ends[key]
        with failing_in(topic.stream):
            return topic.latest(start, ends)

    def _ends_of(self, key: str) -> dict[int, int]:
        topic = self._topics[key]
        with failing_in(f"{topic.stream}, asking its brokers"):
            return topic.ends()

    def _latest(self, key: str, start: int) -> int:
        end = self._listed(key) if self._until is None else self._until[key]
        most = self._directories[key].files_a_batch
        return max(start, end if most is None else min(end, start + most))

    def partitions(self, start: Offset, end: Offset) -> Sequence[InputPartition]:
        """The batch's splits, dealt out to a task for each core, or to fewer when there is little to read."""
        self.check(end["files"])
        splits = [
            (key, number, split)
            for key, first in start["files"].items()
            for number, split in enumerate(self._logs[key].between(first, end["files"][key]))
        ]
        size = sum(_size(split) for _, _, split in splits)
        together = self._running is not None and self._running.exchange is not None
        tasks = min(self._tasks, len(splits), 1 + size // (WORTH_A_PART if together else WORTH_A_TASK))
        if self._running is not None and not together:
            return [InputPartition(part) for part in parts_in_order(splits, tasks)]
        loads = [0] * tasks
        dealt: list[dict[str, list[tuple[int, Split]]]] = [{} for _ in range(tasks)]
        for key, number, split in sorted(splits, key=lambda listed: -_size(listed[2])):
            at = loads.index(min(loads))
            loads[at] += _size(split) + 1
            dealt[at].setdefault(key, []).append((number, split))
        messages, known = self._messages(start, end)
        ticks = next(iter(self._reading))
        if not splits and not messages and not known:
            parts = [BatchPart([], 0, {}, ticks=ticks)] if start.get("clock") != end.get("clock") else []
            return self._tasked(parts)
        begins = {key for key, first in start["files"].items() if first == 0}
        versions = {name: n for name, n in end.get("tables", {}).items() if start.get("tables", {}).get(name, 0) != n}
        most = tasks + len(messages)
        parts = [BatchPart(_shares(task, begins), most, {}) for task in dealt]
        parts += [BatchPart([], most, {}, shares) for shares in messages]
        parts += [BatchPart([], 0, versions, (), known, ticks=ticks)] if versions or known else []
        return self._tasked(parts)

    def _tasked(self, parts: Sequence[BatchPart]) -> Sequence[InputPartition]:
        """A task for each part, or as many as buckets where these run in them too."""
        if self._running is None or self._running.exchange is None:
            return [InputPartition(part) for part in parts]
        tasks = min(self._tasks, max(len(parts), self._running.buckets)) if len(parts) > 1 else len(parts)
        exchange = Path(self._running.exchange)
        for over in exchange.glob("*"):  # of the batch before; its directory is there if it was killed
            over.unlink() if over.is_file() else shutil.rmtree(over, ignore_errors=True)
        place = str(exchange / token_hex(8))
        return [InputPartition(BatchParts(parts, number, tasks, place)) for number in range(tasks)]

    def _messages(self, start: Offset, end: Offset) -> tuple[list[list[TopicShare]], list[KnownPartitions]]:
        """What tasks read of topics, and what buckets are to hear of their partitions."""
        offsets = {key: (topic, start["topics"][key], end["topics"][key]) for key, topic in self._topics.items()}
        ranges = {key: topic.ranges(before, after) for key, (topic, before, after) in offsets.items()}
        begins = {key for key, (topic, before, _) in offsets.items() if before == topic.initial}
        partitions = [topic.new_partitions(before, after) for topic, before, after in offsets.values()]
        return list(self._deal(ranges, self._tasks, begins)), [known for known in partitions if known is not None]

    def check(self, read: Mapping[str, int]) -> None:
        """Refuse a list of fewer files than have been read, or begun to be."""
        for key, directory in self._directories.items():
            known = self._logs[key].end if "_logs" in vars(self) else check_list(location(directory.log))
            if known < read.get(key, 0):
                missing = f"{location(directory.log) / f'{known:012}-*'} is not there"
                detail = f"{missing}: there are {known} entries, but a batch has started to read {read[key]}"
                raise QueryError(f"the list of files of {directory.stream} is missing", detail, RESTORE)

    def commit(self, end: Offset) -> None:
        """A batch is done: the lists of what had been read when it began are made small, now and then."""
        for key, done in self._done.items():
            log = self._logs[key]
            with failing_in(f"{self._directories[key].stream}, listing its files"):
                if log.is_due(done):
                    log.known.forget(self._listings[key].over())
                    log.renew(done)
                log.merge(done)
        self._done = end["files"]  # one that is done may be done again when its note is lost

    def read(self, partition: InputPartition) -> "Iterator[pa.RecordBatch]":
        """Some splits, packed."""
        if self._running is not None:
            yield from _loaded(self._running.stage)(partition.value)
            return
        from punctum.engine.exchange.messages import to_arrow  # here: who lists files need not wait for it
        from punctum.engine.sources.source import read_part

        for sent in read_part(lambda key: _loaded(self._reading[key]), partition.value):
            yield to_arrow(sent)

    @cached_property
    def _logs(self) -> dict[str, SplitLog]:
        return {key: self._log(directory) for key, directory in self._directories.items()}

    def _log(self, directory: Directory) -> SplitLog:
        with failing_in(f"{directory.stream}, listing its files"):
            return SplitLog(location(directory.log))

    @cached_property
    def _listings(self) -> dict[str, Listing | TreeListing | ObjectListing]:
        return {key: self._listing(key, directory) for key, directory in self._directories.items()}

    def _listing(self, key: str, d: Directory) -> Listing | TreeListing | ObjectListing:
        with failing_in(f"{d.stream}, listing its files"):
            return listing(location(d.path), d.chosen, d.format, d.options, d.settle, self._logs[key].known, d.forget)

    def _listed(self, key: str) -> int:
        """How many splits of a stream there are by now, with new ones written to the log first."""
        with failing_in(f"{self._directories[key].stream}, listing its files"):
            self._logs[key].append(self._listings[key].news())
            return self._logs[key].end


def _size(split: Split) -> int:
    return split.end - split.start


def parts_in_order(splits: Splits, tasks: int) -> list[BatchPart]:
    """The splits of a batch dealt out in their order, each task with those that it has to hear."""
    total, done = sum(_size(split) + 1 for _, _, split in splits), 0
    dealt: list[list[tuple[str, int, Split]]] = [[] for _ in range(tasks)]
    for listed in splits:
        size = _size(listed[2]) + 1
        dealt[(2 * done + size) * tasks // (2 * total)].append(listed)  # where its middle is
        done += size
    dealt, parts = [some for some in dealt if some], list[BatchPart]()
    for number, own in enumerate(dealt):
        first = {key: n for key, n, _ in reversed(own)}
        before = [entry for entry in splits if entry[1] < first.get(entry[0], 0)]
        others = before if number < len(dealt) - 1 else [entry for entry in splits if entry not in own]
        parts.append(BatchPart(_by_stream(own), len(dealt), {}, number=number, before=_by_stream(others)))
    return parts


def _by_stream(splits: Splits) -> list[Share]:
    task: dict[str, list[tuple[int, Split]]] = {}
    for key, number, split in splits:
        task.setdefault(key, []).append((number, split))
    return _shares(task, set())


@lru_cache(maxsize=64)
def _loaded(pickled: bytes) -> Any:
    """What is pickled in a query; a worker gets the same in each batch."""
    return pickle.loads(pickled)


def _shares(task: Mapping[str, list[tuple[int, Split]]], begins: set[str]) -> list[Share]:
    """What a task reads, stream by stream; the one with a beginning stream's first split says how it begins."""
    return [
        Share(key, tuple(sorted(splits, key=lambda numbered: numbered[0])), key in begins and _has_first(splits))
        for key, splits in task.items()
    ]


def _has_first(splits: list[tuple[int, Split]]) -> bool:
    return any(number == 0 for number, _ in splits)
