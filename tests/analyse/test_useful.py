"""Which schemes a query needs: those that are left out change no verdict, and of a minimal set none can be left out."""

import re
from pathlib import Path

import pytest

from analyse.test_golden import HERE
from parse.golden import split
from punctum.analyse.promises import Declared
from punctum.analyse.safety.register import QueryAnalysis, verdict
from punctum.analyse.safety.useful import idle, minimal
from punctum.parse import parse_script

ADMITTED = sorted((HERE / "admitted").glob("*.sql"))


def without(sql: str, schemes: frozenset[Declared]) -> str:
    """A script whose streams do not promise some schemes."""
    for scheme in schemes:
        terms = str(scheme)[len(scheme.stream) + 1 : -1]
        listed = r"PUNCTUATE \([^;]*?\) WHEN ALL \w+ IN (?:\w+|\([^)]*\))"
        clause = rf",\s*(?:PUNCTUATE(?:D ON)? \({re.escape(terms)}\)|{listed})(?: DELAY '[^']*')?"
        sql, count = re.subn(rf"(CREATE STREAM {scheme.stream} \([^;]*?){clause}", r"\1", sql)
        assert count == 1, scheme
    return sql


def known(sql: str) -> QueryAnalysis:
    (query,) = verdict(parse_script(sql))
    return query


@pytest.mark.parametrize("path", ADMITTED, ids=lambda path: path.stem)
def test_a_minimal_set_is_enough_and_no_smaller_one_is(path: Path) -> None:
    sql = split(path, "checked")[0]
    if len(verdict(parse_script(sql))) > 1:
        pytest.skip("one query at a time")
    minimal_of(sql)


REDUNDANT = {
    "SELECT DISTINCT k, x FROM a": {"a(x)"},
    "SELECT a.x, b.y FROM a JOIN b ON a.k = b.k AND a.x = b.y": {"a(x)", "b(k)"},
    "SELECT a.x, c.k FROM a JOIN b ON a.k = b.k JOIN a c ON b.k = c.k": {"a(k)", "b(k)"},
    "SELECT k, x, COUNT(*) AS n FROM a GROUP BY k, x": {"a(x)"},
}


@pytest.mark.parametrize("sql", REDUNDANT)
def test_of_schemes_that_do_the_same_one_is_enough(sql: str) -> None:
    streams = STREAMS.replace("PUNCTUATED ON (x)", "PUNCTUATED ON (x), PUNCTUATED ON (k, x)")
    assert set(map(str, minimal_of(f"{streams} INSERT INTO o {sql};"))) == REDUNDANT[sql]


def minimal_of(sql: str) -> frozenset[Declared]:
    """The minimal set of a script's query, after a look at scripts that have only these schemes, and one less."""
    query = known(sql)
    kept = minimal(query.query.relation, query.emits_punctuations)
    declared = frozenset(query.declared)
    less = known(without(sql, declared - kept))
    verdicts = [state.verdict for state in query.states]
    assert [state.verdict for state in less.states] == verdicts
    if not query.emits_punctuations:
        for scheme in kept:
            fewer = known(without(sql, declared - kept | {scheme}))
            assert [state.verdict for state in fewer.states] != verdicts, scheme
    return kept


STREAMS = """
CREATE STREAM a (k BIGINT, x BIGINT, h BIGINT, PUNCTUATED ON (k), PUNCTUATED ON (x), PUNCTUATED ON (h),
  DOMAIN h BETWEEN 0 AND 23) USING memory;
CREATE STREAM b (k BIGINT, y BIGINT, PUNCTUATED ON (k)) USING memory;
CREATE SINK o USING json OPTIONS (path 'o');
"""
JOIN = "SELECT a.k, a.x, a.h, b.y FROM a JOIN b ON a.k = b.k"
IDLE = {
    "a column that is only shown": (JOIN, {"a": ["ON (x)"]}),
    "a column in a condition": (f"{JOIN} WHERE a.x > 3", {}),
    "a column in a condition by another name": (f"SELECT z FROM (SELECT k, x AS z FROM ({JOIN})) WHERE z > 3", {}),
    "a column that groups": (f"SELECT x, COUNT(*) AS n FROM ({JOIN}) GROUP BY x", {}),
    "a column that is not joined on but distinct": (f"SELECT DISTINCT x FROM ({JOIN})", {}),
    "nothing is kept": ("SELECT k, y FROM b", {"b": ["ON (k)"]}),
    "a column that is joined on in another scheme": (
        "SELECT a.k FROM a JOIN b ON a.k = b.k AND a.x = b.y WHERE a.x > 3",
        {},
    ),
}


@pytest.mark.parametrize("name", IDLE)
def test_idle(name: str) -> None:
    sql, expected = IDLE[name]
    query = known(f"{STREAMS} INSERT INTO o {sql} ALLOW UNBOUNDED;")
    by_stream = {
        stream: [str(scheme) for scheme in schemes]
        for stream, schemes in idle(query.query.relation, False, query.inference).items()
    }
    assert by_stream == expected


def test_nothing_is_idle_that_is_emitted() -> None:
    query = known(f"{STREAMS} INSERT INTO o {JOIN};")
    assert idle(query.query.relation, True, query.inference) == {}


@pytest.mark.parametrize("waited_for", ["k", "x"])
def test_a_stream_with_a_time_limit_has_no_idle_schemes(waited_for: str) -> None:
    """Not even those without one: an ordered scheme is the clock of the others."""
    clause = f"PUNCTUATED ON ({waited_for})"
    sql = STREAMS.replace(clause, f"{clause} EXPECT WITHIN '1 day'", 1)
    query = known(f"{sql} INSERT INTO o {JOIN};")
    assert idle(query.query.relation, False, query.inference) == {}
