"""Joins with tables: the rows that a database gives, whatever the types, buckets and batches; tables stand still."""

import json
import os
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from pyspark.sql.streaming.datasource import ReadAllAvailable

from engine.test_buckets import assert_grammatical, rows_of
from engine.test_types import Case, bag, cases, fed, in_duckdb
from lanes import examples, long
from punctum.algebra.schema import Schema
from punctum.algebra.values import SCALARS, Row
from punctum.engine.runtime.vectorised import operator
from punctum.engine.sources.reader import Directory, PackedFilesReader
from punctum.engine.sources.tables import check_tables, refreshed_table, store_tables, stored_tables, versions_of
from punctum.errors import MissingError, QueryError, SchemaError
from punctum.ir import StreamDef
from punctum.ir.expressions import type_text
from punctum.ir.lookup import Lookup as LookupNode
from punctum.ir.relations import Source
from punctum.ir.tree import walk
from punctum.operators.columns import ColumnarSlice, frame, to_rows
from punctum.operators.expressions import careful
from punctum.operators.lookup import Lookup
from punctum.parse import parse_script
from punctum.session import Session
from punctum.spec import prefix
from punctum.testing.simulate import run

QUERIES = {
    "inner": "SELECT a.k, a.v, t.k AS l, t.w FROM a JOIN t ON a.k = t.k",
    "turned": "SELECT t.w, a.* FROM t JOIN a ON a.k = t.k AND a.n < t.w WHERE t.w > 0 AND a.n < 2",
    "left": "SELECT a.k, a.n, t.v, t.w FROM a LEFT JOIN t ON a.k = t.k AND t.w > a.n",
    "twice": "SELECT a.n, t.w, u.w AS x FROM a JOIN t ON a.k = t.k LEFT JOIN t u ON t.v = u.k",
    "all pairs": "SELECT a.n, t.w FROM a, t WHERE a.n <= t.w",
    "semi": "SELECT a.k, a.n FROM a WHERE EXISTS (SELECT 1 FROM t WHERE t.k = a.k AND t.w < a.n)",
    "anti": "SELECT a.k, a.n FROM a WHERE a.k NOT IN (SELECT v FROM t)",
    "grouped": "SELECT t.k, COUNT(*) AS c, MAX(t.w) AS w FROM a JOIN t ON a.k = t.k GROUP BY t.k",
    "computed": "SELECT a.k, a.n, t.w FROM a JOIN t ON a.n % 3 = t.w AND a.k = t.k",
    "computed on both sides": "SELECT a.n, t.w FROM a LEFT JOIN t ON ABS(a.n % 3) = t.w % 2 AND a.n < t.w",
    "computed anti": "SELECT a.n FROM a WHERE NOT EXISTS (SELECT 1 FROM t WHERE a.n % 2 = t.w)",
    "joined": "SELECT a.k, b.n, t.w FROM a JOIN a b ON a.k = b.k JOIN t ON b.v = t.v",
}


@pytest.mark.parametrize("name", QUERIES)
@examples(50)
@given(case=cases(list(SCALARS)), buckets=st.integers(1, 4), restart=st.booleans(), constants=st.booleans())
def test_rows_are_those_of_a_database(name: str, case: Case, buckets: int, restart: bool, constants: bool) -> None:
    a, t, left, right = case
    table, sql = list(prefix(right).rows), QUERIES[name]
    columns = ", ".join(f"{attribute.name} {type_text(attribute)}" for attribute in t.attributes)
    ddl = f"CREATE TABLE t ({columns}) USING json OPTIONS (path 't.json'); CREATE SINK o USING console;"
    relation = parse_script(f"{ddl} INSERT INTO o {sql} ALLOW UNBOUNDED;", {"a": StreamDef("a", a)}).queries[0].relation
    wanted = bag(in_duckdb(sql, relation.schema, {"a": (a, list(prefix(left).rows)), "t": (t, table)}))
    slices = [{"a": piece["a"]} for piece in fed(case, constants=constants) if "a" in piece]
    with TemporaryDirectory() as room:
        frame(t, table).write_ipc(f"{room}/t.0.arrow")
        with stored_tables({"t": f"{room}/t"}):
            given_rows = run(relation, slices, buckets, restart, global_punctuations=True)
    assert bag(rows_of(given_rows)) == wanted
    assert_grammatical(given_rows)


LARGE = f"""
CREATE STREAM a (n BIGINT, m BIGINT) USING json OPTIONS (path 'a');
CREATE TABLE t (w BIGINT) USING json OPTIONS (path 't.json');
CREATE SINK o USING json OPTIONS (path 'out');
INSERT INTO o SELECT a.n, a.m, t.w FROM a JOIN t ON a.n * {2**62} = t.w AND a.m <> t.w ALLOW UNBOUNDED;
"""


@examples(50)
@given(
    left=st.lists(st.tuples(*[st.sampled_from([None, 0, 1, 2])] * 2)),
    right=st.lists(st.tuples(st.sampled_from([None, 0, 1, 2**62]))),
)
def test_a_row_whose_key_has_no_value_fails_with_each_row_of_the_table(left: list[Row], right: list[Row]) -> None:
    node = next(n for n in walk(parse_script(LARGE).queries[0].relation) if isinstance(n, LookupNode))
    with TemporaryDirectory() as room:
        frame(node.table.schema, right).write_ipc(f"{room}/t.0.arrow")
        with stored_tables({"t": f"{room}/t"}):
            by_key = operator(node)
            assert node.residual is not None and len(node.computed()[0]) == 1
            holds = careful(node.residual, node.paired)
            by_pairs = Lookup(node.input.schema, node.schema, versions_of(node.table), [], node.paired, None, holds)
    rows = frame(node.input.schema, left)
    given_, wanted = (each.feed(ColumnarSlice(rows)) for each in (by_key, by_pairs))
    assert to_rows(given_.rows) == to_rows(wanted.rows)
    failed = [[row for f in each.failed() for row in to_rows(f.rows)] for each in (by_key, by_pairs)]
    assert failed[0] == failed[1]


SCRIPT = """
CREATE STREAM bid (itemid BIGINT, cat BIGINT, increase DOUBLE, PUNCTUATED ON (itemid))
USING json OPTIONS (path 'bid');
CREATE TABLE category (id BIGINT, name STRING) USING csv OPTIONS (path 'category.csv'{});
CREATE SINK total USING json OPTIONS (path 'out');
INSERT INTO total SELECT b.itemid, c.name, SUM(b.increase) AS total
FROM bid b LEFT JOIN category c ON b.cat = c.id GROUP BY b.itemid, c.name;
"""


def write(path: Path, *elements: object) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(element) + "\n" for element in elements))


def bid(itemid: int, cat: int | None) -> dict[str, object]:
    return {"itemid": itemid, "cat": cat, "increase": 1.5}


def results(directory: Path) -> list[tuple[int, str | None, float]]:
    lines = [line for file in directory.glob("part-*") for line in file.read_text().splitlines()]
    return sorted((tuple(json.loads(line).values()) for line in lines), key=str)


def write_table(path: Path, text: str) -> None:
    """A table that has been as it is for a while."""
    path.write_text(text)
    os.utime(path, (then := time.time() - 60, then))


BEFORE = [bid(1, 7), bid(1, 8), bid(2, 7), bid(1, None), bid(1, 7), {"$punct": {"itemid": 1}}]
AFTER = [bid(2, 7), {"$punct": {"itemid": 2}}]
FIRST = [(1, "lamps", 1.5), (1, "pots", 3.0), (1, "vases", 3.0), (1, None, 1.5)]


def test_a_table_on_spark_is_read_again_when_it_changes(spark: SparkSession, tmp_path: Path) -> None:
    write(tmp_path / "bid/1.json", *BEFORE)
    write_table(tmp_path / "category.csv", "7,vases\n7,pots\n8,lamps\n")
    (query,) = Session(spark).script(SCRIPT.format(", refresh 'true'"), tmp_path)
    query.start(tmp_path / "checkpoint")
    query.catch_up()
    assert results(tmp_path / "out") == sorted(FIRST, key=str)
    write_table(tmp_path / "category.csv", "7,bowls\n")
    write(tmp_path / "bid/2.json", *AFTER)
    query.catch_up()
    query.stop()
    more = [(2, "bowls", 1.5), (2, "pots", 1.5), (2, "vases", 1.5)]
    assert results(tmp_path / "out") == sorted([*FIRST, *more], key=str)
    offsets = [path.read_text() for path in sorted((tmp_path / "checkpoint/offsets").glob("[0-9]*"))]
    assert ['"tables":{"category":1}' in text.replace(" ", "") for text in offsets] == [False, True]


@long
def test_a_table_on_spark_stands_still(spark: SparkSession, tmp_path: Path) -> None:
    write(tmp_path / "bid/1.json", *BEFORE)
    for text, file, elements in (("7,vases\n7,pots\n8,lamps\n", 1, BEFORE), ("7,bowls\n", 2, AFTER)):
        write_table(tmp_path / "category.csv", text)
        write(tmp_path / f"bid/{file}.json", *elements)
        (query,) = Session(spark).script(SCRIPT.format(""), tmp_path)
        query.start(tmp_path / "checkpoint", available_now=True).wait()
    more = [(2, "pots", 3.0), (2, "vases", 3.0)]
    assert results(tmp_path / "out") == sorted([*FIRST, *more], key=str)


TABLE = StreamDef(
    "category",
    Schema.of(id="BIGINT", name="STRING"),
    format="csv",
    options={"path": "category.csv", "refresh": "true"},
    table=True,
)


def test_a_table_is_stored_once(tmp_path: Path) -> None:
    checkpoint, csv = tmp_path / "checkpoint", tmp_path / "category.csv"
    write_table(csv, "1,a\n")
    bases = store_tables([TABLE], str(checkpoint), tmp_path, 1)
    (stored,) = (checkpoint / "punctum/tables").iterdir()
    content = stored.read_bytes()
    write_table(csv, "1,b\n")
    (checkpoint / "offsets").mkdir()
    (checkpoint / "offsets/0").write_text("")
    assert store_tables([TABLE], str(checkpoint), tmp_path, 1) == bases
    assert stored.read_bytes() == content
    stored.unlink()
    with pytest.raises(QueryError, match="category"):
        store_tables([TABLE], str(checkpoint), tmp_path, 1)


def test_a_batch_with_new_rows_takes_the_version_that_there_is(tmp_path: Path) -> None:
    csv = tmp_path / "category.csv"
    write_table(csv, "1,a\n")
    (base,) = store_tables([TABLE], str(tmp_path / "checkpoint"), tmp_path, 1).values()
    (tmp_path / "in").mkdir()
    directory = Directory("bid-1-0", "bid", str(tmp_path / "in"), "json", str(tmp_path / "log"), b"")
    offers = PackedFilesReader([directory], 1, None, [refreshed_table(TABLE, tmp_path, base)])
    begin = offers.initialOffset()
    write(tmp_path / "in/1.json", bid(1, 1))
    first = offers.latestOffset(begin, ReadAllAvailable())
    assert first["tables"] == {"category": 0}
    assert len(offers.partitions(begin, first)) == 1
    write_table(csv, "1,b\n")
    assert offers.latestOffset(first, ReadAllAvailable()) == first, "a table makes no batch of its own"
    write(tmp_path / "in/2.json", bid(1, 2))
    second = offers.latestOffset(first, ReadAllAvailable())
    assert second["tables"] == {"category": 1} == offers.latestOffset(first, ReadAllAvailable())["tables"]
    *_, told = offers.partitions(first, second)
    assert told.value[:3] == ([], 0, {"category": 1})
    write(tmp_path / "in/3.json", bid(1, 3))
    csv.write_text("1,")
    assert offers.latestOffset(second, ReadAllAvailable())["tables"] == {"category": 1}, "it may still be written"
    csv.unlink()
    assert offers.latestOffset(second, ReadAllAvailable())["tables"] == {"category": 1}, "it is being replaced"
    write_table(csv, "x,c\n")
    with pytest.raises(SchemaError, match="the table category cannot be read"):
        offers.latestOffset(second, ReadAllAvailable())


def test_a_table_that_is_too_large_is_an_error_before_spark(tmp_path: Path) -> None:
    relations = [query.relation for query in parse_script(SCRIPT.format(", maxMegabytes 1")).queries]
    (tmp_path / "category.csv").write_text("1,a\n" * 40_000)
    check_tables(relations, tmp_path)
    (tmp_path / "category.csv").write_text("1,abcdefghijklm\n" * 60_000)  # in memory it has more
    with pytest.raises(SchemaError, match="the table category is too large") as held:
        check_tables(relations, tmp_path)
    assert "it has 2 MB or more" in held.value.detail and "maxMegabytes" in held.value.hint
    (tmp_path / "category.csv").write_text("x,a\n" * 260_000)  # not even read
    with pytest.raises(SchemaError, match="the table category is too large"):
        check_tables(relations, tmp_path)


def test_a_state_of_another_checkpoint_goes_on_with_the_table_of_this_one(tmp_path: Path) -> None:
    write_table(tmp_path / "category.csv", "1,a\n")
    bases = store_tables([TABLE], str(tmp_path / "checkpoint"), tmp_path, 1)
    with stored_tables(bases):
        versions = versions_of(Source(TABLE))
    with pytest.raises(FileNotFoundError):
        versions(3)
    (tmp_path / "checkpoint/punctum/state.json").write_text("")
    assert versions(3).rows() == versions(0).rows() == [(1, "a")]


@long
def test_a_query_starts_with_the_state_of_one_whose_table_has_changed(spark: SparkSession, tmp_path: Path) -> None:
    for place, first, then in (("old", "7,vases\n", "7,pots\n"), ("new", "7,bowls\n", "7,jars\n")):
        directory = tmp_path / place
        directory.mkdir()
        write(directory / "bid/1.json", bid(1, 7))
        write_table(directory / "category.csv", first)
        (query,) = Session(spark).script(SCRIPT.format(", refresh 'true'"), directory)
        query.start(directory / "checkpoint", state=tmp_path / "old/checkpoint" if place == "new" else "")
        query.catch_up()
        write_table(directory / "category.csv", then)
        write(directory / "bid/2.json", bid(1, 7))
        query.catch_up()
        query.stop()
    write(tmp_path / "new/bid/3.json", {"$punct": {"itemid": 1}})
    (query,) = Session(spark).script(SCRIPT.format(", refresh 'true'"), tmp_path / "new")
    query.start(tmp_path / "new/checkpoint", available_now=True).wait()
    assert results(tmp_path / "new/out") == [(1, name, 1.5) for name in ("bowls", "jars", "pots", "vases")]


def test_a_table_that_cannot_be_read_is_an_error_before_spark(tmp_path: Path) -> None:
    relations = [query.relation for query in parse_script(SCRIPT.format("")).queries]
    with pytest.raises(MissingError, match="the file of category does not exist"):
        check_tables(relations, tmp_path)
    (tmp_path / "category.csv").write_text("1,a\nx,b\n")
    with pytest.raises(SchemaError, match="the table category cannot be read"):
        check_tables(relations, tmp_path)
