"""The demo of replicas: what it leaves alone, what it prints, and a short run on Spark."""

from pathlib import Path
from threading import Event

import pytest
from pyspark.sql import SparkSession

from lanes import long
from punctum.demo import replicas
from punctum.errors import PunctumError
from punctum.session import Session


def test_a_step_in_a_line() -> None:
    step = replicas.ReplicaStep(3, 100, {"a": 60, "b": None, "c": 60, "merged": 60}, {})
    assert replicas.line(step, ["b is killed"]) == "     3      100    60     -    60      60  b is killed"
    assert len(replicas.line(step, [])) == len(replicas._HEAD)


def test_the_plot_is_drawn(tmp_path: Path) -> None:
    counts = {"a": 20, "b": 0, "c": 20, "merged": 20}
    replicas.draw(tmp_path / "x.png", [replicas.ReplicaStep(1, 5, {}, counts), replicas.ReplicaStep(2, 5, {}, counts)])
    assert (tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")


def test_what_is_not_the_demos_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "replicas").mkdir()
    (tmp_path / "replicas/mine").touch()
    with pytest.raises(PunctumError, match="does not hold a run of this demo"):
        replicas.play(tmp_path, None, Event(), print)  # type: ignore[arg-type]
    assert (tmp_path / "replicas/mine").exists()


def test_one_is_killed_and_returns(spark: SparkSession, tmp_path: Path) -> None:
    lines = list[str]()
    assert replicas.play(tmp_path, Session(spark), Event(), lines.append, replicas.Story(2, {1: "b"}, {2: "b"}))
    assert [line.split()[2:6] for line in lines[-3:-1]] == [["20", "-", "20", "20"], ["40", "40", "40", "40"]]
    assert "40 minutes, each exactly once" in lines[-1]


@long
def test_two_are_killed_and_one_returns(spark: SparkSession, tmp_path: Path) -> None:
    story, lines = replicas.Story(4, {1: "b", 2: "a", 3: "c"}, {3: "b"}), list[str]()
    assert replicas.play(tmp_path, Session(spark), Event(), lines.append, story)
    assert "80 minutes, each exactly once" in lines[-1]
    counts = [line.split()[2:6] for line in lines[-5:-1]]
    assert counts == [["20", "-", "20", "20"], ["-", "-", "40", "40"], ["-", "60", "-", "60"], ["-", "80", "-", "80"]]
    assert (tmp_path / "replicas/replicas.png").exists()
