"""Messages become slices: so many at once, or fewer that are large, however they come."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from punctum.algebra.schema import Schema
from punctum.engine.kafka.read import pieces, read_range
from punctum.engine.kafka.topics import OffsetRange
from punctum.engine.kafka.values import Messages
from punctum.errors import MissingError

MOST, MOST_BYTES = 4, 20


@given(st.lists(st.integers(0, 30), max_size=40), st.lists(st.integers(0, 40), max_size=6))
def test_a_piece_ends_where_it_is_full(sizes: list[int], cuts: list[int]) -> None:
    values = [bytes(size) if size else None for size in sizes]
    messages = Messages(0, np.arange(len(values)), values)
    ends = sorted([0, *(min(cut, len(values)) for cut in cuts), len(values)])
    came = (messages.part(a, b) for a, b in pairwise(ends))
    wanted: list[list[int]] = [[]]
    for size in sizes:
        if len(wanted[-1]) == MOST or sum(wanted[-1]) >= MOST_BYTES:
            wanted.append([])
        wanted[-1].append(size)
    made = list(pieces(came, MOST, MOST_BYTES))
    assert [[len(value or b"") for value in piece.values] for piece in made] == [w for w in wanted if w]
    assert [at for piece in made for at in piece.offsets] == list(range(len(values)))


def test_an_option_that_a_consumer_alone_refuses() -> None:
    options = {"brokers": "127.0.0.1:1", "topic": "t", "kafka.fetch.max.bytes": "100"}
    with pytest.raises(MissingError, match="the topic t of s cannot be read") as raised:
        list(read_range("s", options, Schema.of(n="BIGINT"), OffsetRange("t", 0, 0, 1)))
    assert "fetch.max.bytes" in raised.value.detail and "begin with kafka." in raised.value.hint
