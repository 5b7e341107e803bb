"""How far a topic is read, batch by batch, by what brokers say; here they are made up."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from punctum.engine.kafka.broker import Brokers, Ends
from punctum.engine.kafka.topics import (
    UNEVEN,
    Deal,
    KnownPartitions,
    OffsetRange,
    Topic,
    TopicListing,
    TopicShare,
    _limited,
)
from punctum.errors import MissingError, QueryError


class Told(Brokers):
    """Brokers that say what they are told to."""

    def __init__(self, ends: Ends) -> None:
        super().__init__("bid", {})
        self.known = ends

    def ends(self) -> Ends:
        return self.known


def listing(path: Path, told: Told, idle: float | None = None, **options: str) -> TopicListing:
    topic = Topic("bid-1-0", "bid", {"topic": "bids", **options}, str(path / "bid-1-0.topic"), b"", idle)
    return TopicListing(topic, told)


@pytest.mark.parametrize(
    ("starting", "begins"),
    [("earliest", (2, 0)), ("latest", (9, 5)), ('{"0": 4}', (4, 0)), ('{"0": 9, "1": 5}', (9, 5))],
)
def test_a_query_begins_where_it_did(tmp_path: Path, starting: str, begins: tuple[int, int]) -> None:
    told = Told({0: (2, 9), 1: (0, 5)})
    first = listing(tmp_path, told, startingOffsets=starting).initial
    assert first == {"next": {"0": begins[0], "1": begins[1]}}
    told.known = {0: (9, 20), 1: (5, 20)}
    assert listing(tmp_path, told, startingOffsets="latest").initial == first


@pytest.mark.parametrize(
    ("starting", "error"),
    [
        ('{"2": 1}', "names partition 2"),
        ('{"0": 1}', "names the offset 1 of partition 0"),
        ('{"0": 10}', "names the offset 10 of partition 0"),
    ],
)
def test_a_query_does_not_begin_where_nothing_is(tmp_path: Path, starting: str, error: str) -> None:
    with pytest.raises((MissingError, QueryError), match=error):
        _ = listing(tmp_path, Told({0: (2, 9), 1: (0, 5)}), startingOffsets=starting).initial


def test_what_a_batch_reads(tmp_path: Path) -> None:
    topic = listing(tmp_path, told := Told({0: (0, 10), 1: (0, 30)}), maxOffsetsPerTrigger="20")
    end = topic.latest(topic.initial, topic.ends())
    assert end == {"next": {"0": 5, "1": 15}}
    assert topic.ranges(topic.initial, end) == [OffsetRange("bids", 0, 0, 5), OffsetRange("bids", 1, 0, 15)]
    assert topic.new_partitions(topic.initial, end) == KnownPartitions("bid-1-0", (0, 1), ())
    told.known = {0: (5, 5), 1: (0, 15), 2: (3, 8)}
    wider = topic.latest(end, topic.ends())
    assert wider == {"next": {"0": 5, "1": 15, "2": 3}}
    assert topic.new_partitions(end, wider) == KnownPartitions("bid-1-0", (0, 1, 2), ())
    assert topic.ranges(end, wider) == []
    last = topic.latest(wider, topic.ends())
    assert topic.ranges(wider, last) == [OffsetRange("bids", 2, 3, 8)]
    assert topic.new_partitions(wider, last) is None


@pytest.mark.parametrize(
    ("ends", "error"),
    [
        ({0: (6, 9), 1: (0, 9)}, "expired before they were read"),
        ({0: (0, 4), 1: (0, 9)}, "is not what it was"),
        ({0: (0, 9)}, "has lost partitions"),
    ],
)
def test_messages_that_are_gone_are_an_error(tmp_path: Path, ends: Ends, error: str) -> None:
    topic = listing(tmp_path, told := Told({0: (0, 5), 1: (0, 5)}))
    read = topic.latest(topic.initial, topic.ends())
    told.known = ends
    with pytest.raises((MissingError, QueryError), match=error):
        topic.latest(read, topic.ends())


def test_a_partition_is_idle_when_others_are_not(tmp_path: Path) -> None:
    topic = listing(tmp_path, told := Told({0: (0, 5), 1: (0, 5), 2: (0, 0)}), idle=60)

    def then(start: Mapping[str, object], now: int, *ends: int) -> dict[str, object]:
        told.known = {p: (0, end) for p, end in enumerate(ends)}
        return topic.latest(dict(start), topic.ends(), now)

    began = json.loads(json.dumps(topic.initial)) | {"times": {"0": 0, "1": 0, "2": 0}}
    first = then(began, 1_000, 5, 5, 0)
    assert first == {"next": {"0": 5, "1": 5, "2": 0}, "times": {"0": 1_000, "1": 1_000, "2": 0}, "idle": []}
    assert then(first, 59_000, 5, 5, 0) == first, "no batch without messages"
    second = then(first, 61_000, 5, 5, 0)
    assert second == first | {"idle": [2]}
    assert then(second, 1_000_000, 5, 5, 0) == second, "those that had the last message are never idle"
    third = then(second, 2_000_000, 6, 5, 0)
    assert third["idle"] == [1, 2]
    assert then(third, 2_000_001, 6, 5, 1)["idle"] == [1]
    assert topic.new_partitions(second, third) == KnownPartitions("bid-1-0", (0, 1, 2), (1, 2))
    earlier = {"heard" if key == "times" else key: value for key, value in second.items()}
    assert then(earlier, 2_000_000, 6, 5, 0) == third, "a checkpoint of an earlier version goes on"


@given(st.dictionaries(st.integers(0, 5), st.integers(0, 50), min_size=1), st.integers(1, 60))
def test_a_limit_is_for_all_partitions(there: dict[int, int], most: int) -> None:
    ends = _limited(dict.fromkeys(there, 7), {p: 7 + n for p, n in there.items()}, most)
    taken = {p: end - 7 for p, end in ends.items()}
    assert sum(taken.values()) == min(most, sum(there.values()))
    assert all(0 <= taken[p] <= there[p] for p in there)


def test_ranges_are_dealt_out_by_their_sizes() -> None:
    ranges = [OffsetRange("a", p, 0, size) for p, size in enumerate([50_000, 10_000, 30_000])]
    few, many = list(Deal()({"a": ranges[1:2]}, 4, set())), list(Deal()({"a": ranges}, 2, {"a"}))
    assert few == [[TopicShare("a", (ranges[1],), False)]]
    assert many == [[TopicShare("a", (ranges[0],), True)], [TopicShare("a", (ranges[2], ranges[1]), True)]]


def test_partitions_stay_with_their_task_unless_it_has_too_much() -> None:
    deal = Deal()

    def dealt(*sizes: int) -> list[list[int]]:
        ranges = [OffsetRange("a", p, 0, size) for p, size in enumerate(sizes) if size]
        return [sorted(r.partition for share in load for r in share.ranges) for load in deal({"a": ranges}, 2, set())]

    assert dealt(50_000, 49_000, 3_000, 2_000) == [[0, 3], [1, 2]]
    assert dealt(49_000, 50_000, 2_000, 3_000) == [[0, 3], [1, 2]]
    assert dealt(49_000, 50_000) == [[0], [1]]
    assert dealt(90_000, 10_000, 10_000, 50_000) == [[0], [1, 2, 3]]
    assert dealt(0, 10_000) == [[1]]
    assert dealt() == []


@given(st.lists(st.lists(st.integers(0, 60_000), min_size=1, max_size=6), max_size=5), st.integers(1, 4))
def test_each_range_is_dealt_out_once_and_about_evenly(batches: list[list[int]], tasks: int) -> None:
    deal = Deal()
    for sizes in batches:
        ranges = [OffsetRange("a", p, 0, 1 + size) for p, size in enumerate(sizes)]
        loads = [[r for share in load for r in share.ranges] for load in deal({"a": ranges}, tasks, set())]
        assert sorted(r for load in loads for r in load) == ranges
        assert len(loads) <= tasks
        assert all(loads)
        least = max(sum(r.end for share in load for r in share.ranges) for load in Deal()({"a": ranges}, tasks, set()))
        assert max(sum(r.end for r in load) for load in loads) <= UNEVEN * least
