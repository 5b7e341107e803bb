"""Going on with more buckets: each bucket becomes several, and each of these gets its share of what it keeps.

A row's bucket is a hash of its key modulo their number. When that becomes a multiple, the rows of one bucket go to
those that are congruent to it, and nowhere else. What the bucket has heard and said holds for each of these, since they
have some of its rows. So they begin with copies of its state, without the rows that are not theirs.

Which columns of a table decide is known from the plan, and shown by the rows: all of them are where their columns say.
Where that cannot be shown nothing is changed. The new state stands beside the old one until the checkpoint names it.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import polars as pl

from punctum.engine.exchange.blobs import Chunk, chunk_from_blob, chunk_to_blob
from punctum.engine.exchange.buckets import Buckets
from punctum.engine.exchange.cube import CubeExchange
from punctum.engine.exchange.messages import Counts
from punctum.engine.recovery.bucket_notes import bucket_notes, state_directory, write_buckets
from punctum.engine.recovery.checkpoint import last_committed
from punctum.engine.recovery.state_files import StateFiles
from punctum.engine.runtime import build
from punctum.engine.runtime.inputs import FromStage
from punctum.engine.runtime.lmerge import Merging
from punctum.engine.runtime.metrics import oldest, standing
from punctum.engine.runtime.stage import StageRuntime
from punctum.errors import QueryError
from punctum.operators.operator import of_rows
from punctum.operators.synopsis import name as input_column
from punctum.operators.table import Table
from punctum.plan.physical.stages import Input, Op, Stage, all_stages, operators, partition
from punctum.storage.files import remove_all
from punctum.storage.location import Location, location

Running = Callable[[Stage, Buckets, int], StageRuntime]
"""A stage in a bucket of some, with nothing read yet."""
Chunks = Mapping[str, Mapping[int, Chunk]]
"""The chunks of each table, by number."""
_NODE, _NODES = "node", "nodes"


class BucketState(NamedTuple):
    """What a bucket keeps: all that is not in tables, and the chunks of its tables."""

    text: str
    chunks: Chunks


def go_on_with(checkpoint: str, last: Stage, old: Buckets, new: Buckets, running: Running) -> Buckets:
    """Let the query that has a checkpoint go on with more buckets; those that it has from now on."""
    place, stages = location(checkpoint), {stage.number: stage for stage in all_stages(last)}
    behind = last_committed(place)
    splits = {number: SplitStage(stage, old, new) for number, stage in stages.items()}
    before = state_directory(place)
    after = before.with_name(f"state-{int(before.name.partition('-')[2] or 0) + 1}")
    remove_all(after)
    after.mkdir(parents=True)
    kept, written = dict[str, dict[str, Counts]](), dict[str, dict[str, int]]()
    for number, stage in stages.items():
        for bucket in old if behind is not None else ():
            assert behind is not None
            files = StateFiles(before / str(number) / str(bucket), behind + 1)
            if files.version is None:
                continue
            text, places = files.load()
            chunks = {t: {n: chunk_from_blob(files.read(at)) for n, at in of.items()} for t, of in places.items()}
            for part in splits[number].parts(bucket):
                made = running(stage, new, part)
                split = splits[number].of(BucketState(text, chunks), bucket, part, made, splits)
                blobs = {t: {n: chunk_to_blob(*chunk) for n, chunk in of.items()} for t, of in split.chunks.items()}
                StateFiles(after / str(number) / str(part), behind).save(split.text, {}, blobs)
                kept.setdefault(str(part), {}).update(_counts(number, made, split))
                written.setdefault(str(number), {})[str(part)] = behind
    notes = {"state": after.name, "behind": behind, "kept": kept, "written": written}
    write_buckets(place, bucket_notes(place) | {"buckets": new} | notes)
    return new


def remove_others(checkpoint: Location) -> None:
    """Remove what is left of the state of other numbers of buckets."""
    known = state_directory(checkpoint)
    for left in known.parent.glob("state*"):
        if left.name != known.name and left.is_dir():
            remove_all(left)


class SplitStage:
    """How the buckets of a stage become more."""

    def __init__(self, stage: Stage, old: Buckets, new: Buckets) -> None:
        self.stage, self._old, self._new = stage, old, new
        self._nodes = list(operators(stage.root))
        cubes = [source for source in stage.inputs if source.cube is not None and any(_named(source))]
        first = (cubes or stage.inputs)[0]
        self._from, self._to = build.exchange(first, old), build.exchange(first, new)
        fits = len(new) % len(old) == 0
        if isinstance(self._from, CubeExchange) and isinstance(self._to, CubeExchange) and cubes:
            fits = fits and all(b % a == 0 for a, b in zip(self._from.shares, self._to.shares, strict=True))
        if not fits:
            detail = f"the checkpoint has {len(old)}, and a bucket becomes several, all of them as many"
            hint = f"take a multiple: {', '.join(str(n * len(old)) for n in (1, 2, 3, 4))}, …"
            raise QueryError(f"the query cannot go on with {len(new)} buckets", detail, hint)

    def parent(self, bucket: int) -> int:
        """The bucket that had the rows of a new one."""
        if isinstance(self._from, CubeExchange) and isinstance(self._to, CubeExchange):
            where = self._to.coordinates(bucket)
            return self._from.bucket(tuple(c % share for c, share in zip(where, self._from.shares, strict=True)))
        return self._old[self._new.index(bucket) % len(self._old)]

    def parts(self, bucket: int) -> list[int]:
        """The new buckets that get what a bucket keeps; where all rows are in the first one, there is one of it."""
        parts = [part for part in self._new if self.parent(part) == bucket]
        return parts[:1] if not self._by and bucket == self._old[0] else parts

    @cached_property
    def _by(self) -> bool:
        """Whether any column decides on the bucket."""
        return any(source.key or source.cube is not None for source in self.stage.inputs)

    def of(
        self, state: BucketState, bucket: int, part: int, made: StageRuntime, splits: Mapping[int, "SplitStage"]
    ) -> BucketState:
        """The state of a new bucket, a part of one; the stage that is made for it then has it."""
        metadata = json.loads(state.text)
        for n, (source, known) in enumerate(zip(made.flow.inputs, metadata["inputs"], strict=True)):
            source.announce(known)
            if isinstance(source, FromStage):
                origin = self.stage.inputs[n].origin
                assert isinstance(origin, Stage)
                received = known["received"]
                parents = {new: str(splits[origin.number].parent(new)) for new in self._new}
                known["received"] = {str(new): received[one] for new, one in parents.items() if one in received}
        made.restore(
            json.dumps(metadata), {t: {n: rows for n, (rows, _) in of.items()} for t, of in state.chunks.items()}
        )
        for name, table in made.flow.tables().items():
            table.restore_ages({n: ages for n, (_, ages) in state.chunks.get(name, {}).items()})
        self._drop_others(bucket, part, made)
        tables = made.flow.tables().items()
        chunks = {name: {n: (chunk, table.ages(n)) for n, chunk in table.chunks().items()} for name, table in tables}
        return BucketState(made.metadata(), chunks)

    def _drop_others(self, bucket: int, part: int, made: StageRuntime) -> None:
        """Leave in tables the rows of a new bucket alone; what others held back goes on with its next batch."""
        if not self._by:
            return
        for n, operator in enumerate(made.flow.operators):
            if isinstance(operator, Merging) and any((operator.metadata()["index"] or {}).get("counts", ())):
                raise _cannot(f"{made.flow.labels[n]} counts elements of the same time", self._old)
            rows = {name: table for name, table in operator.tables().items() if of_rows(name)}
            masks = dict[str, pl.Series]()
            for name in sorted(rows, key=lambda name: not name.endswith(_NODES)):
                if len(rows[name]):
                    mask = self._mine(rows[name].frame(), list(self._named(n, name, made)), bucket, part)
                    mask = _with_nodes(name, rows, masks) if mask is None else mask
                    if mask is None:
                        what = f"keeps rows ({name}) without the columns that decide on a bucket"
                        raise _cannot(f"{made.flow.labels[n]} {what}", self._old)
                    masks[name] = mask
            for name, mask in masks.items():
                operator.drop(name, rows[name].all(), ~mask)
                rows[name].purged = 0

    def _mine(
        self, rows: pl.DataFrame, named: Sequence[Sequence[str | None]], bucket: int, part: int
    ) -> pl.Series | None:
        """Which rows go to a new bucket, by columns that have put all into the old one; none if these differ."""
        there = [names for names in named if {name for name in names if name is not None} <= set(rows.columns)]
        known = [names for names in there if self._from.in_bucket(rows, names, bucket).all()]
        masks = [self._to.in_bucket(rows, names, part) for names in known]
        return masks[0] if masks and all(mask.equals(masks[0]) for mask in masks) else None

    def _named(self, number: int, table: str, made: StageRuntime) -> Iterator[list[str | None]]:
        """The columns of an operator's inputs, and of its output, that may have decided on the bucket of its rows."""
        node, operator = self._nodes[number], made.flow.operators[number]
        sides = {"left": [0], "right": [1]}.get(table.partition(" ")[0])
        sides = [int(table)] if table.isdecimal() else sides or list(range(len(node.inputs)))
        for n in sides:
            yield from _columns(node.inputs[n], operator.inputs[n].names)
            if table == f"input {n}":  # of a synopsis
                yield from _columns(node.inputs[n], [input_column((n, at)) for at in range(len(operator.inputs[n]))])
        yield from _columns(node, operator.output.names)


def _cannot(why: str, old: Buckets) -> QueryError:
    hint = f"run it with {len(old)} buckets, or start with a new checkpoint"
    return QueryError("the query cannot go on with other buckets", why, hint)


def _named(source: Input) -> list[bool]:
    return [column is not None for column in source.cube.columns] if source.cube is not None else []


def _columns(node: Op | Input, names: Sequence[str]) -> Iterator[list[str | None]]:
    """The names of the columns that decide on the bucket of a node's rows, if they can be seen."""
    if isinstance(node, Input) and node.cube is not None:
        yield [None if i is None else names[i] for i in node.cube.columns]
    elif (key := partition(node)) is not None:
        yield [names[i] for i in key]


def _with_nodes(name: str, rows: Mapping[str, Table], masks: Mapping[str, pl.Series]) -> pl.Series | None:
    """Which rows belong to nodes that stay: those that name them, or stand where they do."""
    nodes = name.rpartition(".")[0] + ("." if "." in name else "") + _NODES
    if nodes not in masks:
        return None
    known, mine = rows[nodes].frame(), rows[name].frame()
    for column in mine.columns:
        if column.strip("\0#") == _NODE and column in known.columns:
            return mine[column].is_in(known.filter(masks[nodes])[column].implode())
    return masks[nodes] if known.height == mine.height else None


def _counts(number: int, made: StageRuntime, state: BucketState) -> dict[str, Any]:
    """What metrics say of what a bucket keeps."""
    since = oldest(made.flow)
    return {
        f"s{number}o{n}": standing(made.flow, n) | ({"oldest": since[n]} if n in since else {})
        for n in range(len(made.flow.operators))
    }
