"""The Python API: the README's five lines as they stand, and what is said to who uses it wrongly."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from pyspark.sql import DataFrame, SparkSession

from punctum.cli import cli
from punctum.engine.spark import UI, session_settings
from punctum.errors import PunctumError, RefusedError
from punctum.query import Query
from punctum.session import Session

README = Path(__file__).parents[2] / "README.md"


def test_spark_remembers_little_for_pages_that_nobody_can_see() -> None:
    name = "spark.sql.ui.retainedExecutions"
    assert session_settings("local[1]")[name] == "10"
    assert session_settings("local[1]", more={name: "50"})[name] == "50"
    assert name not in session_settings("local[1]", more={UI: "true"})


def test_the_five_lines_of_the_readme(spark: SparkSession, bids: DataFrame) -> None:
    """In a session with Spark's own state store, as a user has it."""
    spark.conf.set(
        "spark.sql.streaming.stateStore.providerClass",
        "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider",
    )
    (program,) = re.findall(r"^```python\n(.*?)^```$", README.read_text(), re.DOTALL | re.MULTILINE)
    assert len([line for line in program.splitlines() if line]) == 5
    names: dict[str, Any] = {"spark": spark, "bids": bids}
    exec(program, names)
    (running,) = spark.streams.active
    try:
        running.processAllAvailable()
        assert running.lastProgress is not None
        assert [p["sink"]["numOutputRows"] for p in running.recentProgress if p["numInputRows"]] == [1]
    finally:
        running.stop()


def test_the_program_for_users_of_spark(spark: SparkSession, tmp_path: Path) -> None:
    """An order of the rows closes their windows: of two hours the first one."""
    page = README.parent / "docs/from-spark.md"
    (program,) = re.findall(r"^```python\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE)
    times = ("2026-01-01T10:05:00Z", "2026-01-01T10:50:00Z", "2026-01-01T11:15:00Z")
    rows = [f'{{"itemid": 17, "increase": 2.5, "ts": "{time}"}}' for time in times]
    (tmp_path / "bids").mkdir()
    (tmp_path / "bids/1.json").write_text("\n".join(rows))
    bids = spark.readStream.schema("itemid BIGINT, increase DOUBLE, ts TIMESTAMP").json(str(tmp_path / "bids"))
    exec(program, {"spark": spark, "bids": bids})
    (running,) = spark.streams.active
    try:
        running.processAllAvailable()
        assert [p["sink"]["numOutputRows"] for p in running.recentProgress if p["numInputRows"]] == [1]
    finally:
        running.stop()


def test_the_result_and_its_punctuations_as_a_dataframe(spark: SparkSession, bids: DataFrame, tmp_path: Path) -> None:
    session = Session(spark)
    session.stream("Bid", bids, punctuated=["itemid"])
    query = session.query("-- by item\nSELECT itemid, SUM(increase) AS total FROM bid GROUP BY itemid")
    writer = query.dataframe(punctuations=True).writeStream.format("memory").queryName("totals")
    writer.option("checkpointLocation", str(tmp_path / "c")).trigger(availableNow=True).start().awaitTermination()
    found = {tuple(row) for row in spark.table("totals").collect()}
    assert found == {(17, 7.0, None), (None, None, '{"$punct": {"itemid": 17}}')}


FILES = "CREATE STREAM f (k BIGINT) USING json OPTIONS (path 'in/item');"
SINK = "CREATE SINK o USING json OPTIONS (path 'out/o');"
WRONG: dict[str, tuple[Callable[[Session, DataFrame, Path], Any], str]] = {
    "metrics before start": (
        lambda s, _, d: script(s, FILES + SINK, "SELECT DISTINCT k FROM f", d).metrics(),
        "the query o has not been started\n  hint: call start() first",
    ),
    "wait before start": (
        lambda s, _, d: script(s, FILES + SINK, "SELECT DISTINCT k FROM f", d).wait(),
        "the query o has not been started\n  hint: call start() first",
    ),
    "no sink": (
        lambda s, bids, d: select(s, bids, "SELECT DISTINCT itemid FROM bid").start(d / "c"),
        "the query has no sink\n  hint: use INSERT INTO a sink, start(to=…), or dataframe()",
    ),
    "an attribute that is not there": (
        lambda s, bids, _: s.stream("bid", bids, punctuated=[["itemid", "increse"]]),
        "there is no column increse\n  detail: available: itemid, increase\n  hint: did you mean increase?",
    ),
    "a DataFrame that is no stream": (
        lambda s, *_: s.stream("bid", s.spark.range(3)),
        "the DataFrame of bid is not streaming\n  hint: create it with spark.readStream",
    ),
    "a type that is not supported": (
        lambda s, bids, _: s.stream("bid", bids.selectExpr("map('a', itemid) AS items")),
        "the type of items is not supported\n  detail: items is a map<string,bigint>\n  hint: cast or drop it first",
    ),
    "punctuations that are no strings": (
        lambda s, bids, _: s.stream("bid", bids.selectExpr("itemid", "itemid AS _punct")),
        "the column _punct cannot hold punctuations\n  detail: it is a bigint\n  hint: use a STRING with their JSON",
    ),
    "a query that is no text": (
        lambda s, *_: s.query(None),
        'a query is a text\n  detail: found a NoneType\n  hint: session.query("SELECT …")',
    ),
    "a stream that is not there": (
        lambda s, bids, _: select(s, bids, "SELECT itemid FROM bids"),
        "there is no stream bids",
    ),
    "a column that is not there": (
        lambda s, bids, _: select(s, bids, "SELECT itmid FROM bid"),
        "there is no column itmid\n  detail: bid has: itemid, increase\n  hint: did you mean itemid?",
    ),
    "a stream without a path": (
        lambda s, _, d: script(s, FILES.replace("OPTIONS (path 'in/item')", "") + SINK, "SELECT k FROM f", d).start(
            d / "c"
        ),
        "the stream f has no path\n  hint: OPTIONS (path 'directory')",
    ),
    "a sink without a path": (
        lambda s, _, d: script(s, FILES + SINK.replace("path", "paths"), "SELECT k FROM f", d).start(d / "c"),
        "the sink o has no option paths\n"
        "  detail: available: path, punctuations, elements, updates, feedback, compact\n"
        "  hint: did you mean path?",
    ),
    "a directory that is not there": (
        lambda s, _, d: script(s, FILES.replace("in/item", "items") + SINK, "SELECT k FROM f", d).start(d / "c"),
        "the directory of the stream f does not exist\n  detail: {directory}/items\n  hint: create it, or fix the path",
    ),
    "files without a checkpoint": (
        lambda s, _, d: script(s, FILES + SINK, "SELECT k FROM f", d).dataframe(),
        "the stream f is read from files\n  detail: a checkpoint is missing\n"
        "  hint: call dataframe(checkpoint) with the checkpointLocation of the writer",
    ),
    "no number of files": (
        lambda s, _, d: script(
            s, FILES.replace("in/item'", "in/item', maxFilesPerTrigger 'x'") + SINK, "SELECT k FROM f", d
        ).start(d / "c"),
        "maxFilesPerTrigger of f is 'x'\n  hint: an integer greater than 0",
    ),
    "no duration": (
        lambda s, _, d: script(s, FILES + SINK, "SELECT k FROM f", d).start(d / "c", trigger="5 sek"),
        "the trigger '5 sek' is not a duration\n  detail: units are week, day, hour, minute, second, millisecond, "
        "microsecond\n"
        "  hint: write '10 seconds'",
    ),
    "punctuations neither true nor false": (
        lambda s, _, d: script(
            s, FILES + SINK.replace("out/o'", "out/o', punctuations 'yes'"), "SELECT k FROM f", d
        ).start(d / "c"),
        "punctuations of o is 'yes'\n  hint: true or false",
    ),
    "a result with a column of that name": (
        lambda s, bids, _: select(s, bids, "SELECT itemid AS _punct FROM bid").dataframe(punctuations=True),
        "the result has a column _punct\n  detail: the name is reserved for punctuations\n  hint: rename it",
    ),
}


def script(session: Session, definitions: str, query: str, directory: Path) -> Query:
    (made,) = session.script(f"{definitions} INSERT INTO o {query};", directory)
    return made


def select(session: Session, bids: DataFrame, query: str) -> Query:
    session.stream("bid", bids, punctuated=["itemid"])
    return session.query(query)


@pytest.mark.parametrize("name", WRONG)
def test_misuse(name: str, spark: SparkSession, bids: DataFrame, auction: Path) -> None:
    wrong, said = WRONG[name]
    with pytest.raises(PunctumError) as caught:
        wrong(Session(spark), bids, auction)
    assert str(caught.value).startswith(said.replace("{directory}", str(auction)))
    assert not spark.streams.active


def test_an_unsafe_query_is_refused_when_it_is_to_run(
    spark: SparkSession, auction: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """With the words of the command line; one that is allowed to be unbounded says so, and runs."""
    sql = (auction / "auction.sql").read_text()
    unsafe = re.sub(r",\s*PUNCTUATED ON \(itemid\)", "", sql)
    assert unsafe != sql
    (auction / "unsafe.sql").write_text(unsafe)
    said = CliRunner().invoke(cli, ["check", str(auction / "unsafe.sql")]).output.rstrip("\n")
    (query,) = Session(spark).script(unsafe, auction)
    for run in (lambda: query.start(auction / "state"), lambda: query.dataframe(auction / "state")):
        with pytest.raises(RefusedError) as caught:
            run()
        assert str(caught.value) == said and said.startswith("closing: refused")
    assert not (auction / "state").exists() and not caplog.records
    (allowed,) = Session(spark).script(unsafe.replace("i.itemid;", "i.itemid ALLOW UNBOUNDED;"), auction)
    allowed.dataframe(auction / "state")
    assert [record.message.splitlines()[0] for record in caplog.records] == [
        "closing: admitted with unbounded state (ALLOW UNBOUNDED)"
    ]


def test_a_query_starts_once(spark: SparkSession, bids: DataFrame, auction: Path) -> None:
    """Until it has ended."""
    (closing,) = Session(spark).script((auction / "auction.sql").read_text(), auction)
    closing.start(auction / "state", trigger="1 minute 5 seconds")
    (running,) = spark.streams.active
    assert running._jsq.streamingQuery().trigger().toString() == "ProcessingTimeTrigger(65000)"
    with pytest.raises(PunctumError) as caught:
        closing.start(auction / "state")
    expected = "the query closing is already running\n  detail: it has been started\n  hint: call stop() first"
    assert str(caught.value) == expected
    closing.stop()
    closing.start(auction / "state", available_now=True).wait()
    assert [line for file in (auction / "out/closing").glob("part-*") for line in file.read_text().splitlines()] == [
        '{"itemid":17,"total":7.0}'
    ]
