"""The examples of applications, run as they are, each in a session of its own on the tests' Spark."""

import importlib.util
import json
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest
from pyspark.sql import SparkSession

from lanes import long
from punctum.session import Session

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


@pytest.fixture
def example(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    spec = importlib.util.spec_from_file_location(request.param, EXAMPLES / f"{request.param}.py")
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def named(name: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("example", [name], indirect=True)


@long
@named("fast_availability")
def test_fast_availability(spark: SparkSession, tmp_path: Path, example: ModuleType) -> None:
    assert example.example(Session(spark), tmp_path) == {minute: 3 * minute + 3 for minute in range(20)}


@long
@named("fast_forward")
def test_fast_forward(spark: SparkSession, tmp_path: Path, example: ModuleType) -> None:
    assert example.example(Session(spark), tmp_path) == {"one": 90, "two": 11}, "the last one before 90 ends at it"


@long
@named("jumpstart")
def test_jumpstart(spark: SparkSession, tmp_path: Path, example: ModuleType) -> None:
    each = 60
    found = example.example(Session(spark), tmp_path, each)
    wanted = Counter[tuple[int, int]]()
    for process, hour, busy in example.reports(0, example.END, each).iter_rows():
        wanted[hour // 168 * 168, process] += busy
    assert found == dict(wanted) and len({start for start, _ in found}) == 2
    read = [json.loads(line)["operators"]["s1o0"]["rows_in"] for line in metrics(tmp_path / "state/second")]
    assert sum(read) == each * (example.END - example.NOW), "it reads nothing of what is over"


def metrics(checkpoint: Path) -> list[str]:
    return (checkpoint / "punctum/metrics.jsonl").read_text().splitlines()[1:]


@long
@named("cutover")
def test_cutover(spark: SparkSession, tmp_path: Path, example: ModuleType) -> None:
    assert example.example(Session(spark), tmp_path) == list(range(30))


def test_every_example_is_tried_and_named() -> None:
    names = {path.stem for path in EXAMPLES.glob("*.py")} - {"running", "pictures"}
    tried = Path(__file__).read_text()
    page = (EXAMPLES.parent / "docs/logical-merge.md").read_text()
    assert names
    for name in names:
        assert f'@named("{name}")' in tried, name
        assert f"examples/{name}.py" in page, name
