"""Random nested queries over streams with random schemes: what is admitted keeps nothing once all values are closed."""

from itertools import islice

from hypothesis import assume, event, given
from hypothesis import strategies as st

from analyse.test_kept import rounds
from punctum.algebra import Punctuation, Scheme, between
from punctum.algebra.scheme import Order
from punctum.analyse.safety.register import QueryAnalysis, verdict
from punctum.analyse.safety.verdicts import Verdict
from punctum.ir import StreamDef
from punctum.operators.columns import ColumnarSlice, empty
from punctum.parse import parse_script
from punctum.testing.simulate import Simulation

ROUNDS = 3
UNARY = [
    "SELECT p, q FROM ({}) t WHERE q = 8",
    "SELECT p, q FROM ({}) t WHERE p > 10",
    "SELECT p, q FROM ({}) t WHERE p = q",
    "SELECT q AS p, p AS q FROM ({}) t",
    "SELECT p + 1 AS p, 7 - q AS q FROM ({}) t",
    "SELECT p, p AS q FROM ({}) t",
    "SELECT p, 8 AS q FROM ({}) t",
    "SELECT DISTINCT p, q FROM ({}) t",
    "SELECT p, MAX(q) AS q FROM ({}) t GROUP BY p",
    "SELECT COUNT(*) AS p, q FROM ({}) t GROUP BY q, p",
]
BINARY = [
    "SELECT t.p, u.q FROM ({}) t JOIN ({}) u ON t.p = u.p",
    "SELECT t.q AS p, u.q FROM ({}) t JOIN ({}) u ON t.p = u.q AND t.q = u.p",
    "SELECT t.p, u.p AS q FROM ({}) t JOIN ({}) u ON t.q = u.q WHERE t.p = 8",
    "({}) UNION ALL ({})",
    "({}) UNION ({})",
    "({}) INTERSECT ({})",
    "({}) EXCEPT ({})",
]
leaves = st.sampled_from(
    ["SELECT k AS p, x AS q FROM s0", "SELECT k AS p, x AS q FROM s1", "SELECT x AS p, k AS q FROM s1"]
)
nested = st.recursive(
    leaves,
    lambda below: st.one_of(
        st.builds(lambda sql, one: sql.format(one), st.sampled_from(UNARY), below),
        st.builds(lambda sql, one, two: sql.format(one, two), st.sampled_from(BINARY), below, below),
    ),
    max_leaves=4,
)
schemes = st.lists(st.sampled_from(["k", "x", "k, x", "k ASC", "x DESC, k"]), max_size=2, unique=True)


def script(sql: str, *promised: list[str]) -> str:
    streams = [
        f"CREATE STREAM s{i} ({', '.join(['k BIGINT', 'x BIGINT', *(f'PUNCTUATED ON ({on})' for on in schemes)])}) "
        f"USING json OPTIONS (path 's{i}');"
        for i, schemes in enumerate(promised)
    ]
    return "\n".join(
        [*streams, "CREATE SINK o USING json OPTIONS (path 'o');", f"INSERT INTO o SELECT p, q FROM ({sql}) r;"]
    )


def over(stream: StreamDef, scheme: Scheme) -> Punctuation:
    """What the scheme promises for all values that rows have or ask for."""
    ranges = {Order.EQUALITY: between(-100, 100), Order.ASC: between(None, 100), Order.DESC: between(-100, None)}
    return Punctuation.of(stream.schema, {name: ranges[order] for name, order in scheme.terms})


def kept(query: QueryAnalysis) -> int:
    simulation = Simulation(query.query.relation, buckets=1)
    for sent in islice(rounds(query.streams), ROUNDS):
        simulation.feed(sent)
    ends = {
        s.name: ColumnarSlice(empty(s.schema), tuple(over(s, scheme) for scheme in s.schemes)) for s in query.streams
    }
    simulation.feed(ends)
    return simulation.kept()


@given(nested, schemes, schemes)
def test_what_is_admitted_keeps_nothing_in_the_end(sql: str, first: list[str], second: list[str]) -> None:
    (query,) = verdict(parse_script(script(sql, first, second)))
    event("safe" if query.safe else "unsafe")
    assume(query.safe and not any(state.verdict is Verdict.BOUNDED for state in query.states))
    assert kept(query) == 0
