"""The lease of a checkpoint: a second run is kept out until the first one has ended, however it has ended."""

import errno
import fcntl
import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from pyspark.sql import SparkSession

from punctum.engine.recovery.lease import check_not_running, release_lease, take_lease
from punctum.errors import QueryError

HOLDING = "import sys; from pathlib import Path; from punctum.engine.recovery.lease import take_lease; "
HOLDING += "take_lease(Path(sys.argv[1])); print('has it', flush=True); sys.stdin.read()"


@pytest.fixture
def checkpoint(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    release_lease(tmp_path)


def test_another_process_is_kept_out_until_it_is_killed(checkpoint: Path) -> None:
    command = [sys.executable, "-c", HOLDING, str(checkpoint)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None and other.stdout.readline() == "has it\n"
        for _ in range(2):
            with pytest.raises(QueryError) as caught:
                take_lease(checkpoint)
            assert caught.value.what == "the checkpoint is in use"
            assert caught.value.detail.startswith(f"process {other.pid} on ")
            assert caught.value.detail.endswith(f" is running a query on {checkpoint}")
            assert caught.value.hint == "stop it first, or use another checkpoint"
        other.send_signal(signal.SIGKILL)
        other.wait()
    take_lease(checkpoint)
    assert subprocess.run(command, input="", capture_output=True, text=True).returncode != 0
    release_lease(checkpoint)
    assert subprocess.run(command, input="", capture_output=True, text=True).stdout == "has it\n"


def test_a_process_has_it_as_often_as_it_likes_and_anew_when_all_was_removed(checkpoint: Path) -> None:
    for _ in range(2):
        take_lease(checkpoint)
    shutil.rmtree(checkpoint / "punctum")
    take_lease(checkpoint)
    assert (checkpoint / "punctum/lease").read_text().startswith("process ")


def test_without_locks_it_is_logged(
    checkpoint: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def none(file: int, how: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", none)
    take_lease(checkpoint)
    assert caplog.messages == [f"cannot lock {checkpoint} against a second run: No locks available"]


def test_a_running_query_of_the_same_session_is_noticed(tmp_path: Path) -> None:
    def session(*ids: str) -> SparkSession:
        active = [SimpleNamespace(id=each) for each in ids]
        return cast(SparkSession, SimpleNamespace(streams=SimpleNamespace(active=active)))

    check_not_running(tmp_path, session("x"))
    for damaged in ("", "[]", "{}"):
        (tmp_path / "metadata").write_text(damaged)
        check_not_running(tmp_path, session("x"))
    (tmp_path / "metadata").write_text(json.dumps({"id": "x"}))
    check_not_running(tmp_path, session("y"))
    with pytest.raises(QueryError, match=r"the checkpoint is in use\n.*a query of this process is running on"):
        check_not_running(tmp_path, session("y", "x"))


def test_a_checkpoint_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(QueryError) as caught:
        take_lease(tmp_path / "file/inside")
    assert caught.value.what == f"{tmp_path}/file/inside/punctum/lease cannot be written"
    assert caught.value.detail == f"Not a directory: {tmp_path}/file/inside/punctum"
