"""Checkpoints as Spark writes them on this machine: the files are what they would be."""

import stat
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.sql import SparkSession

from punctum.engine.checkpoint_files import called_by_spark


def written(spark: SparkSession, place: str) -> None:
    """Write a file as Spark writes those of a checkpoint."""
    jvm: Any = spark.sparkContext._jvm
    conf = spark.sparkContext._jsc.hadoopConfiguration()
    path = jvm.org.apache.hadoop.fs.Path(place)
    files = path.getFileSystem(conf)
    name = "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"
    manager = jvm.java.lang.Class.forName(name).getConstructors()[0].newInstance(_array(spark, path, conf))
    out = manager.createAtomic(path, True)
    out.write(bytearray(b"v1"))
    out.close()
    assert [str(there.getPath()) for there in files.listStatus(path)] == [place]


def _array(spark: SparkSession, *values: Any) -> Any:
    gateway: Any = spark.sparkContext._gateway
    array = gateway.new_array(gateway.jvm.java.lang.Object, len(values))
    for n, value in enumerate(values):
        array[n] = value
    return array


def test_files_are_what_they_would_be(spark: SparkSession, tmp_path: Path) -> None:
    for name, place in (("ours", called_by_spark(spark, tmp_path)), ("theirs", f"file:{tmp_path}")):
        (tmp_path / name).mkdir()
        written(spark, f"{place}/{name}/a b%20é#1")
    ours, theirs = (
        {path.name: (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) for path in (tmp_path / name).iterdir()}
        for name in ("ours", "theirs")
    )
    assert called_by_spark(spark, tmp_path).startswith("punctum:/")
    assert ours == theirs
    assert len(ours) == 2  # the file and its checksum


def test_where_spark_has_other_insides_it_writes_as_ever(tmp_path: Path) -> None:
    class Closed:
        @property
        def _jvm(self) -> Any:
            raise Py4JError("no such thing")

    assert called_by_spark(SimpleNamespace(sparkContext=Closed()), tmp_path) == str(tmp_path)  # type: ignore[arg-type]
