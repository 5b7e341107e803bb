"""Metrics where other tools look for them: Prometheus' text over HTTP, Spark's listeners, logs as JSON."""

import io
import json
import logging
import re
import socket
import time
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.streaming.listener import StreamingQueryListener

from lanes import PATIENCE
from punctum.commands.logs import JsonLog
from punctum.engine.commit import summary
from punctum.engine.observed import OBSERVED
from punctum.engine.prometheus import CONTENT_TYPE, Totals, exposition, samples, serve
from punctum.errors import QueryError
from punctum.session import Session

COUNTS: dict[str, Any] = {
    "rows_in": 4,
    "rows_from bid": 4,
    "puncts_from bid": 1,
    "rows_out": 1,
    "rows_kept": 7,
    "stable_of a": 9,
}
COUNTS |= {"oldest": [1000.5, "bid(itemid=17)"]}
BATCH = {"batch": 3, "time": 2000.0, "seconds": 0.5, "quarantined": 2, "operators": {"s1o0": COUNTS}}
LINE = re.compile(r'([a-z_:][a-z0-9_:]*)\{((?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)+)\} (-?\d+(?:\.\d+)?(?:e[+-]\d+)?)')


def parsed(text: str) -> dict[tuple[str, str], float]:
    """As Prometheus reads it: each metric with its type, once, before its samples."""
    known, found, kind = set[str](), dict[tuple[str, str], float](), ""
    assert text.endswith("\n")
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            _, _, kind, of = line.split(" ")
            assert kind not in known and of == ("counter" if kind.endswith("_total") else "gauge")
            known.add(kind)
        else:
            match = LINE.fullmatch(line)
            assert match is not None and match[1] == kind, line
            assert (match[1], match[2]) not in found
            found[match[1], match[2]] = float(match[3])
    return found


def test_counters_go_on_and_gauges_are_as_they_are() -> None:
    totals = Totals()
    assert parsed(exposition(samples('a "b"\n\\', False, totals)))["punctum_batches_total", r'query="a \"b\"\n\\"'] == 0
    for _ in range(3):
        totals.add(BATCH)
    found = parsed(exposition(sample for name in ("one", "two") for sample in samples(name, True, totals)))
    of = 'query="one",operator="s1o0"'
    assert found["punctum_rows_in_total", of] == 12
    assert found["punctum_rows_from_total", f'{of},stream="bid"'] == 12
    assert found["punctum_rows_kept", of] == 7
    assert found["punctum_oldest_timestamp_seconds", of] == 1000.5
    assert found["punctum_puncts_from_total", f'{of},stream="bid"'] == 3
    assert found["punctum_stable_of", f'{of},stream="a"'] == 9
    assert found["punctum_quarantined_total", 'query="two"'] == 6
    assert found["punctum_batch_seconds_total", 'query="two"'] == 1.5
    assert found["punctum_batch", 'query="two"'] == 3


def test_metrics_are_served_on_loopback() -> None:
    server = serve(lambda: "a 1\n", 0)
    with server:
        assert server.server_address[0] == "127.0.0.1"
        at = f"http://127.0.0.1:{server.server_port}"
        with urlopen(f"{at}/metrics") as answer:
            assert (answer.read(), answer.headers["Content-Type"]) == (b"a 1\n", CONTENT_TYPE)
        with pytest.raises(HTTPError, match="404"):
            urlopen(f"{at}/other")
        with pytest.raises(QueryError, match=rf"cannot be served at 127\.0\.0\.1:{server.server_port}"):
            serve(str, server.server_port)
        server.shutdown()
    with socket.socket() as other:
        assert other.connect_ex(("127.0.0.1", server.server_port)) != 0


def test_what_is_logged_as_json() -> None:
    out, log = io.StringIO(), logging.getLogger("punctum.test")
    handler = logging.StreamHandler(out)
    handler.setFormatter(JsonLog())
    log.addHandler(handler)
    try:
        more = {"query": "größe\n", "metrics": BATCH}
        log.warning("%s", summary("größe\n", BATCH | {"operators": {}}), extra={"more": more})
        log.warning("two\nlines")
    finally:
        log.removeHandler(handler)
    first, second = map(json.loads, out.getvalue().splitlines())
    assert first.pop("time").endswith("+00:00")
    assert first == {"level": "warning", "message": "größe\\n: batch 3, 2 in quarantine"} | more
    assert second["message"] == "two\nlines"


class Heard(StreamingQueryListener):
    """What Spark tells of batches."""

    def __init__(self) -> None:
        self.batches: list[dict[str, Any]] = []

    def onQueryStarted(self, event: Any) -> None:  # noqa: N802
        pass

    def onQueryIdle(self, event: Any) -> None:  # noqa: N802
        pass

    def onQueryTerminated(self, event: Any) -> None:  # noqa: N802
        pass

    def onQueryProgress(self, event: Any) -> None:  # noqa: N802
        row = event.progress.observedMetrics[OBSERVED]
        self.batches.append({"batch": event.progress.batchId} | row.asDict())


def test_spark_tells_its_listeners_what_a_batch_has_counted(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "bid").mkdir()
    script = """
    CREATE STREAM bid (itemid BIGINT, increase DOUBLE, PUNCTUATED ON (itemid)) USING json
      OPTIONS (path 'bid', maxFilesPerTrigger 1);
    CREATE SINK total USING json OPTIONS (path 'out');
    INSERT INTO total SELECT itemid, SUM(increase) AS total FROM bid GROUP BY itemid;
    """
    rows = [f'{{"itemid": {n}, "increase": 1.0}}' for n in (1, 2, 2)]
    (tmp_path / "bid/1.json").write_text("\n".join([*rows, '{"itemid": "x"}', '{"itemid": []}']) + "\n")
    time.sleep(0.01)
    (tmp_path / "bid/2.json").write_text('{"$punct": {"itemid": 2}}\n')
    heard = Heard()
    spark.streams.addListener(heard)
    try:
        (query,) = Session(spark).script(script, tmp_path)
        query.start(tmp_path / "state", available_now=True).wait()
        until = time.monotonic() + PATIENCE
        while len(heard.batches) < 2 and time.monotonic() < until:
            time.sleep(0.05)
    finally:
        spark.streams.removeListener(heard)
    first, second = heard.batches
    assert first == {"batch": 0, "rows_out": 0, "rows_in": 3, "rows_purged": 0, "puncts_in": 0, "puncts_out": 0} | {
        "quarantined": 2
    }
    assert (second["rows_out"], second["rows_purged"], second["puncts_in"], second["quarantined"]) == (1, 1, 1, 0)
    for told, batch in zip(heard.batches, query.metrics(), strict=True):
        sums = {what: sum(counts[what] for counts in batch["operators"].values()) for what in ("rows_in", "puncts_in")}
        assert sums == {what: told[what] for what in sums}
    found = parsed(exposition(query.samples()))
    assert found["punctum_batches_total", 'query="total"'] == 2
    assert found["punctum_quarantined_total", 'query="total"'] == 2
    assert found["punctum_running", 'query="total"'] == 0
