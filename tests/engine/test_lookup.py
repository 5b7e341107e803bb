"""Joins with tables: the rows that a database gives, whatever the types, buckets and batches; tables stand still."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from engine.simulate import run
from engine.test_buckets import assert_grammatical, rows_of
from engine.test_types import Case, bag, cases, fed, in_duckdb
from lanes import also_long
from punctum.algebra.schema import Schema
from punctum.algebra.values import Type
from punctum.compile import compile
from punctum.engine.sources.tables import check_tables, store_tables, stored_tables
from punctum.errors import MissingError, QueryError, SchemaError
from punctum.ir import StreamDef
from punctum.ir.expressions import type_text
from punctum.operators.columns import frame
from punctum.parse import parse_script
from punctum.session import Session
from punctum.spec import prefix

QUERIES = {
    "inner": "SELECT a.k, a.v, t.k AS l, t.w FROM a JOIN t ON a.k = t.k",
    "turned": "SELECT t.w, a.* FROM t JOIN a ON a.k = t.k AND a.n < t.w WHERE t.w > 0 AND a.n < 2",
    "left": "SELECT a.k, a.n, t.v, t.w FROM a LEFT JOIN t ON a.k = t.k AND t.w > a.n",
    "twice": "SELECT a.n, t.w, u.w AS x FROM a JOIN t ON a.k = t.k LEFT JOIN t u ON t.v = u.k",
    "all pairs": "SELECT a.n, t.w FROM a, t WHERE a.n <= t.w",
    "semi": "SELECT a.k, a.n FROM a WHERE EXISTS (SELECT 1 FROM t WHERE t.k = a.k AND t.w < a.n)",
    "anti": "SELECT a.k, a.n FROM a WHERE a.k NOT IN (SELECT v FROM t)",
    "grouped": "SELECT t.k, COUNT(*) AS c, MAX(t.w) AS w FROM a JOIN t ON a.k = t.k GROUP BY t.k",
    "joined": "SELECT a.k, b.n, t.w FROM a JOIN a b ON a.k = b.k JOIN t ON b.v = t.v",
}


@pytest.mark.parametrize("name", QUERIES)
@given(case=cases(list(Type)), buckets=st.integers(1, 4), restart=st.booleans(), constants=st.booleans())
def test_rows_are_those_of_a_database(name: str, case: Case, buckets: int, restart: bool, constants: bool) -> None:
    a, t, left, right = case
    table, sql = list(prefix(right).rows), QUERIES[name]
    columns = ", ".join(f"{attribute.name} {type_text(attribute)}" for attribute in t.attributes)
    ddl = f"CREATE TABLE t ({columns}) USING json OPTIONS (path 't.json'); CREATE SINK o USING console;"
    relation = parse_script(f"{ddl} INSERT INTO o {sql} ALLOW UNBOUNDED;", {"a": StreamDef("a", a)}).queries[0].relation
    wanted = bag(in_duckdb(sql, relation.schema, {"a": (a, list(prefix(left).rows)), "t": (t, table)}))
    slices = [{"a": piece["a"]} for piece in fed(case, constants=constants) if "a" in piece]
    with TemporaryDirectory() as room:
        frame(t, table).write_ipc(path := f"{room}/t.arrow")
        with stored_tables({"t": path}):
            given_rows = run(relation, slices, buckets, restart, global_punctuations=True)
    assert bag(rows_of(given_rows)) == wanted
    assert_grammatical(given_rows)


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


@pytest.mark.parametrize("refresh", also_long(True, more=[False]))
def test_a_table_on_spark(spark: SparkSession, tmp_path: Path, refresh: bool) -> None:
    script = SCRIPT.format(", refresh 'true'" if refresh else "")
    assert compile(script).queries[0].analysis.admitted
    write(tmp_path / "bid/1.json", bid(1, 7), bid(1, 8), bid(2, 7), bid(1, None), bid(1, 7), {"$punct": {"itemid": 1}})
    (tmp_path / "category.csv").write_text("7,vases\n7,pots\n8,lamps\n")
    for n in (1, 2):
        (query,) = Session(spark).script(script, tmp_path)
        query.start(tmp_path / "checkpoint", available_now=True).wait()
        first = [(1, "lamps", 1.5), (1, "pots", 3.0), (1, "vases", 3.0), (1, None, 1.5)]
        if n == 1:
            assert results(tmp_path / "out") == sorted(first, key=str)
            write(tmp_path / "bid/2.json", bid(2, 7), {"$punct": {"itemid": 2}})
            (tmp_path / "category.csv").write_text("7,bowls\n")
    before = [(2, "pots", 1.5), (2, "vases", 1.5)]
    after = [(2, "bowls", 1.5)] if refresh else before
    merged = {(i, name): 0.0 for i, name, _ in before + after}
    for i, name, total in before + after:
        merged[i, name] += total
    assert results(tmp_path / "out") == sorted([*first, *((*key, total) for key, total in merged.items())], key=str)


TABLE = Schema.of(id="BIGINT", name="STRING")


def table(refresh: str = "false") -> StreamDef:
    options = {"path": "category.csv", "refresh": refresh}
    return StreamDef("category", TABLE, format="csv", options=options, table=True)


def test_a_stored_table_stands_still(tmp_path: Path) -> None:
    checkpoint, csv = tmp_path / "checkpoint", tmp_path / "category.csv"
    csv.write_text("1,a\n")
    first = store_tables([table()], str(checkpoint), tmp_path)
    csv.write_text("1,b\n")
    assert store_tables([table()], str(checkpoint), tmp_path) == first
    second = store_tables([table("true")], str(checkpoint), tmp_path)
    assert second != first
    assert store_tables([table("true")], str(checkpoint), tmp_path) == second, "it has not changed"
    csv.write_text("1,c\n")
    (checkpoint / "offsets").mkdir()
    (checkpoint / "offsets/0").write_text("")
    assert store_tables([table("true")], str(checkpoint), tmp_path) == second, "a batch is to be done again"
    (checkpoint / "commits").mkdir()
    (checkpoint / "commits/0").write_text("")
    assert store_tables([table("true")], str(checkpoint), tmp_path) != second
    for file in (checkpoint / "punctum/tables").iterdir():
        file.unlink()
    with pytest.raises(QueryError, match="category"):
        store_tables([table()], str(checkpoint), tmp_path)


def test_a_table_that_cannot_be_read_is_an_error_before_spark(tmp_path: Path) -> None:
    relations = [query.relation for query in parse_script(SCRIPT.format("")).queries]
    with pytest.raises(MissingError, match="the file of category does not exist"):
        check_tables(relations, tmp_path)
    (tmp_path / "category.csv").write_text("1,a\nx,b\n")
    with pytest.raises(SchemaError, match="the table category cannot be read"):
        check_tables(relations, tmp_path)
