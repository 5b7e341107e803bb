"""Topics for tests: made, filled, read and deleted at a broker."""

import json
from collections.abc import Iterable, Mapping
from typing import Any
from uuid import uuid4

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewPartitions, NewTopic

from kafka.broker import Broker
from lanes import PATIENCE

Value = Mapping[str, Any] | bytes | None
Sent = tuple[int, bytes | None, str]
"""A message: its partition, its key and its value."""


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
    broker: Broker,
    name: str,
    values: Iterable[Value],
    partition: int = 0,
    transaction: str = "",
    producer_id: str = "",
    **beside: Any,
) -> None:
    """Messages at the end of a partition, which has them when this returns; in a transaction to "commit" or "abort"."""
    told = {"transactional.id": producer_id or transaction} if transaction else {}
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


def new_topic(broker: Broker, partitions: int = 1, config: dict[str, str] | None = None) -> str:
    """A topic of a name that no other has."""
    name = f"topic-{uuid4().hex[:8]}"
    create(broker, name, partitions, **(config or {}))
    return name


def messages(broker: Broker, topic: str, isolation: str = "read_committed") -> list[Message]:
    """All messages of a topic, partition by partition."""
    given = {"bootstrap.servers": broker.address, "group.id": uuid4().hex, "enable.auto.commit": False}
    given |= {"isolation.level": isolation, "enable.partition.eof": True, "auto.offset.reset": "earliest"}
    found = list[Message]()
    with Consumer(given) as consumer:
        partitions = consumer.list_topics(topic, PATIENCE).topics[topic].partitions
        for partition in sorted(partitions):
            consumer.assign([TopicPartition(topic, partition, 0)])
            while (message := consumer.poll(PATIENCE)) is not None:
                error = message.error()
                if error is None:
                    found.append(message)
                elif error.code() == KafkaError._PARTITION_EOF:
                    break
                else:
                    raise KafkaException(error)
    return found


def sent(broker: Broker, topic: str) -> list[Sent]:
    """What has been committed to a topic, partition by partition."""
    return [(m.partition() or 0, m.key(), (m.value() or b"").decode()) for m in messages(broker, topic)]
