"""The Python of workers is tried when a session is made: what it lacks is an error that names PYSPARK_PYTHON."""

import os
import sys
from pathlib import Path
from socket import gethostname
from types import SimpleNamespace
from typing import Any

import pytest

from punctum.engine.launch import is_this_python, workers_python
from punctum.engine.runtime.task import check_shared
from punctum.engine.workers import check_workers
from punctum.errors import MissingError, QueryError

VERSION = "{}.{}".format(*sys.version_info)


def session(executable: str | Path) -> Any:
    """What is asked of a session on this machine."""
    return SimpleNamespace(sparkContext=SimpleNamespace(pythonExec=str(executable), master="local[2]"))


def python(path: Path, says: str, fails: bool = False) -> Path:
    """A Python that answers the probe."""
    path.write_text(f"#!/bin/sh\necho '{says}' {'>&2; exit 1' if fails else ''}\n")
    path.chmod(0o755)
    return path


def test_this_python_needs_no_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    for executable in (sys.executable, workers_python("local[*]"), workers_python("spark://other:7077")):
        assert is_this_python(executable)
        check_workers(session(executable))
    check_workers(session(Path(sys.executable).name))


def test_a_worker_that_does_not_see_the_checkpoint_says_so(tmp_path: Path) -> None:
    states = tmp_path / "punctum/state/1"
    with pytest.raises(QueryError) as caught:
        check_shared(states, 1)
    error = caught.value
    assert (error.what, error.where) == (f"{gethostname()} does not see the checkpoint", "stage 1")
    assert error.detail == f"{tmp_path / 'punctum/plan'} is not there"
    (tmp_path / "punctum").mkdir()
    (tmp_path / "punctum/plan").write_text("")
    check_shared(states, 1)


def test_another_python_is_tried(tmp_path: Path) -> None:
    """The same one under another name has all that it takes."""
    (tmp_path / "good").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    (tmp_path / "good").chmod(0o755)
    check_workers(session(tmp_path / "good"))
    wrong = {
        f'["{VERSION}", false, "1.0"]': "has no punctum",
        f'["{VERSION}", true, null]': "has no Polars, and this Python has Polars ",
        f'["{VERSION}", true, "0.1"]': "has Polars 0.1, and this Python has Polars ",
        '["3.9", true, "0.1"]': f"is Python 3.9, and this is Python {VERSION}",
    }
    for n, (answer, reason) in enumerate(wrong.items()):
        with pytest.raises(MissingError) as caught:
            check_workers(session(python(tmp_path / str(n), answer)))
        assert caught.value.detail.startswith(f"PYSPARK_PYTHON: {tmp_path / str(n)} {reason}")
        assert caught.value.hint.startswith("set PYSPARK_PYTHON to") and sys.executable in caught.value.hint


def test_a_python_that_does_not_run_is_named(tmp_path: Path) -> None:
    for executable, reason in (
        (tmp_path / "none", "cannot be started: No such file or directory"),
        (python(tmp_path / "bad", "no module", fails=True), "fails: no module"),
    ):
        with pytest.raises(MissingError, match="Spark's workers cannot run Punctum") as caught:
            check_workers(session(executable))
        assert caught.value.detail == f"PYSPARK_PYTHON: {executable} {reason}"
