"""What tasks of one machine tell the driver in files: all of it, of one batch and one run."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from punctum.engine.exchange.messages import Addressed, Message, QuarantineMessage, WrittenMessage, to_arrow
from punctum.engine.exchange.told import ToldFiles


class Batch:
    """A DataFrame of Spark's whose tasks are run, one after the other, when its rows are counted."""

    def __init__(self, tasks: list[Iterator[pa.RecordBatch]]) -> None:
        self._tasks = tasks

    def __getattr__(self, name: str) -> Any:
        return self if name == "_jdf" else lambda: self

    def getNumPartitions(self) -> int:  # noqa: N802
        return len(self._tasks)

    def count(self) -> int:
        return sum(len(list(task)) for task in self._tasks)


def rows(*messages: Message) -> list[pa.RecordBatch]:
    return [to_arrow([Addressed(1, message)]) for message in messages]


A, B, C = WrittenMessage(1, "a.json"), WrittenMessage(2, "b.json"), QuarantineMessage(["x", "y"])


def test_what_all_tasks_tell_is_had_once(tmp_path: Path) -> None:
    files = ToldFiles(tmp_path / "told")
    for batch, tasks in enumerate([[rows(A, C), rows(B), rows()], [], [rows(B)]]):
        running = Batch([files.write(batch, iter(task)) for task in tasks])
        told = files.messages(running, batch)  # type: ignore[arg-type]
        assert sorted(map(str, told)) == sorted(str(m) for n, m in [(0, A), (0, C), (0, B), (2, B)] if n == batch)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_a_task_gives_spark_what_it_tells(tmp_path: Path) -> None:
    files, given = ToldFiles(tmp_path / "told"), list[pa.RecordBatch]()

    def task() -> Iterator[pa.RecordBatch]:
        for some in files.write(0, iter(rows(A, C))):
            given.append(some)
            yield some

    assert files.messages(Batch([task()]), 0) == [A, C]  # type: ignore[arg-type]
    assert given == rows(A, C)


def test_a_task_that_has_not_told_anything_is_noticed(tmp_path: Path) -> None:
    files = ToldFiles(tmp_path / "told")
    silent = Batch([files.write(0, iter(rows(A))), iter(rows(B))])
    with pytest.raises(AssertionError, match="1 of 2 tasks"):
        files.messages(silent, 0)  # type: ignore[arg-type]


def test_a_task_of_a_run_that_was_killed_tells_nobody(tmp_path: Path) -> None:
    left = ToldFiles(tmp_path / "told").write(0, iter(rows(A)))
    files = ToldFiles(tmp_path / "told")

    def late() -> Iterator[pa.RecordBatch]:
        with pytest.raises(FileNotFoundError):
            list(left)
        yield from files.write(0, iter(rows(B)))

    assert files.messages(Batch([late()]), 0) == [B]  # type: ignore[arg-type]
