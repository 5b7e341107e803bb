"""The lease of a checkpoint in a store, which has no locks: an object that its holder writes again and again.

Whoever wants the lease looks whether the object says so: one that is not written again for a while belongs to a process
that has ended, and one of a process of this machine that is gone can be had at once. Times are the store's own, so that
clocks need not agree. A holder that finds another's name in the object has lost it, and commits nothing more.
"""

import json
import logging
import os
import socket
import threading
import time
from secrets import token_hex

from punctum.engine.recovery.durable import writing
from punctum.errors import QueryError
from punctum.storage.location import StorePath

RENEWED, LASTS = 10.0, 60.0
"""After how many seconds a holder writes it again, and for how many it is then its."""
IN_USE, HINT = "the checkpoint is in use", "stop it first, or use another checkpoint"
_PAUSE = 0.5
_LOG = logging.getLogger("punctum")


class StoreLease:
    """The lease of this process on a checkpoint in a store."""

    def __init__(self, path: StorePath, renewed: float = RENEWED, lasts: float = LASTS) -> None:
        self._path, self._renewed, self._lasts = path, renewed, lasts
        self._id = token_hex(8)
        self._ended, self._lost = threading.Event(), False
        self._take()
        threading.Thread(target=self._renew, name="punctum-lease", daemon=True).start()

    def _take(self) -> None:
        """Have it, or say who has it; one that nobody renews is waited for."""
        with writing(self._path):
            warned = False
            while (holder := self._holder()) and not _is_gone(holder):
                written = self._path.stat().st_mtime_ns
                left = self._lasts - (self._now() - written) / 1e9
                if left <= 0:
                    break
                if not warned:
                    _LOG.warning("%s has %s: waiting until it ends", holder["who"], self._path)
                    warned = True
                self._wait_for_news(written, left)
            self._write()
            if holder:
                time.sleep(min(_PAUSE, self._renewed))  # whoever had it may have been about to write it again
            if self._holder().get("id") != self._id:  # another one came at the same time
                raise self._in_use(self._holder())

    def _wait_for_news(self, written: int, left: float) -> None:
        """Wait until a lease ends; one that is written again is somebody's who lives."""
        end = time.monotonic() + left
        while time.monotonic() < end:
            time.sleep(min(_PAUSE, self._renewed))
            holder = self._holder()
            if not holder:
                return
            if self._path.stat().st_mtime_ns != written:
                raise self._in_use(holder)

    def _in_use(self, holder: dict[str, str]) -> QueryError:
        return QueryError(IN_USE, f"{holder.get('who')} is running a query on {self._path.parent.parent}", HINT)

    def _holder(self) -> dict[str, str]:
        try:
            known = json.loads(self._path.read_text())
        except (FileNotFoundError, ValueError):
            return {}
        return known if isinstance(known, dict) else {}

    def _now(self) -> int:
        """The time by the clock of the store."""
        probe = self._path.with_name(f".lease-{self._id}")
        probe.write_text("")
        now = probe.stat().st_mtime_ns
        probe.unlink(missing_ok=True)
        return now

    def _write(self) -> None:
        host, process = socket.gethostname(), os.getpid()
        who = f"process {process} on {host}"
        known = {"id": self._id, "who": who, "host": host, "process": process, "beat": time.time_ns()}
        self._path.write_text(json.dumps(known))

    def _renew(self) -> None:
        while not self._ended.wait(self._renewed):
            try:
                if self._holder().get("id") != self._id:
                    self._lost = True
                    return
                self._write()
            except OSError as error:  # the next time may do better
                _LOG.warning("the lease %s cannot be renewed: %s", self._path, error.strerror)

    def check(self) -> None:
        """An error when another process has taken it."""
        if self._lost:
            raise QueryError("another process has taken the checkpoint", str(self._path.parent.parent), HINT)

    @property
    def kept(self) -> bool:
        """Whether it is still this process's."""
        return not self._lost and self._holder().get("id") == self._id

    def release(self) -> None:
        """Let others have it."""
        self._ended.set()
        try:
            if self._holder().get("id") == self._id:
                self._path.unlink(missing_ok=True)
        except OSError as error:
            _LOG.warning("the lease %s cannot be given back: %s", self._path, error.strerror)


def _is_gone(holder: dict[str, str]) -> bool:
    """Whether a holder was a process of this machine that has ended."""
    if holder.get("host") != socket.gethostname():
        return False
    process = int(holder.get("process") or 0)
    if process == os.getpid():  # it had the number that is ours now
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False
