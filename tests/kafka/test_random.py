"""Topics in, topics out, and whatever is killed whenever: what is committed is what DuckDB makes of the messages.

Streams of one to four partitions get rows, punctuations, rows behind them, messages that are neither, and transactions
that are aborted, while the script runs and is killed: the driver, its JVM, workers, and the broker. In the end the
topics are read back. What is in each partition says which messages are rows, and which are for the quarantine.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import pytest

from engine.kills import begins, begun, below
from kafka.broker import Broker
from kafka.topics import Value, messages, new_topic, send
from lanes import KILLS, PATIENCE, long
from punctum.algebra.json import from_json
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.engine.exchange.quarantine import read_records

SEED = int(os.environ.get("PUNCTUM_SEED", "1"))
SCRIPT = """
CREATE STREAM item (itemid BIGINT, name STRING, PUNCTUATED ON (itemid){owned})
  USING kafka OPTIONS (brokers '{brokers}', topic '{item}', maxOffsetsPerTrigger {most});
CREATE STREAM bid (itemid BIGINT, increase DOUBLE, _partition BIGINT, _offset BIGINT, PUNCTUATED ON (itemid){owned})
  USING kafka OPTIONS (brokers '{brokers}', topic '{bid}', maxOffsetsPerTrigger {most});
CREATE SINK closing USING kafka OPTIONS (brokers '{brokers}', topic '{closing}', key 'itemid', punctuations true);
CREATE SINK single USING kafka OPTIONS (brokers '{brokers}', topic '{single}', key 'itemid');
INSERT INTO closing {closing_sql};
INSERT INTO single {single_sql};
"""
SQL = {
    "closing": """SELECT i.itemid, COUNT(*) AS bids, SUM(b.increase) AS total, MAX(i.name) AS name
      FROM item i JOIN bid b ON i.itemid = b.itemid GROUP BY i.itemid""",
    "single": "SELECT itemid, increase, _partition AS p, _offset AS o FROM bid",
}
STREAMS = ("item", "bid")
POISON: Sequence[Value] = (b"oops", b"", b" ", None, b"[]", b'{"itemid": "x"}', b'{"itemid": 1', {"$punct": {"no": 1}})
CLOSING = Schema.of(itemid="BIGINT")
"""The column that punctuations of results speak of."""
WIDTH = 8
"""So many items are open at a time."""
Place = tuple[str, str, int, int]
"""A query, a topic, a partition and an offset."""


@dataclass
class Said:
    """What a partition has closed."""

    items: set[int] = field(default_factory=set)
    below: int = 0
    every: bool = False

    def closes(self, item: int | None) -> bool:
        """Whether a row of an item is late."""
        return self.every or (item is not None and (item in self.items or item < self.below))

    def hear(self, punct: dict[str, Any]) -> None:
        """A punctuation."""
        match punct.get("itemid", self):
            case int(item):
                self.items.add(item)
            case {"lt": int(bound)}:
                self.below = max(self.below, bound)
            case _:
                self.every = True


class Story:
    """Some topics, what is sent to them, and what has to come out."""

    def __init__(self, chance: random.Random, broker: Broker, directory: Path) -> None:
        self.chance, self.broker, self.directory = chance, broker, directory
        self.owned = chance.random() < 0.5
        self.partitions = {stream: chance.randint(1, 4) for stream in STREAMS}
        self.topics = {s: new_topic(broker, self.partitions.get(s) or chance.randint(1, 3)) for s in (*STREAMS, *SQL)}
        self.said = {(stream, p): Said() for stream in STREAMS for p in range(self.partitions[stream])}
        self.base = 0
        directory.mkdir()
        owned = ", PARTITIONED BY (itemid)" if self.owned else ""
        sql = {f"{sink}_sql": text for sink, text in SQL.items()}
        given = {"brokers": broker.address, "most": chance.choice([7, 40, 1000]), **self.topics, **sql}
        (directory / "random.sql").write_text(SCRIPT.format(owned=owned, **given))

    def __str__(self) -> str:
        return f"seed {SEED}, {self.directory.name}: {self.partitions}, owned {self.owned}"

    def send(self) -> None:
        """Something to each partition, some of it in transactions."""
        for (stream, p), said in self.said.items():
            for transaction in self.chance.choices(["", "commit", "abort"], [6, 1, 1], k=self.chance.choice([0, 1, 2])):
                self._send(stream, p, [*self._elements(stream, p, said)], transaction)
        self.base += self.chance.randint(0, 3)

    def end(self) -> None:
        """Close everything."""
        for stream, p in self.said:
            self._send(stream, p, [{"$punct": {}}], "")

    def _send(self, stream: str, partition: int, values: Sequence[Value], transaction: str) -> None:
        name = transaction and f"{self.topics[stream]}-{partition}"
        send(self.broker, self.topics[stream], values, partition, transaction, name)

    def _elements(self, stream: str, p: int, said: Said) -> Iterator[Value]:
        """Elements of a partition; those of an aborted transaction close items as well, which only makes them fewer."""
        count = self.partitions[stream] if self.owned else 1
        window = [k for k in range(self.base, self.base + WIDTH * count) if not self.owned or k % count == p]
        for _ in range(self.chance.randint(0, 25)):
            item, kind = self.chance.choice(window), self.chance.random()
            if kind < 0.05:
                yield self.chance.choice(POISON)
            elif kind < 0.17:
                punct = {"itemid": item if self.chance.random() < 0.8 else {"lt": self.base}}
                said.hear(punct)
                yield {"$punct": punct}
            elif not said.closes(item) or self.chance.random() < 0.1:
                key = None if kind > 0.97 and (p == 0 or not self.owned) else item
                own = {"name": self.chance.choice(["vase", "clock"])} if stream == "item" else {}
                yield {"itemid": key, **(own or {"increase": self.chance.randint(1, 20) / 2})}

    def expected(self) -> tuple[dict[str, Counter[Any]], Counter[Place]]:
        """The rows of both results, and what is for the quarantine."""
        rows: dict[str, list[Any]] = {stream: [] for stream in STREAMS}
        wrong, said = Counter[Place](), defaultdict[tuple[str, int], Said](Said)
        for stream in STREAMS:
            for message in messages(self.broker, self.topics[stream]):
                partition, offset = message.partition() or 0, message.offset() or 0
                value, here = message.value(), said[stream, partition]
                element = None if value in POISON or not value else json.loads(value)
                if element in POISON or element is None or here.closes(element.get("itemid")):
                    for query in SQL if stream == "bid" else ("closing",):
                        wrong[query, self.topics[stream], partition, offset] += 1
                elif "$punct" in element:
                    here.hear(element["$punct"])
                else:
                    rows[stream].append((*element.values(), *((partition, offset) if stream == "bid" else ())))
        database = duckdb.connect()
        database.execute("CREATE TABLE item (itemid BIGINT, name VARCHAR)")
        database.execute("CREATE TABLE bid (itemid BIGINT, increase DOUBLE, _partition BIGINT, _offset BIGINT)")
        for stream, several in rows.items():
            if several:
                database.executemany(f"INSERT INTO {stream} VALUES ({', '.join('?' * len(several[0]))})", several)
        return {sink: Counter(database.execute(text).fetchall()) for sink, text in SQL.items()}, wrong

    def found(self) -> tuple[dict[str, Counter[Any]], Counter[Place]]:
        """The same as it was committed; what a punctuation has closed does not come behind it."""
        results = dict[str, Counter[Any]]()
        for sink in SQL:
            results[sink], puncts = Counter(), defaultdict[int, list[Punctuation]](list)
            for message in messages(self.broker, self.topics[sink]):
                text, partition = message.value() or b"", message.partition() or 0
                element = from_json(text, CLOSING)
                if isinstance(element, Punctuation):
                    puncts[partition].append(element)
                else:
                    late = [p for p in puncts[partition] if p.match(element)]
                    assert not late, f"{self}: {text!r} is behind {late}"
                    results[sink][tuple(json.loads(text).values())] += 1
            assert len({tuple(sorted(map(str, some))) for some in puncts.values()}) <= 1
        records = {sink: read_records(self.directory / "state" / sink) for sink in SQL}
        places = ((sink, r["topic"], r["partition"], r["offset"]) for sink, some in records.items() for r in some)
        return results, Counter(places)

    @contextmanager
    def started(self, *more: str) -> Iterator["subprocess.Popen[bytes]"]:
        """The script, run by the command in a process group of its own."""
        command = [
            sys.executable,
            "-m",
            "punctum",
            "run",
            "random.sql",
            "--checkpoint",
            "state",
            "--master",
            "local[2]",
        ]
        with (self.directory / "log").open("ab") as log:
            given = {"cwd": self.directory, "stdout": log, "stderr": log, "start_new_session": True}
            with subprocess.Popen([*command, *more], **given) as running:  # type: ignore[call-overload]
                try:
                    yield running
                finally:
                    with suppress(ProcessLookupError):
                        os.killpg(running.pid, signal.SIGKILL)

    def log(self) -> str:
        """What the runs have said."""
        return (self.directory / "log").read_text()


def kill(what: str, story: Story, running: "subprocess.Popen[bytes]") -> None:
    """Kill something, and wait for what becomes of it."""
    chance = story.chance
    if what == "broker":
        chance.choice([story.broker.kill, story.broker.stop])()
        time.sleep(chance.choice([0, 0, 3]))
        story.broker.start()
        return
    if what in ("driver", "Ctrl-C"):
        os.killpg(running.pid, signal.SIGKILL) if what == "driver" else running.send_signal(signal.SIGINT)
        running.wait(PATIENCE)
        return
    found = below(running.pid, "java" if what == "JVM" else "pyspark")
    for pid in found if what == "JVM" else chance.sample(found, min(1, len(found))):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    if what == "JVM":
        running.wait(PATIENCE)


def one(chance: random.Random, broker: Broker, directory: Path, kills: list[str]) -> None:
    """A story with these kills."""
    story = Story(chance, broker, directory)
    kills = list(kills)
    while kills:
        with story.started() as running:
            while running.poll() is None and kills:
                story.send()
                sink = chance.choice(list(SQL))
                begins(
                    directory,
                    sink,
                    begun(directory, sink) + chance.randint(1, 3),
                    lambda: running.poll() is not None,
                    20,
                )
                time.sleep(chance.uniform(0, 0.7))
                if running.poll() is None and chance.random() < 0.7:
                    kill(kills.pop(), story, running)
        assert "Traceback" not in story.log(), f"{story}\n{story.log()}"
    story.send()
    story.end()
    with story.started("--available-now") as running:
        running.wait(PATIENCE)
    assert running.returncode == 0, f"{story}\n{story.log()}"
    wanted, found = story.expected(), story.found()
    assert found == wanted, f"{story}"
    assert sum(wanted[0]["single"].values()) > 0


@pytest.fixture
def broker_apart(broker: Broker, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """A broker that a test may kill."""
    apart = Broker(tmp_path_factory.mktemp("apart")).start()
    yield apart
    apart.stop()


@long
def test_topics_through_a_script_that_is_killed(broker_apart: Broker, tmp_path: Path) -> None:
    chance = random.Random(SEED)
    every = ["driver", "worker", "broker", "JVM", "worker", "driver", "broker", "Ctrl-C"]
    for number in range(max(1, KILLS // 5)):
        one(chance, broker_apart, tmp_path / f"story-{number}", chance.sample(every, min(5, KILLS)))
