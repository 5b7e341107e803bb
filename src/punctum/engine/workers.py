"""The Python of Spark's workers: tried when a session is made, so that a wrong one is an error that says so.

Rows are placed by Polars' hash and programs travel as pickles. So workers need this version of Python and of Polars,
and ``punctum`` itself. When they run the Python of this process there is nothing to try.
"""

import json
import shutil
import subprocess
import sys
from functools import cache
from importlib.metadata import version

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from punctum.engine.launch import is_this_python
from punctum.errors import MissingError

_PROBE = """
import json, sys
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
def polars():
    try:
        return version("polars")
    except PackageNotFoundError:
        return None
answer = json.dumps(["%d.%d" % sys.version_info[:2], find_spec("punctum") is not None, polars()])
"""
_SECONDS = 60
_VERSION = f"{sys.version_info[0]}.{sys.version_info[1]}"


def check_workers(spark: SparkSession) -> None:
    """An error when the workers of a session have another Python than this one, or lack what queries need."""
    context = spark.sparkContext
    executable = context.pythonExec
    local = (context.master or "").startswith("local")
    if local and (is_this_python(executable) or shutil.which(executable) == sys.executable):
        return
    _check(executable, _tried_here(executable) if local else _tried_there(spark, executable))


def _check(executable: str, answer: str) -> None:
    python, has_punctum, polars = json.loads(answer)
    if python != _VERSION:
        raise wrong_python(executable, f"is Python {python}, and this is Python {_VERSION}")
    if not has_punctum:
        raise wrong_python(executable, "has no punctum")
    if polars != version("polars"):
        has = "no Polars" if polars is None else f"Polars {polars}"
        raise wrong_python(executable, f"has {has}, and this Python has Polars {version('polars')}")


def wrong_python(executable: str, what: str) -> MissingError:
    """The error about the Python of workers."""
    hint = f"set PYSPARK_PYTHON to a Python with the same packages: {sys.executable}; on a cluster: docs/deploy.md"
    return MissingError("Spark's workers cannot run Punctum", f"PYSPARK_PYTHON: {executable} {what}", hint)


@cache
def _tried_here(executable: str) -> str:
    """What the probe says in a process of its own."""
    command = [executable, "-c", f"{_PROBE}\nprint(answer)"]
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=True)
    except OSError as error:
        raise wrong_python(executable, f"cannot be started: {error.strerror}") from None
    except subprocess.CalledProcessError as error:
        lines = str(error.stderr).strip().splitlines()
        raise wrong_python(executable, f"fails: {lines[-1] if lines else error.returncode}") from None
    except subprocess.TimeoutExpired:
        raise wrong_python(executable, f"takes longer than {_SECONDS} s to start") from None
    return ended.stdout.strip().splitlines()[-1]


def _tried_there(spark: SparkSession, executable: str) -> str:
    """What the probe says in a task on the cluster."""

    def probed(code: str) -> str:
        names: dict[str, str] = {}
        exec(code, names)
        return names["answer"]

    try:
        tasks = spark.sparkContext.defaultParallelism
        answers: list[str] = spark.sparkContext.parallelize([_PROBE] * tasks, tasks).map(probed).collect()
    except PySparkException as error:
        raise wrong_python(executable, f"fails: {str(error).strip().splitlines()[-1]}") from None
    return next((answer for answer in answers if answer != answers[0]), answers[0])
