"""The register's verdicts come true: the golden scripts run on streams that keep their promises and nothing more.

In each round, rows have new values, and 8, which some scripts ask for, as long as nothing excludes it; after the round
each stream sends, for each of its schemes, the punctuations over all these values and 7, which never comes. A query
that is admitted keeps no more after many rounds than after a few; one that is refused keeps more and more. The stages,
exchanges and operators are those of the engine, without Spark.
"""

import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import product
from pathlib import Path

import pytest

from analyse.test_golden import ADMITTED, HERE, REFUSED
from lanes import also_long
from parse.golden import split
from punctum.algebra import Punctuation, Scheme, end_of_stream
from punctum.algebra.finite import finite
from punctum.algebra.schema import Attribute
from punctum.algebra.scheme import Order
from punctum.algebra.values import Row, Type, Value
from punctum.analyse.safety.register import QueryAnalysis, verdict
from punctum.ir import Relation, StreamDef
from punctum.operators.columns import ColumnarSlice, frame, to_rows
from punctum.parse import parse_script
from punctum.testing.simulate import Simulation, run

VALUES, ROWS, ROUNDS, ASKED, NEVER = 2, 8, 6, 8, 7


def values(attribute: Attribute, first: int) -> list[Value]:
    """The values of an attribute in a round."""
    if attribute.type is Type.BOOLEAN:
        return [False, True]
    if (few := finite(attribute.domain, attribute.type)) is not None:
        return few
    numbers = range(first, first + VALUES)
    match attribute.type:
        case Type.ARRAY:
            return [(value,) for value in values(attribute.parts[0], first)]
        case Type.STRUCT:
            return list(zip(*(values(part, first) for part in attribute.parts), strict=False))
        case Type.TIMESTAMP:
            return [datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=20 * n) for n in numbers]
        case Type.DATE:
            return [date(2026, 1, 1) + timedelta(days=n) for n in numbers]
        case Type.STRING:
            return [f"{n}" if n % 2 else f"n{n}" for n in numbers]  # not each is the text of a number
        case Type.DOUBLE:
            return [float(n) for n in numbers]
        case _:
            return [*numbers, ASKED]


def closed(attribute: Attribute, first: int) -> list[Value]:
    """The values of an attribute that are closed after a round."""
    coming = values(attribute, first)
    return [NEVER, *coming] if coming[-1] == ASKED else coming


def rows(stream: StreamDef, first: int, rng: random.Random) -> list[Row]:
    """Rows of a round, of two values a column, so that streams do not have the same ones."""
    columns = [rng.sample(values(attribute, first), 2) for attribute in stream.schema.attributes]
    return [tuple(rng.choice(column) for column in columns) for _ in range(ROWS)]


def punctuations(stream: StreamDef, scheme: Scheme, first: int) -> Iterator[Punctuation]:
    """What the scheme promises for the values of a round, whatever other attributes are.

    Order goes on for each value of the attributes beside it, those of earlier rounds too.
    """
    orders, ordered = dict(scheme.terms), any(order is not Order.EQUALITY for _, order in scheme.terms)
    columns = []
    for a in stream.schema.attributes:
        before = range(ASKED + 1, first, VALUES) if ordered and orders.get(a.name) is Order.EQUALITY else ()
        closing = dict.fromkeys(value for start in (*before, first) for value in closed(a, start))
        columns.append(list(closing) if a.name in orders else [None])
    yield from (scheme.instantiate(row) for row in product(*columns))


def rounds(streams: tuple[StreamDef, ...], seed: int = 7, many: int = ROUNDS) -> Iterator[dict[str, ColumnarSlice]]:
    """What the streams of a query send."""
    rng, emitted = random.Random(seed), {stream.name: list[Punctuation]() for stream in streams}
    for n in range(many):
        sent = {}
        for stream in streams:
            first, before = ASKED + 1 + n * VALUES, emitted[stream.name]
            new = [row for row in rows(stream, first, rng) if not any(p.match(row) for p in before)]
            closing = [p for scheme in stream.schemes for p in punctuations(stream, scheme, first)]
            sent[stream.name] = ColumnarSlice(frame(stream.schema, new), tuple(closing))
            emitted[stream.name] += closing
        yield sent


def kept(relation: Relation, streams: tuple[StreamDef, ...], lists: bool = False, many: int = ROUNDS) -> list[int]:
    """How many rows are kept after each round, or how many bytes, where a row is a list that grows."""
    simulation, counts = Simulation(relation, buckets=2), []
    for sent in rounds(streams, many=many):
        simulation.feed(sent)
        counts.append(simulation.bytes() if lists else simulation.kept())
    return counts


def registered(path: Path) -> QueryAnalysis:
    (query,) = verdict(parse_script(split(path, "checked")[0]))
    return query


def cases() -> Iterator[object]:
    for path in ADMITTED:
        query = registered(path)
        if query.as_written and not query.bounded_memory:  # a group-by combines its one row only now and then
            yield pytest.param(query, id=path.stem)


def flat(counts: list[int]) -> bool:
    return max(counts[ROUNDS // 2 :]) <= max(counts[: ROUNDS // 2]) + ROWS and counts[-1] <= 2 * ROWS


@pytest.mark.parametrize("query", list(cases()))
def test_what_is_admitted_keeps_no_more_and_more(query: QueryAnalysis) -> None:
    assert flat(kept(query.query.relation, query.streams))


@pytest.mark.parametrize("path", REFUSED, ids=lambda path: path.stem)
def test_what_is_refused_does(path: Path) -> None:
    query = registered(path)
    counts = kept(query.query.relation, query.streams, lists="MEDIAN" in path.read_text())
    assert counts[-1] > counts[ROUNDS // 2] > counts[0]


TOGETHER = [
    "band_between_two",
    "band_whole",
    "closed_equalities",
    "computed_equality",
    "constant_of_two",
    "equal_within",
    "figure_5",
    "interval",
    "interval_grouped",
    "interval_or",
    "interval_per_key",
    "interval_spelled",
    "interval_truncated",
    "named",
    "order_per_key",
    "time_window_join",
    "top_of_join",
]


def test_the_register_knows_what_binary_joins_cannot_do() -> None:
    names = [path.stem for path in ADMITTED if registered(path).safe and not registered(path).as_written]
    assert names == TOGETHER


BANDS = ["band_between_two", "interval_spelled"]


@pytest.mark.parametrize("name", BANDS)
def test_a_band_of_a_week_keeps_what_comes_in_it(name: str) -> None:
    query = registered(HERE / f"admitted/{name}.sql")
    counts = kept(query.query.relation, query.streams, many=14)
    assert max(counts[8:]) <= max(counts[:8]) + ROWS


@pytest.mark.parametrize("name", [name for name in TOGETHER if name not in BANDS])
def test_joins_that_are_safe_only_together_keep_no_more_and_more(name: str) -> None:
    query = registered(HERE / "admitted" / f"{name}.sql")
    assert flat(kept(query.query.relation, query.streams))


REWRITTEN = [path for path in REFUSED if registered(path).rewrites]


@pytest.mark.parametrize("path", REWRITTEN, ids=lambda path: path.stem)
def test_other_forms_give_the_same_rows(path: Path) -> None:
    query = registered(path)
    sent = list(rounds(query.streams))
    ends = {s.name: ColumnarSlice(frame(s.schema, []), (end_of_stream(s.schema),)) for s in query.streams}

    def result(relation: Relation) -> list[Row]:
        return sorted(row for piece in run(relation, [*sent, ends], buckets=2) for row in to_rows(piece.rows))

    for form in query.rewrites:
        assert result(form.relation) == result(query.query.relation) != []


@pytest.mark.parametrize("name", ["constant_before_group_by", "inner_order"])
def test_other_forms_keep_no_more_and_more(name: str) -> None:
    query = registered(HERE / "refused" / f"{name}.sql")
    assert flat(kept(query.rewrites[0].relation, query.streams))


def test_schemes_of_no_use_purge_and_release_nothing() -> None:
    """Without them a query has the same verdicts, and keeps and gives the same."""
    path = HERE / "admitted" / "of_no_use.sql"
    before, sql = registered(path), split(path, "checked")[0]
    for scheme in before.useless:
        sql = sql.replace(f", {scheme.clause}", "")
    (after,) = verdict(parse_script(sql))
    assert len(before.useless) == 3 and after.useless == () and after.states == before.states
    sent = list(rounds(before.streams))
    fewer = [
        {
            stream.name: replace(
                piece[stream.name], puncts=tuple(p for p in piece[stream.name].puncts if _of(p, stream))
            )
            for stream in after.streams
        }
        for piece in sent
    ]

    def result(pieces: list[dict[str, ColumnarSlice]]) -> list[tuple[list[Row], int]]:
        simulation = Simulation(before.query.relation, buckets=2)
        return [(sorted(to_rows(simulation.feed(piece).rows)), simulation.kept()) for piece in pieces]

    assert result(sent) == result(fewer)


def _of(punctuation: Punctuation, stream: StreamDef) -> bool:
    return any(scheme.admits(punctuation) for scheme in stream.schemes)


CLOSED = ["few_values", "below_bound", "sort_domain", "group_by_domain", "distinct_few", "join_domain"]
CLOSED += ["equal_by_order", "equal_in_branches"]


@pytest.mark.parametrize("buckets", also_long(3, more=[1, 2]))
@pytest.mark.parametrize("name", CLOSED)
def test_what_is_closed_by_several_punctuations_is_purged(name: str, buckets: int) -> None:
    """Punctuations come one in a slice, in any order; after the last one nothing is kept."""
    query, rng, most = registered(HERE / "admitted" / f"{name}.sql"), random.Random(buckets), 0
    simulation = Simulation(query.query.relation, buckets, restart=True)
    for sent in rounds(query.streams):
        simulation.feed({name: replace(piece, puncts=()) for name, piece in sent.items()})
        most = max(most, simulation.kept())
        waiting = [(s, p) for s in query.streams for p in sent[s.name].puncts]
        for stream, p in rng.sample(waiting, len(waiting)):
            simulation.feed({stream.name: ColumnarSlice(frame(stream.schema, []), (p,))})
    assert most > 0 == simulation.kept()


@pytest.mark.parametrize("name", ["union_flags", "intersect_flags", "except_flags"])
def test_sets_of_flags_keep_each_row_once(name: str) -> None:
    query = registered(HERE / "admitted" / f"{name}.sql")
    simulation, most = Simulation(query.query.relation, buckets=1), 3 * sum(s.witness != () for s in query.states)
    for n in range(5):
        flags = [(n, flag) for flag in (True, False, None)]
        simulation.feed(
            {s.name: ColumnarSlice(frame(s.schema, flags[: 2 - i] * 4)) for i, s in enumerate(query.streams)}
        )
        simulation.feed({s.name: ColumnarSlice(frame(s.schema, flags * 2)) for s in query.streams})
        assert 0 < simulation.kept() <= most
