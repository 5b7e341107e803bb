"""The parts of a stage: each by itself, all together, and in a stage that has none."""

import json
from dataclasses import replace
from itertools import combinations

import pytest

from punctum.algebra import Punctuation
from punctum.engine.exchange.blobs import from_blob, to_blob
from punctum.engine.exchange.buckets import Buckets
from punctum.engine.exchange.messages import (
    Clock,
    FeedbackMessage,
    PackedSlice,
    StageMessage,
    StreamSlice,
)
from punctum.engine.runtime import build
from punctum.engine.runtime.feedback import FeedbackFilter
from punctum.engine.runtime.stage import StageRuntime
from punctum.engine.runtime.sweep import Sweeps
from punctum.lmerge.feedback import Signal
from punctum.operators.batch import punctuations_of
from punctum.operators.columns import ColumnarSlice, frame, to_rows
from punctum.parse import parse_query, parse_script
from punctum.plan.physical.feedback import feedback_mappings
from punctum.plan.physical.stages import Stage
from punctum.testing.simulate import planned

STREAM = "CREATE STREAM s (k BIGINT, ts BIGINT, v BIGINT, PUNCTUATED ON (k, ts){}) USING json;"
TOTALS = "SELECT k, ts, SUM(v) AS total FROM s GROUP BY k, ts"
EXPECTED = STREAM.format(" EXPECT WITHIN '5 seconds'")
SCHEMA = parse_script(EXPECTED).streams["s"].schema
Row = tuple[int, int, int]


def stage(script: str) -> Stage:
    return planned(parse_query(TOTALS, parse_script(script).streams))


def both(last: Stage) -> StageRuntime:
    """A stage that sweeps and skips, which no query has."""
    made = build.running(last, Buckets((5,)), 5)
    plain = feedback_mappings(stage(STREAM.format("")))["ts"]
    ((_, over),) = plain.operators.items()
    mapping = replace(plain, operators={(last.number, n): over for n in range(len(made.flow.operators))})
    return StageRuntime(made.flow, [*made.parts, FeedbackFilter(made.flow, last.number, {"ts": mapping})])


def again(running: StageRuntime, last: Stage) -> StageRuntime:
    """The same in another process."""
    fresh, tables = both(last), running.flow.tables().items()
    chunks = {name: {n: from_blob(to_blob(c)) for n, c in table.chunks().items()} for name, table in tables}
    fresh.restore(running.metadata(), chunks)
    return fresh


def sent(seconds: int, rows: list[Row], closed: tuple[Row, ...] = (), limit: int | None = None) -> list[StageMessage]:
    """What arrives in a batch: rows, keys that are closed, the time, and from which time on rows are needed."""
    puncts = tuple(Punctuation.of(SCHEMA, k=k, ts=ts) for k, ts, _ in closed)
    messages: list[StageMessage] = [StreamSlice(PackedSlice.of(ColumnarSlice(frame(SCHEMA, rows), puncts)))]
    messages.append(Clock(1000 * seconds))
    return messages if limit is None else [*messages, FeedbackMessage(Signal("ts", limit))]


def test_a_stage_that_sweeps_skips_nothing() -> None:
    for script, part in ((EXPECTED, Sweeps), (STREAM.format(""), FeedbackFilter)):
        last = stage(script)
        made = build.running(last, Buckets((5,)), 5, feedback_mappings(last))
        assert [type(p) for p in made.parts if isinstance(p, Sweeps | FeedbackFilter)] == [part]


@pytest.mark.parametrize("restart", [False, True])
def test_sweeps_and_feedback_work_together(restart: bool) -> None:
    last = stage(EXPECTED)
    running = both(last)
    assert running.feed({0: sent(0, [(1, 10, 1), (2, 20, 1), (3, 30, 1)])})[0].rows.is_empty()
    running = again(running, last) if restart else running
    _, counts = running.feed({0: sent(3, [(4, 12, 1), (2, 20, 5)], limit=15)})
    assert counts[-1]["rows_kept"] == 2, "a part of 30, one of 20; of 10 and 12 nothing: nobody needs them"
    running = again(running, last) if restart else running
    given, counts = running.feed({0: sent(4, [(5, 9, 1), (6, 40, 1)], closed=((2, 20, 0),))})
    assert to_rows(given.rows) == [(2, 20, 6)] and not running.records()
    given, counts = running.feed({0: sent(6, [])})
    assert given.rows.is_empty() and counts[-1]["rows_kept"] == 1, "30 is swept, 40 is open"
    lost = sorted((record.text, record.punctuation) for record in running.records())
    assert ("1 row", '{"$punct": {"k": 3, "ts": 30}}') in lost
    assert not any("40" in text for text, _ in lost)
    assert json.loads(running.metadata())["parts"].keys() == {"lost", "limits"}


def test_the_loop_is_the_same_with_any_parts() -> None:
    """Where there is nothing to sweep, skip or refuse, rows and punctuations do not hang on parts."""
    last = stage(EXPECTED)
    slices = [sent(0, [(1, 10, 1), (2, 20, 1)]), sent(1, [(1, 10, 4)], closed=((1, 10, 0),))]

    size = len(both(last).parts)
    for which in (chosen for count in range(size + 1) for chosen in combinations(range(size), count)):
        running = both(last)
        some = StageRuntime(running.flow, [running.parts[n] for n in which])
        given = [some.feed({0: messages})[0] for messages in slices]
        assert [to_rows(piece.rows) for piece in given] == [[], [(1, 10, 5)]], which
        assert [len(list(punctuations_of(last.schema, piece))) for piece in given] == [0, 1], which
