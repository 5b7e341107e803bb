"""Columns of streams that nothing reads: they do not leave their stream, and punctuations go on without them.

From the result down, each relation is asked for the columns that are needed of it (``ir/needed.py``), and
``plan/passes/prune.py`` takes all others away. What looks at a stream as it comes needs them all.
"""

from collections.abc import Container

from punctum.ir.by_node import ByNode
from punctum.ir.definitions import AllReported, StreamDef
from punctum.ir.needed import all_columns, needed
from punctum.ir.relations import Projection, Source, UnionAll
from punctum.ir.tree import Relation


def unread(relation: Relation, parts: Container[object] = ()) -> ByNode[frozenset[int]]:
    """The columns of streams that are not read, by the nodes that read the streams; parts of a query need all."""
    read = ByNode[tuple[Source, set[int]]]()
    waiting = [(relation, all_columns(relation))]
    while waiting:
        node, wanted = waiting.pop()
        if isinstance(node, Source):
            if node not in read:
                read[node] = node, set()
            read[node][1].update(all_columns(node) if _watched(node.stream) else wanted or {0})
        elif node in parts or not _can_narrow(node):
            waiting += [(below, all_columns(below)) for below in node.inputs]
        else:
            waiting += zip(node.inputs, needed(node, wanted), strict=True)
    return ByNode((source, frozenset(all_columns(source) - columns)) for source, columns in read)


def _can_narrow(node: Relation) -> bool:
    """Whether a node goes without columns: a UNION ALL only when its inputs surely lose the same ones."""
    return not isinstance(node, UnionAll) or all(isinstance(side, Projection) for side in node.inputs)


def _watched(stream: StreamDef) -> bool:
    """Whether a stream is looked at as it comes: for what is lost or over, for reports, or as elements."""
    reports = any(isinstance(clause, AllReported) for clause in stream.punctuates)
    return reports or bool(stream.limits) or stream.temporal is not None
