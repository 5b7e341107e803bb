"""What fails inside a stage, a stream or a commit says where; and a query that was slow to start is started again."""

import pickle
import threading
from collections import deque
from pathlib import Path
from traceback import format_exception
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException

from punctum.cli import _watched
from punctum.engine.exchange.buckets import Buckets, Exchange
from punctum.engine.feedback.filter import Signals
from punctum.engine.run import ATTEMPTS, TOO_SLOW, Run, failure
from punctum.engine.runtime import build, vectorised
from punctum.engine.sources.reader import Directory, PackedFilesReader
from punctum.engine.sources.source import FileStream
from punctum.engine.spark import spark_alive
from punctum.errors import ComputationError, MissingError, PunctumError, QueryError, SqlError, WorkerError, failing_in
from punctum.operators.columns import ColumnarSlice, frame
from punctum.operators.operator import Operator
from punctum.parse import parse_query, parse_script
from punctum.parse.script import parse_function
from punctum.testing.simulate import Simulation

STREAMS = parse_script(
    "CREATE STREAM item (k BIGINT, v BIGINT, PUNCTUATED ON (k)) USING json;"
    "CREATE STREAM late (k BIGINT, v BIGINT, PUNCTUATED ON (k) EXPECT WITHIN '1 day') USING json;"
    "CREATE STREAM bid (k BIGINT, v BIGINT, PUNCTUATED ON (k)) USING json;"
).streams
TOTALS = "SELECT b.k, SUM(b.v) AS t FROM {0} i JOIN bid b ON i.k = b.k GROUP BY b.k"
SLICE = {name: ColumnarSlice(frame(stream.schema, [(1, 2)])) for name, stream in STREAMS.items()}


def fed(sql: str, kind: str, monkeypatch: pytest.MonkeyPatch, error: Exception, signals: Signals | None = None) -> str:
    """What is said when operators of a kind fail."""
    made = vectorised.operator

    def failing(relation: Any, below: Any = ()) -> Operator:
        operator = made(relation, below)
        if type(operator).__name__ == kind:

            def feed(*slices: Any) -> Any:
                raise error

            operator.feed = feed  # type: ignore[method-assign]
        return operator

    monkeypatch.setattr(build, "operator", failing)
    with pytest.raises(PunctumError) as caught:
        Simulation(parse_query(sql, STREAMS), 2, signals=signals).feed(SLICE)
    return str(caught.value)


def test_a_failing_operator_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    said = fed(TOTALS.format("item"), "GroupBy", monkeypatch, KeyError("a\nb"))
    assert said == "KeyError: 'a\\nb'\n  where: Aggregate SUM(v) AS t by k #2 AS k of item, bid"
    signals = Signals((), parse_query(TOTALS.format("item"), STREAMS).schema)
    said = fed(TOTALS.format("item"), "Join", monkeypatch, ValueError("x\ny"), signals)
    assert said == "ValueError: x y\n  where: Join k = k #2 of item, bid"


def test_a_failing_operator_of_a_stage_that_sweeps_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = ComputationError("the sum is too large", "2 ** 64", "cast it")
    said = fed(TOTALS.format("late"), "GroupBy", monkeypatch, ours)
    where = "Aggregate SUM(v) AS t by k #2 AS k of late, bid"
    assert said == f"the sum is too large\n  detail: 2 ** 64\n  where: {where}\n  hint: cast it"


def test_a_wrong_function_of_the_users_is_named() -> None:
    def bad(_: Any) -> Any:
        return []

    functions = {"bad": parse_function("bad", bad, ["BIGINT"], "BIGINT")}
    definitions = "CREATE STREAM s (k BIGINT) USING json; CREATE SINK o USING console;"
    script = f"{definitions} INSERT INTO o SELECT bad(k) AS x FROM s;"
    (query,) = parse_script(script, functions=functions).queries
    with pytest.raises(PunctumError, match=r"bad returns another number of values(.|\n)*where: .*the function bad"):
        Simulation(query.relation, 1).feed({"s": ColumnarSlice(frame(query.relation.inputs[0].schema, [(1,)]))})


def test_a_file_that_fails_is_named(tmp_path: Path) -> None:
    stream = STREAMS["item"]
    (tmp_path / "1.json").write_text('{"k": 1, "v": 2}\n')
    pipe = SimpleNamespace(apply=lambda _: 1 // 0)
    to = Exchange(stream.schema, (0,), Buckets((1, 2)), 0)
    files = FileStream("item", stream.schema, pipe, to, False, True, str(tmp_path), "json")
    directory = Directory("item", "item", files.path, "json", str(tmp_path / "log"), files.pickled())
    reader = PackedFilesReader([directory], 1)
    begin = reader.initialOffset()
    (part,) = reader.partitions(begin, reader.latestOffset(begin, reader.getDefaultReadLimit()))
    with pytest.raises(WorkerError, match=r"ZeroDivisionError: .*\n  where: item, the file 1.json"):
        list[pa.RecordBatch](reader.read(part))
    for file in (tmp_path / "log").iterdir():
        file.unlink()
        file.mkdir()
    reader = PackedFilesReader([directory], 1)
    with pytest.raises(QueryError, match="cannot be read") as caught:
        reader.latestOffset(begin, reader.getDefaultReadLimit())
    assert "item, listing its files" in caught.value.where


def test_the_place_of_an_error_goes_with_it() -> None:
    for error in (QueryError("what", "detail", "hint"), SqlError("what", "", "", None, "SELECT")):
        again = pickle.loads(pickle.dumps(error.inside("b").inside("a")))
        assert (type(again), str(again), again.where) == (type(error), str(error), "a, b")
    broken = QueryError("a\nb", "c\r\nd", "e\nf").inside("the file g\nh")
    found = failure("q", SPARK.format("".join(format_exception(broken))), "")
    assert (found.detail, found.where, found.hint) == ("a b: c d", "the file g h", "e f")


def test_what_spark_says_is_not_told_twice() -> None:
    with pytest.raises(PySparkException, match=r"^Traceback$"), failing_in("the commit"):
        raise PySparkException("Traceback")


SPARK = """[STREAM_FAILED] Query [id = 1] terminated with exception: Return Message: Traceback (most recent call last):
  File "clientserver.py", line 644, in _call_proxy
    return 1
pyspark.errors.exceptions.captured.PythonException: An exception was thrown from the Python worker:
Traceback (most recent call last):
  File "x.py", line 1, in feed
    raise
{0}
 SQLSTATE: 39000
"""


@pytest.mark.parametrize(
    ("last", "detail", "where", "hint"),
    [
        ("Oops", "Oops", "", "see spark.log"),
        ("a.DuplicateError: k\nis there twice", "a.DuplicateError: k", "", "see spark.log"),
        (
            "KeyError: 1\n\nDuring handling of it:\n\n"
            + "".join(format_exception(WorkerError("KeyError: 1").inside("Join of a, b").inside("stage 1"))),
            "KeyError: 1",
            "stage 1, Join of a, b",
            "see spark.log",
        ),
        (
            "".join(format_exception(MissingError("gone", "f", "put it back").inside("s"))),
            "gone: f",
            "s",
            "put it back",
        ),
    ],
)
def test_the_failure_of_a_query_is_its_last_line(last: str, detail: str, where: str, hint: str) -> None:
    found = failure("q", SPARK.format(last), "spark.log")
    assert (found.what, found.detail, found.where, found.hint) == ("the query q failed", detail, where, hint)


class Fake:
    """A streaming query of Spark's that has ended by an error, or goes on."""

    def __init__(self, error: str | None, message: str = "Initializing sources") -> None:
        self.isActive, self.status, self._error = error is None, {"message": message}, error
        self.commit = SimpleNamespace(begun=threading.Event(), recent=deque(), end=lambda: None)

    def exception(self) -> Any:
        return self._error

    def awaitTermination(self) -> None:  # noqa: N802
        self.isActive = False


def started(*errors: str | None) -> tuple[Run, list[Fake]]:
    """A run whose attempts end by these errors."""
    made: list[Fake] = []

    def begin() -> Any:
        made.append(Fake(errors[len(made)], "Waiting for data to arrive"))
        return made[-1], made[-1].commit

    return Run("q", begin, "spark.log"), made


def test_a_query_that_was_slow_to_start_is_started_again() -> None:
    again, made = started(TOO_SLOW, f"…: {TOO_SLOW}.", None)
    assert again.active and len(made) == 3 and again.failure is None
    again.wait()
    other, made = started("out of memory")
    assert not other.active and len(made) == 1 and str(other.failure).splitlines()[1] == "  detail: out of memory"
    never, made = started(*[TOO_SLOW] * (ATTEMPTS + 1))
    with pytest.raises(QueryError, match=TOO_SLOW):
        never.wait()
    assert len(made) == ATTEMPTS


def test_a_query_that_cannot_be_put_together_in_time_is_tried_again() -> None:
    """Spark asks a process what a source is before there is a query, so what it says of it comes at once."""
    slow = PySparkException(f"SparkException: {TOO_SLOW}.")
    good = Fake(None)
    good.commit.begun.set()

    def trying(*errors: Exception) -> Run:
        left = list(errors)

        def begin() -> Any:
            if left:
                raise left.pop()
            return good, good.commit

        return Run("q", begin, "spark.log")

    assert trying(*[slow] * (ATTEMPTS - 1)).active
    with pytest.raises(QueryError, match=f"the query q failed(.|\n)*{TOO_SLOW}(.|\n)*see spark.log"):
        trying(*[slow] * ATTEMPTS)
    with pytest.raises(PySparkException, match="no such column"):
        trying(PySparkException("no such column"))


def test_a_start_waits_for_the_processes_of_a_query() -> None:
    slow = Fake(None)
    timer = threading.Timer(0.2, slow.commit.begun.set)
    timer.start()
    Run("q", lambda: (slow, slow.commit), "")  # type: ignore[arg-type,return-value]
    assert slow.commit.begun.is_set()
    never = Fake(None)
    Run("q", lambda: (never, never.commit), "", patience=0)  # type: ignore[arg-type,return-value]
    assert never.isActive and not never.commit.begun.is_set()


def test_a_run_ends_when_one_query_has_failed_or_spark_has() -> None:
    wrong = QueryError("the query b failed")
    well, failed = SimpleNamespace(running=True, failure=None), SimpleNamespace(running=False, failure=wrong)
    assert _watched([well, failed], threading.Event()) == [wrong]  # type: ignore[list-item]
    assert _watched([SimpleNamespace(running=False, failure=None)], threading.Event()) == []  # type: ignore[list-item]
    stopped = threading.Event()
    stopped.set()
    assert _watched([well], stopped) == []  # type: ignore[list-item]

    class Dead:
        @property
        def running(self) -> bool:
            with spark_alive():
                raise Py4JError("gone")

    assert [error.what for error in _watched([Dead()], threading.Event())] == ["Spark stopped unexpectedly"]  # type: ignore[list-item]
