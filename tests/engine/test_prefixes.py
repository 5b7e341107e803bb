"""At every prefix the engine has released what the specification has, however many buckets there are.

``specified``  each slice gives the rows and punctuations that the tree of the specification's iterators gives. (Of
               several buckets, each frees its own part of a punctuation, so that together they may say a part of it
               that the specification still holds back for the sake of another part's row. And where a constant goes to
               its own bucket alone, a bucket that has already said more does not repeat it: the whole says it when
               the others have said more too, at the latest at the end.)
``faithful``   what has been released is just what no allowed further input can change.
"""

from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.queries import QUERIES, both
from engine.specified import Specified
from engine.test_buckets import STREAMS, rounded, slices
from lanes import examples
from punctum.algebra import PunctuationSet, Row
from punctum.ir import StreamDef
from punctum.operators.columns import ColumnarSlice, frame, to_rows
from punctum.parse import parse_query
from punctum.spec import Slice
from punctum.testing.simulate import Simulation
from spec import batch
from spec.laws import faithful
from spec.test_faithful import UNIVERSE, differ, inputs, other, plane

COMPOSED = {
    "group of group": "SELECT n, COUNT(*) AS m FROM (SELECT k, COUNT(*) AS n FROM a GROUP BY k) AS g GROUP BY n",
    "group by computed": (
        "SELECT k1, SUM(n) AS t FROM (SELECT k + 1 AS k1, n FROM "
        "(SELECT k, x, COUNT(*) AS n FROM a GROUP BY k, x) AS g) AS h GROUP BY k1"
    ),
    "join of groups": (
        "SELECT g.k, g.n, h.m FROM (SELECT k, COUNT(*) AS n FROM a GROUP BY k) AS g "
        "JOIN (SELECT k, MAX(y) AS m FROM b GROUP BY k) AS h ON g.k = h.k"
    ),
    "distinct of join": "SELECT DISTINCT a.x, b.y FROM a JOIN b ON a.k = b.k WHERE a.x >= 1",
    "except of unions": (
        "SELECT k, s FROM a WHERE k > 0 UNION ALL SELECT k, s FROM b EXCEPT SELECT k, s FROM b WHERE k > 1"
    ),
    "join on another column": (
        "SELECT j.x, j.y, c.k FROM (SELECT a.x, b.y FROM a JOIN b ON a.k = b.k) AS j JOIN a AS c ON j.x = c.x"
    ),
}
SCHEMAS = {name: stream.schema for name, stream in STREAMS.items()}
APART = ("filtered", "left then group", "outer")
"""What the specification has not, and groups that one bucket releases before another one could."""
SPECIFIED = {name: sql for name, sql in QUERIES.items() if name not in APART} | COMPOSED


@pytest.mark.parametrize("name", SPECIFIED)
@examples(50)
@given(streams=both, buckets=st.integers(1, 4), constants=st.booleans())
def test_each_slice_is_the_specifications(
    name: str, streams: tuple[list[Slice], list[Slice]], buckets: int, constants: bool
) -> None:
    relation = parse_query(SPECIFIED[name], STREAMS)
    engine, oracle = Simulation(relation, buckets, global_punctuations=True), Specified(relation, SCHEMAS)
    said, wanted_said = PunctuationSet(relation.schema), PunctuationSet(relation.schema)
    for plain, piece in zip(slices(*streams), slices(*streams, constants=constants), strict=True):
        found = engine.feed(piece)
        wanted = oracle.feed({each: Slice(tuple(to_rows(xs.rows)), xs.puncts) for each, xs in plain.items()})
        assert Counter(rounded(to_rows(found.rows))) == Counter(rounded(list(wanted.rows)))
        said, wanted_said = said | found.puncts, wanted_said | wanted.puncts
        if buckets == 1:
            assert said == wanted_said
        assert (constants and buckets > 1) or all(map(said.covers, wanted_said))
    assert said == wanted_said


class Engine:
    """A query over the plane p (x, y) and perhaps q (v, w), in several buckets, as the laws want an operator."""

    def __init__(self, sql: str, buckets: int = 3) -> None:
        self._relation = parse_query(sql, PLANES)
        self._buckets = buckets
        self._simulation = Simulation(self._relation, buckets)

    def start(self) -> "Engine":
        self._simulation = Simulation(self._relation, self._buckets)
        return self

    def feed(self, *slices: Slice) -> Slice:
        pairs = zip(("p", "q"), (plane, other), slices, strict=False)
        found = self._simulation.feed({name: ColumnarSlice(frame(s, xs.rows), xs.puncts) for name, s, xs in pairs})
        return Slice(tuple(rounded(to_rows(found.rows))), found.puncts)

    def kept(self) -> dict[str, list[Row]]:
        return {}


PLANES = {"p": StreamDef("p", plane), "q": StreamDef("q", other)}
SUMMARY = (
    "COUNT(*), COUNT(y), SUM(y), MIN(y), MAX(y), AVG(y), COUNT(DISTINCT y), MEDIAN(y), PERCENTILE(y, 0.5),"
    " VAR_POP(y), VAR_SAMP(y), STDDEV_POP(y), STDDEV_SAMP(y), MAX_BY(y, x), MIN_BY(y, x), COLLECT_LIST(y),"
    " COLLECT_SET(y)"
)
UNARY: dict[str, Callable[..., list[Row]]] = {
    "SELECT x, y FROM p WHERE x = 1": lambda p: [t for t in p if t[0] == 1],
    "SELECT y FROM p": lambda p: [(t[1],) for t in p],
    "SELECT DISTINCT x, y FROM p": batch.distinct,
    f"SELECT x, {SUMMARY} FROM p GROUP BY x": batch.summary([0], 1),
    f"SELECT {SUMMARY} FROM p": batch.summary([], 1),
    "SELECT x, COUNT(*) AS n FROM p GROUP BY x HAVING COUNT(*) > 1": lambda p: [
        (x, n) for x in {t[0] for t in p} if (n := sum(t[0] == x for t in p)) > 1
    ],
}
BINARY: dict[str, Callable[..., list[Row]]] = {
    "SELECT * FROM p JOIN q ON x = v": batch.join([(0, 0)]),
    "SELECT * FROM p LEFT JOIN q ON x = v AND y <> w": batch.outer([(0, 0)], "left", differ),
    "SELECT * FROM p FULL JOIN q ON x = v": batch.outer([(0, 0)], "full"),
    "SELECT * FROM p WHERE x IN (SELECT v FROM q WHERE y <> w)": batch.outer([(0, 0)], "semi", differ),
    "SELECT * FROM p WHERE NOT EXISTS (SELECT 1 FROM q WHERE x = v)": batch.outer([(0, 0)], "anti"),
    "SELECT * FROM p JOIN q ON x = w AND y = v": batch.join([(0, 1), (1, 0)]),
    "SELECT * FROM p UNION ALL SELECT * FROM q": lambda p, q: p + q,
    "SELECT * FROM p UNION SELECT * FROM q": batch.union,
    "SELECT * FROM p INTERSECT SELECT * FROM q": batch.intersect,
    "SELECT * FROM p EXCEPT SELECT * FROM q": batch.difference,
    "SELECT DISTINCT x FROM (SELECT x FROM p UNION ALL SELECT v FROM q) AS u": lambda p, q: list(
        {(t[0],) for t in p + q}
    ),
    "SELECT v, COUNT(*) FROM p JOIN q ON x = v GROUP BY v": lambda p, q: [
        (v, n)
        for v in {t[0] for t in q}
        if v is not None and (n := sum(t[0] == v for t in p) * sum(t[0] == v for t in q))
    ],
}


@pytest.mark.parametrize("sql", UNARY)
@examples(300)  # of fewer, none closes a group
@given(stream=inputs(plane))
def test_one_stream_is_faithful(sql: str, stream: list[Slice]) -> None:
    faithful(Engine(sql), [stream], lambda p: rounded(UNARY[sql](p)), [UNIVERSE], most=2)  # type: ignore[arg-type]


@pytest.mark.parametrize("sql", BINARY)
@examples(33)
@given(both=st.tuples(inputs(plane), inputs(other)))
def test_two_streams_are_faithful(sql: str, both: tuple[list[Slice], list[Slice]]) -> None:
    faithful(Engine(sql), both, BINARY[sql], [UNIVERSE] * 2, most=1)  # type: ignore[arg-type]
