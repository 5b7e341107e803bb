"""Queries on Spark that write to topics: killed around their commits or at random moments, each row is there once."""

import json
import os
import random
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from pyspark.sql import SparkSession

from engine.kills import FILES, SCRIPT, SINKS, begins, begun, below, left, written
from engine.test_kill import make, run, started
from kafka.broker import Broker
from kafka.topics import new_topic, sent
from lanes import KILLS, PATIENCE, long, one_of
from punctum.engine.sinks.kafka import KafkaSink
from punctum.errors import QueryError

SEED = int(os.environ.get("PUNCTUM_SEED", "1"))
STOPS = {"grouped": {4: "behind"}, "pairs": {1: "before", 2: "behind", 5: "behind", 6: "before"}}
"""The offsets at whose commits a run is stopped."""
Rows = dict[str, list[str]]
"""The results of each query, in the order of their texts."""


def to_topics(directory: Path, broker: Broker) -> dict[str, str]:
    """The script with topics in the place of directories, and the topic of each sink."""
    topics = {sink: new_topic(broker, 3) for sink in SINKS}
    script = SCRIPT
    for sink, format_ in zip(SINKS, ("json", "parquet"), strict=True):
        before = f"USING {format_} OPTIONS (path 'out/{sink}')"
        assert before in script
        options = (
            f"brokers '{broker.address}', topic '{topics[sink]}', key 'g', punctuations {str(sink == 'pairs').lower()}"
        )
        script = script.replace(before, f"USING kafka OPTIONS ({options})")
    (directory / "kill.sql").write_text(script)
    return topics


def rows(broker: Broker, topics: dict[str, str]) -> Rows:
    """What the topics hold; all partitions have the same punctuations, and each row is where its key is."""
    found: Rows = {}
    for sink, topic in topics.items():
        messages = sent(broker, topic)
        puncts = [[value for at, _, value in messages if at == n and "$punct" in value] for n in range(3)]
        assert puncts[0] == puncts[1] == puncts[2] and bool(puncts[0]) == (sink == "pairs")
        of = {key: at for at, key, _ in messages if key is not None}
        assert all(at == of[key] for at, key, _ in messages if key is not None)
        found[sink] = sorted(text(json.loads(value)) for _, _, value in messages if "$punct" not in value)
    return found


def text(row: Any) -> str:
    return json.dumps(row, sort_keys=True)


@pytest.fixture(scope="module")
def expected(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Rows]:
    """What the same queries write to files when nothing happens to them."""
    directory = written(tmp_path_factory.mktemp("undisturbed"))
    for sink in SINKS:
        run(spark, directory, sink)
    results = {sink: left(directory, sink)["results"].values() for sink in SINKS}
    return directory, {sink: sorted(text(row) for file in files for row in file) for sink, files in results.items()}


@pytest.mark.parametrize("name", one_of(2, STOPS))
def test_stopped_around_the_commit(
    name: str,
    spark: SparkSession,
    broker: Broker,
    expected: tuple[Path, Rows],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Before a transaction is committed, so that it stays open, and behind it, so that the batch is done again."""
    directory = written(tmp_path)
    topics = to_topics(directory, broker)
    transaction, stops = KafkaSink._transaction, dict(STOPS[name])

    def stopped(self: KafkaSink, files: Any, offset: int, token: str) -> None:
        when = stops.pop(offset, None) if files else None
        if when == "before":
            self._producer.begin_transaction()
            for file in files:
                self._produce(pl.read_ipc(file))
            self._producer.flush()
        else:
            transaction(self, files, offset, token)
        if when is not None:
            raise OSError(f"killed {when} the commit")

    monkeypatch.setattr(KafkaSink, "_transaction", stopped)
    while stops:
        with pytest.raises(QueryError, match="killed"):
            run(spark, directory, name)
    run(spark, directory, name)
    assert rows(broker, {name: topics[name]}) == {name: expected[1][name]}
    lines = (directory / f"state/{name}/punctum/metrics.jsonl").read_text().splitlines()
    assert [json.loads(line)["batch"] for line in lines] == list(range(FILES))


@pytest.fixture
def broker_apart(broker: Broker, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """A broker that a test may kill."""
    apart = Broker(tmp_path_factory.mktemp("apart")).start()
    yield apart
    apart.stop()


@long
def test_random_kills(broker_apart: Broker, expected: tuple[Path, Rows], tmp_path: Path) -> None:
    """Of drivers, JVMs, workers and the broker; which comes back, and stays down for a while at times."""
    chance, story = random.Random(SEED), 0
    kills = ["driver", "driver", "worker", "JVM", "broker"] * max(1, KILLS // 10)
    chance.shuffle(kills)
    while kills:
        story += 1
        directory = written(make(tmp_path / str(story)))
        topics = to_topics(directory, broker_apart)
        for sink in SINKS:  # with the buckets of the other run, whatever the number of cores
            buckets = f"state/{sink}/punctum/buckets.json"
            make((directory / buckets).parent)
            shutil.copy(expected[0] / buckets, directory / buckets)
        while kills and min(begun(directory, sink) for sink in SINKS) < FILES:
            if killed_once(directory, kills[-1], chance, broker_apart):
                kills.pop()
        with started(directory) as running:
            _, errors = running.communicate(timeout=PATIENCE)
        assert running.returncode == 0, errors
        assert rows(broker_apart, topics) == expected[1], f"seed {SEED}, story {story}, {len(kills)} to go"


def killed_once(directory: Path, what: str, chance: random.Random, broker: Broker) -> bool:
    """Run the script until some batch has begun, and kill something; whether it had not ended before."""
    sink = chance.choice(SINKS)
    wanted = begun(directory, sink) + chance.randint(1, 3)
    with started(directory) as running:
        begins(directory, sink, wanted, lambda: running.poll() is not None)
        time.sleep(chance.uniform(0, 0.4))
        alive = running.poll() is None
        if what == "broker":
            broker.kill()
            time.sleep(chance.choice([0, 0, 5]))
            broker.start()
        elif what == "driver":
            with suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)
        else:
            found = below(running.pid, "java" if what == "JVM" else "pyspark")
            for pid in found if what == "JVM" else found[:1]:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        _, errors = running.communicate(timeout=PATIENCE)
    assert "Traceback" not in errors, errors
    return alive
