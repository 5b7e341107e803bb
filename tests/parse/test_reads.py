"""A query that names others twice, which name others twice, is refused before its tree is written out."""

import pytest

from punctum.errors import SqlError
from punctum.parse import parse_script
from punctum.parse.binder.select import MOST_READS

BEGIN = "CREATE STREAM c0 (k BIGINT, PUNCTUATED ON (k)) USING json OPTIONS (path 'in'); CREATE SINK o USING console;"
TWICE = (
    "SELECT x.k FROM c{0} x JOIN c{0} y ON x.k = y.k",
    "SELECT k FROM c{0} UNION ALL SELECT k FROM c{0}",
    "SELECT k FROM c{0} UNION SELECT k FROM c{0}",
    "SELECT k FROM (SELECT DISTINCT k FROM c{0}) AS x JOIN c{0} USING (k)",
)


def ctes(body: str, n: int) -> str:
    listed = ", ".join(f"c{i + 1} AS ({body.format(i)})" for i in range(n))
    return f"{BEGIN} INSERT INTO o WITH {listed} SELECT k FROM c{n};"


def named(body: str, n: int) -> str:
    made = " ".join(f"CREATE STREAM c{i + 1} AS {body.format(i)};" for i in range(n))
    return f"{BEGIN} {made} INSERT INTO o SELECT k FROM c{n};"


@pytest.mark.parametrize("body", TWICE)
@pytest.mark.parametrize("written", [ctes, named])
def test_twenty_that_each_name_the_one_before_twice_are_refused(body: str, written: object) -> None:
    assert callable(written)
    with pytest.raises(SqlError, match=f"reads its streams 128 times\n  detail: the limit is {MOST_READS}") as caught:
        parse_script(written(body, 20))
    assert "c6" in str(caught.value).splitlines()[-2]


@pytest.mark.parametrize("body", TWICE)
def test_how_often_streams_are_read_is_how_often_they_stand_in_the_tree(body: str) -> None:
    for written in (ctes, named):
        (query,) = parse_script(written(body, 5)).queries
        assert query.relation.reads == 2**5
