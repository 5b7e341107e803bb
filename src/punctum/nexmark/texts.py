"""Strings by the million: names from lists, letters from a long text, channels and their addresses."""

from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from punctum.nexmark.workload import Hashes, Ints, Workload, below, one_of

FIRST_NAMES = ("Ada", "Alan", "Barbara", "Edgar", "Edsger", "Frances", "Grace", "Jim", "Kathleen", "Michael", "Tony")
LAST_NAMES = ("Archer", "Baker", "Carter", "Fisher", "Gardner", "Miller", "Potter", "Smith", "Weaver")
CITIES = (
    "Bend",
    "Boise",
    "Cheyenne",
    "Eugene",
    "Fresno",
    "Oakland",
    "Phoenix",
    "Portland",
    "Seattle",
    "Tucson",
)
STATES = ("AZ", "CA", "ID", "OR", "WA", "WY")
BIG_CHANNELS = ("Google", "Facebook", "Baidu", "Apple")
CHANNELS = 10_000
"""How many other channels there are."""
SITE, PAGE = "https://www.nexmark.com", "item.htm?query=1"

_LETTERS = 1 << 16  # texts begin at so many places of the long text
_LONGEST = 1 << 10


Column = Any
"""An array of Arrow's."""


def named(values: Column, numbers: Ints) -> Column:
    """Values by their numbers, which is how Parquet writes them."""
    return pa.DictionaryArray.from_arrays(numbers.astype(np.int32), values)


def letters(workload: Workload, chance: Hashes, length: int) -> Column:
    """Texts of so many letters: pieces of one long text, since letters of their own would take most of the time."""
    windows = np.lib.stride_tricks.sliding_window_view(_text(workload), length)
    data = np.ascontiguousarray(windows[below(chance, _LETTERS)])
    offsets = np.arange(0, data.size + 1, length, dtype=np.int32)
    return pa.StringArray.from_buffers(len(chance), buffer(offsets), buffer(data))


def buffer(numbers: NDArray[Any]) -> pa.Buffer:
    """The memory of numbers."""
    return pa.py_buffer(numbers.data)


@cache
def _text(workload: Workload) -> NDArray[np.uint8]:
    numbers = np.arange(_LETTERS + _LONGEST)
    return (below(workload.chance("text", numbers), 26) + ord("a")).astype(np.uint8)


@cache
def channels(workload: Workload) -> tuple[Column, Column]:
    """The names of all channels, the big ones first, and the address that each of them leads to.

    Nine of ten other channels have an id in their address.
    """
    count = len(BIG_CHANNELS) + CHANNELS
    numbers = np.arange(count)
    parts = [letters(workload, workload.chance(f"directory {n}", numbers), 5).to_pylist() for n in range(3)]
    known = below(workload.chance("channel id", numbers), 10) > 0
    ids = below(workload.chance("channel", numbers), 1 << 31)
    names = [*BIG_CHANNELS, *(f"channel-{n}" for n in range(CHANNELS))]
    urls = ["/".join((SITE, *directories, PAGE)) for directories in zip(*parts, strict=True)]
    suffixes = [f"&channel_id={ids[n]}" if n >= len(BIG_CHANNELS) and known[n] else "" for n in range(count)]
    return pa.array(names), pa.array([url + more for url, more in zip(urls, suffixes, strict=True)])


def channel_of(chance: Hashes) -> Ints:
    """The channel of each bid, by its number: half of the bids come over the big ones."""
    others = len(BIG_CHANNELS) + below(chance, CHANNELS)
    return np.where(one_of(chance, 2), below(chance, len(BIG_CHANNELS)), others)
