"""The commands: what explain shows and draws, what run refuses, and the exit codes."""

import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from analyse.test_golden import HERE
from parse.golden import check, split
from punctum.analyse.report.text import admit
from punctum.analyse.safety.register import verdict
from punctum.cli import cli, main
from punctum.parse import parse_script

EXPLAINED = sorted((HERE / "explained").glob("*.sql"))
REFUSED = (HERE / "refused" / "example_1.sql").read_text()
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "script.sql"
    path.write_text(REFUSED)
    return path


def called(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> object:
    """The exit code of a command."""
    monkeypatch.setattr(sys, "argv", ["punctum", *arguments])
    with pytest.raises(SystemExit) as left:
        main()
    return left.value.code


@pytest.mark.parametrize("path", EXPLAINED, ids=lambda path: path.stem)
def test_explained(path: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.sql"
    script.write_text(split(path, "explained")[0])
    result = CliRunner().invoke(cli, ["explain", str(script)])
    assert result.exit_code == 0, result.output
    check(path, "explained", result.output)


def test_run_refuses_with_the_text_of_check(
    monkeypatch: pytest.MonkeyPatch, script: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert called(monkeypatch, "check", str(script)) == 1
    checked = capsys.readouterr()
    assert called(monkeypatch, "run", str(script), "--checkpoint", str(tmp_path / "state")) == 1
    ran = capsys.readouterr()
    assert checked.out == ran.err and not checked.err and not ran.out
    assert not (tmp_path / "state").exists()


def test_a_wrong_script_is_no_refusal(
    monkeypatch: pytest.MonkeyPatch, script: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script.write_text("SELECT 1")
    for command in ("check", "explain"):
        assert called(monkeypatch, command, str(script)) == 2
        assert capsys.readouterr().err.startswith("error: a query has no sink\n")


def test_what_is_no_text_is_an_error(
    monkeypatch: pytest.MonkeyPatch, script: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script.write_bytes(b"\xff\xfe")
    assert called(monkeypatch, "check", str(script)) == 2
    assert capsys.readouterr().err == "error: script.sql is not UTF-8 text\n  hint: save it as UTF-8\n"


def test_a_script_without_queries_is_admitted(script: Path) -> None:
    script.write_text("CREATE SINK result USING json OPTIONS (path 'out');")
    result = CliRunner().invoke(cli, ["check", str(script)])
    assert (result.exit_code, result.output) == (0, "the script has no queries\n")


@pytest.mark.parametrize("name", ["figure_8", "example_1"])
def test_graphs_are_drawn(name: str, tmp_path: Path) -> None:
    """Every edge that explain prints is drawn: in the picture with an arrow head, in DOT with its scheme."""
    script = HERE / "admitted" / f"{name}.sql"
    files = [tmp_path / "graph.svg", tmp_path / "graph.dot"]
    for file in files:
        result = CliRunner().invoke(cli, ["explain", str(script), "--graph", str(file)])
    edges = re.findall(r"^    .* -> \w+ +(\w+\(.*\))$", result.output, re.MULTILINE)
    picture = ElementTree.fromstring(files[0].read_text())
    assert len([path for path in picture.iter(f"{SVG}path") if "marker-end" in path.attrib]) == len(edges) > 0
    labels = [label.text for label in picture.iter(f"{SVG}text")]
    drawn = re.findall(r"-> \w+ \[label=\"(.*)\"\]", files[1].read_text())
    assert sorted(drawn) == sorted(edges) and set(edges) <= set(labels)


def test_a_graph_is_svg_or_dot(script: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(cli, ["explain", str(script), "--graph", str(tmp_path / "graph.png")])
    assert result.exit_code == 2 and "graph.png does not end in .svg or .dot" in result.output


def test_what_is_safe_only_together_is_admitted() -> None:
    sql = (HERE / "explained" / "figure_5.sql").read_text()
    assert admit(verdict(parse_script(sql)), sql) == ""
