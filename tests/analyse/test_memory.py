"""The register's verdicts on the memory of SQL queries."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from punctum.analyse.memory.verdict import MemoryVerdict, memory
from punctum.cli import cli
from punctum.parse import parse_script

STREAMS = """
CREATE STREAM s (a BIGINT, b BIGINT, c BIGINT, x DOUBLE, name STRING, ok BOOLEAN, at TIMESTAMP) USING json;
CREATE STREAM t (d BIGINT, e BIGINT, y DOUBLE, name STRING, day DATE) USING json;
CREATE STREAM u (h BIGINT, kind STRING, DOMAIN h BETWEEN 0 AND 23, DOMAIN kind IN ('x', 'y')) USING json;
CREATE STREAM small AS SELECT a AS k, b FROM s WHERE a BETWEEN 1 AND 5;
CREATE SINK q USING json OPTIONS (path 'q');
"""


def verdict_of(query: str) -> MemoryVerdict:
    return memory(parse_script(f"{STREAMS} INSERT INTO q {query};").queries[0].relation)


@pytest.mark.parametrize(
    ("query", "values"),
    [
        ("SELECT a, b FROM s WHERE a > 10", 0),
        ("SELECT a FROM s WHERE NOT (1 = 2) AND NOT ok AND NOT (b IS NULL) AND name LIKE 'x%'", 0),
        ("SELECT DISTINCT ok FROM s", 3),
        ("SELECT DISTINCT ok FROM s WHERE ok", 1),
        ("SELECT DISTINCT kind, h FROM u", 96),
        ("SELECT a FROM s JOIN t ON a = d WHERE a > 10 AND d < 20", 36),
        ("SELECT a + 1 AS more FROM s JOIN t ON a = d WHERE a > 10 AND d < 20", 36),
        ("SELECT k FROM small JOIN t ON k = d", 20),
        ("SELECT k FROM (SELECT k, b FROM small WHERE b > 3 AND b % 2 = 0) AS z JOIN t ON k = d", 20),
        ("SELECT 1 AS one FROM s JOIN u ON s.name = u.kind", 8),
        ("SELECT DISTINCT a FROM s JOIN t ON a = d AND b < e WHERE a IN (3, 5)", 10),
        ("SELECT a FROM s JOIN t ON a = d WHERE x = 0.5 AND y <> x AND y IN (0.5, 2) AND a = 1", 3 + 2 * 3),
        ("SELECT DISTINCT a FROM s JOIN t ON a = d AND b < e AND c < e WHERE a = 1 AND b <> c", 3 + 2 + 1),
        ("SELECT COUNT(*) AS n FROM s", 1),
        ("SELECT h, AVG(x) AS x FROM s JOIN u ON a = h GROUP BY h HAVING AVG(x) > 1", 24 * 4 + 24 * 2 + 24 * 3),
        ("SELECT a, MAX(e) AS most FROM s JOIN t ON a = d AND b < e WHERE a = 1 GROUP BY a", 6),
        ("SELECT a FROM s JOIN t ON a = d WHERE a > 10 AND a < 11", 0),
        ("SELECT h FROM (SELECT hour(at) AS h FROM s) AS z JOIN t ON h = d WHERE h IN (3, 4)", 8),
        ("SELECT x.a FROM s AS x JOIN s AS y ON x.a = y.a WHERE x.a IN (3, 4)", 8),
    ],
)
def test_bounded(query: str, values: int) -> None:
    verdict = verdict_of(query)
    assert (verdict.bounded, verdict.values) == (True, values), verdict.reason


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("SELECT DISTINCT a FROM s", "a of s is in the result, and the column's domain is unbounded (C1)"),
        (
            "SELECT 1 AS one FROM s JOIN t ON a = d",
            "a of s has to equal d of t, and the domain of these columns is unbounded (C2)",
        ),
        (
            "SELECT a FROM s JOIN t ON a = d AND x + y > 1 WHERE a = 1",
            "a condition on x of s and y of t is not a comparison",
        ),
        (
            "SELECT a FROM s JOIN t ON a = d AND x < y WHERE a = 1",
            "x of s has to be below y of t, and the number of such rows",
        ),
        ("SELECT a FROM s JOIN t ON a = d AND x < y WHERE a = 1 AND x > 1 AND x < 2", "x of s has to be below y of t"),
        ("SELECT a FROM s JOIN t ON a = d AND x = y WHERE a = 1 AND x > 1 AND x < 2", "x of s has to equal y of t"),
        (
            "SELECT DISTINCT a FROM s JOIN t ON a = d AND b < e AND x < y WHERE a = 1",
            "b of s has to be below e of t and x of s below y of t, and no single row decides both (C3)",
        ),
        (
            "SELECT a, MAX(c) AS c FROM s JOIN t ON a = d AND b < e WHERE a = 1 GROUP BY a",
            "b of s has to be below e of t, MAX of c of s is wanted, and no single row decides both (C3)",
        ),
        ("SELECT a, MEDIAN(b) AS m FROM s WHERE a = 1 GROUP BY a", "MEDIAN needs every value of b of s"),
        ("SELECT a + d AS both FROM s JOIN t ON s.name = t.name WHERE s.name = 'x'", "a of s is in the result"),
        ("SELECT DISTINCT n FROM (SELECT COUNT(*) AS n FROM s) AS z", "it is not one SELECT of joins and filters"),
        ("SELECT a FROM s UNION SELECT d AS a FROM t", "it is not one SELECT of joins and filters"),
    ],
)
def test_not_bounded(query: str, reason: str) -> None:
    verdict = verdict_of(query)
    assert not verdict.bounded and verdict.reason.startswith(reason), verdict.reason


def test_check_says_it_and_admits_it(tmp_path: Path) -> None:
    """Q3 of the paper is bounded without punctuations."""
    script = tmp_path / "script.sql"
    script.write_text(f"{STREAMS} INSERT INTO q SELECT a FROM s JOIN t ON a = d WHERE a > 10 AND d < 20;")
    result = CliRunner().invoke(cli, ["check", "--json", str(script)])
    (query,) = json.loads(result.output)["queries"]
    assert (result.exit_code, query["admitted"], query["bounded_memory"]) == (0, True, True)
    assert [(state["operator"], state["verdict"]) for state in query["state"]] == [("synopsis", "bounded")] * 2


def test_the_page_shows_what_check_says(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "bounded-memory.md").read_text()
    script, expected = (page.split(fence)[1].split("```")[0] for fence in ("```sql\n", "```\npairs:"))
    (tmp_path / "pairs.sql").write_text(script)
    result = CliRunner().invoke(cli, ["check", str(tmp_path / "pairs.sql")])
    assert result.output == f"pairs:{expected}"
