"""What a join of many inputs knows of one of them: rows kept, what is closed by class, punctuations that wait."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import polars as pl

from punctum.algebra.schema import Schema
from punctum.operators.batch import PunctuationBatch
from punctum.operators.columns import empty
from punctum.operators.cover import PunctuationCover
from punctum.operators.operator import CLOSED, Metadata
from punctum.operators.partners import PartnerAxis
from punctum.operators.store import Store
from punctum.operators.table import Table
from punctum.operators.waiting import Waiting
from punctum.operators.written import read_batch, written

_BANDS, _RECEIVED = " in bands", " as said"


@dataclass
class JoinKnowledge:
    """One input as the join knows it; what is closed is over classes."""

    kept: Table
    closed: Store
    passed: Store
    waiting: Waiting
    arrived: PunctuationBatch
    """What has come since the last purge."""
    new: pl.DataFrame = field(default_factory=pl.DataFrame)
    received: PunctuationCover | None = None
    """Its punctuations as they came, where they pass bands together."""

    @staticmethod
    def none(schema: Schema, classes: Schema, counted: int | None = None) -> "JoinKnowledge":
        """Nothing is known; there may be a column whose whole numbers are closed one by one."""
        rows = empty(schema)
        arrived, received = (
            PunctuationBatch(schema),
            None if counted is None else PunctuationCover(Store(schema, counted)),
        )
        return JoinKnowledge(Table(rows), Store(classes), Store(classes), Waiting(schema), arrived, rows, received)

    def __len__(self) -> int:
        return len(self.kept) + self.new.height

    def near(self, values: pl.DataFrame) -> pl.DataFrame:
        """Some kept rows and the new ones, among them all that have one of some combinations of values."""
        return pl.concat([self.kept.having(values).rows, self.new], rechunk=False)

    @property
    def rows(self) -> pl.DataFrame:
        """The kept rows and the new ones."""
        return pl.concat([self.kept.frame(), self.new], rechunk=False) if self.new.height else self.kept.frame()

    def keep(self, needed: pl.Series | None = None) -> None:
        """Keep new rows, or those of them that are needed; no other row could meet those that are closed."""
        chosen = self.new if needed is None else self.new.filter(needed)
        self.kept.covered += self.new.height - chosen.height
        self.kept.append(chosen)
        self.new = self.new.clear()

    def has_closed(self, chains: pl.DataFrame, axes: Sequence[PartnerAxis]) -> pl.Series:
        """Whether the input is closed for values of classes: it has closed them, or has passed their bands.

        The axes are what these values say of its rows.
        """
        closed = self.closed.closed(chains) | self.passed.closed(chains)
        if self.received is not None and axes and not closed.all():
            left = ~closed
            closed = closed.scatter(left.arg_true(), self.received.cover(chains.filter(left), axes))
        return closed

    def remembered(self) -> int:
        """How many of its punctuations are kept as they came."""
        return 0 if self.received is None else len(self.received.store)

    def released(self) -> PunctuationBatch:
        """What no kept row holds back, of what has come since the last purge and of what has waited."""
        arrived, self.arrived = self.arrived, PunctuationBatch(self.arrived.schema)
        freed = self.waiting.freed(self.kept)
        return freed + self.waiting.hold(self.kept, arrived) if len(arrived) else freed

    def tables(self, name: str) -> dict[str, Table]:
        """The rows, and the keys that are closed, or whose bands have been passed."""
        received = {} if self.received is None else {CLOSED + name + _RECEIVED: self.received.store.keys}
        return {name: self.kept, CLOSED + name: self.closed.keys, CLOSED + name + _BANDS: self.passed.keys} | received

    def restore_tables(self, name: str, tables: dict[str, Table]) -> None:
        """Go on with the rows and keys of another one."""
        self.kept = tables[name]
        self.closed.go_on(tables[CLOSED + name])
        self.passed.go_on(tables[CLOSED + name + _BANDS])
        if self.received is not None:
            self.received.store.go_on(tables[CLOSED + name + _RECEIVED])
            self.received.changed()

    def metadata(self, schema: Schema) -> Metadata:
        """What is closed and no key, and the punctuations that wait."""
        closed, passed, waiting = self.closed.metadata(), self.passed.metadata(), self.waiting.metadata()
        received = {} if self.received is None else {"said": self.received.store.metadata()}
        return {
            "closed": closed,
            "passed": passed,
            "waiting": waiting,
            "arrived": written(self.arrived, schema),
        } | received

    def restore(self, metadata: Metadata, schema: Schema) -> None:
        """Go on with the notes of another one."""
        self.closed.restore(metadata["closed"])
        self.passed.restore(metadata["passed"])
        self.waiting.restore(metadata["waiting"])
        if self.received is not None:
            self.received.store.restore(metadata["said"])
            self.received.changed()
        self.arrived = read_batch(metadata["arrived"], schema)
