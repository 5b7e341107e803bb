"""The three tables: numbers of events in, their columns out, with values as frequent as in the public suite."""

from collections.abc import Callable, Mapping
from math import log
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from punctum.nexmark.texts import (
    CITIES,
    FIRST_NAMES,
    LAST_NAMES,
    STATES,
    Column,
    channel_of,
    channels,
    letters,
    named,
)
from punctum.nexmark.workload import (
    ACTIVE,
    AHEAD,
    FIRST_ID,
    HOT,
    IN_FLIGHT,
    Hashes,
    Ints,
    Workload,
    below,
    last_auction,
    last_person,
    one_of,
)

Columns = Mapping[str, Column]

CATEGORIES = range(10, 15)
_HOT_SELLER, _HOT_BIDDER = 0, 1  # of each hundred people
_TIME = pa.timestamp("ms", "UTC")
_joined: Any = pc.binary_join_element_wise


def people(workload: Workload, n: Ints) -> Columns:
    """The people who register with some events."""

    def chance(column: str) -> Hashes:
        return workload.chance(f"person.{column}", n)

    first, last = (named(names, below(chance(f"{at} name"), len(names))).cast(pa.string()) for at, names in _NAMES)
    user, host = (letters(workload, chance(part), 7) for part in ("user", "host"))
    card = below(chance("high"), 10**8) * 10**8 + below(chance("low"), 10**8)
    digits = pc.utf8_lpad(pa.array(card).cast(pa.string()), 16, "0")
    groups = [pc.utf8_slice_codeunits(digits, at, at + 4) for at in range(0, 16, 4)]
    return {
        "id": pa.array(FIRST_ID + last_person(n)),
        "name": _joined(first, last, " "),
        "emailAddress": _joined(user, _joined(host, "com", "."), "@"),
        "creditCard": _joined(*groups, " "),
        "city": named(CITIES, below(chance("city"), len(CITIES))),
        "state": named(STATES, below(chance("state"), len(STATES))),
        "dateTime": _times(workload.time(n)),
        "extra": letters(workload, chance("extra"), 125),
    }


_NAMES = (("first", FIRST_NAMES), ("last", LAST_NAMES))


def auctions(workload: Workload, n: Ints) -> Columns:
    """The auctions that begin with some events."""

    def chance(column: str) -> Hashes:
        return workload.chance(f"auction.{column}", n)

    first = _price(chance("initialBid"))
    return {
        "id": pa.array(FIRST_ID + last_auction(n)),
        "itemName": letters(workload, chance("itemName"), 15),
        "description": letters(workload, chance("description"), 75),
        "initialBid": pa.array(first),
        "reserve": pa.array(first + _price(chance("reserve"))),
        "dateTime": _times(workload.time(n)),
        "expires": _times(expires(workload, n)),
        "seller": pa.array(_person(chance("seller"), last_person(n), _HOT_SELLER)),
        "category": pa.array(CATEGORIES.start + below(chance("category"), len(CATEGORIES))),
        "extra": letters(workload, chance("extra"), 360),
    }


def expires(workload: Workload, n: Ints) -> Ints:
    """When auctions end, in milliseconds."""
    ends: Ints = workload.time(n) + 1 + below(workload.chance("auction.expires", n), workload.longest)
    return ends


def bids(workload: Workload, n: Ints) -> Columns:
    """The bids that some events are."""

    def chance(column: str) -> Hashes:
        return workload.chance(f"bid.{column}", n)

    names, urls = channels(workload)
    channel = channel_of(chance("channel"))
    return {
        "auction": pa.array(_auction(chance("auction"), last_auction(n))),
        "bidder": pa.array(_person(chance("bidder"), last_person(n), _HOT_BIDDER)),
        "price": pa.array(_price(chance("price"))),
        "channel": named(names, channel),
        "url": named(urls, channel),
        "dateTime": _times(workload.time(n)),
        "extra": letters(workload, chance("extra"), 68),
    }


def _auction(chance: Hashes, last: Ints) -> Ints:
    """The hot auction for every other bid, else one of the last, or one that is still to come."""
    low = np.maximum(last - (IN_FLIGHT - 1), 0)
    other = low + below(chance, last - low + (1 + AHEAD))
    return FIRST_ID + np.where(one_of(chance, 2), other, last // HOT * HOT)


def _person(chance: Hashes, last: Ints, hot: int) -> Ints:
    """The hot person three times of four, else one of the active ones, or one who is still to come."""
    low = np.maximum(last - (ACTIVE - 1), 0)
    other = low + below(chance, last - low + (1 + AHEAD))
    return FIRST_ID + np.where(one_of(chance, 4), other, last // HOT * HOT + hot)


def _price(chance: Hashes) -> Ints:
    """Prices from 100 to 100 million, as many of each order of magnitude."""
    magnitude = (chance >> np.uint64(11)).astype(np.float64) * 2.0**-53
    prices: Ints = np.rint(100 * np.exp(magnitude * log(10**6))).astype(np.int64)
    return prices


def _times(milliseconds: Ints) -> Column:
    return pa.array(milliseconds).view(_TIME)


COLUMNS: Mapping[str, Callable[[Workload, Ints], Columns]] = {"person": people, "auction": auctions, "bid": bids}
"""The columns of a table."""
