"""A topic is a merge of its partitions: rows and quarantine are what their sequences say, however they are cut."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.sequences import Record, _origins, elements, piece
from engine.test_cuts import CLAUSES, Outcome, pipes
from lanes import examples, one_of
from punctum.algebra.functions import Element
from punctum.algebra.pattern import Constant
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.algebra.values import Row
from punctum.engine.exchange.quarantine import VIOLATION
from punctum.engine.formats.write import json_lines
from punctum.ir.tree import Relation
from punctum.operators import partitioned
from punctum.operators.batch import punctuations_of
from punctum.operators.columns import ColumnarSlice, frame, to_rows
from punctum.parse import parse_query
from punctum.parse.script import parse_script
from punctum.spec import origins
from punctum.spec.guard import BrokenPromise
from punctum.spec.partitioned import Partitioned as Specified
from punctum.testing.simulate import ALL_PUNCTUATIONS, Feed, PartitionSplits, Simulation, Splits

TOPIC = "CREATE STREAM a (k BIGINT, x BIGINT, d BIGINT, s STRING{}) USING kafka OPTIONS (brokers 'b', topic 'a');"
FILES = "CREATE STREAM a (k BIGINT, x BIGINT, d BIGINT, s STRING) USING json OPTIONS (path 'a');"
QUERIES = [
    "SELECT k, x, d, s FROM a",
    "SELECT k, SUM(x) AS t, COUNT(d) AS c, MAX(s) AS m FROM a GROUP BY k",
    "SELECT x, s, SUM(k) AS t, COUNT(d) AS c FROM a GROUP BY x, s",
    "SELECT a.k, a.x, b.x AS y, b.d, a.d AS e, a.s, b.s AS z FROM a JOIN a AS b ON a.k = b.k",
]
Sequence_ = Sequence[Element]
UNWEIGHED = tuple((name, run) for name, run in ALL_PUNCTUATIONS if name != "weigh rows")
"""Where rows cannot be read again, as here, records have the columns of weights; ``kafka/test_fold.py`` tests these."""


@dataclass(frozen=True)
class Batch:
    """What comes in a batch of each partition, which partitions there are, and which of them are idle."""

    elements: Mapping[int, Sequence_]
    known: int
    idle: tuple[int, ...] = ()


@st.composite
def batches(draw: st.DrawFn, schema: Schema, owned: bool) -> list[Batch]:
    """Sequences of one to four partitions, cut at random; partitions may be idle, and become more."""
    most, count = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    sequences = [draw(elements(schema, 10)) for _ in range(most)]
    if owned:
        sequences = [[e for e in sequence if _stays(e, p, most)] for p, sequence in enumerate(sequences)]
    known = sorted(draw(st.lists(st.sampled_from([most, most, most, 1]), min_size=count, max_size=count)))
    made, rest = list[Batch](), [list(sequence) for sequence in sequences]
    for n, there in enumerate([*known[:-1], most]):
        takes = [len(rest[p]) if n == count - 1 else draw(st.integers(0, len(rest[p]))) for p in range(there)]
        came = {p: rest[p][:take] for p, take in enumerate(takes) if take}
        rest = [left[takes[p] :] if p < there else left for p, left in enumerate(rest)]
        silent = [p for p in range(there) if p not in came]
        some: bool = draw(st.booleans())
        idle: list[int] = draw(st.lists(st.sampled_from(silent), unique=True)) if silent and some else []
        made.append(Batch(came, there, tuple(sorted(idle)) if len(idle) < there else ()))
    return made


def _stays(element: Element, partition: int, count: int) -> bool:
    """Whether an element may be in a partition: that of its key, when it fixes one."""
    if isinstance(element, Punctuation):
        side = element.patterns[0]
        return not isinstance(side, Constant) or (isinstance(side.value, int) and side.value % count == partition)
    return isinstance(element[0], int) and element[0] % count == partition


def relation(sql: str, text: str) -> Relation:
    return parse_query(sql, parse_script(text).streams)


def outcome(query: Relation, feeds: Sequence[Feed], buckets: int, restart: bool) -> Outcome:
    simulation = Simulation(query, buckets, restart, passes=UNWEIGHED)
    rows, records = Counter[Row](), Counter[Record]()
    for feed in feeds:
        rows += Counter(to_rows(simulation.feed(feed).rows))
        for record in simulation.records:
            records[record.stream, record.reason, record.text] += record.count
    return rows, records


def feed_of(draw: Callable[[st.SearchStrategy[Any]], Any], schema: Schema, batch: Batch) -> Feed:
    """A batch as tasks read it: each partition in splits."""
    splits: dict[int, list[ColumnarSlice]] = {}
    for p, sequence in batch.elements.items():
        inner = sorted(draw(st.lists(st.integers(0, len(sequence)), max_size=2)))
        bounds = zip([0, *inner], [*inner, len(sequence)], strict=True)
        columns = draw(st.booleans())
        splits[p] = [piece(schema, sequence[a:b], columns) for a, b in bounds]
    return {"a": PartitionSplits(splits, range(batch.known), batch.idle)}


def merged(query: Relation, given: Sequence[Batch], owned: bool) -> tuple[list[Element], Counter[Record]]:
    """What the specification makes of the partitions: one sequence, and the records of late rows."""
    (pipe,) = pipes(query).values()
    stream, schema, out, records = pipe.stream, pipe.stream.schema, list[Element](), Counter[Record]()
    merge = Specified(schema, ["k"] if owned else [])
    made = {p: origins.steps(_origins(stream), [e for b in given for e in b.elements.get(p, ())]) for p in range(4)}
    began = set[int]()
    for batch in given:
        out += merge.hear(range(batch.known), batch.idle)
        for p in range(batch.known):
            opening = [] if p in began else [next(made[p])]
            began.add(p)
            several = [*opening, *(next(made[p]) for _ in batch.elements.get(p, ()))]
            for element in (e for step in several for e in step):
                found = merge.take(p, element)
                if isinstance(found, BrokenPromise):
                    (text,) = json_lines(frame(schema, [found.row]), schema)
                    records["a", VIOLATION, text] += 1
                else:
                    out += found
    return out, records


@pytest.mark.parametrize("clause", one_of(3, CLAUSES))
@examples(100)
@given(
    data=st.data(),
    sql=st.sampled_from(QUERIES),
    owned=st.booleans(),
    buckets=st.integers(1, 4),
    restart=st.booleans(),
)
def test_a_topic_is_a_merge_of_its_partitions(
    clause: str, data: st.DataObject, sql: str, owned: bool, buckets: int, restart: bool
) -> None:
    query = relation(sql, TOPIC.format(clause + (", PARTITIONED BY (k)" if owned else "")))
    plain = relation(sql, FILES)
    (schema,) = {pipe.stream.schema for pipe in pipes(query).values()}
    given = data.draw(batches(schema, owned), "batches")
    sequence, records = merged(query, given, owned)
    (raw,) = {pipe.stream.schema for pipe in pipes(plain).values()}
    whole: Feed = {"a": Splits([piece(raw, [_over(raw, e) for e in sequence])])}
    wanted, none = outcome(plain, [whole], 1, restart=False)
    assert not none
    feeds = [feed_of(data.draw, schema, batch) for batch in given]
    found, told = outcome(query, feeds, buckets, restart)
    assert found == wanted
    assert set(told) == set(records)
    if "JOIN" not in sql:  # a stream that is read twice may be told of twice
        assert told == records


def _over(schema: Schema, element: Element) -> Element:
    """An element over the same columns, without their domains."""
    return Punctuation(schema, element.patterns) if isinstance(element, Punctuation) else element


def test_what_one_partition_says_is_not_what_all_have_said(monkeypatch: pytest.MonkeyPatch) -> None:
    query = relation("SELECT k, COUNT(*) AS n FROM a GROUP BY k", TOPIC.format(""))
    (schema,) = {pipe.stream.schema for pipe in pipes(query).values()}
    row, over = schema.row(1, 1, 1, "a"), Punctuation.of(schema, k=1)
    feeds: list[Feed] = [{"a": PartitionSplits({0: [piece(schema, [row, over])]}, range(2))}]
    assert outcome(query, feeds, 2, restart=False) == (Counter(), Counter())
    later: Feed = {"a": PartitionSplits({1: [piece(schema, [row, over])]}, range(2))}
    assert outcome(query, [*feeds, later], 2, restart=True) == (Counter([(1, 2)]), Counter())
    monkeypatch.setattr(partitioned, "alike", lambda new, said: new)
    assert outcome(query, feeds, 2, restart=False) == (Counter([(1, 1)]), Counter())


def test_what_a_partition_alone_can_say_is_remembered_once() -> None:
    schema = Schema.of(k="BIGINT", x="BIGINT")
    merge = partitioned.Partitioned(schema, frozenset([frozenset([schema.index("k")])]))
    merge.hear([0, 1], [])
    guards = [partitioned.guard_of(schema, merge) for _ in range(2)]
    said = [ColumnarSlice(frame(schema, []), (), {"k": pl.Series(range(p, 2_000, 2))}) for p in range(2)]
    passed = [guard.feed(xs) for guard, xs in zip(guards, said, strict=True)]
    held = merge.receive({p: punctuations_of(schema, xs) for p, xs in enumerate(passed)})
    assert len(held) == 2_000
    assert ([guard.puncts() for guard in guards], len(merge)) == ([0, 0], 1)
    late = [guard.split(ColumnarSlice(frame(schema, [(4, 0), (5, 0), (2_000, 0)]))).bad for guard in guards]
    assert [to_rows(rows) for rows in late] == [[(4, 0), (5, 0)]] * 2


def test_an_idle_partition_holds_nothing_back_and_its_late_rows_are_rejected() -> None:
    query = relation("SELECT k, COUNT(*) AS n FROM a GROUP BY k", TOPIC.format(""))
    (schema,) = {pipe.stream.schema for pipe in pipes(query).values()}
    row, over = schema.row(1, 1, 1, "a"), Punctuation.of(schema, k=1)
    first: Feed = {"a": PartitionSplits({0: [piece(schema, [row, over])]}, range(2))}
    idle: Feed = {"a": PartitionSplits({}, range(2), [1])}
    late: Feed = {"a": PartitionSplits({1: [piece(schema, [row])]}, range(2))}
    rows, records = outcome(query, [first, idle, late], 3, restart=True)
    assert rows == Counter([(1, 1)])
    assert records == Counter([("a", VIOLATION, '{"k":1}')])
