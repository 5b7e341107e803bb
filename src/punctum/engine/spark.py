"""The Spark session that Punctum wants: local unless told, RocksDB for state, few partitions, no noise."""

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from sysconfig import get_path
from typing import Any

import pyspark
from py4j.protocol import Py4JError, Py4JJavaError  # type: ignore[import-untyped]
from pyspark import SparkContext
from pyspark.sql import SparkSession

from punctum.errors import MissingError, QueryError

_STATE = "spark.sql.streaming.stateStore"
_PROVIDER = f"{_STATE}.providerClass"
_VERSION = f"{_STATE}.checkpointFormatVersion"
_ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.sql.session.timeZone": "UTC",
    _PROVIDER: _ROCKSDB,
    f"{_STATE}.rocksdb.changelogCheckpointing.enabled": "true",
    _VERSION: "2",  # changes are never put on top of what a batch left that was done again
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",  # INT96 is read as nanoseconds, until the year 2262
    "spark.sql.execution.arrow.maxRecordsPerBatch": "1000000",
    "spark.ui.showConsoleProgress": "false",
    "spark.executorEnv.POLARS_MAX_THREADS": "1",
    "spark.python.worker.reuse": "true",
    "spark.python.unix.domain.socket.enabled": "true",  # small messages wait for no acknowledgement
}
_CHECKPOINT = "spark.sql.streaming"
_LOG = "spark.punctum.log"
_STOPPED = "stopped SparkContext"
"""What calls are answered with while Spark's process ends."""
LOCAL_SETTINGS = {
    "spark.driver.host": "127.0.0.1",  # nobody else has to reach what listens here
    "spark.driver.bindAddress": "127.0.0.1",
    # Spark's own choice starts five processes (readlink, chmod) for each file of a checkpoint, 40 in a small batch.
    f"{_CHECKPOINT}.checkpointFileManagerClass": (
        "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"
    ),
    "spark.shuffle.compress": "false",  # blobs of columns go from one process to another on the same machine
    f"{_CHECKPOINT}.checkpoint.fileChecksum.enabled": "false",  # a local file has a checksum beside it already
}


def spark_session(master: str = "local[*]", partitions: int | None = None, log: Path | None = None) -> SparkSession:
    """A session with the settings that punctuated queries need; the one that is there already, if there is one.

    What Spark and its Python workers print to standard error goes to the log, or nowhere.
    """
    java_or_error()
    os.environ.setdefault("PYSPARK_PYTHON", _python(master))
    os.environ.setdefault("PUNCTUM_PYTHON", sys.executable)
    os.environ.setdefault("POLARS_MAX_THREADS", "1")  # a worker for each core, so a thread for each worker
    builder = SparkSession.builder.appName("punctum").master(master)
    for name, value in (SETTINGS | (LOCAL_SETTINGS if master.startswith("local") else {})).items():
        builder = builder.config(name, value)
    builder = builder.config("spark.sql.shuffle.partitions", str(partitions or max(2, min(os.cpu_count() or 2, 8))))
    builder = builder if log is None else builder.config(_LOG, str(log))
    with _stderr_to(log or Path(os.devnull)):  # the JVM is started here and inherits it
        spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    _end_quietly(spark)
    return spark


def _python(master: str) -> str:
    """The Python of workers: this one, and on this machine with PySpark as it is installed here.

    What a JVM that runs already gives its workers is not known, so these get this Python as it is.
    """
    script = Path(__file__).with_name("python.sh")
    installed = Path(pyspark.__file__).parents[1] == Path(get_path("purelib"))
    ours = master.startswith("local") and SparkContext._gateway is None and "PYSPARK_GATEWAY_PORT" not in os.environ
    return str(script) if ours and installed and os.access(script, os.X_OK) else sys.executable


def log_of(spark: SparkSession) -> str:
    """Where the tracebacks of workers are, in words."""
    return spark.conf.get(_LOG, None) or "the log of Spark"


def _end_quietly(spark: SparkSession) -> None:
    """When Spark's process is killed, PySpark's server need not show where it noticed: ``spark_alive`` says it."""
    server: Any = spark.sparkContext._accumulatorServer
    told = type(server).handle_error

    def handle(*request: Any) -> None:
        if not isinstance(sys.exception(), EOFError):
            told(server, *request)

    server.handle_error = handle


def keeping_state(spark: SparkSession) -> SparkSession:
    """A session of someone else's, made to keep state where stateful processors can: Spark's default cannot."""
    if "RocksDB" not in (spark.conf.get(_PROVIDER) or ""):
        spark.conf.set(_PROVIDER, _ROCKSDB)
        spark.conf.set(_VERSION, SETTINGS[_VERSION])
    return spark


@contextmanager
def spark_alive() -> Iterator[None]:
    """Whatever asks Spark for something inside: an error that says so when there is no Spark any more."""
    try:
        yield
    except (Py4JError, ConnectionError) as error:
        if isinstance(error, Py4JJavaError) and _STOPPED not in str(error):  # what Spark itself has to say
            raise
        hint = "run the same command again: queries go on where they stopped"
        noticed = str(error).partition("\n")[0]
        raise QueryError("Spark has stopped", f"its process has ended or was killed: {noticed}", hint) from None


@contextmanager
def _stderr_to(path: Path) -> Iterator[None]:
    path.parent.mkdir(parents=True, exist_ok=True)
    sys.stderr.flush()
    ours = os.dup(2)
    with path.open("ab") as target:
        os.dup2(target.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(ours, 2)
        os.close(ours)


def java_or_error() -> None:
    """Say at once when there is no Java, and how to get it."""
    home = os.environ.get("JAVA_HOME")
    if not (home and (Path(home) / "bin" / "java").exists()) and shutil.which("java") is None:
        hint = "install Java 17, for example: apt-get install openjdk-17-jre-headless (or set JAVA_HOME)"
        raise MissingError("Spark needs Java 17, and there is none", "no java on PATH and none in JAVA_HOME", hint)
