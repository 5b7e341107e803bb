"""Example 1 of the punctuation paper: the highest temperature of each hour in a warehouse.

::

    SELECT hour, MAX(currtmp)
    FROM (SELECT hour, currtmp FROM sensor1 UNION SELECT hour, currtmp FROM sensor2)
    GROUP BY hour

Each sensor says when it has sent all reports of an hour. An hour is complete when both have said so.
"""

from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.demo.example import Example
from punctum.iterators.aggregates import Aggregate, Function
from punctum.iterators.group_by import GroupBy
from punctum.iterators.project import Project
from punctum.iterators.stream import Slice
from punctum.iterators.tree import Node
from punctum.iterators.union import Union

REPORT = Schema.of(sid="STRING", hour="BIGINT", minute="BIGINT", currtmp="BIGINT")
_PROJECT = Project.to(REPORT, "hour", "currtmp")
_UNION = Union(_PROJECT.output, _PROJECT.output)
_MAX = GroupBy(_PROJECT.output, ("hour",), (Aggregate(Function.MAX, "currtmp", "maxtemp"),))


def _end_of(hour: int) -> Punctuation:
    return Punctuation.of(REPORT, hour=hour)


_SENSORS = tuple(Node(f"project{n}", _PROJECT, (f"sensor{n}",)) for n in (1, 2))
WAREHOUSE = Example(
    "warehouse",
    "the highest temperature of an hour comes out when both sensors have finished the hour",
    Node("max", _MAX, (Node("union", _UNION, _SENSORS),)),
    (
        {"sensor1": Slice.of(("S1", 7, 0, 61), ("S1", 7, 30, 63)), "sensor2": Slice.of(("S2", 7, 0, 61))},
        {"sensor1": Slice.of(("S1", 8, 0, 64), _end_of(7)), "sensor2": Slice.of(("S2", 7, 30, 66))},
        {"sensor1": Slice.of(("S1", 8, 30, 64)), "sensor2": Slice.of(("S2", 8, 0, 65), _end_of(7))},
        {"sensor1": Slice.of(_end_of(8)), "sensor2": Slice.of(("S2", 8, 30, 62), _end_of(8))},
    ),
)
