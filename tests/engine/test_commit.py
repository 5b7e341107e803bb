"""The commit of a batch, stopped at every step and done again: what it leaves is what one commit leaves."""

import errno
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from punctum.algebra import Schema
from punctum.engine.commit import Commit
from punctum.engine.exchange.messages import (
    Addressed,
    Message,
    MetricsMessage,
    QuarantineMessage,
    WrittenMessage,
    to_arrow,
)
from punctum.engine.sinks.files import ResultFiles
from punctum.engine.sources.listing import Listing
from punctum.errors import QueryError
from punctum.lmerge.elements import Insert, Stable, element_schema, to_columns
from punctum.operators.columns import ColumnarSlice, frame

K = Schema.of(k="BIGINT")
BATCHES = [{0: [1, 2], 1: [3]}, {1: [4]}, {0: [5, 6, 7], 1: [8], 2: [9]}]
"""The rows that each bucket gives."""


@dataclass
class Told:
    """What the stages tell of a batch, once its files are written."""

    messages: list[Message]

    def collect(self) -> list[dict[str, Any]]:
        return to_arrow(Addressed(0, message) for message in self.messages).to_pylist()


def files(directory: Path) -> ResultFiles:
    return ResultFiles(str(directory / "out"), "json", K, False, "id")


def told(directory: Path, batch: int) -> Told:
    messages: list[Message] = []
    for bucket, values in BATCHES[batch].items():
        counts = {"s1o0": {"rows_out": len(values), "rows_kept": batch, "bytes_kept": 0}}
        record = {"stream": "a", "file": "f", "position": bucket, "text": "x"}
        name, _ = files(directory).write(ColumnarSlice(frame(K, [(v,) for v in values])))
        assert name is not None
        messages += [MetricsMessage(bucket, counts), WrittenMessage(bucket, name)]
        messages.append(QuarantineMessage([json.dumps(record)]))
    return Told(messages)


def run(directory: Path, start: int) -> Commit:
    """A run that goes on with a batch."""
    files(directory).prepare()
    commit = Commit("o", "id", directory / "state", directory / "out.quarantine", files(directory))
    for batch in range(start, len(BATCHES)):
        commit(told(directory, batch), batch)  # type: ignore[arg-type]
    return commit


def left(directory: Path) -> dict[str, Any]:
    paths = [path for path in sorted(directory.rglob("*")) if path.is_file()]
    lines = {str(path.relative_to(directory)): path.read_text().splitlines() for path in paths}
    return {name: [_timeless(line) for line in found] for name, found in lines.items()}


def _timeless(line: str) -> dict[str, Any]:
    return {name: value for name, value in json.loads(line).items() if name not in ("time", "seconds")}


@pytest.mark.parametrize("half", [False, True], ids=["between", "within"])
def test_a_commit_stopped_at_any_step_is_done_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, half: bool
) -> None:
    """The disk is full before some step; within it, half of what was to be written is there."""
    run(tmp_path / "whole", 0)
    wanted = left(tmp_path / "whole")
    assert sum(map(len, wanted.values())) == 9 + 6 + 3
    replace, steps, most = os.replace, 0, 0

    def limited(source: Any, target: Any, **more: Any) -> None:
        nonlocal steps
        steps += 1
        if steps > most:
            if half:
                os.truncate(source, os.stat(source).st_size // 2)
            raise OSError(errno.ENOSPC, "full")
        replace(source, target, **more)

    monkeypatch.setattr(os, "replace", limited)
    for most in range(40):
        directory, steps = tmp_path / f"{most}", 0
        try:
            run(directory, 0)
            break
        except QueryError as error:
            assert (error.what.startswith(str(directory)), error.detail) == (True, "full")
            metrics = directory / "state/punctum/metrics.jsonl"
            done = metrics.read_text().count("\n") if metrics.exists() else 0
            if half and metrics.exists():
                with metrics.open("a") as out:
                    out.write('{"batch": 1, "op')
            for again in (done, max(0, done - 1)):  # Spark may not know of the last one
                steps = -100
                run(directory, again)
                found = {name: lines for name, lines in left(directory).items() if not name.endswith(".new")}
                assert found == wanted, (most, again)
    assert most == 9, "files and quarantine"


def test_a_batch_that_is_done_again_with_less_leaves_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As when ON VIOLATION or a path has changed in between: what the attempt before left is gone."""
    run(tmp_path, 2)
    (tmp_path / "out/part-id-000002-7.json").write_text("")
    run(tmp_path, 2)
    assert sorted(path.name for path in (tmp_path / "out").glob("part-*")) == [
        f"part-id-000002-{bucket}.json" for bucket in BATCHES[2]
    ]


def test_queries_that_write_to_one_directory_leave_each_other_alone(tmp_path: Path) -> None:
    files(tmp_path).prepare()
    name, _ = files(tmp_path).write(ColumnarSlice(frame(K, [(1,)])))
    assert name is not None
    ResultFiles(str(tmp_path / "out"), "json", K, False, "other").prepare()
    files(tmp_path).commit(0, [(3, name)], True)
    assert (tmp_path / "out/part-id-000000-3.json").exists()


def test_what_has_ended_commits_nothing(tmp_path: Path) -> None:
    commit = run(tmp_path, 0)
    before = left(tmp_path)
    commit.end()
    with pytest.raises(QueryError, match="the query was stopped"):
        commit(Told([]), 3)  # type: ignore[arg-type]
    assert left(tmp_path) == before


@pytest.mark.parametrize(("options", "stays"), [({}, False), ({"feedback": "m.feedback"}, True)])
def test_what_a_reader_may_have_seen_stays_when_a_batch_may_skip_more(
    tmp_path: Path, options: dict[str, str], stays: bool
) -> None:
    sink = ResultFiles(str(tmp_path / "out"), "json", K, False, "id", options)
    sink.prepare()
    written, _ = sink.write(ColumnarSlice(frame(K, [(1,)])))
    assert written is not None
    sink.commit(0, [(0, written)], True)
    sink.commit(0, [], True)
    assert bool(list((tmp_path / "out").glob("part-*"))) is stays


def test_a_stable_comes_behind_the_elements_of_all_buckets_when_all_have_heard_it(tmp_path: Path) -> None:
    """The clock of a worker is ahead; one bucket hears of 9 a batch later; each batch is done twice."""
    schema = element_schema(K)
    sink = ResultFiles(str(tmp_path / "out"), "json", schema, True, "id", stables="s1o0")
    heard = [{0: 5, 1: 5}, {0: 9}, {1: 9}, {0: 9, 1: 9}]
    for batch, stables in [(n, stables) for n, stables in enumerate(heard) for _ in "12"]:
        sink.prepare()
        messages = list[Message]()
        for bucket, t in stables.items():
            name, _ = sink.write(to_columns([Insert((batch,), t, t + 1), Stable(t)], schema))
            assert name is not None
            os.utime(tmp_path / "out/.punctum/id" / name, (2e9, 2e9))
            counts = {"s1o0": {"rows_out": 1, "rows_kept": 1, "bytes_kept": 0, "stable": t}}
            messages += [MetricsMessage(bucket, counts), WrittenMessage(bucket, name)]
        commit = Commit("o", "id", tmp_path / "state", tmp_path / "out.quarantine", sink)
        commit(Told(messages), batch)  # type: ignore[arg-type]
    names = [split.name for split in Listing(tmp_path / "out", "json", {}, 0).news()]
    assert names == [
        f"part-id-{name}.json"
        for name in (
            *("000000-0", "000000-1", "000000-stable", "000001-0"),
            *("000002-1", "000002-stable", "000003-0", "000003-1"),
        )
    ]
    said = [(tmp_path / "out" / name).read_text() for name in names if "stable" in name]
    assert said == ['{"$stable": 5}\n', '{"$stable": 9}\n']
    assert not [name for name in names if "$stable" in (tmp_path / "out" / name).read_text() and "stable" not in name]


@pytest.mark.parametrize("damage", [b"", b'{"batch": 0, "kept": {}}\n', b'\xff{"batch": 1, "ke\n[]\n'])
def test_stables_that_follow_from_metrics_need_them(tmp_path: Path, damage: bytes) -> None:
    """Without the line of the batch before, what one bucket has heard would pass for what all have heard."""
    metrics = tmp_path / "state/punctum/metrics.jsonl"
    metrics.parent.mkdir(parents=True)
    for stables in ("s1o0", None):
        metrics.write_bytes(damage)
        sink = ResultFiles(str(tmp_path / "out"), "json", element_schema(K), True, "id", stables=stables)
        counts = {"s1o0": {"rows_out": 0, "rows_kept": 0, "bytes_kept": 0, "stable": 9}}
        told = Told([MetricsMessage(0, counts)])
        commit = Commit("o", "id", tmp_path / "state", tmp_path / "out.quarantine", sink)
        if stables is None:
            commit(told, 2)  # type: ignore[arg-type]
            continue
        with pytest.raises(QueryError, match=r"metrics\.jsonl has no complete line for batch 1, from which"):
            commit(told, 2)  # type: ignore[arg-type]
        assert metrics.read_bytes() == damage
