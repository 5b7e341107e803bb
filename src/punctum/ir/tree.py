"""The tree of a query: every kind of node, and how the nodes below one are reached, written once.

``Relation`` is closed: a ``match`` over a relation that handles all kinds ends in ``assert_never``, and the type check
fails there when a new kind is not handled. Passes and analyses that look at a node after those below it are a
``transform``, a ``fold`` or a ``walk``; those that bring something down from above call themselves on ``inputs``.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeAlias, TypeVar

from punctum.errors import Place
from punctum.ir.definitions import NOWHERE, StreamDef
from punctum.ir.hop import Hop
from punctum.ir.lookup import Lookup
from punctum.ir.node import Alias, held
from punctum.ir.over import Over
from punctum.ir.planned import ExpectNode, LifespanNode, MultiJoin, Synopsis
from punctum.ir.punctuated import Punctuated
from punctum.ir.ranking import Ranked
from punctum.ir.relations import (
    Aggregate,
    Distinct,
    Except,
    Filter,
    Intersect,
    Join,
    OrderBy,
    OuterJoin,
    Projection,
    Source,
    Union,
    UnionAll,
    Window,
)
from punctum.ir.session import Sessions
from punctum.ir.stamped import Stamped
from punctum.ir.temporal import Cleansed, Final, LMerge, Opened

Relation: TypeAlias = (
    Source
    | Filter
    | Window
    | Projection
    | Join
    | OuterJoin
    | Lookup
    | Hop
    | Stamped
    | Distinct
    | UnionAll
    | Union
    | Intersect
    | Except
    | Aggregate
    | Sessions
    | OrderBy
    | Ranked
    | Over
    | Final
    | Opened
    | Cleansed
    | LMerge
    | MultiJoin
    | Synopsis
    | Punctuated
    | ExpectNode
    | LifespanNode
)
"""Every kind of node."""
Result = TypeVar("Result")


def with_inputs(relation: Relation, inputs: Sequence[Relation]) -> Relation:
    """The node over other ones, in the order of its inputs; the node itself when they are its own."""
    if all(new is old for new, old in zip(inputs, relation.inputs, strict=True)):
        return relation
    waiting, fields = list(inputs), dict[str, Any]()
    for name in relation.BELOW:
        value: Any = getattr(relation, name)
        taken = tuple(waiting.pop(0) for _ in held(value))
        fields[name] = taken if isinstance(value, tuple) else taken[0] if taken else None
    return replace(relation, **fields)


def walk(relation: Relation) -> Iterator[Relation]:
    """All nodes of a tree from left to right, each after those below it."""
    waiting = [(relation, False)]
    while waiting:
        node, done = waiting.pop()
        if done or not node.inputs:
            yield node
        else:
            waiting.append((node, True))
            waiting += [(below, False) for below in reversed(node.inputs)]


def fold(relation: Relation, combine: Callable[[Relation, list[Result]], Result]) -> Result:
    """What follows for a relation when each node combines what followed for its inputs.

    >>> from punctum.algebra import Schema
    >>> from punctum.ir.definitions import StreamDef
    >>> fold(Distinct(Source(StreamDef("bid", Schema.of(k="BIGINT")))), lambda node, below: 1 + sum(below))
    2
    """
    results: list[Result] = []
    for node in walk(relation):
        first = len(results) - len(node.inputs)
        results[first:] = [combine(node, results[first:])]
    (result,) = results
    return result


def transform(relation: Relation, change: Callable[[Relation], Relation]) -> Relation:
    """The tree with every node changed, each after those below it; what does not change stays the same object."""
    return fold(relation, lambda node, below: change(with_inputs(node, below)))


def sources(relation: Relation) -> Iterator[Source]:
    """The streams that a relation reads, from left to right."""
    return (node for node in walk(relation) if isinstance(node, Source))


def named(stream: StreamDef, place: Place = NOWHERE) -> Relation:
    """What the name of a stream means where a script reads it: its rows, or the relation that it stands for."""
    if stream.relation is None:
        return Source(stream, place)
    return replace(stream.relation, alias=Alias(stream.name, place))


def title(relation: Relation) -> str:
    """What a relation is called: as a script has named it, or else by the streams that it reads, each once."""
    return ", ".join(dict.fromkeys(_names(relation)))


def reads_text(relation: Relation) -> str:
    """What the operator of a relation reads, whatever its own result is called."""
    return title(replace(relation, alias=None))


def titles(relations: Sequence[Relation]) -> tuple[str, ...]:
    """What each of some relations is called, numbered where that is the same."""
    names = [title(relation) for relation in relations]
    return tuple(
        name if names.index(name) == i else f"{name} #{names[: i + 1].count(name)}" for i, name in enumerate(names)
    )


def _names(relation: Relation) -> Iterator[str]:
    if relation.alias is not None:
        yield relation.alias.name
    elif isinstance(relation, Source):
        yield relation.stream.name
    else:
        for below in relation.inputs:
            yield from _names(below)


def show(relation: Relation, note: Callable[[Relation], str] = lambda _: "") -> str:
    """The tree of a relation, indented, one node a line, with the names that its parts have in the script.

    Behind a node stands what is to be noted of it.
    """
    return "\n".join(_lines(relation, note, 0))


def _lines(relation: Relation, note: Callable[[Relation], str], depth: int) -> Iterator[str]:
    name = "" if relation.alias is None else f" named {relation.alias.name}"
    yield "  " * depth + relation.label + name + note(relation)
    for below in relation.inputs:
        yield from _lines(below, note, depth + 1)
