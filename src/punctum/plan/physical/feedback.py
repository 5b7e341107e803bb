"""What a plan need not do, given what nobody needs of its result: a column of the result in, expressions out.

Nobody needs rows of the result that have less than t in a column. The column is an expression over the rows of each
operator's inputs, and of the streams, as far as it is known there; rows for which it is less than t lead to nothing
that is needed, and what is kept of them is of no use:

- through selections, DISTINCT, ORDER BY, unions, intersections and differences it is the same one; through projections
  it is what they compute, if no function of the user's computes it; through a group-by if it is of grouping columns,
  and through window functions if it is of PARTITION BY;
- through a join it goes to the side whose columns it reads, and to others if the join equates these; through one that
  looks at rows without a partner from left columns alone;
- not through what has to see all rows: windows, which count them, those who report, values that are expected or last
  for a while, opens and closes, of which neither has the whole event, and a merge that counts the events of a start,
  unless it is the start.

Where elements have adjusts, the ends of an element are not those of its event, and operators take all elements that
come; the stream skips whole events instead (``lmerge/feedback.py``).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import assert_never

from punctum.algebra.outer import JoinKind
from punctum.ir.applied import applied
from punctum.ir.by_node import ByNode
from punctum.ir.elements import HIDDEN, VE, VS, is_elements
from punctum.ir.expressions import Column, Expression, columns, rebased
from punctum.ir.hop import Hop
from punctum.ir.lifted import inserts_only
from punctum.ir.lookup import Lookup
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
from punctum.ir.tree import Relation
from punctum.plan.physical.pipes import Pipe
from punctum.plan.physical.stages import Input, Op, Stage, all_stages, operators, sweeps

Below = tuple[Expression | None, ...]
"""What a column is over each input of an operator; nothing where that is not known."""


@dataclass(frozen=True)
class FeedbackMapping:
    """A column of the result, over what each stage takes, keeps and gives.

    ``streams`` are by the stage and the number of its input, ``operators`` by the stage and their number in it.
    """

    column: str
    streams: dict[tuple[int, int], Expression] = field(default_factory=dict)
    operators: dict[tuple[int, int], Below] = field(default_factory=dict)
    results: dict[int, Expression] = field(default_factory=dict)
    merges: dict[tuple[int, int], Expression] = field(default_factory=dict)

    def stage(self, stage: Stage, over: Expression) -> None:
        """Go through a stage that gives the column."""
        if sweeps(stage):
            return
        if _by_row(stage.root, over):
            self.results[stage.number] = over
        known = ByNode[Below]([(stage.root, (over,))])  # for each node, what the column is for each that reads it
        for number, op in reversed(list(enumerate(operators(stage.root)))):
            pairs = list(zip(op.inputs, self._operator(stage, number, op, _agreed(known[op])), strict=True))
            for child, expression in pairs:
                known[child] = (*(known.get(child) or ()), expression)
        for source in stage.inputs:
            self._input(stage, source, _agreed(known[source]))

    def _operator(self, stage: Stage, number: int, op: Op, over: Expression | None) -> Below:
        """Note what the column is for an operator, and give it for its inputs."""
        if over is None:
            return (None,) * len(op.inputs)
        if isinstance(op.relation, LMerge):
            self.merges[stage.number, number] = over
        under = below(op.relation, over)
        pairs = zip(op.inputs, under, strict=True)
        self.operators[stage.number, number] = tuple(e if e and _by_row(n, e) else None for n, e in pairs)
        return under

    def _input(self, stage: Stage, source: Input, over: Expression | None) -> None:
        if over is not None and isinstance(source.origin, Stage):
            self.stage(source.origin, over)
        elif over is not None and isinstance(source.origin, Pipe) and (raw := through(source.origin, over)) is not None:
            self.streams[stage.number, source.number] = raw


def _agreed(several: Below) -> Expression | None:
    """What a column is for all that read a node: nobody needs a row of it when none of them does."""
    return several[0] if all(expression == several[0] for expression in several) else None


def feedback_mappings(last: Stage) -> dict[str, FeedbackMapping]:
    """For each column of the result, where it is known in the plan."""
    mappings = {}
    for i, attribute in enumerate(last.schema.attributes):
        mapping = FeedbackMapping(attribute.name)
        mapping.stage(last, Column(i, attribute.name, attribute))
        mappings[attribute.name] = mapping
    return mappings


def through(pipe: Pipe, over: Expression) -> Expression | None:
    """An expression behind a pipe over the columns of its stream."""
    for step in reversed(pipe.steps):
        (under,) = below(step, over)
        if under is None:
            return None
        over = under
    return over


def by_event(pipe: Pipe, over: Expression) -> bool:
    """Whether elements of one event may differ in the expression: then a stream skips whole events only."""
    return not _fixed(Source(pipe.stream), over)


def below(relation: Relation, over: Expression) -> Below:
    """An expression over the result of a relation as one over each of its inputs."""
    nothing: Below = (None,) * len(relation.inputs)
    match relation:
        case Projection(columns=computed):
            expression = rebased(over, lambda column: computed[column.index][1])
            return nothing if any(applied(expression)) else (expression,)
        case Aggregate(keys=keys) | Sessions(keys=keys):
            grouped = all(column.index < len(keys) for column in columns(over))
            return (rebased(over, lambda column: keys[column.index][1]),) if grouped else nothing
        case Ranked(by=by) | Over(by=by):
            return (over,) if all(column.index in by for column in columns(over)) else nothing
        case Join():
            return _sides(relation, over)
        case OuterJoin():
            return _preserved(relation, over)
        case Hop() | Stamped():
            return (_moved(over, {i: i for i in range(relation.width)}),)
        case Lookup():
            own = {i: i for i in range(len(relation.input.schema))}
            return (_moved(over, own | relation.equated()),)
        case MultiJoin(windows=windows) if not any(windows):
            return tuple(_moved(over, _columns(relation, i)) for i in range(len(relation.joined)))
        case LMerge(case=case):
            names = {relation.schema.names[column.index] for column in columns(over)}
            if case == "R1" and names != {VS}:  # it counts the events of one start
                return nothing
            return (*(over for _ in relation.merged), *nothing[len(relation.merged) :])
        case Filter() | Distinct() | OrderBy(most=None) | Final() | UnionAll() | Union() | Intersect() | Except():
            return tuple(over for _ in relation.inputs)
        case Source() | Window() | Opened() | Cleansed() | MultiJoin() | Synopsis() | OrderBy():
            return nothing
        case Punctuated() | ExpectNode() | LifespanNode():
            return nothing
        case _:
            assert_never(relation)


def _sides(join: Join, over: Expression) -> Below:
    width, whole = len(join.left.schema), len(join.schema)
    left = {i: i for i in range(width)} | {width + right.index: left.index for left, right in join.on}
    right = {i: i - width for i in range(width, whole)} | {left.index: right.index for left, right in join.on}
    return _moved(over, left), _moved(over, right)


def _preserved(join: OuterJoin, over: Expression) -> Below:
    """Both sides, when it is of left columns: right rows then are of use to rows that nobody needs, and to no others.

    To leave out rows that a column of the right side decides on would give others out as if they had no partner.
    """
    if join.kind is JoinKind.FULL or any(column.index >= len(join.left.schema) for column in columns(over)):
        return None, None
    return over, _moved(over, {left.index: right.index for left, right in join.on})


def _columns(join: MultiJoin, number: int) -> dict[int, int]:
    """The columns of a join of several, and of an input of it those that have their values."""
    first = join.offsets[number]
    same = {
        join.offsets[i] + at: mine
        for equated in join.classes
        for mine in equated.of(number)[:1]
        for i, at in equated.members
    }
    return same | {first + at: at for at in range(len(join.joined[number].schema))}


def _moved(over: Expression, to: dict[int, int]) -> Expression | None:
    """The expression over other columns; nothing when one that it reads is not among them."""
    if any(column.index not in to for column in columns(over)):
        return None
    return rebased(over, lambda column: replace(column, index=to[column.index]))


def _by_row(node: Op | Input, over: Expression) -> bool:
    """Whether rows of a node are needed or not, each by itself."""
    while isinstance(node, Input) and isinstance(node.origin, Stage):
        node = node.origin.root
    if isinstance(node, Op):
        return _fixed(node.relation, over)
    pipe = node.origin
    assert isinstance(pipe, Pipe)
    return _fixed(pipe.steps[-1] if pipe.steps else Source(pipe.stream), over)


def _fixed(relation: Relation, over: Expression) -> bool:
    """Whether all elements of an event have the same value."""
    changing = {name for name in HIDDEN if name != VS}
    names = relation.schema.names
    reads = {names[column.index] for column in columns(over)}
    return not is_elements(relation.schema) or inserts_only(relation) or not reads & changing


def published(last: Stage) -> Iterator[tuple[int, int, LMerge]]:
    """The merges of a query that publish feedback, with their stage and their number in it."""
    for stage in all_stages(last):
        for number, op in enumerate(operators(stage.root)):
            if isinstance(op.relation, LMerge) and op.relation.feedback is not None:
                yield stage.number, number, op.relation


def feedback_column(merge: LMerge) -> str:
    """The column of a merge's feedback: it needs no events that have started, or else none that are over."""
    return VS if merge.case in ("R0", "R1", "R2") else VE
