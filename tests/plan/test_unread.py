"""What the register takes for unread, the plan takes away: both ask ``needed`` which columns a node reads."""

from pathlib import Path

import pytest

from analyse.test_golden import ADMITTED, REFUSED
from parse.golden import split
from punctum.analyse.safety.unread import unread
from punctum.ir.expressions import columns
from punctum.ir.relations import Projection, Source
from punctum.ir.tree import Relation, sources
from punctum.parse import parse_script
from punctum.plan.passes.prune import pruned

DDL = """
CREATE STREAM a (k BIGINT, x BIGINT, h BIGINT) USING json OPTIONS (path 'a');
CREATE STREAM b (k BIGINT, x BIGINT, h BIGINT) USING json OPTIONS (path 'b');
CREATE SINK result USING json OPTIONS (path 'out');
"""
K, X, H = "kxh"
CASES: dict[str, list[set[str]]] = {
    "SELECT k FROM a": [{X, H}],
    "SELECT k FROM a WHERE x > 3": [{H}],
    "SELECT COUNT(*) AS n FROM a": [{X, H}],
    "SELECT k, SUM(x) AS x FROM a GROUP BY k": [{H}],
    "SELECT k FROM a ORDER BY x": [{H}],
    "SELECT a.h FROM a JOIN b ON a.k = b.k": [{X}, {X, H}],
    "SELECT a.k FROM a JOIN b ON a.k = b.k AND a.x < b.h": [{H}, {X}],
    "SELECT k FROM (SELECT DISTINCT k, x FROM a) d": [{H}],
    "SELECT k FROM (SELECT k, x FROM a UNION SELECT k, x FROM b) u": [{H}, {H}],
    "SELECT k FROM (SELECT k, x FROM a INTERSECT SELECT k, x FROM b) u": [{H}, {H}],
    "SELECT k FROM (SELECT k, x FROM a EXCEPT SELECT k, x FROM b) u": [{H}, {H}],
    "SELECT k FROM (SELECT k, x FROM a UNION ALL SELECT k, x FROM b WHERE h > 3) u": [{X, H}, {X}],
    "SELECT k FROM (SELECT * FROM a UNION ALL SELECT * FROM b WHERE h > 3) u": [set(), set()],
}


def relation(sql: str) -> Relation:
    (query,) = parse_script(f"{DDL}INSERT INTO result {sql};").queries
    return query.relation


def unread_columns(query: Relation) -> list[set[str]]:
    """The columns of each stream that the register takes for unread, from left to right."""
    known = unread(query)
    return [{source.schema.names[i] for i in known[source]} for source in sources(query)]


def dropped_columns(plan: Relation) -> list[set[str]]:
    """The columns of each stream that a plan does not let out of it, from left to right."""
    match plan:
        case Projection(input=Source() as source):
            shown = {column.index for _, expression in plan.columns for column in columns(expression)}
            return [{name for i, name in enumerate(source.schema.names) if i not in shown}]
        case Source():
            return [set()]
        case _:
            return [dropped for below in plan.inputs for dropped in dropped_columns(below)]


@pytest.mark.parametrize("sql", CASES)
def test_unread(sql: str) -> None:
    query = relation(sql)
    assert unread_columns(query) == dropped_columns(pruned(query)) == CASES[sql]


@pytest.mark.parametrize("path", [*ADMITTED, *REFUSED], ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_what_is_unread_is_dropped(path: Path) -> None:
    (query,) = parse_script(split(path, "checked")[0]).queries
    pairs = zip(unread_columns(query.relation), dropped_columns(pruned(query.relation)), strict=True)
    assert all(unused <= dropped for unused, dropped in pairs)
