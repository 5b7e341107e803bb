"""Joins and groups of row windows, vectorised, as ``spec/window.py`` specifies.

The rows of a slice come input by input, so while those of one input come, the windows of the others stand still: all of
them meet what is in these, and then the window moves on. A window keeps those rows that pass what stands above it, each
with the number that it had when it came, so never more than it has rows. Of an input without a window equal rows are
kept once, with how often they came, until all other inputs have closed them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import and_, mul, or_

import polars as pl

from punctum.algebra.aggregates import COLLECTED, AggregateFunction, Function
from punctum.algebra.classes import Class
from punctum.algebra.punctuation import end_of_stream
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import Schema
from punctum.algebra.values import Value
from punctum.operators.batch import Names, add, batch, columns, punctuations_of
from punctum.operators.checked import Checked, Computed, Failed, checked, computed, kept
from punctum.operators.columns import ColumnarSlice, canonical, dtype, empty
from punctum.operators.emitted import EmittedPunctuations
from punctum.operators.group_by import GroupBy
from punctum.operators.matching import matches
from punctum.operators.operator import Metadata, Operator
from punctum.operators.synopsis import ClosedClasses, over_columns, repeated
from punctum.operators.table import Table
from punctum.operators.written import read, written

NUMBER = "\0number"


@dataclass
class Window:
    """An input: how many rows count, if not all, and what stands above its window.

    The steps are for punctuations; for rows each is a condition, or columns.
    """

    schema: Schema
    rows: int | None
    steps: Sequence[Operator] = ()
    compiled: Sequence[tuple[Checked | None, Sequence[tuple[str, Checked]]]] = ()
    came: int = 0
    table: Table = field(init=False)

    def __post_init__(self) -> None:
        self.table = Table(empty(self.output).with_columns(pl.lit(0, pl.Int64).alias(NUMBER)))

    @property
    def output(self) -> Schema:
        """The columns behind what stands above the window."""
        return self.steps[-1].output if self.steps else self.schema

    def new(self, df: pl.DataFrame) -> tuple[pl.DataFrame, list[Failed]]:
        """New rows, behind what stands above the window, each with its number, or how often it came; and what failed.

        Rows that fail count for the window, as those do that do not pass a condition.
        """
        numbers = pl.int_range(self.came + 1, self.came + 1 + df.height, dtype=pl.Int64, eager=True)
        numbers = numbers if self.rows is not None else pl.ones(df.height, pl.Int64, eager=True)
        self.came += df.height
        rows, failed = df.with_columns(numbers.alias(NUMBER)), list[Failed]()
        for (condition, chosen), step in zip(self.compiled, self.steps, strict=True):
            if condition is not None:
                rows, bad = kept(rows, condition)
            else:
                rows, bad = computed(rows, chosen)
                rows = rows.select(*(name for name, _ in chosen), NUMBER)
            failed += [] if bad is None else [Failed(bad, step.inputs[0])]
        return canonical(rows), failed

    def add(self, new: pl.DataFrame) -> None:
        """Let the window move on."""
        if self.rows is not None:
            gone = self.came - self.rows
            self.table.append(new.filter(pl.col(NUMBER) > gone))
            self.table.retain(self.table.frame()[NUMBER] > gone)
        elif new.height:
            both = pl.concat([self.table.frame(), new])
            names = list(self.output.names)
            self.table.replace(both.group_by(names, maintain_order=True).agg(pl.col(NUMBER).sum()))

    def mapped(self, xs: ColumnarSlice) -> ColumnarSlice:
        """The punctuations behind what stands above the window."""
        out = ColumnarSlice(empty(self.schema), xs.puncts, xs.constants)
        for step in self.steps:
            out = step.feed(ColumnarSlice(empty(step.inputs[0]), out.puncts, out.constants))
        return out

    def metadata(self) -> Metadata:
        """How many rows have come, and what the steps know."""
        return {"came": self.came, "steps": [step.metadata() for step in self.steps]}

    def restore(self, metadata: Metadata, table: Table) -> None:
        """Go on with what another one knew and kept."""
        self.came, self.table = metadata["came"], table
        for step, known in zip(self.steps, metadata["steps"], strict=True):
            step.restore_metadata(known)


class WindowJoin(Operator):
    """The join of windows and of inputs that have none: combinations that agree on classes and fulfil the residual.

    Punctuations are on those columns that are shown.
    """

    def __init__(
        self,
        windows: Sequence[Window],
        classes: Sequence[Class],
        output: Schema,
        residual: Computed | None = None,
        shown: frozenset[int] | None = None,
    ) -> None:
        self.inputs, self.output = tuple(window.schema for window in windows), output
        self._windows, self._residual = list(windows), None if residual is None else checked(residual)
        widths = [len(window.output) for window in windows]
        self._offsets = [sum(widths[:i]) for i in range(len(widths))]
        self._classes = [[(i, self._offsets[i] + at) for i, at in members.members] for members in classes]
        self._closing = ClosedClasses(self._carried(), output)
        self._open = [i for i, window in enumerate(windows) if window.rows is None]
        self._closed = {
            (i, j): PunctuationSet(windows[i].output) for i in self._open for j in range(len(windows)) if i != j
        }
        targets: list[list[int]] = [[] if shown is not None and i not in shown else [i] for i in range(len(output))]
        for members in self._classes:
            targets[members[0][1]] = [at for _, at in members if shown is None or at in shown]
        self._names, self._emitted = Names(output, targets), EmittedPunctuations(output)

    def _carried(self) -> list[dict[int, int]]:
        """Where results have the columns of each input: a class stands in its first column."""
        carried = [{at: self._offsets[i] + at for at in range(len(w.output))} for i, w in enumerate(self._windows)]
        for members in self._classes:
            for i, at in members:
                carried[i][at - self._offsets[i]] = members[0][1]
        return carried

    def feed(self, *slices: ColumnarSlice) -> ColumnarSlice:
        """Take the next slice of each input."""
        results = [empty(self.output)]
        for i, xs in enumerate(slices):
            new, failed = self._windows[i].new(xs.rows)
            self._failed += tuple(failed)
            if new.height:
                results.append(self._results(i, new))
            self._windows[i].add(new)
        mapped = [window.mapped(xs) for window, xs in zip(self._windows, slices, strict=True)]
        self._purge(mapped)
        agreed = self._closing.receive([window.output for window in self._windows], mapped)
        return columns(pl.concat(results), self._emitted.add_new(self._names.map_punctuations(agreed)), *slices)

    def _results(self, i: int, new: pl.DataFrame) -> pl.DataFrame:
        """What new rows of an input make with what there is of the others."""
        met, have = self._named(i, new), [i]
        while left := [j for j in range(len(self._windows)) if j not in have]:
            j = next((j for j in left if self._pairs(have, j)), left[0])
            other, pairs = self._named(j, self._windows[j].table.frame()), self._pairs(have, j)
            mine, theirs = [one for one, _ in pairs], [two for _, two in pairs]
            met = (
                met.join(other, left_on=mine, right_on=theirs, coalesce=False)
                if pairs
                else met.join(other, how="cross")
            )
            have.append(j)
        names = self.output.names
        equal = [pl.col(names[first]) == pl.col(names[at]) for (_, first), *rest in self._classes for _, at in rest]
        held = met.filter(reduce(and_, equal, pl.lit(True)))
        counted = [f"{NUMBER}{j}" for j, window in enumerate(self._windows) if window.rows is None]
        if self._residual is not None:
            held, failed = kept(held, self._residual)
            self.fail(failed if failed is None else _repeated(failed, counted), self.output)
        return _repeated(held, counted).select(names)

    def _purge(self, mapped: Sequence[ColumnarSlice]) -> None:
        """Of inputs without a window drop what no other input will bring rows for."""
        for (i, j), closed in self._closed.items():
            new = punctuations_of(self._windows[j].output, mapped[j])
            add(closed, over_columns(new, self._shared(i, j), self._windows[i].output))
        for i in self._open:
            rows = self._windows[i].table.frame()
            over = [matches(rows.drop(NUMBER), closed) for (mine, _), closed in self._closed.items() if mine == i]
            equal = {at for j in range(len(self._windows)) if j != i for at in self._shared(i, j).values()}
            never = [rows[self._windows[i].output.names[at]].is_null() for at in equal]
            self._windows[i].table.retain(~reduce(or_, never, reduce(and_, over)))

    def _shared(self, i: int, j: int) -> dict[int, int]:
        """Which columns of an input are equal to which of another."""
        shared: dict[int, int] = {}
        for members in self._classes:
            mine, theirs = ([at - self._offsets[k] for k, at in members if k == of] for of in (i, j))
            shared |= dict.fromkeys(theirs, mine[0]) if mine else {}
        return shared

    def _named(self, i: int, df: pl.DataFrame) -> pl.DataFrame:
        """Rows of an input, with the names that results have for its columns."""
        start = self._offsets[i]
        names = [*self.output.names[start : start + df.width - 1], f"{NUMBER}{i}"]
        return df.rename(dict(zip(df.columns, names, strict=True)))

    def _pairs(self, have: list[int], j: int) -> list[tuple[str, str]]:
        """For each class a column of an input that is there, and one of another."""
        pairs = []
        for members in self._classes:
            mine, theirs = ([at for i, at in members if i in some] for some in (have, [j]))
            pairs += [(self.output.names[mine[0]], self.output.names[theirs[0]])] if mine and theirs else []
        return pairs

    def tables(self) -> dict[str, Table]:
        """The rows of each input."""
        return {f"input {i}": window.table for i, window in enumerate(self._windows)}

    def restore_tables(self, tables: dict[str, Table]) -> None:
        """Go on with the rows that another one kept."""
        for i, window in enumerate(self._windows):
            window.table = tables[f"input {i}"]

    def metadata(self) -> Metadata:
        """How many rows have come, and what inputs have closed."""
        windows = [window.metadata() for window in self._windows]
        closed = [written(closed, self._windows[i].output) for (i, _), closed in self._closed.items()]
        return {
            "windows": windows,
            "closed": closed,
            "closing": self._closing.metadata(),
            "emitted": self._emitted.metadata(),
        }

    def restore_metadata(self, metadata: Metadata) -> None:
        """Go on with the notes of another one; its tables are there."""
        for window, known in zip(self._windows, metadata["windows"], strict=True):
            window.restore(known, window.table)
        for at, closed in zip(self._closed, metadata["closed"], strict=True):
            schema = self._windows[at[0]].output
            self._closed[at] = PunctuationSet(schema, read(closed, schema))
        self._closing.restore(metadata["closing"])
        self._emitted.restore(metadata["emitted"])

    def puncts(self) -> int:
        """What inputs have closed, and what has been emitted."""
        closed = sum(map(len, self._closed.values()))
        steps = sum(step.puncts() for window in self._windows for step in window.steps)
        return closed + len(self._closing) + len(self._emitted) + steps


def _repeated(df: pl.DataFrame, counts: list[str]) -> pl.DataFrame:
    """Each row as often as the product of some columns is."""
    return repeated(df, df.select(reduce(mul, map(pl.col, counts)).alias(NUMBER))[NUMBER]) if counts else df


def _of_nothing(function: Function) -> int | list[Value] | None:
    """What an aggregate of no rows is."""
    return 0 if "COUNT" in function.value else [] if function in COLLECTED else None


class WindowGroupBy(Operator):
    """The groups of one window, which come out when they have changed."""

    def __init__(
        self,
        window: Window,
        by: Sequence[str],
        aggregates: Sequence[AggregateFunction],
        filters: Sequence[pl.Expr | None] | None = None,
    ) -> None:
        self._window, self._by, self._aggregates, self._filters = window, list(by), list(aggregates), filters
        groups = GroupBy(window.output, by, aggregates, filters)
        self.inputs, self.output = (window.schema,), groups.output
        self._emitted = EmittedPunctuations(self.output)
        self._begun = False

    def feed(self, *slices: ColumnarSlice) -> ColumnarSlice:
        """Take the next slice."""
        (xs,) = slices
        before = self._answer() if self._begun else empty(self.output)
        ended = any(not p.sides for p in punctuations_of(self._window.output, self._window.mapped(xs)).others)
        rows = empty(self.output)
        if xs.rows.height or (ended and not self._begun):
            new, failed = self._window.new(xs.rows)
            self._failed += tuple(failed)
            self._window.add(new)
            self._begun = True
            rows = self._changed(before, self._answer())
        mapped = batch(self.output, [end_of_stream(self.output)] if ended else [])
        return columns(rows, self._emitted.add_new(mapped), xs)

    def _answer(self) -> pl.DataFrame:
        """The groups as they are now: those that there would be if nothing more came."""
        groups = GroupBy(self._window.output, self._by, self._aggregates, self._filters)
        rows = self._window.table.frame().drop(NUMBER)
        return groups.feed(ColumnarSlice(rows, (end_of_stream(self._window.output),))).rows

    def _changed(self, before: pl.DataFrame, now: pl.DataFrame) -> pl.DataFrame:
        """The groups that are new or other than before, and those of which no row is left."""
        changed = now.join(before, on=now.columns, how="anti", nulls_equal=True, maintain_order="left")
        if not self._by:
            return changed
        keys = list(self.output.names[: len(self._by)])
        gone = before.select(keys).join(now.select(keys), on=keys, how="anti", nulls_equal=True, maintain_order="left")
        nothing = [
            pl.lit(pl.Series([_of_nothing(a.function)], dtype=dtype(attribute))).first().alias(attribute.name)
            for a, attribute in zip(self._aggregates, self.output.attributes[len(keys) :], strict=True)
        ]
        return pl.concat([changed, gone.with_columns(nothing)])

    def tables(self) -> dict[str, Table]:
        """The rows of the window."""
        return {"input": self._window.table}

    def restore_tables(self, tables: dict[str, Table]) -> None:
        """Go on with the rows that another one kept."""
        self._window.table = tables["input"]

    def metadata(self) -> Metadata:
        """How many rows have come, and what has been emitted."""
        return {"window": self._window.metadata(), "begun": self._begun, "emitted": self._emitted.metadata()}

    def restore_metadata(self, metadata: Metadata) -> None:
        """Go on with the notes of another one; its tables are there."""
        self._window.restore(metadata["window"], self._window.table)
        self._begun = metadata["begun"]
        self._emitted.restore(metadata["emitted"])

    def puncts(self) -> int:
        """What it has emitted, and what the steps above the window hold."""
        return len(self._emitted) + sum(step.puncts() for step in self._window.steps)
