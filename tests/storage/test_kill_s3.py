"""A query whose input, results and checkpoint are all in S3: killed whenever, it gives what it gives at home.

Spark keeps its part of the checkpoint through Hadoop's s3a, whose packages Maven fetches.
"""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from engine.kills import FILES, SCRIPT, left, until, written
from lanes import KILLS, PATIENCE, long
from punctum.engine.recovery.state_files import STATE
from punctum.storage.files import copy_all, files_below
from punctum.storage.location import StorePath
from storage.jars import NoJarsError, submit_arguments
from storage.server import NO_SERVER, has_server, s3_server

SEED = int(os.environ.get("PUNCTUM_SEED", "1"))
BUCKET = StorePath("s3", "kill", "")
SINK = "grouped"
ONE = "\n".join(line for line in SCRIPT.split("\n") if "pairs" not in line)
"""The query with two stages: a request takes longer there than a file, and each query makes many."""
NEEDED = Path(__file__).with_name("s3.xml")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A server with the input of the query, and the directory of its script; what Spark needs is there."""
    if not has_server():
        pytest.skip(NO_SERVER)
    try:
        arguments = submit_arguments(NEEDED)
    except NoJarsError as error:
        pytest.skip(str(error))
    directory = written(tmp_path_factory.mktemp("kill"))
    (directory / "kill.sql").write_text(ONE)
    (directory / "s3.sql").write_text(ONE.replace("path '", f"path '{BUCKET}/"))
    with s3_server("kill"), pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_SUBMIT_ARGS", arguments)
        for path in sorted((directory / "in").rglob("*.json")):
            (BUCKET / path.relative_to(directory).as_posix()).write_bytes(path.read_bytes())
        yield directory


@contextmanager
def running(directory: Path, script: str, checkpoint: str) -> Iterator["subprocess.Popen[str]"]:
    """The script, run by the command in a process group of its own."""
    command = [sys.executable, "-m", "punctum", "run", script, "--checkpoint", checkpoint, "--available-now"]
    with subprocess.Popen(
        [*command, "--master", "local[2]", "--buckets", "3"],
        cwd=directory,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def run(directory: Path, script: str, checkpoint: str) -> None:
    with running(directory, script, checkpoint) as process:
        _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, errors


@long
@pytest.mark.command
def test_killed_on_s3(server: Path, tmp_path: Path) -> None:
    chance, checkpoint, killed = random.Random(SEED), BUCKET / "state", 0
    while killed < max(1, KILLS // 5):
        offsets = checkpoint / SINK / "offsets"
        before = len(list(offsets.glob("[0-9]*")))
        with running(server, "s3.sql", str(checkpoint)) as process:
            until(lambda o=offsets, b=before: len(list(o.glob("[0-9]*"))) > b or process.poll() is not None)  # type: ignore[misc]
            time.sleep(chance.uniform(0, 3))
            if process.poll() is not None:
                break
            os.killpg(process.pid, signal.SIGKILL)
            killed += 1
            process.communicate(timeout=PATIENCE)
    assert killed
    run(server, "s3.sql", str(checkpoint))
    run(server, "kill.sql", "state")
    copy_all(BUCKET, tmp_path, [name for name in files_below(BUCKET) if "/.punctum/" not in name])
    assert left(tmp_path, SINK) == left(server, SINK)
    assert len(left(tmp_path, SINK)["metrics"]) == FILES
    assert list((tmp_path / "state" / SINK / STATE).rglob("[0-9]*-*")), "the state is in the store"
    assert not [path for path in server.iterdir() if ":" in path.name], "no directory s3:"
