"""Auctions, sent to topics: items, bids on them, and a punctuation in both topics when an auction is closed.

Give the number of auctions and the brokers: ``python examples/kafka/producer.py 100 localhost:9092``. Topics that do
not exist are created, with two partitions. Rows and punctuations have the item as their key, so all that is said of an
item is in one partition, in order.
"""

import json
import sys
from collections.abc import Iterator
from random import Random
from typing import Any

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

TOPICS = ("item", "bid", "closing")
NAMES = ("vase", "clock", "lamp", "desk")
OPEN = 10
"""How many auctions are open at a time."""
Message = tuple[str, int, dict[str, Any]]
"""A topic, the item, and a row or a punctuation."""


def auctions(count: int, first: int = 0) -> Iterator[Message]:
    """So many auctions, which are closed in another order than they are opened."""
    chance, opened = Random(first), list[int]()
    for itemid in range(first, first + count):
        opened.append(itemid)
        yield "item", itemid, {"itemid": itemid, "name": chance.choice(NAMES)}
        yield "item", itemid, {"$punct": {"itemid": itemid}}
        for bid in (opened[-1], *chance.choices(opened, k=4)):
            yield "bid", bid, {"itemid": bid, "increase": chance.randint(1, 20) / 2}
        if len(opened) > OPEN:
            closed = opened.pop(chance.randrange(len(opened)))
            yield "bid", closed, {"$punct": {"itemid": closed}}
    for closed in opened:
        yield "bid", closed, {"$punct": {"itemid": closed}}


def create(brokers: str, topics: dict[str, str]) -> None:
    """Create those of the topics that do not exist."""
    admin = AdminClient({"bootstrap.servers": brokers})
    known = admin.list_topics(timeout=30).topics
    for made in admin.create_topics(
        [NewTopic(t, 2) for t in topics.values() if t not in known] or [], operation_timeout=30
    ).values():
        made.result()


def send(brokers: str, topics: dict[str, str], count: int, first: int = 0) -> int:
    """Send so many auctions, and say how many messages they were."""
    quiet = {"log_level": 3}  # a broker that has just started is no reason to warn
    producer = Producer({"bootstrap.servers": brokers, "partitioner": "murmur2", "enable.idempotence": True, **quiet})
    sent = 0
    for topic, itemid, element in auctions(count, first):
        producer.produce(topics[topic], json.dumps(element), str(itemid))
        producer.poll(0)
        sent += 1
    producer.flush()
    return sent


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    brokers = sys.argv[2] if len(sys.argv) > 2 else "localhost:9092"
    named = dict(zip(TOPICS, TOPICS, strict=True))
    create(brokers, named)
    print(f"{send(brokers, named, count):,} messages sent to {brokers}")
