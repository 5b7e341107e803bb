"""How many messages wait in topics for a query of this process: what its brokers have behind what it has read.

Only whoever runs the query knows how to reach the brokers, so of queries elsewhere it is not known.
"""

import json
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Protocol

from punctum.engine.recovery.names import file_name
from punctum.errors import PunctumError
from punctum.storage.location import Location

PATIENCE = 2.0
"""So many seconds an answer is waited for."""
_PAUSE, _LONG_PAUSE = 5.0, 60.0
"""Between two questions, and after one without an answer: whoever waits for it takes a thread from the page."""


class Asked(Protocol):
    """Brokers, as far as the page asks them."""

    def ends(self) -> dict[int, tuple[int, int]]:
        """Where each partition begins and ends by now."""


class WaitingMessages:
    """What waits in the topics of some streams, given their options; asked every five seconds at the most."""

    def __init__(
        self, checkpoint: Location, topics: Mapping[str, Mapping[str, str]], brokers: Callable[..., Asked]
    ) -> None:
        self._checkpoint = checkpoint
        self._brokers = {name: brokers(name, options, PATIENCE) for name, options in topics.items()}
        self._known: dict[str, int | None] = {}
        self._due = 0.0

    def by_stream(self) -> dict[str, int | None]:
        """Messages that no batch has begun to read; nothing where brokers do not answer."""
        if self._brokers and time.monotonic() >= self._due:
            read = self._read()
            self._known = {name: self._waiting(name, read) for name in self._brokers}
            self._due = time.monotonic() + (_LONG_PAUSE if None in self._known.values() else _PAUSE)
        return self._known

    def _waiting(self, name: str, read: Mapping[str, Mapping[str, int]]) -> int | None:
        """Of a topic that several stages read, the most."""
        with suppress(PunctumError):
            ends = self._brokers[name].ends()
            places = [upto for key, upto in read.items() if key.rsplit("-", 2)[0] == file_name(name)]
            lags = [sum(max(high - upto.get(str(p), low), 0) for p, (low, high) in ends.items()) for upto in places]
            return max(lags, default=None)
        return None

    def _read(self) -> dict[str, dict[str, int]]:
        """Up to where each topic has been read by the last batch that has begun, by partition."""
        numbers = [int(path.name) for path in (self._checkpoint / "offsets").glob("[0-9]*") if path.name.isdecimal()]
        offsets: dict[str, dict[str, int]] = {}
        with suppress(OSError):
            place = self._checkpoint / "offsets" / str(max(numbers, default=0))
            for line in place.read_text("utf-8", "replace").split("\n"):
                with suppress(ValueError, KeyError, TypeError, AttributeError):
                    known: dict[str, Any] = json.loads(line)["topics"]
                    offsets |= {key: topic["next"] for key, topic in known.items()}
        return offsets
