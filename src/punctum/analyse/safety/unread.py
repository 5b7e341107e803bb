"""Columns of streams that nothing reads: they do not leave their stream, and punctuations go on without them.

From the result down, each relation is asked for the columns that are needed of it; ``plan/passes/prune.py`` takes all
others away. Set operators compare whole rows and need them all, and so does what looks at a stream as it comes.
"""

from collections.abc import Container, Iterator, Mapping

from punctum.ir.definitions import AllReported, StreamDef
from punctum.ir.expressions import Expression, columns
from punctum.ir.relations import Aggregate, Filter, Join, OrderBy, Projection, Source, UnionAll, Window
from punctum.ir.tree import Relation


def unread(relation: Relation, parts: Container[int] = ()) -> Mapping[int, frozenset[int]]:
    """The columns that are not read, by the ids of the nodes that name their streams; parts of a query need all."""
    needed: dict[int, set[int]] = {}
    every: dict[int, Source] = {}
    waiting = [(relation, _all(relation))]
    while waiting:
        node, wanted = waiting.pop()
        if isinstance(node, Source):
            every[id(node)] = node
            needed.setdefault(id(node), set()).update(_all(node) if _watched(node.stream) else wanted or {0})
        elif id(node) in parts:
            waiting += [(each, _all(each)) for each in node.inputs]
        else:
            waiting += _below(node, wanted)
    return {at: frozenset(_all(source) - needed[at]) for at, source in every.items()}


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
        case _:
            yield from ((each, _all(each)) for each in node.inputs)


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
