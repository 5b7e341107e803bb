"""The examples: each script is safe, prints what its page shows, has its picture, and gives what a database gives."""

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from examples.pictures import EXAMPLES, picture
from pyspark.sql import SparkSession

from lanes import long
from punctum.nexmark import queries
from punctum.session import Session
from punctum.testing import assert_equal_to_batch, assert_safe, from_files, run_all

HERE = Path(__file__).parent.parent / "examples"
BATCH = [name for name in EXAMPLES if name not in ("replicas", "sessions", "fraud", "sensors", "dedup")]
"""Those whose SQL a database takes, and whose data has nothing late."""


def script_of(name: str) -> Path:
    return HERE / name / f"{name}.sql"


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_page_shows_what_the_script_gives(name: str) -> None:
    """``punctum.testing`` prints it; the blocks of the page are the queries' outcomes, in their order."""
    page = (HERE / name / "README.md").read_text()
    shown = re.findall(r"^```\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    outcomes = run_all(script_of(name), from_files(script_of(name)))
    assert [f"{outcome}\n" for outcome in outcomes.values()] == shown
    assert re.findall(r"^## `(.*?)`$", page, re.MULTILINE) == list(outcomes)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_script_is_safe(name: str) -> None:
    assert_safe(script_of(name))


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_picture_is_of_the_script(name: str) -> None:
    """``make pictures`` draws it."""
    assert (HERE / name / "picture.svg").read_text() == picture(name)
    assert "](picture.svg)" in (HERE / name / "README.md").read_text()


@pytest.mark.parametrize("name", BATCH)
def test_a_database_gives_the_same(name: str) -> None:
    assert_equal_to_batch(script_of(name), from_files(script_of(name)))


@pytest.mark.parametrize("name", EXAMPLES)
def test_cuts_and_buckets_change_nothing(name: str) -> None:
    """Streams have no order among them, so what comes out is the same, and when is not."""
    files = from_files(script_of(name))
    wanted = run_all(script_of(name), files)
    for query, outcome in run_all(script_of(name), files, cut=1, buckets=5, restart=True).items():
        assert _bag(outcome.rows) == _bag(wanted[query].rows)
        assert _bag(r[:2] for r in outcome.quarantine) == _bag(r[:2] for r in wanted[query].quarantine)


@long
@pytest.mark.parametrize("name", EXAMPLES)
def test_spark_gives_the_same(spark: SparkSession, tmp_path: Path, name: str) -> None:
    """Run as a person runs it: files in, files out."""
    import json
    import shutil

    shutil.copytree(HERE / name, tmp_path / name)
    script = tmp_path / name / script_of(name).name
    wanted = run_all(script, from_files(script))
    for query in Session(spark).script(script):
        query.start(tmp_path / "state" / query.name, available_now=True).wait()
        files = sorted((tmp_path / name / "out" / query.name).glob("*.json"))
        rows = [json.loads(line) for file in files for line in file.read_text().splitlines()]
        assert _bag(rows) == _bag(wanted[query.name].rows), query.name


def _bag(rows: Any) -> Counter[str]:
    return Counter(map(str, rows))


def test_the_examples_are_listed() -> None:
    page = (HERE / "README.md").read_text()
    assert {path.parent.name for path in HERE.glob("*/*.sql") if path.parent.name not in ("kafka", "nexmark")} == {
        *EXAMPLES
    }
    for name in (*EXAMPLES, "kafka", "nexmark"):
        assert f"]({name}" in page, name
    assert {path.name for path in (HERE / "nexmark").glob("*.sql")} == {
        f"q{n:02}.sql" for n in range(len(queries.NAMES))
    }
