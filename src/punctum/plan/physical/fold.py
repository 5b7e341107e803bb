"""Folding: which rows of a stream may become one where they are read: only their sum, least or greatest counts above.

Rows of a piece that differ in nothing but such columns are one row behind the fold: what does not cross the JVM costs
nothing. Between the stream and the aggregate may stand joins, which pair a folded row with what they pair each of the
rows in it with. A sum asks for more than a least or greatest value does: a row of another input is added once for each
row that it meets, so where something is added up, only the input that has it is folded.
"""

from dataclasses import dataclass

from punctum.algebra.aggregates import Function
from punctum.algebra.pattern import WILDCARD
from punctum.algebra.schema import NOT_NULL
from punctum.algebra.values import Type
from punctum.ir.expressions import Column, Expression, columns
from punctum.ir.hop import Hop
from punctum.ir.relations import Aggregate, Filter, Join, Projection
from punctum.ir.stamped import Stamped
from punctum.ir.windows import window
from punctum.plan.physical.pipes import Pipe
from punctum.plan.physical.stages import Input, Op, Stage, sweeps

Folds = tuple[tuple[int, Function | None], ...]
"""The columns that are folded, and how: of those that nothing above reads, any value; all others are equal."""
_FOLDED = (Function.SUM, Function.MIN, Function.MAX)
_WEIGHTED = (Function.COUNT, Function.AVG)
"""Functions that are folded where rows say for how many they stand (``weights.py``)."""
_ADDED = (Type.BIGINT, Type.DOUBLE)
"""The types whose sums are of the same type; of others, a sum may have more digits."""


@dataclass(frozen=True)
class _Uses:
    """What an operator above does with columns: it folds some, reads others, and does not ask for the rest."""

    folded: dict[int, Function]
    read: frozenset[int]

    @property
    def adds(self) -> bool:
        return Function.SUM in self.folded.values()

    def reading(self, more: set[int]) -> "_Uses | None":
        """The same when more columns are read; nothing when one of them is added up as well."""
        if any(self.folded.get(at) is Function.SUM for at in more):
            return None
        return _Uses({at: f for at, f in self.folded.items() if at not in more}, self.read | more)

    def within(self, start: int, end: int) -> "_Uses | None":
        """The uses of some columns, counted from the first of them; nothing when others are added up."""
        if any(f is Function.SUM and not start <= at < end for at, f in self.folded.items()):
            return None
        folded = {at - start: f for at, f in self.folded.items() if start <= at < end}
        return _Uses(folded, frozenset(at - start for at in self.read if start <= at < end))


def folds(stage: Stage) -> dict[int, Folds]:
    """The inputs of a stage that are folded where they are read."""
    if sweeps(stage):  # what is withheld is told row by row
        return {}
    folded: dict[int, list[Folds]] = {}
    _walk(stage.root, None, folded)
    return {n: known[0] for n, known in folded.items() if known[0] and all(of == known[0] for of in known)}


def _walk(node: Op | Input, uses: _Uses | None, folded: dict[int, list[Folds]]) -> None:
    """Note for each input what is folded for each of its uses: what several share is folded when all agree."""
    if isinstance(node, Input):
        known = uses is not None and isinstance(node.origin, Pipe) and _of_pipe(node.origin, uses)
        folded.setdefault(node.number, []).append(known or ())
        return
    below = _below(node, uses)
    for child, used in zip(node.inputs, below, strict=True):
        _walk(child, used, folded)


def _below(node: Op, uses: _Uses | None) -> list[_Uses | None]:
    """What an operator and those above it do with the columns of its inputs."""
    relation = node.relation
    if isinstance(relation, Aggregate) and window(relation.input) is None:
        return [_of_groups(relation)]
    if uses is not None:
        match relation:
            case Join(left=left, residual=residual, on=on):
                width = len(left.schema)
                compared = {a.index for a, _ in on} | {width + b.index for _, b in on}
                known = uses.reading(compared | {c.index for c in (columns(residual) if residual else ())})
                ends = (0, width, len(relation.schema))
                return [known and known.within(*ends[:2]), known and known.within(*ends[1:])]
            case Filter(predicate=predicate):
                return [uses.reading({column.index for column in columns(predicate)})]
            case Projection():
                return [_of_projection(relation, uses)]
            case Hop(width=width):
                return [_of_hop(uses, width)]
            case Stamped(width=width):
                return [uses.within(0, width)]
    return [None] * len(node.inputs)


def _of_groups(relation: Aggregate) -> _Uses | None:
    """What a group-by does with columns, when it asks of each but for its keys one thing."""
    asked: dict[int, set[Function]] = {}
    for call in relation.aggregates:
        weighted = call.function in _WEIGHTED and call.by is not None
        if not (weighted or call.function in _FOLDED) or call.filter is not None:
            return None
        for column in call.reads:
            asked.setdefault(column.index, set()).add(Function.SUM if weighted else call.function)
    several = {at for at, functions in asked.items() if len(functions) > 1}
    folded = {at: function for at, (function, *_) in ((at, [*f]) for at, f in asked.items()) if at not in several}
    if any(Function.SUM in asked[at] for at in several) or not relation.keys:
        return None
    return _Uses(folded, frozenset(several)).reading({key.index for _, key in relation.keys})


def _of_hop(uses: _Uses, width: int) -> _Uses | None:
    """The uses of the columns below hopping windows, whose starts are made of the two that come last."""
    below = uses.within(0, width)
    return below and below.reading({width, width + 1})


def _of_projection(relation: Projection, uses: _Uses) -> _Uses | None:
    """The uses of the columns below a projection: those that it only shows are used as above."""
    folded: dict[int, Function] = {}
    read: set[int] = set()
    for at, (_, expression) in enumerate(relation.columns):
        function = uses.folded.get(at)
        if isinstance(expression, Column) and function is not None and folded.get(expression.index) is None:
            folded[expression.index] = function
        elif function is Function.SUM:
            return None
        elif function is not None or at in uses.read:
            read |= {column.index for column in columns(expression)}
    return _Uses(folded, frozenset()).reading(read)


def _of_pipe(pipe: Pipe, uses: _Uses) -> Folds:
    """What is folded behind a pipe: columns of which nothing is promised or demanded."""
    sources, demanded = origins(pipe)
    named = pipe.stream.schema.positions
    demanded |= {named[name] for scheme in pipe.stream.schemes for name in scheme.attributes}
    demanded |= {i for i, a in enumerate(pipe.stream.schema.attributes) if a.domain not in (WILDCARD, NOT_NULL)}
    chosen = list[tuple[int, Function | None]]()
    for at, attribute in enumerate(pipe.schema.attributes):
        function = uses.folded.get(at)
        if function is Function.SUM and attribute.type not in _ADDED:
            return ()
        if not sources[at] & demanded:
            chosen += [] if at in uses.read else [(at, function)]
        elif function is Function.SUM:
            return ()
    return tuple(chosen) if uses.folded and len(chosen) < len(pipe.schema) else ()


def origins(pipe: Pipe) -> tuple[list[frozenset[int]], frozenset[int]]:
    """The stream's columns that each column behind a pipe is computed from, and those that its selections read."""
    sources = [frozenset([i]) for i in range(len(pipe.stream.schema))]
    filtered = frozenset[int]()
    for step in pipe.steps:
        if isinstance(step, Filter):
            filtered |= _all(sources, step.predicate)
        elif isinstance(step, Projection):
            sources = [_all(sources, expression) for _, expression in step.columns]
    return sources, filtered


def _all(sources: list[frozenset[int]], expression: Expression) -> frozenset[int]:
    return frozenset(i for column in columns(expression) for i in sources[column.index])
