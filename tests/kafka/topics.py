"""Topics of a test: made, and read as whoever reads only what has been committed."""

from uuid import uuid4

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from kafka.broker import Broker
from lanes import PATIENCE

Sent = tuple[int, bytes | None, str]
"""A message: its partition, its key and its value."""


def new_topic(broker: Broker, partitions: int = 1, config: dict[str, str] | None = None) -> str:
    """A topic of a name that no other has."""
    name = f"topic-{uuid4().hex[:8]}"
    admin = AdminClient({"bootstrap.servers": broker.address})
    admin.create_topics([NewTopic(name, partitions, 1, config=config or {})])[name].result(PATIENCE)
    return name


def delete_topic(broker: Broker, name: str) -> None:
    admin = AdminClient({"bootstrap.servers": broker.address})
    admin.delete_topics([name])[name].result(PATIENCE)


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
