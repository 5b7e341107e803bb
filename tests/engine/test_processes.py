"""Runs with many processes: twelve queries on two cores, one of several that fails, and who can reach what listens."""

import ipaddress
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyspark
import pytest
from pyspark.sql import SparkSession

from lanes import PATIENCE, long
from punctum.errors import QueryError
from punctum.session import Session

KEYS = range(20)
STREAM = "CREATE STREAM {0} (k BIGINT, v BIGINT, PUNCTUATED ON (k){1}){2} USING json OPTIONS (path 'in/{0}');"


def write(directory: Path, name: str) -> None:
    """A stream of a row for each key, each of them closed."""
    lines = [{"k": k, "v": k} for k in KEYS] + [{"$punct": {"k": k}} for k in KEYS]
    (directory / "in" / name).mkdir(parents=True)
    (directory / "in" / name / "0.json").write_text("".join(json.dumps(line) + "\n" for line in lines))


def command(directory: Path, script: str, *options: str) -> list[str]:
    """A run of a script on two cores."""
    (directory / "script.sql").write_text(script)
    where = [str(directory / "script.sql"), "--checkpoint", str(directory / "state"), "--master", "local[2]"]
    return [sys.executable, "-m", "punctum", "run", *where, *options]


def found(directory: Path) -> list[dict[str, Any]]:
    """The rows of a sink."""
    return [json.loads(line) for file in directory.glob("part-*") for line in file.read_text().splitlines()]


def test_what_fails_in_a_worker_reaches_the_user_with_its_place(spark: SparkSession, tmp_path: Path) -> None:
    session = Session(spark)

    def odd(values: Any) -> Any:
        return []

    session.function("odd", odd, takes=["BIGINT"], gives="BIGINT")
    for name in "ab":
        session.memory(name, "k BIGINT, v BIGINT, PUNCTUATED ON (k)").add((1, 2), {"$punct": {"k": 1}})
    for sql, where in (
        ("SELECT odd(v) AS x FROM a", "a"),
        (
            "SELECT a.k, odd(a.v + b.v) AS x FROM a JOIN b ON a.k = b.k",
            "stage 1, Projection k, odd((v + v #2)) AS x of a, b",
        ),
    ):
        query = session.query(sql, name="odd")
        with pytest.raises(QueryError) as caught:
            query.start(tmp_path / str(len(sql)), True, to=lambda *_: None).wait()
        assert caught.value.detail.startswith("odd returns another number of values")  # Polars may add the expression
        assert caught.value.where == where

    def fail(*_: Any) -> None:
        raise ValueError("not today")

    query = session.query("SELECT k FROM a")
    with pytest.raises(QueryError) as caught:
        query.start(tmp_path / "to", True, to=fail).wait()
    assert (caught.value.detail, caught.value.where) == ("ValueError: not today", "the commit of batch 0")


def test_workers_use_what_is_compiled(spark: SparkSession) -> None:
    def module(_: Any) -> Any:
        import pyspark

        yield pyspark.__file__

    assert spark.sparkContext.parallelize([0], 1).mapPartitions(module).collect() == [pyspark.__file__]


def test_nobody_else_reaches_what_listens(spark: SparkSession) -> None:
    gateway: Any = spark.sparkContext._gateway
    assert listening(gateway.proc.pid) | listening(os.getpid()) <= {"127.0.0.1", "::1"}


@long
@pytest.mark.command
def test_twelve_queries_of_several_streams_start_on_two_cores(tmp_path: Path) -> None:
    names, script = "abcd", ""
    for name in names:
        write(tmp_path, name)
        script += STREAM.format(name, "", "")
    for n in range(12):
        joined = " ".join(f"JOIN {other} ON a.k = {other}.k" for other in names[1 : 2 + n % 3])
        script += f"CREATE SINK q{n} USING json OPTIONS (path 'out/q{n}');"
        script += f"INSERT INTO q{n} SELECT a.k, SUM(a.v) AS total FROM a {joined} GROUP BY a.k;"
    said = subprocess.run(
        command(tmp_path, script, "--available-now"), capture_output=True, text=True, timeout=PATIENCE
    )
    assert said.returncode == 0, said.stderr
    for n in range(12):
        assert sorted((row["k"], row["total"]) for row in found(tmp_path / f"out/q{n}")) == [(k, k) for k in KEYS]


@long
@pytest.mark.command
def test_a_query_that_fails_ends_the_run_and_says_why(tmp_path: Path) -> None:
    write(tmp_path, "good")
    write(tmp_path, "bad")
    script = STREAM.format("good", "", "") + STREAM.format("bad", "", " ON VIOLATION FAIL")
    for name in ("good", "bad"):
        script += f"CREATE SINK {name}s USING json OPTIONS (path 'out/{name}s');"
        script += f"INSERT INTO {name}s SELECT k, COUNT(*) AS n FROM {name} GROUP BY k;"
    with subprocess.Popen(command(tmp_path, script), stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr is not None
        lines = []
        for line in running.stderr:
            lines.append(line)
            if line.startswith("bads: batch 0"):
                (tmp_path / "in/bad/1.json").write_text("no JSON\n")
        assert running.wait(PATIENCE) == 1, lines
    errors = lines[lines.index("error: the query bads failed\n") :]
    assert "1.json" in errors[1] and "no JSON" in errors[1], errors
    assert errors[2] == "  where: bad, the file 1.json\n", errors
    assert len(found(tmp_path / "out/goods")) == len(found(tmp_path / "out/bads")) == len(KEYS)
    lenient = script.replace(" ON VIOLATION FAIL", "")
    with subprocess.Popen(command(tmp_path, lenient), stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr is not None
        lines = []
        for line in running.stderr:
            lines.append(line)
            if line.startswith("bads: batch 1"):
                running.send_signal(signal.SIGTERM)
        assert running.wait(PATIENCE) == 0, lines
    assert lines[-1] == "stopped; run the same command again to resume\n"


def listening(pid: int) -> set[str]:
    """The addresses on which a process listens."""
    sockets = {os.readlink(file) for file in Path(f"/proc/{pid}/fd").iterdir() if file.is_symlink() and file.exists()}
    lines = [
        line.split() for table in ("tcp", "tcp6") for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]
    ]
    return {_address(line[1]) for line in lines if line[3] == "0A" and f"socket:[{line[9]}]" in sockets}


def _address(text: str) -> str:
    """An address as /proc writes it: words of four bytes, each from its end."""
    words = re.findall("." * 8, text.partition(":")[0])
    given = ipaddress.ip_address(b"".join(bytes.fromhex(word)[::-1] for word in words))
    mapped = getattr(given, "ipv4_mapped", None)
    return str(mapped or given)
