"""Whatever the parser accepts gets a verdict: no query is too strange for the register."""

from pathlib import Path

import pytest

from engine.queries import DDL, QUERIES
from parse.golden import parsed, split
from parse.test_golden import BOUND
from punctum.analyse.report.drawing import dot, lines, svg
from punctum.analyse.report.text import text, to_json
from punctum.analyse.safety.register import QueryAnalysis, registered, verdict
from punctum.analyse.safety.verdicts import Verdict
from punctum.ir import Relation
from punctum.parse import parse_script


def look(query: QueryAnalysis) -> None:
    """Ask everything that can be asked of a query."""
    assert text([query], " " * 10_000).startswith(query.query.name)
    assert len(to_json([query])["queries"]) == 1
    assert not query.safe or query.advice == () == query.rewrites
    assert all(lines(join) for join in query.joins) and dot(query.joins) and svg(query.joins)
    assert {scheme.stream for scheme in query.useless} <= {stream.name for stream in query.streams}
    for state in query.states:
        assert state.input and (state.witness or state.verdict is Verdict.STATELESS)


@pytest.mark.parametrize("path", BOUND, ids=lambda path: path.stem)
def test_parsed(path: Path) -> None:
    bound = parsed(split(path, "bound")[0])
    for query in [registered(bound)] if isinstance(bound, Relation) else verdict(bound):
        look(query)


REFUSED = {"order", "not in all"}
"""Of the engine's queries, those that its streams' schemes cannot keep bounded; all others of them are safe."""


@pytest.mark.parametrize("name", QUERIES)
def test_the_engines_queries(name: str) -> None:
    sink = "CREATE SINK result USING json OPTIONS (path 'out'); INSERT INTO result "
    (query,) = verdict(parse_script(f"{DDL}{sink}{QUERIES[name]};"))
    look(query)
    assert query.safe == (name not in REFUSED)
