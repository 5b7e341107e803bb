"""Strings in FROM are names of files, and other strings are strings."""

import pytest

from punctum.algebra.schema import Schema
from punctum.errors import SqlError
from punctum.ir.definitions import StreamDef
from punctum.parse.script import named_files, parse_script, parse_select

FILES = {
    name: StreamDef(name, Schema.of(n="BIGINT", s="STRING", ts="TIMESTAMP")) for name in ("a/*.json", "b.csv", "c")
}


@pytest.mark.parametrize(
    ("sql", "files"),
    [
        ("SELECT n FROM 'a/*.json'", ["a/*.json"]),
        ('SELECT n FROM "b.csv"', ["b.csv"]),
        ("SELECT x.n FROM 'a/*.json' AS x, 'b.csv' y, c WHERE x.n = y.n AND y.n = c.n", ["a/*.json", "b.csv"]),
        ("SELECT x.n FROM 'a/*.json' x LEFT JOIN 'b.csv' y ON x.n = y.n AND y.s = 'b.csv'", ["a/*.json", "b.csv"]),
        ("SELECT n FROM (SELECT n FROM 'a/*.json') AS x", ["a/*.json"]),
        ("WITH x AS (SELECT n FROM 'a/*.json') SELECT n FROM x UNION SELECT n FROM 'b.csv'", ["a/*.json", "b.csv"]),
        ("SELECT n FROM 'a/*.json' AS x WHERE EXISTS (SELECT 1 FROM 'b.csv' y WHERE y.n = x.n)", ["a/*.json", "b.csv"]),
        ("SELECT COUNT(*) AS k FROM 'a/*.json' [ROWS 10]", ["a/*.json"]),
        (
            "SELECT window_end, COUNT(*) AS k FROM "
            "TABLE(TUMBLE(TABLE 'a/*.json', DESCRIPTOR(ts), INTERVAL '9' SECOND)) GROUP BY window_start, window_end",
            ["a/*.json"],
        ),
        ("SELECT 'x' AS a, 'y' AS b, TRIM('x' FROM s) AS t FROM c WHERE s IN ('p', 'q') GROUP BY s, 'z'", []),
        ("SELECT n, EXTRACT(HOUR FROM ts) AS h FROM c WHERE s IS DISTINCT FROM 'x' ORDER BY n", []),
        ("SELECT n FROM `b.csv`", []),
    ],
)
def test_what_names_files(sql: str, files: list[str]) -> None:
    named = named_files(sql)
    assert [name for name, _ in named] == files
    assert all(sql[place.start : place.end].strip("'\"") == name for name, place in named)
    parse_select(sql, FILES)


def test_a_window_behind_files_is_a_window() -> None:
    with pytest.raises(SqlError, match="two windows"):
        parse_select("SELECT COUNT(*) AS k FROM 'c' [ROWS 10] [ROWS 5]", FILES)
    assert "10" in str(parse_select("SELECT COUNT(*) AS k FROM 'c' [ROWS 10]", FILES).relation)


def test_a_script_names_streams() -> None:
    sql = "CREATE SINK out USING console; INSERT INTO out SELECT n FROM 'in/*.json';"
    with pytest.raises(SqlError, match="there is no stream 'in/") as error:
        parse_script(sql)
    assert "punctum infer" in error.value.hint and str(error.value).splitlines()[-1].strip(" |") == "^" * len(
        "'in/*.json'"
    )


def test_options_keep_their_strings() -> None:
    script = parse_script("CREATE STREAM s (n BIGINT) USING json OPTIONS (path 'from', 'settle' '3')")
    assert script.streams["s"].options == {"path": "from", "settle": "3"}
