"""The commands: what they write, what they refuse, and what their page says of them."""

import re
from pathlib import Path

import click
import polars as pl
import pytest
from click.testing import CliRunner

from punctum.cli import cli
from punctum.commands.nexmark import nexmark, number
from punctum.demo.bench import HEAD, line, prepare
from punctum.errors import PunctumError
from punctum.nexmark.queries import NAMES, about, script
from punctum.nexmark.workload import Workload

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs/nexmark.md").read_text()


def test_files_are_generated(tmp_path: Path) -> None:
    directory = tmp_path / "made"
    made = CliRunner().invoke(cli, ["nexmark", "generate", str(directory), "--events", "2.5k", "--slice", "1k"])
    assert (made.exit_code, made.output) == (0, f"2,500 events are in {directory}\n")
    assert pl.read_parquet(directory / "bid").filter(pl.col("_punct").is_null()).height == 2_500 * 46 // 50
    assert sorted(path.name for path in directory.iterdir()) == ["auction", "bid", "person", "side"]
    made = CliRunner().invoke(
        cli, ["nexmark", "generate", str(directory), "--events", "50", "--format", "json", "--every", "0"]
    )
    assert made.exit_code == 0
    assert len((directory / "bid/000000.json").read_text().splitlines()) == 46


@pytest.mark.parametrize("wrong", [["--events", "many"], ["--rate", "0"], ["--slice", "0"], ["--disorder", "-1"]])
def test_wrong_options_are_refused(wrong: list[str], tmp_path: Path) -> None:
    assert CliRunner().invoke(cli, ["nexmark", "generate", str(tmp_path), *wrong]).exit_code == 2
    assert list(tmp_path.iterdir()) == []


def test_numbers() -> None:
    assert [number(text) for text in ("0", "17", "1_000", "500k", "10M", "1g")] == [0, 17, 1_000, 500_000, 10**7, 10**9]
    for text in ("", "k", "-1", "1e6", "1 m"):
        with pytest.raises(click.BadParameter):
            number(text)


def test_a_directory_is_made_anew_but_only_its_own(tmp_path: Path) -> None:
    run = tmp_path / "q13"
    prepare(run, "q13", Workload(10))
    assert (run / "q13.sql").read_text() == script("q13")
    assert pl.read_parquet(run / "in/side").height == 10_000
    (run / "out").mkdir()
    prepare(run, "q13", Workload(10))
    assert not (run / "out").exists()
    (run / "q13.sql").unlink()
    with pytest.raises(PunctumError, match="does not hold a run of q13"):
        prepare(run, "q13", Workload(10))
    assert (run / "in/side").exists()


def test_a_script_says_how_late_events_come(tmp_path: Path) -> None:
    prepare(tmp_path / "q4", "q4", Workload(10, disorder=200))
    assert (tmp_path / "q4/q4.sql").read_text().count("PUNCTUATE (dateTime ASC) DELAY '200 milliseconds'") == 2


def test_lines_stand_below_their_heads() -> None:
    ends = [found.end() for found in re.finditer(r"\S+", HEAD)]
    assert [found.end() for found in re.finditer(r"\S+", line(10_000_000, 12.3, 1_000_000, 12_345, 1_234_567))] == ends


def test_the_page_names_what_there_is() -> None:
    assert list(nexmark.commands) == ["generate", *NAMES]
    for command in nexmark.commands.values():
        for option in (name for parameter in command.params for name in parameter.opts if name.startswith("--")):
            assert f"`{option}" in PAGE or f" {option} " in PAGE, option
    table = re.findall(r"^\| (q\d+) \| (.*) \|$", PAGE, re.MULTILINE)
    assert table == [(name, about(name)) for name in NAMES]


def test_the_scripts_are_among_the_examples() -> None:
    names = sorted(path.name for path in (ROOT / "examples/nexmark").glob("*.sql"))
    assert names == [f"q{number:02}.sql" for number in range(23)]
