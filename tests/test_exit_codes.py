"""The exit codes of commands, and what they say on standard error, as text and as JSON (docs/operate.md)."""

import json
import logging
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest

from lanes import PATIENCE, long
from punctum.cli import main

STREAM = "CREATE STREAM a (k BIGINT, PUNCTUATED ON (k)) ON VIOLATION FAIL USING json OPTIONS (path 'in');"
SINK = "CREATE SINK o USING json OPTIONS (path 'out'); INSERT INTO o "
GOOD = f"{STREAM}{SINK}SELECT k, COUNT(*) AS n FROM a GROUP BY k;"
REFUSED = f"{STREAM.replace(', PUNCTUATED ON (k)', '')}{SINK}SELECT DISTINCT k FROM a;"


@pytest.fixture
def unlogged() -> Iterator[None]:
    """The handlers of the log as they were before, when the test is over."""
    log, level = logging.getLogger(), logging.getLogger("punctum").level
    before = list(log.handlers)
    log.handlers = []
    yield
    log.handlers = before
    logging.getLogger("punctum").setLevel(level)


def ended(directory: Path, monkeypatch: pytest.MonkeyPatch, script: str, *options: str) -> object:
    """The exit code of a run of a script."""
    (directory / "script.sql").write_text(script)
    where = [str(directory / "script.sql"), "--checkpoint", str(directory / "state")]
    monkeypatch.setattr(sys, "argv", ["punctum", "run", *where, *options])
    with pytest.raises(SystemExit) as caught:
        main()
    return caught.value.code


@pytest.mark.usefixtures("unlogged")
@pytest.mark.parametrize(
    ("script", "options", "code", "says"),
    [
        (REFUSED, [], 1, "state grows without bound"),
        ("SELEC", [], 2, "the statement SELEC is not supported"),
        (GOOD, [], 2, "the directory of the stream a does not exist"),
        (GOOD, ["--trigger", "soon"], 2, "is not a duration"),
        (GOOD, ["--metrics-port", "70000"], 2, "metrics-port"),
        (GOOD, ["--log-format", "xml"], 2, "log-format"),
    ],
)
def test_what_cannot_start(
    script: str,
    options: list[str],
    code: int,
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert ended(tmp_path, monkeypatch, script, *options) == code
    said = capsys.readouterr()
    assert says in said.err and said.out == ""


@pytest.mark.usefixtures("unlogged")
@pytest.mark.parametrize(("script", "code"), [(REFUSED, 1), ("SELEC", 2), (GOOD, 2)])
def test_what_cannot_start_in_json(
    script: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended(tmp_path, monkeypatch, script, "--log-format", "json") == code
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [line["level"] for line in lines if line["level"] == "error"] == ["error"]
    assert lines[-1]["message"] and {"time", "what"} <= lines[-1].keys()


@long
@pytest.mark.command
def test_a_run_in_json_with_metrics_that_is_stopped_and_one_that_fails(tmp_path: Path) -> None:
    """SIGTERM: 0; a query that fails: 1; all that is said is JSON, and Prometheus finds what batches have counted."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in/1.json").write_text('{"k": 1}\n{"$punct": {"k": 1}}\n')
    (tmp_path / "script.sql").write_text(GOOD)
    command = [sys.executable, "-m", "punctum", "run", "script.sql", "--checkpoint", "state", "--master", "local[1]"]
    command += ["--log-format", "json", "--metrics-port", "0"]
    said, served = list[dict[str, object]](), ""
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr is not None
        for line in running.stderr:
            said.append(json.loads(line))
            if "metrics" in said[-1]:
                served = next(str(each["message"]) for each in said if "http://" in str(each["message"]))
                address = re.search(r"http://\S+", served)
                assert address is not None
                text = urlopen(address[0]).read().decode()
                running.send_signal(signal.SIGTERM)
        assert running.wait(PATIENCE) == 0
    assert 'punctum_rows_in_total{query="o",operator="s1o0"} 1' in text
    assert {line["level"] for line in said} == {"info"} and said[-1]["message"] == (
        "stopped; run the same command again to resume"
    )
    (tmp_path / "in/2.json").write_text('{"k": "x"}\n')
    failed = subprocess.run(
        [*command, "--available-now", "--quiet"], cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE
    )
    assert failed.returncode == 1
    (error,) = map(json.loads, failed.stderr.splitlines())
    assert error["level"] == "error" and "has a wrong value" in error["detail"] and error["hint"]
    assert os.listdir(tmp_path / "out")
