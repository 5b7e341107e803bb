"""Messages become slices: so many at once, or fewer that are large, however they come."""

from itertools import pairwise

import pytest
from confluent_kafka import Message
from hypothesis import given
from hypothesis import strategies as st

from punctum.algebra.schema import Schema
from punctum.engine.kafka.read import pieces, read_range
from punctum.engine.kafka.topics import OffsetRange
from punctum.errors import MissingError

MOST, MOST_BYTES = 4, 20


@given(st.lists(st.integers(0, 30), max_size=40), st.lists(st.integers(0, 40), max_size=6))
def test_a_piece_ends_where_it_is_full(sizes: list[int], cuts: list[int]) -> None:
    messages = [Message("t", value=bytes(size)) if size else Message("t", value=None) for size in sizes]
    came = (messages[a:b] for a, b in pairwise(sorted([0, *cuts, len(messages)])))
    wanted: list[list[int]] = [[]]
    for size in sizes:
        if len(wanted[-1]) == MOST or sum(wanted[-1]) >= MOST_BYTES:
            wanted.append([])
        wanted[-1].append(size)
    assert [list(map(len, piece)) for piece in pieces(came, MOST, MOST_BYTES)] == [w for w in wanted if w]


def test_an_option_that_a_consumer_alone_refuses() -> None:
    options = {"brokers": "127.0.0.1:1", "topic": "t", "kafka.fetch.max.bytes": "100"}
    with pytest.raises(MissingError, match="the topic t of s cannot be read") as raised:
        list(read_range("s", options, Schema.of(n="BIGINT"), OffsetRange("t", 0, 0, 1)))
    assert "fetch.max.bytes" in raised.value.detail and "begin with kafka." in raised.value.hint
