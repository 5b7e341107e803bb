"""The exchange before a join whose inputs have no column in common: a hypercube of buckets.

A row goes to all buckets whose coordinates are those of its columns, and is copied along the dimensions that it lacks.
A punctuation goes to the buckets of the constants that it has, or everywhere.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

import polars as pl

from punctum.algebra.pattern import Constant, List
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.values import Type
from punctum.engine.exchange.buckets import BucketKeyRange, Exchange
from punctum.operators.columns import dtype

Coordinates = tuple[int, ...]


@dataclass(frozen=True)
class CubeExchange(Exchange):
    """Where a slice goes: for each dimension the column that decides, or nothing, and the dimension's share."""

    dimensions: tuple[int | None, ...] = ()
    raw_dimensions: tuple[int | None, ...] = ()
    shares: tuple[int, ...] = ()

    @property
    def _deciding(self) -> tuple[int | None, ...]:
        """The columns that decide, in the schema of punctuations."""
        return self.dimensions if self.raw is None else self.raw_dimensions

    def target_buckets(self, p: Punctuation) -> Iterable[int]:
        """The buckets whose rows a punctuation can match."""
        slots: list[Iterable[int]] = []
        for d, at in enumerate(self._deciding):
            pattern = None if at is None else p.patterns[at]
            if isinstance(pattern, Constant):
                slots.append(self._slots(d, pl.Series([pattern.value], dtype=self._dtype(d))).unique())
            elif isinstance(pattern, List):
                slots.append(self._slots(d, pl.Series(pattern.values, dtype=self._dtype(d))).unique())
            else:
                slots.append(range(self.shares[d]))
        return [self.bucket(where) for where in product(*slots)]

    def _all_target_buckets(self, puncts: Sequence[Punctuation]) -> Iterable[Iterable[int]]:
        return [self.buckets if self.broadcast else self.target_buckets(p) for p in puncts]

    def primary(self, bucket: int) -> bool:
        """Whether a bucket has the first copy of the rows that it has."""
        where = self.coordinates(bucket)
        return all(at is not None or where[d] == 0 for d, at in enumerate(self.dimensions))

    def in_bucket(self, rows: pl.DataFrame, names: Sequence[str | None], bucket: int) -> pl.Series:
        """Which rows go to a bucket, where columns of these names decide on the dimensions, or none."""
        where, mine = self.coordinates(bucket), pl.repeat(True, rows.height, dtype=pl.Boolean(), eager=True)
        for d, name in enumerate(names):
            if name is not None and self.shares[d] > 1:
                mine &= self._slots(d, rows[name]) == where[d]
        return mine

    def key_ranges(self, bucket: int, raw: bool = False) -> dict[int, BucketKeyRange]:
        """How far whole numbers go that a bucket is never told of, by the columns that decide on it."""
        if self.broadcast:
            return {}
        named = self.raw_dimensions if raw else self.dimensions
        where = self.coordinates(bucket)
        whole = [at is not None and self.schema.attributes[at].type is Type.BIGINT for at in self.dimensions]
        return {
            at: BucketKeyRange(where[d], self.shares[d], self.buckets.run)
            for d, at in enumerate(named)
            if at is not None and whole[d]
        }

    def _split_rows(self, rows: pl.DataFrame, names: Sequence[str]) -> dict[int, pl.DataFrame]:
        return self._dealt(rows, [None if at is None else self.schema.names[at] for at in self.dimensions])

    def _split_constants(self, name: str, values: pl.DataFrame) -> dict[int, pl.DataFrame]:
        schema = self.schema if self.raw is None else self.raw
        at = schema.index(name)
        if self.broadcast or at not in self._deciding:
            return dict.fromkeys(self.buckets, values)
        named = [name if column == at else None for column in self._deciding]
        return self._dealt(values, named)

    def _dealt(self, rows: pl.DataFrame, named: Sequence[str | None]) -> dict[int, pl.DataFrame]:
        """Rows by bucket, where some columns decide on some dimensions."""
        if rows.is_empty():
            return {}
        deciding = [d for d, name in enumerate(named) if name is not None and self.shares[d] > 1]
        slots = {f"$slot {d}": self._slots(d, rows[str(named[d])]) for d in deciding}
        parts: dict[tuple[int, ...], pl.DataFrame] = {(): rows}
        if slots:
            placed = rows.with_columns(**slots)
            parts = placed.partition_by(*slots, as_dict=True, include_key=False, maintain_order=True)
        by_bucket: dict[int, pl.DataFrame] = {}
        for key, part in parts.items():
            fixed = dict(zip(deciding, key, strict=True))
            ways = product(*([fixed[d]] if d in fixed else range(share) for d, share in enumerate(self.shares)))
            by_bucket |= {self.bucket(where): part for where in ways}
        return by_bucket

    def _slots(self, d: int, values: pl.Series) -> pl.Series:
        """The coordinate of each value in a dimension."""
        slots = type(self.buckets)(range(self.shares[d]))
        return Exchange(self.schema, (), slots, 0)._bucket_of(values.alias("value").to_frame(), ["value"])

    def _dtype(self, d: int) -> pl.DataType:
        at = self.dimensions[d]
        assert at is not None
        return dtype(self.schema.attributes[at])

    def bucket(self, where: Coordinates) -> int:
        """The bucket at a place in the cube."""
        return self.buckets[sum(c * prod(self.shares[d + 1 :]) for d, c in enumerate(where))]

    def coordinates(self, bucket: int) -> Coordinates:
        """Where a bucket is in the cube."""
        at = self.buckets.index(bucket)
        return tuple(at // prod(self.shares[d + 1 :]) % share for d, share in enumerate(self.shares))
