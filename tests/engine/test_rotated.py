"""Metrics, the quarantine and Spark's log stay small however long a query runs, and whoever reads them reads on."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from engine.test_split_log import stopped
from punctum.engine.exchange.quarantine import read_records
from punctum.engine.recovery.checkpoint import measured
from punctum.engine.recovery.measured import append_metrics, drop_metrics, metrics_of
from punctum.engine.recovery.rotated import QuarantineFiles, QuarantineLimits, rotate
from punctum.errors import QueryError
from punctum.plan.joins.measured import measured as statistics


def batch(number: int) -> dict[str, object]:
    counts = {"rows_from a": 5, "rows_in": 5, "rows_kept": 2, "rows_out": 1}
    return {"batch": number, "time": 10.0 * number, "operators": {"s1o0": counts}, "kept": {}, "more": "é" * number}


def filled(checkpoint: Path, batches: int) -> Path:
    for n in range(batches):
        append_metrics(checkpoint, batch(n), large=5000, aside=3)
    return checkpoint


def numbers(checkpoint: Path) -> list[int]:
    return [number for number, _ in metrics_of(checkpoint)]


def test_metrics_that_are_put_aside(tmp_path: Path) -> None:
    filled(tmp_path, 100)
    files = sorted(path.name for path in (tmp_path / "punctum").iterdir())
    assert len(files) in (3, 4) and all(name.startswith("metrics") for name in files)
    found = numbers(tmp_path)
    assert found == list(range(99, found[-1] - 1, -1)) and 10 < len(found) < 60
    assert measured(tmp_path) == 99
    assert all(json.loads(line) == batch(number) for number, line in metrics_of(tmp_path))
    assert statistics(tmp_path).rates == {"a": 0.5}


def test_metrics_go_on_before_a_batch(tmp_path: Path) -> None:
    """Whatever was written of the batch and of later ones, wherever it is, and what a crash has cut off."""
    filled(tmp_path / "whole", 60)
    for wanted in range(60, 30, -1):
        for cut in ("", '{"batch": 61, "ke', "\n\n[]\n\xff"):
            checkpoint = shutil.copytree(tmp_path / "whole", tmp_path / f"{wanted}{len(cut)}")
            if cut:
                with (checkpoint / "punctum/metrics.jsonl").open("ab") as out:
                    out.write(cut.encode("latin-1"))
            before, line = drop_metrics(checkpoint, wanted)
            assert (before, json.loads(line)["batch"]) == (wanted - 1, wanted - 1)
            append_metrics(checkpoint, batch(wanted), large=5000, aside=3)
            found = numbers(checkpoint)
            assert found == list(range(wanted, found[-1] - 1, -1))
    assert drop_metrics(checkpoint, 0) == (None, '{"kept": {}}')
    assert numbers(checkpoint) == [] and measured(checkpoint) == -1


def test_long_lines_are_read_backwards(tmp_path: Path) -> None:
    sizes = [1, 1 << 16, (1 << 16) - 40, 200_000, 3]
    for n, size in enumerate(sizes):
        append_metrics(tmp_path, {"batch": n, "kept": {}, "more": "x" * size}, large=1 << 30)
    assert [(n, len(json.loads(line)["more"])) for n, line in metrics_of(tmp_path)] == [*enumerate(sizes)][::-1]


def texts(directory: Path) -> list[str]:
    return [record["text"] for record in read_records(directory)]


def record(text: str) -> str:
    return json.dumps({"stream": "a", "reason": "bad", "text": text, "file": None, "position": None})


def test_a_quarantine_of_many_batches_is_few_files(tmp_path: Path) -> None:
    directory = tmp_path / "out.quarantine"
    files = QuarantineFiles(directory, "ab", QuarantineLimits(files=10, size=3000, kept=1000))
    wanted = []
    for n in range(300):
        lines = [record(f"{n} {k}") for k in range(n % 3)]
        files.write(n, lines, False)
        wanted += [f"{n} {k}" for k in range(n % 3)]
        if n == 150:
            files = QuarantineFiles(directory, "ab", files.limits)  # another process goes on
    assert texts(directory) == wanted
    assert len(list(directory.iterdir())) < 10 + 2 * sum(len(record(text)) for text in wanted) / 3000
    other = QuarantineFiles(directory, "cd", QuarantineLimits(files=2))
    for n in range(5):
        other.write(n, [record("other")], False)
    assert sorted(texts(directory)) == sorted([*wanted, *["other"] * 5])


def test_a_quarantine_that_is_full_says_so(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    files = QuarantineFiles(tmp_path / "quarantine", "ab", QuarantineLimits(files=5, size=100, kept=3))
    for n in range(100):
        files.write(n, [record(f"{n}")], False)
    found = texts(tmp_path)
    assert found == [f"{n}" for n in range(100 - len(found), 100)] and 15 <= len(found) <= 25
    assert "its oldest records are removed (part-ab-000000-" in caplog.text


def test_a_quarantine_that_is_stopped_at_any_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed while files become one: each record is there once, and a batch that is done again replaces its own."""
    limits = QuarantineLimits(files=4, size=400, kept=100)
    for after in range(60):
        directory = tmp_path / f"{after}" / "quarantine"
        files, done = QuarantineFiles(directory, "ab", limits), -1
        try:
            with stopped(monkeypatch, after):
                for n in range(20):
                    files.write(n, [record(f"{n}")], n == 0)
                    done = n
            break
        except (QueryError, OSError):
            again = QuarantineFiles(directory, "ab", limits)
            for n in range(done + 1, 20):
                again.write(n, [record(f"{n}")], n == done + 1)
            assert texts(directory) == [f"{n}" for n in range(20)]
    assert done == 19 and after > 30


def test_a_log_that_is_large_is_begun_anew_under_its_writer(tmp_path: Path) -> None:
    log = tmp_path / "spark.log"
    code = "import sys\nfor line in sys.stdin: sys.stderr.write(line); sys.stderr.flush(); print(flush=True)"
    with log.open("ab") as errors:
        writer = subprocess.Popen(
            [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True
        )
    assert writer.stdin is not None and writer.stdout is not None
    with writer:
        for n in range(100):
            writer.stdin.write(f"{n:09}\n")
            writer.stdin.flush()
            writer.stdout.readline()
            rotate(log, large=100, kept=3)
        writer.stdin.close()
    kept = [tmp_path / f"spark.log.{n}" for n in (3, 2, 1)]
    assert sorted(os.listdir(tmp_path)) == ["spark.log", *sorted(path.name for path in kept)]
    assert "".join(path.read_text() for path in kept) == "".join(f"{n:09}\n" for n in range(70, 100))
    assert log.read_text() == ""
    rotate(tmp_path / "there is none")
