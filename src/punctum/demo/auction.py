"""What the portals of the auction send: new items and their bids, until each auction closes after a time of its own."""

from collections.abc import Iterator
from random import Random
from typing import Any

from punctum.demo.example import STEPS, Elements, Example, punct

_NEW = 40  # items a step
_BIDS = 12  # on an item and in a step, fewer than this
_LONGEST = 7  # steps that an auction lasts
_NAMES = ("vase", "clock", "lamp", "desk", "mirror", "globe", "chair", "radio")


def _steps() -> Iterator[dict[str, Elements]]:
    chance = Random(2)
    opened: dict[int, int] = {}  # items and the steps in which their auctions close
    for step in range(1, STEPS):
        ids = range(_NEW * (step - 1) + 1, _NEW * step + 1)
        opened |= {itemid: step + int(_LONGEST * chance.random() ** 2) for itemid in ids}
        closed = [itemid for itemid, end in opened.items() if end == step]
        items = [_item(chance, itemid) for itemid in ids]
        bids = _bids(chance, opened)
        yield {
            "item": [*items, punct(itemid={"le": ids[-1]})],
            "bid": [*bids, *(punct(itemid=itemid) for itemid in closed)],
        }
        opened = {itemid: end for itemid, end in opened.items() if end > step}
    yield {"item": [punct()], "bid": [*_bids(chance, opened), punct()]}


def _item(chance: Random, itemid: int) -> dict[str, Any]:
    name = _NAMES[int(len(_NAMES) * chance.random())]
    return {
        "itemid": itemid,
        "sellerid": 1 + int(25 * chance.random()),
        "name": name,
        "initialprice": 5.0 + int(95 * chance.random()),
    }


def _bids(chance: Random, opened: dict[int, int]) -> Elements:
    """Some bids on each item; increases are multiples of a half, whose sums are exact in any order."""
    return [
        {"itemid": itemid, "bidderid": 1 + int(500 * chance.random()), "increase": (1 + int(20 * chance.random())) / 2}
        for itemid in opened
        for _ in range(int(_BIDS * chance.random()))
    ]


AUCTION = Example(
    "auction",
    "the final price of an item is emitted when its auction closes",
    _steps,
    "{name} {itemid} for {price:.2f}",
)
