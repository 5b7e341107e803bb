"""The tree: what is below a node is reached, and changed, in one way for every kind of node."""

from dataclasses import replace
from typing import get_args

import pytest

from parse.golden import CATALOG
from punctum.analyse.safety.inference import Inference
from punctum.ir.planned import MultiJoin
from punctum.ir.relations import Distinct, Filter, Join, Projection, Source
from punctum.ir.temporal import LMerge
from punctum.ir.tree import Relation, fold, reads_text, show, sources, title, titles, transform, walk, with_inputs
from punctum.parse import parse_query, parse_script
from punctum.plan.joins.choose import PlanOptions
from punctum.plan.joins.multijoin import plan_joins

QUERIES = (
    "SELECT DISTINCT name FROM item WHERE price > 3.0 ORDER BY name",
    "SELECT i.itemid, SUM(b.increase) AS total FROM item i JOIN bid b ON i.itemid = b.itemid GROUP BY i.itemid",
    "SELECT itemid FROM item UNION SELECT itemid FROM bid EXCEPT SELECT hour FROM report",
    "SELECT itemid FROM item UNION ALL (SELECT itemid FROM bid INTERSECT SELECT hour FROM report)",
    "SELECT a.itemid FROM item [ROWS 3] a JOIN bid b ON a.itemid = b.itemid",
)
REPLICAS = """
    CREATE TEMPORAL STREAM a (k BIGINT) USING json OPTIONS (path 'a');
    CREATE TEMPORAL STREAM b (k BIGINT, OPEN CLOSE) USING json OPTIONS (path 'b');
    CREATE STREAM o AS CLEANSE (b);
    CREATE STREAM m AS LMERGE (a, b, o) OPTIONS (control 'c');
    CREATE SINK s USING console;
    INSERT INTO s SELECT k FROM m;
"""


def trees() -> list[Relation]:
    found = [parse_query(sql, CATALOG) for sql in QUERIES] + [parse_script(REPLICAS).queries[0].relation]
    return found + [plan_joins(relation, Inference(), PlanOptions()) for relation in found]


def renamed(node: Relation) -> Relation:
    return replace(node, stream=replace(node.stream, name=f"{node.stream.name}!")) if isinstance(node, Source) else node


@pytest.mark.parametrize("relation", trees())
def test_every_stream_is_reached_and_nothing_else_is_changed(relation: Relation) -> None:
    changed = transform(relation, renamed)
    assert [s.stream.name for s in sources(changed)] == [f"{s.stream.name}!" for s in sources(relation)]
    assert [type(node) for node in walk(changed)] == [type(node) for node in walk(relation)]
    assert transform(changed, _back) == relation


def _back(node: Relation) -> Relation:
    return replace(node, stream=replace(node.stream, name=node.stream.name[:-1])) if isinstance(node, Source) else node


@pytest.mark.parametrize("relation", trees())
def test_what_does_not_change_is_the_same_object(relation: Relation) -> None:
    assert transform(relation, lambda node: node) is relation
    assert with_inputs(relation, relation.inputs) is relation


@pytest.mark.parametrize("relation", trees())
def test_a_node_comes_after_those_below_it(relation: Relation) -> None:
    seen: list[Relation] = []
    for node in walk(relation):
        assert all(any(below is other for other in seen) for below in node.inputs)
        seen.append(node)
    assert fold(relation, lambda _, below: 1 + sum(below)) == len(seen) == len(show(relation).splitlines())


def test_what_controls_a_merge_is_an_input_of_it() -> None:
    (merge,) = (node for node in walk(trees()[5]) if isinstance(node, LMerge))
    assert merge.control is not None and merge.inputs == (*merge.merged, merge.control)
    changed = transform(merge, renamed)
    assert isinstance(changed, LMerge) and changed.control is not None
    assert changed.control.stream.name == "m.control!"


NAMED = """
    CREATE STREAM bid (k BIGINT, x DOUBLE) USING json OPTIONS (path 'in');
    CREATE STREAM dear AS SELECT k, x FROM bid WHERE x > 1.0;
    CREATE STREAM every AS SELECT * FROM bid;
    CREATE SINK s USING console;
    CREATE SINK t USING console;
    INSERT INTO s SELECT DISTINCT d.k FROM dear d JOIN every e ON d.k = e.k JOIN dear f ON f.k = e.k;
    INSERT INTO t SELECT * FROM dear;
"""


def test_a_named_stream_is_the_relation_that_it_stands_for_and_keeps_its_name() -> None:
    relation = parse_script(NAMED).queries[0].relation
    assert isinstance(relation, Distinct) and isinstance(relation.input, Projection)
    last = relation.input.input
    assert isinstance(last, Join) and isinstance(last.left, Join)
    leaves = (last.left.left, last.left.right, last.right)
    assert [type(leaf) for leaf in leaves] == [Filter, Source, Filter]
    assert {source.stream.name for source in sources(relation)} == {"bid"}
    assert titles(leaves) == ("dear", "every", "dear #2")
    assert title(relation) == "dear, every" and reads_text(leaves[0]) == "bid"


def test_a_name_is_no_part_of_what_a_relation_is() -> None:
    script = parse_script(NAMED)
    relation, reference = script.streams["dear"].relation, script.queries[1].relation
    assert relation is not None and reference == relation
    assert reference.alias is not None and relation.alias is None


def test_every_kind_of_node_says_what_its_operator_is_called() -> None:
    kinds = get_args(Relation)
    assert len(kinds) == 28
    assert all(kind.OPERATOR for kind in kinds)
    called = [kind.OPERATOR for kind in kinds if kind is not MultiJoin]
    assert len(set(called)) == len(called)
