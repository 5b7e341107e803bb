"""Chains: which rows of a join of many inputs may be in later results, and which rows that may change for.

A row's classes start a chain; where an input is closed for the values at the end of a chain, it goes on with that
input's rows. Chains that end in no closed input keep their row. Only the classes that inputs further on bind are
carried along, each combination of values once.
"""

from collections.abc import Callable, Sequence

import polars as pl

from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.algebra.values import Type
from punctum.operators.batch import PunctuationBatch
from punctum.operators.classes import JoinClasses
from punctum.operators.columns import dtype, uniform
from punctum.operators.knowledge import JoinKnowledge
from punctum.operators.limits import limits
from punctum.operators.matching import matches
from punctum.operators.near import near
from punctum.operators.table import View

MOST_PAIRS = 10_000_000
"""A chain does not go on to more pairs of rows that have no class in common."""
ONE, START = "one", "start"
"""A column that all rows agree on, and the number of the row that a chain begins with."""

Bound = Callable[[int, bool], pl.DataFrame]
"""The classes that rows of an input bind: those that share classes with others that are looked at, or all rows."""


class Chains:
    """The chains of a join's rows."""

    def __init__(self, inputs: Sequence[Schema], classes: JoinClasses, known: Sequence[JoinKnowledge]) -> None:
        self._inputs, self._classes, self._known = inputs, classes, known
        self._binds, self._at = classes.bound, classes.position
        odd = (Type.DECIMAL, Type.DOUBLE)  # equal ones look different
        self._plain = all(attribute.type not in odd for attribute in classes.schema.attributes)

    def concerned(self, closing: PunctuationBatch) -> list[View]:
        """Kept rows of each input: all that share classes with new rows or with what is newly closed, and on from them.

        All others are needed as they were.
        """
        if not self._plain:
            return [known.kept.all() for known in self._known]
        views = [self._matching(i, closing) for i in range(len(self._inputs))]
        fresh = [pl.concat([view.rows, known.new]) for view, known in zip(views, self._known, strict=True)]
        asked: dict[int, pl.Series] = {}
        while any(df.height for df in fresh):
            wanted = self._values(fresh, asked)
            for i, known in enumerate(self._known):
                more, before = known.kept.none(), len(views[i])
                for n, values in wanted.items():
                    if n in self._binds[i] and len(values):
                        name = self._inputs[i].names[self._at(i, n)]
                        candidates = known.kept.having(values.to_frame(name))
                        more |= candidates.where(candidates.rows[name].is_in(values.implode()))
                views[i] |= more
                fresh[i] = more.rows if len(views[i]) > before else more.rows.clear()
            if limits().share * sum(map(len, views)) > sum(len(known.kept) for known in self._known):
                return [known.kept.all() for known in self._known]
        return views

    def _matching(self, i: int, closing: PunctuationBatch) -> View:
        """The kept rows of an input that match punctuations over classes, as far as it has these."""
        schema, table = self._inputs[i], self._known[i].kept
        if any(not p.sides for p in closing.others):
            return table.all()
        at = {n: self._at(i, n) for n in self._binds[i]}
        over = PunctuationBatch(schema, {at[n]: values for n, values in closing.constants.items() if n in at})
        for p in closing.others:
            sides = {schema.names[at[n]]: side for n, side in p.sides if n in at}
            over.others += [Punctuation.of(schema, sides)] if sides else []
        view = near(table, over)
        return view.where(matches(view.rows, over))

    def _values(self, rows: Sequence[pl.DataFrame], asked: dict[int, pl.Series]) -> dict[int, pl.Series]:
        """The values of classes that rows have and nobody has asked for yet."""
        wanted: dict[int, pl.Series] = {}
        for n in range(len(self._classes.schema)):
            here = [df[self._inputs[i].names[self._at(i, n)]] for i, df in enumerate(rows) if n in self._binds[i]]
            if not self._classes.shared(n):
                continue
            values = pl.concat([column.rename("") for column in here]).unique()
            wanted[n] = values.filter(~values.is_in(asked[n].implode())) if n in asked else values
            asked[n] = pl.concat([asked[n], wanted[n]]) if n in asked else values
        return wanted

    def bound_by(self, i: int, df: pl.DataFrame) -> pl.DataFrame:
        """The classes of an input's rows."""
        over, names = self._classes.schema, self._inputs[i].names
        values = ((n, pl.col(names[self._at(i, n)]).cast(dtype(over.attributes[n]))) for n in self._binds[i])
        one = uniform(0, df.height, pl.Int8).alias(ONE)
        return df.select(one, *(column.alias(over.names[n]) for n, column in values))

    def bound(self, rows: Sequence[pl.DataFrame]) -> Bound:
        """The classes that rows of each input bind, each combination of values once."""
        some = [self.bound_by(i, df).unique() for i, df in enumerate(rows)]
        whole: dict[int, pl.DataFrame] = {}

        def of(j: int, together: bool) -> pl.DataFrame:
            if not together and j not in whole:
                whole[j] = self.bound_by(j, self._known[j].rows).unique()
            return some[j] if together else whole[j]

        return of

    def needed(self, i: int, df: pl.DataFrame, bound: Bound) -> pl.Series:
        """Whether each of some rows of an input may be in a later result."""
        if not df.height:
            return pl.Series([], dtype=pl.Boolean)
        rows = self.bound_by(i, df)
        starts = rows.unique().with_row_index(START)
        open_ = self._open(i, starts, bound)
        if len(open_) in (0, starts.height):
            return uniform(len(open_) > 0, rows.height)
        still = starts.filter(pl.col(START).is_in(open_.implode())).drop(START)
        keys = [self._same(name) for name in rows.columns]
        mine = rows.with_row_index(START).join(still, left_on=keys, right_on=keys, how="semi")[START]
        return pl.int_range(rows.height, eager=True, dtype=pl.UInt32).is_in(mine.implode())

    def _open(self, i: int, starts: pl.DataFrame, bound: Bound) -> pl.Series:
        """The numbers of the chains that end where no further input is closed."""
        ends = [pl.Series(START, [], dtype=pl.UInt32)]
        chains = {frozenset([i]): self._carried(starts, frozenset([i]))}
        while chains:
            reached = min(chains, key=len)
            ongoing = chains.pop(reached)
            for j in self._next(reached):
                if not ongoing.height:
                    break
                closed = self._known[j].has_closed(ongoing, self._classes.axes(j, ongoing.columns))
                if len(reached) == len(self._inputs) - 1:
                    ongoing = ongoing.filter(~closed)
                    break
                others = bound(j, not self._equal(j).isdisjoint(ongoing.columns))
                shared = [name for name in ongoing.columns if name in others.columns]
                if not closed.any() or (shared == [ONE] and int(closed.sum()) * others.height > MOST_PAIRS):
                    continue
                keys = [self._same(name) for name in shared]
                right = others.rename({name: f"{name} of {j}" for name in shared})
                there = [self._same(name, f"{name} of {j}") for name in shared]
                wider = ongoing.filter(closed).join(right, left_on=keys, right_on=there, coalesce=False)
                wider = self._agreed(wider)
                ongoing, both = ongoing.filter(~closed), reached | {j}
                if wider.height:
                    more = self._carried(wider, both)
                    chains[both] = pl.concat([chains[both], more]).unique() if both in chains else more
            ends.append(ongoing[START])
        return pl.concat(ends).unique()

    def _equal(self, j: int) -> set[str]:
        """The classes of an input by which its rows are found."""
        return {self._classes.schema.names[n] for n in self._binds[j] if self._classes.shared(n)}

    def _next(self, reached: frozenset[int]) -> list[int]:
        """The inputs that a chain has not reached, those first that share a class with what it has."""
        classes = {n for i in reached for n in self._binds[i]}
        left = [j for j in range(len(self._inputs)) if j not in reached]
        return sorted(left, key=lambda j: classes.isdisjoint(self._binds[j]))

    def _carried(self, chain: pl.DataFrame, reached: frozenset[int]) -> pl.DataFrame:
        """A chain's start and the classes that inputs further on bind."""
        further = {n for j in range(len(self._inputs)) if j not in reached for n in self._binds[j]}
        further = further.union(*(self._classes.beside.get(n, ()) for n in further))
        names = [self._classes.schema.names[n] for n in sorted(further)]
        return chain.select(START, ONE, *(name for name in names if name in chain.columns)).unique()

    def _agreed(self, chain: pl.DataFrame) -> pl.DataFrame:
        """The chains that lie in all bands of which they have both ends."""
        over = self._classes.schema
        lies = self._classes.within({n: name for n, name in enumerate(over.names) if name in chain.columns})
        return chain.filter(lies) if lies else chain

    def _same(self, class_: str, name: str | None = None) -> pl.Expr:
        """A class column as joins compare it."""
        if class_ == ONE:
            return pl.col(name or ONE)
        return self.key(self._classes.schema.index(class_), name or class_)

    def key(self, n: int, name: str) -> pl.Expr:
        """A column of a class as joins compare it."""
        attribute = self._classes.schema.attributes[n]
        if attribute.type is Type.DOUBLE:  # as whole numbers: for Polars, NaN in one row does not meet NaN in one row
            return pl.col(name).reinterpret(dtype=pl.Int64)
        return pl.col(name).cast(dtype(attribute)) if attribute.type is Type.DECIMAL else pl.col(name)
