"""Columns of streams that nothing reads: they do not leave their stream, and punctuations go on without them.

From the result down, each relation is asked for the columns that are needed of it; ``plan/passes/prune.py`` takes all
others away. Set operators compare whole rows and need them all, and so does what looks at a stream as it comes.
"""

from collections.abc import Container, Iterator
from typing import assert_never

from punctum.ir.by_node import ByNode
from punctum.ir.definitions import AllReported, StreamDef
from punctum.ir.expressions import Expression, columns
from punctum.ir.node import BinaryRelation, PlannedNode
from punctum.ir.relations import Aggregate, Distinct, Filter, Join, OrderBy, Projection, Source, UnionAll, Window
from punctum.ir.temporal import Cleansed, Final, LMerge, Opened
from punctum.ir.tree import Relation


def unread(relation: Relation, parts: Container[object] = ()) -> ByNode[frozenset[int]]:
    """The columns of streams that are not read, by the nodes that read the streams; parts of a query need all."""
    needed = ByNode[tuple[Source, set[int]]]()
    waiting = [(relation, _all(relation))]
    while waiting:
        node, wanted = waiting.pop()
        if isinstance(node, Source):
            if node not in needed:
                needed[node] = node, set()
            needed[node][1].update(_all(node) if _watched(node.stream) else wanted or {0})
        elif node in parts:
            waiting += [(each, _all(each)) for each in node.inputs]
        else:
            waiting += _below(node, wanted)
    return ByNode((source, frozenset(_all(source) - read)) for source, read in needed)


def _below(node: Relation, wanted: set[int]) -> Iterator[tuple[Relation, set[int]]]:
    """What is needed of the inputs of a node."""
    match node:
        case Filter():
            yield node.input, wanted | reads(node.predicate)
        case Window():
            yield node.input, wanted
        case Projection():
            yield node.input, reads(*(node.columns[i][1] for i in wanted or {0}))
        case Join():
            width = len(node.left.schema)
            asked = wanted | (set() if node.residual is None else reads(node.residual))
            yield node.left, {i for i in asked if i < width} | {a.index for a, _ in node.on}
            yield node.right, {i - width for i in asked if i >= width} | {b.index for _, b in node.on}
        case UnionAll() if all(isinstance(each, Projection) for each in node.inputs):
            yield from ((each, wanted) for each in node.inputs)
        case Aggregate():
            yield node.input, read(node)
        case OrderBy():
            yield node.input, wanted | {column.index for column, _, _ in node.keys}
        case Distinct() | BinaryRelation() | Final() | Opened() | Cleansed() | LMerge():
            yield from ((each, _all(each)) for each in node.inputs)
        case Source() | PlannedNode():
            raise AssertionError(node)
        case _:
            assert_never(node)


def read(relation: Aggregate) -> set[int]:
    """The columns that a group-by reads."""
    calls = (column for call in relation.aggregates for column in (call.argument, call.filter) if column is not None)
    return reads(*(column for _, column in relation.keys), *calls)


def reads(*expressions: Expression) -> set[int]:
    """The columns that expressions read."""
    return {column.index for expression in expressions for column in columns(expression)}


def _watched(stream: StreamDef) -> bool:
    """Whether a stream is looked at as it comes: for what is lost or over, for reports, or as elements."""
    reports = any(isinstance(clause, AllReported) for clause in stream.punctuates)
    return reports or bool(stream.limits) or stream.temporal is not None


def _all(relation: Relation) -> set[int]:
    return set(range(len(relation.schema)))
