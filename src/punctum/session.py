"""The whole walk on one screen: SQL text -> parse -> plan -> stages on Spark -> sink.

::

    session = Session()
    session.stream("bid", bids, punctuated=["itemid"])          # any Spark streaming DataFrame
    query = session.sql("SELECT itemid, SUM(increase) AS total FROM bid GROUP BY itemid")
    running = query.dataframe().writeStream.format("console").start()
"""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.types import DataType, DecimalType, StructType

from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.scheme import Scheme
from punctum.algebra.values import Type
from punctum.engine.files import PUNCT_COLUMN
from punctum.engine.query import Settings, dataframe, metrics
from punctum.engine.sink import says, write
from punctum.engine.spark import spark_session
from punctum.errors import PunctumError, QueryError, SchemaError
from punctum.parse.definitions import SinkDef, StreamDef
from punctum.parse.relations import Relation
from punctum.parse.script import parse_query, parse_script
from punctum.plan.stages import stages

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


class Session:
    """Streams that queries can read, and the Spark session that runs them."""

    def __init__(self, spark: SparkSession | None = None) -> None:
        self.spark = spark_session() if spark is None else spark
        self._streams: dict[str, StreamDef] = {}
        self._frames: dict[str, DataFrame] = {}

    def stream(self, name: str, frame: DataFrame, punctuated: Iterable[str | Iterable[str]] = ()) -> None:
        """Name a streaming DataFrame, and say on which attributes its punctuations come.

        Punctuations are rows whose string column ``_punct`` holds their JSON; without such a column there are none.
        """
        schema = _schema(frame.schema)
        schemes = tuple(Scheme.of(schema, *([on] if isinstance(on, str) else on)) for on in punctuated)
        self._streams[name] = StreamDef(name, schema, schemes)
        self._frames[name] = frame

    def sql(self, text: str, directory: str | Path = ".") -> "Query | list[Query]":
        """The query of a SELECT, or the queries of a script; paths in a script are relative to the directory."""
        if text.split(None, 1)[:1] and text.split(None, 1)[0].upper() in ("SELECT", "WITH"):
            return Query(self, "query", parse_query(text, self._streams), None, Path(directory))
        script = parse_script(text, self._streams)
        return [Query(self, q.name, q.relation, q.sink, Path(directory)) for q in script.queries]

    def frames(self) -> dict[str, DataFrame]:
        """The DataFrames by their names."""
        return dict(self._frames)


class Query:
    """A query that can be started, or had as a DataFrame."""

    def __init__(self, session: Session, name: str, relation: Relation, sink: SinkDef | None, directory: Path) -> None:
        self._session, self.name, self._relation, self._sink, self._directory = session, name, relation, sink, directory
        self._running: StreamingQuery | None = None

    @property
    def schema(self) -> Schema:
        """The columns of the result."""
        return self._relation.schema

    def dataframe(self, checkpoint: str | Path = "", punctuations: bool = False) -> DataFrame:
        """The result as a streaming DataFrame, for any sink of Spark's.

        Give the checkpoint when a stream of the query is read from files: the list of files is kept there.
        """
        settings = Settings(self._session.spark, str(checkpoint), str(self._directory), self._session.frames())
        return dataframe(stages(self._relation), settings, punctuations)

    def start(self, checkpoint: str | Path, available_now: bool = False) -> "Query":
        """Run until stopped, or until all that is there is done; with the same checkpoint, from where it stopped."""
        if self._sink is None:
            raise SchemaError("the query has no sink", "", "INSERT INTO a sink, or use dataframe()")
        result = self.dataframe(checkpoint, says(self._sink))
        self._running = write(result, self._sink, str(checkpoint), str(self._directory), available_now)
        return self

    @property
    def running(self) -> bool:
        """Whether it has been started and has not ended."""
        return self._running is not None and bool(self._running.isActive)

    def wait(self) -> None:
        """Wait until it ends."""
        assert self._running is not None, "the query has not been started"
        try:
            self._running.awaitTermination()
        except StreamingQueryException as error:
            raise _ours(self.name, str(error)) from None

    def metrics(self) -> list[dict[str, Any]]:
        """What each operator did in the last batches: rows and punctuations in, out and kept."""
        assert self._running is not None, "the query has not been started"
        return [{"batch": p["batchId"], "operators": metrics(p)} for p in self._running.recentProgress]

    def stop(self) -> None:
        """Stop it; it can be started again with the same checkpoint."""
        if self._running is not None:
            self._running.stop()


def _ours(name: str, text: str) -> PunctumError:
    """The error of ours inside a failure that Spark reports, or the first line of one that is not."""
    found = re.search(r"punctum\.errors\.\w+: (.+)((?:\n  (?:detail|hint): .+)*)", text)
    if found is None:
        return QueryError(f"the query {name} has failed", text.splitlines()[0], "the log of Spark says more")
    parts = dict(re.findall(r"\n  (detail|hint): (.+)", found.group(2)))
    detail = f"{found.group(1)}: {parts['detail']}" if "detail" in parts else found.group(1)
    return QueryError(f"the query {name} has failed", detail, parts.get("hint", ""))


def _schema(fields: StructType) -> Schema:
    return Schema(tuple(_attribute(f.name, f.dataType) for f in fields if f.name != PUNCT_COLUMN))


def _attribute(name: str, kind: DataType) -> Attribute:
    if isinstance(kind, DecimalType):
        return Attribute(name, Type.DECIMAL, digits=(kind.precision, kind.scale))
    try:
        return Attribute(name, _TYPES[kind.simpleString()])
    except KeyError:
        detail = f"{name} is a {kind.simpleString()}"
        raise SchemaError(f"the type of {name} is not supported", detail, "cast or drop it first") from None
