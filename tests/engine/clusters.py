"""A standalone cluster on this machine whose workers share no directory with anybody: a master and two workers.

Each worker runs in a mount namespace of its own. There the repository, its Python environment and all temporary files
are not to be seen; Spark itself is at another place. So executors have Java, a bare Python, and what they are sent.
"""

import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pyspark

from engine.kills import below, until

SPARK = Path(pyspark.__file__).parent
ROOT = Path(__file__).parents[2]
PYTHON = Path(sys.executable).resolve()
"""The Python that the environment is made of; it has no packages of ours."""
ALONE = """
set -e
mount --make-rprivate /
mount -t tmpfs none /mnt
mkdir /mnt/spark /mnt/work /mnt/local
mount --bind "$SPARK" /mnt/spark
mount -t tmpfs none /tmp
mount -t tmpfs none "$ENVIRONMENT"
mount -t tmpfs none "$ROOT"
cd /mnt/work
export SPARK_HOME=/mnt/spark SPARK_LOCAL_DIRS=/mnt/local
exec /mnt/spark/bin/spark-class org.apache.spark.deploy.worker.Worker \
    --host 127.0.0.1 --cores 1 --memory 1g --webui-port 0 --work-dir /mnt/work "$MASTER"
"""
"""A worker where nothing of the driver's can be seen."""


@dataclass
class Cluster:
    """A master, by its address, and its workers."""

    master: str
    workers: list["subprocess.Popen[bytes]"] = field(default_factory=list)

    def executors(self) -> list[int]:
        """The processes of executors."""
        return [pid for worker in self.workers for pid in below(worker.pid, "CoarseGrainedExecutorBackend")]

    def kill_executor(self) -> bool:
        """Kill an executor; whether there was one."""
        for pid in self.executors()[:1]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
                return True
        return False

    def kill_worker(self) -> None:
        """Kill the first worker, with all that it has started."""
        _kill(self.workers.pop(0))


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def no_cluster() -> str:
    """Why there can be no such cluster here, if there cannot."""
    if shutil.which("unshare") is None:
        return "there is no unshare (util-linux)"
    tried = subprocess.run(["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, check=False)
    return "" if tried.returncode == 0 else "this system has no namespaces for its users"


@contextmanager
def cluster(directory: Path, workers: int = 2) -> Iterator[Cluster]:
    """Have a cluster; its logs are in a directory."""
    port = free_port()
    found, log = Cluster(f"spark://127.0.0.1:{port}"), directory / "cluster.log"
    variables = os.environ | {"SPARK": str(SPARK), "ROOT": str(ROOT), "MASTER": found.master, "SPARK_NO_DAEMONIZE": "1"}
    variables |= {"ENVIRONMENT": sys.prefix}
    variables |= {"SPARK_HOME": str(SPARK), "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_DAEMON_MEMORY": "384m"}
    variables |= {"PATH": f"{PYTHON.parent}{os.pathsep}{os.environ['PATH']}"}  # its python3 is the one of executors
    command = [str(SPARK / "bin/spark-class"), "org.apache.spark.deploy.master.Master"]
    command += ["--host", "127.0.0.1", "--port", str(port), "--webui-port", str(free_port())]
    with log.open("wb") as out:
        processes = [subprocess.Popen(command, stdout=out, stderr=out, env=variables, start_new_session=True)]
        try:
            # a worker that cannot reach its master gives up after some trials
            assert until(lambda: "New state: ALIVE" in log.read_text(errors="replace")), log.read_text()
            for _ in range(workers):
                alone = ["unshare", "-rm", "sh", "-c", ALONE]
                started = subprocess.Popen(alone, stdout=out, stderr=out, env=variables, start_new_session=True)
                processes.append(started)
                found.workers.append(started)
            assert until(lambda: log.read_text(errors="replace").count("Registering worker") >= workers), (
                log.read_text()
            )
            yield found
        finally:
            for process in processes:
                _kill(process)


def _kill(process: "subprocess.Popen[bytes]") -> None:
    for pid in [*below(process.pid, ""), process.pid]:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    process.wait()
