"""The examples without Spark: what the streams send, what is kept, and the directory that a run leaves behind."""

import sys
from collections import Counter
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from click.testing import CliRunner

from demo.batch import answer, kept_without
from punctum.algebra import Schema, end_of_stream, from_json
from punctum.cli import EXAMPLES, cli, main
from punctum.demo import play
from punctum.demo.directory import Done, RunDirectory, rows_of
from punctum.demo.example import STEPS, Example
from punctum.demo.plot import draw
from punctum.demo.without import Unpunctuated
from punctum.errors import PunctumError
from punctum.operators.columns import ColumnarSlice, frame, to_rows
from punctum.parse import parse_script
from punctum.spec import Slice
from punctum.spec.guard import guard
from punctum.testing.simulate import Simulation

each_example = pytest.mark.parametrize("example", EXAMPLES.values(), ids=EXAMPLES)


def written(example: Example, path: Path) -> RunDirectory:
    """A directory with all that the example's streams send."""
    run = RunDirectory(example, path / example.name)
    run.prepare()
    for step, sends in enumerate(example.steps(), start=1):
        run.write(step, sends)
    return run


def stream(run: RunDirectory, name: str, schema: Schema) -> list[Slice]:
    texts = [run.files(step)[name].read_text() for step in range(1, STEPS + 1)]
    return [Slice.of(*(from_json(line, schema) for line in text.splitlines())) for text in texts]


@each_example
def test_streams_are_the_same_each_time_and_keep_their_promises(example: Example, tmp_path: Path) -> None:
    assert list(example.steps()) == list(example.steps())
    run = written(example, tmp_path)
    for name, definition in parse_script(example.script).streams.items():
        slices = stream(run, name, definition.schema)
        assert len(slices) == STEPS
        assert [violations for _, violations in guard(definition.schema, slices) if violations] == []
        puncts = [p for piece in slices for p in piece.puncts]
        assert puncts[-1] == end_of_stream(definition.schema)
        (scheme,) = definition.schemes
        assert all(scheme.admits(p) for p in puncts[:-1])


@each_example
def test_the_answer_is_that_of_batch_sql_and_nothing_is_kept_in_the_end(example: Example, tmp_path: Path) -> None:
    run = written(example, tmp_path)
    released, kept = simulated(run)
    assert Counter(row for piece in released for row in piece) == Counter(answer(example, run.path))
    assert kept[-1] == 0
    assert sum(map(bool, released)) >= STEPS - 2, "something to see in nearly every step"
    assert 0 < max(kept) < next(reversed(list(kept_without(example, run.path)))) / 10


def simulated(
    run: RunDirectory, buckets: int = 3, cut: list[list[str]] | None = None
) -> tuple[list[list[tuple[Any, ...]]], list[int]]:
    """What is released in each step and kept after it, in buckets as on Spark; perhaps the step cut into batches."""
    script = parse_script(run.example.script)
    streams = {name: stream(run, name, definition.schema) for name, definition in script.streams.items()}
    simulation = Simulation(script.queries[0].relation, buckets)
    released: list[list[tuple[Any, ...]]] = []
    kept = []
    for step in range(STEPS):
        fed = {
            name: ColumnarSlice(frame(script.streams[name].schema, slices[step].rows), tuple(slices[step].puncts))
            for name, slices in streams.items()
        }
        batches = [{name: fed[name] for name in names} for names in cut or [list(fed)]]
        released.append([row for batch in batches for row in to_rows(simulation.feed(batch).rows)])
        kept.append(simulation.kept())
    return released, kept


@each_example
def test_what_is_kept_does_not_depend_on_batches(example: Example, tmp_path: Path) -> None:
    """Spark may find the files of a step in several batches, in any order of the streams."""
    run = written(example, tmp_path)
    once = simulated(run)[1]
    assert simulated(run, buckets=1)[1] == once
    for cut in ([[name] for name in run.files(1)], [[name] for name in reversed(run.files(1))]):
        assert simulated(run, cut=cut)[1] == once


@each_example
def test_what_would_be_kept_without_punctuations(example: Example, tmp_path: Path) -> None:
    run = written(example, tmp_path)
    without = Unpunctuated(parse_script(example.script).queries[0].relation)
    kept = [without.feed(run.files(step)) for step in range(1, STEPS + 1)]
    assert kept == list(kept_without(example, run.path))


DONE = [Done(step, 10, 1, 2, None if step == 2 else step, 10 * step) for step in range(1, STEPS + 1)]


def test_a_finished_run_starts_afresh_and_an_interrupted_one_goes_on(tmp_path: Path) -> None:
    run = written(EXAMPLES["outage"], tmp_path)
    run.record(DONE[:3])
    assert run.interrupted
    run.prepare()
    assert run.done() == DONE[:3]
    assert all(file.exists() for file in run.files(STEPS).values())
    draw(run.plot, "outage", DONE)
    assert run.plot.read_bytes().startswith(b"\x89PNG")
    assert run.finished and not run.interrupted
    run.prepare()
    assert not run.finished and run.interrupted
    assert run.done() == [] and not run.files(1)["phone"].exists()


def test_what_is_not_the_demos_is_left_alone(tmp_path: Path) -> None:
    run = RunDirectory(EXAMPLES["outage"], tmp_path / "outage")
    run.path.mkdir()
    mine = run.path / "kept.png"
    mine.write_text("mine")
    with pytest.raises(PunctumError, match="does not hold a run of this demo"):
        run.prepare()
    assert mine.read_text() == "mine"
    mine.unlink()
    run.prepare()
    run.script.write_text(run.example.script + "-- mine")
    with pytest.raises(PunctumError, match="does not hold a run of this demo"):
        run.prepare()


def test_a_file_that_is_there_is_not_written_again(tmp_path: Path) -> None:
    run = written(EXAMPLES["outage"], tmp_path)
    file = run.files(1)["monitor1"]
    before = file.stat().st_mtime_ns
    run.write(1, next(run.example.steps()))
    assert file.stat().st_mtime_ns == before
    file.write_text("{}\n")
    with pytest.raises(PunctumError, match="does not hold a run of this demo"):
        run.write(1, next(run.example.steps()))


def test_results_come_in_the_order_of_their_values(tmp_path: Path) -> None:
    run = RunDirectory(EXAMPLES["outage"], tmp_path / "out age")
    assert run.results() == []
    (run.path / "out" / ".punctum").mkdir(parents=True)
    for n, name in enumerate(("part-0.json", "part-1.json", ".punctum/2")):
        (run.path / "out" / name).write_text(f'{{"zoneid": {9 - n}, "hour": 1}}\n')
    assert [row["zoneid"] for row in rows_of(run.results())] == [8, 9]


def test_examples_begin_with_the_one_that_was_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[str] = []
    lines: list[str] = []

    def taking(run: RunDirectory, *_: object) -> bool:
        taken.append(run.example.name)
        return run.example.name != "warehouse"

    monkeypatch.setattr(play, "_run", taking)

    def playing() -> bool:
        return play.play(EXAMPLES.values(), tmp_path, None, Event(), lines.append)  # type: ignore[arg-type]

    assert not playing()
    assert taken == ["auction", "warehouse"], "an interrupted one is the last one"
    draw(written(EXAMPLES["auction"], tmp_path).plot, "auction", DONE)
    written(EXAMPLES["warehouse"], tmp_path)
    taken.clear()
    assert not playing()
    assert taken == ["warehouse"]
    assert lines == [f"auction: already finished, see {tmp_path / 'auction'}\n"]


def test_an_example_that_is_not_there() -> None:
    wrong = CliRunner().invoke(cli, ["demo", "auctions"])
    assert wrong.exit_code == 2
    assert all(name in wrong.output for name in EXAMPLES)


def test_a_directory_that_cannot_be_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(sys, "argv", ["punctum", "demo", "--directory", str(tmp_path / "file" / "below")])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert "cannot be used" in capsys.readouterr().err
