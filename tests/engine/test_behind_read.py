"""Stages that run in the tasks that read their streams: what they give is what buckets behind Spark's exchange give."""

import os
import threading
import time
from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.test_where_read import RUNS, InBuckets, Streams, files, numbered, script, told
from lanes import examples
from punctum.compile import compile
from punctum.engine.exchange.buckets import Buckets
from punctum.engine.exchange.local import LocalExchange
from punctum.engine.exchange.messages import Addressed, QuarantineMessage, WrittenMessage, decode
from punctum.engine.formats.splits import Split
from punctum.engine.runtime import build
from punctum.engine.runtime.behind_read import StageBehindRead
from punctum.engine.runtime.processor import StageProcessor
from punctum.engine.sinks.files import ResultFiles
from punctum.engine.sources.reader import BatchPart, BatchParts, Share
from punctum.errors import QueryError
from punctum.operators.columns import to_rows
from punctum.plan.physical.stages import Stage

QUERIES = [
    "SELECT k, x, d, s FROM a",
    "SELECT DISTINCT k, s FROM a",
    "SELECT k, COUNT(*) AS n, SUM(x) AS x FROM a GROUP BY k",
    "SELECT a.k, a.x, b.s FROM a JOIN b ON a.k = b.k",
    "SELECT a.k, b.x FROM a LEFT JOIN b ON a.k = b.k AND b.d = 1",
    "SELECT k, s FROM a EXCEPT SELECT k, s FROM b",
]


class Together:
    """A query whose buckets run where its streams are read, in so many tasks, each with a memory of its own."""

    def __init__(self, last: Stage, directory: Path, buckets: int, tasks: int) -> None:
        self._last, self._directory, self._tasks = last, directory, tasks
        self._streams = Streams(last, directory, Buckets(range(buckets)))
        self.results = ResultFiles(str(directory / "out"), "parquet", last.schema, False, "q")
        self.records: list[str] = []
        self.restart()

    def restart(self) -> None:
        """A new run: tasks know nothing but what is in files."""
        self.results.prepare()
        running = partial(build.running, self._last, self._streams.buckets)
        self._workers = [StageProcessor(f"test {next(RUNS)}", 1, running, self.results) for _ in range(self._tasks)]

    def feed(self, number: int, splits: list[tuple[str, int, Split]], again: bool, late: float) -> None:
        """A batch; all tasks but the first begin so many seconds late."""
        parts = [BatchPart([Share(key, ((n, split),), n == 0)], 1, {}) for key, n, split in splits]
        place = str(self._directory / "exchange" / str(next(RUNS)))
        written, records = list[tuple[int, str]](), list[str]()
        with ThreadPoolExecutor(self._tasks) as pool:
            done = [pool.submit(self._task, number, BatchParts(parts, 0, self._tasks, place))]
            time.sleep(late)
            for n in range(1, self._tasks):
                done.append(pool.submit(self._task, number, BatchParts(parts, n, self._tasks, place)))
            for each in done:
                for message in each.result():
                    written += [(message.sender, message.file)] if isinstance(message, WrittenMessage) else []
                    records += message.lines if isinstance(message, QuarantineMessage) else []
        self.results.commit(number, sorted(written), again)
        self.records = records
        assert not Path(place).exists()

    def _task(self, number: int, whole: BatchParts) -> list[Any]:
        buckets, stage = self._streams.buckets, self._workers[whole.number]
        running = StageBehindRead(stage, self._streams.of, self._directory / "state", buckets, lambda: number)
        return [sent.message for messages in running(whole) for sent in decode(messages.to_pydict())]

    def rows(self) -> Counter[Any]:
        frames = [pl.read_parquet(path) for path in (self._directory / "out").glob("part-*")]
        return Counter(row for frame in frames for row in to_rows(frame))


@pytest.mark.parametrize("select", QUERIES)
@examples(30)
@given(data=st.data(), format_=st.sampled_from(["json", "csv", "parquet"]))
def test_tasks_that_exchange_what_they_read_give_what_buckets_give(
    select: str, data: st.DataObject, format_: str
) -> None:
    query = compile(script(select, format_, ", PUNCTUATED ON (k), PUNCTUATED ON (k, s)")).queries[0]
    with TemporaryDirectory() as made:
        known, _ = data.draw(files(Path(made), query.last, format_))
        buckets, tasks = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 3))
        together = Together(query.last, Path(made), buckets, tasks)
        apart, wanted = InBuckets(query.last, Path(made), buckets), Counter[Any]()
        for n, batch in enumerate(known.batches):
            splits, again = list(numbered(batch)), data.draw(st.booleans())
            if again:
                together.feed(n, splits, False, data.draw(st.sampled_from([0, 0.01])))
                together.restart()
            together.feed(n, splits, again, data.draw(st.sampled_from([0, 0.01])))
            rows, records, _ = apart.feed(splits)
            wanted += rows
            assert together.rows() == wanted
            assert told(together.records) == told(records)


def exchange(directory: Path, tasks: int = 2) -> LocalExchange:
    return LocalExchange(directory / "batch", tasks, patience=0)


def test_a_unit_is_claimed_once(tmp_path: Path) -> None:
    views = [exchange(tmp_path) for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        claims = [[pool.submit(view.claim, f"read{n}") for view in views] for n in range(50)]
    assert all(sum(claim.result() for claim in several) == 1 for several in claims)


def test_what_is_given_is_there_when_the_wait_is_over(tmp_path: Path) -> None:
    one, two = exchange(tmp_path), exchange(tmp_path)
    message = QuarantineMessage(["a"])
    assert one.claim("read0")
    with ThreadPoolExecutor(1) as pool:
        waiting: Future[None] = pool.submit(two.wait, ["read0"])
        with one.giving("read0") as give:
            give([Addressed(7, message), Addressed(8, message)])
            give([Addressed(7, message)])
            assert not waiting.done()
        waiting.result()
    found = [each for batch in two.given(7, ["read0"]) for each in decode(batch.to_pydict())]
    assert found == [Addressed(7, message), Addressed(7, message)]
    assert not list(two.given(9, ["read0"]))


def test_a_process_that_has_ended_is_not_waited_for(tmp_path: Path) -> None:
    ended = os.posix_spawn("/bin/true", ["true"], {})
    os.waitpid(ended, 0)
    (tmp_path / "batch").mkdir()
    (tmp_path / "batch" / "read0.claimed").write_text(str(ended))
    with pytest.raises(QueryError, match="a worker has ended"):
        exchange(tmp_path).wait(["read0"])


def test_a_task_that_fails_ends_the_others(tmp_path: Path) -> None:
    one, two = exchange(tmp_path), exchange(tmp_path)
    assert one.claim("read0")
    begun = threading.Event()

    def waits() -> None:
        with two.taking_part():
            begun.set()
            two.wait(["read0"])

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(waits)
        begun.wait()
        with pytest.raises(ValueError, match="broken"), one.taking_part(), one.giving("read0"):
            raise ValueError("broken")
        with pytest.raises(QueryError, match="another task"):
            waiting.result()


def test_a_batch_that_is_over_is_not_begun_again(tmp_path: Path) -> None:
    for _ in range(2):
        with exchange(tmp_path).taking_part():
            pass
    assert not (tmp_path / "batch").exists()
    with pytest.raises(QueryError, match="begun again"):
        exchange(tmp_path)
