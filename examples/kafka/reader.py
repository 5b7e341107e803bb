"""What is committed to a topic: ``python examples/kafka/reader.py closing localhost:9092``."""

import sys
from collections.abc import Iterator

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition


def read(brokers: str, topic: str) -> Iterator[str]:
    """All values, partition by partition."""
    given = {"bootstrap.servers": brokers, "group.id": "reader", "enable.auto.commit": False}
    with Consumer({**given, "isolation.level": "read_committed", "enable.partition.eof": True}) as consumer:
        for partition in sorted(consumer.list_topics(topic, 30).topics[topic].partitions):
            consumer.assign([TopicPartition(topic, partition, 0)])
            while (message := consumer.poll(30)) is not None:
                error = message.error()
                if error is not None and error.code() == KafkaError._PARTITION_EOF:
                    break
                if error is not None:
                    raise KafkaException(error)
                yield (message.value() or b"").decode()


if __name__ == "__main__":
    topic = sys.argv[1] if len(sys.argv) > 1 else "closing"
    for value in read(sys.argv[2] if len(sys.argv) > 2 else "localhost:9092", topic):
        print(value)
