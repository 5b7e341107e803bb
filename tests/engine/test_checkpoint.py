"""What a checkpoint remembers beside Spark's own files, and which changes of a script it goes on with."""

import json
from functools import partial
from importlib.metadata import version
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from lanes import long
from punctum.engine.recovery.checkpoint import (
    STATE,
    check_notes,
    differences,
    load_or_init_plan,
    query_id,
    settled_buckets,
)
from punctum.engine.recovery.durable import read_sealed, write_sealed
from punctum.errors import QueryError
from punctum.parse.script import parse_script
from punctum.plan.physical.fingerprint import fingerprint
from punctum.query import Query
from punctum.session import Session
from punctum.testing.simulate import planned

SCRIPT = """
CREATE STREAM item (sellerid BIGINT, itemid BIGINT, name STRING, PUNCTUATED ON (itemid), PUNCTUATED ON (sellerid))
  USING csv OPTIONS (path 'item', header 'true');
CREATE STREAM bid (itemid BIGINT, increase DOUBLE, status STRING, PUNCTUATE (itemid) WHEN status = 'closed')
  USING json OPTIONS (path 'bid', maxFilesPerTrigger 1);
CREATE SINK total USING json OPTIONS (path 'out');
INSERT INTO total
SELECT i.sellerid, SUM(b.increase) AS total, COUNT(*) AS n FROM item i JOIN bid b ON i.itemid = b.itemid
WHERE i.name IN ('a', 'b') AND b.increase > 0 GROUP BY i.sellerid HAVING MAX(b.increase) > 1;
"""
HARMLESS = {
    "an alias of a stream": {"item i": "item AS stock", "i.": "stock."},
    "a WITH": {"SELECT i.sell": "WITH x AS (SELECT * FROM bid) SELECT i.sell", "bid b": "x AS b"},
    "comments and space": {"SELECT": "-- by seller\nSELECT\n\n   "},
    "paths": {"'item'": "'in/item'", "'bid'": "'in/bid'"},
    "files a batch": {"maxFilesPerTrigger 1": "maxFilesPerTrigger 20"},
    "the sink": {"SINK total USING json OPTIONS (path 'out')": "SINK total USING parquet OPTIONS (path 'out/total')"},
    "violations": {"PUNCTUATED ON (sellerid))": "PUNCTUATED ON (sellerid)) ON VIOLATION FAIL"},
    "another stream": {"CREATE SINK": "CREATE STREAM x (k BIGINT) USING json OPTIONS (path 'x'); CREATE SINK"},
    "what is known of a stream": {
        "(path 'bid'": "(rate '5', distinct.itemid '9', punctuation_delay '1 day', settle 5, path 'bid'"
    },
    "upper and lower case": {"SUM(b.increase)": "sum(B.Increase)"},
}  # fmt: skip
HARMFUL = {
    "a literal": ({"> 0": "> 1"}, ["(increase > 0.0)", "(increase > 1.0)"]),
    "one string of two": ({"'a', 'b'": "'a\\', \\'b'"}, ["(name IN ('a', 'b'))", "(name IN ('a'', ''b'))"]),
    "an aggregate": (
        {"COUNT(*) AS n": "COUNT(b.status) AS n"},
        ["COUNT(* WEIGHTED 1) AS n", "COUNT(* WEIGHTED (IF((status IS NULL), 0, 1))) AS n"],
    ),
    "having": (
        {"MAX(b.increase) > 1": "MAX(b.increase) > 2"},
        ["Filter (MAX((IF(true, increase, increase))) > 1.0)", "Filter (MAX((IF(true, increase, increase))) > 2.0)"],
    ),
    "the names of the result": ({"AS total,": "AS sum,"}, [" AS total,", " AS sum,"]),
    "keys": ({"GROUP BY i.sellerid": "GROUP BY i.sellerid, i.itemid"}, ["by sellerid", "by itemid"]),
    "a type": ({"increase DOUBLE": "increase BIGINT"}, ["increase DOUBLE", "increase BIGINT"]),
    "a column more": ({"increase DOUBLE": "increase DOUBLE, at DATE"}, ["increase DOUBLE, at DATE"]),
    "a scheme": ({", PUNCTUATED ON (sellerid)": ""}, ["- PUNCTUATED ON (sellerid)"]),
    "an end event": ({"'closed'": "'sold'"}, ["WHEN (status = 'closed')", "WHEN (status = 'sold')"]),
    "a format": (
        {"csv OPTIONS (path 'item', header 'true')": "json OPTIONS (path 'item')"},
        ["USING csv", "USING json"],
    ),
    "how it is read": ({"header 'true'": "header 'true', sep '|'"}, ["OPTIONS (header 'true', sep '|')"]),
    "punctuations of the result": ({"(path 'out')": "(path 'out', punctuations 'true')"}, ["+ stage 3"]),
}


def changed(by: dict[str, str]) -> str:
    script = SCRIPT
    for old, new in by.items():
        assert old in script
        script = script.replace(old, new)
    return script


def plan(script: str) -> list[str]:
    (query,) = parse_script(script).queries
    return fingerprint(planned(query.relation, global_punctuations="punctuations" in query.sink.options))


def begun(checkpoint: Path) -> str:
    """A checkpoint of which the first batch has begun."""
    load_or_init_plan(str(checkpoint), plan(SCRIPT))
    (checkpoint / "offsets").mkdir()
    (checkpoint / "offsets/0").touch()
    return str(checkpoint)


@pytest.mark.parametrize("name", HARMLESS)
def test_harmless_changes_go_on(name: str, tmp_path: Path) -> None:
    checkpoint, now = begun(tmp_path), plan(changed(HARMLESS[name]))
    before = read_sealed(tmp_path / "punctum/plan")
    assert differences(tmp_path / "punctum/plan", now) == ""
    load_or_init_plan(checkpoint, now)
    assert read_sealed(tmp_path / "punctum/plan") == before


@pytest.mark.parametrize("name", HARMFUL)
def test_harmful_changes_are_refused_and_named(name: str, tmp_path: Path) -> None:
    by, named = HARMFUL[name]
    with pytest.raises(QueryError) as caught:
        load_or_init_plan(begun(tmp_path), plan(changed(by)))
    assert caught.value.what == "the query has changed since the checkpoint was written"
    assert caught.value.hint == "run the script as it was, or start with a new checkpoint"
    lines = caught.value.detail.split("\n")
    assert lines[0] == f"the plan in {tmp_path}/punctum/plan (-) and the current plan (+):"
    assert all(line.startswith(("    + ", "    - ")) for line in lines[1:])
    for difference in named:
        assert difference in caught.value.detail


TOPIC = """
CREATE STREAM a (k BIGINT, PUNCTUATED ON (k){clause}) USING kafka OPTIONS (brokers 'here:1', topic '{topic}'{more});
CREATE SINK o USING json OPTIONS (path 'o');
INSERT INTO o SELECT k, COUNT(*) AS n FROM a GROUP BY k;
"""
RECORD = """, format 'avro', avroSchema '{{"type": "record", "name": "a", "fields": [{fields}]}}'"""


def test_a_topic_may_be_reached_in_another_way(tmp_path: Path) -> None:
    def reached(clause: str = "", topic: str = "t", more: str = "") -> list[str]:
        return plan(TOPIC.format(clause=clause, topic=topic, more=more))

    k, other = '{"name": "k", "type": "long"}', '{"name": "v", "type": "long"}'
    assert reached(more=RECORD.format(fields=k)) == reached(more=RECORD.format(fields=f"{k}, {other}"))
    assert reached() == reached(more=", idle '1 day', startingOffsets 'latest', user 'me', password '${env:P}'")
    assert reached() != reached(topic="u")
    assert set(reached(", PARTITIONED BY (k)")) - set(reached()) == {"  PARTITIONED BY (k)"}


def test_before_its_first_batch_a_query_may_change(tmp_path: Path) -> None:
    load_or_init_plan(str(tmp_path), ["a"])
    load_or_init_plan(str(tmp_path), ["b"])
    assert read_sealed(tmp_path / "punctum/plan") == f"{STATE}, Punctum {version('punctum')}\nb\n"


@pytest.mark.parametrize(
    ("line", "wrote"), [("state 4", "a version of Punctum that did not"), ("state 9, Punctum 7.1", "Punctum 7.1")]
)
def test_state_of_another_version_is_refused_with_its_number(line: str, wrote: str, tmp_path: Path) -> None:
    checkpoint, path = Path(begun(tmp_path)), tmp_path / "punctum/plan"
    write_sealed(path, "\n".join([line, *read_sealed(path).split("\n")[1:]]))
    for refused in (partial(load_or_init_plan, str(tmp_path), plan(SCRIPT)), partial(check_notes, checkpoint)):
        with pytest.raises(QueryError) as caught:
            refused()
        assert caught.value.what == "the checkpoint was written by another version of Punctum"
        assert f"was written by {wrote}" in caught.value.detail and f"with {line.split(',')[0]};" in caught.value.detail
        assert f"reads {STATE} only" in caught.value.detail


def test_state_of_another_version_that_is_the_same_goes_on(tmp_path: Path) -> None:
    checkpoint, path = begun(tmp_path), tmp_path / "punctum/plan"
    write_sealed(path, "\n".join([f"{STATE}, Punctum 0.0.1", *read_sealed(path).split("\n")[1:]]))
    load_or_init_plan(checkpoint, plan(SCRIPT))


def test_a_literal_with_lines_is_one_line_of_the_plan(tmp_path: Path) -> None:
    load_or_init_plan(begun(tmp_path / "a"), plan(SCRIPT))
    breaking = plan(changed({"'a', 'b'": "'a\\nb', 'c\\\\nd'"}))
    load_or_init_plan(str(tmp_path / "b"), breaking)
    lines = [len(read_sealed(tmp_path / name / "punctum/plan").splitlines()) for name in ("a", "b")]
    assert lines[0] == lines[1] == 1 + len(breaking), "and one that says how state is written"
    (tmp_path / "b/offsets").mkdir()
    (tmp_path / "b/offsets/0").touch()
    assert differences(tmp_path / "b/punctum/plan", breaking) == ""
    load_or_init_plan(str(tmp_path / "b"), breaking)


def test_an_id_is_made_up_once(tmp_path: Path) -> None:
    assert query_id(tmp_path) == query_id(tmp_path)
    assert len(query_id(tmp_path)) == 8


def test_later_runs_keep_the_buckets_of_the_first(tmp_path: Path) -> None:
    assert settled_buckets(str(tmp_path), (3, 8)) == (3, 8)
    assert settled_buckets(str(tmp_path), (1, 2, 5, 6)) == (3, 8)


def test_keys_that_would_go_elsewhere_are_refused(tmp_path: Path) -> None:
    settled_buckets(str(tmp_path), (3, 8))
    path = tmp_path / "punctum" / "buckets.json"
    write_sealed(path, json.dumps(json.loads(read_sealed(path)) | {"placing": ["1", "2", "3"], "polars": "0.1"}))
    with pytest.raises(QueryError, match=r"use Polars 0\.1"):
        settled_buckets(str(tmp_path), (3, 8))


RUN = """
CREATE STREAM a (k BIGINT, g BIGINT, PUNCTUATED ON (k), PUNCTUATED ON (g)) USING json OPTIONS (path 'a');
CREATE STREAM b (k BIGINT, v DOUBLE, PUNCTUATED ON (k)) USING json OPTIONS (path 'b');
CREATE SINK total USING json OPTIONS (path 'out');
INSERT INTO total SELECT x.g, SUM(y.v + 1) AS total FROM a x JOIN b y ON x.k = y.k GROUP BY x.g;
"""


@long
def test_a_run_goes_on_with_other_aliases_and_other_places(spark: SparkSession, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    (tmp_path / "a/0.json").write_text('{"k": 1, "g": 5}\n{"k": 2, "g": 5}\n')
    (tmp_path / "b/0.json").write_text('{"k": 1, "v": 2.5}\n')
    started(spark, RUN, tmp_path).wait()
    (tmp_path / "a").rename(tmp_path / "moved")
    (tmp_path / "moved/1.json").write_text('{"$punct": {}}\n')
    (tmp_path / "b/1.json").write_text('{"k": 2, "v": 3.5}\n{"$punct": {}}\n')
    other = RUN.replace("a x", "a AS left").replace("x.", "left.").replace("'a'", "'moved'").replace("'out'", "'there'")
    with pytest.raises(QueryError, match="has changed since the checkpoint was written"):
        started(spark, other.replace("y.v + 1", "y.v + 2"), tmp_path)
    assert not spark.streams.active
    started(spark, other, tmp_path).wait()
    files = (tmp_path / "there").glob("part-*")
    assert [json.loads(line) for file in files for line in file.open()] == [{"g": 5, "total": 8.0}]


def started(spark: SparkSession, script: str, directory: Path) -> Query:
    (query,) = Session(spark).script(script, directory)
    assert isinstance(query, Query)
    return query.start(directory / "checkpoint", available_now=True)
