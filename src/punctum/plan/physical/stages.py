"""Stages: which operators run together, and by which columns the rows between them are exchanged.

A query is a tree of relations. Selections and projections directly over a stream need no state and run before anything
is exchanged: they are the stream's *pipe*. All other operators see only the rows of one bucket, so rows that they bring
together must agree on the bucket: a join needs its inputs partitioned by join columns, a group-by by grouping columns,
window functions by those of PARTITION BY, a list of reporters and EXPECT WITHIN by punctuated columns, a merge of
replicas by what all elements of an event have in common, opens and closes by their payload, a set operator by any
columns, a sort in one piece, and so do CLEANSE and windows, which count all rows of a stream. Operators that agree on a
partitioning share a stage; where the partitioning changes, an exchange begins a new one. It stands as high as it can
above operators that leave less.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import assert_never

from punctum.algebra.outer import JoinKind
from punctum.algebra.schema import Schema
from punctum.ir.by_node import ByNode
from punctum.ir.definitions import StreamDef
from punctum.ir.hop import Hop
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
from punctum.ir.tree import Relation, sources
from punctum.plan.passes.windows import below_window, windowed
from punctum.plan.physical.cube import DIMENSIONS, Cube
from punctum.plan.physical.keys import Key, ends_better, keys_below
from punctum.plan.physical.pipes import Pipe, as_pipe, column_of
from punctum.plan.physical.routing import concerns_others, limited


@dataclass(frozen=True)
class Input:
    """What a stage reads, exchanged by a key.

    Rows go to one bucket, or in a cube to one for each way along the dimensions that they lack. A punctuation goes to
    those buckets that it can concern. It goes *everywhere* when the stage's output is exchanged again, for what only
    some buckets got, not all of them can emit; and when it is *repeated* for other columns than the key, or is one of
    a few values that end the input together.
    """

    number: int
    origin: "Pipe | Stage"
    key: Key
    everywhere: bool = False
    cube: Cube | None = None
    repeated: bool = False

    @property
    def broadcast(self) -> bool:
        """Whether punctuations go to all buckets."""
        return self.everywhere or self.repeated

    @property
    def by(self) -> str:
        """The columns that decide on the bucket, and * for each dimension of a cube along which rows are copied."""
        names = self.origin.schema.names
        columns = self.key if self.cube is None else self.cube.columns
        return ", ".join("*" if i is None else names[i] for i in columns)


@dataclass(frozen=True)
class Op:
    """An operator of a stage over other operators and over inputs."""

    relation: Relation
    inputs: tuple["Op | Input", ...]


@dataclass(frozen=True)
class Stage:
    """Operators that run together, bucket by bucket."""

    number: int
    root: Op | Input
    inputs: tuple[Input, ...]

    @property
    def schema(self) -> Schema:
        """The schema of what comes out."""
        return self.root.relation.schema if isinstance(self.root, Op) else self.root.origin.schema


def partition(node: Op | Input) -> Key | None:
    """The columns of a node's output that decide on the bucket its rows are in, when they can be seen there."""
    if isinstance(node, Input):
        return node.key if node.cube is None else None
    below = [partition(child) for child in node.inputs]
    relation = node.relation
    match relation:
        case Projection(columns=columns):
            names = {column_of(expression): i for i, (_, expression) in reversed(list(enumerate(columns)))}
            key = below[0]
            return tuple(names[i] for i in key) if key is not None and all(i in names for i in key) else None
        case Aggregate(keys=keys) | Sessions(keys=keys):
            names = {column.index: i for i, (_, column) in enumerate(keys)}
            key = below[0]
            return tuple(names[i] for i in key) if key is not None and all(i in names for i in key) else None
        case Hop(width=width):
            return below[0] if below[0] is not None and all(i < width for i in below[0]) else None
        case Stamped() | Join() | MultiJoin() | LMerge():
            return below[0]
        case OuterJoin(kind=kind):
            return None if kind is JoinKind.FULL else below[0]
        case Synopsis():
            shown = {at[0]: n for at, n in relation.parting}
            wanted = None if below[0] is None else [shown.get(i) for i in below[0]]
            return None if wanted is None or None in wanted else tuple(n for n in wanted if n is not None)
        case UnionAll() | Union() | Intersect() | Except():
            return below[0] if len(set(below)) == 1 else None
        case Filter() | Lookup() | Distinct() | Ranked() | Over() | OrderBy() | Final() | Opened() | Cleansed():
            return below[0]
        case Punctuated() | ExpectNode() | LifespanNode():
            return below[0]
        case Source() | Window():
            raise AssertionError(relation)  # they are parts of pipes and of other operators
        case _:
            assert_never(relation)


def stages(relation: Relation, global_punctuations: bool = False, out_of_band: bool = False) -> Stage:
    """The last stage of a relation whose joins are planned; the others are the origins of its inputs.

    A punctuation of a bucket holds for its own share of the rows. For punctuations that hold for the whole result, the
    last stage has all of its output in one bucket; where that needs one more exchange, it only brings the output
    together. None is needed when all buckets emit the same, and that is written out of band.
    """
    last = _Planner().stage(relation)
    if not global_punctuations or not any(source.key for source in last.inputs) or (out_of_band and says_alike(last)):
        return last
    if isinstance(last.root, Input) and isinstance(last.root.origin, Pipe):
        together, number = Input(0, last.root.origin, ()), last.number
    else:
        last = _Planner().stage(relation, goes_on=True)
        together, number = Input(0, last, ()), last.number + 1
    return Stage(number, together, (together,))


def says_alike(last: Stage) -> bool:
    """Whether all buckets emit the same punctuations: the stables of a merge, which gets all stables in each bucket."""
    node = last.root
    while isinstance(node, Op) and isinstance(node.relation, Filter | Projection):
        node = node.inputs[0]
    return isinstance(node, Op) and isinstance(node.relation, LMerge)


def all_stages(last: Stage) -> list[Stage]:
    """A query's stages, each after those that it reads."""
    before = [s for i in last.inputs if isinstance(i.origin, Stage) for s in all_stages(i.origin)]
    return [*before, last]


def operators(root: Op | Input) -> Iterator[Op]:
    """The operators of a stage in the order in which they run; one that several read runs once."""
    seen = ByNode[bool]()

    def unseen(node: Op | Input) -> Iterator[Op]:
        if isinstance(node, Op) and node not in seen:
            seen[node] = True
            for child in node.inputs:
                yield from unseen(child)
            yield node

    return unseen(root)


def tables_of(stage: Stage) -> list[StreamDef]:
    """The tables in which rows of a stage are looked up, each once."""
    nodes = (op.relation for op in operators(stage.root))
    tables = (source.stream for node in nodes if isinstance(node, Lookup) for source in sources(node.table))
    return list({stream.name: stream for stream in tables}.values())


def sweeps(stage: Stage) -> bool:
    """Whether values may be swept or punctuations be over in a stage, or before it."""
    before = (i.origin for i in stage.inputs)
    return any(True for _ in _timed(stage.root)) or any(isinstance(o, Stage) and sweeps(o) for o in before)


def needs_clock(stage: Stage) -> bool:
    """Whether a stage needs the time of the clock."""
    stamps = any(isinstance(op.relation, Stamped) for op in operators(stage.root))
    return stamps or any(limit.time is None for limit in _timed(stage.root))


def _timed(root: Op | Input) -> Iterator[ExpectNode | LifespanNode]:
    return (op.relation for op in operators(root) if isinstance(op.relation, ExpectNode | LifespanNode))


class _Planner:
    """Numbers the stages; a stage that is being built is the list of its inputs so far."""

    def __init__(self) -> None:
        self._stages = 0

    def stage(self, relation: Relation, goes_on: bool = False) -> Stage:
        """A stage that ends with a relation; whether another stage reads it."""
        building = _Building(goes_on)
        root = self._place(relation, None, building)
        self._stages += 1
        return Stage(self._stages, root, tuple(building.inputs))

    def _place(self, relation: Relation, key: Key | None, into: "_Building", repeated: bool = False) -> Op | Input:
        """The operators for a relation whose rows are to be partitioned by a key, or by any."""
        pipe = as_pipe(relation)
        if pipe is not None:
            return into.input(pipe, tuple(range(len(pipe.schema))) if key is None else key, repeated=repeated)
        if isinstance(relation, Window):
            return self._place(relation.input, key, into, repeated)
        if (
            isinstance(relation, MultiJoin)
            and key is None
            and not any(relation.windows)
            and relation.shared()
            and not relation.common()
        ):
            return self._cube(relation, into)
        below = keys_below(relation, key)
        if below is None or ends_better(relation, key):
            assert key is not None
            known = into.find(relation, key, repeated)
            return known or into.input(self.stage(relation, goes_on=True), key, repeated=repeated, of=relation)
        if isinstance(relation, LMerge) and relation.control is not None:
            control = as_pipe(relation.control)
            assert control is not None
            merged = [self._place(child, wanted, into) for child, wanted in zip(relation.merged, below, strict=True)]
            everywhere = Cube((None,), ((0,),))  # all buckets get all of the control's rows
            return Op(relation, (*merged, into.input(control, (), everywhere)))
        children = [below_window(child) for child in relation.inputs] if windowed(relation) else relation.inputs
        placed = []
        for n, (child, wanted) in enumerate(zip(children, below, strict=True)):
            again = repeated or (wanted is not None and concerns_others(relation, n, wanted))
            placed.append(self._place(child, wanted, into, again))
        return Op(relation, tuple(placed))

    def _cube(self, relation: MultiJoin, into: "_Building") -> Op:
        """A join whose inputs have no column in common, in a hypercube; all that keeps state below is another stage."""
        of = {n: {i for i, _ in relation.classes[n].members} for n in relation.shared()}
        chosen = sorted(sorted(of, key=lambda n: -len(of[n]))[:DIMENSIONS])
        everyone = range(len(relation.joined))
        lacking = tuple(tuple(d for d, n in enumerate(chosen) if i not in of[n]) for i in everyone)
        placed = []
        for i, child in enumerate(relation.joined):
            columns = tuple(next(iter(relation.classes[n].of(i)), None) for n in chosen)
            key = tuple(column for column in columns if column is not None)
            origin = as_pipe(child) or self.stage(child, goes_on=True)
            again = concerns_others(relation, i, key) or not limited(child).isdisjoint(key)
            placed.append(into.input(origin, key, Cube(columns, lacking), again))
        return Op(relation, tuple(placed))


class _Building:
    """The inputs of a stage that is being built."""

    def __init__(self, goes_on: bool) -> None:
        self.inputs: list[Input] = []
        self._goes_on = goes_on
        self._known: list[tuple[Relation, Input]] = []

    def input(
        self,
        origin: Pipe | Stage,
        key: Key,
        cube: Cube | None = None,
        repeated: bool = False,
        of: Relation | None = None,
    ) -> Input:
        """One more input, of a relation that another stage ends with, if it does."""
        self.inputs.append(Input(len(self.inputs), origin, key, self._goes_on, cube, repeated))
        if of is not None:
            self._known.append((of, self.inputs[-1]))
        return self.inputs[-1]

    def find(self, relation: Relation, key: Key, repeated: bool) -> Input | None:
        """The input from a stage that ends with the same relation, if there is one."""
        known = (i for of, i in self._known if (i.key, i.repeated) == (key, repeated) and of == relation)
        return next(known, None)
