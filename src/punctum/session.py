"""The Python API: streams and functions that queries can name, and the queries of SQL texts.

In the examples, ``spark`` is a Spark session, and ``bids`` a streaming DataFrame of a directory with three bids and the
punctuation of item 17. ``directory`` holds the script of the README, ``auction.sql``, and what its streams read, and
``replicas.sql``, a merge of three replicas with a control.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import ArrayType, DataType, DecimalType, StructType

from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.scheme import Scheme
from punctum.algebra.values import Type
from punctum.compile import Compiled, Options, as_path, compile, compile_query, read_script
from punctum.engine.formats.files import PUNCT_COLUMN
from punctum.engine.memory import MAX_FILES, STATE_MEMORY, memory_size
from punctum.engine.partitions import BUCKETS
from punctum.engine.sources.directories import anchored
from punctum.engine.sources.memory import MEMORY, MemoryStream
from punctum.engine.spark import TIME_ZONE, keeping_state, spark_session
from punctum.engine.workers import check_workers
from punctum.errors import SchemaError, choices
from punctum.ir.applied import UserFunction
from punctum.ir.definitions import StreamDef
from punctum.ir.names import fresh
from punctum.parse.ddl.temporal import read_of
from punctum.parse.script import parse_function, parse_script, parse_stream
from punctum.query import Query
from punctum.storage.location import Location, location

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
    "interval day to second": Type.INTERVAL,
}


class Session:
    """Streams that queries can read, and the Spark session that runs them.

    A Spark session of your own is set to RocksDB, without which Spark has no stateful Python for ``dataframe()``. Local
    times are those of its zone, ``spark.sql.session.timeZone``, as it is when a query is made. Queries
    have as many buckets as given, or as the cluster has cores, up to 32; a checkpoint keeps the number it began with,
    unless a multiple of it is given. Of its state a worker keeps as much in memory as given ('500m', '2g'), or a
    quarter of the machine's divided by its cores; the rest lies in files. A batch reads as many new files of a stream
    at most as given, unless the stream says it.

    >>> session = Session(spark)
    >>> session.stream("bid", bids, punctuated=["itemid"])
    >>> totals = session.query("SELECT itemid, SUM(increase) AS total FROM bid GROUP BY itemid")
    >>> totals.dataframe()
    DataFrame[itemid: bigint, total: double]
    """

    def __init__(
        self,
        spark: SparkSession | None = None,
        buckets: int | None = None,
        state_memory: str | None = None,
        max_files: int | None = None,
    ) -> None:
        self.spark = spark_session() if spark is None else keeping_state(spark)
        check_workers(self.spark)
        if buckets is not None:
            self.spark.conf.set(BUCKETS, str(buckets))
        if state_memory is not None:
            self.spark.conf.set(STATE_MEMORY, str(memory_size(state_memory)))
        if max_files is not None:
            self.spark.conf.set(MAX_FILES, str(max_files))
        self._streams: dict[str, StreamDef] = {}
        self._frames: dict[str, DataFrame] = {}
        self._memories: dict[str, MemoryStream] = {}
        self._functions: dict[str, UserFunction] = {}
        self._names: list[str] = []

    def function(self, name: str, compute: Callable[..., Any], takes: Iterable[str], gives: str) -> None:
        """Name a function that queries can call: it takes a Polars series for each argument, and gives one.

        The types are written as in SQL. It runs in Spark's workers, over a piece of a stream at a time, and must give
        the same values for the same arguments, in whatever pieces they come.

        >>> session = Session(spark)
        >>> session.stream("bid", bids)
        >>> session.function("cents", lambda price: (100 * price).round(), takes=["DOUBLE"], gives="BIGINT")
        >>> session.query("SELECT itemid, cents(increase) AS increase FROM bid WHERE cents(increase) > 300").dataframe()
        DataFrame[itemid: bigint, increase: bigint]
        """
        self._functions[name.lower()] = parse_function(name, compute, takes, gives)

    def stream(
        self, name: str, frame: DataFrame, punctuated: Iterable[str | Iterable[str]] = (), clauses: str = ""
    ) -> None:
        """Name a streaming DataFrame, and state on which attributes its punctuations come.

        Punctuations are rows whose string column ``_punct`` holds their JSON, and those that clauses, written as in
        CREATE STREAM, make of the rows.

        >>> session = Session(spark)
        >>> session.stream("bid", bids, punctuated=["itemid", ["itemid", "increase"]])
        >>> session.stream("bid", bids, clauses="PUNCTUATE (itemid) WHEN increase < 0, DOMAIN itemid BETWEEN 1 AND 99")
        >>> session.stream("bid", bids, punctuated=["itmid"])
        Traceback (most recent call last):
        ...
        punctum.errors.SchemaError: there is no column itmid
          detail: available: itemid, increase
          hint: did you mean itemid?
        """
        if not frame.isStreaming:
            raise SchemaError(f"the DataFrame of {name} is not streaming", "", "create it with spark.readStream")
        stream = parse_stream(name, _schema(frame.schema), clauses, self._zone)
        schemes = [Scheme.of(stream.schema, *([on] if isinstance(on, str) else on)) for on in punctuated]
        self._streams[name] = replace(stream, schemes=tuple(dict.fromkeys([*schemes, *stream.schemes])))
        self._frames[name] = frame

    def memory(self, name: str, columns: str = "") -> MemoryStream:
        """A stream that the program fills, slice by slice: of a script (USING memory), or a new one of these columns.

        >>> session = Session(spark)
        >>> bid = session.memory("bid", "itemid BIGINT, increase DOUBLE, PUNCTUATED ON (itemid)")
        >>> bid.add((17, 5.0), (18, 2.0), {"$punct": {"itemid": 17}})
        >>> session.query("SELECT itemid, SUM(increase) AS total FROM bid GROUP BY itemid").dataframe()
        DataFrame[itemid: bigint, total: double]
        """
        if columns:
            sql = f"CREATE STREAM `{name}` ({columns}) USING {MEMORY};"
            made = parse_script(sql, self._streams, zone=self._zone).streams
            self._fill(made)
            self._streams |= made
        if name not in self._memories:
            hint = f"CREATE STREAM {name} (…) USING {MEMORY}, or give its columns"
            raise SchemaError(f"there is no stream {name} in memory", choices(self._memories), hint)
        return self._memories[name]

    def _fill(self, streams: Mapping[str, StreamDef]) -> None:
        """Make the streams that the program fills; one that there is already goes on."""
        for name, stream in ((name, read_of(definition)) for name, definition in streams.items()):
            if stream.format == MEMORY and name not in self._memories:
                self._memories[name] = MemoryStream(stream.schema)
            elif stream.format == MEMORY and self._memories[name].schema != stream.schema:
                detail = f"it has ({self._memories[name].schema})"
                raise SchemaError(f"another stream {name} in memory exists", detail, "rename one")

    def query(self, sql: str, name: str = "", directory: str | Location = ".") -> Query:
        """The query of a SELECT; one without a name gets one.

        >>> session = Session(spark)
        >>> session.stream("bid", bids, punctuated=["itemid"])
        >>> session.query("SELECT DISTINCT itemid FROM bid WHERE increase > 4", name="large")
        <Query large: not started, admitted, (itemid BIGINT)>
        """
        if not isinstance(sql, str):
            raise SchemaError("a query is a text", f"found a {type(sql).__name__}", 'session.query("SELECT …")')
        compiled = compile_query(sql, name or fresh("query", list(self._names)), self._options)
        self._names.append(compiled.query.name.lower())
        return Query(self.spark, self.frames, compiled, location(directory))

    def script(self, script: str | Path, directory: str | Location | None = None) -> list[Query]:
        """The queries of a script, its text or the path of its file; the session remembers the streams that it defines.

        Paths in the script are relative to the directory: that of the file, or else the one where the program runs.

        >>> session = Session(spark)
        >>> session.script(directory / "auction.sql")
        [<Query closing: not started, admitted, (itemid BIGINT, total DOUBLE)>]
        >>> session.query("SELECT itemid, increase FROM bid WHERE increase > 4")
        <Query query: not started, admitted, (itemid BIGINT, increase DOUBLE)>
        """
        path = as_path(script)
        text = str(script) if path is None else read_script(path)
        base = location(directory) if directory is not None else Path(".") if path is None else path.parent
        return self.queries(compile(text, self._options), base)

    def queries(self, compiled: Compiled, directory: str | Location) -> list[Query]:
        """The queries of a script that has been compiled already."""
        streams = compiled.script.streams
        self._fill(streams)
        base = location(directory).resolve()
        self._streams |= {name: anchored(stream, base) for name, stream in streams.items()}
        return [Query(self.spark, self.frames, query, location(directory)) for query in compiled.queries]

    @property
    def _options(self) -> Options:
        return Options(streams=self._streams, functions=self._functions, zone=self._zone)

    @property
    def _zone(self) -> str:
        """The zone of local times, as it is when SQL is read."""
        return str(self.spark.conf.get(TIME_ZONE))

    def frames(self) -> dict[str, DataFrame]:
        """The DataFrames by their names."""
        return self._frames | {name: memory.frame(self.spark) for name, memory in self._memories.items()}


def _schema(fields: StructType) -> Schema:
    types = {f.name: f.dataType.simpleString() for f in fields}
    if types.get(PUNCT_COLUMN, "string") != "string":
        detail = f"it is a {types[PUNCT_COLUMN]}"
        raise SchemaError(f"the column {PUNCT_COLUMN} cannot hold punctuations", detail, "use a STRING with their JSON")
    return Schema(tuple(_attribute(f.name, f.dataType) for f in fields if f.name != PUNCT_COLUMN))


def _attribute(name: str, kind: DataType) -> Attribute:
    if isinstance(kind, DecimalType):
        return Attribute(name, Type.DECIMAL, digits=(kind.precision, kind.scale))
    if isinstance(kind, ArrayType):
        return Attribute(name, Type.ARRAY, parts=(_attribute("element", kind.elementType),))
    if isinstance(kind, StructType):
        return Attribute(name, Type.STRUCT, parts=tuple(_attribute(f.name, f.dataType) for f in kind))
    try:
        return Attribute(name, _TYPES[kind.simpleString()])
    except KeyError:
        detail = f"{name} is a {kind.simpleString()}"
        raise SchemaError(f"the type of {name} is not supported", detail, "cast or drop it first") from None
