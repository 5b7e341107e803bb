"""The tutorial: every output that a page shows is what comes out, without Spark, and in the long lane on Spark too."""

from pathlib import Path

import pytest
from click.testing import CliRunner
from pyspark.sql import SparkSession

from lanes import long
from punctum.cli import cli
from punctum.session import Session
from tutorial import given, steps

PAGES = Path(__file__).parent.parent / "docs" / "tutorial"
NAMES = [*sorted(page.stem for page in PAGES.glob("[0-9]*.md") if page.stem != "3-sessions"), "../start"]
"""Step 3 deletes a clause in between; ``test_docs.py`` has it. The first five minutes are written as a step is."""


def test_there_are_six_steps() -> None:
    text = (PAGES / "README.md").read_text()
    pages = sorted(page.name for page in PAGES.glob("[0-9]*.md"))
    assert len(pages) == 6
    assert all(f"{n}. [" in text and f"]({page})" in text for n, page in enumerate(pages, 1))


@pytest.mark.parametrize("name", NAMES)
def test_the_page_shows_what_comes_out(name: str, tmp_path: Path) -> None:
    shown = 0
    for step in steps(PAGES / f"{name}.md", tmp_path):
        assert step.text == given(step.what, tmp_path), step.what
        shown += 1
    assert shown


@long
@pytest.mark.parametrize("name", NAMES)
def test_spark_gives_it_too(spark: SparkSession, name: str, tmp_path: Path) -> None:
    for step in steps(PAGES / f"{name}.md", tmp_path):
        if step.what.startswith("out/"):
            (script,) = tmp_path.glob("*.sql")
            (query,) = Session(spark).script(script)
            query.start(tmp_path / "state", available_now=True).wait()
            lines = [line for file in (tmp_path / step.what).glob("*.json") for line in file.read_text().splitlines()]
            assert sorted(lines) == sorted(step.text.splitlines())
        elif step.what.startswith("punctum quarantine"):
            result = CliRunner().invoke(cli, ["quarantine", str(tmp_path / step.what.split()[2])])
            assert result.output == step.text


def test_the_test_of_the_last_step_passes(tmp_path: Path) -> None:
    for _ in steps(PAGES / "6-production.md", tmp_path):
        pass
    program = tmp_path / "test_closing.py"
    known = {"__file__": str(program)}
    exec(program.read_text(), known)
    known["test_closing"]()  # type: ignore[operator]
