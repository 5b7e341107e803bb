"""Replicas through a merge, slice by slice, specified or vectorised, with what must hold behind every slice."""

import json
from collections.abc import Iterator

import polars as pl

from punctum.algebra.schema import Schema
from punctum.lmerge.elements import INF, NEVER, Element, Insert, Stable, element_schema, from_columns, to_columns
from punctum.lmerge.merge import LMerge
from punctum.lmerge.policies import OutputPolicy
from punctum.lmerge.properties import Case
from punctum.lmerge.specification.base import Specification
from punctum.lmerge.specification.keyed import R3, R3Minus
from punctum.lmerge.specification.multiset import R4
from punctum.lmerge.specification.ordered import R0, R1, R2
from punctum.lmerge.tdb import PrefixView, imbalance, incompatibility, inconsistency, untrackable, view
from punctum.operators.columns import ColumnarSlice
from punctum.operators.guard import Guard
from punctum.operators.table import Table

from .streams import Life

SCHEMA = element_schema(Schema.of(p="STRING"))
SPECIFIED: dict[Case, type[Specification]] = {
    Case.R0: R0,
    Case.R1: R1,
    Case.R2: R2,
    Case.R3: R3,
    Case.R3_MINUS: R3Minus,
    Case.R4: R4,
}


class Specified:
    """A specified merge that takes slices."""

    def __init__(self, case: Case, inputs: int, policy: OutputPolicy) -> None:
        self.merge = SPECIFIED[case](inputs, policy)

    def feed(self, pieces: list[list[Element]]) -> list[Element]:
        return self.merge.feed_slice(pieces)

    def attach(self, number: int, since: float) -> None:
        self.merge.attach(number, since)

    def detach(self, number: int) -> None:
        self.merge.detach(number)

    @property
    def bad(self) -> int:
        return len(self.merge.bad)

    @property
    def stable(self) -> float:
        return self.merge.max_stable


class Vectorised:
    """A vectorised merge that takes slices as elements; a second one is restored from the first before each slice."""

    def __init__(self, case: Case, inputs: int, policy: OutputPolicy) -> None:
        self._made = [SCHEMA] * inputs, case, policy
        self.merge, self._guard, self.bad = LMerge(*self._made), Guard(SCHEMA), 0

    def feed(self, pieces: list[list[Element]]) -> list[Element]:
        slices = [to_columns(piece, SCHEMA) for piece in pieces]
        other = LMerge(*self._made)
        chunks = {name: stored(table) for name, table in self.merge.tables().items()}
        other.restore_tables({name: Table(t.frame(), chunks[name]) for name, t in other.tables().items()})
        other.restore_metadata(json.loads(json.dumps(self.merge.metadata())))
        given, again = self.merge.feed(*slices), other.feed(*slices)
        assert given.rows.equals(again.rows)
        assert given.puncts == again.puncts
        assert not self._guard.split(given).bad.height
        self.bad += sum(bad.rows.height for bad in self.merge.bad)
        return from_columns(ColumnarSlice(given.rows, given.puncts), SCHEMA)

    def attach(self, number: int, since: float) -> None:
        self.merge.attach(number, NEVER if since == -INF else int(since))

    def detach(self, number: int) -> None:
        self.merge.detach(number)

    @property
    def stable(self) -> float:
        t = self.merge.stable
        return -INF if t == NEVER else INF if t == 2**63 - 1 else t


def stored(table: Table) -> dict[int, pl.DataFrame]:
    """All chunks of a table, as an engine has stored them."""
    copy = Table(table.frame(), {0: table.frame()})
    return {n: copy.chunk(n) for n in ([0] if len(copy) else [])}


def run(merge: Specified | Vectorised, inputs: list[Life], case: Case, check: bool = True) -> Iterator[list[Element]]:
    """Feed slices, and hold the output against all inputs behind each of them."""
    read: list[list[Element]] = [[] for _ in inputs]
    missing = [False] * len(inputs)
    vanished: list[PrefixView] = []
    out: list[Element] = []
    for n in range(len(inputs[0].pieces)):
        for number, life in enumerate(inputs):
            if n in life.detach:
                merge.detach(number)
                vanished.append(view(read[number]))
                read[number] = []
            if n in life.attach:
                merge.attach(number, life.attach[n])
                missing[number] = True
        pieces = [life.pieces[n] for life in inputs]
        for known, piece in zip(read, pieces, strict=True):
            known += piece
        given = merge.feed(pieces)
        out += given
        yield given
        if check:
            views = [view(known) for known in read]
            views = [
                PrefixView(v.events + life.missing, v.last) if gone else v
                for v, life, gone in zip(views, inputs, missing, strict=True)
            ]
            behind(view(out), [*views, *vanished], merge.stable, case)


def behind(out: PrefixView, views: list[PrefixView], stable: float, case: Case) -> None:
    """What holds behind a slice."""
    assert inconsistency(views) is None, "the test's own inputs"
    assert out.last == stable
    assert untrackable(out, views) is None
    if case is not Case.R4 and case is not Case.R1:
        assert incompatibility(out, views) is None
    if case is Case.R4 and out.last == max(v.last for v in views):
        assert imbalance(out, views) is None


def counts(elements: list[Element]) -> tuple[int, int, int]:
    """How many inserts, adjusts and stables."""
    inserts = sum(isinstance(e, Insert) for e in elements)
    stables = sum(isinstance(e, Stable) for e in elements)
    return inserts, len(elements) - inserts - stables, stables
