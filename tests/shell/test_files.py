"""Queries over generated files give what DuckDB gives; what is inferred of files, and what is wrong with them."""

import bz2
import gzip
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanes import examples
from punctum.algebra.schema import Schema
from punctum.engine.arriving import SLICE, Arriving
from punctum.engine.infer.inferred import inferred
from punctum.errors import MissingError, SchemaError, SqlError
from punctum.ir.expressions import type_text
from punctum.shell.answer import Answer, once
from punctum.shell.known import Known
from punctum.shell.output import CsvLines, JsonLines, TextTable, output


class Taken:
    """Keeps rows."""

    def __init__(self) -> None:
        self.taken: list[pl.DataFrame] = []

    def rows(self, rows: pl.DataFrame) -> None:
        self.taken.append(rows)

    def end(self) -> None:
        pass

    @property
    def all(self) -> list[tuple[Any, ...]]:
        return pl.concat(self.taken).rows()


def asked(base: Path, sql: str, size: int = SLICE) -> tuple[list[tuple[Any, ...]], Answer]:
    """The rows of a query, and all that it gave; so many bytes of its files are read at a time."""
    known, out = Known(base), Taken()
    answer = once(known, known.ask(sql), out, size)
    return out.all, answer


ROWS = st.lists(
    st.fixed_dictionaries(
        {"k": st.integers(0, 5), "v": st.none() | st.integers(-9, 9), "d": st.none() | st.floats(-9, 9, width=16)},
        optional={"s": st.none() | st.sampled_from(["a", "b", "it's", 'q"', "ü,1"])},
    ),
    min_size=1,
    max_size=30,
)
QUERIES = [
    "SELECT k, COUNT(*) AS n, SUM(v) AS t, MAX(d) AS m FROM {a} GROUP BY k",
    "SELECT DISTINCT k, v FROM {a}",
    "SELECT x.k, x.v, y.d FROM {a} AS x JOIN {b} AS y ON x.k = y.k",
    "SELECT x.k FROM {a} AS x LEFT JOIN {b} AS y ON x.k = y.k AND x.v = y.v WHERE y.k IS NULL",
    "SELECT k FROM {a} UNION SELECT k FROM {b}",
    "SELECT k, v FROM {a} ORDER BY k, v, d LIMIT 3",
    "SELECT v, COUNT(*) AS n FROM (SELECT v FROM {a} UNION ALL SELECT v FROM {b}) AS u GROUP BY v HAVING COUNT(*) > 1",
]


def write(path: Path, rows: list[dict[str, Any]], format_: str, parts: int) -> str:
    """Files of rows, and the glob that names them."""
    path.mkdir(exist_ok=True)
    for old in path.iterdir():
        old.unlink()
    columns = ["k", "v", "d"]
    for n in range(parts):
        part = rows[n::parts]
        if format_ == "json":
            (path / f"{n}.json").write_text("".join(json.dumps(row) + "\n" for row in part))
        elif format_ == "csv":
            cells = [",".join("" if row[c] is None else str(row[c]) for c in columns) for row in part]
            (path / f"{n}.csv").write_text("\n".join([",".join(columns), *cells]) + "\n")
        else:
            types = {"k": pl.Int32, "v": pl.Int64, "d": pl.Float64}
            pl.DataFrame([{c: row[c] for c in columns} for row in part], schema=types).write_parquet(
                path / f"{n}.parquet"
            )
    return f"{path.name}/*.{format_}"


@pytest.mark.parametrize("format_", ["json", "csv", "parquet"])
@given(a=ROWS, b=ROWS, parts=st.integers(1, 3), query=st.sampled_from(QUERIES))
@examples(60)
def test_a_query_gives_what_duckdb_gives(
    tmp_path_factory: pytest.TempPathFactory, format_: str, a: list[Any], b: list[Any], parts: int, query: str
) -> None:
    base = tmp_path_factory.getbasetemp() / f"duck-{format_}"
    base.mkdir(exist_ok=True)
    a, b = ([{"k": 0, "v": 1, "d": 0.5}, *rows] for rows in (a, b))  # each column has a value, and so its type
    names = {name: write(base / name, rows, format_, parts) for name, rows in (("a", a), ("b", b))}
    rows, answer = asked(base, query.format(**{name: f"'{glob}'" for name, glob in names.items()}))
    types = "k BIGINT, v BIGINT, d DOUBLE"
    with duckdb.connect() as duck:
        for name, data in (("a", a), ("b", b)):
            duck.execute(f"CREATE TABLE {name} ({types})")
            duck.executemany(f"INSERT INTO {name} VALUES (?, ?, ?)", [(r["k"], r["v"], r["d"]) for r in data])
        # as in Spark, NULL is first in an order
        duck.execute("SET default_null_order = 'nulls_first'")
        expected = duck.execute(query.format(a="a", b="b")).fetchall()
    assert Counter(map(_plain, rows)) == Counter(map(_plain, expected))
    assert answer.ended and not answer.records


def _plain(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(float(v) if isinstance(v, int | float) else v for v in row)


def put(base: Path, name: str, *lines: Any) -> None:
    path = base / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))


def types(schema: Schema) -> dict[str, str]:
    return {a.name: type_text(a) for a in schema.attributes}


def test_types_of_json(tmp_path: Path) -> None:
    first = {"i": 1, "f": 1, "b": True, "s": "x", "day": "2026-11-19", "ts": "2026-11-19T12:00:00Z", "none": None}
    second = {"i": 2, "f": 1.5, "b": None, "s": "2026-11-19", "day": "2026-11-20", "ts": "2026-11-19 12:00:00.5"}
    nested = {"a": [1, 2.5], "o": {"x": 1, "y": ["z"]}, "big": 10**20}
    put(tmp_path, "in/1.json", first | nested, second | nested)
    found = inferred("in", tmp_path)
    assert types(found.schema) == {
        "i": "BIGINT",
        "f": "DOUBLE",
        "b": "BOOLEAN",
        "s": "STRING",
        "day": "DATE",
        "ts": "TIMESTAMP",
        "none": "STRING",
        "a": "ARRAY<DOUBLE>",
        "o": "STRUCT<x: BIGINT, y: ARRAY<STRING>>",
        "big": "DECIMAL(38,0)",
    }
    assert found.options == {"missing": "null"}
    rows, answer = asked(tmp_path, "SELECT i, f, none, o.x AS x, big FROM 'in'")
    assert [row[:4] for row in rows] == [(1, 1.0, None, 1), (2, 1.5, None, 1)] and not answer.records


def test_types_of_csv(tmp_path: Path) -> None:
    put(
        tmp_path,
        "a.csv",
        "i;f;zip;flag;ts;t",
        "1;1;01234;true;2026-11-19T12:00:00;a b",
        "2;0.5;98765;false;2026-11-20 00:00:00Z;",
    )
    found = inferred("a.csv", tmp_path)
    assert found.options == {"header": "true", "sep": ";"}
    assert types(found.schema) == {
        "i": "BIGINT",
        "f": "DOUBLE",
        "zip": "STRING",
        "flag": "BOOLEAN",
        "ts": "TIMESTAMP",
        "t": "STRING",
    }
    assert asked(tmp_path, "SELECT i, zip, t FROM 'a.csv'")[0] == [(1, "01234", "a b"), (2, "98765", None)]
    put(tmp_path, "b.tsv", "1\tx", "2\ty")
    assert asked(tmp_path, "SELECT c1, c2 FROM 'b.tsv'")[0] == [(1, "x"), (2, "y")]
    put(tmp_path, "c.csv", "n,text", *("1,x" for _ in range(30)), "n/a,y")
    found = inferred("c.csv", tmp_path)
    assert found.columns.notes == ["n is STRING: 1 of 31 values are no BIGINT: 'n/a' in c.csv:32"]


def test_values_of_several_types(tmp_path: Path) -> None:
    rows = [{"k": 1, "few": n if n else "n/a", "half": n if n % 2 else "x"} for n in range(40)]
    put(tmp_path, "in/1.json", *rows)
    found = inferred("in", tmp_path)
    assert types(found.schema) == {"k": "BIGINT", "few": "BIGINT"}
    assert "20 string ('x' in in/1.json:1)" in found.columns.left_out["half"]
    taken, answer = asked(tmp_path, "SELECT few FROM 'in'")
    assert len(taken) == 39 and len(answer.records) == 1
    assert next(answer.quarantine()) == "1 row was not taken:"
    with pytest.raises(SqlError) as error:
        asked(tmp_path, "SELECT half FROM 'in'")
    assert "several types" in error.value.detail


def test_lines_that_are_broken_are_counted(tmp_path: Path) -> None:
    put(tmp_path, "in/1.json", {"k": 1}, "broken", {"k": 2}, "[1]", "")
    rows, answer = asked(tmp_path, "SELECT k FROM 'in'")
    assert rows == [(1,), (2,)]
    assert [(record.position, record.count) for record in answer.records] == [(2, 1), (4, 1)]


def test_punctuations_of_files_close_groups(tmp_path: Path) -> None:
    put(tmp_path, "in/1.json", {"k": 1, "t": 1}, {"k": 2, "t": 2}, {"$punct": {"k": 1}}, {"$punct": {"t": {"le": 2}}})
    put(tmp_path, "in/2.json", {"k": 1, "t": 3}, {"k": 3, "t": 4})
    found = inferred("in", tmp_path)
    assert [str(scheme) for scheme in found.stream().schemes] == ["ON (k)", "ON (t ASC)"]
    rows, answer = asked(tmp_path, "SELECT k, COUNT(*) AS n FROM 'in' GROUP BY k")
    assert sorted(rows) == [(1, 1), (2, 1), (3, 1)]
    assert [record.position for record in answer.records] == [1]  # it stands behind the punctuation of its key
    assert answer.query.analysis.safe


def test_an_order_has_no_null(tmp_path: Path) -> None:
    put(tmp_path, "in/1.json", {"t": 1}, {"t": None}, {"$punct": {"t": {"le": 2}}})
    assert [str(scheme) for scheme in inferred("in", tmp_path).stream().schemes] == ["ON (t)"]
    assert sorted(asked(tmp_path, "SELECT t FROM 'in'")[0], key=str) == [(1,), (None,)]


def test_parquet_with_punctuations(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    rows = pl.DataFrame({"k": [1, 2, None], "t": [1, 2, None], "_punct": [None, None, '{"$punct": {"t": {"le": 2}}}']})
    rows.write_parquet(tmp_path / "in" / "1.parquet")
    found = inferred("in", tmp_path)
    assert types(found.schema) == {"k": "BIGINT", "t": "BIGINT"} and [str(s) for s in found.stream().schemes] == [
        "ON (t ASC)"
    ]
    pl.DataFrame({"k": [0.5], "t": ["x"]}).write_parquet(tmp_path / "in" / "2.parquet")
    found = inferred("in", tmp_path)
    assert types(found.schema) == {"k": "DOUBLE"} and "STRING in others" in found.columns.left_out["t"]


def test_large_files_are_read_in_pieces(tmp_path: Path) -> None:
    put(tmp_path, "in/1.json", *({"k": n % 7, "text": "x" * (n % 50)} for n in range(500)))
    put(tmp_path, "in2/1.csv", "k,text", *(f'{n % 7},"a\nb{n}"' for n in range(500)))
    found = {name: inferred(name, tmp_path).stream() for name in ("in", "in2")}
    for name, stream in found.items():
        pieces = [p for s in Arriving([stream], tmp_path, {name: tmp_path}, 0).slices(1000) for p in s[name]]
        assert len(pieces) > 3
        assert [piece.start for piece in pieces[1:]] == [piece.end for piece in pieces[:-1]]
        data = (tmp_path / pieces[0].name).read_bytes()
        assert [piece.line for piece in pieces] == [data[: piece.start].count(b"\n") for piece in pieces]
        assert pieces[-1].end == len(data)
    assert len(asked(tmp_path, "SELECT k, text FROM 'in2'", 1000)[0]) == 500


@pytest.mark.parametrize(("end", "packed"), [(".gz", gzip.compress), (".bz2", bz2.compress)])
def test_compressed_files_are_read(tmp_path: Path, end: str, packed: Callable[[bytes], bytes]) -> None:
    """Beside others of their format; their columns are inferred from what is within."""
    (tmp_path / "in").mkdir()
    (tmp_path / f"in/1.json{end}").write_bytes(packed(b'{"k": 1, "v": 2}\n{"k": 1, "v": 3}\nno row\n'))
    put(tmp_path, "in/2.json", {"k": 2, "v": 5})
    rows, answer = asked(tmp_path, "SELECT k, SUM(v) AS t FROM 'in' GROUP BY k")
    assert sorted(rows) == [(1, 5), (2, 5)]
    assert f"in/1.json{end}:3" in "\n".join(answer.quarantine())
    (tmp_path / f"rows.csv{end}").write_bytes(packed(b"id;v\n1;a\n2;b\n"))
    assert asked(tmp_path, f"SELECT id, v FROM 'rows.csv{end}'")[0] == [(1, "a"), (2, "b")]


@pytest.mark.parametrize(
    ("name", "content", "pattern", "says"),
    [
        ("in/1.json", '{"k": 1}', "out/*.json", "there are no files 'out/*.json'"),
        ("in/1.json", '{"k": 1}', "inn/1.json", "did you mean in?"),
        ("in/a/b/1.json", '{"k": 1}', "in", "write 'in/**'"),
        ("in/a/b/1.json", '{"k": 1}', "in/*/*", "write 'in/**'"),
        ("in/1.json", "", "in", "no rows"),
        ("in/1.json", "\n\n", "in", "no row was found"),
        ("in/1.json", "[\n{}\n]\n", "in", "jq -c '.[]'"),
        ("in/1.json", '{\n"k": 1\n}\n', "in", "jq -c ."),
        ("in/1.json.xz", "x", "in/*", "uncompress"),
        ("in/1.parquet.gz", "x", "in/*", "uncompress"),
        ("in/1.json.gz", "x", "in/*", "1.json.gz, which cannot be decompressed"),
        ("in/1.txt", "x", "in", "format of 'in' is not known"),
        ("in/1.parquet", "x", "in", "no file can be read as Parquet"),
        ("in/1.json", "{}", "in", "no columns"),
    ],
)
def test_what_is_wrong_with_files(tmp_path: Path, name: str, content: str, pattern: str, says: str) -> None:
    (tmp_path / name).parent.mkdir(parents=True)
    (tmp_path / name).write_text(content)
    with pytest.raises((MissingError, SchemaError)) as error:
        inferred(pattern, tmp_path)
    assert says in str(error.value)
    with pytest.raises(SqlError) as within:
        Known(tmp_path).ask(f"SELECT * FROM '{pattern}'")
    assert "^" in str(within.value)


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("SELECT itmid FROM 'in/1.json'", "did you mean itemid?"),
        ("SELECT itemid FROM 'in/1.json' JOIN 'in/2.json' AS b ON TRUE", "write `in/1.json`.itemid or b.itemid"),
        ("SELECT itemid FROM in", "files stand in quotes: FROM 'in'"),
        ("SELEC itemid FROM 'in'", "did you mean SELECT?"),
        ("INSERT INTO x SELECT 1 FROM 'in'", "punctum run takes a script"),
        ("", "it is empty"),
        ("SELECT a FROM ''", "names no files"),
        ("SELECT itemid FROM 'in'; SELECT itemid FROM 'in'", "found 2 statements"),
    ],
)
def test_what_is_wrong_with_queries(tmp_path: Path, sql: str, says: str) -> None:
    for n in (1, 2):
        put(tmp_path, f"in/{n}.json", {"itemid": n})
    with pytest.raises((SqlError, MissingError)) as error:
        Known(tmp_path).ask(sql)
    assert says in str(error.value)


def test_files_of_several_formats(tmp_path: Path) -> None:
    put(tmp_path, "in/1.json", {"k": 1})
    put(tmp_path, "in/2.csv", "k", "1")
    with pytest.raises(SchemaError, match="several formats") as error:
        inferred("in", tmp_path)
    assert error.value.detail == "1 json, 1 csv" and error.value.hint == "name one: 'in/*.json'"
    assert asked(tmp_path, "SELECT a.k FROM 'in/*.json' AS a JOIN 'in/*.csv' AS b ON a.k = b.k")[0] == [(1,)]


def test_files_below_several_directories(tmp_path: Path) -> None:
    for n in range(3):
        put(tmp_path, f"in/{n}/bid.json", {"k": n})
    assert sorted(asked(tmp_path, "SELECT k FROM 'in/*/bid.json'")[0]) == [(0,), (1,), (2,)]
    assert len(asked(tmp_path, "SELECT k FROM 'in/**/*.json'")[0]) == 3


@pytest.mark.parametrize("name", ["order", "a b", "ü", "a`b", "x'y", "a.b", "SELECT", "1st", '"q"'])
def test_odd_names(tmp_path: Path, name: str) -> None:
    put(tmp_path, f"in{name}/1.json", {name: 1, "s": {name: 2}}, {"$punct": {name: 1}})
    known, out = Known(tmp_path), Taken()
    quoted = name.replace("'", "\\'")
    once(known, known.ask(f"SELECT * FROM 'in{quoted}'"), out)
    assert out.all == [(1, {name: 2})]


def test_names_that_differ_in_case(tmp_path: Path) -> None:
    put(tmp_path, "in/1.json", {"A": 1, "a": 2, "": 3})
    found = inferred("in", tmp_path)
    assert types(found.schema) == {"A": "BIGINT"} and "names are case-insensitive" in found.columns.left_out["a"]
    assert "it has no name" in found.columns.left_out[""]


def test_rows_as_text() -> None:
    said: list[str] = []
    schema = Schema.of(n="BIGINT", name="STRING", x="DOUBLE")
    rows = pl.DataFrame({"n": [1, 22], "name": ["a,\n\x1b[1m日本", None], "x": [0.5, None]})
    for out in (JsonLines(schema, said.append), CsvLines(schema, said.append), TextTable(schema, said.append, 1)):
        out.rows(rows)
        out.rows(rows.clear())
        out.end()
    assert [json.loads(line) for line in said[0].splitlines()] == rows.to_dicts()
    assert said[1:] == [
        "n,name,x",
        '1,"a,\n\x1b[1m日本",0.5\n22,,',
        " n │ name              │   x",
        "───┼───────────────────┼─────",
        " 1 │ a,\\n\\u001b[1m日本 │ 0.5",
        "(2 rows; 1 not shown: --rows 0 shows all)",
    ]
    assert isinstance(output("csv", schema, said.append), CsvLines)
