"""A topic as a sink, against a broker: each batch is there once, whatever happens around its transaction."""

import json
import signal
from collections.abc import Iterator, Sequence
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from uuid import uuid4

import polars as pl
import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient

from engine.kafka_killed import MOMENTS, killed_at
from kafka.broker import Broker
from kafka.topics import delete, messages, new_topic, sent
from lanes import long, one_of
from punctum.algebra.pattern import constant
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.algebra.values import Row
from punctum.engine.sinks.kafka import KafkaSink
from punctum.engine.sinks.topic import MessageFiles
from punctum.errors import QueryError, SchemaError
from punctum.ir.definitions import SinkDef
from punctum.operators.columns import ColumnarSlice, frame

ITEM = Schema.of(itemid="BIGINT", name="STRING")


def sink(broker: Broker, topic: str, checkpoint: Path, query: str, **more: str) -> KafkaSink:
    """A sink as a query makes it."""
    options = {"brokers": broker.address, "topic": topic, **more}
    files = MessageFiles.of(SinkDef("s", "kafka", options), ITEM, str(checkpoint / "messages"))
    files.clear()
    return KafkaSink(options, files, query, checkpoint, pauses=(0.1,), patience=20)


def write(to: KafkaSink, batch: int, *buckets: Sequence[Row], again: bool = False, puncts: Sequence[Any] = ()) -> None:
    """Write the rows that buckets give as a batch; all of them say the punctuations."""
    said = [Punctuation.of(to.files.schema, {"itemid": constant(n)}) for n in puncts]
    names = [to.files.write(ColumnarSlice(frame(to.files.schema, rows), tuple(said)))[0] for rows in buckets]
    to.commit(batch, [(n, name) for n, name in enumerate(names) if name is not None], again)


def values(broker: Broker, topic: str) -> list[str]:
    return sorted(value for _, _, value in sent(broker, topic))


def line(itemid: int, name: str | None = "vase") -> str:
    return json.dumps({"itemid": itemid, "name": name}, separators=(",", ":"))


@pytest.fixture
def query() -> str:
    return uuid4().hex[:8]


def test_rows_are_messages_and_a_key_has_its_partition(broker: Broker, tmp_path: Path, query: str) -> None:
    """As Java's partitioner has it: whoever else writes with these keys sends them to the same partitions."""
    topic, as_java = new_topic(broker, 4), new_topic(broker, 4)
    to = sink(broker, topic, tmp_path, query, key="itemid", punctuations="true")
    write(to, 0, [(n, "vase") for n in range(50)], [(None, None), (7, None)])
    write(to, 1, [(n, "lamp") for n in range(50)], [(None, 'é\n"')])
    other = Producer({"bootstrap.servers": broker.address, "partitioner": "murmur2"})
    for n in range(50):
        other.produce(as_java, key=str(n), value="")
    other.flush()
    expected = {key: partition for partition, key, _ in sent(broker, as_java)}
    found = sent(broker, topic)
    assert len(found) == 103 and {key for _, key, _ in found} == {*expected, None}
    assert all(partition == expected[key] for partition, key, _ in found if key is not None)
    assert len({partition for partition, key, _ in found if key is None}) == 1
    assert sorted(json.loads(value)["name"] or "" for _, key, value in found if key in (b"7", None)) == sorted(
        ["vase", "lamp", "", "", 'é\n"']
    )


def test_a_punctuation_goes_to_each_partition_behind_its_rows(broker: Broker, tmp_path: Path, query: str) -> None:
    topic = new_topic(broker, 3)
    to = sink(broker, topic, tmp_path, query, punctuations="true", key="itemid")
    write(to, 0, [(n, "vase") for n in range(30)], puncts=range(30))
    found = sent(broker, topic)
    for partition in range(3):
        of = [value for at, _, value in found if at == partition]
        puncts = [value for value in of if value.startswith('{"$punct"')]
        assert of[-30:] == puncts and len(of) > 30
        assert sorted(json.loads(value)["$punct"]["itemid"] for value in puncts) == list(range(30))


def test_csv_and_keys_of_several_columns(broker: Broker, tmp_path: Path, query: str) -> None:
    topic = new_topic(broker)
    options = {"format": "csv", "sep": ";", "nullValue": "NULL", "key": "name, itemid", "punctuations": "true"}
    to = sink(broker, topic, tmp_path, query, **options)
    write(to, 0, [(1, 'a;"b"'), (2, None)], puncts=[1])
    assert [(key, value) for _, key, value in sent(broker, topic)] == [
        (rb'{"name":"a;\"b\"","itemid":1}', '1;"a;""b"""'),
        (b'{"name":null,"itemid":2}', "2;NULL"),
        (None, '{"$punct": {"itemid": 1}}'),
    ]


def test_a_batch_that_is_done_again_is_there_once(broker: Broker, tmp_path: Path, query: str) -> None:
    topic = new_topic(broker, 2)
    write(sink(broker, topic, tmp_path, query), 0, [(1, "vase")], again=True)
    write(sink(broker, topic, tmp_path, query), 0, [(1, "vase")], again=True)
    to = sink(broker, topic, tmp_path, query)
    write(to, 0, [(1, "vase")], again=True)
    write(to, 1)
    write(to, 2, [(2, "vase")])
    write(sink(broker, topic, tmp_path, query), 2, [(2, "vase")], again=True)
    write(sink(broker, topic, tmp_path, query), 3, [(3, "vase")], again=True)
    assert values(broker, topic) == [line(1), line(2), line(3)]


def test_two_queries_on_a_topic_do_not_mix(broker: Broker, tmp_path: Path) -> None:
    topic = new_topic(broker)
    one, two = (sink(broker, topic, tmp_path / name, f"{name}{uuid4().hex[:4]}") for name in ("one", "two"))
    for batch in range(3):
        write(one, batch, [(batch, "one")], again=batch == 0)
        write(two, batch, [(batch, "two")], again=batch == 0)
    assert values(broker, topic) == sorted(line(batch, name) for batch in range(3) for name in ("one", "two"))


def test_a_producer_that_was_fenced_writes_nothing_more(broker: Broker, tmp_path: Path, query: str) -> None:
    topic = new_topic(broker)
    old = sink(broker, topic, tmp_path, query)
    write(old, 0, [(1, "vase")])
    new = sink(broker, topic, tmp_path, query)
    with pytest.raises(QueryError, match="batch 1 was not written") as raised:
        write(old, 1, [(2, "old")])
    assert "copy of its checkpoint" in raised.value.hint
    write(new, 1, [(2, "vase")], again=True)
    assert values(broker, topic) == [line(1), line(2)]


def copy(of: Path, to: Path) -> Path:
    (to / "punctum").mkdir(parents=True)
    (to / "punctum/kafka").write_bytes((of / "punctum/kafka").read_bytes())
    return to


def test_an_old_checkpoint_is_refused(broker: Broker, tmp_path: Path, query: str) -> None:
    topic, checkpoint = new_topic(broker), tmp_path / "new"
    to = sink(broker, topic, checkpoint, query)
    write(to, 0, [(1, "vase")], again=True)
    old = copy(checkpoint, tmp_path / "old")
    for batch in (1, 2):
        write(to, batch, [(batch + 1, "vase")])
    for batch in (0, 1):  # batch 1 of the copy may have other rows than that of the checkpoint
        with pytest.raises(QueryError, match="another process has gone on") as raised:
            write(sink(broker, topic, old, query), batch, [(9, "old")], again=True)
        assert f"at batch {batch}, and batch 2 is in the topic" in raised.value.detail
    beside = copy(checkpoint, tmp_path / "beside")
    write(sink(broker, topic, beside, query), 3, [(4, "vase")], again=True)
    with pytest.raises(QueryError, match="another process has gone on"):
        write(sink(broker, topic, checkpoint, query), 3, [(4, "other")], again=True)
    assert values(broker, topic) == [line(n) for n in range(1, 5)]


def test_an_offset_that_is_gone(broker: Broker, tmp_path: Path, query: str) -> None:
    """Whether the last batch is in the topic cannot be told then; that the next one is not, can."""
    topic = new_topic(broker)
    write(sink(broker, topic, tmp_path, query), 0, [(1, "vase")], again=True)
    admin = AdminClient({"bootstrap.servers": broker.address})
    for each in admin.delete_consumer_groups([f"punctum-{query}"]).values():
        each.result()
    with pytest.raises(QueryError, match="it is not known whether batch 0 is in the topic"):
        write(sink(broker, topic, tmp_path, query), 0, [(1, "vase")], again=True)
    write(sink(broker, topic, tmp_path, query), 1, [(2, "vase")], again=True)
    write(sink(broker, topic, tmp_path, query), 1, [(2, "vase")], again=True)
    assert values(broker, topic) == [line(1), line(2)]


def test_a_topic_that_was_deleted(broker: Broker, tmp_path: Path, query: str) -> None:
    topic = new_topic(broker)
    write(sink(broker, topic, tmp_path, query), 0, [(1, "vase")], again=True)
    delete(broker, topic)
    with pytest.raises(QueryError, match="cannot be written") as raised:
        sink(broker, topic, tmp_path, query)
    assert "create the topic" in raised.value.hint


@pytest.mark.parametrize("moment", one_of(4, MOMENTS))
def test_killed_around_the_commit(broker: Broker, tmp_path: Path, query: str, moment: str) -> None:
    """A process that is killed at a moment of its second batch; the next one does this batch again."""
    topic = new_topic(broker, 2)
    child = get_context("spawn").Process(target=killed_at, args=(moment, broker.address, topic, str(tmp_path), query))
    child.start()
    child.join()
    assert child.exitcode == -signal.SIGKILL
    to = sink(broker, topic, tmp_path, query)
    write(to, 1, [(n, "second") for n in range(1000)], again=True)
    write(to, 2, [(7, "third")])
    expected = [line(1, "first"), *(line(n, "second") for n in range(1000)), line(7, "third")]
    assert values(broker, topic) == sorted(expected)


@long
def test_a_broker_that_is_started_again_within_a_batch(broker_apart: Broker, tmp_path: Path, query: str) -> None:
    topic = new_topic(broker_apart, 2)
    to = sink(broker_apart, topic, tmp_path, query)
    write(to, 0, [(1, "vase")], again=True)
    queue = to._queue

    def restarted(messages: list[dict[str, Any]], partition: int = -1) -> None:
        queue(messages, partition)
        to._queue = queue  # type: ignore[method-assign]
        broker_apart.kill()
        broker_apart.start()

    to._patience = 5
    to._queue = restarted  # type: ignore[method-assign]
    write(to, 1, [(2, "vase")])
    write(to, 2, [(3, "vase")])
    assert values(broker_apart, topic) == [line(1), line(2), line(3)]


@long
def test_a_broker_that_is_gone(broker_apart: Broker, tmp_path: Path, query: str) -> None:
    topic = new_topic(broker_apart)
    more = {"kafka.message.timeout.ms": "1000", "kafka.socket.connection.setup.timeout.ms": "1000"}
    to = sink(broker_apart, topic, tmp_path, query, **more)
    to._patience = 3
    write(to, 0, [(1, "vase")], again=True)
    broker_apart.kill()
    with pytest.raises(QueryError, match="batch 1 was not written to the topic") as raised:
        write(to, 1, [(2, "vase")])
    assert "run the same command again" in raised.value.hint
    with pytest.raises(QueryError, match="cannot be written") as raised:
        KafkaSink(to._options, to.files, query, tmp_path, pauses=(0.1,), patience=3)
    broker_apart.start()
    write(sink(broker_apart, topic, tmp_path, query), 1, [(2, "vase")], again=True)
    assert values(broker_apart, topic) == [line(1), line(2)]


@pytest.fixture
def broker_apart(broker: Broker, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """A broker that a test may stop."""
    apart = Broker(tmp_path_factory.mktemp("apart")).start()
    yield apart
    apart.stop()


def test_a_topic_that_is_not_there(broker: Broker, tmp_path: Path, query: str) -> None:
    with pytest.raises(QueryError, match="the topic nowhere cannot be written") as raised:
        sink(broker, "nowhere", tmp_path, query)
    assert "create the topic" in raised.value.hint


def test_a_message_that_is_too_long_is_left_out(broker: Broker, tmp_path: Path, query: str) -> None:
    topic = new_topic(broker)
    to = sink(broker, topic, tmp_path, query, key="itemid", **{"kafka.message.max.bytes": "1000"})
    name, records = to.files.write(ColumnarSlice(frame(ITEM, [(1, "x" * 2000), (2, "x" * 900)])))
    (record,) = records
    assert record.stream == "s" and "more than 1,000 bytes" in record.reason
    assert json.loads(record.text)["itemid"] == 1 and name is not None
    to.commit(0, [(0, name)], again=True)
    assert values(broker, topic) == [line(2, "x" * 900)]


def test_a_broker_that_takes_shorter_messages(broker: Broker, tmp_path: Path, query: str) -> None:
    topic = new_topic(broker, config={"max.message.bytes": "500"})
    with pytest.raises(QueryError, match="batch 0 was not written to the topic"):
        write(sink(broker, topic, tmp_path, query), 0, [(2, "x" * 900)], again=True)


def test_many_rows_in_their_order(broker: Broker, tmp_path: Path, query: str) -> None:
    """More than the client takes at once: a later row of a key is behind an earlier one."""
    topic = new_topic(broker, 2)
    to = sink(broker, topic, tmp_path, query, key="itemid")
    rows = pl.DataFrame(
        {"itemid": pl.int_range(100_000, eager=True) % 7, "name": pl.int_range(100_000, eager=True).cast(pl.String)}
    )
    name, _ = to.files.write(ColumnarSlice(rows))
    assert name is not None
    to.commit(0, [(0, name)], again=True)
    seen: dict[bytes | None, list[int]] = {}
    for message in messages(broker, topic):
        seen.setdefault(message.key(), []).append(int(json.loads(message.value() or b"")["name"]))
    assert seen == {str(k).encode(): list(range(k, 100_000, 7)) for k in range(7)}


def test_wrong_keys() -> None:
    with pytest.raises(SchemaError, match="there is no column item"):
        MessageFiles.of(SinkDef("s", "kafka", {"key": "item"}), ITEM)
