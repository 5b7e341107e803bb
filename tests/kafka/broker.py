"""A Kafka broker on this machine: one process, KRaft, formatted and started within a few seconds.

Maven fetches its packages, which ``pom.xml`` names, into ``build/kafka/jars``. ``make kafka-up`` starts one at
localhost:9092 that outlives the command, ``make kafka-down`` stops it; tests start their own, on free ports.
"""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
JARS = ROOT / "build/kafka/jars"
UP = ROOT / "build/kafka/up"
"""Where the broker of ``make kafka-up`` keeps its files."""
PORT = 9092
NO_MAVEN = (
    "a Kafka broker comes from Maven's packages, and there is no Maven: install it (on Debian: apt-get install maven)"
)
_PATIENCE = 300
_FEW = (
    "-Xms64m",
    "-Xmx384m",
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
    "-Dorg.slf4j.simpleLogger.logFile=System.out",
)
_STARTED = "Kafka Server started"
_PROPERTIES = """
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{port}
controller.listener.names=CONTROLLER
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs={data}
auto.create.topics.enable=false
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
log.segment.delete.delay.ms=0
"""


class NoBrokerError(Exception):
    """There can be no broker here, and why."""


def fetched() -> Path:
    """The directory of the broker's packages; those that are not there are fetched."""
    if not (JARS / "fetched").exists():
        maven = shutil.which("mvn")
        if maven is None:
            raise NoBrokerError(NO_MAVEN)
        pom = str(Path(__file__).with_name("pom.xml"))
        command = [maven, "--batch-mode", "--quiet", "--file", pom, "dependency:copy-dependencies"]
        done = subprocess.run([*command, f"-DoutputDirectory={JARS}"], capture_output=True, text=True, check=False)
        if done.returncode:
            raise NoBrokerError(f"Maven could not fetch the packages of a Kafka broker: {done.stdout[-2000:]}")
        (JARS / "fetched").touch()
    return JARS


class Broker:
    """A broker whose files are in a directory. It can be stopped, killed, and started again at the same address."""

    def __init__(self, directory: Path, port: int | None = None) -> None:
        self._directory = directory.absolute()
        self.port = port or _free()
        self._controller = _free()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        """What a stream or a sink has as ``brokers``."""
        return f"127.0.0.1:{self.port}"

    @property
    def pid(self) -> int | None:
        """Its process, while it runs."""
        return self._process.pid if self._process else None

    def start(self) -> "Broker":
        """Start it, and return when it takes requests."""
        properties, data = self._directory / "server.properties", self._directory / "data"
        if not (data / "meta.properties").exists():
            self._directory.mkdir(parents=True, exist_ok=True)
            properties.write_text(_PROPERTIES.format(port=self.port, controller=self._controller, data=data))
            format_ = ("format", "--cluster-id", "UHVuY3R1bS1icm9rZXItMQ", "--config", str(properties))
            command = _java("kafka.tools.StorageTool", *format_)
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                raise NoBrokerError(
                    f"a Kafka broker could not be formatted: {done.stdout[-2000:]}{done.stderr[-2000:]}"
                )
        log = self._directory / "broker.log"
        with log.open("wb") as out:
            command = _java("kafka.Kafka", str(properties))
            self._process = subprocess.Popen(command, stdout=out, stderr=out, start_new_session=True)
        end = time.monotonic() + _PATIENCE
        while _STARTED not in (told := log.read_text(errors="replace")):
            if self._process.poll() is not None or time.monotonic() > end:
                self.kill()
                raise NoBrokerError(f"a Kafka broker did not start: {told[-2000:]}")
            time.sleep(0.1)
        return self

    def stop(self) -> None:
        """End it, as one does who means to start it again."""
        if self._process:
            self._process.terminate()
            self._process.wait()
            self._process = None

    def kill(self) -> None:
        """End it at once."""
        if self._process:
            self._process.kill()
            self._process.wait()
            self._process = None


def _java(main: str, *arguments: str) -> Sequence[str]:
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin/java")) if home else shutil.which("java")
    if java is None:
        raise NoBrokerError("a Kafka broker needs Java 17: install it or set JAVA_HOME")
    return [java, *_FEW, "-cp", f"{fetched()}/*", main, *arguments]


def _free() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def main(command: str) -> None:
    """Start or stop the broker of ``make kafka-up``."""
    known = UP / "pid"
    process = int(known.read_text()) if known.exists() else None
    runs = process is not None and _runs(process)
    if command == "up":
        if not runs:
            known.write_text(str(Broker(UP, PORT).start().pid))
        print(f"a Kafka broker runs at localhost:{PORT}; its files are in {UP.relative_to(ROOT)}")
    elif runs and process is not None:
        os.kill(process, signal.SIGTERM)
        known.unlink()


def _runs(process: int) -> bool:
    """Whether the broker that had this process runs: another process may have its number by now."""
    try:
        os.kill(process, 0)
        socket.create_connection(("127.0.0.1", PORT), timeout=5).close()
    except OSError:
        return False
    return True


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except NoBrokerError as error:
        sys.exit(str(error))
