"""Joins of many streams in stages and buckets, without Spark: the batch answer, each result once, and a flat state."""

import random
from collections import Counter
from collections.abc import Iterator
from itertools import product

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.queries import puncts
from engine.test_buckets import assert_grammatical, rows_of
from lanes import also_long, examples
from operators.vectorised import in_columns
from punctum.algebra import Punctuation, Row, Schema, end_of_stream
from punctum.algebra.values import Type
from punctum.analyse.safety.inference import Inference
from punctum.engine.exchange.cube import CubeExchange
from punctum.engine.runtime.build import exchange
from punctum.ir import StreamDef
from punctum.ir.planned import MultiJoin
from punctum.ir.relations import Join
from punctum.operators.columns import ColumnarSlice, frame
from punctum.operators.limits import limited
from punctum.parse import parse_query, parse_script
from punctum.plan.explain import explain
from punctum.plan.joins import multijoin as plans
from punctum.plan.joins.choose import PlanOptions, Schemes
from punctum.plan.joins.cost import Objective, Purge
from punctum.plan.joins.trees import Tree
from punctum.plan.physical.cube import Cube, shares
from punctum.plan.physical.stages import Input, Op, all_stages, partition
from punctum.spec import Slice, prefix
from punctum.testing.simulate import ScatteredBuckets, Simulation, planned, run

WRITTEN = Inference.written
SCHEMA = Schema.of(k="BIGINT", x="BIGINT", s="STRING")


@pytest.fixture(scope="module", autouse=True)
def joins_as_one() -> Iterator[None]:
    """Joins run as one even where binary joins would do."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Inference, "written", lambda self, relation: False)
        yield


def defined(*schemes: str) -> dict[str, StreamDef]:
    """Streams a, b, c … with these schemes."""
    clauses = (", ".join(f"PUNCTUATED ON ({on})" for on in each.split("; ")) for each in schemes)
    named = zip("abcd", clauses, strict=False)
    ddl = (f"CREATE STREAM {name} (k BIGINT, x BIGINT, s STRING, {on}) USING json;" for name, on in named)
    return dict(parse_script("\n".join(ddl)).streams)


CYCLE = "a.x = b.k AND b.x = c.k AND c.x = a.k"
QUERIES = {
    "cycle": (f"SELECT a.k, b.k AS j, c.k AS i, a.s FROM a, b, c WHERE {CYCLE}", ("x", "x", "x")),
    "several attributes": (f"SELECT a.k, b.k AS j, c.s FROM a, b, c WHERE {CYCLE}", ("x", "k; x", "k, x")),
    "several predicates": (
        "SELECT a.k, b.x, c.s FROM a, b, c WHERE a.k = b.k AND a.s = b.s AND b.x = c.x AND c.k = a.x",
        ("k, s", "x", "k"),
    ),
    "residual": (f"SELECT a.k, b.k AS j FROM a, b, c WHERE {CYCLE} AND a.k + b.k > c.k", ("x", "x", "x")),
    "closed equalities": (
        "SELECT a.k, b.x FROM a, b, c WHERE a.k = b.k AND b.k = c.k AND b.x = c.x",
        ("k", "k, x", "k"),
    ),
    "constant": ("SELECT a.k, b.s FROM a JOIN b ON a.k = b.k WHERE b.x = 1", ("k", "x, k")),
    "constant key": ("SELECT a.x, b.s FROM a JOIN b ON a.k = b.k WHERE a.k = 1", ("k", "k")),
    "equal within": ("SELECT a.k, b.s FROM a JOIN b ON a.k = b.k WHERE a.x = a.k", ("x", "k")),
    "grouped": (f"SELECT a.k, COUNT(*) AS n, SUM(c.x) AS t FROM a, b, c WHERE {CYCLE} GROUP BY a.k", ("x", "x", "x")),
    "grouped by the common one": (
        "SELECT c.k, COUNT(*) AS n FROM a, b, c WHERE a.k = b.k AND b.k = c.k AND b.x = c.x GROUP BY c.k",
        ("k", "k, x", "k"),
    ),
    "of an aggregate": (
        "WITH g AS (SELECT k, x, COUNT(*) AS n FROM a GROUP BY k, x) "
        "SELECT g.k, g.n FROM g, b, c WHERE g.x = b.k AND b.x = c.k AND c.x = g.k",
        ("x", "x", "x"),
    ),
    "path": (
        "SELECT a.k, d.s FROM a, b, c, d WHERE a.x = b.k AND b.x = c.k AND c.x = d.k AND d.x = a.k",
        ("x", "x", "x", "x"),
    ),
}


few = st.sampled_from([0, 0, 1, 1, 2, None])
dense = st.lists(st.tuples(few, few, st.sampled_from(["a", "a", "b", None])), min_size=2, max_size=7)


@st.composite
def met(draw: st.DrawFn) -> list[Slice]:
    """A stream of few values, so that most rows meet others, which ends."""
    slices, said = list[Slice](), list[Punctuation]()
    for _ in range(draw(st.integers(1, 3))):
        rows = tuple(t for t in draw(dense) if not any(p.match(t) for p in said))
        news = draw(st.lists(puncts(SCHEMA), max_size=2))
        said += news
        slices += [Slice(rows, tuple(news)), *[Slice()] * draw(st.sampled_from([0, 0, 1]))]
    return [*slices, Slice.of(end_of_stream(SCHEMA))]


def test_all_of_these_run_as_one_join() -> None:
    for name, (sql, schemes) in QUERIES.items():
        assert "MultiJoin" in "\n".join(explain(planned(parse_query(sql, defined(*schemes))))), name


def batch(sql: str, streams: list[list[Slice]]) -> list[Row]:
    """The SQL over all rows, in DuckDB."""
    with duckdb.connect() as connection:
        for name, slices in zip("abcd", streams, strict=False):
            connection.register(name, frame(SCHEMA, prefix(slices).rows).to_arrow())
        return [tuple(row) for row in connection.execute(sql).fetchall()]


def in_step(streams: list[list[Slice]], constants: bool, last_only: bool = False) -> list[dict[str, ColumnarSlice]]:
    found: list[dict[str, ColumnarSlice]] = [{} for _ in range(max(map(len, streams)))]
    for name, slices in zip("abcd", streams, strict=False):
        for i, xs in enumerate(slices):
            said = xs.puncts if not last_only or i == len(slices) - 1 else ()
            found[i][name] = in_columns(SCHEMA, Slice(xs.rows, said), constants)
    return found


@pytest.mark.parametrize("name", also_long(*list(QUERIES)[::2], more=list(QUERIES)[1::2]))
@examples(9)
@given(data=st.data(), buckets=st.sampled_from([1, 2, 3, 4, 8]), restart=st.booleans(), constants=st.booleans())
def test_the_streaming_answer_is_the_batch_answer(
    name: str, data: st.DataObject, buckets: int, restart: bool, constants: bool
) -> None:
    sql, schemes = QUERIES[name]
    streams = [data.draw(met()) for _ in schemes]
    relation = parse_query(sql, defined(*schemes))
    wanted = Counter(batch(sql, streams))
    whole = run(relation, in_step(streams, constants), buckets, restart, global_punctuations=True)
    assert Counter(rows_of(whole)) == wanted
    assert_grammatical(whole)
    assert Counter(rows_of(run(relation, in_step(streams, constants, last_only=True), buckets))) == wanted


TREES = [
    Tree((0, 1, 2, 3)),
    Tree((Tree((0, 1)), Tree((2, 3)))),
    Tree((Tree((0, 1, 2)), 3)),
    Tree((3, Tree((1, 2)), 0)),
]
TREE_SQL = (
    "SELECT a.k, d.s, a.k + c.x AS t FROM a, b, c, d WHERE a.x = b.k AND b.x = c.k AND c.x = d.k AND d.x = a.k "
    "AND a.x + 1 = b.k + 1 AND a.k + c.k >= b.k AND d.x < 3"
)


@pytest.mark.parametrize("tree", TREES, ids=str)
@examples(5)
@given(streams=st.tuples(*[met()] * 4), buckets=st.integers(1, 4))
def test_any_tree_of_joins_gives_the_batch_answer(tree: Tree, streams: tuple[list[Slice], ...], buckets: int) -> None:
    relation = parse_query(TREE_SQL, defined("x", "x", "x", "x"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plans, "to_run", lambda *_: tree)
        whole = run(relation, in_step(list(streams), False), buckets, global_punctuations=True)
    assert Counter(rows_of(whole)) == Counter(batch(TREE_SQL, list(streams)))
    assert_grammatical(whole)


STAR = "SELECT a.k, b.x, c.s FROM a JOIN b ON a.k = b.k JOIN c ON a.x = c.x"
EVERY_AIM = [PlanOptions(*each) for each in product([None, *Objective], Schemes, Purge)]


@examples(26)
@given(
    streams=st.tuples(*[met()] * 3),
    buckets=st.sampled_from([1, 3]),
    restart=st.booleans(),
    options=st.sampled_from(EVERY_AIM),
)
def test_every_plan_gives_the_batch_answer(
    streams: tuple[list[Slice], ...], buckets: int, restart: bool, options: PlanOptions
) -> None:
    sql = f"SELECT k, COUNT(*) AS n FROM ({STAR}) GROUP BY k"
    schemes = ("k; x; k, x", "k; x", "x; s")
    relation = parse_query(sql, defined(*schemes))
    with pytest.MonkeyPatch.context() as patch, limited(lazy=2):
        patch.setattr(Inference, "written", WRITTEN)
        whole = run(
            relation, in_step(list(streams), False), buckets, restart, global_punctuations=True, options=options
        )
    assert Counter(rows_of(whole)) == Counter(batch(sql, list(streams)))
    assert_grammatical(whole)


def test_what_is_asked_for_is_what_runs() -> None:
    relation, plans = parse_query(STAR, defined("k; x; k, x", "k; x", "x; s")), dict[str, str]()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Inference, "written", WRITTEN)
        for options in (PlanOptions(), PlanOptions(Objective.MEMORY), PlanOptions(purge=Purge.LAZY)):
            found = (op for stage in all_stages(planned(relation, options=options)) for op in joins(stage.root))
            plans[str((options.objective, options.purge))] = ", ".join(found)
    assert list(plans.values()) == ["Join, Join", "MultiJoin of 3", "lazy MultiJoin of 2, lazy MultiJoin of 2"]


def joins(node: Op | Input) -> Iterator[str]:
    if isinstance(node, Op):
        for below in node.inputs:
            yield from joins(below)
        if isinstance(node.relation, Join):
            yield "Join"
        if isinstance(node.relation, MultiJoin):
            yield f"{'lazy ' if node.relation.lazy else ''}MultiJoin of {len(node.inputs)}"


KEYS, ROUNDS = 3, 30


def rounds(streams: dict[str, StreamDef], count: int = ROUNDS) -> Iterator[dict[str, ColumnarSlice]]:
    """In each round new keys, with rows among them, and then every punctuation that the schemes promise for them."""
    rng = random.Random(7)
    for n in range(count):
        keys = range(n * KEYS, (n + 1) * KEYS)
        sent = {}
        for name, stream in streams.items():
            rows = [(rng.choice(keys), rng.choice(keys)) for _ in range(3 * KEYS)]
            closing = [
                Punctuation.of(stream.schema, dict(zip(scheme.attributes, values, strict=True)))
                for scheme in stream.schemes
                for values in (
                    [(k,) for k in keys] if len(scheme.attributes) == 1 else [(k, j) for k in keys for j in keys]
                )
            ]
            sent[name] = ColumnarSlice(frame(stream.schema, rows), tuple(closing))
        yield sent


FIGURES = {
    "figure 3": (
        "CREATE STREAM s1 (a BIGINT, b BIGINT, PUNCTUATED ON (b)) USING json;"
        "CREATE STREAM s2 (b BIGINT, c BIGINT, PUNCTUATED ON (b), PUNCTUATED ON (c)) USING json;"
        "CREATE STREAM s3 (c BIGINT, a BIGINT, PUNCTUATED ON (c)) USING json;",
        "s1.b = s2.b AND s2.c = s3.c",
    ),
    "figure 5": (
        "CREATE STREAM s1 (a BIGINT, b BIGINT, PUNCTUATED ON (b)) USING json;"
        "CREATE STREAM s2 (b BIGINT, c BIGINT, PUNCTUATED ON (c)) USING json;"
        "CREATE STREAM s3 (c BIGINT, a BIGINT, PUNCTUATED ON (a)) USING json;",
        "s1.b = s2.b AND s2.c = s3.c AND s3.a = s1.a",
    ),
    "figure 8": (
        "CREATE STREAM s1 (a BIGINT, b BIGINT, PUNCTUATED ON (b)) USING json;"
        "CREATE STREAM s2 (b BIGINT, c BIGINT, PUNCTUATED ON (b), PUNCTUATED ON (c)) USING json;"
        "CREATE STREAM s3 (c BIGINT, a BIGINT, PUNCTUATED ON (c, a)) USING json;",
        "s1.b = s2.b AND s2.c = s3.c AND s3.a = s1.a",
    ),
}


@pytest.mark.parametrize("buckets", also_long(4, more=[1]))
@pytest.mark.parametrize("name", also_long("figure 8", more=[name for name in FIGURES if name != "figure 8"]))
@limited(closed=4, apart=KEYS)
def test_the_state_of_the_papers_figures_is_flat(name: str, buckets: int) -> None:
    ddl, where = FIGURES[name]
    streams = dict(parse_script(ddl).streams)
    relation = parse_query(f"SELECT s1.a, s2.b, s3.c FROM s1, s2, s3 WHERE {where}", streams)
    simulation = Simulation(relation, buckets)
    rows, puncts, heard, metadata = [], [], [], []
    for sent in rounds(streams):
        simulation.feed(sent)
        rows.append(simulation.kept())
        puncts.append(simulation.puncts())
        heard.append(simulation.remembered())
        metadata.append(simulation.metadata())
    early = ROUNDS // 10
    assert max(rows[early:]) <= max(rows[:early]) + 3 * KEYS
    assert max(puncts[early:]) <= 2 * max(puncts[:early])
    assert name == "figure 8" or max(heard[10:]) <= max(heard[:10]), "pairs are remembered, numbers are in ranges"
    assert max(metadata[early:]) <= 2 * max(metadata[:early])


def test_without_punctuations_it_is_not() -> None:
    ddl, where = FIGURES["figure 5"]
    streams = dict(parse_script(ddl).streams)
    simulation = Simulation(parse_query(f"SELECT s1.a FROM s1, s2, s3 WHERE {where}", streams), 2)
    for sent in rounds(streams, 10):
        simulation.feed({name: ColumnarSlice(piece.rows) for name, piece in sent.items()})
    assert simulation.kept() >= 10 * 3 * 3 * KEYS


def cube(sql: str, schemes: tuple[str, ...], buckets: int) -> list[CubeExchange]:
    last = planned(parse_query(sql, defined(*schemes)))
    (stage,) = all_stages(last)
    found = [exchange(source, ScatteredBuckets(range(buckets))) for source in stage.inputs]
    assert all(isinstance(each, CubeExchange) for each in found)
    return [each for each in found if isinstance(each, CubeExchange)]


def test_rows_are_copied_along_the_dimensions_that_they_lack() -> None:
    assert partition(planned(parse_query(QUERIES["cycle"][0], defined(*QUERIES["cycle"][1]))).root) is None
    for each in cube(*QUERIES["cycle"], buckets=8):
        assert each.shares == (2, 2, 2)
        rows = frame(each.schema, [tuple(7 if a.type is Type.BIGINT else "s" for a in each.schema.attributes)])
        assert len(each.split(ColumnarSlice(rows))) == 2


def test_shares_copy_as_little_as_they_can() -> None:
    star = Cube((0, 1), ((), (1,), (0,)))
    assert shares(star, 4) in ((2, 2), (1, 4), (4, 1)) and sum(shares(star, 4)) == 4
    assert shares(Cube((0, None), ((1,), (1,), (1,), (0,))), 4) == (4, 1), "the dimension that most inputs have"


def test_inputs_with_a_column_in_common_are_exchanged_by_it() -> None:
    sql, schemes = QUERIES["closed equalities"]
    (stage,) = all_stages(planned(parse_query(sql, defined(*schemes))))
    assert [source.by for source in stage.inputs] == ["k", "k", "k"]
    assert len(all_stages(planned(parse_query(*_grouped())))) == 1


def _grouped() -> tuple[str, dict[str, StreamDef]]:
    sql, schemes = QUERIES["grouped by the common one"]
    return sql, defined(*schemes)


def test_a_row_that_violates_is_told_once() -> None:
    sql, schemes = QUERIES["cycle"]
    relation, schema = parse_query(sql, defined(*schemes)), SCHEMA
    simulation = Simulation(relation, 8)
    simulation.feed({"a": ColumnarSlice(frame(schema, []), (Punctuation.of(schema, x=3),))})
    simulation.feed({"a": ColumnarSlice(frame(schema, [(1, 3, "late")]))})
    told = [record for running in simulation._running.values() for record in running.records()]
    assert [record.stream for record in told] == ["a"]
