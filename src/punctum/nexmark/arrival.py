"""The order in which events come, and what can be promised at each place of it.

An event ``n`` comes at the place ``n + j``, where ``j`` is a number up to ``delay`` by chance; at one place, the lower
number comes first. So what comes from a place ``p`` on has numbers from ``p - delay`` on, and every promise below
follows from that. The order of a range of places depends on nothing outside of it.

After every so many places a stream says

- a person: no ``id`` that has come, no ``dateTime`` that is over;
- an auction: the same, and no ``seller`` who is no longer active;
- a bid: no ``dateTime`` that is over, no ``bidder`` who is no longer active, and no ``auction`` that has expired and
  that no bid can name any more, which is said once of each.

Behind the last place each stream ends.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from punctum.nexmark.tables import expires
from punctum.nexmark.texts import Column
from punctum.nexmark.workload import (
    ACTIVE,
    AUCTIONS,
    BEGIN,
    CYCLE,
    FIRST_ID,
    HORIZON,
    IN_FLIGHT,
    PEOPLE,
    Ints,
    Workload,
    auction_event,
    below,
    last_auction,
    last_person,
)

_joined: Any = pc.binary_join_element_wise


def arriving(workload: Workload, table: str, start: int, end: int) -> tuple[Ints, Ints]:
    """The events of a table at some places, in their order, and the place of each."""
    first, last = max(0, start - workload.delay), min(end, workload.events)
    n = np.arange(first, max(first, last))
    n = n[_is(table, n - n // CYCLE * CYCLE)]
    if not workload.delay:
        return n, n
    places = n + below(workload.chance("delay", n), workload.delay + 1)
    here = (places >= start) & (places < end)
    n, places = n[here], places[here]
    order = _sorted_at(places - start)
    return n[order], places[order]


def _sorted_at(places: Ints) -> Ints:
    """Where the places stand in their order, equal ones as they are: as single numbers, which are sorted fastest."""
    bits = max(1, len(places).bit_length())
    return np.sort(places << bits | np.arange(len(places))) & ((1 << bits) - 1)


def _is(table: str, offset: Ints) -> Any:
    match table:
        case "person":
            return offset < PEOPLE
        case "auction":
            return (offset >= PEOPLE) & (offset < PEOPLE + AUCTIONS)
        case _:
            return offset >= PEOPLE + AUCTIONS


def promises(workload: Workload, table: str, start: int, end: int) -> tuple[Ints, Column]:
    """What a stream promises at some places: before which place each punctuation stands, and punctuations as JSON."""
    if not workload.every:
        return np.empty(0, np.int64), pa.array([], pa.string())
    cuts = range((start // workload.every + 1) * workload.every, min(end, workload.arrivals - 1) + 1, workload.every)
    said = [(cut, text) for cut in cuts for text in _prefixes(workload, table, cut - workload.delay)]
    if start < workload.arrivals <= end:
        said.append((workload.arrivals, '{"$punct": {}}'))
    places, texts = np.array([place for place, _ in said], np.int64), pa.array([text for _, text in said], pa.string())
    if table != "bid" or not cuts:
        return places, texts
    closed_at, closed = _closing(workload, cuts)
    places = np.concatenate([places, closed_at])
    order = np.argsort(places, kind="stable")
    return places[order], pa.concat_arrays([texts, _single("auction", closed)]).take(pa.array(order))


def _prefixes(workload: Workload, table: str, n: int) -> Iterator[str]:
    """What is promised of the columns of which no lower value comes from an event on."""
    if n <= 0:
        return
    inactive = last_person(n) - ACTIVE + 1
    if table == "person":
        yield _prefix("id", FIRST_ID + last_person(n - 1) + 1)
    if table == "auction":
        yield _prefix("id", FIRST_ID + int(last_auction(n - 1)) + 1)
    if table != "person" and inactive > 0:
        yield _prefix("seller" if table == "auction" else "bidder", FIRST_ID + inactive)
    time = datetime.fromtimestamp(workload.time(n) / 1_000, UTC)
    yield _prefix("dateTime", time.strftime(f'"%Y-%m-%dT%H:%M:%S.{time.microsecond // 1_000:03}Z"'))


def _prefix(column: str, value: int | str) -> str:
    return f'{{"$punct": {{"{column}": {{"lt": {value}}}}}}}'


def _single(column: str, values: Ints) -> Column:
    """The punctuations of single values."""
    numbers = pa.array(values).cast(pa.string())
    return _joined(f'{{"$punct": {{"{column}": ', numbers, "}}", "")


def _closing(workload: Workload, cuts: range) -> tuple[Ints, Ints]:
    """The auctions that are closed at some cuts, and at which.

    An auction is closed for bids from the event on that is late enough: behind its expiry, and behind the last bid
    that may name it. It began at most twice the horizon before that, and a little for times cut to milliseconds.
    """
    low, high = cuts[0] - cuts.step - workload.delay, cuts[-1] - workload.delay
    span = 2 * HORIZON + 3 * (workload.rate // 1_000 + 1)
    auctions = np.arange(max(0, int(last_auction(max(0, low - span)))), max(0, int(last_auction(max(0, high))) + 1))
    expired = -((BEGIN - expires(workload, auction_event(auctions))) * workload.rate // 1_000)
    from_ = np.maximum(expired, auction_event(auctions + IN_FLIGHT))
    at = -(-(from_ + workload.delay) // cuts.step) * cuts.step
    here = (at >= cuts[0]) & (at <= cuts[-1])
    return at[here], FIRST_ID + auctions[here]
