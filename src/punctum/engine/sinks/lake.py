"""Tables of Delta Lake and Iceberg: a batch's rows are appended by Spark's own writers, once, however often it is done.

Delta knows by a transaction's name and number that it has a batch already; of Iceberg the table's snapshots are asked
before the first batch of a run. Their packages have to be there: Spark has neither.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from punctum.engine.sinks.owned import taken
from punctum.errors import MissingError, QueryError
from punctum.ir.definitions import SinkDef

_CLASSES = {
    "delta": ("org.apache.spark.sql.delta.catalog.DeltaCatalog", "Delta Lake", "io.delta:delta-spark_4.2_2.13"),
    "iceberg": (
        "org.apache.iceberg.spark.SparkCatalog",
        "Iceberg",
        "org.apache.iceberg:iceberg-spark-runtime-4.1_2.13",
    ),
}
"""What shows that a package is there, whose it is, and what it is called."""
_QUERY, _BATCH = "punctum-query", "punctum-batch"
"""What a snapshot of Iceberg's says of the batch that has made it."""
_APPLICATION = "punctum-"
"""What comes before a query's name in a transaction of Delta's."""


@dataclass
class LakeTable:
    """A table that gets a query's results, batch by batch."""

    format: str
    place: str
    partitioned: tuple[str, ...]
    query: str
    _first: bool = field(default=True, init=False)

    @staticmethod
    def of(sink: SinkDef, place: str, query: str, spark: SparkSession, free: bool = False) -> "LakeTable":
        """That of a sink, when its package is there, and nobody else has written to it if it is to be free."""
        check_package(sink, spark)
        table = LakeTable(sink.format, place, sink.partitioned, query)
        with _spoken(f"the sink {sink.name} cannot be opened", spark):
            there = table.exists(spark)
            others = table.others(spark) if there and free else []
        if others:
            raise taken(f"the table {place}", f"the query {others[0]} has written to it with another checkpoint")
        return table

    def write(self, rows: DataFrame, batch: int) -> None:
        """Append the rows of a batch, unless the table has them; a batch without rows leaves nothing."""
        with _spoken(f"batch {batch} cannot be written to {self.place}", rows.sparkSession):
            if rows.isEmpty():
                return
            if self.format == "delta":
                self._to_delta(rows, batch)
            elif not (self._first and self._has(rows.sparkSession, batch)):
                self._to_iceberg(rows, batch)
            self._first = False

    def exists(self, spark: SparkSession) -> bool:
        """Whether the table is there."""
        if self.format == "iceberg":
            return spark.catalog.tableExists(self.place)
        jvm: Any = spark.sparkContext._jvm
        return bool(jvm.io.delta.tables.DeltaTable.isDeltaTable(spark._jsparkSession, self.place))

    def _to_delta(self, rows: DataFrame, batch: int) -> None:
        writer = rows.write.format("delta").mode("append")
        writer = writer.option("txnAppId", f"{_APPLICATION}{self.query}").option("txnVersion", batch)
        (writer.partitionBy(*self.partitioned) if self.partitioned else writer).save(self.place)

    def _to_iceberg(self, rows: DataFrame, batch: int) -> None:
        writer = rows.writeTo(self.place)
        if not self.exists(rows.sparkSession):
            made = rows.limit(0).writeTo(self.place).using("iceberg")
            (made.partitionedBy(*map(F.col, self.partitioned)) if self.partitioned else made).create()
        writer = writer.option(f"snapshot-property.{_QUERY}", self.query)
        writer.option(f"snapshot-property.{_BATCH}", str(batch)).append()

    def others(self, spark: SparkSession) -> list[str]:
        """Which other queries have written to the table, as far as it still knows."""
        if self.format == "iceberg":
            who = self._summaries(spark).select(F.col("summary").getItem(_QUERY).alias("who"))
        else:
            log = spark.read.schema("txn STRUCT<appId: STRING>").json(f"{self.place}/_delta_log/*.json")
            who = log.select(F.regexp_extract("txn.appId", f"^{_APPLICATION}(.*)", 1).alias("who"))
        return [row.who for row in who.distinct().collect() if row.who and row.who != self.query]

    def _summaries(self, spark: SparkSession) -> DataFrame:
        return spark.read.format("iceberg").load(f"{self.place}.snapshots").select("summary")

    def _has(self, spark: SparkSession, batch: int) -> bool:
        """Whether a snapshot says that it has a batch of this query, or a later one."""
        if not self.exists(spark):
            return False
        mine = self._summaries(spark).where(F.col("summary").getItem(_QUERY) == self.query)
        (last,) = mine.select(F.max(F.col("summary").getItem(_BATCH).cast("long"))).first() or (None,)
        return last is not None and int(last) >= batch


@contextmanager
def _spoken(what: str, spark: SparkSession) -> Iterator[None]:
    """What Spark and the package raise, as an error of ours; one of the JVM alone is that they do not fit together."""
    try:
        yield
    except PySparkException as error:
        detail = str(error).strip().partition("\n")[0]
        hint = "change the table or name another one, then run the same command again to resume"
        raise QueryError(what, detail, hint) from None
    except Py4JJavaError as error:
        detail = str(error.java_exception.toString()).strip().partition("\n")[0]
        hint = f"take the package that is made for Spark {spark.version} (docs/files.md)"
        raise QueryError(what, detail, hint) from None


def check_package(sink: SinkDef, spark: SparkSession) -> None:
    """An error when Spark cannot write a sink's tables."""
    name, whose, package = _CLASSES[sink.format]
    jvm: Any = spark.sparkContext._jvm
    try:
        jvm.java.lang.Thread.currentThread().getContextClassLoader().loadClass(name)
    except Py4JJavaError:
        hint = f"set spark.jars.packages to {package}:… and what else it asks for (docs/files.md)"
        raise MissingError(f"the sink {sink.name} needs {whose}", f"Spark has no class {name}", hint) from None
