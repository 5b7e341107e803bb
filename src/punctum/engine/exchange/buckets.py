"""Which bucket gets what: a slice of a stream or of a stage in, the slices of the buckets of the next stage out.

Rows with the same key go to the same bucket. A punctuation goes to every bucket that it can concern: when it fixes the
key to constants, to the bucket of those; else to all.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod
from typing import Any, ClassVar

import numpy as np
import polars as pl

from punctum.algebra.pattern import Constant, List, Pattern, constant
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.algebra.values import Type
from punctum.operators.clock import turning
from punctum.operators.columns import AT, ColumnarSlice, dtype, empty, uniform

_SPREAD = 0x9E3779B97F4A7C15  # odd, and its bits are mixed: neighbouring runs go to buckets in no order
_WORD = (1 << 64) - 1
_FEW = 8
_MOST_COPIES = 64  # a punctuation with more combinations of key constants goes to all buckets


class Buckets(tuple[int, ...]):
    """The numbers of a query's buckets, and how many neighbouring whole numbers go to one of them together.

    They go in runs, so that the keys which a bucket has closed coalesce into ranges.
    """

    run: ClassVar[int] = 64


@dataclass(frozen=True)
class Exchange:
    """Where a slice goes: the columns that decide on the bucket, the buckets' numbers, and the input that reads it.

    Punctuations may still be over the schema of the stream, ``raw``, with the key's columns where ``raw_key`` says.
    They go to the buckets that they can concern, or everywhere.
    """

    schema: Schema
    key: tuple[int, ...] | None  # nothing: the columns that decided cannot be seen
    buckets: Buckets
    input: int
    raw: Schema | None = None
    raw_key: tuple[int | None, ...] = ()
    broadcast: bool = False
    clock: bool = False
    """Whether all buckets are to be told the time of each batch."""
    clocks: Mapping[str, Sequence[int]] = field(default_factory=dict)
    """Columns that tell the time and nothing else, with ticks: a bucket hears of it where one of its elements stands
    behind, and of each tick."""

    @property
    def _punctuated(self) -> tuple[Schema, tuple[int | None, ...]]:
        """The schema of punctuations, and where the key's columns are in it."""
        assert self.key is not None
        return (self.schema, self.key) if self.raw is None else (self.raw, self.raw_key)

    def split(self, piece: ColumnarSlice) -> dict[int, ColumnarSlice]:
        """The slice of each bucket that gets anything; where there are places, each element keeps its own."""
        assert self.key is not None
        places = piece.places
        placed = piece.rows if places is None else piece.rows.with_columns(places.rows.alias(AT))
        rows = self._split_rows(placed, [self.schema.names[i] for i in self.key])
        puncts: dict[int, list[int]] = {}
        for n, target_buckets in enumerate(self._all_target_buckets(piece.puncts)):
            for bucket in target_buckets:
                puncts.setdefault(bucket, []).append(n)
        constants: dict[int, dict[str, pl.DataFrame]] = {}
        for name, values in piece.constants.items():
            column = values.to_frame(name)
            column = column if places is None else column.with_columns(places.constants[name].alias(AT))
            for bucket, part in self._split_constants(name, column).items():
                constants.setdefault(bucket, {})[name] = part
        none = empty(self.schema) if places is None else empty(self.schema).with_columns(places.rows.head(0).alias(AT))
        return {
            b: self._received(_piece(piece, rows.get(b, none), puncts.get(b, []), constants.get(b, {})))
            for b in dict.fromkeys((*rows, *puncts, *constants))
        }

    def _received(self, piece: ColumnarSlice) -> ColumnarSlice:
        """A bucket's slice with moves of time that matter to it: the last before each of its elements, and ticks."""
        known = piece.places
        if known is None or not any(name in self.clocks for name in known.times):
            return piece
        at = pl.concat([known.rows, pl.Series(known.puncts, dtype=pl.Int64), *known.constants.values()])
        ticks = self.clocks
        times = {n: _before(at, moved, ticks[n]) if n in ticks else moved for n, moved in known.times.items()}
        return replace(piece, places=replace(known, times=times))

    @property
    def used_buckets(self) -> tuple[int, ...]:
        """The buckets that rows can go to: without a key, one."""
        return self.buckets if self.key else self.buckets[:1]

    def init_messages(self) -> dict[int, ColumnarSlice]:
        """Nothing for every bucket: what an operator says before its first row, all of its buckets have to say."""
        return {bucket: ColumnarSlice(empty(self.schema)) for bucket in self.buckets}

    def _split_constants(self, name: str, values: pl.DataFrame) -> dict[int, pl.DataFrame]:
        if not self.key:
            return {self.buckets[0]: values}
        schema, key = self._punctuated
        if self.broadcast or key != (schema.index(name),):
            return dict.fromkeys(self.buckets, values)
        return self._split_rows(values, [name])

    def target_buckets(self, p: Punctuation) -> Iterable[int]:
        """The buckets whose rows a punctuation can match."""
        if self.key is None:
            return self.buckets
        if not self.key:
            return self.buckets[:1]
        keys = self._keys(p)
        return self.buckets if keys is None else dict.fromkeys(self._buckets_of(keys).to_list())

    def owned(self, p: Punctuation, bucket: int) -> list[Punctuation] | None:
        """What a punctuation with several keys says of those that go to a bucket; nothing when its keys are not known.

        >>> from punctum.algebra.pattern import one_of
        >>> k = Schema.of(k="STRING")
        >>> exchange = Exchange(k, (0,), Buckets([0, 1]), 0)
        >>> several = Punctuation.of(k, k=one_of(["a", "b", "c"]))
        >>> sorted(str(part) for bucket in (0, 1) for part in exchange.owned(several, bucket))
        ['<a>', '<b>', '<c>']
        """
        keys = self._keys(p) if self.key else None
        if keys is None or len(keys) < 2:
            return None
        (schema, at), parts = self._punctuated, list[Punctuation]()
        for key, owner in zip(keys, self._buckets_of(keys), strict=True):
            fixed = dict(zip(at, key, strict=True))
            if owner == bucket:
                parts.append(Punctuation(schema, tuple(_fixed(i, side, fixed) for i, side in enumerate(p.patterns))))
        return parts

    def _all_target_buckets(self, puncts: Sequence[Punctuation]) -> Iterable[Iterable[int]]:
        """The same for many punctuations at once, most of which have one key."""
        if self.broadcast and self.key:
            return [self.buckets] * len(puncts)
        if not self.key:
            return [self.target_buckets(p) for p in puncts]
        keys = [self._keys(p) for p in puncts]
        buckets = self._buckets_of([key for known in keys if known is not None for key in known]).to_list()
        targets: list[Iterable[int]] = []
        start = 0
        for known in keys:
            targets.append(self.buckets if known is None else dict.fromkeys(buckets[start : start + len(known)]))
            start += len(known or ())
        return targets

    def _keys(self, p: Punctuation) -> list[tuple[object, ...]] | None:
        """The keys of the rows that a punctuation can match, when these are few."""
        _, key = self._punctuated
        values = [None if i is None else _constants(p, i) for i in key]
        known = [constants for constants in values if constants is not None]
        return list(product(*known)) if len(known) == len(values) and prod(map(len, known)) <= _MOST_COPIES else None

    def _buckets_of(self, keys: list[tuple[object, ...]]) -> pl.Series:
        assert self.key is not None
        types = {f"{n}": dtype(self.schema.attributes[i]) for n, i in enumerate(self.key)}
        return self._bucket_of(pl.DataFrame(keys, schema=types, orient="row"), list(types))

    def owners(self, values: pl.Series) -> pl.Series:
        """The bucket that rows with each of some values go to, when these are the key."""
        return self._bucket_of(values.to_frame(), [values.name])

    def _split_rows(self, rows: pl.DataFrame, names: Sequence[str]) -> dict[int, pl.DataFrame]:
        if rows.is_empty():
            return {}
        if not names or len(self.buckets) == 1:
            return {self.buckets[0]: rows}
        placed = self._bucket_of(rows, names)
        if len(self.buckets) <= _FEW:  # a pass for each bucket, and still several times faster than one for all
            parts = {bucket: rows.filter(placed == bucket) for bucket in self.buckets}
            return {bucket: part for bucket, part in parts.items() if part.height}
        grouped = rows.with_columns(placed.alias("$bucket")).partition_by(
            "$bucket", as_dict=True, include_key=False, maintain_order=True
        )
        return {bucket: part for (bucket,), part in grouped.items()}

    def _bucket_of(self, rows: pl.DataFrame, names: Sequence[str]) -> pl.Series:
        key = pl.DataFrame([rows[name].alias(f"{n}") for n, name in enumerate(names)])  # a column may decide twice
        if key.width == 1 and key.dtypes[0] == pl.Int64:
            column = key.to_series()
            numbers = (column.fill_null(0) if column.null_count() else column).to_numpy()
            runs = (numbers // self.buckets.run).view(np.uint64)
            slot = (runs * np.uint64(_SPREAD) >> np.uint64(32)) % np.uint64(len(self.buckets))
        else:
            slot = (key.hash_rows(17) % len(self.buckets)).to_numpy()
        return pl.Series(np.array(self.buckets, np.int64)[slot])

    def in_bucket(self, rows: pl.DataFrame, names: Sequence[str | None], bucket: int) -> pl.Series:
        """Which rows go to a bucket, where columns of these names decide."""
        if not names or len(self.buckets) == 1:
            return uniform(bucket == self.buckets[0], rows.height, pl.Boolean())
        return self._bucket_of(rows, [name for name in names if name is not None]) == bucket

    def key_range(self, bucket: int) -> "BucketKeyRange | None":
        """How far whole numbers go that a bucket is never told of, when one such column decides on the bucket."""
        key = () if self.broadcast or self.key is None else self.key
        one = len(key) == 1 and self.schema.attributes[key[0]].type is Type.BIGINT
        return BucketKeyRange(self.buckets.index(bucket), len(self.buckets), self.buckets.run) if one else None

    def key_ranges(self, bucket: int, raw: bool = False) -> "dict[int, BucketKeyRange]":
        """The same by column, of the exchange or of the stream."""
        key_range, key = self.key_range(bucket), self.raw_key if raw else self.key
        return {key[0]: key_range} if key_range is not None and key and key[0] is not None else {}


@dataclass(frozen=True)
class BucketKeyRange:
    """The least number, not below a given one, whose run goes to a bucket.

    >>> BucketKeyRange(0, 1)(640), BucketKeyRange(0, 2)(65)
    (640, 65)
    """

    slot: int
    slots: int
    run: int = Buckets.run

    def __call__(self, number: int) -> int:
        """The number, or the beginning of the bucket's next run."""
        if number % self.run:
            return number
        run = number // self.run
        while (((run & _WORD) * _SPREAD & _WORD) >> 32) % self.slots != self.slot:
            run += 1
        return run * self.run


def _before(at: pl.Series, steps: pl.DataFrame, ticks: Sequence[int]) -> pl.DataFrame:
    """The last of some steps before each of some places, those with which ticks begin, and the last of all."""
    passed = steps[AT].search_sorted(at, side="left").to_numpy().astype(np.int64) - 1
    turned = [turning(steps, tick).arg_true().to_numpy().astype(np.int64) for tick in ticks]
    wanted = np.unique(np.concatenate([passed, [steps.height - 1], *turned]))
    return steps[wanted[wanted >= 0]]


def _piece(
    whole: ColumnarSlice, rows: pl.DataFrame, puncts: list[int], constants: dict[str, pl.DataFrame]
) -> ColumnarSlice:
    """A part of a slice: some rows, some punctuations and some constants, with their places where it has any."""
    values = {name: part[name] for name, part in constants.items()}
    mine = tuple(whole.puncts[n] for n in puncts)
    if whole.places is None:
        return ColumnarSlice(rows, mine, values)
    known = whole.places.puncts
    closed = {name: part[AT] for name, part in constants.items()}
    mine_at = tuple(known[n] for n in puncts)
    places = replace(whole.places, rows=rows[AT], puncts=mine_at, constants=closed)
    return ColumnarSlice(rows.drop(AT), mine, values, places)


def _fixed(i: int, pattern: Pattern, values: Mapping[int | None, Any]) -> Pattern:
    return constant(values[i]) if i in values else pattern


def _constants(p: Punctuation, i: int) -> list[object] | None:
    match p.patterns[i]:
        case Constant(value):
            return [value]
        case List(values):
            return list(values)
        case _:
            return None
