"""The demo of topics: what it says without a broker, and a run."""

import json
from pathlib import Path
from threading import Event

import pytest
from pyspark.sql import SparkSession

from kafka.broker import Broker
from kafka.topics import sent
from lanes import long
from punctum.demo import kafka
from punctum.demo.auction import AUCTION
from punctum.errors import MissingError, PunctumError
from punctum.session import Session


@long
def test_no_broker() -> None:
    with pytest.raises(MissingError, match="no Kafka broker can be used at 127") as raised:
        kafka.make_topics("127.0.0.1:1")
    assert "make kafka-up" in raised.value.hint


def test_what_is_not_the_demos_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "kafka").mkdir()
    (tmp_path / "kafka/mine").touch()
    with pytest.raises(PunctumError, match="does not hold a run of this demo"):
        kafka.play(tmp_path, None, Event(), print)  # type: ignore[arg-type]
    assert (tmp_path / "kafka/mine").exists()


@long
def test_each_price_is_in_the_topic(spark: SparkSession, broker: Broker, tmp_path: Path) -> None:
    items, bids = (
        {element["itemid"] for step in AUCTION.steps() for element in step[stream] if "$punct" not in element}
        for stream in kafka.SENT
    )
    lines = list[str]()
    kafka.make_topics(broker.address)
    assert kafka.play(tmp_path, Session(spark), Event(), lines.append, broker.address)
    found = [json.loads(value)["itemid"] for _, _, value in sent(broker, kafka.topic("closing"))]
    assert sorted(found) == sorted(items & bids)
    assert lines[-1] == f"  {len(found)} rows are in punctum-demo-closing"
