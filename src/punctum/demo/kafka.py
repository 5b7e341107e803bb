"""The auction over topics, live: the portals send to a Kafka broker, and the prices are read where they are committed.

In: a session, a directory and the broker. Out: a line for each step. The topics are made anew by each run, with two
partitions each, and stay behind it.
"""

import json
import shutil
from collections.abc import Callable, Iterator
from importlib import resources
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

from punctum.demo.auction import AUCTION
from punctum.demo.directory import make
from punctum.demo.example import STEPS, Elements
from punctum.demo.play import kept, shown
from punctum.engine.kafka.client import check_library
from punctum.errors import MissingError, PunctumError
from punctum.query import Query
from punctum.session import Session

if TYPE_CHECKING:
    from confluent_kafka import Producer

    from punctum.page.serve import LivePage

NAME = "kafka"
BROKERS = "localhost:9092"
SENT, RESULT = ("item", "bid"), "closing"
PARTITIONS = 2
_WAIT = 60
_HEAD = "  step  messages  released  kept"


def topic(name: str) -> str:
    """The topic of a stream or sink."""
    return f"punctum-demo-{name}"


def play(
    directory: Path,
    session: Session,
    interrupted: Event,
    echo: Callable[[str], None],
    brokers: str = BROKERS,
    show: "LivePage | None" = None,
) -> bool:
    """Run it over topics that were made for it, and return whether it came to its end; it starts afresh each time."""
    path = (directory / NAME).resolve()
    script = resources.files("punctum.demo").joinpath(f"{NAME}.sql").read_text("utf-8").replace(BROKERS, brokers)
    _prepare(path, script)
    echo(f"{NAME}: {AUCTION.about}, in topics of {brokers}")
    echo(f"  {path / f'{NAME}.sql'} reads {' and '.join(map(topic, SENT))}, and writes {topic(RESULT)}\n\n{_HEAD}")
    (query,) = session.script(script, path)
    query.start(path / "checkpoint")
    if show is not None:
        query.show_on(show)
    try:
        return _steps(query, brokers, interrupted, echo)
    finally:
        query.stop()


def make_topics(brokers: str) -> None:
    """Make all topics, empty ones in the place of those that are there."""
    check_library()
    from confluent_kafka import KafkaException
    from confluent_kafka.admin import AdminClient  # here because they come with an extra of the package
    from confluent_kafka.cimpl import NewTopic

    names = [topic(name) for name in (*SENT, RESULT)]
    try:
        admin = AdminClient({"bootstrap.servers": brokers, "log_level": 0})
        known = admin.list_topics(timeout=10).topics
        if old := [name for name in names if name in known]:
            for deleted in admin.delete_topics(old, operation_timeout=_WAIT).values():
                deleted.result()
        made = admin.create_topics([NewTopic(name, PARTITIONS, 1) for name in names], operation_timeout=_WAIT)
        for created in made.values():
            created.result()
    except KafkaException as error:
        hint = "start one with make kafka-up, or name another one with --brokers"
        raise MissingError(f"no Kafka broker can be used at {brokers}", error.args[0].str(), hint) from None


def _prepare(path: Path, script: str) -> None:
    if path.exists() and any(path.iterdir()):
        if not (path / f"{NAME}.sql").exists():
            hint = "remove it, or choose another directory with --directory"
            raise PunctumError(f"the directory {path} does not hold a run of this demo", "", hint)
        shutil.rmtree(path)
    make(path)
    (path / f"{NAME}.sql").write_text(script)


def _steps(query: Query, brokers: str, interrupted: Event, echo: Callable[[str], None]) -> bool:
    from confluent_kafka import Producer

    producer, released = (
        Producer({"bootstrap.servers": brokers, "partitioner": "murmur2", "log_level": 0}),
        dict[int, str](),
    )
    for step, sends in enumerate(AUCTION.steps(), start=1):
        if interrupted.is_set():
            echo(f"  stopped after step {step - 1} of {STEPS}; the same command starts anew")
            return False
        count = sum(_send(producer, topic(stream), elements) for stream, elements in sends.items())
        producer.flush()
        query.catch_up()
        texts = {row["itemid"]: AUCTION.text.format(**row) for row in _results(brokers)}
        new = [texts[itemid] for itemid in sorted(texts.keys() - released.keys())]
        released, known = texts, kept(query)
        counts = f"{step:6}{count:10,}{len(new):10,}{'?' if known is None else f'{known:,}':>6}"
        echo(f"{counts}  {shown(new)}".rstrip())
    echo(f"  {len(released):,} rows are in {topic(RESULT)}")
    return True


def _send(producer: "Producer", to: str, elements: Elements) -> int:
    """Send rows, and punctuations of an item, to the partition of the item, and others to all; how many they were."""
    count = 0
    for element in elements:
        itemid = element.get("$punct", element).get("itemid")
        text, all_partitions = json.dumps(element), not isinstance(itemid, int)
        for partition in range(PARTITIONS) if all_partitions else (-1,):
            producer.produce(to, text, None if all_partitions else str(itemid), partition)
            count += 1
        producer.poll(0)
    return count


def _results(brokers: str) -> Iterator[dict[str, Any]]:
    """All rows that have been committed."""
    from confluent_kafka import Consumer, TopicPartition

    given = {"bootstrap.servers": brokers, "group.id": topic(RESULT), "enable.auto.commit": False, "log_level": 0}
    with Consumer({**given, "isolation.level": "read_committed", "enable.partition.eof": True}) as consumer:
        for partition in range(PARTITIONS):
            consumer.assign([TopicPartition(topic(RESULT), partition, 0)])
            while (message := consumer.poll(_WAIT)) is not None and message.error() is None:
                yield json.loads(message.value() or b"")
