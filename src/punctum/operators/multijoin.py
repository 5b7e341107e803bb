"""Join of many streams on equal attributes and within bands, with chained purge.

Per slice: the new rows of each input meet what is there of the others, one input after the other, each time the
smallest one that shares a class with what has been joined; then all punctuations are taken in. Kept are the rows that a
later result may have (``spec/multijoin.py``): a kept row's classes start a chain, and where an input is closed for the
values at the end of a chain, the chain goes on with that input's kept rows. Chains that end in no closed input keep
their row. Only the classes that inputs further on bind are carried along, each combination of values once. An input is
also closed where its punctuations have *passed* the bands around the values of a chain, one of them alone, or many
together where whole numbers are closed one by one (``cover.py``): these may concern any row.

*Eager* purging does this in each slice. A *lazy* join waits until it has twice the rows and waiting punctuations that
the last purge left, and 1,000 at least, or until an input ends; until then what it would have purged and emitted stays.

Two things are left undone where they would cost more than they give. Closed values that nobody will ask for are
forgotten when there are twice as many as were left the last time. And a chain does not go on from MOST_PAIRS pairs of a
row and another input that have no class in common: such rows stay until another input is closed for them.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial, reduce
from operator import and_

import polars as pl

from punctum.algebra.bands import Band
from punctum.algebra.classes import Class
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import Schema
from punctum.operators.batch import Names, PunctuationBatch, add, batch, columns, punctuations_of
from punctum.operators.chains import Chains
from punctum.operators.checked import Computed, checked, kept
from punctum.operators.classes import JoinClasses
from punctum.operators.columns import ColumnarSlice, dtype, empty, to_rows, uniform
from punctum.operators.emitted import EmittedPunctuations, forget
from punctum.operators.knowledge import JoinKnowledge
from punctum.operators.limits import limits
from punctum.operators.matching import matches_alone
from punctum.operators.operator import Metadata, Operator, Waits
from punctum.operators.table import Table, View


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
            JoinKnowledge.none(schema, self._classes.schema, self._classes.counted(i))
            for i, schema in enumerate(self.inputs)
        ]
        self._chains = Chains(self.inputs, self._classes, self._known)
        self._closing = PunctuationBatch(self._classes.schema)  # what is closed since the last purge
        self._emitted = EmittedPunctuations(self.output)
        self._purged = False  # rows have been purged from outside
        self._together = False  # an input has said what may close any row together with what it has said before
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
        """The rows of each input that may be in later results, and the keys that it has closed."""
        return {name: t for i, known in enumerate(self._known) for name, t in known.tables(f"{i}").items()}

    def restore_tables(self, tables: dict[str, Table]) -> None:
        """Go on with the rows that another one kept."""
        for i, known in enumerate(self._known):
            known.restore_tables(f"{i}", tables)

    def metadata(self) -> Metadata:
        """What is known of inputs and not in tables, what has been emitted, and what the last purge left."""
        known = [known.metadata(schema) for known, schema in zip(self._known, self.inputs, strict=True)]
        left = {"left": [self._left, self._left_closed]} | ({"purged": True} if self._purged else {})
        return {"known": known, "emitted": self._emitted.metadata()} | left

    def restore_metadata(self, metadata: Metadata) -> None:
        """Go on with the notes of another one."""
        for known, notes, schema in zip(self._known, metadata["known"], self.inputs, strict=True):
            known.restore(notes, schema)
        self._emitted.restore(metadata["emitted"])
        self._left, self._left_closed = metadata["left"]
        self._purged = metadata.get("purged", False)

    def puncts(self) -> int:
        """What is closed, what waits and what has been emitted."""
        passed = sum(len(known.passed) for known in self._known)
        return self._closed() + passed + self.waiting() + len(self._emitted)

    def waiting(self) -> int:
        """The punctuations that kept rows hold back, and those that a lazy join has not looked at."""
        return sum(len(known.waiting) + len(known.arrived) for known in self._known)

    def keeps(self) -> dict[str, int]:
        """All tables have the rows of an input."""
        return {f"{i}": i for i in range(len(self.inputs))}

    def drop(self, name: str, view: View, mask: pl.Series) -> None:
        """Drop rows; the punctuations that they held back may go, and so may rows that could only meet them."""
        self._known[int(name)].waiting.drop(view, mask)
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
        known.closed.forget(self._classes.closing(number, expired))
        known.passed.forget(self._classes.passed(number, expired))
        if known.received is not None:
            known.received.store.forget(expired)
            known.received.changed()
        known.waiting.forget(known.kept, expired)
        if len(known.arrived):
            arrived = PunctuationSet(schema, known.arrived)
            forget(arrived, expired)
            known.arrived = batch(schema, arrived)
        self._emitted.forget(self.map_punctuations(number, expired))

    def _agreeing(self, i: int, df: pl.DataFrame) -> pl.DataFrame:
        """The rows of an input whose classes have one value each: not NULL, and the constant if there is one."""
        names, conditions = self.inputs[i].names, []
        for n in self._binds[i]:
            first, *more = (names[at] for at in self._classes[n].of(i))
            conditions += [self._chains.key(n, first) == self._chains.key(n, other) for other in more]
            value, kind = self._classes[n].value, dtype(self._classes.schema.attributes[n])
            if value is not None:
                same = pl.Series("", [value], dtype=kind).to_frame().select(self._chains.key(n, "")).to_series()
                conditions.append(self._chains.key(n, first) == same.item())
            elif df[first].null_count():
                conditions.append(pl.col(first).is_not_null())
        conditions += self._classes.within({n: names[self._at(i, n)] for n in self._binds[i]})
        return df.filter(conditions) if conditions and df.height else df

    def _results(self, i: int, new: pl.DataFrame) -> pl.DataFrame:
        """The output rows of new rows of an input with what is there of the others."""
        results = self._over_output(i, new)
        joined, left = [i], [j for j in range(len(self.inputs)) if j != i]
        while left and results.height:
            shared = {j: [n for n in self._binds[j] if any(n in self._binds[k] for k in joined)] for j in left}
            j = min(left, key=lambda j: (not shared[j], len(self._known[j])))
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
        if not shared:
            return results.join(self._over_output(j, self._known[j].rows), how="cross")
        firsts = [next(k for k in joined if n in self._binds[k]) for n in shared]
        names = {n: self._renamed[k][self._at(k, n)] for n, k in zip(shared, firsts, strict=True)}
        wanted = {self.inputs[j].names[self._at(j, n)]: results[name] for n, name in names.items()}
        other = self._over_output(j, self._known[j].near(pl.DataFrame(wanted)))
        mine = [self._chains.key(n, self._renamed[k][self._at(k, n)]) for n, k in zip(shared, firsts, strict=True)]
        theirs = [self._chains.key(n, self._renamed[j][self._at(j, n)]) for n in shared]
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
                known.arrived = known.arrived + ps
                closing = self._classes.closing(i, ps)
                ended |= any(not p.sides for p in closing.others)
                known.closed.add(closing)
                self._closing += closing
                if known.received is not None:
                    known.received.add(ps)
                    self._together = True
                else:
                    passed = self._classes.passed(i, ps)
                    known.passed.add(passed)
                    self._closing += passed
        return ended

    def _closed(self) -> int:
        return sum(len(known.closed) + known.remembered() for known in self._known)

    def _many(self) -> bool:
        """Whether a lazy join has got twice as much as the last purge left."""
        return sum(map(len, self._known)) + self.waiting() >= max(limits().lazy, 2 * self._left)

    def _purge(self) -> PunctuationBatch:
        """Keep what may be needed, and return the punctuations that no kept row holds back."""
        for known, view, mask in self._looked_at():
            known.waiting.drop(view, ~mask.head(old := len(view)))
            known.keep(mask.slice(old))
        self._closing, self._together = PunctuationBatch(self._classes.schema), False
        released = PunctuationBatch(self.output)
        for i, known in enumerate(self._known):
            released += self._names[i].map_punctuations(known.released())
        if self._closed() > limits().closed + 2 * self._left_closed:
            self.tidy()
        self._left = sum(len(known.kept) for known in self._known) + self.waiting()
        return released

    def _look_at_new(self) -> None:
        """Keep of new rows what may be needed; without new punctuations no other row has become useless."""
        if any(known.new.height for known in self._known):
            for known, view, mask in self._looked_at():
                known.keep(mask.slice(len(view)))

    def _looked_at(self) -> list[tuple[JoinKnowledge, View, pl.Series]]:
        """For each input kept rows that may have become useless, and whether each of them and of new rows is needed."""
        whole = self._lazy or self._purged or self._together
        views = [known.kept.all() for known in self._known] if whole else self._chains.concerned(self._closing)
        rows = [pl.concat([view.rows, known.new]) for view, known in zip(views, self._known, strict=True)]
        bound = self._chains.bound(rows)
        needed = [self._chains.needed(i, df, bound) for i, df in enumerate(rows)]
        return list(zip(self._known, views, needed, strict=True))

    def tidy(self) -> None:
        """Forget closed values that nobody will ask for."""
        asked = [[n for n in self._binds[i] if self._classes.shared(n)] for i in range(len(self._known))]
        unasked = [known.closed.keys.where(partial(self._unasked, i, asked[i])) for i, known in enumerate(self._known)]
        before = [known.closed.known for known in self._known]
        for i, known in enumerate(self._known):
            for n in asked[i] if len(known.closed.known) else ():
                if others := self._classes.others(i, n):
                    constants = self._classes.constants(known.closed.known, n)
                    passed = [self._passed(j, n, before[j], constants) for j in others]
                    known.closed.known = self._classes.unasked(known.closed.known, n, passed)
        for i, known in enumerate(self._known):
            if known.received is not None:
                known.received.forget(partial(self._unasked_received, i))
        for known, keys in zip(self._known, unasked, strict=True):
            known.closed.keys.open(keys)
        self._left_closed = self._closed()

    def _unasked(self, i: int, asked: list[int], keys: pl.DataFrame) -> pl.Series:
        """Which keys of an input have a value of a class that no other input keeps or will have."""
        unasked = uniform(False, keys.height)
        for n in asked:
            name, others = self._classes.schema.names[n], self._classes.others(i, n)
            if name in keys.columns and others:
                passed = (self._none_left(j, n, keys.select(name)) for j in others)
                unasked |= reduce(and_, passed)
        return unasked

    def _unasked_received(self, i: int, keys: pl.DataFrame) -> pl.Series:
        """The same for what an input has said, by classes that no band is about."""
        plain = [n for n in self._binds[i] if self._classes.shared(n) and n not in self._classes.beside]
        at = {self.inputs[i].names[self._at(i, n)]: self._classes.schema.names[n] for n in plain}
        mine = keys.select(pl.col(name).alias(at[name]) for name in keys.columns if name in at)
        return self._unasked(i, plain, mine) if mine.width else uniform(False, keys.height)

    def _none_left(self, i: int, n: int, values: pl.DataFrame) -> pl.Series:
        """Which values of a class an input does not keep and will not have."""
        kept = self._chains.bound_by(i, self._known[i].kept.frame())[self._classes.schema.names[n]]
        return self._known[i].closed.closed(values) & ~values.to_series().is_in(kept.implode())

    def _passed(self, i: int, n: int, closed: PunctuationSet, constants: pl.DataFrame) -> PunctuationSet:
        """The values of a class that an input does not keep and will not have, of ranges and some constants."""
        over = self._classes.schema
        passed = PunctuationSet(over, (p for p in closed if all(at == n for at, _ in p.sides)))
        add(passed, PunctuationBatch(over, {n: constants.filter(self._known[i].closed.closed(constants)).to_series()}))
        rows = self._chains.bound_by(i, self._known[i].kept.frame()).select(over.names[n]).unique()
        for (value,) in to_rows(rows.filter(matches_alone(rows, passed))):
            passed.remove(Punctuation.of(over, {over.names[n]: value}))
        return passed
