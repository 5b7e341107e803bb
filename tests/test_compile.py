"""The compiler: passes that can be read aloud, and errors before Spark starts."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from punctum.cli import cli
from punctum.compile import PASSES, Options, compile, compile_query
from punctum.errors import PunctumError
from punctum.parse import parse_script
from punctum.plan.joins.choose import PlanOptions
from punctum.plan.joins.cost import Objective

STREAMS = """
CREATE STREAM item (itemid BIGINT, seller BIGINT, UNIQUE (itemid)) USING json OPTIONS (path 'in/item');
CREATE STREAM bid (itemid BIGINT, increase DOUBLE, PUNCTUATED ON (itemid)) USING json OPTIONS (path 'in/bid');
CREATE SINK total USING json OPTIONS (path 'out');
"""
QUERY = "SELECT b.itemid, SUM(increase) AS total FROM bid b JOIN item i ON b.itemid = i.itemid GROUP BY b.itemid"
SCRIPT = f"{STREAMS} INSERT INTO total {QUERY};"


def test_each_pass_is_shown_with_its_tree(tmp_path: Path) -> None:
    (tmp_path / "auction.sql").write_text(SCRIPT)
    shown = CliRunner().invoke(cli, ["explain", "--passes", str(tmp_path / "auction.sql")]).output.splitlines()
    assert shown[0] == "total"
    named = [line.strip().removesuffix(": no change") for line in shown if line.startswith("  ") and line[2] != " "]
    assert named == ["bind", *(name for name, _ in PASSES)]
    assert shown.index("        Projection itemid") > shown.index("  prune columns"), "nobody reads the seller"
    assert any(line.strip().startswith("stage 1") for line in shown[shown.index("  cut into stages") :])


@pytest.mark.parametrize("kind", ["admitted", "refused"])
def test_the_passes_of_every_script_can_be_shown(kind: str) -> None:
    for path in sorted((Path(__file__).parent / "analyse" / kind).glob("*.sql")):
        shown = CliRunner().invoke(cli, ["explain", "--passes", str(path)])
        assert shown.exit_code == 0, (path.name, shown.output)
        assert shown.output.count("\n  infer promises\n") == shown.output.count("\n  bind\n") > 0, path.name


def test_the_analysis_is_made_once_and_planned_anew() -> None:
    (query,) = compile(SCRIPT).queries
    other = query.again(Options(PlanOptions(Objective.MEMORY)))
    assert other.analysis is query.analysis and other.last is not query.last
    assert query.again(query.options) is query


def test_what_a_pass_refuses_is_an_error_of_compiling() -> None:
    order = SCRIPT.replace("PUNCTUATED ON (itemid)", "PUNCTUATED ON (itemid) LIFESPAN '1 hour'")
    order = order.replace(QUERY, "SELECT itemid, increase FROM bid ORDER BY itemid ALLOW UNBOUNDED")
    with pytest.raises(PunctumError, match="LIFESPAN of bid"):
        compile(order)


def test_a_select_has_the_name_that_it_is_given() -> None:
    streams = parse_script(STREAMS).streams
    assert compile_query("SELECT itemid FROM bid", "bids", Options(streams=streams)).query.name == "bids"


@pytest.mark.parametrize("there", [False, True])
def test_a_directory_that_is_missing_is_an_error_before_there_is_any_spark(tmp_path: Path, there: bool) -> None:
    """Without Java nothing else could be reported, and nothing is left behind."""
    (tmp_path / "auction.sql").write_text(SCRIPT)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "item").mkdir()
    if there:
        (tmp_path / "in" / "bid").write_text("a file")
    before = sorted(tmp_path.rglob("*"))
    command = [sys.executable, "-m", "punctum", "run", "auction.sql", "--checkpoint", "state"]
    environment = {**os.environ, "JAVA_HOME": str(tmp_path / "nowhere"), "PATH": str(tmp_path)}
    ended = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert ended.returncode == 2
    what = "is a file" if there else "does not exist"
    assert ended.stderr.splitlines()[0] == f"error: the directory of the stream bid {what}"
    assert sorted(tmp_path.rglob("*")) == before
