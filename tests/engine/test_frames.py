"""Streams that are not files, on Spark: what a program adds, what comes over a socket, and what a clock makes."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from lanes import PATIENCE
from punctum.algebra import Punctuation, Schema
from punctum.errors import PunctumError, QueryError, SchemaError
from punctum.query import Query
from punctum.session import Session

MEMORY = """
CREATE STREAM item (itemid BIGINT, name STRING, PUNCTUATED ON (itemid)) USING memory;
CREATE STREAM bid (itemid BIGINT, increase DECIMAL(9, 2), at TIMESTAMP, PUNCTUATED ON (itemid)) USING memory;
CREATE SINK o USING json OPTIONS (path 'out');
INSERT INTO o SELECT i.itemid, MAX(i.name) AS name, SUM(b.increase) AS total, MAX(b.at) AS last
FROM item i JOIN bid b ON i.itemid = b.itemid GROUP BY i.itemid;
"""
SOCKET = """
CREATE STREAM bid (itemid BIGINT, name STRING, PUNCTUATED ON (itemid))
USING socket OPTIONS (host '127.0.0.1', port {port});
CREATE SINK o USING json OPTIONS (path 'out');
INSERT INTO o SELECT itemid, COUNT(*) AS n, MAX(name) AS name FROM bid GROUP BY itemid;
"""
RATE = """
CREATE STREAM tick (value BIGINT, timestamp TIMESTAMP) USING rate OPTIONS (rowsPerSecond 1000, numPartitions 1);
CREATE SINK o USING json OPTIONS (path 'out');
INSERT INTO o SELECT value, timestamp FROM tick WHERE value % 2 = 0;
"""
ITEM = Schema.of(itemid="BIGINT", name="STRING")


def only(session: Session, script: str, directory: Path) -> Query:
    (query,) = session.script(script, directory)
    assert isinstance(query, Query)
    return query


def written(directory: Path, name: str = "out") -> dict[int, list[dict[str, Any]]]:
    """The objects of each batch."""
    found: dict[int, list[dict[str, Any]]] = {}
    for file in sorted((directory / name).glob("part-*")):
        lines = [json.loads(line) for line in file.read_text().split("\n") if line]
        found.setdefault(int(file.stem.split("-")[2]), []).extend(lines)
    return {batch: sorted(rows, key=str) for batch, rows in found.items()}


def test_slices_of_a_program_are_batches(spark: SparkSession, tmp_path: Path) -> None:
    """Also after a restart, and with all that a slice may hold."""
    session = Session(spark)
    query = only(session, MEMORY, tmp_path)
    item, bid = session.memory("item"), session.memory("bid")
    noon = datetime(2026, 11, 15, 12, tzinfo=UTC)
    item.add((17, "é\n\u2028\r"), (18, None))
    bid.add((17, 5, noon), {"itemid": 17, "increase": "0.05", "at": noon}, '{"itemid": 18, "increase": 1, "at": null}')
    item.add(Punctuation.of(ITEM, itemid=17))
    bid.add({"$punct": {"itemid": 17}})
    item.add((17, "late"), '{"itemid": 18, "name": "a')
    bid.add((18, 2, None))
    query.start(tmp_path / "state", available_now=True).wait()
    first = {"itemid": 17, "name": "é\n\u2028\r", "total": 5.05, "last": "2026-11-15T12:00:00.000000Z"}
    assert written(tmp_path) == {1: [first]}
    assert [batch["quarantined"] for batch in query.metrics()] == [0, 0, 2]
    (records,) = written(tmp_path, "out.quarantine").values()
    assert sorted(record["text"] for record in records) == ['{"itemid": 18, "name": "a', '{"itemid":17,"name":"late"}']
    again = only(session, MEMORY, tmp_path).start(tmp_path / "state")
    try:
        item.add({"$punct": {}})
        bid.add('{"$punct": {}}')
        again.catch_up()
    finally:
        again.stop()
    last = {"itemid": 18, "name": None, "total": 3.0, "last": None}
    assert list(written(tmp_path).values()) == [[first], [last]], "the two that end came in one batch or in two"


@pytest.fixture
def server() -> Iterator[tuple[int, Callable[[str], None]]]:
    """The port of a server, and what sends a text to whoever has come to it."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(PATIENCE)
        there, connected = list[socket.socket](), threading.Event()

        def accept() -> None:
            there.append(listening.accept()[0])
            connected.set()

        waiting = threading.Thread(target=accept, daemon=True)
        waiting.start()

        def send(text: str) -> None:
            assert connected.wait(PATIENCE)
            there[0].sendall(text.encode())

        yield listening.getsockname()[1], send
        for connection in there:
            connection.close()


def test_lines_come_over_a_socket(
    spark: SparkSession, tmp_path: Path, server: tuple[int, Callable[[str], None]]
) -> None:
    port, send = server
    query = only(Session(spark), SOCKET.format(port=port), tmp_path).start(tmp_path / "state")
    try:
        send('{"itemid": 17, "name": "é"}\n{"itemid": 17, "name": "a"}\n\n{"itemid": 18, "name": "b"}\n')
        send('{"itemid": 17\nzero\0\n{"$punct": {"itemid": 17}}\n')
        for _ in range(60):
            query.catch_up()
            if (rows := written(tmp_path)) or not query.running:
                break
        assert list(rows.values()) == [[{"itemid": 17, "n": 2, "name": "é"}]]
        records = [record for batch in written(tmp_path, "out.quarantine").values() for record in batch]
        assert sorted((record["stream"], record["text"]) for record in records) == [
            ("bid", "zero\0"),
            ("bid", '{"itemid": 17'),
        ]
    finally:
        query.stop()
    with pytest.raises(QueryError) as caught:
        query.start(tmp_path / "state")
    assert caught.value.what == "the query cannot resume from its checkpoint"


def test_a_clock_makes_rows(spark: SparkSession, tmp_path: Path) -> None:
    query = only(Session(spark), RATE, tmp_path).start(tmp_path / "state")
    try:
        for _ in range(60):
            if rows := [row for batch in written(tmp_path).values() for row in batch]:
                break
            query.catch_up()
    finally:
        query.stop()
    values = sorted(row["value"] for row in rows)
    assert values == list(range(0, 2 * len(values), 2))
    assert all(datetime.fromisoformat(row["timestamp"]).year >= 2026 for row in rows)


WRONG = {
    "socket OPTIONS (host 'localhost')": "the stream s has no port\n  hint: OPTIONS (port '…')",
    "socket OPTIONS (port 1)": "the stream s has no host",
    "rate": "s has no column k BIGINT\n  detail: it is read from rate\n  hint: timestamp TIMESTAMP, value BIGINT",
    "jsn": "the format jsn of s is not supported\n"
    "  detail: available: json, csv, parquet, xml, rate, socket, memory, nexmark, kafka\n"
    "  hint: did you mean json?",
}


@pytest.mark.parametrize("source", WRONG)
def test_misuse(source: str, spark: SparkSession, tmp_path: Path) -> None:
    script = f"CREATE STREAM s (k BIGINT) USING {source}; CREATE SINK o USING json OPTIONS (path 'out');"
    with pytest.raises(PunctumError) as caught:
        only(Session(spark), script + "INSERT INTO o SELECT k FROM s;", tmp_path).start(tmp_path / "state")
    assert str(caught.value).startswith(WRONG[source])
    assert not spark.streams.active


def test_wrong_options_are_named(spark: SparkSession, tmp_path: Path) -> None:
    query = only(Session(spark), RATE.replace("1000", "1000, rampUpTime 'soon'"), tmp_path)
    with pytest.raises(SchemaError, match="the options of tick are wrong") as caught:
        query.start(tmp_path / "state")
    assert "Time must be specified" in caught.value.detail


def test_misuse_of_memory(spark: SparkSession, tmp_path: Path) -> None:
    session = Session(spark)
    with pytest.raises(SchemaError) as caught:
        session.memory("item")
    assert str(caught.value) == (
        "there is no stream item in memory\n  detail: available: none\n"
        "  hint: CREATE STREAM item (…) USING memory, or give its columns"
    )
    item = session.memory("item", "itemid BIGINT, name STRING")
    assert session.memory("item") is item
    with pytest.raises(PunctumError):
        item.add(("seventeen", "a vase"))
    session.script(MEMORY, tmp_path)
    session.script(MEMORY, tmp_path)  # a cell of a notebook is run twice
    assert session.memory("item") is item
    with pytest.raises(SchemaError, match="another stream bid in memory exists"):
        session.script("CREATE STREAM bid (k BIGINT) USING memory;", tmp_path)
