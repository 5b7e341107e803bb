"""The lease of a checkpoint: one process at a time has it, and whoever comes then is told who.

It is a lock on the file ``punctum/lease``, which the system gives back when the process ends, however it does. A
process that has the lease has it for all its queries: Spark knows which of those in a session are running. A file
system without locks keeps nobody out, which is logged. That of a checkpoint in a store is another (``store_lease.py``).
"""

import fcntl
import json
import logging
import os
import socket
from pathlib import Path

from pyspark.sql import SparkSession

from punctum.engine.recovery.durable import writing
from punctum.engine.recovery.store_lease import HINT, IN_USE, StoreLease
from punctum.errors import QueryError
from punctum.storage.location import Location, StorePath

_LOG = logging.getLogger(__name__)
_held: dict[Path, int] = {}
"""The open files of the leases that this process has."""
_in_stores: dict[StorePath, StoreLease] = {}
"""Those that it has in stores."""


def take_lease(checkpoint: Location) -> None:
    """Have a checkpoint for this process until it is released, or say who has it."""
    if isinstance(checkpoint, StorePath):
        known = _in_stores.get(checkpoint)
        if known is None or not known.kept:
            release_lease(checkpoint)
            _in_stores[checkpoint] = StoreLease(checkpoint / "punctum" / "lease")
        return
    path = _lease(checkpoint)
    if path in _held:
        if _there(_held[path], path):
            return
        release_lease(checkpoint)  # the checkpoint was removed, and begins anew
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = os.read(file, 1000).decode("utf-8", "replace").strip() or "another process"
        os.close(file)
        raise QueryError(IN_USE, f"{holder} is running a query on {path.parents[1]}", HINT) from None
    except OSError as error:
        _LOG.warning("cannot lock %s against a second run: %s", path.parents[1], error.strerror)
    _held[path] = file
    with writing(path):
        os.ftruncate(file, 0)
        os.pwrite(file, f"process {os.getpid()} on {socket.gethostname()}\n".encode(), 0)


def check_lease(checkpoint: Location) -> None:
    """An error when another process has taken a checkpoint that is in a store: without locks it could."""
    if isinstance(checkpoint, StorePath) and checkpoint in _in_stores:
        _in_stores[checkpoint].check()


def release_lease(checkpoint: Location) -> None:
    """Let other processes have a checkpoint."""
    if isinstance(checkpoint, StorePath):
        lease = _in_stores.pop(checkpoint, None)
        if lease is not None:
            lease.release()
        return
    file = _held.pop(_lease(checkpoint), None)
    if file is not None:
        os.close(file)


def check_not_running(checkpoint: Location, spark: SparkSession) -> None:
    """Refuse a checkpoint on which a query of this session runs."""
    try:
        known = json.loads((checkpoint / "metadata").read_bytes())["id"]
    except (OSError, ValueError, KeyError, TypeError):
        return  # there is none yet; of a damaged one Spark says so
    if any(running.id == known for running in spark.streams.active):
        raise QueryError(IN_USE, f"a query of this process is running on {checkpoint}", HINT)


def _lease(checkpoint: Path) -> Path:
    return checkpoint.resolve() / "punctum" / "lease"


def _there(file: int, path: Path) -> bool:
    """Whether an open file is the one that has this name."""
    return path.exists() and os.path.samestat(os.fstat(file), path.stat())
