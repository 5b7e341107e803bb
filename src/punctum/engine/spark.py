"""The Spark session that Punctum wants: local unless told, few partitions, no noise."""

import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from getpass import getuser
from pathlib import Path
from tempfile import gettempdir
from types import MappingProxyType
from typing import Any

from py4j.protocol import Py4JError, Py4JJavaError  # type: ignore[import-untyped]
from pyspark import SparkConf, SparkContext
from pyspark.sql import SparkSession

from punctum.engine.launch import launch, launched
from punctum.engine.partitions import BUCKETS, MOST
from punctum.errors import MissingError, QueryError
from punctum.storage.location import Location, StorePath
from punctum.storage.stores import ENDPOINTS, REGIONS, endpoint_of_s3, region_of_s3

_STATE = "spark.sql.streaming.stateStore"
_PROVIDER = f"{_STATE}.providerClass"
_VERSION = f"{_STATE}.checkpointFormatVersion"
_ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
TIME_ZONE = "spark.sql.session.timeZone"
S3A = "spark.hadoop.fs.s3a"
HADOOP_AWS = "org.apache.hadoop:hadoop-aws:3.5.0"
"""What Spark needs for checkpoints in S3, of the version that its own Hadoop has."""
NAME, UI = "spark.app.name", "spark.ui.enabled"
SETTINGS = {
    UI: "false",
    TIME_ZONE: "UTC",
    _PROVIDER: _ROCKSDB,
    f"{_STATE}.rocksdb.changelogCheckpointing.enabled": "true",
    _VERSION: "2",  # changes are never put on top of what a batch left that was done again
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",  # INT96 is read as nanoseconds, until the year 2262
    "spark.sql.execution.arrow.maxRecordsPerBatch": "1000000",
    "spark.ui.showConsoleProgress": "false",
    "spark.executorEnv.POLARS_MAX_THREADS": "1",
    # What a batch frees is kept for the next one: by Arrow as init_worker tells the system, by Polars for ten seconds.
    "spark.executorEnv.ARROW_DEFAULT_MEMORY_POOL": "system",
    "spark.executorEnv._RJEM_MALLOC_CONF": "dirty_decay_ms:10000,oversize_threshold:0",
    "spark.python.worker.reuse": "true",
    "spark.python.unix.domain.socket.enabled": "true",  # small messages wait for no acknowledgement
    "spark.sql.execution.pyspark.udf.simplifiedTraceback.enabled": "false",  # so that sources and stages share workers
}
UNSEEN_SETTINGS = {
    "spark.ui.retainedJobs": "10",
    "spark.ui.retainedStages": "10",
    "spark.sql.ui.retainedExecutions": "10",
}
"""What Spark remembers for its pages, also when nobody can see them: by itself a thousand of each."""
NONE: Mapping[str, str] = MappingProxyType({})
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


def spark_session(
    master: str | None = None,
    partitions: int | None = None,
    log: Path | None = None,
    settings: Mapping[str, str] = NONE,
) -> SparkSession:
    """A session with the settings that punctuated queries need; the one that is there already, if there is one.

    Its master is the one that is named, that of spark-submit, or this machine. Queries have as many buckets as it is
    told partitions. What Spark and its Python workers print to standard error goes to the log, or nowhere. Of its
    settings, those that are given count most, then those of spark-submit.
    """
    start_jvm(master, partitions, log, settings=settings)
    launched()
    builder = SparkSession.builder.appName("punctum").master(master or _master())
    for name, value in session_settings(master, partitions, log, settings).items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    _end_quietly(spark)
    return spark


def start_jvm(
    master: str | None = None,
    partitions: int | None = None,
    log: Path | None = None,
    short: bool = False,
    settings: Mapping[str, str] = NONE,
) -> None:
    """Begin to start Spark for a session that will be asked for with the same arguments, and do not wait for it.

    One for a short run starts sooner, and never gets as fast.
    """
    java_or_error()
    launch(master or _master(), session_settings(master, partitions, log, settings), log, short)


def spark_log(checkpoint: Location) -> Path:
    """Where Spark and its workers print to: in the checkpoint, or, when that is in a store, on this machine."""
    if isinstance(checkpoint, Path):
        return checkpoint / "spark.log"
    return Path(gettempdir()) / f"punctum-{getuser()}-{os.getpid()}-spark.log"


def _of_s3() -> dict[str, str]:
    """How Spark reaches another server for S3: by the variables that ``storage/stores.py`` goes by."""
    endpoint, region = endpoint_of_s3(), region_of_s3()
    settings = {f"{S3A}.endpoint": endpoint, f"{S3A}.path.style.access": "true"} if endpoint else {}
    settings |= {f"{S3A}.endpoint.region": region} if region else {}
    known = {name: os.environ[name] for name in (*ENDPOINTS, *REGIONS) if os.environ.get(name)}
    return settings | {f"spark.executorEnv.{name}": value for name, value in known.items()}


def for_spark(place: Location) -> str:
    """A place as Spark calls it: its name for S3 is s3a."""
    return f"s3a{str(place)[2:]}" if isinstance(place, StorePath) and place.scheme == "s3" else str(place)


def check_storage(spark: SparkSession, place: Location) -> None:
    """An error when Spark cannot use the store of a place: it needs a package for it."""
    if not isinstance(place, StorePath):
        return
    scheme = for_spark(place).partition(":")[0]
    jvm: Any = spark.sparkContext._jvm
    try:
        jvm.org.apache.hadoop.fs.FileSystem.getFileSystemClass(scheme, spark.sparkContext._jsc.hadoopConfiguration())
    except Py4JJavaError as error:
        package = {"s3a": HADOOP_AWS}.get(scheme, "the Hadoop package of this store")
        cause = str(error.java_exception.getMessage()).partition("\n")[0]
        hint = f"set spark.jars.packages to {package} (docs/files.md)"
        raise MissingError(f"Spark cannot use {scheme}://", cause, hint) from None


def session_settings(
    master: str | None = None,
    partitions: int | None = None,
    log: Path | None = None,
    more: Mapping[str, str] = NONE,
) -> dict[str, str]:
    """The settings of a session that is asked for with these arguments, of which more count most."""
    settings = SETTINGS | (LOCAL_SETTINGS if (master or _master()).startswith("local") else {})
    settings |= {"spark.sql.shuffle.partitions": str(partitions or min(os.cpu_count() or 2, MOST))}
    settings |= {BUCKETS: str(partitions)} if partitions else {}
    settings |= {**_of_s3(), **({_LOG: str(log)} if log else {}), **submitted(), **more}
    return settings if settings[UI] == "true" else UNSEEN_SETTINGS | settings


def _master() -> str:
    """The master that spark-submit was told, or this machine."""
    return submitted().get("spark.master", "local[*]")


def submitted() -> dict[str, str]:
    """The settings of spark-submit, when it has started this process; the name of a program is none of a run."""
    if "PYSPARK_GATEWAY_PORT" not in os.environ:
        return {}
    SparkContext._ensure_initialized()
    known = dict(SparkConf().getAll())
    if known.get(NAME, "").endswith(".py"):
        del known[NAME]
    return known


def only_ours(spark: SparkSession) -> None:
    """Let Spark not look for data sources in other packages: it starts two processes for that, and scripts name none.

    Where the list of them is kept is Spark's own business. When it is elsewhere, Spark looks.
    """
    with suppress(Py4JError, AttributeError, TypeError):
        jvm: Any = spark.sparkContext._jvm
        manager = getattr(getattr(jvm.org.apache.spark.sql.execution.datasources, "DataSourceManager$"), "MODULE$")
        none = getattr(getattr(jvm.scala.collection.immutable, "Map$"), "MODULE$").empty()
        getattr(manager, "dataSourceBuilders_$eq")(jvm.scala.Some(none))


def one_machine(spark: SparkSession) -> bool:
    """Whether all tasks of a session run on this machine, each of them once."""
    once = spark.conf.get("spark.speculation", "false") == "false"
    return once and re.fullmatch(r"local(\[(\d+|\*)\])?", spark.sparkContext.master or "") is not None


@contextmanager
def active(spark: SparkSession) -> Iterator[None]:
    """What happens inside happens in this session: Spark looks for data sources in the one that is active."""
    sessions: Any = SparkSession._get_j_spark_session_class(spark._jvm)
    before = sessions.getActiveSession()
    sessions.setActiveSession(spark._jsparkSession)
    try:
        yield
    finally:
        if before.isDefined():
            sessions.setActiveSession(before.get())
        else:
            sessions.clearActiveSession()


def log_of(spark: SparkSession) -> str | None:
    """The file of the log of Spark and its workers, if it is known."""
    return spark.conf.get(_LOG, None)


def log_in_words(spark: SparkSession) -> str:
    """Where the tracebacks of workers are."""
    return log_of(spark) or "the log of Spark (standard error, unless it is configured otherwise)"


def _end_quietly(spark: SparkSession) -> None:
    """When Spark's process is killed, PySpark's server need not show where it noticed: ``spark_alive`` says it."""
    server: Any = spark.sparkContext._accumulatorServer
    report = type(server).handle_error

    def handle(*request: Any) -> None:
        if not isinstance(sys.exception(), EOFError):
            report(server, *request)

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
        hint = "run the same command again to resume"
        noticed = str(error).partition("\n")[0]
        raise QueryError("Spark stopped unexpectedly", f"its process ended or was killed: {noticed}", hint) from None


def java_or_error() -> None:
    """Say at once when there is no Java, and how to get it."""
    home = os.environ.get("JAVA_HOME")
    if not (home and (Path(home) / "bin" / "java").exists()) and shutil.which("java") is None:
        hint = "install Java 17, for example: apt-get install openjdk-17-jre-headless (or set JAVA_HOME)"
        raise MissingError(
            "Spark needs Java 17, but Java was not found", "there is no java on PATH or in JAVA_HOME", hint
        )
