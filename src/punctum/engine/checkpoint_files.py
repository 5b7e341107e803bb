"""Checkpoints of this machine as Spark writes them: without a process of the system for each file.

For each file that it writes, Hadoop starts ``chmod``, in a JVM without Hadoop's native libraries: three and more in a
small batch, a few milliseconds each. ``CheckpointFiles.java`` sets permissions itself, and changes nothing else: the
files are what they would be, and any Spark reads them. Spark has a compiler for Java, which compiles it in Spark's
process; only checkpoints of ours are reached through it. Where that fails, Spark writes them as it always does.
"""

from contextlib import suppress
from importlib import resources
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JError, Py4JJavaError  # type: ignore[import-untyped]
from pyspark.sql import SparkSession

from punctum.engine.spark import for_spark
from punctum.storage.location import Location

_SCHEME, _CLASS = "punctum", "CheckpointFiles"


def called_by_spark(spark: SparkSession, checkpoint: Location) -> str:
    """What Spark is to call a checkpoint."""
    if not isinstance(checkpoint, Path):
        return for_spark(checkpoint)
    with suppress(Py4JError, TypeError):  # of a Spark whose insides are others
        jvm: Any = spark.sparkContext._jvm
        conf = jvm.org.apache.hadoop.conf.Configuration(spark.sparkContext._jsc.hadoopConfiguration())
        root, files = jvm.java.net.URI(f"{_SCHEME}:///"), jvm.org.apache.hadoop.fs.FileSystem
        try:
            files.get(root, conf)
        except Py4JJavaError:  # not known yet
            conf.setClassLoader(_compiled(jvm))
            conf.set(f"fs.{_SCHEME}.impl", _CLASS)
            files.get(root, conf)  # from now on it is known by its name
        return f"{_SCHEME}:{checkpoint.resolve()}"
    return str(checkpoint)


def _compiled(jvm: Any) -> Any:
    """What loads the class."""
    compiler = jvm.org.codehaus.janino.SimpleCompiler()
    compiler.setParentClassLoader(jvm.java.lang.Thread.currentThread().getContextClassLoader())
    compiler.cook(resources.files("punctum.engine").joinpath(f"{_CLASS}.java").read_text("utf-8"))
    return compiler.getClassLoader()
