"""The compiler: passes that can be read aloud, and errors before Spark starts."""

import os
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest
from click.testing import CliRunner

from punctum.cli import cli
from punctum.compile import PASSES, Options, compile, compile_query
from punctum.engine.sources.directories import check_directories
from punctum.errors import PunctumError, SchemaError
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


@pytest.mark.parametrize(
    ("files", "error"),
    [
        ([], "the directory of the stream bid does not exist"),
        (["in/bid"], "the directory of the stream bid is a file"),
        (["in/bid/1.json", "out/total"], "the directory of the sink total is a file"),
        (["in/bid/1.json", "out"], "the directory of the sink total is below a file"),
        (["in/bid/1.json", "state"], "the checkpoint is a file"),
    ],
)
def test_a_wrong_directory_is_an_error_before_there_is_any_spark(tmp_path: Path, files: list[str], error: str) -> None:
    """Without Java nothing else could be reported, and nothing is left behind."""
    (tmp_path / "auction.sql").write_text(SCRIPT.replace("'out'", "'out/total'"))
    (tmp_path / "in" / "item").mkdir(parents=True)
    for file in files:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text("")
    before = sorted(tmp_path.rglob("*"))
    command = [sys.executable, "-m", "punctum", "run", "auction.sql", "--checkpoint", "state"]
    environment = {**os.environ, "JAVA_HOME": str(tmp_path / "nowhere"), "PATH": str(tmp_path)}
    ended = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert ended.returncode == 2
    assert ended.stderr.splitlines()[0] == f"error: {error}"
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("reads", "writes"),
    [("in", "in"), ("in", "./in/../in/"), ("in/*.json", "in"), ("in', recursive 'true", "in/out")],
)
def test_a_query_that_would_read_its_results_is_an_error(tmp_path: Path, reads: str, writes: str) -> None:
    stream = f"CREATE STREAM a (k BIGINT, PUNCTUATED ON (k)) USING json OPTIONS (path '{reads}');"
    (tmp_path / "in").mkdir()
    for path, wrong in ((writes, True), ("in/below" if "recursive" not in reads else "inside", False)):
        sink = f"CREATE SINK o USING json OPTIONS (path '{path}'); INSERT INTO o SELECT DISTINCT k FROM a;"
        with pytest.raises(SchemaError, match="o writes to the directory of a") if wrong else nullcontext():
            check_directories(compile(stream + sink).analyses, tmp_path)
