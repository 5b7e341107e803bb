"""NEXMark's queries in Flink SQL: names of queries on stdin, what was measured of each on stdout, a line of JSON each.

It runs in an environment of its own (``make build/flink-venv``), in one process, so that Flink's JVM is warm after its
first query. Each query reads the same rows as the other engines, as CSV, since Flink's package for Python has no reader
of Parquet: each table is two files in order, one for each of two tasks. Settings are those that its documentation
advises for throughput: mini-batches, aggregation in two phases, split DISTINCT, object reuse; checkpoints every two
seconds, and results go nowhere.

    nexmark_flink.py DIRECTORY heap|rocksdb
"""

import json
import sys
import threading
import time
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import quote

from nexmark_sql import FLINK, FLINK_DDL  # type: ignore[import-not-found]  # beside this file
from pyflink.common import Configuration  # type: ignore[import-not-found]  # in an environment of its own
from pyflink.table import EnvironmentSettings, TableEnvironment  # type: ignore[import-not-found]
from pyflink.version import __version__  # type: ignore[import-not-found]

PORT = {"heap": 18081, "rocksdb": 18082}
SETTINGS = {
    "parallelism.default": "2",
    "taskmanager.numberOfTaskSlots": "2",
    "taskmanager.memory.managed.size": "2g",
    "taskmanager.memory.network.min": "256m",
    "taskmanager.memory.network.max": "256m",
    "pipeline.object-reuse": "true",
    "execution.checkpointing.interval": "2s",
    "execution.checkpointing.incremental": "true",
    "metrics.fetcher.update-interval": "200",
    "metrics.latency.interval": "500",
    "metrics.latency.granularity": "operator",
    "table.local-time-zone": "UTC",
    "table.exec.mini-batch.enabled": "true",
    "table.exec.mini-batch.allow-latency": "2s",
    "table.exec.mini-batch.size": "50000",
    "table.optimizer.agg-phase-strategy": "TWO_PHASE",
    "table.optimizer.distinct-agg.split.enabled": "true",
    "table.exec.sink.not-null-enforcer": "DROP",
}


class Flink:
    """A session of Flink's, with one backend of state."""

    def __init__(self, directory: Path, backend: str) -> None:
        where = {
            "state.backend.type": {"heap": "hashmap", "rocksdb": "rocksdb"}[backend],
            "execution.checkpointing.dir": f"file://{directory}/checkpoints-{backend}",
            "rest.port": str(PORT[backend]),
        }
        configuration = Configuration()
        for name, value in (SETTINGS | where).items():
            configuration.set_string(name, value)
        settings = EnvironmentSettings.new_instance().in_streaming_mode().with_configuration(configuration).build()
        self._port, self._directory = PORT[backend], directory
        self._tables = TableEnvironment.create(settings)
        self._read = ""

    def run(self, query: str, part: str) -> dict[str, Any]:
        """Run a query over the files of a part of the events, and say how long it took and what it kept."""
        if self._read != part:
            for table, ddl in FLINK_DDL.items():
                self._tables.execute_sql(f"DROP TABLE IF EXISTS `{table}`")
                self._tables.execute_sql(quoted(ddl).format(path=f"{self._directory}/{part}/{table}"))
            self._read = part
        plan = self._tables.sql_query(quoted(FLINK[query]))
        columns = ", ".join(f"`{name}` {kind}" for name, kind in typed(plan))
        self._tables.execute_sql("DROP TABLE IF EXISTS nowhere")
        self._tables.execute_sql(f"CREATE TABLE nowhere ({columns}) WITH ('connector' = 'blackhole')")
        started = time.perf_counter()
        result = self._tables.execute_sql(f"INSERT INTO nowhere {quoted(FLINK[query])}")
        client = result.get_job_client()
        watch = Watch(self._port, str(client.get_job_id()))
        result.wait()
        seconds = time.perf_counter() - started
        watch.stop()
        first = None if watch.first is None else watch.first - started
        return {"seconds": seconds, "bytes": watch.bytes, "first": first, "latency": watch.latency}


class Watch(threading.Thread):
    """Looks at a job while it runs: its largest checkpoint, when its sink has its first rows, and how late marks come.

    A mark passes the operators as a row does, but windows and mini-batches do not hold it. Of its time from a source to
    an operator Flink tells the median and the 99th percentile, each of which is taken where it is longest.
    """

    def __init__(self, port: int, job: str) -> None:
        super().__init__(daemon=True)
        self._address = f"http://localhost:{port}/jobs/{job}"
        self.bytes, self._over = 0, threading.Event()
        self.first: float | None = None
        self.latency: list[float] = []
        self.start()

    def run(self) -> None:
        """Ask again and again."""
        number = 0
        while not self._over.wait(0.1):
            number += 1
            try:
                if self.first is None:
                    self._look_at_sink()
                if number % 5 == 0:
                    known = self._answer("/checkpoints")["history"]
                    self.bytes = max([self.bytes, *(each["state_size"] for each in known)])
                    self._look_at_marks()
            except (OSError, KeyError, ValueError):
                continue

    def _look_at_sink(self) -> None:
        """The sink may stand behind others in one task: its own count is asked for."""
        for vertex in self._answer("")["vertices"]:
            path = f"/vertices/{vertex['id']}/subtasks/metrics"
            names = [m["id"] for m in self._answer(path) if "nowhere" in m["id"] and m["id"].endswith("numRecordsIn")]
            for name in names:
                if any(float(m["sum"]) > 0 for m in self._answer(f"{path}?get={quote(name)}&agg=sum")):
                    self.first = time.perf_counter()

    def _look_at_marks(self) -> None:
        names = [m["id"] for m in self._answer("/metrics") if m["id"].startswith("latency.")]
        found = []
        for end in ("latency_median", "latency_p99"):
            some = ",".join(name for name in names if name.endswith(end))
            values = [float(m["value"]) for m in self._answer(f"/metrics?get={quote(some)}")] if some else []
            found += [max(values) / 1000] if values else []
        self.latency = found if len(found) == 2 else self.latency

    def _answer(self, path: str) -> Any:
        with urllib.request.urlopen(self._address + path, timeout=5) as answer:
            return json.load(answer)

    def stop(self) -> None:
        """Look no more."""
        self._over.set()


def typed(table: Any) -> list[tuple[str, str]]:
    """The columns of a result and their types, as SQL."""
    columns = table._j_table.getResolvedSchema().getColumns()
    return [(c.getName(), c.getDataType().getLogicalType().asSerializableString()) for c in columns]


def quoted(sql: str) -> str:
    """SQL in which the name of a column that is also a word of Flink's is a name."""
    return sql.replace("dateTime", "`dateTime`")


def main() -> None:
    """Answer each line, a query and a part of the events."""
    flink = Flink(Path(sys.argv[1]), sys.argv[2])
    print(json.dumps({"version": __version__}), flush=True)
    for line in sys.stdin:
        query, part = line.split()
        try:
            print(json.dumps(flink.run(query, part)), flush=True)
        except Exception as error:
            print(json.dumps({"error": str(error)[:300]}), flush=True)


if __name__ == "__main__":
    main()
