"""Tasks of one machine that share out the units of a batch, and hand each other messages: files of a directory.

Spark's own exchange ends a stage, writes files, and starts another one. Where all tasks of a batch are on one machine,
those that have read can go on with the buckets themselves. A unit of work is done by whoever claims it: a task waits
only for units that others have claimed, and who has claimed one to be waited for does it without waiting. So it does
not matter how many of the tasks run at once, or when they start.
"""

import atexit
import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from tempfile import mkdtemp

import pyarrow as pa

from punctum.engine.exchange.messages import ARROW, Addressed, to_arrow
from punctum.errors import QueryError
from punctum.storage.location import Location

_PAUSE, _LOOK = 0.0005, 0.2  # seconds between two looks for files, and for processes that have ended
_CLAIMED, _DONE, _FAILED, _LEFT = "claimed", "done", "failed", "left"


def exchange_of(checkpoint: Location) -> Path:
    """Where tasks of this machine exchange messages: in the checkpoint, unless that is in a store."""
    if isinstance(checkpoint, Path):
        return checkpoint.resolve() / "punctum" / "exchange"
    directory = mkdtemp(prefix="punctum-exchange-")
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    return Path(directory)


class LocalExchange:
    """One task's view of the exchange of a batch. When another task fails, Spark has some seconds to end this one."""

    def __init__(self, directory: Path, tasks: int, patience: float = 5.0) -> None:
        self._directory, self._tasks, self._patience = directory, tasks, patience
        self._alone = tasks == 1  # nobody else looks
        self._over = directory.with_name(f"{directory.name}.over")
        if not self._alone:
            directory.mkdir(parents=True, exist_ok=True)
            if self._over.exists():  # what this task would do once more, others have done
                hint = "run the same command again to resume"
                raise QueryError("a batch that is over was begun again", str(self._over), hint)

    def claim(self, unit: str) -> bool:
        """Whether a unit is this task's to do; each is one task's."""
        if self._alone:
            return True
        try:
            file = os.open(self._directory / f"{unit}.{_CLAIMED}", os.O_CREAT | os.O_EXCL | os.O_WRONLY)
        except FileExistsError:
            return False
        with os.fdopen(file, "w") as out:
            out.write(str(os.getpid()))
        return True

    @contextmanager
    def giving(self, unit: str) -> Iterator[Callable[[Iterable[Addressed]], None]]:
        """Inside, what a unit sends to buckets of other tasks can be given; behind it, the unit is done."""
        outs: dict[int, pa.RecordBatchStreamWriter] = {}

        def give(sent: Iterable[Addressed]) -> None:
            by_bucket: dict[int, list[Addressed]] = {}
            for addressed in sent:
                by_bucket.setdefault(addressed.bucket, []).append(addressed)
            for bucket, some in by_bucket.items():
                if bucket not in outs:
                    outs[bucket] = pa.ipc.new_stream(str(self._directory / f"{unit}.to{bucket}"), ARROW)
                outs[bucket].write_batch(to_arrow(some))

        try:
            yield give
        finally:
            for out in outs.values():
                out.close()
        if not self._alone:
            (self._directory / f"{unit}.{_DONE}").touch()

    def wait(self, units: Iterable[str]) -> None:
        """Until all of these units are done; each has been claimed."""
        waited, looked = {f"{unit}.{_DONE}" for unit in units}, time.monotonic()
        while not self._alone and (left := waited.difference(names := os.listdir(self._directory))):
            if _FAILED in names:
                time.sleep(self._patience)
                raise QueryError("another task of the batch has failed", "its error says why", "")
            if time.monotonic() - looked > _LOOK:
                self._check_claimed(name.removesuffix(_DONE) + _CLAIMED for name in left)
                looked = time.monotonic()
            time.sleep(_PAUSE)

    def _check_claimed(self, names: Iterable[str]) -> None:
        """Fail when a process that has claimed a unit is not there any more."""
        for name in names:
            number = (self._directory / name).read_text()
            try:
                os.kill(int(number or os.getpid()), 0)
            except ProcessLookupError:
                hint = "run the same command again to resume; when it happens again, it may need more memory"
                what = "a worker has ended in the middle of a batch"
                raise QueryError(what, f"its process was {number}", hint) from None

    def given(self, bucket: int, units: Iterable[str]) -> Iterator[pa.RecordBatch]:
        """What units of other tasks have given for a bucket."""
        for unit in units:
            with suppress(FileNotFoundError), pa.memory_map(str(self._directory / f"{unit}.to{bucket}")) as given:
                yield from pa.ipc.open_stream(given)

    @contextmanager
    def taking_part(self) -> Iterator[None]:
        """The task; when it fails others know, and when all tasks are through the directory is taken away."""
        try:
            yield
        except Exception:
            if not self._alone:
                (self._directory / _FAILED).touch()
            raise
        if not self._alone:
            (self._directory / f"{token_hex(8)}.{_LEFT}").touch()
            with suppress(FileNotFoundError):  # another task is the last one too
                if sum(name.endswith(_LEFT) for name in os.listdir(self._directory)) == self._tasks:
                    self._over.touch()
                    shutil.rmtree(self._directory, ignore_errors=True)
