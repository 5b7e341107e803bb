"""Join of many streams on equal attributes and within bands, with chained purge.

Per slice: the new rows of each input meet what is there of the others, one input after the other, each time the
smallest one that shares a class with what has been joined; then all punctuations are taken in. Kept are the rows that a
later result may have (``spec/multijoin.py``): a kept row's classes start a chain, and where an input is closed for
the values at the end of a chain, the chain goes on with that input's kept rows. Chains that end in no closed input
keep their row. Only the classes that inputs further on bind are carried along, each combination of values once. An
input is also closed where its punctuations have *passed* the bands around the values of a chain.

*Eager* purging does this in each slice. A *lazy* join waits until it has twice the rows and waiting punctuations that
the last purge left, and 1,000 at least, or until an input ends; until then what it would have purged and emitted stays.

Two things are left undone where they would cost more than they give. Closed values that nobody will ask for are
forgotten when there are twice as many as were left the last time. And a chain does not go on from MOST_PAIRS pairs of a
row and another input that have no class in common: such rows stay until another input is closed for them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import polars as pl

from punctum.algebra.bands import Band
from punctum.algebra.classes import Class
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import Schema
from punctum.algebra.values import Type
from punctum.operators.batch import Names, PunctuationBatch, add, batch, columns, punctuations_of
from punctum.operators.checked import Computed, checked, kept
from punctum.operators.classes import JoinClasses
from punctum.operators.columns import ColumnarSlice, dtype, empty, to_rows
from punctum.operators.emitted import EmittedPunctuations, forget
from punctum.operators.limits import limits
from punctum.operators.matching import free, matches_alone
from punctum.operators.operator import Metadata, Operator, Waits
from punctum.operators.table import Table
from punctum.operators.written import read, read_batch, written

MOST_PAIRS = 10_000_000
"""A chain does not go on to more pairs of rows that have no class in common."""
ONE, START = "one", "start"
"""A column that all rows agree on, and the number of the row that a chain begins with."""


@dataclass
class JoinKnowledge:
    """One input as the join knows it: rows kept, what is closed by class, punctuations that wait."""

    kept: Table
    closed: PunctuationSet
    waiting: PunctuationBatch
    passed: PunctuationSet
    new: pl.DataFrame = field(default_factory=pl.DataFrame)

    @property
    def rows(self) -> pl.DataFrame:
        """The kept rows and the new ones."""
        return pl.concat([self.kept.frame(), self.new], rechunk=False) if self.new.height else self.kept.frame()

    def keep(self, needed: pl.Series | None = None) -> None:
        """Keep new rows, or those of them that are needed."""
        self.kept.append(self.new if needed is None else self.new.filter(needed))
        self.new = self.new.clear()


class MultiJoin(Operator):
    """All combinations of a row of each input that agree on every class and satisfy a residual predicate."""

    def __init__(
        self,
        schemas: Sequence[Schema],
        classes: Sequence[Class],
        names: Sequence[str],
        residual: Computed | None = None,
        shown: frozenset[int] | None = None,
        lazy: bool = False,
        bands: Sequence[Band] = (),
    ) -> None:
        attributes = [attribute for schema in schemas for attribute in schema.attributes]
        self.output = Schema(tuple(replace(a, name=name) for a, name in zip(attributes, names, strict=True)))
        self.inputs, self._lazy, self._classes = tuple(schemas), lazy, JoinClasses(schemas, classes, bands)
        self._binds, self._at = self._classes.bound, self._classes.position
        self._residual = None if residual is None else checked(residual)
        ends = [sum(map(len, self.inputs[: i + 1])) for i in range(len(self.inputs))]
        self._renamed = [self.output.names[end - len(s) : end] for end, s in zip(ends, self.inputs, strict=True)]
        self._names = [Names(self.output, self._classes.targets(i, shown)) for i in range(len(self.inputs))]
        self._known = [
            JoinKnowledge(Table(empty(s)), self._nothing(), PunctuationBatch(s), self._nothing(), empty(s))
            for s in self.inputs
        ]
        self._emitted = EmittedPunctuations(self.output)
        self._purged = False  # rows have been purged from outside
        self._left = self._left_closed = 0  # what the last purge left, of rows and waiting, and of what is closed

    def feed(self, *slices: ColumnarSlice) -> ColumnarSlice:
        """Take the next slice of each input."""
        rows = []
        for i, xs in enumerate(slices):
            new = self._agreeing(i, xs.rows)
            if new.height:
                rows.append(self._results(i, new))
                self._known[i].new = new
        ps = [punctuations_of(schema, xs) for schema, xs in zip(self.inputs, slices, strict=True)]
        ended = self._receive(ps)
        released = PunctuationBatch(self.output)
        if self._lazy and not ended and not self._many():
            for known in self._known:
                known.keep()
        elif self._lazy or self._purged or any(map(len, ps)):
            released, self._purged = self._purge(), False
        else:
            self._look_at_new()
        results = pl.concat([empty(self.output), *rows], rechunk=False)
        return columns(results, self._emitted.add_new(released), *slices)

    def tables(self) -> dict[str, Table]:
        """The rows of each input that may be in later results."""
        return {f"{i}": known.kept for i, known in enumerate(self._known)}

    def restore_tables(self, tables: dict[str, Table]) -> None:
        """Go on with the rows that another one kept."""
        for i, known in enumerate(self._known):
            known.kept = tables[f"{i}"]

    def metadata(self) -> Metadata:
        """What is closed, the punctuations that wait, what has been emitted, and what the last purge left."""
        closed, passed = (
            [written(puncts, self._classes.schema) for puncts in each]
            for each in zip(*((known.closed, known.passed) for known in self._known), strict=True)
        )
        waiting = [written(known.waiting, schema) for known, schema in zip(self._known, self.inputs, strict=True)]
        left = [self._left, self._left_closed]
        emitted = self._emitted.metadata()
        return {"closed": closed, "passed": passed, "waiting": waiting, "emitted": emitted, "left": left}

    def restore_metadata(self, metadata: Metadata) -> None:
        """Go on with the notes of another one."""
        over = self._classes.schema
        for i, (known, schema) in enumerate(zip(self._known, self.inputs, strict=True)):
            known.closed = PunctuationSet(over, read(metadata["closed"][i], over))
            known.passed = PunctuationSet(over, read(metadata["passed"][i], over))
            known.waiting = read_batch(metadata["waiting"][i], schema)
        self._emitted.restore(metadata["emitted"])
        self._left, self._left_closed = metadata["left"]

    def puncts(self) -> int:
        """What is closed, what waits and what has been emitted."""
        passed = sum(len(known.passed) for known in self._known)
        return self._closed() + passed + self.waiting() + len(self._emitted)

    def waiting(self) -> int:
        """The punctuations that kept rows hold back."""
        return sum(len(known.waiting) for known in self._known)

    def keeps(self) -> dict[str, int]:
        """All tables have the rows of an input."""
        return {f"{i}": i for i in range(len(self.inputs))}

    def purged(self, name: str) -> None:
        """The punctuations that its rows held back may go, and so may rows that could only meet them."""
        self._purged = True

    def waits(self) -> dict[str, Waits]:
        """An input's rows wait first for another input that they share classes with."""
        waits_of = {}
        for i, schema in enumerate(self.inputs):
            shared = [(n, j) for n in self._binds[i] for j in self._classes.others(i, n)]
            if shared:
                first = shared[0][1]
                on = [
                    (
                        schema.names[self._at(i, n)],
                        self.inputs[first].names[self._at(first, n)],
                    )
                    for n, j in shared
                    if j == first
                ]
                waits_of[f"{i}"] = Waits(first, tuple(on))
        return waits_of

    def map_punctuations(self, number: int, received: PunctuationBatch) -> PunctuationBatch:
        """The punctuations of the output that punctuations of an input mean, by every name."""
        return self._names[number].map_punctuations(received)

    def forget(self, number: int, expired: PunctuationBatch) -> None:
        """What has expired closes nothing, and is not waited with."""
        known, schema = self._known[number], self.inputs[number]
        forget(known.closed, self._classes.closing(number, expired))
        forget(known.passed, self._classes.passed(number, expired))
        if len(known.waiting):
            waiting = PunctuationSet(schema, known.waiting)
            forget(waiting, expired)
            known.waiting = batch(schema, waiting)
        self._emitted.forget(self.map_punctuations(number, expired))

    def _agreeing(self, i: int, df: pl.DataFrame) -> pl.DataFrame:
        """The rows of an input whose classes have one value each: not NULL, and the constant if there is one."""
        names, conditions = self.inputs[i].names, []
        for n in self._binds[i]:
            first, *more = (names[at] for at in self._classes[n].of(i))
            conditions += [self._key(n, first) == self._key(n, other) for other in more]
            value, kind = self._classes[n].value, dtype(self._classes.schema.attributes[n])
            if value is not None:
                same = pl.Series("", [value], dtype=kind).to_frame().select(self._key(n, "")).to_series()
                conditions.append(self._key(n, first) == same.item())
            elif df[first].null_count():
                conditions.append(pl.col(first).is_not_null())
        conditions += self._classes.within({n: names[self._at(i, n)] for n in self._binds[i]})
        return df.filter(conditions) if conditions and df.height else df

    def _key(self, n: int, name: str) -> pl.Expr:
        """A column of a class as joins compare it."""
        attribute = self._classes.schema.attributes[n]
        if attribute.type is Type.DOUBLE:  # as whole numbers: for Polars, NaN in one row does not meet NaN in one row
            return pl.col(name).reinterpret(dtype=pl.Int64)
        return pl.col(name).cast(dtype(attribute)) if attribute.type is Type.DECIMAL else pl.col(name)

    def _results(self, i: int, new: pl.DataFrame) -> pl.DataFrame:
        """The output rows of new rows of an input with what is there of the others."""
        results = self._over_output(i, new)
        joined, left = [i], [j for j in range(len(self.inputs)) if j != i]
        while left and results.height:
            shared = {j: [n for n in self._binds[j] if any(n in self._binds[k] for k in joined)] for j in left}
            j = min(left, key=lambda j: (not shared[j], self._known[j].rows.height))
            results = self._joined(results, joined, j, shared[j])
            joined.append(j)
            left.remove(j)
        if not results.height:
            return empty(self.output)
        if self._residual is not None:
            results, failed = kept(results, self._residual)
            self.fail(failed, self.output)
        return results.select(self.output.names)

    def _joined(self, results: pl.DataFrame, joined: list[int], j: int, shared: list[int]) -> pl.DataFrame:
        other = self._over_output(j, self._known[j].rows)
        if not shared:
            return results.join(other, how="cross")
        firsts = [next(k for k in joined if n in self._binds[k]) for n in shared]
        mine = [self._key(n, self._renamed[k][self._at(k, n)]) for n, k in zip(shared, firsts, strict=True)]
        theirs = [self._key(n, self._renamed[j][self._at(j, n)]) for n in shared]
        if results.height >= other.height:  # the larger one looks up, the smaller one is the hash table
            return results.join(other, left_on=mine, right_on=theirs, coalesce=False, maintain_order="left_right")
        return other.join(results, left_on=theirs, right_on=mine, coalesce=False, maintain_order="left_right")

    def _over_output(self, i: int, df: pl.DataFrame) -> pl.DataFrame:
        return df.rename(dict(zip(df.columns, self._renamed[i], strict=True)))

    def _receive(self, received: list[PunctuationBatch]) -> bool:
        """Take new punctuations, and return whether an input has ended."""
        ended = False
        for i, (known, ps) in enumerate(zip(self._known, received, strict=True)):
            if len(ps):
                known.waiting = known.waiting + ps
                known.waiting.others = list({p.patterns: p for p in known.waiting.others}.values())
                closing = self._classes.closing(i, ps)
                ended |= any(not p.sides for p in closing.others)
                add(known.closed, closing)
                add(known.passed, self._classes.passed(i, ps))
        return ended

    def _closed(self) -> int:
        return sum(len(known.closed) for known in self._known)

    def _many(self) -> bool:
        """Whether a lazy join has got twice as much as the last purge left."""
        return sum(known.rows.height for known in self._known) + self.waiting() >= max(limits().lazy, 2 * self._left)

    def _purge(self) -> PunctuationBatch:
        """Keep what may be needed, and return the punctuations that no kept row holds back."""
        bound = self._bound()
        needed = [self._needed(i, self._known[i].rows, bound) for i in range(len(bound))]
        for known, mask in zip(self._known, needed, strict=True):
            known.kept.retain(mask.head(old := len(known.kept)))
            known.keep(mask.slice(old))
        released = PunctuationBatch(self.output)
        for i, known in enumerate(self._known):
            if len(known.waiting):
                none, known.waiting = free(known.kept.frame(), known.waiting)
                released += self._names[i].map_punctuations(none)
        if self._closed() > limits().closed + 2 * self._left_closed:
            self.tidy()
        self._left = sum(len(known.kept) for known in self._known) + self.waiting()
        return released

    def _look_at_new(self) -> None:
        """Keep of new rows what may be needed; without new punctuations no other row has become useless."""
        if any(known.new.height for known in self._known):
            bound = self._bound()
            needed = [self._needed(i, self._known[i].new, bound) for i in range(len(bound))]
            for known, mask in zip(self._known, needed, strict=True):
                known.keep(mask)

    def _bound(self) -> list[pl.DataFrame]:
        """The classes that the rows of each input bind, each combination of values once."""
        return [self._bound_by(i, known.rows).unique() for i, known in enumerate(self._known)]

    def _bound_by(self, i: int, df: pl.DataFrame) -> pl.DataFrame:
        """The classes of an input's rows."""
        over, names = self._classes.schema, self.inputs[i].names
        values = ((n, pl.col(names[self._at(i, n)]).cast(dtype(over.attributes[n]))) for n in self._binds[i])
        one = pl.repeat(0, df.height, dtype=pl.Int8, eager=True).alias(ONE)
        return df.select(one, *(column.alias(over.names[n]) for n, column in values))

    def _needed(self, i: int, df: pl.DataFrame, bound: list[pl.DataFrame]) -> pl.Series:
        """Whether each of some rows of an input may be in a later result."""
        if not df.height:
            return pl.Series([], dtype=pl.Boolean)
        rows = self._bound_by(i, df)
        starts = rows.unique().with_row_index(START)
        open_ = self._open(i, starts, bound)
        if len(open_) in (0, starts.height):
            return pl.repeat(len(open_) > 0, rows.height, eager=True)
        still = starts.filter(pl.col(START).is_in(open_.implode())).drop(START)
        keys = [self._same(name) for name in rows.columns]
        mine = rows.with_row_index(START).join(still, left_on=keys, right_on=keys, how="semi")[START]
        return pl.int_range(rows.height, eager=True, dtype=pl.UInt32).is_in(mine.implode())

    def _open(self, i: int, starts: pl.DataFrame, bound: list[pl.DataFrame]) -> pl.Series:
        """The numbers of the chains that end where no further input is closed."""
        ends = [pl.Series(START, [], dtype=pl.UInt32)]
        chains = {frozenset([i]): self._carried(starts, frozenset([i]))}
        while chains:
            reached = min(chains, key=len)
            ongoing = chains.pop(reached)
            for j in self._next(reached):
                if not ongoing.height:
                    break
                closed = matches_alone(ongoing, self._known[j].closed) | matches_alone(ongoing, self._known[j].passed)
                if len(reached) == len(self.inputs) - 1:
                    ongoing = ongoing.filter(~closed)
                    break
                shared = [name for name in ongoing.columns if name in bound[j].columns]
                if not closed.any() or (shared == [ONE] and int(closed.sum()) * bound[j].height > MOST_PAIRS):
                    continue
                keys = [self._same(name) for name in shared]
                right = bound[j].rename({name: f"{name} of {j}" for name in shared})
                there = [self._same(name, f"{name} of {j}") for name in shared]
                wider = ongoing.filter(closed).join(right, left_on=keys, right_on=there, coalesce=False)
                wider = self._agreed(wider)
                ongoing, both = ongoing.filter(~closed), reached | {j}
                if wider.height:
                    more = self._carried(wider, both)
                    chains[both] = pl.concat([chains[both], more]).unique() if both in chains else more
            ends.append(ongoing[START])
        return pl.concat(ends).unique()

    def _next(self, reached: frozenset[int]) -> list[int]:
        """The inputs that a chain has not reached, those first that share a class with what it has."""
        classes = {n for i in reached for n in self._binds[i]}
        left = [j for j in range(len(self.inputs)) if j not in reached]
        return sorted(left, key=lambda j: classes.isdisjoint(self._binds[j]))

    def _carried(self, chain: pl.DataFrame, reached: frozenset[int]) -> pl.DataFrame:
        """A chain's start and the classes that inputs further on bind."""
        further = {n for j in range(len(self.inputs)) if j not in reached for n in self._binds[j]}
        further = further.union(*(self._classes.beside.get(n, ()) for n in further))
        names = [self._classes.schema.names[n] for n in sorted(further)]
        return chain.select(START, ONE, *(name for name in names if name in chain.columns)).unique()

    def _agreed(self, chain: pl.DataFrame) -> pl.DataFrame:
        """The chains that lie in all bands of which they have both ends."""
        over = self._classes.schema
        lies = self._classes.within({n: name for n, name in enumerate(over.names) if name in chain.columns})
        return chain.filter(lies) if lies else chain

    def _nothing(self) -> PunctuationSet:
        return PunctuationSet(self._classes.schema)

    def _same(self, class_: str, name: str | None = None) -> pl.Expr:
        """A class column as joins compare it."""
        if class_ == ONE:
            return pl.col(name or ONE)
        return self._key(self._classes.schema.index(class_), name or class_)

    def tidy(self) -> None:
        """Forget closed values that nobody will ask for."""
        before = [known.closed for known in self._known]
        for i, known in enumerate(self._known):
            for n in self._binds[i]:
                others = self._classes.others(i, n)
                if self._classes.shared(n) and others:
                    passed = [self._passed(j, n, before[j]) for j in others]
                    known.closed = self._classes.unasked(known.closed, n, passed)
        self._left_closed = self._closed()

    def _passed(self, i: int, n: int, closed: PunctuationSet) -> PunctuationSet:
        """The values of a class that an input does not keep and will not have."""
        over = self._classes.schema
        passed = PunctuationSet(over, (p for p in closed if all(at == n for at, _ in p.sides)))
        rows = self._bound_by(i, self._known[i].kept.frame()).select(over.names[n]).unique()
        for (value,) in to_rows(rows.filter(matches_alone(rows, passed))):
            passed.remove(Punctuation.of(over, {over.names[n]: value}))
        return passed
