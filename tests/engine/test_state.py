"""What a query keeps, as its checkpoint has it: in Python and by the command, while it runs and when it has ended."""

import json
import re
import shutil
import sys
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner
from pyspark.sql import SparkSession

from analyse.test_golden import HERE
from punctum.cli import WRONG, cli, main
from punctum.compile import compile
from punctum.engine.exchange.buckets import Buckets
from punctum.engine.recovery.checkpoint import STATE, load_or_init_plan
from punctum.engine.recovery.durable import read_sealed, write_sealed
from punctum.engine.runtime import build
from punctum.engine.runtime.stored import described, empty_state, write_described
from punctum.errors import QueryError
from punctum.plan.physical.stages import all_stages
from punctum.query import Query
from punctum.session import Session
from test_docs import ROOT, blocks

PAGE = ROOT / "docs/state.md"
SCRIPT = """
CREATE STREAM item (itemid BIGINT, name STRING, PUNCTUATED ON (itemid)) USING memory;
CREATE STREAM bid (itemid BIGINT, increase DOUBLE, PUNCTUATED ON (itemid)) USING memory;
CREATE SINK names USING json OPTIONS (path 'out');
INSERT INTO names SELECT i.name, COUNT(*) AS n FROM item i JOIN bid b ON i.itemid = b.itemid GROUP BY i.name
  ALLOW UNBOUNDED;
"""


@pytest.fixture(scope="module")
def readme(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the README's run leaves behind."""
    tmp_path = tmp_path_factory.mktemp("readme")
    (tmp_path / "auction.sql").write_text(blocks(ROOT / "README.md", "sql")[0])
    for name, lines in (
        ("item", '{"itemid": 17, "name": "vase"}\n{"$punct": {"itemid": 17}}\n'),
        ("bid", blocks(ROOT / "README.md", "json")[0]),
    ):
        (tmp_path / "in" / name).mkdir(parents=True)
        (tmp_path / "in" / name / "1.json").write_text(lines)
    (closing,) = Session(spark).script(tmp_path / "auction.sql")
    closing.start(tmp_path / "state/closing", available_now=True).wait()
    return tmp_path


def shown(*arguments: object) -> str:
    """What the command prints."""
    result = CliRunner().invoke(cli, ["state", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def files(directory: Path) -> dict[Path, tuple[int, int]]:
    return {path: (path.stat().st_size, path.stat().st_mtime_ns) for path in directory.rglob("*")}


def steady(text: str) -> str:
    """A text without what depends on the time, and on how rows and punctuations are kept in memory."""
    return re.sub(r"(?<=kept for )\d+ \w+|(?<=^  ) +(\d+ +\d+) +.*$", r"\1", text, flags=re.MULTILINE)


def test_the_page_shows_what_the_command_prints(readme: Path) -> None:
    before = files(readme)
    summary, command, rows = blocks(PAGE, "")
    for checkpoint in (readme / "state", readme / "state/closing"):
        assert steady(shown(checkpoint)) == steady(summary)
    (sql,) = re.findall('"(.*)"', command)
    assert shown(readme / "state", sql) == rows
    assert files(readme) == before, "nothing is written"


def test_the_same_as_json(readme: Path) -> None:
    (closing,) = json.loads(shown(readme / "state", "--json"))
    join, groups = closing["operators"]
    assert (closing["batch"], join["name"], groups["name"]) == (0, "s1o0", "s1o1")
    assert sum(bucket["rows"] for bucket in join["buckets"]) == 1
    left, right = join["tables"]
    assert (left["rows"], left["largest"], left["oldest"]) == (0, [], [])
    assert (right["rows"], right["largest"]) == (1, [{"key": {"itemid": 18}, "rows": 1}])
    assert [old["waits for"] for old in right["oldest"]] == ["item(itemid=18)"]
    rows = shown(readme / "state", "SELECT * FROM s1o0_right", "--json")
    assert [json.loads(line) for line in rows.splitlines()] == [{"itemid": 18, "increase": 9.0}]


def test_while_it_runs_and_of_several_stages(spark: SparkSession, tmp_path: Path) -> None:
    """Rows of each batch, and what a later one has purged."""
    session = Session(spark)
    (names,) = session.script(SCRIPT, tmp_path)
    item, bid = session.memory("item"), session.memory("bid")
    item.add((17, "vase"), (18, "lamp"))
    bid.add((17, 5.0), (17, 7.0), (18, 2.0))
    names.start(tmp_path / "state")
    names.catch_up()
    assert kept(names) == {
        "s1o0_left": [(17, "vase"), (18, "lamp")],
        "s1o0_right": [(17,), (17,), (18,)],
        "s2o0_groups": [("lamp", 1), ("vase", 2)],
    }
    text = shown(tmp_path / "state", "--show", 1)
    assert "largest keys: itemid=17 (2 rows)\n" in text and "waits for item(itemid=17)" in text
    item.add({"$punct": {"itemid": 17}})
    bid.add({"$punct": {"itemid": 17}})
    names.catch_up()
    names.stop()
    assert kept(names) == {
        "s1o0_left": [(18, "lamp")],
        "s1o0_right": [(18,)],
        "s2o0_groups": [("lamp", 1), ("vase", 2)],
    }


def kept(query: Query) -> dict[str, list[tuple[object, ...]]]:
    """What a query keeps, in order."""
    return {name: rows.sort(pl.all()).rows() for name, rows in query.state().items()}


def test_what_is_wrong_is_said_before_spark_starts(
    readme: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def told(*arguments: object) -> str:
        monkeypatch.setattr(sys, "argv", ["punctum", "state", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            main()
        assert left.value.code == WRONG
        said = capsys.readouterr()
        assert not said.out and "starting Spark" not in said.err
        return said.err

    here = shutil.copytree(readme / "state", tmp_path / "state")
    assert "is not the checkpoint of a query" in told(readme / "in")
    assert "is not the checkpoint of a query" in told(tmp_path / "nowhere")
    wrong = told(here, "SELECT * FROM s1o0_rigt")
    assert "there is no table s1o0_rigt" in wrong and "did you mean s1o0_right?" in wrong
    assert "available: s1o0_left, s1o0_right, s1o1_groups" in wrong
    assert "the SQL cannot be run on the state" in told(here, "SELECT * FROM s1o0_right WHERE")
    assert "the SQL cannot be run on the state" in told(here, "SELECT nothing FROM s1o0_right")
    assert "the SQL cannot be run on the state" in told(here, "SELECT * FROM read_csv('nowhere')")
    assert "the state can only be read" in told(here, "DELETE FROM s1o0_right")
    other = shutil.copytree(here / "closing", here / "other")
    assert "has the checkpoints of several queries" in told(here, "SELECT * FROM s1o0_right")
    shutil.rmtree(other)
    plan = here / "closing/punctum/plan"
    write_sealed(plan, read_sealed(plan).replace(STATE, "state 3"))
    assert "the checkpoint was written by another version of Punctum" in told(here)


TABLES = {
    "left_join": ["s1o0_left itemid", "s1o0_right itemid", "s1o1_groups itemid _0_n"],
    "window_join": ["s1o0_input_0 a _number", "s1o0_input_1 d e _number"],
}


@pytest.mark.parametrize("name", TABLES)
def test_tables_are_known_without_their_rows(name: str, tmp_path: Path) -> None:
    """And all of their columns have names that SQL can have."""
    last = compile((HERE / f"admitted/{name}.sql").read_text()).queries[0].last
    load_or_init_plan(str(tmp_path), ["a plan"])
    stages = [build.running(stage, Buckets((0, 1)), 0) for stage in all_stages(last)]
    write_described(str(tmp_path), [described(n, stage) for n, stage in enumerate(stages, 1)])
    frames = empty_state(tmp_path).frames()
    assert [" ".join([known, *rows.columns]) for known, rows in frames.items()] == TABLES[name]


def test_a_checkpoint_that_has_lost_its_tables_is_told(tmp_path: Path) -> None:
    load_or_init_plan(str(tmp_path), ["a plan"])
    with pytest.raises(QueryError, match="a file of the checkpoint is missing"):
        empty_state(tmp_path)


def test_a_query_that_has_not_been_started_has_no_state(spark: SparkSession) -> None:
    session = Session(spark)
    session.memory("bid", "itemid BIGINT, PUNCTUATED ON (itemid)")
    with pytest.raises(QueryError, match="has not been started"):
        session.query("SELECT DISTINCT itemid FROM bid").state()
