"""A query of a session: planned, started, watched and stopped.

In the examples, ``spark`` is a Spark session, and ``bids`` a streaming DataFrame of a directory with three bids and the
punctuation of item 17. ``directory`` holds the script of the README, ``auction.sql``, and what its streams read, and
``replicas.sql``, a merge of three replicas with a control.
"""

import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from enum import Enum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import polars as pl
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from punctum.algebra.schema import Schema
from punctum.analyse.report.notebook import html
from punctum.compile import CompiledQuery
from punctum.engine.commit import Commit
from punctum.engine.prometheus import Sample, samples
from punctum.engine.query import dataframe
from punctum.engine.run import Run
from punctum.engine.runtime.lmerge import ATTACH, DETACH, tell
from punctum.engine.runtime.stored import kept_state
from punctum.engine.settings import Settings
from punctum.engine.sources.directories import control_directories, named_lists
from punctum.engine.sources.frames import frames
from punctum.engine.sources.tables import members
from punctum.engine.spark import log_in_words
from punctum.engine.start import hand_over, write
from punctum.engine.trigger import AT_ONCE, interval
from punctum.errors import PunctumError, QueryError, SchemaError, choices, nearest
from punctum.ir.definitions import KAFKA
from punctum.page.notes import Notes, notes, write_notes
from punctum.plan.joins.choose import PlanOptions, Schemes
from punctum.plan.joins.cost import Objective, Purge
from punctum.plan.passes.punctuate import nobody
from punctum.plan.physical.stages import Stage
from punctum.storage.location import Location, joined, location

if TYPE_CHECKING:
    from punctum.page.serve import LivePage  # else only where there is a page: it needs an extra

_LOG = logging.getLogger(__name__)
_Option = TypeVar("_Option", bound=Enum)
Frames = Callable[[], Mapping[str, DataFrame]]
"""Gives the streams that are DataFrames, by their names."""


class Query:
    """A query that can be started, or had as a DataFrame, when it is admitted.

    >>> session = Session(spark)
    >>> session.stream("bid", bids)
    >>> session.query("SELECT DISTINCT itemid FROM bid").dataframe()
    Traceback (most recent call last):
    ...
    punctum.errors.RefusedError: query: refused
      dupelim of bid: state grows without bound: its input promises no punctuations on any of its columns (itemid)
      without punctuations, memory is unbounded: itemid of bid is in the result, and ...
      counterexample: all of bid(itemid) = (1), (2), (3), … must be kept, because later rows such as ...
      1 | SELECT DISTINCT itemid FROM bid
        | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: add PUNCTUATED ON (itemid) to bid
            or write ALLOW UNBOUNDED after the query
    >>> session.query("SELECT DISTINCT itemid FROM bid ALLOW UNBOUNDED").dataframe()
    DataFrame[itemid: bigint]
    """

    def __init__(self, spark: SparkSession, frames: Frames, compiled: CompiledQuery, directory: Location) -> None:
        self._spark, self._frames, self._compiled, self._directory = spark, frames, compiled, directory
        self._run: Run | None = None
        self._checkpoint: Location = Path()
        self._notes: Notes | None = None
        self._page: LivePage | None = None

    @property
    def name(self) -> str:
        """Its name: that of its sink, or the one that it was given.

        >>> session = Session(spark)
        >>> session.stream("bid", bids, punctuated=["itemid"])
        >>> session.query("SELECT DISTINCT itemid FROM bid", name="items").name
        'items'
        """
        return self._compiled.query.name

    def __repr__(self) -> str:
        """The name, how it is, its verdict and its columns.

        >>> (closing,) = Session(spark).script(directory / "auction.sql")
        >>> closing
        <Query closing: not started, admitted, (itemid BIGINT, total DOUBLE)>
        """
        known = self._compiled.analysis
        verdict = "admitted" if known.safe else "admitted with unbounded state" if known.admitted else "refused"
        return f"<Query {self.name}: {self._status}, {verdict}, ({self.schema})>"

    @property
    def _status(self) -> str:
        if self._run is None:
            return "not started"
        return "running" if self.running else "failed" if self.failure is not None else "ended"

    def _repr_html_(self) -> str:
        """What a notebook shows: the verdict and the punctuation graphs.

        >>> (closing,) = Session(spark).script(directory / "auction.sql")
        >>> print(closing._repr_html_().splitlines()[0])
        <div><pre>closing: admitted
        """
        return html(self._compiled.analysis, self._compiled.sql)

    @property
    def schema(self) -> Schema:
        """The columns of the result.

        >>> (closing,) = Session(spark).script(directory / "auction.sql")
        >>> print(closing.schema)
        itemid BIGINT, total DOUBLE
        """
        return self._compiled.query.relation.schema

    def plan(self, objective: str | None = None, schemes: str = "all", purge: str = "eager") -> "Query":
        """Choose the plan of its joins: the best in ``memory`` or ``throughput``, and not the one that is written.

        It takes the punctuations of ``all`` schemes that are of use, or of a ``minimal`` set of them, and its joins
        purge in each batch (``eager``) or now and then (``lazy``).

        >>> (closing,) = Session(spark).script(directory / "auction.sql")
        >>> closing.plan("speed")
        Traceback (most recent call last):
        ...
        punctum.errors.QueryError: unknown objective 'speed'
          hint: available: memory, throughput
        """
        plan = PlanOptions(
            None if objective is None else _one_of("objective", Objective, objective),
            _one_of("schemes", Schemes, schemes),
            _one_of("purge", Purge, purge),
        )
        self._compiled = self._compiled.again(replace(self._compiled.options, plan=plan))
        return self

    def dataframe(self, checkpoint: str | Location = "", punctuations: bool = False) -> DataFrame:
        """The result as a streaming DataFrame, for any sink of Spark's.

        Give the checkpoint when a stream of the query is read from files: the list of files is kept there.

        >>> session = Session(spark)
        >>> session.stream("bid", bids, punctuated=["itemid"])
        >>> large = session.query("SELECT DISTINCT itemid FROM bid WHERE increase > 4")
        >>> large.dataframe(punctuations=True)
        DataFrame[itemid: bigint, _punct: string]
        """
        self._compiled.check_references()
        last = self._planned(punctuations).last
        return dataframe(last, self._given(last, self._settings(checkpoint)), punctuations)

    def start(
        self,
        checkpoint: str | Location,
        available_now: bool = False,
        to: Callable[[DataFrame, int], None] | None = None,
        state: str | Location = "",
        trigger: str = AT_ONCE,
        add_to_sink: bool = False,
    ) -> "Query":
        """Run until stopped, or process the available input; with the same checkpoint, go on from where it stopped.

        A batch begins when the one before it has ended, or a ``trigger`` later: '10 seconds' after that one began.

        The result goes to the query's sink, or to a function that takes each batch of it, a DataFrame, with the batch's
        number. After a crash the last batch may come again, with the same number and the same rows. A query with a new
        checkpoint can begin with the state of another one, that of a query with the same plan; its streams then hold
        what comes after that state. One with a new checkpoint whose sink has results of another query is refused,
        unless it is to add to them.

        >>> (closing,) = Session(spark).script(directory / "auction.sql")
        >>> closing.start(directory / "state", available_now=True).wait()
        >>> [line for file in (directory / "out/closing").glob("*.json") for line in file.read_text().splitlines()]
        ['{"itemid":17,"total":7.0}']
        >>> closing.metrics()[0]["operators"]["s1o1"]["rows_out"]
        1
        """
        if self.running:
            raise QueryError(f"the query {self.name} is already running", "it has been started", "call stop() first")
        if to is None and not self._compiled.query.sink.format:
            raise SchemaError("the query has no sink", "", "use INSERT INTO a sink, start(to=…), or dataframe()")
        self._compiled.check_references()
        settings = replace(self._settings(checkpoint, state, interval(trigger)), add_to_sink=add_to_sink)
        begin = partial(self._begun, settings, available_now, to)
        self._run, self._checkpoint = Run(self.name, begin, log_in_words(self._spark)), location(checkpoint).resolve()
        return self

    def _begun(
        self, settings: Settings, available_now: bool, to: Callable[[DataFrame, int], None] | None
    ) -> tuple[StreamingQuery, Commit]:
        planned = self._planned(None if to is None else False)
        given = self._given(planned.last, settings)
        if to is not None:
            begun = hand_over(planned.last, given, self.name, to, available_now)
        else:
            begun = write(planned.last, given, planned.query.sink, available_now, planned.key)
        self._notes = notes(planned, self._directory, begun[1].quarantine)
        write_notes(location(settings.checkpoint), self._notes)
        return begun

    @property
    def running(self) -> bool:
        """Whether it has been started and has not ended.

        >>> (closing,) = Session(spark).script(directory / "auction.sql")
        >>> closing.running
        False
        """
        return self._run is not None and self._run.active

    @property
    def failure(self) -> PunctumError | None:
        """Why it has ended, when it has failed.

        >>> (closing,) = Session(spark).script(directory / "auction.sql")
        >>> closing.start(directory / "well", available_now=True).wait()
        >>> print(closing.failure)
        None
        """
        return None if self._run is None else self._run.failure

    def wait(self) -> None:
        """Wait until it ends; one that has failed gives its error here.

        >>> (closing,) = Session(spark).script(directory / "auction.sql")
        >>> closing.wait()
        Traceback (most recent call last):
        ...
        punctum.errors.QueryError: the query closing has not been started
          hint: call start() first
        """
        self._started().wait()

    def catch_up(self) -> None:
        """Wait until all that its streams have now is done."""
        self._started().catch_up()

    def metrics(self) -> list[dict[str, Any]]:
        """What each operator did in the last batches: rows and punctuations in, out and kept.

        Operators are named by their stage and their position in it. Item 18 is still open when this one ends:

        >>> (closing,) = Session(spark).script(directory / "auction.sql")
        >>> closing.start(directory / "measured", available_now=True).wait()
        >>> (batch,) = closing.metrics()
        >>> batch["batch"], batch["operators"]["s1o0"]["rows_in"], batch["operators"]["s1o0"]["rows_kept"]
        (0, 4, 1)
        """
        return self._started().recent

    def samples(self) -> Iterator[Sample]:
        r"""What there is to say of it to Prometheus: names, types, labels and values.

        >>> (closing,) = Session(spark).script(directory / "auction.sql")
        >>> closing.start(directory / "sampled", available_now=True).wait()
        >>> print(*closing.samples(), sep="\n")
        ('running', 'gauge', (('query', 'closing'),), 0.0)
        ('batches_total', 'counter', (('query', 'closing'),), 1)
        ...
        ('rows_in_total', 'counter', (('query', 'closing'), ('operator', 's1o0')), 4)
        ...
        """
        run = self._started()
        return samples(self.name, run.up, run.totals)

    def state(self) -> dict[str, pl.DataFrame]:
        """The rows that it keeps behind its last batch, by operator and table; the query may run or have ended.

        Item 18 has a bid and no item when this one ends:

        >>> (closing,) = Session(spark).script(directory / "auction.sql")
        >>> closing.start(directory / "kept", available_now=True).wait()
        >>> {name: rows.rows() for name, rows in closing.state().items()}
        {'s1o0_left': [], 's1o0_right': [(18, 9.0)], 's1o1_groups': []}
        """
        self._started()
        return kept_state(self._checkpoint).frames()

    def attach(self, name: str, since: Any = None) -> None:
        """Let an input of a merge come, or come again, while the query runs; it is right from a time on, or always.

        >>> (merged,) = Session(spark).script(directory / "replicas.sql")
        >>> merged.attach("c", since=100)
        >>> print(*[file.read_text().strip() for file in (directory / "control").glob("*.json")])
        {"input": "c", "change": "attach", "since": 100}
        """
        self._change_input(name, ATTACH, since)

    def detach(self, name: str) -> None:
        """Let an input of a merge go: its elements do not count any more.

        >>> (merged,) = Session(spark).script(directory / "replicas.sql")
        >>> merged.detach("d")
        Traceback (most recent call last):
        ...
        punctum.errors.QueryError: the query merged merges no d
          detail: available: a, b, c
        """
        self._change_input(name, DETACH, None)

    def _change_input(self, name: str, change: str, since: Any) -> None:
        merges = [merge for merge, _ in self._compiled.analysis.cases]
        merge = next((m for m in merges if name.lower() in (input_.lower() for input_ in m.names)), None)
        if merge is None:
            known = [input_ for m in merges for input_ in m.names]
            raise QueryError(f"the query {self.name} merges no {name}", choices(known), nearest(name, known))
        if merge.control is None:
            hint = "LMERGE (…) OPTIONS (control 'directory')"
            raise QueryError(f"the merge of {', '.join(merge.names)} takes no changes", "it has no control", hint)
        tell(joined(self._directory, merge.control.stream.options["path"]), merge.control.schema, name, change, since)

    def page(self, control: bool = False, port: int = 0) -> "LivePage":
        """A page that shows it while it runs, at an address of this machine; with controls, it can be stopped there.

        >>> (closing,) = Session(spark).script(directory / "auction.sql")
        >>> closing.start(directory / "seen", available_now=True).wait()
        >>> with closing.page() as page:
        ...     print(page.address.startswith("http://127.0.0.1:"), closing.page() is page)
        True True
        """
        from punctum.page.extra import check_extra

        check_extra()
        from punctum.page.serve import LivePage

        if self._page is None or not self._page.open:
            self._page = LivePage(control, port)
        self.show_on(self._page)
        return self._page

    def show_on(self, page: "LivePage") -> None:
        """Show it on a page that there is already; it has been started."""
        from punctum.page.watched import Handles, WatchedQuery

        run = self._started()
        topics = {stream.name: stream.options for stream in self._compiled.analysis.streams if stream.format == KAFKA}
        controls = self.stop, self.attach, self.detach
        handles = Handles(lambda: run.recent, lambda: self._status, lambda: str(self.failure or ""), *controls, topics)
        page.show(WatchedQuery(self._checkpoint, self._notes, handles))

    def stop(self) -> None:
        """Stop it; it can be started again with the same checkpoint.

        >>> (closing,) = Session(spark).script(directory / "auction.sql")
        >>> closing.start(directory / "stopped").running
        True
        >>> closing.stop()
        >>> closing.running
        False
        """
        if self._run is not None:
            self._run.stop()

    def _planned(self, punctuations: bool | None = None) -> CompiledQuery:
        """The query as it is to run, when it is admitted; one that is only allowed to run warns."""
        if allowed := self._compiled.admit():
            _LOG.warning(allowed)
        for path in control_directories(self._compiled.analysis, self._directory):
            path.mkdir(parents=True, exist_ok=True)
        options = replace(self._compiled.options, punctuations=punctuations)
        if options.members is nobody and named_lists(self._compiled.analysis):
            options = replace(options, members=partial(members, directory=self._directory))
        return self._compiled.again(options)

    def _settings(self, checkpoint: str | Location, state: str | Location = "", trigger: str = AT_ONCE) -> Settings:
        kept, stored = ("" if path == "" else str(location(path).resolve()) for path in (checkpoint, state))
        return Settings(self._spark, kept, str(self._directory.resolve()), {}, state=stored, trigger=trigger)

    def _given(self, last: Stage, settings: Settings) -> Settings:
        """The settings, with the DataFrames that a plan reads."""
        return replace(settings, frames=frames(last, self._spark, settings.checkpoint) | dict(self._frames()))

    def _started(self) -> Run:
        if self._run is None:
            raise QueryError(f"the query {self.name} has not been started", "", "call start() first")
        return self._run


def _one_of(what: str, options: type[_Option], name: str) -> _Option:
    try:
        return options(name)
    except ValueError:
        known = choices([str(option.value) for option in options])
        raise QueryError(f"unknown {what} {name!r}", "", known) from None
