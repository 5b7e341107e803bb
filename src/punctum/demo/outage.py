"""The electric company of the earlier text: outages that the monitors see and no customer has called about.

::

    (SELECT * FROM monitor1 UNION SELECT * FROM monitor2) EXCEPT SELECT * FROM phone

Monitors and the phone bank say when an hour is over. Difference releases an outage as soon as no call about it can come
any more.
"""

from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.demo.example import Example
from punctum.iterators.difference import Difference
from punctum.iterators.stream import Slice
from punctum.iterators.tree import Node
from punctum.iterators.union import Union

REPORT = Schema.of(zoneid="BIGINT", hour="BIGINT")


def _end_of(hour: int) -> Punctuation:
    return Punctuation.of(REPORT, hour=hour)


OUTAGE = Example(
    "outage",
    "a zone without power comes out when the hour is over at the phone bank and nobody there has called about it",
    Node(
        "except", Difference(REPORT, REPORT), (Node("union", Union(REPORT, REPORT), ("monitor1", "monitor2")), "phone")
    ),
    (
        {"monitor1": Slice.of((1, 3), (6, 3)), "monitor2": Slice.of((6, 3)), "phone": Slice.of((1, 3))},
        {"monitor1": Slice.of(_end_of(3)), "monitor2": Slice.of((4, 4)), "phone": Slice.of((2, 3), (4, 4))},
        {"monitor1": Slice.of((5, 4)), "monitor2": Slice.of(_end_of(3)), "phone": Slice.of(_end_of(3))},
        {"monitor1": Slice.of(_end_of(4)), "monitor2": Slice.of(_end_of(4)), "phone": Slice.of(_end_of(4))},
    ),
)
