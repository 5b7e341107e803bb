"""A query as the page sees it: its picture, its batches, what it keeps, what it rejects, and how far behind it is.

All of it is read from the checkpoint, as it is while the query runs or when it has ended. Of a query of this process
the newest batches, its status and its controls come from the query itself.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from threading import Lock
from typing import Any

from punctum.engine.exchange.quarantine import Record, read_records
from punctum.engine.kafka.broker import Brokers
from punctum.engine.recovery.checkpoint import last_committed
from punctum.engine.recovery.measured import NAME, metrics_of
from punctum.engine.runtime.stored import empty_state, kept_data, kept_state
from punctum.errors import PunctumError
from punctum.page.notes import Notes, read_notes, unconnected
from punctum.page.topics import WaitingMessages
from punctum.page.waiting import WaitingFiles
from punctum.storage.location import Location, is_store, location

Batch = dict[str, Any]
"""The metrics of a batch, without those of each bucket."""
MOST = 1_000
"""So many of the last batches are shown."""
SMALL = 64 << 20
"""State of so many bytes is read when somebody looks at it; more than that, when they say so."""
_APART = ("kept", "written")


@dataclass(frozen=True)
class Handles:
    """What a query of this process offers beside its checkpoint."""

    recent: Callable[[], list[Batch]]
    status: Callable[[], str]
    failure: Callable[[], str]
    stop: Callable[[], None]
    attach: Callable[[str, Any], None]
    detach: Callable[[str], None]
    topics: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """The options of streams that are topics."""


class WatchedQuery:
    """A query by its checkpoint, and by its handles when it runs in this process."""

    def __init__(self, checkpoint: Location, noted: Notes | None = None, handles: Handles | None = None) -> None:
        self.checkpoint, self.handles = checkpoint, handles
        self._notes = noted
        self._stored: list[Batch] = []
        self._stamp: tuple[int, int, int] | None = None
        self._reading = Lock()
        self._kept: tuple[object, dict[str, Any]] = None, {}
        self._waiting = WaitingFiles(checkpoint)
        self._messages = WaitingMessages(checkpoint, {} if handles is None else handles.topics, Brokers)

    @property
    def notes(self) -> Notes:
        """Its notes, or what its checkpoint says without them."""
        if self._notes is None:
            self._notes = read_notes(self.checkpoint)
        return self._notes or unconnected(empty_state(self.checkpoint))

    @property
    def name(self) -> str:
        """Its name."""
        return str(self.notes.picture["name"])

    def status(self) -> dict[str, Any]:
        """Whether it runs, and why it has failed; of a query elsewhere nothing is known but its last batch."""
        if self.handles is None:
            return {"status": "elsewhere", "failure": ""}
        return {"status": self.handles.status(), "failure": self.handles.failure()}

    def batches(self) -> list[Batch]:
        """The metrics of its last batches, the oldest first."""
        recent = [] if self.handles is None else self.handles.recent()
        if self.handles is None or not self._stamp:
            self._read()
        first = recent[0]["batch"] if recent else None
        stored = [batch for batch in self._stored if first is None or batch["batch"] < first]
        return [*stored, *recent][-MOST:]

    def stamp(self) -> object:
        """What differs when there are other batches than before; to be asked often, so a store is not asked for it."""
        if self.handles is None:
            return None if is_store(self.checkpoint) else self._stat()
        recent = self.handles.recent()
        return (recent[-1]["batch"], recent[-1]["time"]) if recent else None

    def _stat(self) -> tuple[int, int, int] | None:
        try:
            stat = (self.checkpoint / "punctum" / NAME).stat()
        except OSError:
            return None
        return stat.st_mtime_ns, stat.st_size, stat.st_ino

    def _read(self) -> None:
        """Read what is new in the file of metrics; a run that begins again may have taken some of it back."""
        stamp = self._stat()
        with self._reading:
            if stamp is None or stamp == self._stamp:
                return
            known = {batch["batch"]: batch for batch in self._stored}
            new = list[Batch]()
            for number, line in islice(metrics_of(self.checkpoint), MOST):
                batch = shown(json.loads(line))
                if known.get(number) == batch:
                    break
                new.append(batch)
            else:
                known = {}
            oldest = new[-1]["batch"] if new else None
            kept = [batch for batch in known.values() if oldest is None or batch["batch"] < oldest]
            self._stored, self._stamp = [*kept, *reversed(new)][-MOST:], stamp

    def state(self, show: int, read: bool = False) -> dict[str, Any]:
        """What it keeps, as ``punctum state --json`` has it; a large state is only read when that is asked for."""
        last = self.batches()[-1:]
        size = sum(counts.get("bytes_kept", 0) for batch in last for counts in batch["operators"].values())
        if size > SMALL and not read:
            return {"large": size}
        key = last_committed(self.checkpoint), show
        if self._kept[0] != key:
            self._kept = key, kept_data(kept_state(self.checkpoint), show)
        return self._kept[1]

    def quarantine(self, show: int) -> dict[str, Any]:
        """Its records by reason: how many, and the last ones of each."""
        place = location(self.notes.quarantine)
        return by_reason(read_records(place) if place.exists() else (), show)

    def waiting(self) -> dict[str, Any]:
        """What its streams have that it has not read, and how long files took until their batch was committed."""
        waiting = self._waiting.of(self.notes.streams, self.batches())
        messages = [{"stream": name, "messages": many} for name, many in sorted(self._messages.by_stream().items())]
        return waiting | {"streams": [*waiting["streams"], *messages]}


def shown(measured: Batch) -> Batch:
    """The metrics of a batch without what only a restart needs.

    >>> shown({"batch": 0, "operators": {}, "kept": {}, "written": {}})
    {'batch': 0, 'operators': {}}
    """
    return {name: value for name, value in measured.items() if name not in _APART}


def by_reason(records: Iterable[dict[str, Any]], show: int) -> dict[str, Any]:
    """Records by stream and reason, the most frequent first, with the last ones of each.

    >>> record = {"stream": "bid", "reason": "not JSON", "text": "{", "file": "a.json", "position": 3}
    >>> by_reason([record, record | {"count": 4}], 1)["reasons"][0]["rows"]
    5
    """
    counted, last = Counter[tuple[str, str]](), dict[tuple[str, str], list[dict[str, Any]]]()
    for record in records:
        key = record["stream"], record["reason"]
        counted[key] += record.get("count", 1)
        place = Record(**record).place
        last[key] = [*last.get(key, ()), record | {"place": place}][-show:]
    reasons = [
        {"stream": stream, "reason": reason, "rows": many, "records": last[stream, reason]}
        for (stream, reason), many in counted.most_common()
    ]
    return {"rows": counted.total(), "reasons": reasons}


def error_fields(error: PunctumError) -> dict[str, str]:
    """An error as data for JSON."""
    return {"error": error.what, "detail": error.detail, "hint": error.hint}


def watched(checkpoint: Location) -> WatchedQuery:
    """The query of a checkpoint, which may run elsewhere; an error when it is none."""
    empty_state(checkpoint)
    return WatchedQuery(checkpoint)
