"""Merges of replicas in stages, without Spark."""

from random import Random

import pytest

from engine.simulate import Simulation
from punctum.algebra.pattern import between
from punctum.algebra.punctuation import Punctuation
from punctum.operators.columns import Columns, frame, to_rows
from punctum.parse import parse_script

COUNTED = "SELECT ts DIV 10 AS _vs, k, COUNT(*) AS n FROM {} GROUP BY ts DIV 10, k"
SORTED = "SELECT * FROM (SELECT ts DIV 10 AS _vs, k, COUNT(*) AS n FROM {} GROUP BY ts DIV 10, k) ORDER BY _vs, k, n"
ALONE = "SELECT ts DIV 10 AS _vs, MAX(k) AS k, COUNT(*) AS n FROM {} GROUP BY ts DIV 10"


@pytest.mark.parametrize(("query", "case"), [(ALONE, "R0"), (SORTED, "R1"), (COUNTED, "R2")], ids=["R0", "R1", "R2"])
@pytest.mark.parametrize("buckets", [1, 3])
def test_groups_that_are_released_together_are_in_order(query: str, case: str, buckets: int) -> None:
    """Each replica has the rows of a slice in another order, and so has what it gives of them."""
    stream = "CREATE STREAM {0} (ts BIGINT, k STRING, PUNCTUATED ON (ts ASC)) USING json OPTIONS (path '{0}');"
    sql = "".join(stream.format(name) for name in "st")
    sql += "".join(f"CREATE TEMPORAL STREAM {a} AS {query.format(s)};" for a, s in zip("ab", "st", strict=True))
    sql += f"CREATE STREAM m AS LMERGE (a, b) OPTIONS (case '{case}'); CREATE SINK o USING json OPTIONS (path 'out');"
    parsed = parse_script(sql + "INSERT INTO o SELECT _vs, k, n FROM m;")
    schema, chance = parsed.streams["s"].schema, Random(1)
    rows = [(ts, k) for ts in range(0, 400, 5) for k in "uvwxyz"]
    simulation = Simulation(parsed.queries[0].relation, buckets)
    found = list[tuple[object, ...]]()
    for low, high in ((0, 200), (200, 400)):
        fed = {}
        for name in "st":
            mine = [row for row in rows if low <= row[0] < high]
            chance.shuffle(mine)
            fed[name] = Columns(frame(schema, mine), (Punctuation.of(schema, ts=between(None, high, "()")),))
        found += to_rows(simulation.feed(fed).rows)
        assert not simulation.records
    alone = [(vs, "z", 12) for vs in range(40)]
    assert sorted(found) == (alone if case == "R0" else [(vs, k, 2) for vs in range(40) for k in "uvwxyz"])
