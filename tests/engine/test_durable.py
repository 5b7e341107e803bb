"""What the system has against a file: the path and the cause reach the user in a line."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from punctum.algebra import Schema
from punctum.engine.exchange.quarantine import write_records
from punctum.engine.formats.write import WRITERS
from punctum.engine.recovery.durable import replace_text, writing
from punctum.engine.sinks.files import ResultFiles
from punctum.errors import QueryError

K = Schema.of(k="BIGINT")
FULL = Path("/dev/full")


@pytest.mark.parametrize("format", WRITERS)
@pytest.mark.skipif(not FULL.exists(), reason="there is no device that is always full")
def test_results_on_a_full_disk(format: str) -> None:
    with pytest.raises(QueryError) as caught, writing("out"):
        WRITERS[format](FULL, pl.DataFrame({"k": range(100_000)}), None, K, {})
    assert (caught.value.what, caught.value.detail) == ("out cannot be written", "No space left on device")
    assert caught.value.hint == "free disk space, and run the same command again to resume"


def test_a_checkpoint_on_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(file: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(QueryError) as caught:
        replace_text(tmp_path / "punctum/id", "x")
    assert caught.value.what == f"{tmp_path}/punctum/id cannot be written"
    assert caught.value.detail == "No space left on device"
    assert not (tmp_path / "punctum/id").exists()


def test_a_place_where_nothing_can_be_written(tmp_path: Path) -> None:
    """A directory that cannot be made: there is a file of its name."""
    (tmp_path / "file").write_text("")
    inside = tmp_path / "file/inside"
    results = ResultFiles(str(inside), "json", K, False, "id")
    writes: list[tuple[Path, Callable[[], object]]] = [
        (inside, lambda: replace_text(inside, "x")),
        (inside, results.prepare),
        (inside, lambda: results.commit(0, [(0, "x")], False)),
    ]
    for named, write in writes:
        with pytest.raises(QueryError) as caught:
            write()
        assert caught.value.what == f"{named} cannot be written"
        assert caught.value.detail.startswith(("Not a directory", f"File exists: {tmp_path}/file"))


def test_a_quarantine_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Task:
        """As a worker knows its task."""

        def getLocalProperty(self, name: str) -> str:  # noqa: N802
            return "3"

        def taskAttemptId(self) -> int:  # noqa: N802
            return 7

    (tmp_path / "quarantine").write_text("in the way")
    monkeypatch.setattr("punctum.engine.exchange.quarantine.TaskContext.get", lambda: Task())
    with pytest.raises(QueryError, match=r"quarantine/part-000003-\w+\.json cannot be written\n  detail: File exists"):
        write_records(["{}"], tmp_path / "quarantine")
