"""The timer of a stage that goes by the clock: when something can expire, its source has a batch without any file.

The commit of a batch writes down when the next value of each stage is to be swept; the source, in a process of its own,
reads that. Once the time has come it gives its offset that time. So Spark writes the batch down as it does every other,
and one that is done again is the same. When nothing can expire, the offset stays, and there is no batch.
"""

import json
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from punctum.engine.recovery.durable import replace_text
from punctum.storage.location import Location, location

_NAME = "due.json"


def write_due(checkpoint: Location, operators: Mapping[str, Mapping[str, Any]]) -> None:
    """Write down when values of each stage are due, given the counts of operators, by stage and position."""
    due: dict[str, float] = {}
    for name, counts in operators.items():
        if "due" in counts:
            stage = name[1:].partition("o")[0]
            due[stage] = min(due.get(stage, counts["due"]), counts["due"])
    path = checkpoint / "punctum" / _NAME
    if due or path.exists():
        replace_text(path, json.dumps(due))


@dataclass
class Timer:
    """Says when a stage of a checkpoint's query has something to do by the clock."""

    path: str
    stage: int
    _read: tuple[int, float | None] = field(default=(-1, None), compare=False)

    @staticmethod
    def of(checkpoint: str, stage: int) -> "Timer":
        """The timer of a stage."""
        return Timer(str(location(checkpoint) / "punctum" / _NAME), stage)

    def over(self, now: float | None = None) -> int | None:
        """The time, in milliseconds since 1970, when something is due by now; nothing otherwise."""
        now = time.time() if now is None else now
        due = self._due()
        return int(now * 1000) if due is not None and due <= now else None

    def _due(self) -> float | None:
        """When the next value is due, read again when it has been written again."""
        with suppress(OSError, ValueError, TypeError, AttributeError):  # whoever has damaged it
            path = location(self.path)
            written = path.stat().st_mtime_ns
            if written != self._read[0]:
                known = json.loads(path.read_text()).get(str(self.stage))
                self._read = written, None if known is None else float(known)
            return self._read[1]
        return None
