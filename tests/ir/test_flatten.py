"""Joins that stand together: what they demand is said of columns of leaves, however they are written."""

from parse.golden import CATALOG
from punctum.ir.expressions import columns, text
from punctum.ir.flatten import at_of, flat, has_join
from punctum.ir.relations import Aggregate, Filter, Projection, Source
from punctum.parse import parse_query

NESTED = """
    SELECT x.twice, r.sid FROM (
        SELECT i.itemid AS k, i.price * 2 AS twice FROM item i JOIN bid b ON i.itemid = b.itemid
        WHERE b.increase > i.price
    ) x JOIN (SELECT hour, sid, temp FROM report WHERE ok) r ON x.k = r.hour AND x.twice > r.temp
"""


def test_columns_and_conditions_speak_of_leaves() -> None:
    block = flat(parse_query(NESTED, CATALOG))
    assert [type(leaf) for leaf in block.leaves] == [Source, Source, Projection]
    told = [(text(condition), [at_of(column) for column in columns(condition)]) for condition in block.conditions]
    assert told == [
        ("(itemid = itemid)", [(0, 1), (1, 1)]),
        ("(increase > price)", [(1, 2), (0, 3)]),
        ("(itemid = hour)", [(0, 1), (2, 0)]),
        ("((price * 2.0) > temp)", [(0, 3), (2, 2)]),
    ]
    assert [[at_of(column) for column in columns(shown)] for shown in block.columns] == [[(0, 3)], [(2, 1)]]
    assert block.reads == {(0, 1), (0, 3), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)}


def test_what_is_no_join_is_a_leaf() -> None:
    grouped = parse_query("SELECT itemid, COUNT(*) AS n FROM bid WHERE fee > 1 GROUP BY itemid", CATALOG)
    assert isinstance(grouped, Aggregate) and isinstance(grouped.input, Filter)
    assert not has_join(grouped) and not has_join(grouped.input)
    assert flat(grouped.input).leaves == [grouped.input] and flat(grouped.input).conditions == []
