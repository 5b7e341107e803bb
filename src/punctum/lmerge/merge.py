"""Logical Merge: a slice of each replica in, a slice of one stream out that is compatible with all of them.

A slice is applied at once: the inserts and adjusts of all inputs, then the stable that advances furthest. After it,
with L the output's stable and I the input that has sent it: the output has exactly the events of I that are fully
frozen at L, and an event for each start and payload that is half frozen there, so conditions C1 to C3 of section
III-D hold.

An input may be attached and detached between slices. Who attaches it states from which time on it is right: every
event that ends at this time or later will be there. Until the output's stable has come so far the input is *joining*
and does not lead; from then on all others may vanish (section V-B).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import polars as pl

from punctum.algebra.schema import Schema, same_schema
from punctum.errors import SchemaError
from punctum.lmerge.elements import ADJUST, NEVER, VE, VS, stable_of
from punctum.lmerge.index import Bad, Index, MergeStep
from punctum.lmerge.keyed import Keyed
from punctum.lmerge.multiset import Multiset
from punctum.lmerge.ordered import SameTies, Strict, Unranked
from punctum.lmerge.policies import OutputPolicy
from punctum.lmerge.properties import Case
from punctum.lmerge.separate import Separate
from punctum.lmerge.temporal import TemporalOperator
from punctum.operators.columns import ColumnarSlice
from punctum.operators.operator import Metadata
from punctum.operators.table import Table

INDEXES: dict[Case, Callable[[Schema, int, OutputPolicy], Index]] = {
    Case.R0: Strict,
    Case.R1: SameTies,
    Case.R2: Unranked,
    Case.R3: Keyed,
    Case.R3_MINUS: Separate,
    Case.R4: Multiset,
}
"""What each case keeps."""
EMPTY_LIFE = "an event that ends before it starts"


@dataclass
class Replica:
    """An input: whether it is attached, from which time on it is right, and its last stable."""

    attached: bool = True
    since: int = NEVER
    stable: int = NEVER


class LMerge(TemporalOperator):
    """One stream from several replicas of it, whose schemas are of elements."""

    def __init__(
        self,
        schemas: Sequence[Schema],
        case: Case = Case.R3,
        policy: OutputPolicy | None = None,
        attached: Sequence[bool] | None = None,
    ) -> None:
        if not schemas:
            raise SchemaError(
                "a merge needs one or more inputs", "", "name the streams that are replicas of each other"
            )
        for schema in schemas:
            same_schema(schemas[0], schema)
        self.inputs, self.output, self.case = tuple(schemas), schemas[0], case
        self.replicas = [Replica(there) for there in attached or [True] * len(schemas)]
        self.stable = NEVER
        """The output's stable, as a whole number."""
        self.bad: list[Bad] = []
        """The rows of the last slice that were not taken."""
        self._index = INDEXES[case](self.output, len(schemas), policy or OutputPolicy())

    def attach(self, number: int, since: int = NEVER) -> None:
        """An input begins, or begins again: right is what ends at a time or later."""
        if self.replicas[number].attached:
            self.detach(number)
        self.replicas[number] = Replica(True, since)

    def detach(self, number: int) -> None:
        """An input has ended or failed: its elements do not count any more."""
        self.replicas[number] = Replica(False)
        self._index.drop(number)

    def joining(self, number: int) -> bool:
        """Whether an input is attached and may still lack what the output needs."""
        return self.replicas[number].attached and self.replicas[number].since > self.stable

    def feed(self, *slices: ColumnarSlice) -> ColumnarSlice:
        """Take the next slice of each input."""
        self.bad = self._index.bad = []
        rows = [self._taken(number, piece) for number, piece in enumerate(slices)]
        before, given, joining = self.stable, list[pl.DataFrame](), frozenset[int]()
        while (step := self._step()).lead is not None or not given or step.joining != joining:
            given.append(self._index.apply(rows, step))
            rows = [piece.clear() for piece in rows]
            self.stable, joining = step.after, step.joining
        emitted = self.closed(self.stable) if self.stable > before else ()
        return ColumnarSlice(pl.concat(given, rechunk=False), emitted)

    def _taken(self, number: int, piece: ColumnarSlice) -> pl.DataFrame:
        """The rows of an input's slice that can be taken; its stable is remembered."""
        replica = self.replicas[number]
        if not replica.attached:
            return piece.rows.clear()
        times = (t for p in piece.puncts if (t := stable_of(p)) is not None)
        replica.stable = max([replica.stable, *times])
        vs, ve = pl.col(VS), pl.col(VE)
        wrong = vs.is_null() | (ve < vs) | ((ve == vs) & ~pl.col(ADJUST))
        mask = piece.rows.select(wrong.fill_null(False)).to_series()
        if not mask.any():
            return piece.rows
        self._index.bad.append(Bad(number, piece.rows.filter(mask), EMPTY_LIFE))
        return piece.rows.filter(~mask)

    def _step(self) -> MergeStep:
        """The next step: the stable that advances furthest, among inputs that are right from where the output is."""
        known = [n for n, replica in enumerate(self.replicas) if replica.attached]
        joining = frozenset(n for n in known if self.joining(n))
        order = sorted(known, key=lambda n: (n in joining, -self.replicas[n].stable, n))
        leads = [n for n in order if n not in joining and self.replicas[n].stable > self.stable]
        after = self.replicas[leads[0]].stable if leads else self.stable
        return MergeStep(self.stable, after, leads[0] if leads else None, tuple(order), joining)

    def tables(self) -> dict[str, Table]:
        """The rows that the case keeps."""
        return self._index.tables()

    def restore_tables(self, tables: dict[str, Table]) -> None:
        """Resume with the rows that another one kept."""
        self._index.restore(tables)

    def metadata(self) -> Metadata:
        """The stables, which inputs are attached, and what else the case keeps."""
        replicas = [[r.attached, r.since, r.stable] for r in self.replicas]
        return {"stable": self.stable, "replicas": replicas, "index": self._index.metadata()}

    def restore_metadata(self, metadata: Metadata) -> None:
        """Resume with the metadata of another one."""
        self.stable = metadata["stable"]
        self.replicas = [Replica(*known) for known in metadata["replicas"]]
        self._index.restore_metadata(metadata["index"])

    def puncts(self) -> int:
        """The stables of the inputs and of the output."""
        return sum(t > NEVER for t in [self.stable, *(r.stable for r in self.replicas)])
