"""A cluster of two workers that share nothing with the driver but a store: its answers are the database's.

Executors get Punctum from the archive of ``punctum package``, and all else from the store. One of them is killed, and
then a worker with all that it runs; the rest goes on. Then ``spark-submit`` runs the same script.
"""

import io
import json
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

from engine.clusters import SPARK, Cluster, cluster, no_cluster
from engine.kills import until
from lanes import PATIENCE, long
from punctum.storage.location import location
from storage.jars import NoJarsError, fetched
from storage.server import NO_SERVER, has_server, s3_server

FILES, ROWS = 10, 60
SCRIPT = """
CREATE STREAM a (k BIGINT, g STRING, PUNCTUATED ON (k), PUNCTUATED ON (g))
  USING json OPTIONS (path 's3://here/in/a', maxFilesPerTrigger 1);
CREATE STREAM b (k BIGINT, v BIGINT, PUNCTUATED ON (k))
  USING parquet OPTIONS (path 's3://here/in/b', maxFilesPerTrigger 1);
CREATE SINK grouped USING json OPTIONS (path 's3://here/OUT/grouped');
INSERT INTO grouped SELECT a.g, COUNT(*) AS n, SUM(b.v) AS t FROM a JOIN b ON a.k = b.k GROUP BY a.g;
"""


@pytest.fixture(scope="module")
def jars() -> list[Path]:
    if reason := no_cluster():
        pytest.skip(reason)
    if not has_server():
        pytest.skip(NO_SERVER)
    try:
        return fetched(Path(__file__).parents[1] / "storage/s3.xml")
    except NoJarsError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def packaged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("packaged")
    command = [sys.executable, "-m", "punctum", "package", str(directory)]
    subprocess.run(command, check=True, capture_output=True)
    return directory


@pytest.fixture(scope="module")
def running(jars: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with s3_server("here"), cluster(tmp_path_factory.mktemp("cluster")) as there:
        yield there


@pytest.fixture(scope="module")
def wanted(running: Cluster) -> Counter[tuple[Any, ...]]:
    """What a database gives for the input, which is put into the store."""
    chance, all_a, all_b = random.Random(3), list[dict[str, Any]](), list[dict[str, Any]]()
    for n in range(FILES):
        keys = [64 * k for k in range(4 * n, 4 * n + 12)]
        a = [{"k": chance.choice(keys), "g": f"g{n + chance.randint(0, 2)}"} for _ in range(ROWS)]
        b = [{"k": chance.choice(keys), "v": chance.randint(-99, 99)} for _ in range(ROWS)]
        gone = [64 * k for k in range(4 * n, 4 * n + 4)]
        last = n == FILES - 1
        closed = [{"k": k} for k in gone] + [{"g": f"g{n}"}] + ([{}] if last else [])
        lines = [json.dumps(row) for row in a] + [json.dumps({"$punct": each}) for each in closed]
        location(f"s3://here/in/a/{n:02}.json").write_text("\n".join(lines) + "\n")
        puncts = [{"k": k} for k in gone] + ([{}] if last else [])
        told = [{"k": None, "v": None, "_punct": json.dumps({"$punct": each})} for each in puncts]
        rows = pl.DataFrame([*({**row, "_punct": None} for row in b), *told], infer_schema_length=None)
        buffer = io.BytesIO()
        rows.write_parquet(buffer)
        location(f"s3://here/in/b/{n:02}.parquet").write_bytes(buffer.getvalue())
        all_a, all_b = all_a + a, all_b + b
    tables = {"a": pl.DataFrame(all_a).to_arrow(), "b": pl.DataFrame(all_b).to_arrow()}
    database = duckdb.connect()
    for name, table in tables.items():
        database.register(name, table)
    sql = "SELECT g, count(*), sum(v) FROM a JOIN b USING (k) GROUP BY g"
    return Counter((g, n, int(t)) for g, n, t in database.execute(sql).fetchall())


def given(out: str) -> Counter[tuple[Any, ...]]:
    """The rows of a sink in the store."""
    files = location(f"s3://here/{out}/grouped").glob("part-*")
    rows = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    return Counter((row["g"], row["n"], row["t"]) for row in rows)


def script(directory: Path, out: str) -> Path:
    path = directory / f"{out}.sql"
    path.write_text(SCRIPT.replace("OUT", out))
    return path


def settings(jars: list[Path]) -> list[str]:
    """What Spark is told: its executors are small."""
    told = {"spark.jars": ",".join(map(str, jars)), "spark.executor.memory": "640m", "spark.driver.host": "127.0.0.1"}
    told |= {"spark.driver.bindAddress": "127.0.0.1"}
    told |= {"spark.shuffle.readHostLocalDisk": "false"}  # workers of one address do not share a disk here
    return [part for name, value in told.items() for part in ("--conf", f"{name}={value}")]


@contextmanager
def started(command: list[str], directory: Path) -> Iterator["subprocess.Popen[str]"]:
    variables = {
        name: value for name, value in os.environ.items() if name not in ("PYSPARK_SUBMIT_ARGS", "PYSPARK_PYTHON")
    }
    variables["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{variables['PATH']}"
    with subprocess.Popen(command, cwd=directory, stderr=subprocess.PIPE, text=True, env=variables) as process:
        try:
            yield process
        finally:
            process.kill()


def batches(checkpoint: str) -> int:
    return len(list(location(checkpoint).glob("grouped/commits/[0-9]*")))


@long
@pytest.mark.command
def test_a_cluster_that_shares_nothing_but_a_store(
    running: Cluster, jars: list[Path], packaged: Path, wanted: Counter[tuple[Any, ...]], tmp_path: Path
) -> None:
    where = ["--checkpoint", "s3://here/killed", "--master", running.master, "--available-now", "--buckets", "4"]
    package = ["--package", str(packaged / "punctum.tar.gz")]
    command = [
        sys.executable,
        "-m",
        "punctum",
        "run",
        str(script(tmp_path, "killed")),
        *where,
        *package,
    ]
    with started([*command, *settings(jars)], tmp_path) as run:
        assert until(lambda: batches("s3://here/killed") >= 2 or run.poll() is not None)
        assert until(lambda: run.poll() is not None or running.kill_executor())
        assert until(lambda: batches("s3://here/killed") >= 5 or run.poll() is not None)
        running.kill_worker()
        _, errors = run.communicate(timeout=PATIENCE)
    assert run.returncode == 0, errors
    assert given("killed") == wanted and "quarantine" not in errors, errors
    assert batches("s3://here/killed") >= FILES
    assert list(location("s3://here/killed/grouped/punctum/state/1").iterdir())
    submit = [str(SPARK / "bin/spark-submit"), "--master", running.master, "--name", "submitted", *settings(jars)]
    submit += ["--archives", f"{packaged / 'punctum.tar.gz'}#punctum", "--conf", "spark.executorEnv.PYTHONPATH=punctum"]
    submit += ["--conf", "spark.pyspark.python=python3", "--conf", f"spark.pyspark.driver.python={sys.executable}"]
    run_it = ["run", str(script(tmp_path, "submitted")), "--checkpoint", "s3://here/submitted", "--available-now"]
    with started([*submit, str(packaged / "main.py"), *run_it], tmp_path) as run:
        _, errors = run.communicate(timeout=PATIENCE)
    assert run.returncode == 0, errors
    assert given("submitted") == wanted, errors


@long
@pytest.mark.command
def test_a_checkpoint_that_executors_do_not_see_is_refused(
    running: Cluster, jars: list[Path], packaged: Path, wanted: Counter[tuple[Any, ...]], tmp_path: Path
) -> None:
    where = ["--checkpoint", str(tmp_path / "state"), "--master", running.master, "--available-now"]
    package = ["--package", str(packaged / "punctum.tar.gz")]
    command = [
        sys.executable,
        "-m",
        "punctum",
        "run",
        str(script(tmp_path, "alone")),
        *where,
        *package,
    ]
    with started([*command, *settings(jars)], tmp_path) as run:
        _, errors = run.communicate(timeout=PATIENCE)
    assert run.returncode == 1, errors
    assert "does not see the checkpoint" in errors and "s3://bucket/state" in errors, errors
    assert not given("alone")
