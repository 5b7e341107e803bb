"""Tables of Delta Lake and Iceberg: a batch's rows are appended by Spark's own writers, once, however often it is done.

Delta knows by a transaction's name and number that it has a batch already; of Iceberg the table's snapshots are asked
before the first batch of a run. Their packages have to be there: Spark has neither.
"""

from dataclasses import dataclass, field
from typing import Any

from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from punctum.errors import MissingError, QueryError
from punctum.ir.definitions import SinkDef

_CLASSES = {
    "delta": ("org.apache.spark.sql.delta.catalog.DeltaCatalog", "Delta Lake", "io.delta:delta-spark_2.13"),
    "iceberg": (
        "org.apache.iceberg.spark.SparkCatalog",
        "Iceberg",
        "org.apache.iceberg:iceberg-spark-runtime-4.0_2.13",
    ),
}
"""What shows that a package is there, whose it is, and what it is called."""
_QUERY, _BATCH = "punctum-query", "punctum-batch"
"""What a snapshot of Iceberg's says of the batch that has made it."""


@dataclass
class LakeTable:
    """A table that gets a query's results, batch by batch."""

    format: str
    place: str
    partitioned: tuple[str, ...]
    query: str
    _first: bool = field(default=True, init=False)

    @staticmethod
    def of(sink: SinkDef, place: str, query: str, spark: SparkSession) -> "LakeTable":
        """That of a sink, when its package is there."""
        check_package(sink, spark)
        return LakeTable(sink.format, place, sink.partitioned, query)

    def write(self, rows: DataFrame, batch: int) -> None:
        """Append the rows of a batch, unless the table has them; a batch without rows leaves nothing."""
        try:
            if rows.isEmpty():
                return
            if self.format == "delta":
                self._to_delta(rows, batch)
            elif not (self._first and self._has(rows.sparkSession, batch)):
                self._to_iceberg(rows, batch)
            self._first = False
        except PySparkException as error:
            detail = str(error).strip().partition("\n")[0]
            hint = "change the table or name another one, then run the same command again to resume"
            raise QueryError(f"batch {batch} cannot be written to {self.place}", detail, hint) from None

    def _to_delta(self, rows: DataFrame, batch: int) -> None:
        writer = rows.write.format("delta").mode("append")
        writer = writer.option("txnAppId", f"punctum-{self.query}").option("txnVersion", batch)
        (writer.partitionBy(*self.partitioned) if self.partitioned else writer).save(self.place)

    def _to_iceberg(self, rows: DataFrame, batch: int) -> None:
        writer = rows.writeTo(self.place)
        if not rows.sparkSession.catalog.tableExists(self.place):
            made = rows.limit(0).writeTo(self.place).using("iceberg")
            (made.partitionedBy(*map(F.col, self.partitioned)) if self.partitioned else made).create()
        writer = writer.option(f"snapshot-property.{_QUERY}", self.query)
        writer.option(f"snapshot-property.{_BATCH}", str(batch)).append()

    def _has(self, spark: SparkSession, batch: int) -> bool:
        """Whether a snapshot says that it has a batch of this query, or a later one."""
        if not spark.catalog.tableExists(self.place):
            return False
        summary = spark.read.format("iceberg").load(f"{self.place}.snapshots").select("summary")
        mine = summary.where(F.col("summary").getItem(_QUERY) == self.query)
        (last,) = mine.select(F.max(F.col("summary").getItem(_BATCH).cast("long"))).first() or (None,)
        return last is not None and int(last) >= batch


def check_package(sink: SinkDef, spark: SparkSession) -> None:
    """An error when Spark cannot write a sink's tables."""
    name, whose, package = _CLASSES[sink.format]
    jvm: Any = spark.sparkContext._jvm
    try:
        jvm.java.lang.Thread.currentThread().getContextClassLoader().loadClass(name)
    except Py4JJavaError:
        hint = f"set spark.jars.packages to {package}:… and what else it asks for (docs/files.md)"
        raise MissingError(f"the sink {sink.name} needs {whose}", f"Spark has no class {name}", hint) from None
