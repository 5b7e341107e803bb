"""What all tests and all examples in the source share: one Spark session, and the README's auction for the examples."""

import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from punctum.engine.spark import spark_session

ROOT = Path(__file__).parent


def pytest_addoption(parser: pytest.Parser) -> None:
    """An option to record how long each test takes."""
    parser.addoption("--times", type=Path, help="write the seconds of each test to this file, the slowest first")


def pytest_configure(config: pytest.Config) -> None:
    """The process that hears of all tests records their times."""
    path = config.getoption("--times")
    if path and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Times(path))


class Times:
    """The seconds of each test, with its fixtures, written when all tests are done."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seconds = Counter[str]()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count what has been done for a test."""
        self._seconds[re.sub(r"@[\w/.]+$", "", report.nodeid)] += report.duration  # type: ignore[assignment]

    def pytest_sessionfinish(self) -> None:
        """Write all down."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        lines = [f"{seconds:9.3f} {test}\n" for test, seconds in self._seconds.most_common()]
        self._path.write_text("".join(lines))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests on Spark come first and go to one worker, so that there is one Spark; of other files, each to one worker.

    A worker without Spark begins with the tests that start a command with a Spark of its own.
    """
    for item in items:
        group = "spark" if _needs_spark(item) else f"{item.path.parent.name}/{item.path.stem}"
        item.add_marker(pytest.mark.xdist_group(group))
    items.sort(key=lambda item: (not _needs_spark(item), item.get_closest_marker("command") is None))


def _needs_spark(item: pytest.Item) -> bool:
    """Whether a test runs where Spark does: so do those with a broker, since there is one of these, too."""
    return not {"spark", "broker"}.isdisjoint(getattr(item, "fixturenames", ())) or _on_spark(item)


def _on_spark(item: Any) -> bool:
    return isinstance(item, pytest.DoctestItem) and item.name.startswith(("punctum.session", "punctum.query"))


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """The Spark session of a test run: a second one, in another worker, is an error."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        (tmp_path_factory.getbasetemp().parent / "spark").touch(exist_ok=False)
    session = spark_session("local[2]", partitions=2)
    yield session
    session.stop()


REPLICAS = "".join(f"CREATE TEMPORAL STREAM {name} (n BIGINT) USING json OPTIONS (path '{name}');" for name in "abc")
REPLICAS += """
CREATE STREAM m AS LMERGE (a, b, c) OPTIONS (control 'control', absent 'c');
CREATE SINK merged USING json OPTIONS (path 'out/merged', elements 'true');
INSERT INTO merged SELECT * FROM m;
"""


@pytest.fixture
def auction(tmp_path: Path) -> Path:
    """A directory with the README's script and the files that its streams read."""
    page = (ROOT / "README.md").read_text()
    (script,) = re.findall(r"^```sql\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    bids = re.findall(r"^```json\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)[0]
    items = re.findall(r"`(\{.*?\}+)`", page)[:2]
    (tmp_path / "auction.sql").write_text(script)
    (tmp_path / "replicas.sql").write_text(REPLICAS)
    for name, lines in (("item", "\n".join(items) + "\n"), ("bid", bids)):
        (tmp_path / "in" / name).mkdir(parents=True)
        (tmp_path / "in" / name / "1.json").write_text(lines)
    return tmp_path


@pytest.fixture
def bids(spark: SparkSession, auction: Path) -> DataFrame:
    """The README's bids as a streaming DataFrame."""
    lines = (json.loads(line) for line in (auction / "in/bid/1.json").read_text().splitlines())
    rows = ({"_punct": json.dumps(line)} if "$punct" in line else line for line in lines)
    (auction / "bids").mkdir()
    (auction / "bids/1.json").write_text("\n".join(map(json.dumps, rows)))
    return spark.readStream.schema("itemid BIGINT, increase DOUBLE, _punct STRING").json(str(auction / "bids"))


@pytest.fixture(autouse=True)
def examples(request: pytest.FixtureRequest, doctest_namespace: dict[str, Any]) -> None:
    """The names that the examples of ``punctum.session`` and ``punctum.query`` use."""
    if _on_spark(request.node):
        from punctum import Session

        doctest_namespace["Session"] = Session
        names = {"spark": "spark", "directory": "auction", "bids": "bids"}
        doctest_namespace.update({name: request.getfixturevalue(fixture) for name, fixture in names.items()})
