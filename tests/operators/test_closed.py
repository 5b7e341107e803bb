"""Closed keys against a plain set of them, with random operations and restarts."""

import random
from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from punctum.algebra.pattern import WILDCARD, between, constant
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.values import Row, Type, Value
from punctum.engine.exchange.buckets import BucketKeyRange
from punctum.operators import closed as keys
from punctum.operators import frame, to_rows
from punctum.operators import runs as ordered
from punctum.operators.batch import PunctuationBatch, batch
from punctum.operators.closed import Closed
from punctum.operators.seen import SeenPunctuations
from punctum.operators.tiers import FAN
from strategies import SMALL, patterns, punctuations, rows, schemas, small

Naive = set[tuple[tuple[int, ...], tuple[Value | None, ...]]]
"""The positions and the values of keys."""


def spelled(p: Punctuation) -> Naive:
    """The keys of a punctuation, of those values that the tests have."""
    kinds = [p.schema.attributes[at].type for at, _ in p.sides]
    ways = ([v for v in (None, *SMALL[k]) if side.match(v)] for k, (_, side) in zip(kinds, p.sides, strict=True))
    return {(tuple(at for at, _ in p.sides), values) for values in product(*ways)}


def naively(known: Naive, row: Row) -> bool:
    return any((at, tuple(row[i] for i in at)) in known for at in {at for at, _ in known})


@st.composite
def boxes(draw: st.DrawFn, schema: Schema) -> Punctuation:
    """Constants, and a pattern of any kind on at most one attribute."""
    chosen = draw(st.sets(st.sampled_from(range(len(schema))), min_size=1))
    loose = draw(st.none() | st.sampled_from(sorted(chosen)))
    sides = [WILDCARD] * len(schema)
    for at in chosen:
        kind = schema.attributes[at].type
        one = patterns(kind) if at == loose else (st.none() | small(kind)).map(constant)
        sides[at] = draw(one)
    return Punctuation(schema, tuple(sides))


def check(data: st.DataObject) -> None:
    schema = data.draw(schemas())
    closed, known = Closed(schema), Naive()
    store: dict[int, pl.DataFrame] = {}
    for _ in range(data.draw(st.integers(1, 8))):
        match data.draw(st.sampled_from(["keys", "boxes", "forget", "restart"])):
            case "keys":
                at = sorted(data.draw(st.sets(st.sampled_from(range(len(schema))), min_size=1)))
                ts = data.draw(st.lists(rows(schema), min_size=1, max_size=5))
                closed.close(frame(schema, ts).select(schema.names[i] for i in at))
                known |= {(tuple(at), tuple(t[i] for i in at)) for t in ts}
            case "boxes":
                ps = [p for p in data.draw(st.lists(boxes(schema), max_size=4)) if p.sides and not p.empty]
                left = closed.close_boxes([p.sides for p in ps])
                known |= {key for p in ps if p.sides not in left for key in spelled(p)}
            case "forget":
                ps = data.draw(st.lists(boxes(schema) | punctuations(schema), max_size=4))
                closed.forget(batch(schema, ps))
                gone = [p for p in ps if p.sides and not p.empty]
                known -= {key for p in gone for key in spelled(p)}
            case "restart":
                written, away = closed.changes()
                store = {n: chunk for n, chunk in (store | written).items() if n not in away}
                closed = closed.restored(store)
        asked = data.draw(st.lists(rows(schema), max_size=6))
        assert closed.contains(frame(schema, asked)).to_list() == [naively(known, t) for t in asked]


@given(data=st.data())
def test_closed_keys_are_a_set(data: st.DataObject) -> None:
    check(data)


@given(data=st.data())
def test_a_hash_decides_nothing(data: st.DataObject) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for module in (keys, ordered):
            patch.setattr(module, "hashed", lambda others: [_nothing(others), *others] if others else [])
        check(data)


def _nothing(others: list[pl.Series]) -> pl.Series:
    return pl.Series(ordered.HASH, np.zeros(len(others[0]), np.uint64))


def test_what_a_batch_writes_does_not_grow() -> None:
    closed = Closed(Schema.of(k="BIGINT"))
    draw = np.random.default_rng(7)
    written = []
    for _ in range(300):
        closed.close(pl.DataFrame({"k": draw.integers(-(2**62), 2**62, 100)}))
        chunks, _ = closed.changes()
        written.append(sum(chunk.height for chunk in chunks.values()))
    assert len(closed) == 30_000
    assert len(closed.chunks()) <= 10
    assert np.mean(written) < 100 * 12, "each key is rewritten a logarithm of times"


def test_numbers_that_are_closed_in_any_order_are_one_range() -> None:
    closed = Closed(Schema.of(k="BIGINT"))
    for part in np.array_split(np.random.default_rng(7).permutation(100_000), 200):
        closed.close(pl.DataFrame({"k": part}))
    assert closed.contains(pl.DataFrame({"k": [-1, 0, 99_999, 100_000]})).to_list() == [False, True, True, False]
    assert len(closed) < FAN * 500, "but for the last of them, which have not been merged"


def test_extremes_are_neighbours_of_nothing_beyond() -> None:
    least, most = -(2**63), 2**63 - 1
    closed = Closed(Schema.of(k="BIGINT"))
    for value in (most, least, least + 1, most - 1, 0):
        closed.close(pl.DataFrame({"k": [value]}))
    asked = pl.DataFrame({"k": [least, least + 1, least + 2, 0, most - 2, most - 1, most]})
    assert closed.contains(asked).to_list() == [True, True, False, True, False, True, True]
    closed.forget(batch(closed.schema, [Punctuation.of(closed.schema, k=v) for v in (least, most)]))
    assert to_rows(closed.frame().drop("more")) == [(least + 1,), (0,), (most - 1,)]


def test_numbers_of_other_buckets_lie_between_neighbours() -> None:
    reach = BucketKeyRange(1, 4)
    mine = np.array([n for n in range(40_000) if reach(n - n % reach.run) == n - n % reach.run])
    closed = Closed(Schema((Attribute("k", Type.BIGINT, reach=reach),)))
    closed.close(pl.DataFrame({"k": mine}))
    assert len(closed) == 1
    scattered = Closed(closed.schema)
    chosen = pl.DataFrame({"k": mine[np.r_[7 : len(mine) : 9]]})
    scattered.close(chosen)
    assert scattered.contains(pl.DataFrame({"k": mine})).sum() == chosen.height == len(scattered)
    scattered.drop(chosen[::2])
    assert scattered.contains(chosen).to_list() == [n % 2 == 1 for n in range(chosen.height)]
    scattered.drop(chosen)
    assert len(scattered) == 0, "a key that others of its bucket follow far behind is one key"


def test_opening_keys_writes_what_is_opened() -> None:
    closed = Closed(Schema.of(k="BIGINT"))
    keys = pl.DataFrame({"k": np.random.default_rng(7).integers(-(2**62), 2**62, 200_000)})
    closed.close(keys)
    closed.changes()
    written = []
    for n in range(0, 80_000, 2_000):
        closed.drop(keys[n : n + 2_000])
        chunks, _ = closed.changes()
        written.append(sum(chunk.estimated_size() for chunk in chunks.values()))
    assert len(closed) == 120_000
    assert np.mean(written) < 3 * 2_000 * 16, "marks, and some of them again"
    again = closed.restored(closed.chunks())
    assert again.contains(keys).to_list() == [n >= 80_000 for n in range(200_000)]
    again.drop(keys[80_000:101_000])
    assert sum(chunk.height for chunk in again.changes()[0].values()) == 99_000, "a run that is half dead is rewritten"


@pytest.mark.parametrize("kind", ["BIGINT", "STRING"])
def test_prefixes_of_many_keys_are_a_few_each(kind: str) -> None:
    schema, chance = Schema.of(id="STRING", ts=kind), random.Random(15)
    of = (lambda n: n) if kind == "BIGINT" else (lambda n: f"{n:03}")
    seen, known = SeenPunctuations(schema), dict[str, int]()
    for _ in range(20):
        furthest = {f"s{n}": chance.randint(0, 99) for n in range(1_500) if chance.random() < 0.9}
        new = [Punctuation.of(schema, id=key, ts=between(None, of(n), "[)")) for key, n in furthest.items() if n]
        seen.add_new(PunctuationBatch(schema, {}, [Punctuation.of(schema, id="x", ts=of(7)), *new]))
        known |= {key: max(n, known.get(key, 0)) for key, n in furthest.items()}
    rows = [(f"s{chance.randint(0, 1_600)}", chance.randint(0, 99)) for _ in range(3_000)]
    late = [n < known.get(key, 0) for key, n in rows]
    assert seen.matches(frame(schema, [(key, of(n)) for key, n in rows])).to_list() == late
    assert len(known) < len(seen) < 1 + FAN * len(known), "runs of one size are merged, and each of them has a key once"
