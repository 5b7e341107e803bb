"""Queries of every kind over two small streams, and random grammatical streams for them.

The streams keep their schemes in the end: each ends with the punctuation that ends it. The SQL runs as it is in DuckDB
and in batch Spark, over the same rows.
"""

from hypothesis import strategies as st

from punctum.algebra import WILDCARD, Punctuation, Schema, between, constant, end_of_stream, one_of
from punctum.spec import Slice
from strategies import streams

DDL = """
CREATE STREAM a (k BIGINT, x BIGINT, s STRING, PUNCTUATED ON (k), PUNCTUATED ON (x))
  USING json OPTIONS (path 'a', maxFilesPerTrigger 1);
CREATE STREAM b (k BIGINT, y BIGINT, s STRING, PUNCTUATED ON (k))
  USING json OPTIONS (path 'b', maxFilesPerTrigger 1);
"""
A = Schema.of(k="BIGINT", x="BIGINT", s="STRING")
B = Schema.of(k="BIGINT", y="BIGINT", s="STRING")
QUERIES = {
    "select": "SELECT * FROM a WHERE x > 1",
    "null": "SELECT k, x FROM a WHERE x IS NULL OR s LIKE '%b%'",
    "columns": (
        "SELECT k + 1 AS k1, x * 2 - k AS y, UPPER(s) AS u, CASE WHEN x > 2 THEN 'big' ELSE 'small' END AS c FROM a"
    ),
    "distinct": "SELECT DISTINCT k, s FROM a",
    "join": "SELECT a.k, a.x, b.y FROM a JOIN b ON a.k = b.k",
    "residual": "SELECT a.k, a.x, b.y FROM a JOIN b ON a.k = b.k AND a.x < b.y",
    "comma": "SELECT a.k, a.s, b.s AS t FROM a, b WHERE a.k = b.k AND a.s = b.s AND b.y > 0",
    "left": "SELECT a.k, a.x, b.k AS l, b.y FROM a LEFT JOIN b ON a.k = b.k AND a.x < b.y AND b.s <> 'a'",
    "full": "SELECT a.k, a.x, b.k AS l, b.y FROM a FULL JOIN b ON a.k = b.k AND a.x > 0",
    "right": "SELECT a.s, b.k, b.y FROM a RIGHT JOIN b ON a.k = b.k WHERE b.y > 0",
    "semi": "SELECT a.k, a.x FROM a WHERE EXISTS (SELECT 1 FROM b WHERE a.k = b.k AND a.x <= b.y) AND a.s <> 'ab'",
    "anti": "SELECT a.k, a.x FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE a.k = b.k AND b.y > 0)",
    "not in": "SELECT a.k, a.x FROM a WHERE a.x NOT IN (SELECT b.y FROM b WHERE b.k = a.k)",
    "not in all": "SELECT a.k, a.x FROM a WHERE a.x NOT IN (SELECT b.y FROM b)",
    "left then group": (
        "SELECT a.k, COUNT(*) AS n, SUM(b.y) AS t FROM a LEFT JOIN b ON a.k = b.k AND a.s = b.s GROUP BY a.k"
    ),
    "outer": (
        "SELECT k, f.n, f.t, b.y FROM (SELECT a.k, COUNT(*) AS n, SUM(c.y) AS t FROM a LEFT JOIN b AS c "
        "ON a.k = c.k AND a.s <> c.s AND c.y > 2 WHERE EXISTS (SELECT 1 FROM b WHERE b.k = a.k AND b.y > a.x) "
        "AND a.x NOT IN (SELECT b.y FROM b WHERE b.k = a.k AND b.s = 'a') GROUP BY a.k) AS f FULL JOIN b USING (k)"
    ),
    "union": "SELECT k, s FROM a UNION SELECT k, s FROM b",
    "union all": "SELECT k, x AS v FROM a UNION ALL SELECT k, y FROM b",
    "intersect": "SELECT k, s FROM a INTERSECT SELECT k, s FROM b",
    "except": "SELECT k, s FROM a EXCEPT SELECT k, s FROM b",
    "group": (
        "SELECT k, COUNT(*) AS n, COUNT(x) AS c, SUM(x) AS t, MIN(x) AS lo, MAX(s) AS hi, AVG(x) AS m, "
        "COUNT(DISTINCT s) AS d, MEDIAN(x) AS md FROM a GROUP BY k"
    ),
    "filtered": "SELECT k, COUNT(*) FILTER (WHERE x > 1) AS n, SUM(x) FILTER (WHERE s = 'a') AS t FROM a GROUP BY k",
    "having": "SELECT k, SUM(x) AS t FROM a GROUP BY k HAVING COUNT(*) > 1",
    "global": "SELECT COUNT(*) AS n, SUM(x) AS t FROM a",
    "join then group": "SELECT a.k, SUM(b.y) AS t FROM a JOIN b ON a.k = b.k GROUP BY a.k",
    "regroup": "SELECT a.x, COUNT(*) AS n FROM a JOIN b ON a.k = b.k GROUP BY a.x",
    "regroup what is left": (
        "SELECT x, SUM(m) AS s FROM (SELECT a.k, a.x, MAX(b.y) AS m FROM a JOIN b ON a.k = b.k GROUP BY a.k, a.x) g "
        "GROUP BY x"
    ),
    "nested": (
        "WITH t AS (SELECT k, MAX(x) AS m FROM a GROUP BY k) SELECT t.m, b.y FROM t JOIN b ON t.k = b.k WHERE t.m >= 0"
    ),
    "order": "SELECT k, x FROM a ORDER BY k, x DESC NULLS LAST",
    "distinct of union": "SELECT DISTINCT k FROM (SELECT k, s FROM a UNION ALL SELECT k, s FROM b) AS u",
}

numbers = st.sampled_from([None, -1, 0, 1, 2, 3])
texts = st.sampled_from([None, "", "a", "ab", "é\n\"'\\"])
some_rows = st.tuples(numbers, numbers, texts)
number = st.integers(-1, 3)
patterns = st.one_of(
    st.just(WILDCARD),
    number.map(constant),
    st.builds(between, number, number),
    number.map(lambda n: between(None, n)),
    st.lists(number, max_size=3).map(one_of),
)


def puncts(schema: Schema) -> st.SearchStrategy[Punctuation]:
    one = st.tuples(st.sampled_from([0, 0, 0, 1]), patterns)
    return one.map(lambda c: Punctuation.of(schema, {schema.names[c[0]]: c[1]})).filter(lambda p: bool(p.sides))


@st.composite
def ended(draw: st.DrawFn, schema: Schema) -> list[Slice]:
    """A stream that ends, with empty slices here and there, so that two of them meet in any order."""
    whole = [*draw(streams(schema, some_rows, puncts(schema), 4)), Slice.of(end_of_stream(schema))]
    return [piece for each in whole for piece in (*[Slice()] * draw(st.sampled_from([0, 0, 0, 1, 2])), each)]


both = st.tuples(ended(A), ended(B))
