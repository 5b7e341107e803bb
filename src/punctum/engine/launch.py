"""Spark's JVM, started in the background: while it starts, this process imports what it needs, and checks it.

It is a process of its own, which takes seconds to start; ``spark_session`` waits for it. One for a short run on this
machine does without its best compiler: half of the processor time of such a run went there.
"""

import os
import sys
import threading
from pathlib import Path
from sysconfig import get_path
from typing import Any

import pyspark
from pyspark import SparkConf, SparkContext
from pyspark.java_gateway import launch_gateway

SHORT = "-XX:TieredStopAtLevel=1"
"""What a JVM for a short run is started with; what SPARK_SUBMIT_OPTS has to say counts more."""
LOOPBACK = "127.0.0.1"
"""Where Spark's pages are when all of it is on this machine: by themselves they are for everybody who reaches it."""
_WRAPPER = Path(__file__).with_name("python.sh")
_STARTING: "list[Launch]" = []


class Launch:
    """A JVM that is starting, with the settings and the log that it was started with."""

    def __init__(self, settings: dict[str, str], log: Path | None) -> None:
        self._settings, self._log = settings, log or Path(os.devnull)
        self._gateway: Any = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._start, name="punctum-launch", daemon=True)
        self._thread.start()

    def _start(self) -> None:
        conf = SparkConf(loadDefaults=False).setAll(list(self._settings.items()))
        try:
            self._log.parent.mkdir(parents=True, exist_ok=True)
            with self._log.open("ab") as errors:  # of Spark and its workers, which inherit it
                self._gateway = launch_gateway(conf, {"stderr": errors})  # type: ignore[no-untyped-call]
        except BaseException as error:  # it is raised where the JVM is waited for
            self._error = error

    def wait(self) -> None:
        """Wait until it is there, and let PySpark take it."""
        while self._thread.is_alive():
            self._thread.join(0.1)  # Ctrl-C comes in between
        if self._error is not None:
            raise self._error
        SparkContext._ensure_initialized(gateway=self._gateway)


def launch(master: str, settings: dict[str, str], log: Path | None = None, short: bool = False) -> None:
    """Begin to start a JVM for a session, unless there is one; what its workers inherit is set here."""
    if python := settings.get("spark.pyspark.python"):
        os.environ["PYSPARK_PYTHON"] = python
        path = Path(sys.executable).parent, os.environ.get("PATH", os.defpath)
        os.environ["PATH"] = os.pathsep.join(
            map(str, path)
        )  # of that name is this one, here: Spark lists files with it
    os.environ.setdefault("PYSPARK_PYTHON", workers_python(master))
    os.environ.setdefault("PUNCTUM_PYTHON", sys.executable)
    os.environ.setdefault("POLARS_MAX_THREADS", "1")  # a worker for each core, so a thread for each worker
    if SparkContext._gateway is not None or _STARTING:
        return
    if short and master.startswith("local"):
        os.environ["SPARK_SUBMIT_OPTS"] = f"{SHORT} {os.environ.get('SPARK_SUBMIT_OPTS', '')}".strip()
    if master.startswith("local"):
        os.environ.setdefault("SPARK_LOCAL_IP", LOOPBACK)
    _STARTING.append(Launch(settings | {"spark.master": master}, log))


def launched() -> None:
    """Wait for the JVM that was begun, if one was."""
    if _STARTING:
        _STARTING.pop().wait()


def workers_python(master: str) -> str:
    """The Python of workers: this one, and on this machine with PySpark as it is installed here.

    What a JVM that runs already gives its workers is not known, so these get this Python as it is.
    """
    installed = Path(pyspark.__file__).parents[1] == Path(get_path("purelib"))
    ours = SparkContext._gateway is None and "PYSPARK_GATEWAY_PORT" not in os.environ
    local = master.startswith("local")
    return str(_WRAPPER) if ours and local and installed and os.access(_WRAPPER, os.X_OK) else sys.executable


def is_this_python(executable: str) -> bool:
    """Whether workers with this executable run the Python of this process."""
    return executable in (sys.executable, str(_WRAPPER))
