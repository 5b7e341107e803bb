"""A query that runs on Spark: started, watched, started again when Spark has been too hasty with it, and stopped.

Spark's driver starts processes of Python's for each stage of a query, and gives each ten seconds to report; no setting
changes that. On a busy machine they take longer, and Spark gives the query up: while it is put together, or later. So a
query is started when the processes of the one before it are there, and one that was given up for this reason alone is
started again from its checkpoint, where it goes on exactly, up to a number of times.
"""

import logging
import re
import time
from collections.abc import Callable
from contextlib import suppress

from py4j.protocol import Py4JError, Py4JJavaError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException, StreamingQueryException
from pyspark.sql.streaming.query import StreamingQuery

from punctum.engine.commit import OTHER_BUCKETS, Commit, Metrics
from punctum.engine.prometheus import Totals
from punctum.engine.spark import spark_alive
from punctum.errors import PunctumError, QueryError, WorkerError, noted

ATTEMPTS = 10
"""How often in a row a query is started whose processes are too slow to start."""
PATIENCE = 60
"""How many seconds a query is waited for that starts; others should not wait longer for it."""
TOO_SLOW = "Python worker failed to connect back"
"""What Spark says when a process of Python's takes too long to start."""
_LOG = logging.getLogger("punctum")
_AGAIN = "%s: a Python worker was too slow to start; restarting the query"
_LAST = re.compile(r"Traceback .*\n(?: .*\n)+(\S.*)")
_JAVA = re.compile(r"^(?:Caused by)?: (.+)", re.MULTILINE)


class Run:
    """A query that has been started by what begins it from its checkpoint."""

    def __init__(
        self, name: str, begin: Callable[[], tuple[StreamingQuery, Commit]], log: str, patience: float = PATIENCE
    ) -> None:
        self._name, self._begin, self._log, self._attempts = name, begin, log, ATTEMPTS
        self._patience = patience
        self._attempt()

    def _attempt(self) -> None:
        """Begin, and wait until all its processes are there, or it waits for its streams."""
        with spark_alive():
            self.query, self._commit = self._begun()
            until = time.monotonic() + self._patience
            while self.query.isActive and not self._commit.begun.wait(0.05) and time.monotonic() < until:
                if self.query.status["message"].startswith("Waiting"):
                    return
            if self._commit.begun.is_set() and not self._commit.recent:
                _LOG.info("%s: the first batch…", self._name)

    def _begun(self) -> tuple[StreamingQuery, Commit]:
        """The query, put together and started; it takes a process of Spark's to know what a source is."""
        while True:
            self._attempts -= 1
            try:
                return self._begin()
            except (Py4JJavaError, PySparkException) as error:
                if TOO_SLOW not in str(error):
                    raise
                if not self._attempts:
                    raise failure(self._name, str(error), self._log) from None
            _LOG.warning(_AGAIN, self._name)

    @property
    def active(self) -> bool:
        """Whether it has not ended; one that was given up because it was slow to start is started again."""
        with spark_alive():
            while not self.query.isActive:
                if self._commit.begun.is_set():
                    self._attempts = ATTEMPTS
                why = str(self.query.exception())
                if OTHER_BUCKETS not in why:
                    if TOO_SLOW not in why or not self._attempts:
                        return False
                    _LOG.warning(_AGAIN, self._name)
                self._attempt()
            return True

    @property
    def up(self) -> bool:
        """Whether it runs now; who only watches it starts nothing again."""
        try:
            return self.query.isActive
        except (Py4JError, ConnectionError):
            return False

    @property
    def failure(self) -> PunctumError | None:
        """Why it has ended, when it has failed."""
        with spark_alive():
            error = None if self.active else self.query.exception()
            return None if error is None else failure(self._name, str(error), self._log)

    def wait(self) -> None:
        """Wait until it ends; one that has failed gives its error here."""
        try:
            self._until(lambda query: query.awaitTermination())
        finally:
            if not self.up:
                self._commit.end()

    def catch_up(self) -> None:
        """Wait until all that its streams have now is done, or it ends."""
        self._until(lambda query: query.processAllAvailable())

    def _until(self, done: Callable[[StreamingQuery], object]) -> None:
        while self.active:
            with spark_alive(), suppress(StreamingQueryException):
                done(self.query)
                break
        if (error := self.failure) is not None:
            raise error

    def stop(self) -> None:
        """Stop it when a commit that is under way has ended."""
        with spark_alive():
            self.query.stop()
        self._commit.end()

    @property
    def totals(self) -> Totals:
        """What its batches have counted since it was started, or started again by itself."""
        return self._commit.totals

    @property
    def recent(self) -> list[Metrics]:
        """The metrics of its last batches."""
        return list(self._commit.recent)


def failure(name: str, text: str, log: str) -> PunctumError:
    r"""The error of ours inside a failure that Spark reports, or the last line of another's traceback.

    >>> print(failure("q", "Traceback (most recent call last):\n  File …\nOops: it failed\n", "spark.log"))
    the query q failed
      detail: Oops: it failed
      hint: see spark.log
    """
    what, more = f"the query {name} failed", f"see {log}"
    ours = noted(text)
    if ours is None:
        *_, last = text.partition("\n")[0], *_LAST.findall(text)
        return QueryError(what, _cause(text, last), more)
    detail = f"{ours.what}: {ours.detail}" if ours.detail else ours.what
    error = QueryError(what, detail, more if isinstance(ours, WorkerError) else ours.hint)
    return error.inside(ours.where) if ours.where else error


def _cause(text: str, last: str) -> str:
    r"""What is behind the last line of a traceback: a call of Java says only that it has failed.

    >>> last = "py4j.protocol.Py4JJavaError: a call failed"
    >>> _cause(f"{last}\n: SparkException: no state\n\tat a\nCaused by: IOException: no space\n", last)
    'IOException: no space'
    """
    if "Py4JJavaError" not in last:
        return last
    causes: list[str] = _JAVA.findall(text.rpartition(last)[2])
    return causes[-1] if causes else last
