"""Sharing: what a stage would do twice it does once; a stage whose operators are a tree in, one in which some meet out.

Inputs that read the same stream through the same selections, by the same key, are one: it has the columns of all, and
an operator that is to see fewer of them stands above a projection. Operators that are alike and read the same are one,
and all that read it get what it gives. Inputs that compute different columns stay apart: a row for which one of these
has no value would be missing from the others. So does all in a stage that sweeps values or merges replicas, where more
hangs on an input than its rows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from punctum.ir.by_node import ByNode
from punctum.ir.expressions import Column, Expression, rebased
from punctum.ir.names import fresh
from punctum.ir.relations import Filter, Projection, Source
from punctum.ir.temporal import LMerge
from punctum.ir.tree import Relation
from punctum.plan.physical.pipes import Pipe
from punctum.plan.physical.stages import Input, Op, Stage, operators, sweeps


def shared(last: Stage) -> Stage:
    """The last stage of a query in which nothing is done twice that can be done once, and so are all before it."""
    inputs = [replace(i, origin=shared(i.origin)) if isinstance(i.origin, Stage) else i for i in last.inputs]
    nodes: dict[int, Op | Input] = {i.number: i for i in inputs}
    if not sweeps(last) and not any(isinstance(op.relation, LMerge) for op in operators(last.root)):
        inputs, nodes = _together(inputs)
    return Stage(last.number, _Rebuilt(nodes).node(last.root), tuple(inputs))


class _Rebuilt:
    """The operators of a stage over other inputs, each once."""

    def __init__(self, inputs: dict[int, Op | Input]) -> None:
        self._inputs, self._made = inputs, list[Op]()
        self._known = ByNode[Op | Input]()

    def node(self, node: Op | Input) -> Op | Input:
        """What stands for a node."""
        if isinstance(node, Input):
            below = self._inputs[node.number]
            return self._once(below) if isinstance(below, Op) else below
        return self._known.find(node, lambda: self._once(replace(node, inputs=tuple(map(self.node, node.inputs)))))

    def _once(self, op: Op) -> Op:
        for known in self._made:
            if _are(known.inputs, op.inputs) and known.relation == op.relation:
                return known
        self._made.append(op)
        return op


def _are(some: Sequence[object], others: Sequence[object]) -> bool:
    return len(some) == len(others) and all(a is b for a, b in zip(some, others, strict=True))


class _Read:
    """What an input reads of a stream: where it goes and what it computes on the way, over the stream's own columns."""

    def __init__(self, source: Input, pipe: Pipe) -> None:
        self.source, self.pipe = source, pipe
        self.columns: list[Expression] = [Column(i, a.name, a) for i, a in enumerate(pipe.stream.schema.attributes)]
        self.done: list[Expression] = []  # in the order in which a row may turn out to have no value for it
        for step in pipe.steps:
            over = self.columns
            if isinstance(step, Filter):
                self.done.append(_over(step.predicate, over))
            elif isinstance(step, Projection):
                self.columns = [_over(e, over) for _, e in step.columns]
                self.done += [e for e in self.columns if not isinstance(e, Column) and e not in self.done]
        self.key = [self.columns[i] for i in source.key]

    def is_like(self, other: "_Read") -> bool:
        """Whether both can be one."""
        where = (self.pipe.stream, self.key, self.done) == (other.pipe.stream, other.key, other.done)
        return where and self.source.cube is None and other.source.cube is None


def _over(expression: Expression, below: list[Expression]) -> Expression:
    return rebased(expression, lambda column: below[column.index])


def _together(inputs: Sequence[Input]) -> tuple[list[Input], dict[int, Op | Input]]:
    """The inputs that are left, and what stands for each that there was."""
    left, nodes = list[Input](), dict[int, Op | Input]()
    for group in _groups(inputs):
        first, *_ = group
        if isinstance(first, _Read):
            one, wide = _joint([read for read in group if isinstance(read, _Read)], len(left))
            nodes |= {read.source.number: _narrow(one, wide, read) for read in group if isinstance(read, _Read)}
        else:
            one = replace(first, number=len(left))
            nodes[first.number] = one
        left.append(one)
    return left, nodes


def _groups(inputs: Sequence[Input]) -> Iterator[list[_Read] | list[Input]]:
    """Inputs that are to be one, in the order of their first."""
    reads = [_Read(source, source.origin) if isinstance(source.origin, Pipe) else source for source in inputs]
    taken = set[int]()
    for n, read in enumerate(reads):
        if isinstance(read, Input):
            yield [read]
        elif n not in taken:
            alike = [n, *(m for m, r in enumerate(reads) if m > n and isinstance(r, _Read) and read.is_like(r))]
            taken |= set(alike)
            yield [r for m, r in enumerate(reads) if m in alike and isinstance(r, _Read)]


def _joint(group: list[_Read], number: int) -> tuple[Input, list[Expression]]:
    """One input for several, and its columns: those of the widest, and columns of the stream that only others have."""
    widest = max(group, key=lambda read: len(read.columns))
    columns, more = list(widest.columns), list[Column]()
    for read in group:
        for column in read.columns:
            if column not in columns:
                assert isinstance(column, Column), column  # what is computed all have
                columns.append(column)
                more.append(column)
    repeated = any(read.source.repeated for read in group)
    made = replace(widest.source, number=number, origin=_with(widest.pipe, more), repeated=repeated)
    return made, columns


def _with(pipe: Pipe, more: list[Column]) -> Pipe:
    """A pipe with further columns of its stream, behind its own."""
    relation: Relation = Source(pipe.stream)
    at, steps = [column.index for column in more], list[Relation]()
    for step in pipe.steps if more else ():
        if isinstance(step, Projection):
            attributes, taken = relation.schema.attributes, [name.lower() for name, _ in step.columns]
            shown = [Column(i, attributes[i].name, attributes[i]) for i in at]
            named = tuple((fresh(column.name, taken), column) for column in shown)
            at = [len(step.columns) + n for n in range(len(more))]
            step = replace(step, input=relation, columns=step.columns + named)
        else:
            assert isinstance(step, Filter)
            step = replace(step, input=relation)
        steps.append(step)
        relation = step
    return replace(pipe, steps=tuple(steps)) if more else pipe


def _narrow(one: Input, columns: list[Expression], read: _Read) -> Op | Input:
    """What gives the rows of an input that has become one with others."""
    if read.columns == columns:
        return one
    assert isinstance(one.origin, Pipe)
    below: Relation = one.origin.steps[-1] if one.origin.steps else Source(one.origin.stream)
    attributes = below.schema.attributes
    at = [columns.index(column) for column in read.columns]
    names = read.pipe.schema.names
    shown = tuple((name, Column(i, attributes[i].name, attributes[i])) for name, i in zip(names, at, strict=True))
    return Op(Projection(below, shown), (one,))
