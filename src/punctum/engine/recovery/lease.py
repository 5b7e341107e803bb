"""The lease of a checkpoint: one process at a time has it, and whoever comes then is told who.

It is a lock on the file ``punctum/lease``, which the system gives back when the process ends, however it does. A
process that has the lease has it for all its queries: Spark knows which of those in a session are running. A file
system without locks keeps nobody out, which is logged.
"""

import fcntl
import json
import logging
import os
import socket
from pathlib import Path

from pyspark.sql import SparkSession

from punctum.engine.recovery.durable import writing
from punctum.errors import QueryError

_LOG = logging.getLogger(__name__)
_HINT = "stop it first, or use another checkpoint"
_held: dict[Path, int] = {}
"""The open files of the leases that this process has."""


def take_lease(checkpoint: Path) -> None:
    """Have a checkpoint for this process until it is released, or say who has it."""
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
        raise QueryError(
            "the checkpoint is in use", f"{holder} is running a query on {path.parents[1]}", _HINT
        ) from None
    except OSError as error:
        _LOG.warning("cannot lock %s against a second run: %s", path.parents[1], error.strerror)
    _held[path] = file
    with writing(path):
        os.ftruncate(file, 0)
        os.pwrite(file, f"process {os.getpid()} on {socket.gethostname()}\n".encode(), 0)


def release_lease(checkpoint: Path) -> None:
    """Let other processes have a checkpoint."""
    file = _held.pop(_lease(checkpoint), None)
    if file is not None:
        os.close(file)


def check_not_running(checkpoint: Path, spark: SparkSession) -> None:
    """Refuse a checkpoint on which a query of this session runs."""
    try:
        known = json.loads((checkpoint / "metadata").read_bytes())["id"]
    except (OSError, ValueError, KeyError, TypeError):
        return  # there is none yet; of a damaged one Spark says so
    if any(running.id == known for running in spark.streams.active):
        raise QueryError("the checkpoint is in use", f"a query of this process is running on {checkpoint}", _HINT)


def _lease(checkpoint: Path) -> Path:
    return checkpoint.resolve() / "punctum" / "lease"


def _there(file: int, path: Path) -> bool:
    """Whether an open file is the one that has this name."""
    return path.exists() and os.path.samestat(os.fstat(file), path.stat())
