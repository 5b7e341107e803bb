"""Cases R0, R1 and R2: inserts alone, in the order of their starts.

R0 keeps the greatest start that was shown, R1 also how many elements with this start each input has brought, R2 the
payloads that were shown with it, until a stable passes it. A slice is a union: what any input brings beyond the
greatest start of earlier slices is shown once, in order. The elements of an input that is joining wait until it has
joined, for it may be far ahead of events that it lacks; only then there are more rows than that.
"""

from abc import abstractmethod

import numpy as np
import polars as pl

from punctum.algebra.schema import Schema
from punctum.lmerge.elements import ADJUST, HIDDEN, NEVER, VS, Numbers, numbers
from punctum.lmerge.index import Bad, Index, MergeStep
from punctum.lmerge.policies import OutputPolicy
from punctum.operators.columns import empty
from punctum.operators.operator import Metadata
from punctum.operators.table import Table

ADJUSTED = "an adjust in a stream that is declared INSERT ONLY"
DISORDERED = "a start that breaks the declared order"
SOURCE = "_source"
"""A column beside an element's own: the input it is from."""


class Ordered(Index):
    """What the three have in common."""

    strictly = False

    def __init__(self, schema: Schema, inputs: int, policy: OutputPolicy) -> None:
        super().__init__()
        self._schema, self._inputs = schema, inputs
        self._keys = [*(name for name in schema.names if name not in HIDDEN), VS]
        self._max_vs, self._last = NEVER, np.full(inputs, NEVER)
        self._waiting = Table(empty(schema).with_columns(pl.lit(0, pl.Int64).alias(SOURCE)))

    def apply(self, rows: list[pl.DataFrame], step: MergeStep) -> pl.DataFrame:
        """Show what is new in rows of each input."""
        sourced = [
            self._in_order(piece, n).with_columns(pl.lit(n, pl.Int64).alias(SOURCE)) for n, piece in enumerate(rows)
        ]
        waited = self._waiting.frame()
        if step.joining:
            self._waiting.append(pl.concat([sourced[n] for n in sorted(step.joining)]))
            sourced = [piece.clear() if n in step.joining else piece for n, piece in enumerate(sourced)]
        if waited.height:
            joined = ~waited[SOURCE].is_in(sorted(step.joining))
            sourced.insert(0, waited.filter(joined))
            held = self._waiting.frame()
            self._waiting.retain(held[SOURCE].is_in(sorted(step.joining)))
        both = pl.concat(sourced)
        vs = numbers(both[VS])
        new = (vs >= self._max_vs) & (vs >= step.before)
        shown = self._shown(both.filter(pl.Series(new))).select(self._schema.names)
        self._purge(step.after)
        return shown

    def _in_order(self, piece: pl.DataFrame, number: int) -> pl.DataFrame:
        """The inserts of an input that come in its order."""
        if piece[ADJUST].any():
            self.bad.append(Bad(number, piece.filter(ADJUST), ADJUSTED))
            piece = piece.filter(~pl.col(ADJUST))
        if not piece.height:
            return piece
        vs = numbers(piece[VS])
        before = np.maximum.accumulate(np.r_[self._last[number], vs[:-1]])
        self._last[number] = max(self._last[number], vs.max())
        wrong = pl.Series(vs <= before if self.strictly else vs < before)
        if wrong.any():
            self.bad.append(Bad(number, piece.filter(wrong), DISORDERED))
            piece = piece.filter(~wrong)
        return piece

    @abstractmethod
    def _shown(self, rows: pl.DataFrame) -> pl.DataFrame:
        """What is to be shown of rows that do not start before the greatest start that was shown."""

    def _purge(self, stable: int) -> None:
        """Keep no row that was shown with a start before a stable."""

    def drop(self, number: int) -> None:
        """Forget all elements of an input."""
        self._last[number] = NEVER
        self._waiting.retain(self._waiting.frame()[SOURCE] != number)

    def tables(self) -> dict[str, Table]:
        """The elements of inputs that are joining."""
        return {"waiting": self._waiting}

    def restore(self, tables: dict[str, Table]) -> None:
        """Resume with the rows that another one kept."""
        self._waiting = tables["waiting"]

    def metadata(self) -> Metadata:
        """The greatest start that was shown, and the last one of each input."""
        return {"max_vs": int(self._max_vs), "last": self._last.tolist()}

    def restore_metadata(self, metadata: Metadata) -> None:
        """Resume with the metadata of another one."""
        self._max_vs, self._last = metadata["max_vs"], np.array(metadata["last"], dtype=np.int64)


class Strict(Ordered):
    """Case R0: starts are strictly increasing."""

    strictly = True

    def _shown(self, rows: pl.DataFrame) -> pl.DataFrame:
        vs, first = np.unique(numbers(rows[VS]), return_index=True)
        new = vs > self._max_vs
        self._max_vs = max(self._max_vs, int(vs.max(initial=NEVER)))
        return rows[first[new]]


class SameTies(Ordered):
    """Case R1: elements with the same start come in the same order on all inputs."""

    def __init__(self, schema: Schema, inputs: int, policy: OutputPolicy) -> None:
        super().__init__(schema, inputs, policy)
        self._counts, self._out = np.zeros(inputs, dtype=np.int64), 0

    def _shown(self, rows: pl.DataFrame) -> pl.DataFrame:
        if not rows.height:
            return rows
        vs, source = numbers(rows[VS]), rows[SOURCE].to_numpy()
        rank = ranks(vs, source) + np.where(vs == self._max_vs, self._counts[source], 0)
        new = np.flatnonzero((vs > self._max_vs) | (rank >= self._out))
        self._count(vs, source)
        order = new[np.lexsort((rank[new], vs[new]))]
        again = (vs[order[1:]] == vs[order[:-1]]) & (rank[order[1:]] == rank[order[:-1]])
        first: Numbers = order[~np.r_[False, again][: len(order)]]
        return rows[first]

    def _count(self, vs: Numbers, source: Numbers) -> None:
        """Count what each input has brought with the greatest start."""
        greatest = int(vs.max())
        if greatest > self._max_vs:
            self._max_vs, self._out = greatest, 0
            self._counts[:] = 0
        self._counts += np.bincount(source[vs == greatest], minlength=self._inputs)
        self._out = max(self._out, int(self._counts.max()))

    def drop(self, number: int) -> None:
        """Forget all elements of an input."""
        super().drop(number)
        self._counts[number] = 0

    def metadata(self) -> Metadata:
        """Also how many with the greatest start each input has brought, and how many were shown."""
        return super().metadata() | {"counts": self._counts.tolist(), "out": self._out}

    def restore_metadata(self, metadata: Metadata) -> None:
        """Resume with the metadata of another one."""
        super().restore_metadata(metadata)
        self._counts, self._out = np.array(metadata["counts"], dtype=np.int64), metadata["out"]


def ranks(vs: Numbers, source: Numbers) -> Numbers:
    """The how manieth each element is of those with its start on its input, where starts never decrease.

    >>> ranks(np.array([3, 3, 3, 4, 4]), np.array([0, 1, 0, 1, 1])).tolist()
    [0, 0, 1, 0, 1]
    """
    order = np.argsort(source.astype(np.uint16), kind="stable")
    runs = np.r_[True, (np.diff(vs[order]) != 0) | (np.diff(source[order]) != 0)]
    rank = np.empty(len(vs), dtype=np.int64)
    rank[order] = np.arange(len(vs)) - np.flatnonzero(runs)[np.cumsum(runs) - 1]
    return rank


class Unranked(Ordered):
    """Case R2: elements with the same start may come in any order, start and payload are a key."""

    def __init__(self, schema: Schema, inputs: int, policy: OutputPolicy) -> None:
        super().__init__(schema, inputs, policy)
        self._same = Table(empty(schema).select(self._keys))

    def _shown(self, rows: pl.DataFrame) -> pl.DataFrame:
        if not rows.height:
            return rows
        different = rows.unique(self._keys, keep="first", maintain_order=True)
        fresh = different.join(self._same.frame(), on=self._keys, how="anti", nulls_equal=True, maintain_order="left")
        vs = numbers(fresh[VS])
        greatest = int(vs.max(initial=self._max_vs))
        if greatest > self._max_vs:
            self._max_vs = greatest
            self._same.replace(self._same.frame().clear())
        self._same.append(fresh.filter(pl.Series(vs == greatest)).select(self._keys))
        return fresh.sort(VS, maintain_order=True)

    def _purge(self, stable: int) -> None:
        if stable > self._max_vs:
            self._same.clear()

    def tables(self) -> dict[str, Table]:
        """Also what was shown with the greatest start."""
        return super().tables() | {"same": self._same}

    def restore(self, tables: dict[str, Table]) -> None:
        """Resume with the rows that another one kept."""
        super().restore(tables)
        self._same = tables["same"]
