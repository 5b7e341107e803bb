"""The whole walk on one screen: SQL text -> parse -> analyse -> plan -> stages on Spark -> sink.

In the examples, ``spark`` is a Spark session, and ``bids`` a streaming DataFrame of a directory with three bids and the
punctuation of item 17. ``directory`` holds the script of the README, ``auction.sql``, and what its streams read, and
``replicas.sql``, a merge of three replicas with a control.
"""

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.types import DataType, DecimalType, StructType

from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.scheme import Scheme
from punctum.algebra.values import Type
from punctum.analyse.report.notebook import html
from punctum.analyse.report.text import admit
from punctum.analyse.safety.register import QueryAnalysis, checked
from punctum.analyse.safety.updates import key
from punctum.engine.commit import Commit
from punctum.engine.formats.files import PUNCT_COLUMN
from punctum.engine.query import Settings, dataframe
from punctum.engine.run import Run
from punctum.engine.runtime.lmerge import ATTACH, DETACH, tell
from punctum.engine.sources.frames import frames
from punctum.engine.sources.memory import MEMORY, MemoryStream
from punctum.engine.sources.tables import members
from punctum.engine.spark import keeping_state, log_of, spark_session
from punctum.engine.start import hand_over, write
from punctum.errors import PunctumError, QueryError, SchemaError, choices, nearest
from punctum.ir.applied import UserFunction
from punctum.ir.definitions import QueryDef, StreamDef, takes_punctuations, writes_apart
from punctum.parse.ddl.temporal import read_of
from punctum.parse.script import is_query, parse_function, parse_script, parse_select, parse_stream
from punctum.plan.joins.choose import PlanOptions, Schemes
from punctum.plan.joins.cost import Objective, Purge
from punctum.plan.joins.idle import mark_unused_schemes
from punctum.plan.physical.stages import Stage, stages

_TYPES = {
    "tinyint": Type.BIGINT,
    "smallint": Type.BIGINT,
    "int": Type.BIGINT,
    "bigint": Type.BIGINT,
    "float": Type.DOUBLE,
    "double": Type.DOUBLE,
    "string": Type.STRING,
    "boolean": Type.BOOLEAN,
    "date": Type.DATE,
    "timestamp": Type.TIMESTAMP,
    "timestamp_ntz": Type.TIMESTAMP_NTZ,
}


_LOG = logging.getLogger(__name__)
_Option = TypeVar("_Option", bound=Enum)


class Session:
    """Streams that queries can read, and the Spark session that runs them.

    A Spark session of your own is made to keep state in RocksDB, without which Spark has no stateful Python.

    >>> session = Session(spark)
    >>> session.stream("bid", bids, punctuated=["itemid"])
    >>> totals = session.sql("SELECT itemid, SUM(increase) AS total FROM bid GROUP BY itemid")
    >>> totals.dataframe()
    DataFrame[itemid: bigint, total: double]
    """

    def __init__(self, spark: SparkSession | None = None) -> None:
        self.spark = spark_session() if spark is None else keeping_state(spark)
        self._streams: dict[str, StreamDef] = {}
        self._frames: dict[str, DataFrame] = {}
        self._memories: dict[str, MemoryStream] = {}
        self._functions: dict[str, UserFunction] = {}

    def function(self, name: str, compute: Callable[..., Any], takes: Iterable[str], gives: str) -> None:
        """Name a function that queries can call: it takes a Polars series for each argument, and gives one.

        The types are written as in SQL. It runs in Spark's workers, over a piece of a stream at a time, and must give
        the same values for the same arguments, in whatever pieces they come.

        >>> session = Session(spark)
        >>> session.stream("bid", bids)
        >>> session.function("cents", lambda price: (100 * price).round(), takes=["DOUBLE"], gives="BIGINT")
        >>> session.sql("SELECT itemid, cents(increase) AS increase FROM bid WHERE cents(increase) > 300").dataframe()
        DataFrame[itemid: bigint, increase: bigint]
        """
        self._functions[name.lower()] = parse_function(name, compute, takes, gives)

    def stream(
        self, name: str, frame: DataFrame, punctuated: Iterable[str | Iterable[str]] = (), clauses: str = ""
    ) -> None:
        """Name a streaming DataFrame, and say on which attributes its punctuations come.

        Punctuations are rows whose string column ``_punct`` holds their JSON, and those that clauses, written as in
        CREATE STREAM, make of the rows.

        >>> session = Session(spark)
        >>> session.stream("bid", bids, punctuated=["itemid", ["itemid", "increase"]])
        >>> session.stream("bid", bids, clauses="PUNCTUATE (itemid) WHEN increase < 0, DOMAIN itemid BETWEEN 1 AND 99")
        >>> session.stream("bid", bids, punctuated=["itmid"])
        Traceback (most recent call last):
        ...
        punctum.errors.SchemaError: there is no attribute itmid
          detail: there are: itemid, increase
          hint: did you mean itemid?
        """
        if not frame.isStreaming:
            raise SchemaError(f"the DataFrame of {name} is not a stream", "", "make it with spark.readStream")
        stream = parse_stream(name, _schema(frame.schema), clauses)
        schemes = [Scheme.of(stream.schema, *([on] if isinstance(on, str) else on)) for on in punctuated]
        self._streams[name] = replace(stream, schemes=tuple(dict.fromkeys([*schemes, *stream.schemes])))
        self._frames[name] = frame

    def memory(self, name: str, columns: str = "") -> MemoryStream:
        """A stream that the program fills, slice by slice: of a script (USING memory), or a new one of these columns.

        >>> session = Session(spark)
        >>> bid = session.memory("bid", "itemid BIGINT, increase DOUBLE, PUNCTUATED ON (itemid)")
        >>> bid.add((17, 5.0), (18, 2.0), {"$punct": {"itemid": 17}})
        >>> session.sql("SELECT itemid, SUM(increase) AS total FROM bid GROUP BY itemid").dataframe()
        DataFrame[itemid: bigint, total: double]
        """
        if columns:
            made = parse_script(f"CREATE STREAM `{name}` ({columns}) USING {MEMORY};", self._streams).streams
            self._fill(made)
            self._streams |= made
        if name not in self._memories:
            hint = f"CREATE STREAM {name} (…) USING {MEMORY}, or give its columns"
            raise SchemaError(f"there is no stream {name} in memory", choices(self._memories), hint)
        return self._memories[name]

    def _fill(self, streams: Mapping[str, StreamDef]) -> None:
        """Make the streams that the program fills; one that there is already goes on."""
        for name, stream in ((name, read_of(each)) for name, each in streams.items()):
            if stream.format == MEMORY and name not in self._memories:
                self._memories[name] = MemoryStream(stream.schema)
            elif stream.format == MEMORY and self._memories[name].schema != stream.schema:
                detail = f"it has ({self._memories[name].schema})"
                raise SchemaError(f"there is another stream {name} in memory", detail, "rename one")

    def sql(self, text: str, directory: str | Path = ".") -> "Query | list[Query]":
        """The query of a SELECT, or the queries of a script; paths in a script are relative to the directory.

        >>> session = Session(spark)
        >>> [query.name for query in session.sql((directory / "auction.sql").read_text(), directory)]
        ['closing']
        """
        if is_query(text):
            return Query(self, parse_select(text, self._streams, self._functions), text, Path(directory))
        script = parse_script(text, self._streams, self._functions)
        self._fill(script.streams)
        return [Query(self, query, text, Path(directory)) for query in script.queries]

    def frames(self) -> dict[str, DataFrame]:
        """The DataFrames by their names."""
        return self._frames | {name: memory.frame(self.spark) for name, memory in self._memories.items()}


class Query:
    """A query that can be started, or had as a DataFrame, when it is admitted.

    >>> session = Session(spark)
    >>> session.stream("bid", bids)
    >>> session.sql("SELECT DISTINCT itemid FROM bid").dataframe()
    Traceback (most recent call last):
    ...
    punctum.errors.RefusedError: query: refused
      dupelim of bid: never purged, because it lacks a scheme on some of itemid
      without punctuations not in bounded memory: itemid of bid is in the result, and its values are without end (C1)
      none can be forgotten of bid(itemid) = (1), (2), (3), …: what comes later, such as bid(itemid) = (1), ...
      1 | SELECT DISTINCT itemid FROM bid
        | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: add PUNCTUATED ON (itemid) to bid
            or write ALLOW UNBOUNDED after the query
    >>> session.sql("SELECT DISTINCT itemid FROM bid ALLOW UNBOUNDED").dataframe()
    DataFrame[itemid: bigint]
    """

    def __init__(self, session: Session, definition: QueryDef, sql: str, directory: Path) -> None:
        self._session, self._known, self._sql, self._directory = (
            session,
            checked(QueryAnalysis(definition), sql),
            sql,
            directory,
        )
        self.name, self._relation = definition.name, definition.relation
        self._sink = definition.sink if definition.sink.format else None
        self._run: Run | None = None
        self._plan_options = PlanOptions()

    def _repr_html_(self) -> str:
        """What a notebook shows: the verdict and the punctuation graphs.

        >>> (closing,) = Session(spark).sql((directory / "auction.sql").read_text(), directory)
        >>> print(closing._repr_html_().splitlines()[0])
        <div><pre>closing: admitted
        """
        return html(self._known, self._sql)

    @property
    def schema(self) -> Schema:
        """The columns of the result.

        >>> (closing,) = Session(spark).sql((directory / "auction.sql").read_text(), directory)
        >>> print(closing.schema)
        itemid BIGINT, total DOUBLE
        """
        return self._relation.schema

    def plan(self, objective: str | None = None, schemes: str = "all", purge: str = "eager") -> "Query":
        """Choose the plan of its joins: the best in ``memory`` or ``throughput``, and not the one that is written.

        It takes the punctuations of ``all`` schemes that are of use, or of a ``minimal`` set of them, and its joins
        purge in each batch (``eager``) or now and then (``lazy``).

        >>> (closing,) = Session(spark).sql((directory / "auction.sql").read_text(), directory)
        >>> closing.plan("speed")
        Traceback (most recent call last):
        ...
        punctum.errors.QueryError: there is no plan by speed
          hint: there are: memory, throughput
        """
        self._plan_options = PlanOptions(
            None if objective is None else _one_of(Objective, objective),
            _one_of(Schemes, schemes),
            _one_of(Purge, purge),
        )
        return self

    def dataframe(self, checkpoint: str | Path = "", punctuations: bool = False) -> DataFrame:
        """The result as a streaming DataFrame, for any sink of Spark's.

        Give the checkpoint when a stream of the query is read from files: the list of files is kept there.

        >>> session = Session(spark)
        >>> session.stream("bid", bids, punctuated=["itemid"])
        >>> large = session.sql("SELECT DISTINCT itemid FROM bid WHERE increase > 4")
        >>> large.dataframe(punctuations=True)
        DataFrame[itemid: bigint, _punct: string]
        """
        last = self._stages(punctuations)
        return dataframe(last, self._settings(last, checkpoint), punctuations)

    def start(
        self,
        checkpoint: str | Path,
        available_now: bool = False,
        to: Callable[[DataFrame, int], None] | None = None,
        state: str | Path = "",
    ) -> "Query":
        """Run until stopped, or until all that is there is done; with the same checkpoint, from where it stopped.

        The result goes to the query's sink, or to a function that takes each batch of it, a DataFrame, with the batch's
        number. After a crash the last batch may come again, with the same number and the same rows. A query with a new
        checkpoint can begin with the state of another one, that of a query with the same plan; its streams then hold
        what comes after that state.

        >>> (closing,) = Session(spark).sql((directory / "auction.sql").read_text(), directory)
        >>> closing.start(directory / "state", available_now=True).wait()
        >>> [line for file in (directory / "out/closing").glob("*.json") for line in file.read_text().splitlines()]
        ['{"itemid":17,"total":7.0}']
        >>> closing.metrics()[0]["operators"]["s1o1"]["rows_out"]
        1
        """
        if self.running:
            raise QueryError(f"the query {self.name} is running", "it was started before", "stop() it first")
        if to is None and self._sink is None:
            raise SchemaError("the query has no sink", "", "INSERT INTO a sink, start(to=…), or use dataframe()")
        begin = partial(self._begun, checkpoint, available_now, to, state)
        self._run = Run(self.name, begin, log_of(self._session.spark))
        return self

    def _begun(
        self,
        checkpoint: str | Path,
        available_now: bool,
        to: Callable[[DataFrame, int], None] | None,
        state: str | Path,
    ) -> tuple[StreamingQuery, Commit]:
        if to is not None:
            last = self._stages()
            settings = self._settings(last, checkpoint, state)
            return hand_over(last, settings, self.name, to, available_now)
        assert self._sink is not None
        last = self._stages(takes_punctuations(self._sink), out_of_band=writes_apart(self._sink))
        told = key(self._relation) if self._known.updates else None
        return write(last, self._settings(last, checkpoint, state), self._sink, available_now, told)

    @property
    def running(self) -> bool:
        """Whether it has been started and has not ended.

        >>> (closing,) = Session(spark).sql((directory / "auction.sql").read_text(), directory)
        >>> closing.running
        False
        """
        return self._run is not None and self._run.active

    @property
    def failure(self) -> PunctumError | None:
        """Why it has ended, when it has failed.

        >>> (closing,) = Session(spark).sql((directory / "auction.sql").read_text(), directory)
        >>> closing.start(directory / "well", available_now=True).wait()
        >>> print(closing.failure)
        None
        """
        return None if self._run is None else self._run.failure

    def wait(self) -> None:
        """Wait until it ends; one that has failed gives its error here.

        >>> (closing,) = Session(spark).sql((directory / "auction.sql").read_text(), directory)
        >>> closing.wait()
        Traceback (most recent call last):
        ...
        punctum.errors.QueryError: the query closing has not been started
          hint: start() it first
        """
        self._started().wait()

    def catch_up(self) -> None:
        """Wait until all that its streams have now is done."""
        self._started().catch_up()

    def metrics(self) -> list[dict[str, Any]]:
        """What each operator did in the last batches: rows and punctuations in, out and kept.

        Operators are named by their stage and their position in it. Item 18 is still open when this one ends:

        >>> (closing,) = Session(spark).sql((directory / "auction.sql").read_text(), directory)
        >>> closing.start(directory / "measured", available_now=True).wait()
        >>> (batch,) = closing.metrics()
        >>> batch["batch"], batch["operators"]["s1o0"]["rows_in"], batch["operators"]["s1o0"]["rows_kept"]
        (0, 4, 1)
        """
        return self._started().recent

    def attach(self, name: str, since: Any = None) -> None:
        """Let an input of a merge come, or come again, while the query runs; it is right from a time on, or always.

        >>> (merged,) = Session(spark).sql((directory / "replicas.sql").read_text(), directory)
        >>> merged.attach("c", since=100)
        >>> print(*[file.read_text().strip() for file in (directory / "control").glob("*.json")])
        {"input": "c", "change": "attach", "since": 100}
        """
        self._tell(name, ATTACH, since)

    def detach(self, name: str) -> None:
        """Let an input of a merge go: what it has said does not count any more.

        >>> (merged,) = Session(spark).sql((directory / "replicas.sql").read_text(), directory)
        >>> merged.detach("d")
        Traceback (most recent call last):
        ...
        punctum.errors.QueryError: the query merged merges no d
          detail: there are: a, b, c
        """
        self._tell(name, DETACH, None)

    def _tell(self, name: str, change: str, since: Any) -> None:
        merges = [merge for merge, _ in self._known.cases]
        merge = next((m for m in merges if name.lower() in (each.lower() for each in m.names)), None)
        if merge is None:
            known = [each for m in merges for each in m.names]
            raise QueryError(f"the query {self.name} merges no {name}", choices(known), nearest(name, known))
        if merge.control is None:
            hint = "LMERGE (…) OPTIONS (control 'directory')"
            raise QueryError(f"the merge of {', '.join(merge.names)} takes no changes", "it has no control", hint)
        tell(self._directory / merge.control.stream.options["path"], merge.control.schema, name, change, since)

    def stop(self) -> None:
        """Stop it; it can be started again with the same checkpoint.

        >>> (closing,) = Session(spark).sql((directory / "auction.sql").read_text(), directory)
        >>> closing.start(directory / "stopped").running
        True
        >>> closing.stop()
        >>> closing.running
        False
        """
        if self._run is not None:
            self._run.stop()

    def _stages(self, punctuations: bool = False, out_of_band: bool = False) -> Stage:
        """The stages of the query, when it is admitted; one that is only allowed to run says so."""
        if allowed := admit([self._known], self._sql):
            _LOG.warning(allowed)
        for merge, _ in self._known.cases:
            if merge.control is not None:
                (self._directory / merge.control.stream.options["path"]).mkdir(parents=True, exist_ok=True)
        relation = mark_unused_schemes(self._relation, punctuations, self._plan_options.schemes)
        tables = partial(members, directory=self._directory)
        options, updates = self._plan_options, self._known.updates
        return stages(
            relation,
            tables,
            global_punctuations=punctuations,
            out_of_band=out_of_band,
            options=options,
            updates=updates,
        )

    def _settings(self, last: Stage, checkpoint: str | Path, state: str | Path = "") -> Settings:
        kept, stored = ("" if path == "" else str(Path(path).resolve()) for path in (checkpoint, state))
        spark = self._session.spark
        given = frames(last, spark, kept) | self._session.frames()
        return Settings(spark, kept, str(self._directory.resolve()), given, state=stored)

    def _started(self) -> Run:
        if self._run is None:
            raise QueryError(f"the query {self.name} has not been started", "", "start() it first")
        return self._run


def _one_of(options: type[_Option], name: str) -> _Option:
    try:
        return options(name)
    except ValueError:
        raise QueryError(f"there is no plan by {name}", "", choices([str(each.value) for each in options])) from None


def _schema(fields: StructType) -> Schema:
    found = {f.name: f.dataType.simpleString() for f in fields}
    if found.get(PUNCT_COLUMN, "string") != "string":
        detail = f"it is a {found[PUNCT_COLUMN]}"
        raise SchemaError(f"the column {PUNCT_COLUMN} holds no punctuations", detail, "it is a string, of their JSON")
    return Schema(tuple(_attribute(f.name, f.dataType) for f in fields if f.name != PUNCT_COLUMN))


def _attribute(name: str, kind: DataType) -> Attribute:
    if isinstance(kind, DecimalType):
        return Attribute(name, Type.DECIMAL, digits=(kind.precision, kind.scale))
    try:
        return Attribute(name, _TYPES[kind.simpleString()])
    except KeyError:
        detail = f"{name} is a {kind.simpleString()}"
        raise SchemaError(f"the type of {name} is not supported", detail, "cast or drop it first") from None
