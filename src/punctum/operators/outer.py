"""Joins that look at rows without a partner: LEFT and FULL OUTER JOIN, SEMI (EXISTS, IN) and ANTI (NOT EXISTS, NOT IN).

As the join, per slice; a kept row of a preserved side that has had a partner is marked. A row that a join
would not keep, or purges, comes out alone if it has had none. SEMI gives a left row out with its first partner, ANTI
lets it go then; neither keeps it any longer. Where the residual has no value for a pair, the pair is in the quarantine
and its rows do not come out alone, for that might be wrong.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import product

import numpy as np
import polars as pl

from punctum.algebra.bands import Band
from punctum.algebra.outer import JoinKind
from punctum.algebra.pattern import WILDCARD, Pattern
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import NOT_NULL, Schema
from punctum.operators.batch import Names, PunctuationBatch, columns, punctuations_of
from punctum.operators.checked import Computed, checked
from punctum.operators.columns import ColumnarSlice, dtype, empty
from punctum.operators.emitted import EmittedPunctuations
from punctum.operators.join import SIDES, Join
from punctum.operators.operator import Metadata
from punctum.operators.table import View
from punctum.operators.written import read, written

MET = "met"
"""The mark of a kept row that has had a partner."""
_AT = "\0at "
_NEW = "\0new"
Way = tuple[tuple[int, Pattern], ...]
"""A punctuation over the output: patterns by the position of their column."""


class OuterJoin(Join):
    """The rows of a kind of join, and the names of a pair's columns.

    ``able`` is what the residual demands of the rows of each side by themselves.
    """

    def __init__(
        self,
        left: Schema,
        right: Schema,
        on: Sequence[tuple[str, str]],
        kind: JoinKind,
        names: Sequence[str],
        residual: Computed | None = None,
        able: tuple[Computed | None, Computed | None] = (None, None),
        bands: Sequence[Band] = (),
    ) -> None:
        super().__init__(left, right, on, residual=residual, bands=bands)
        attributes = zip(self.output.attributes, names, strict=True)
        self._kind, self._pair = kind, Schema(tuple(replace(a, name=name) for a, name in attributes))
        self._renamed = (self._pair.names[: len(left)], self._pair.names[len(left) :])
        self._able = [None if condition is None else checked(condition) for condition in able]
        self.output = _padded_schema(self._pair, len(left), kind) if kind.pairs else left
        self.releasing_inputs = tuple(1 - side for side in kind.preserved)
        targets = [[self._columns(side, i) for i in range(len(s))] for side, s in enumerate(self.inputs)]
        self._every = [Names(self._pair, target) for target in targets]
        self._sound_names = [SoundNames(self.output, targets[side], self._sound(side)) for side in (0, 1)]
        self._names = list[Names](self._sound_names)
        self._halves: list[list[Punctuation]] = [[], []]  # what each side of a FULL join has said of NULLs
        self._flagged = kind.preserved if kind.pairs else ()
        self._emitted = EmittedPunctuations(self.output)
        self._alone: list[pl.DataFrame] = []

    def feed(self, *slices: ColumnarSlice) -> ColumnarSlice:
        """Take the next slice of the left input, then the next slice of the right one."""
        left, right = slices
        lps, rps = punctuations_of(self.inputs[0], left), punctuations_of(self.inputs[1], right)
        released = self._freed()
        view = self._partners_of(left.rows, 1)
        early, mine, theirs = self._meet(left.rows, view.rows)
        self._met_kept(1, view, theirs)
        released += self._take_met(0, left.rows, mine, lps)
        view = self._partners_of(right.rows, 0)
        late, theirs, mine = self._meet(view.rows, right.rows)
        self._met_kept(0, view, theirs)
        released += self._freed() + self._take_met(1, right.rows, mine, rps)
        rows, self._alone = [early, late, *self._alone], []
        there = [df for df in rows if df.height]
        whole = pl.concat(there, rechunk=False) if len(there) > 1 else there[0] if there else empty(self.output)
        return columns(whole, self._emitted.add_new(released + self._together()), left, right)

    def metadata(self) -> Metadata:
        """What a join notes, and what each side has said of NULLs."""
        halves = [written(halves, schema) for halves, schema in zip(self._halves, self.inputs, strict=True)]
        return super().metadata() | {"halves": halves}

    def restore_metadata(self, metadata: Metadata) -> None:
        """Go on with the notes of another one."""
        super().restore_metadata(metadata)
        self._halves = [list(read(metadata["halves"][side], schema)) for side, schema in enumerate(self.inputs)]

    def puncts(self) -> int:
        """What a join has, and what each side has said of NULLs."""
        return super().puncts() + sum(map(len, self._halves))

    def map_punctuations(self, number: int, received: PunctuationBatch) -> PunctuationBatch:
        """The same over every column that shows it; rows without a partner show it on the columns of their side."""
        every = self._every[number].map_punctuations(received)
        if self._kind.pairs:
            return PunctuationBatch(
                self.output, every.constants, [Punctuation(self.output, p.patterns) for p in every.others]
            )
        width = len(self.output)
        shown = [p.patterns[:width] for p in every.on(range(width)).others]
        return PunctuationBatch(
            self.output, every.on(range(width)).constants, [Punctuation(self.output, p) for p in shown]
        )

    def forget(self, number: int, expired: PunctuationBatch) -> None:
        """As the join; what has been said of NULLs is over, too."""
        super().forget(number, expired)
        over = {p.patterns for p in expired.others}
        self._halves[number] = [p for p in self._halves[number] if p.patterns not in over]

    def has_emitted(self, p: Punctuation) -> bool:
        """Whether rows that match it can come no more."""
        return self._emitted.covers(p)

    def _meet(self, left: pl.DataFrame, right: pl.DataFrame) -> tuple[pl.DataFrame, pl.Series, pl.Series]:
        """The output rows for rows of both sides, and which rows of each side have had a partner."""
        if not left.height or not right.height:
            return empty(self.output), _mask(left.height), _mask(right.height)
        sides = (left, right)
        watched = [side in self._flagged or (side == 0 and not self._kind.pairs) for side in (0, 1)]
        one, other = (self._named(side, df, watched[side]) for side, df in enumerate(sides))
        both, failed = self._matched(one, other)
        unsure = None if self._kind is JoinKind.SEMI else failed
        met = [_mask(df.height, side, both, unsure) if watched[side] else _mask(0) for side, df in enumerate(sides)]
        if failed is not None:
            self.fail(failed.drop(_AT + side for side in SIDES if _AT + side in failed.columns), self._pair)
        if self._kind.pairs:
            return both.select(self.output.names), met[0], met[1]
        return left.filter(met[0]) if self._kind is JoinKind.SEMI else empty(self.output), met[0], met[1]

    def _named(self, side: int, df: pl.DataFrame, watched: bool) -> pl.DataFrame:
        """The rows of a side under the names of a pair, with their numbers where these are wanted."""
        names = dict(zip(self.inputs[side].names, self._renamed[side], strict=True))
        renamed = df.select(pl.col(old).alias(new) for old, new in names.items())
        return renamed.with_row_index(_AT + SIDES[side]) if watched else renamed

    def _take_met(self, side: int, new: pl.DataFrame, met: pl.Series, ps: PunctuationBatch) -> PunctuationBatch:
        """Keep new rows of a side, of which some have had a partner; else as the join."""
        if side == 0 and not self._kind.pairs:
            return self._take(side, new.filter(~met), ps)
        return self._take(side, new, ps, met)

    def _met_kept(self, side: int, view: View, met: pl.Series) -> None:
        """Kept rows have met new ones."""
        if side in self._flagged:
            view.mark(MET, met & ~view.marked(MET))
        elif side == 0 and not self._kind.pairs and met.any():
            self.drop(SIDES[side], view, met)

    def _keep(self, side: int, new: pl.DataFrame, met: pl.Series | None) -> None:
        """Keep new rows of a side that may meet later ones; others come out if they have no partner."""
        if side not in self._kind.preserved or not new.height:
            super()._keep(side, new, met)
            return
        still = self._open(side, new.with_row_index(_NEW))
        flagged = met if met is not None and side in self._flagged else None
        if still.height < new.height:
            gone = ~_scattered(new.height, still[_NEW])
            self._leave(side, new.filter(gone if flagged is None else gone & ~flagged))
        marks = {MET: flagged.gather(still[_NEW])} if flagged is not None and flagged.any() else None
        self._kept[side].append(still.drop(_NEW), marks)

    def _purge(self, side: int, view: View, closed: pl.Series) -> None:
        """Drop a side's rows that meet no later ones; they come out if they have no partner."""
        if side in self._kind.preserved and closed.any():
            self._leave(side, view.rows.filter(closed & ~view.marked(MET)))
        super()._purge(side, view, closed)

    def _leave(self, side: int, alone: pl.DataFrame) -> None:
        if alone.height:
            self._alone.append(self._padded(side, alone))

    def _padded(self, side: int, df: pl.DataFrame) -> pl.DataFrame:
        """Rows of a side as rows of the output."""
        if not self._kind.pairs:
            return df.select(self.output.names)
        own = [pl.col(a).alias(b) for a, b in zip(self.inputs[side].names, self._renamed[side], strict=True)]
        others = set(self._renamed[1 - side])
        nulls = [pl.lit(None, dtype(a)).alias(a.name) for a in self.output.attributes if a.name in others]
        return df.select(*own, *nulls).select(self.output.names)

    def _open(self, side: int, df: pl.DataFrame) -> pl.DataFrame:
        """The rows of a side that may still meet another."""
        df = super()._open(side, df)
        able = self._able[side]
        if able is None or not df.height:
            return df
        unsure = pl.lit(False) if able.reason is None else able.reason.is_not_null()
        return df.filter(able.value.fill_null(False) | unsure)

    def _sound(self, side: int) -> Callable[[Way], bool]:
        """Whether what a side says of pairs, and of its own rows, holds for all rows that come out alone, too."""
        width, kind = len(self.inputs[0]), self._kind

        def holds(way: Way) -> bool:
            on = [[p for n, p in way if n < width], [p for n, p in way if n >= width]]
            if on[1] and not kind.pairs:
                return False
            return all(
                any(not p.match(None) for p in on[1 - i]) or (side == i and not on[1 - i]) for i in kind.preserved
            )

        return holds

    def _together(self) -> PunctuationBatch:
        """What both sides of a FULL join have said of NULLs, each by now."""
        made = PunctuationBatch(self.output)
        if self._kind is JoinKind.FULL:
            fresh = [names.take_nulls() for names in self._sound_names]
            for side, ps in enumerate(fresh):
                self._halves[side] = list({p.patterns: p for p in [*self._halves[side], *ps]}.values())
            if any(fresh):
                both = product(*self._halves)
                made.others += [Punctuation(self.output, p.patterns + q.patterns) for p, q in both]
        return made


class SoundNames(Names):
    """The ways to name attributes that are sound; what matches rows of nothing but NULLs is noted."""

    def __init__(self, output: Schema, targets: list[list[int]], sound: Callable[[Way], bool]) -> None:
        super().__init__(output, targets)
        self._sound = sound
        self._single = [[n for n in ns if sound(((n, NOT_NULL),))] for ns in targets]
        self._of_nulls: list[Punctuation] = []

    def map_punctuations(self, received: PunctuationBatch) -> PunctuationBatch:
        """The punctuations over the output, once for each sound way to name their attributes."""
        moved = PunctuationBatch(self._output)
        for at, values in received.constants.items():
            moved += PunctuationBatch(self._output, dict.fromkeys(self._single[at], values))
        for p in received.others:
            moved.others += self._ways(p)
            if all(pattern.match(None) for _, pattern in p.sides):
                self._of_nulls.append(p)
        return moved

    def take_nulls(self) -> list[Punctuation]:
        """What matches NULLs, since this was asked last."""
        taken, self._of_nulls = self._of_nulls, []
        return taken

    def _placed(self, p: Punctuation) -> Iterator[Way]:
        return filter(self._sound, super()._placed(p))


def _padded_schema(pair: Schema, width: int, kind: JoinKind) -> Schema:
    """The schema of pairs, in which columns may be NULL whose side may have no row."""
    sure = range(width) if kind is JoinKind.LEFT else ()
    return Schema(tuple(a if i in sure else replace(a, domain=WILDCARD) for i, a in enumerate(pair.attributes)))


def _mask(height: int, side: int = 0, *pairs: pl.DataFrame | None) -> pl.Series:
    """Which of so many rows are in some pairs."""
    mask = np.zeros(height, dtype=bool)
    for df in pairs:
        if df is not None:
            mask[df[_AT + SIDES[side]].to_numpy()] = True
    return pl.Series(mask)


def _scattered(height: int, numbers: pl.Series) -> pl.Series:
    mask = np.zeros(height, dtype=bool)
    mask[numbers.to_numpy()] = True
    return pl.Series(mask)
