"""Stages: which operators run together, and by which columns the rows between them are exchanged.

A query is a tree of relations. Selections and projections directly over a stream need no state and run before anything
is exchanged: they are the stream's *pipe*. All other operators see only the rows of one bucket, so rows that they bring
together must agree on the bucket: a join needs its inputs partitioned by join columns, a group-by by grouping columns,
a list of reporters and EXPECT WITHIN by punctuated columns, a merge of replicas by what all elements of an event have
in common, opens and closes by their payload, a set operator by any columns, a sort in one piece, and so do CLEANSE and
windows, which count all rows of a stream. Operators that agree on a partitioning share a stage; where the partitioning
changes, an exchange begins a new one.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from punctum.algebra.schema import Schema
from punctum.analyse.updates import updating
from punctum.parse.definitions import StreamDef
from punctum.parse.elements import VS
from punctum.parse.expressions import Column
from punctum.parse.relations import (
    Aggregate,
    Cleansed,
    Filter,
    Final,
    Join,
    LMerge,
    Opened,
    OrderBy,
    Projection,
    Relation,
    Source,
    UnionAll,
    Window,
)
from punctum.parse.temporal import inserts_only
from punctum.parse.windows import steps, window
from punctum.plan.choose import Aim, inference
from punctum.plan.cube import DIMENSIONS, Cube
from punctum.plan.expect import Expected, Lasting
from punctum.plan.lmerge import cased
from punctum.plan.multijoin import MultiJoin, planned
from punctum.plan.names import settled
from punctum.plan.prune import pruned
from punctum.plan.punctuate import Members, Reported, nobody, reported
from punctum.plan.synopsis import Synopsis

Key = tuple[int, ...]
"""The columns that decide on the bucket; none: all rows are in one bucket."""


@dataclass(frozen=True)
class Pipe:
    """A stream and the selections and projections that run before the exchange, in order."""

    stream: StreamDef
    steps: tuple[Relation, ...] = ()

    @property
    def schema(self) -> Schema:
        """The schema of what comes out."""
        return self.steps[-1].schema if self.steps else self.stream.schema

    def origin(self, column: int) -> int | None:
        """The stream's column that comes out, unchanged, as this one."""
        at: int | None = column
        for step in reversed(self.steps):
            if isinstance(step, Projection) and at is not None:
                at = _column(step.columns[at][1])
        return at


@dataclass(frozen=True)
class Input:
    """What a stage reads, exchanged by a key.

    Rows go to one bucket, or in a cube to one for each way along the dimensions that they lack. A punctuation goes to
    those buckets that it can concern, or *everywhere* when the stage's output is exchanged again: what only some
    buckets were told, not all of them can say.
    """

    number: int
    origin: "Pipe | Stage"
    key: Key
    everywhere: bool = False
    cube: Cube | None = None

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
    match node.relation:
        case Projection(columns=columns):
            names = {_column(expression): i for i, (_, expression) in reversed(list(enumerate(columns)))}
            key = below[0]
            return tuple(names[i] for i in key) if key is not None and all(i in names for i in key) else None
        case Aggregate(keys=keys):
            names = {column.index: i for i, (_, column) in enumerate(keys)}
            key = below[0]
            return tuple(names[i] for i in key) if key is not None and all(i in names for i in key) else None
        case Join() | MultiJoin() | LMerge():
            return below[0]
        case Synopsis():
            shown = {at[0]: n for at, n in node.relation.parting}
            wanted = None if below[0] is None else [shown.get(i) for i in below[0]]
            return None if wanted is None or None in wanted else tuple(n for n in wanted if n is not None)
        case _:
            return below[0] if len(set(below)) == 1 else None


def stages(
    relation: Relation,
    members: Members = nobody,
    *,
    whole: bool = False,
    apart: bool = False,
    aim: Aim | None = None,
    updates: bool = False,
) -> Stage:
    """The last stage of a query; the others are the origins of its inputs. Members are those of tables.

    The aim says which plans its joins have; with updates its groups come again when they change.

    What a bucket says holds for its own share of the rows. For punctuations that hold for the whole result, the last
    stage has all of its output in one bucket; where that needs one more exchange, it only brings the output together.
    None is needed when all buckets say the same, and that is written *apart* from what they give.
    """
    aim = aim or Aim()
    relation = updating(relation) if updates else relation
    relation = cased(relation, inference(relation, whole, aim.schemes))
    relation = planned(relation, inference(relation, whole, aim.schemes), aim)
    relation = settled(pruned(reported(relation, members)))
    last = _Planner().stage(relation)
    if not whole or not any(source.key for source in last.inputs) or (apart and says_alike(last)):
        return last
    if isinstance(last.root, Input) and isinstance(last.root.origin, Pipe):
        together, number = Input(0, last.root.origin, ()), last.number
    else:
        last = _Planner().stage(relation, goes_on=True)
        together, number = Input(0, last, ()), last.number + 1
    return Stage(number, together, (together,))


def says_alike(last: Stage) -> bool:
    """Whether all buckets of a stage say the same: the stables of a merge, which hears those of its inputs in each."""
    node = last.root
    while isinstance(node, Op) and isinstance(node.relation, Filter | Projection):
        node = node.inputs[0]
    return isinstance(node, Op) and isinstance(node.relation, LMerge)


def all_stages(last: Stage) -> list[Stage]:
    """A query's stages, each after those that it reads."""
    before = [s for i in last.inputs if isinstance(i.origin, Stage) for s in all_stages(i.origin)]
    return [*before, last]


def sweeps(stage: Stage) -> bool:
    """Whether values may be swept or punctuations be over in a stage, or before it."""
    before = (i.origin for i in stage.inputs)
    return any(True for _ in _timed(stage.root)) or any(isinstance(each, Stage) and sweeps(each) for each in before)


def needs_clock(stage: Stage) -> bool:
    """Whether a stage has to be told what the time is."""
    return any(each.time is None for each in _timed(stage.root))


def _timed(node: Op | Input) -> Iterator[Expected | Lasting]:
    if isinstance(node, Op):
        if isinstance(node.relation, Expected | Lasting):
            yield node.relation
        for below in node.inputs:
            yield from _timed(below)


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

    def _place(self, relation: Relation, key: Key | None, into: "_Building") -> Op | Input:
        """The operators for a relation whose rows are to be partitioned by a key, or by any."""
        pipe = as_pipe(relation)
        if pipe is not None:
            return into.input(pipe, tuple(range(len(pipe.schema))) if key is None else key)
        if isinstance(relation, Source):
            assert relation.stream.relation is not None
            return self._place(relation.stream.relation, key, into)
        if isinstance(relation, Window):
            return self._place(relation.input, key, into)
        if (
            isinstance(relation, MultiJoin)
            and key is None
            and not any(relation.windows)
            and relation.shared()
            and not relation.common()
        ):
            return self._cube(relation, into)
        below = keys_below(relation, key)
        if below is None:
            assert key is not None
            return into.input(self.stage(relation, goes_on=True), key)
        if isinstance(relation, LMerge) and relation.control is not None:
            told = as_pipe(relation.control)
            assert told is not None
            merged = [self._place(child, wanted, into) for child, wanted in zip(relation.merged, below, strict=True)]
            return Op(relation, (*merged, into.input(told, (), Cube((None,), ((0,),)))))  # all buckets are told
        children = [_below_window(child) for child in relation.inputs] if windowed(relation) else relation.inputs
        placed = (self._place(child, wanted, into) for child, wanted in zip(children, below, strict=True))
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
            placed.append(into.input(origin, key, Cube(columns, lacking)))
        return Op(relation, tuple(placed))


class _Building:
    """The inputs of a stage that is being built."""

    def __init__(self, goes_on: bool) -> None:
        self.inputs: list[Input] = []
        self._goes_on = goes_on

    def input(self, origin: Pipe | Stage, key: Key, cube: Cube | None = None) -> Input:
        """One more input."""
        self.inputs.append(Input(len(self.inputs), origin, key, self._goes_on, cube))
        return self.inputs[-1]


def windowed(relation: Relation) -> bool:
    """Whether an operator has windows on its inputs: what stands above a window is done by the operator itself."""
    match relation:
        case MultiJoin():
            return any(relation.windows)
        case Aggregate():
            return window(relation.input) is not None
        case _:
            return False


def windows(relation: Relation) -> Iterator[tuple[int, Window, tuple[Relation, ...]]]:
    """The windows on an operator's inputs, each with its input's number and what stands above it."""
    for i, each in enumerate(relation.inputs if windowed(relation) else ()):
        found, above = steps(each)
        if found is not None:
            yield i, found, above


def _below_window(relation: Relation) -> Relation:
    found = window(relation)
    return relation if found is None else found.input


def as_pipe(relation: Relation) -> Pipe | None:
    """The relation as a pipe, when it is a stream under selections and projections alone."""
    if isinstance(relation, Source):
        inner = relation.stream.relation
        return Pipe(relation.stream) if inner is None else as_pipe(inner)
    if isinstance(relation, Window):
        return as_pipe(relation.input)
    if isinstance(relation, Filter | Projection):
        below = as_pipe(relation.inputs[0])
        return None if below is None else Pipe(below.stream, (*below.steps, relation))
    return None


def keys_below(relation: Relation, key: Key | None) -> list[Key | None] | None:
    """How each input must be partitioned for an operator whose output is to be by the key; nothing: it cannot be."""
    if windowed(relation):
        return None if key else [() for _ in relation.inputs]
    match relation:
        case Filter() | UnionAll():
            return [key for _ in relation.inputs]
        case Reported(by=by) | Expected(by=by):
            return [by] if key is None else [key] if set(key) <= set(by) else None
        case Lasting():
            pipe = as_pipe(relation.input) is not None
            return [key] if pipe or keys_below(relation.input, key) is not None else None
        case Projection():
            if key is None:
                return [None]
            below = [_column(relation.columns[i][1]) for i in key]
            return None if None in below else [tuple(i for i in below if i is not None)]
        case Join():
            pairs = _pairs(relation)
            if key is not None:
                wanted = [next((pair for pair in pairs if i in pair), None) for i in key]
                if not key or None in wanted:
                    return None
                pairs = list(dict.fromkeys(pair for pair in wanted if pair is not None))
            offset = len(relation.left.schema)
            return [tuple(mine for mine, _ in pairs), tuple(theirs - offset for _, theirs in pairs)]
        case MultiJoin():
            classes, everyone = _common(relation, key), range(len(relation.joined))
            return None if classes is None else [tuple(relation.classes[n].of(i)[0] for n in classes) for i in everyone]
        case Aggregate():
            columns = [column.index for _, column in relation.keys]
            if key is None:
                return [_prefer(relation.inputs[0], columns) or tuple(columns)]
            fits = all(i < len(columns) for i in key) and bool(key) == bool(columns)
            return [tuple(columns[i] for i in key)] if fits else None
        case Synopsis():
            parts = [at for at, shown in relation.parting if key is None or shown in key]
            if key is not None and len(parts) < len(key):
                return None
            return [tuple(at[i] for at in parts) for i in range(len(relation.joined))]
        case OrderBy() | Cleansed():
            return None if key else [()]
        case Final() if inserts_only(relation.input):
            return [key]
        case Opened():
            same = payload(relation)
            return [same] if key is None else [key] if key and set(key) <= set(same) else None
        case Final() | LMerge():
            same = payload(relation) if key is None and _opens(relation) else events(relation)
            several = len(relation.merged) if isinstance(relation, LMerge) else 1
            return [same if key is None else key] * several if key is None or (key and set(key) <= set(same)) else None
        case _:
            everything = list(range(len(relation.schema)))
            chosen = (_prefer(relation.inputs[0], everything) or tuple(everything)) if key is None else key
            return [chosen for _ in relation.inputs]


def _prefer(relation: Relation, allowed: list[int]) -> Key | None:
    """Those of the allowed columns by which a relation can be partitioned with the fewest exchanges, if any."""
    if not allowed:
        return None
    match relation:
        case Filter() | Lasting():
            return _prefer(relation.inputs[0], allowed)
        case Reported(by=by) | Expected(by=by):
            return tuple(i for i in allowed if i in by) or tuple(allowed)
        case Projection() if as_pipe(relation) is None:
            columns = {_column(relation.columns[i][1]): i for i in allowed}
            found = _prefer(relation.inputs[0], [i for i in columns if i is not None])
            return None if found is None else tuple(columns[i] for i in found)
        case Join():
            firsts = (next((i for i in pair if i in allowed), None) for pair in _pairs(relation))
            return tuple(i for i in firsts if i is not None) or None
        case MultiJoin():
            firsts = (next((i for i in _members(relation, n) if i in allowed), None) for n in relation.common())
            return tuple(i for i in firsts if i is not None) or None
        case Aggregate():
            columns = {column.index: i for i, (_, column) in enumerate(relation.keys) if i in allowed}
            found = _prefer(relation.inputs[0], [i for i in columns if i is not None])
            return tuple(columns[i] for i in found) if found else tuple(columns.values()) or None
        case Synopsis():
            return tuple(n for _, n in relation.parting if n in allowed) or None
        case OrderBy() | Cleansed():
            return None
        case Opened() | Final() | LMerge() if _opens(relation):
            return tuple(i for i in payload(relation) if i in allowed) or None
        case Final() | LMerge():
            return tuple(i for i in events(relation) if i in allowed) or None
        case _:
            return tuple(allowed)


def events(relation: Relation) -> Key:
    """The columns that all elements of an event have in common: its payload and its start."""
    return tuple(range(relation.schema.index(VS) + 1))


def payload(relation: Relation) -> Key:
    """The columns that all opens and closes of an event have in common."""
    return tuple(range(relation.schema.index(VS)))


def _opens(relation: Relation) -> bool:
    """Whether elements are made of opens and closes, at once or under selections, projections and merges."""
    if isinstance(relation, Filter | Projection | Final | LMerge):
        return any(map(_opens, relation.inputs))
    return isinstance(relation, Opened)


def _pairs(join: Join) -> list[tuple[int, int]]:
    """The equated columns of a join, as columns of its output."""
    return [(mine.index, len(join.left.schema) + theirs.index) for mine, theirs in join.on]


def _members(join: MultiJoin, n: int) -> list[int]:
    """The columns of a class, as columns of the join's output."""
    return [join.offsets[i] + at for i, at in join.classes[n].members]


def _common(join: MultiJoin, key: Key | None) -> list[int] | None:
    """The classes common to all inputs by which a join's output is by the key; nothing: it cannot be."""
    if key is None:
        return join.common()
    wanted = [next((n for n in join.common() if i in _members(join, n)), None) for i in key]
    found = [n for n in dict.fromkeys(wanted) if n is not None]
    return found if found and None not in wanted else None


def _column(expression: object) -> int | None:
    return expression.index if isinstance(expression, Column) else None
