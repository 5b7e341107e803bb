"""Topics for tests: made, filled and deleted at a broker."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from confluent_kafka import Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewPartitions, NewTopic

from kafka.broker import Broker

Value = Mapping[str, Any] | bytes | None


def create(broker: Broker, name: str, partitions: int = 1, **config: str) -> None:
    """A topic that is there when this returns."""
    admin = AdminClient({"bootstrap.servers": broker.address})
    for made in admin.create_topics([NewTopic(name, partitions, 1, config=config)]).values():
        made.result()


def delete(broker: Broker, name: str) -> None:
    """A topic that is gone when this returns."""
    admin = AdminClient({"bootstrap.servers": broker.address})
    for gone in admin.delete_topics([name]).values():
        gone.result()


def widen(broker: Broker, name: str, partitions: int) -> None:
    """More partitions of a topic."""
    admin = AdminClient({"bootstrap.servers": broker.address})
    for made in admin.create_partitions([NewPartitions(name, partitions)]).values():
        made.result()


def expire(broker: Broker, name: str, partition: int, before: int) -> None:
    """Delete the messages of a partition before an offset, as its retention would."""
    admin = AdminClient({"bootstrap.servers": broker.address})
    for gone in admin.delete_records([TopicPartition(name, partition, before)]).values():
        gone.result()


def send(
    broker: Broker, name: str, values: Iterable[Value], partition: int = 0, transaction: str = "", **beside: Any
) -> None:
    """Messages at the end of a partition, which has them when this returns; in a transaction that is not ended."""
    told = {"transactional.id": transaction} if transaction else {}
    producer = Producer({"bootstrap.servers": broker.address, "linger.ms": 5, **told})
    if transaction:
        producer.init_transactions()
        producer.begin_transaction()
    for value in values:
        text = value if isinstance(value, bytes | None) else json.dumps(value).encode()
        producer.produce(name, text, partition=partition, **beside)
    producer.flush()
    if transaction == "commit":
        producer.commit_transaction()
    elif transaction:
        producer.abort_transaction()
