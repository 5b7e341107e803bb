"""A bucket's state, in the store and in the memory of workers: several workers, several runs, one state."""

import random
from contextlib import nullcontext
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from punctum.algebra import Punctuation, Schema
from punctum.engine.exchange.buckets import Buckets
from punctum.engine.exchange.messages import (
    Clock,
    PackedSlice,
    QuarantineMessage,
    StageMessage,
    StageSlice,
    StreamSlice,
)
from punctum.engine.runtime import build
from punctum.engine.runtime.processor import StageProcessor
from punctum.engine.runtime.stores import FileStore, SparkStore, StateStore
from punctum.operators.columns import ColumnarSlice, frame, to_rows
from punctum.operators.limits import limited
from punctum.parse.script import parse_script
from punctum.plan.physical.stages import Stage
from punctum.testing.simulate import planned

SCRIPT = """
CREATE STREAM a (k BIGINT, v BIGINT, PUNCTUATED ON (k)) USING json OPTIONS (path 'a');
CREATE SINK o USING json OPTIONS (path 'o');
INSERT INTO o SELECT k, SUM(v) AS t FROM a GROUP BY k;
"""
A = Schema.of(k="BIGINT", v="BIGINT")
WORKERS = 3


class MapState:
    """A map of Spark's state store that is a dictionary."""

    def __init__(self) -> None:
        self.kept: dict[Any, Any] = {}

    def getValue(self, key: Any) -> Any:  # noqa: N802
        return self.kept.get(key)

    def updateValue(self, key: Any, value: Any) -> None:  # noqa: N802
        self.kept[key] = value

    def removeKey(self, key: Any) -> None:  # noqa: N802
        self.kept.pop(key)


class SparkStates:
    """States as Spark's store has them: a batch that is done again finds what the one before it has left."""

    def __init__(self) -> None:
        self._state, self._before = MapState(), MapState()

    def begin(self, batch: int) -> None:
        self._before.kept = dict(self._state.kept)

    def store(self, batch: int) -> StateStore:
        self._state.kept = dict(self._before.kept)
        return SparkStore(self._state)


class FileStates:
    """States in files: of a batch that is done again, all attempts have left theirs."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def begin(self, batch: int) -> None:
        pass

    def store(self, batch: int) -> StateStore:
        return FileStore(self._directory, batch)


def arrived(piece: ColumnarSlice, *more: StageMessage) -> dict[int, list[StageMessage]]:
    return {0: [StreamSlice(PackedSlice.of(piece)), *more]}


@pytest.mark.parametrize("in_files", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_a_worker_never_takes_what_it_remembers_for_what_is(seed: int, in_files: bool, tmp_path: Path) -> None:
    """Batches go to any worker; a run ends when it may, and the last batch is lost and done again, or not.

    With odd seeds there is no memory for state: all of it lies in files, in small segments with logs of marks.
    """
    with limited(small=4) if seed % 2 else nullcontext():
        feed_any_worker(
            random.Random(seed), FileStates(tmp_path) if in_files else SparkStates(), 0 if seed % 2 else None
        )


def feed_any_worker(chance: random.Random, states: FileStates | SparkStates, memory: int | None) -> None:
    (query,) = parse_script(SCRIPT).queries
    last = planned(query.relation)
    closed, wanted, released, batches = set[int](), dict[int, int](), dict[int, int](), count()
    for run in range(6):
        caches = [dict[Any, Any]() for _ in range(WORKERS)]
        running = StageProcessor(str(run), 1, lambda bucket: build.running(last, Buckets((5,)), bucket), None, memory)
        for _ in range(chance.randint(1, 8)):
            open_ = [k for k in range(60) if k not in closed]
            rows = [(chance.choice(open_), chance.randint(1, 9)) for _ in range(chance.choice([1, 4, 16]))]
            closing = chance.sample(open_, chance.choice([0, 0, 1]))
            for k, v in rows:
                wanted[k] = wanted.get(k, 0) + v
            closed |= set(closing)
            slice_ = arrived(ColumnarSlice(frame(A, rows), tuple(Punctuation.of(A, k=k) for k in closing)))
            states.begin(batch := next(batches))
            for _ in range(chance.choice([1, 1, 2])):
                running.cache = chance.choice(caches)
                found = running.feed(5, slice_, partial(states.store, batch))
            for _, message, _ in found:
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
def test_what_is_swept_and_over_does_not_hang_on_workers(seed: int, tmp_path: Path) -> None:
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
    states: list[SparkStates | FileStates] = [SparkStates(), FileStates(tmp_path)]
    caches = [dict[Any, Any]() for _ in range(WORKERS)]
    steady: dict[Any, Any] = {}
    for now in range(25):
        rows = [(chance.randrange(6), chance.randint(1, 9)) for _ in range(chance.choice([0, 1, 4]))]
        puncts = tuple(Punctuation.of(A, k=k) for k in chance.sample(range(6), chance.choice([0, 0, 1])))
        slice_ = arrived(ColumnarSlice(frame(A, rows), puncts), Clock(1000 * now))
        given = []
        for n, (running, known) in enumerate(zip(processors, states, strict=True)):
            known.begin(now)
            for _ in range(chance.choice([1, 2]) if n else 1):
                running.cache = chance.choice(caches) if n else steady
                found = running.feed(5, slice_, partial(known.store, now))
            sent = [message for _, message, _ in found]
            piece, _ = after[n].feed({0: [message for message in sent if isinstance(message, StageMessage)]})
            records = sorted(line for m in sent if isinstance(m, QuarantineMessage) for line in m.lines)
            given.append((to_rows(piece.rows), list(map(str, piece.puncts)), after[n].metadata(), records))
        assert given[0] == given[1]
