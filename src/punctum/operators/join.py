"""Join of two streams on equal attributes, and within bands (inner JOIN).

Per slice: the new left rows meet the kept right rows, then the new right rows meet all kept left rows. Kept: the rows
of each side whose key has no NULL and is not closed by the other side: new punctuations purge the kept rows, and all
that have been received stop new ones. A punctuation on a column that lies in a band around one of the other side
(``b.ts <= a.ts + INTERVAL 1 HOUR``) closes the rows whose band it has passed: it becomes one on that column; those on
whole numbers, one by one, do so together (``counted.py``). The residual implies the bands. A key that both sides have
closed is of no use any more, and forgotten. A side's punctuation waits until no kept row of that side matches it; one
that is a constant waits as a mark on these rows. A pair for which the residual predicate has no value goes to the
quarantine.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

import polars as pl

from punctum.algebra.bands import Band, holds, passed
from punctum.algebra.pattern import EMPTY, WILDCARD, Pattern
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.algebra.values import Type
from punctum.operators.batch import Names, PunctuationBatch, columns, punctuations_of
from punctum.operators.checked import Computed, checked, kept
from punctum.operators.columns import ColumnarSlice, empty
from punctum.operators.counted import Counted
from punctum.operators.emitted import EmittedPunctuations
from punctum.operators.limits import limits
from punctum.operators.matching import matches
from punctum.operators.near import near
from punctum.operators.operator import CLOSED, Metadata, Operator, Waits
from punctum.operators.partners import counted_line
from punctum.operators.store import Store, settle
from punctum.operators.table import Table, View
from punctum.operators.waiting import Waiting

SIDES = ("left", "right")


class Join(Operator):
    """All pairs of a left and a right row that agree on the join attributes and satisfy a residual predicate."""

    def __init__(
        self,
        left: Schema,
        right: Schema,
        on: Sequence[tuple[str, str]],
        prefixes: tuple[str, str] = ("left.", "right."),
        residual: Computed | None = None,
        bands: Sequence[Band] = (),
    ) -> None:
        self.inputs, self.output = (left, right), joined_schema(left, right, prefixes)
        self._residual = None if residual is None else checked(residual)
        self._on = [(left.index(one), right.index(other)) for one, other in on]
        assert all(left.attributes[i].type is right.attributes[j].type for i, j in self._on), "types differ"
        self._bands = [[band for band in bands if band.of[0] == side] for side in (0, 1)]
        ends = [end for band in bands for end in (band.of, band.by) if end is not None]
        self._compared = [[*(pair[side] for pair in self._on), *(at for i, at in ends if i == side)] for side in (0, 1)]
        self._renamed = (self.output.names[: len(left)], self.output.names[len(left) :])
        self._names = [
            Names(self.output, [self._columns(side, i) for i in range(len(s))]) for side, s in enumerate(self.inputs)
        ]
        self._kept = [Table(empty(schema)) for schema in self.inputs]
        self._closed = [Store(schema) for schema in self.inputs]  # a side's keys that the other has closed
        self._counted: Counted | None = None
        if any(band.counted for band in bands):  # then what the other side has said, as it has
            self._closed = [Store(self.inputs[1 - side], counted_line(bands, 1 - side)) for side in (0, 1)]
            self._counted = Counted(self.inputs, self._on, bands, self._closed[::-1])
        single = all(len(set(side)) == len(self._on) for side in zip(*self._on, strict=True))
        pairs = self._on if single else []
        self._across, self._bound = (dict(pairs), {j: i for i, j in pairs}), limits().spelled
        self._waiting = [Waiting(schema) for schema in self.inputs]
        self._emitted = EmittedPunctuations(self.output)

    def feed(self, *slices: ColumnarSlice) -> ColumnarSlice:
        """Take the next slice of the left input, then the next slice of the right one."""
        left, right = slices
        lps, rps = punctuations_of(self.inputs[0], left), punctuations_of(self.inputs[1], right)
        early = self._pairs(left.rows, self._partners_of(left.rows, 1).rows)
        released = self._freed() + self._take(0, left.rows, lps)
        late = self._pairs(self._partners_of(right.rows, 0).rows, right.rows)
        released += self._take(1, right.rows, rps)
        rows = (
            pl.concat([early, late], rechunk=False) if early.height and late.height else early if early.height else late
        )
        return columns(rows, self._emitted.add_new(released), left, right)

    def tables(self) -> dict[str, Table]:
        """The rows of each side that may meet later ones, and its keys that the other side has closed."""
        closed = {f"{CLOSED}{side}": store.keys for side, store in zip(SIDES, self._closed, strict=True)}
        return dict(zip(SIDES, self._kept, strict=True)) | closed

    def restore_tables(self, tables: dict[str, Table]) -> None:
        """Go on with the rows that another one kept."""
        self._kept = [tables[side] for side in SIDES]
        for side, store in zip(SIDES, self._closed, strict=True):
            store.go_on(tables[f"{CLOSED}{side}"])
        if self._counted is not None:
            self._counted.changed()

    def metadata(self) -> Metadata:
        """What is closed of each side and no key, the punctuations that wait, and what has been emitted."""
        closed = [puncts.metadata() for puncts in self._closed]
        waiting = [puncts.metadata() for puncts in self._waiting]
        return {"closed": closed, "bound": self._bound, "waiting": waiting, "emitted": self._emitted.metadata()}

    def restore_metadata(self, metadata: Metadata) -> None:
        """Go on with the notes of another one."""
        for side in (0, 1):
            self._closed[side].restore(metadata["closed"][side])
            self._waiting[side].restore(metadata["waiting"][side])
        self._emitted.restore(metadata["emitted"])
        self._bound = metadata["bound"]
        if self._counted is not None:
            self._counted.changed()

    def puncts(self) -> int:
        """What is closed, what waits and what has been emitted."""
        return sum(map(len, self._closed)) + self.waiting() + len(self._emitted)

    def keeps(self) -> dict[str, int]:
        """Each side's own rows."""
        return {side: n for n, side in enumerate(SIDES)}

    def waits(self) -> dict[str, Waits]:
        """A side's rows wait for the other side to close their key."""
        names = [(self.inputs[0].names[i], self.inputs[1].names[j]) for i, j in self._on]
        return {"left": Waits(1, tuple(names)), "right": Waits(0, tuple((right, left) for left, right in names))}

    def waiting(self) -> int:
        """The punctuations that kept rows hold back."""
        return sum(map(len, self._waiting))

    def map_punctuations(self, number: int, received: PunctuationBatch) -> PunctuationBatch:
        """The same, for each way to name what the join equates."""
        return self._names[number].map_punctuations(received)

    def forget(self, number: int, expired: PunctuationBatch) -> None:
        """What has expired closes no key of the other side, and is not waited with."""
        if self._counted is not None:
            self._counted.forget(number, expired)
        else:
            self._closed[1 - number].forget(self._closing(number, expired))
        self._waiting[number].forget(self._kept[number], expired)
        self._emitted.forget(self.map_punctuations(number, expired))

    def _partners_of(self, others: pl.DataFrame, side: int) -> View:
        """Some kept rows of a side, among them all that agree with rows of the other."""
        if not others.height or not self._on:
            return self._kept[side].all() if others.height else self._kept[side].none()
        names = [
            (self.inputs[side].names[pair[side]], self.inputs[1 - side].names[pair[1 - side]]) for pair in self._on
        ]
        return self._kept[side].having(pl.DataFrame({mine: others[theirs] for mine, theirs in names}))

    def _take(
        self, side: int, new: pl.DataFrame, ps: PunctuationBatch, met: pl.Series | None = None
    ) -> PunctuationBatch:
        """Keep new rows of a side, purge the other by new punctuations, and return what no kept row holds back."""
        self._keep(side, new, met)
        if not len(ps):
            return PunctuationBatch(self.output)
        released = self._names[side].map_punctuations(self._waiting[side].hold(self._kept[side], ps))
        if self._counted is not None:
            return released + self._take_counted(self._counted, side, ps)
        closing = self._closing(side, ps)
        if not len(closing):
            return released
        keys = self._closed[1 - side].add(closing)
        if not self.punctuations_expire:
            one, theirs = self._closed[1 - side], self._closed[side]
            self._bound = settle(one, theirs, self._across[1 - side], keys, self._bound)
        if len(self._kept[1 - side]):
            view = near(self._kept[1 - side], closing)
            self._purge(1 - side, view, matches(view.rows, closing))
            released += self._freed()
        return released

    def _take_counted(self, counted: Counted, side: int, ps: PunctuationBatch) -> PunctuationBatch:
        """The same, where punctuations close rows together."""
        view = counted.add(side, ps, self._kept[1 - side])
        self._purge(1 - side, view, counted.closed(1 - side, view.rows))
        if not self.punctuations_expire:
            counted.tidy(self._kept)
        return self._freed()

    def _keep(self, side: int, new: pl.DataFrame, met: pl.Series | None) -> None:
        """Keep those of a side's new rows that may meet later ones."""
        self._kept[side].append(self._open(side, new))

    def _purge(self, side: int, view: View, closed: pl.Series) -> None:
        """Drop a side's rows that meet no later ones."""
        if closed.any():
            self.drop(SIDES[side], view, closed)

    def drop(self, name: str, view: View, mask: pl.Series) -> None:
        """Drop rows of a side; the punctuations that they held back may go with the next slice."""
        self._waiting[SIDES.index(name)].drop(view, mask)

    def _freed(self) -> PunctuationBatch:
        """What waits no longer because rows have been dropped."""
        released = PunctuationBatch(self.output)
        for side, waiting in enumerate(self._waiting):
            released += self._names[side].map_punctuations(waiting.freed(self._kept[side]))
        return released

    def _pairs(self, left: pl.DataFrame, right: pl.DataFrame) -> pl.DataFrame:
        """The output rows for rows of both sides."""
        if not left.height or not right.height:
            return empty(self.output)
        one, other = (_rename(df, names) for df, names in zip((left, right), self._renamed, strict=True))
        both, failed = self._matched(one, other)
        self.fail(failed, self.output)
        return both.select(self.output.names)

    def _matched(self, one: pl.DataFrame, other: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame | None]:
        """The pairs of rows of both sides, under the names of a pair, and those for which the residual has no value."""
        if not self._on:
            both = one.join(other, how="cross", maintain_order="left_right")
            return (both, None) if self._residual is None else kept(both, self._residual)
        keys = [[self._key(side, i) for i in positions] for side, positions in enumerate(zip(*self._on, strict=True))]
        if one.height >= other.height:  # the larger one looks up, the smaller one is the hash table
            both = one.join(other, left_on=keys[0], right_on=keys[1], coalesce=False, maintain_order="left_right")
        else:
            both = other.join(one, left_on=keys[1], right_on=keys[0], coalesce=False, maintain_order="left_right")
        return (both, None) if self._residual is None else kept(both, self._residual)

    def _key(self, side: int, at: int) -> pl.Expr:
        attribute, name = self.inputs[side].attributes[at], self._renamed[side][at]
        if attribute.type is Type.DOUBLE:  # as whole numbers: for Polars, NaN in one row does not meet NaN in one row
            return pl.col(name).reinterpret(dtype=pl.Int64)
        if attribute.type is not Type.DECIMAL:
            return pl.col(name)
        scales = [
            s.attributes[i].digits[1]
            for pair in self._on
            for s, i in zip(self.inputs, pair, strict=True)
            if s.attributes[i].type is Type.DECIMAL
        ]
        return pl.col(name).cast(pl.Decimal(38, max(scales)))

    def _open(self, side: int, df: pl.DataFrame) -> pl.DataFrame:
        """The rows of a side whose key may still meet another."""
        if not df.height:
            return df
        for at in dict.fromkeys(self._compared[side]):
            column = df[self.inputs[side].names[at]]
            if column.null_count():
                df = df.filter(df[column.name].is_not_null())
        if self._counted is not None:
            closed = self._counted.closed(side, df) if df.height else None
        else:
            closed = self._closed[side].matches(df) if len(self._closed[side]) else None
        if closed is None or not closed.any():
            return df
        still = df.filter(~closed)
        self._kept[side].covered += df.height - still.height
        return still

    def _closing(self, side: int, ps: PunctuationBatch) -> PunctuationBatch:
        """The punctuations that speak of join attributes alone, as seen from the other side."""
        schema = self.inputs[1 - side]
        partners: dict[int, list[int]] = {band.of[1]: [] for band in self._bands[side]}
        for pair in self._on:
            partners.setdefault(pair[side], []).append(pair[1 - side])
        closing = PunctuationBatch(schema)
        for p in (mine := ps.on(partners)).others:
            closing.others += self._over(side, p, partners)
        for at, values in mine.constants.items():
            if len(partners[at]) == 1:
                closing += PunctuationBatch(schema, {partners[at][0]: values})
            elif partners[at] or any(band.exact for band in self._bands[side] if band.of[1] == at):
                constants = PunctuationBatch(mine.schema, {at: values})
                closing.others += [q for p in constants for q in self._over(side, p, partners)]
        return closing

    def _over(self, side: int, p: Punctuation, partners: dict[int, list[int]]) -> list[Punctuation]:
        """A punctuation on join attributes over the other side, in every way, unless no row can match it there."""
        schema = self.inputs[1 - side]
        ways = product(*(list(self._partners(side, at, pattern, partners[at])) for at, pattern in p.sides))
        over = (_met(schema, [there for several in way for there in several]) for way in ways)
        return list(dict.fromkeys(q for q in over if q is not None))

    def _partners(self, side: int, at: int, pattern: Pattern, equal: list[int]) -> Iterator[list[tuple[int, Pattern]]]:
        """What a pattern means for the other side: on what equals its attribute, or on what it has passed."""
        if equal:
            yield [(theirs, pattern) for theirs in equal]
        for band in self._bands[side]:
            if band.of[1] == at and band.by is None:
                yield from [[]] * holds(pattern, band)
            elif band.of[1] == at and band.by is not None:
                kind = self.inputs[side].attributes[at].type
                yield from ([(band.by[1], moved)] for moved in passed(pattern, band, kind))

    def _columns(self, side: int, at: int) -> list[int]:
        """The output columns that equal a side's attribute: its own, and its partners on the other side."""
        offsets = (0, len(self.inputs[0]))
        return [offsets[side] + at, *(offsets[1 - side] + pair[1 - side] for pair in self._on if pair[side] == at)]


def joined_schema(left: Schema, right: Schema, prefixes: tuple[str, str]) -> Schema:
    """The left attributes, then the right ones; a name that both sides have gets the prefix of its side.

    >>> joined_schema(Schema.of(k="BIGINT", a="BIGINT"), Schema.of(k="BIGINT"), ("l.", "r.")).names
    ('l.k', 'a', 'r.k')
    """
    twice = left.positions.keys() & right.positions.keys()
    sides = [(prefix, a) for prefix, side in zip(prefixes, (left, right), strict=True) for a in side.attributes]
    return Schema(tuple(replace(a, name=prefix + a.name) if a.name in twice else a for prefix, a in sides))


def _met(schema: Schema, sides: list[tuple[int, Pattern]]) -> Punctuation | None:
    """The punctuation with all of some patterns, unless nothing can match it."""
    patterns = [WILDCARD] * len(schema)
    for at, pattern in sides:
        patterns[at] = patterns[at].meet(pattern)
    return None if EMPTY in patterns else Punctuation(schema, tuple(patterns))


def _rename(df: pl.DataFrame, names: tuple[str, ...]) -> pl.DataFrame:
    return df if df.columns == list(names) else df.rename(dict(zip(df.columns, names, strict=True)))
