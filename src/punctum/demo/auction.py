"""Example 2 of the punctuation paper: the final price of each item of an online auction.

::

    SELECT itemid, SUM(increase) FROM item JOIN bid USING (itemid) GROUP BY itemid

The seller's portal gives each item an id of its own, so it can say at once that no other item will have it; the buyers'
portal says when an auction is closed. Auctions close in another order than they opened: no window of time fits them.
"""

from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.demo.example import Example
from punctum.iterators.aggregates import Aggregate, Function
from punctum.iterators.group_by import GroupBy
from punctum.iterators.join import Join
from punctum.iterators.stream import Slice, prefix
from punctum.iterators.tree import Node

ITEM = Schema.of(itemid="BIGINT", name="STRING", initialprice="BIGINT")
BID = Schema.of(itemid="BIGINT", increase="BIGINT", buyerid="BIGINT")
_JOIN = Join(ITEM, BID, (("itemid", "itemid"),), ("item.", "bid."))
_SUM = GroupBy(_JOIN.output, ("item.itemid",), (Aggregate(Function.SUM, "increase", "total"),))


def _item(itemid: int, name: str, price: int) -> Slice:
    return Slice.of((itemid, name, price), Punctuation.of(ITEM, itemid=itemid))


def _closed(itemid: int) -> Punctuation:
    return Punctuation.of(BID, itemid=itemid)


AUCTION = Example(
    "auction",
    "the sum of the bids on an item comes out when its auction closes",
    Node("sum", _SUM, (Node("join", _JOIN, ("item", "bid")),)),
    (
        {"item": prefix([_item(1, "vase", 30), _item(2, "clock", 80)]), "bid": Slice.of((1, 5, 71), (2, 10, 72))},
        {"item": _item(3, "lamp", 15), "bid": Slice.of((1, 7, 73), (3, 2, 71))},
        {"bid": Slice.of((2, 15, 71), _closed(1))},
        {"item": _item(4, "desk", 60), "bid": Slice.of((4, 20, 74), _closed(3))},
        {"bid": Slice.of((2, 5, 75), _closed(2), _closed(4))},
    ),
)
