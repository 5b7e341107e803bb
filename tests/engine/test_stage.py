"""A bucket's state, in the store and in the memory of workers: several workers, several runs, one state."""

import random
from typing import Any

import pandas as pd
import pytest

from engine.simulate import planned
from punctum.algebra import Punctuation, Schema
from punctum.engine.exchange.buckets import Buckets
from punctum.engine.exchange.messages import (
    Addressed,
    Clock,
    PackedSlice,
    QuarantineMessage,
    StageMessage,
    StageSlice,
    StreamSlice,
    decode,
    to_pandas,
)
from punctum.engine.runtime import build
from punctum.engine.runtime.processor import StageProcessor
from punctum.operators.columns import ColumnarSlice, frame, to_rows
from punctum.parse.script import parse_script
from punctum.plan.physical.stages import Stage

SCRIPT = """
CREATE STREAM a (k BIGINT, v BIGINT, PUNCTUATED ON (k)) USING json OPTIONS (path 'a');
CREATE SINK o USING json OPTIONS (path 'o');
INSERT INTO o SELECT k, SUM(v) AS t FROM a GROUP BY k;
"""
A = Schema.of(k="BIGINT", v="BIGINT")
WORKERS = 3


class Store:
    """A map state that is a dictionary."""

    def __init__(self) -> None:
        self.kept: dict[Any, Any] = {}

    def getMapState(self, *_: object) -> "Store":  # noqa: N802
        return self

    def getValue(self, key: Any) -> Any:  # noqa: N802
        return self.kept.get(key)

    def updateValue(self, key: Any, value: Any) -> None:  # noqa: N802
        self.kept[key] = value

    def removeKey(self, key: Any) -> None:  # noqa: N802
        self.kept.pop(key)

    def iterator(self) -> Any:
        return iter(list(self.kept.items()))


def packed(piece: ColumnarSlice, *more: StageMessage) -> pd.DataFrame:
    return to_pandas(Addressed(5, message, 0) for message in (StreamSlice(PackedSlice.of(piece)), *more))


class Attempt:
    """What a task knows of itself; its number begins at zero in each run."""

    number = 0

    def taskAttemptId(self) -> int:  # noqa: N802
        Attempt.number += 1
        return Attempt.number


@pytest.mark.parametrize("seed", range(12))
def test_a_worker_never_takes_what_it_remembers_for_what_is(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches go to any worker; a run ends when it may, and the last batch is lost and done again, or not."""
    chance = random.Random(seed)
    (query,) = parse_script(SCRIPT).queries
    last = planned(query.relation)
    monkeypatch.setattr("pyspark.TaskContext.get", Attempt)
    store, closed, wanted, released = Store(), set[int](), dict[int, int](), dict[int, int]()
    for run in range(6):
        Attempt.number = 0
        caches = [dict[Any, Any]() for _ in range(WORKERS)]
        running = StageProcessor(str(run), 1, lambda bucket: build.running(last, Buckets((5,)), bucket), None)
        for _ in range(chance.randint(1, 8)):
            open_ = [k for k in range(60) if k not in closed]
            rows = [(chance.choice(open_), chance.randint(1, 9)) for _ in range(chance.choice([1, 4, 16]))]
            closing = chance.sample(open_, chance.choice([0, 0, 1]))
            for k, v in rows:
                wanted[k] = wanted.get(k, 0) + v
            closed |= set(closing)
            slice_ = packed(ColumnarSlice(frame(A, rows), tuple(Punctuation.of(A, k=k) for k in closing)))
            before = dict(store.kept)
            for _ in range(chance.choice([1, 1, 2])):
                store.kept = dict(before)
                running.cache = chance.choice(caches)
                running.init(store)  # type: ignore[arg-type]
                found = list(running.handleInputRows((5,), iter([slice_]), None))
            for given in found:
                for _, message, _ in decode(given):
                    if isinstance(message, StageSlice) and (totals := message.slice.frame()) is not None:
                        released |= dict(totals.select("k", "t").rows())
    assert released == {k: t for k, t in wanted.items() if k in closed}


TIMED = """
CREATE STREAM a (k BIGINT, v BIGINT, PUNCTUATED ON (k) EXPECT WITHIN '4 seconds' LIFESPAN '3 seconds')
USING json OPTIONS (path 'a');
CREATE SINK o USING json OPTIONS (path 'o');
INSERT INTO o SELECT t, COUNT(*) AS n FROM (SELECT k, SUM(v) AS t FROM a GROUP BY k) GROUP BY t;
"""


@pytest.mark.parametrize("seed", range(8))
def test_what_is_swept_and_over_does_not_hang_on_workers(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first stage by itself: one worker that never forgets its operators, and several that do as they like."""
    chance = random.Random(seed)
    (query,) = parse_script(TIMED).queries
    last = planned(query.relation)
    (source,) = last.inputs
    first = source.origin
    assert isinstance(first, Stage)
    to = build.from_stage(first, source, Buckets((5,)))
    processors = [
        StageProcessor(f"{seed}.{n}", 1, lambda bucket: build.running(first, Buckets((5,)), bucket), to)
        for n in range(2)
    ]
    after = [build.running(last, Buckets((5,)), 5) for _ in range(2)]
    stores, caches = (Store(), Store()), [dict[Any, Any]() for _ in range(WORKERS)]
    steady: dict[Any, Any] = {}
    for now in range(25):
        rows = [(chance.randrange(6), chance.randint(1, 9)) for _ in range(chance.choice([0, 1, 4]))]
        puncts = tuple(Punctuation.of(A, k=k) for k in chance.sample(range(6), chance.choice([0, 0, 1])))
        slice_ = packed(ColumnarSlice(frame(A, rows), puncts), Clock(1000 * now))
        given = []
        for n, (running, store) in enumerate(zip(processors, stores, strict=True)):
            before = dict(store.kept)
            for _ in range(chance.choice([1, 2]) if n else 1):
                store.kept = dict(before)
                running.cache = chance.choice(caches) if n else steady
                running.init(store)  # type: ignore[arg-type]
                found = pd.concat(list(running.handleInputRows((5,), iter([slice_]), None)))
            sent = [message for _, message, _ in decode(found)]
            piece, _ = after[n].feed({0: [message for message in sent if isinstance(message, StageMessage)]})
            records = sorted(line for m in sent if isinstance(m, QuarantineMessage) for line in m.lines)
            given.append((to_rows(piece.rows), list(map(str, piece.puncts)), after[n].metadata(), records))
        assert given[0] == given[1]
