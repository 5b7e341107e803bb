"""Merges of replicas in a stage: the operator, what controls its inputs, and what of them goes to the quarantine.

A control row says of an input that it comes (``attach``, with the time from which on it is right, or with none) or that
it has gone (``detach``). All buckets are told, before they take the rows of the same batch. An input that comes again
begins anew: what it has said before binds it no longer.
"""

import time
from collections.abc import Sequence
from typing import Any

import polars as pl

from punctum.algebra.json import to_json
from punctum.algebra.schema import Schema
from punctum.engine.exchange.quarantine import Record, fail
from punctum.engine.formats.write import json_lines
from punctum.engine.recovery.durable import replace_text
from punctum.errors import QueryError, SchemaError
from punctum.ir import temporal
from punctum.ir.definitions import Violation
from punctum.ir.elements import written
from punctum.ir.relations import Filter, Projection, Source
from punctum.ir.tree import Relation, sources, title, walk
from punctum.lmerge.cleanse import Cleanse
from punctum.lmerge.elements import NEVER, VS, numbers
from punctum.lmerge.final import NEVER_INSERTED, Final
from punctum.lmerge.merge import LMerge
from punctum.lmerge.opened import Opened
from punctum.lmerge.policies import OutputPolicy
from punctum.lmerge.properties import Case
from punctum.lmerge.temporal import TemporalOperator
from punctum.operators.columns import ColumnarSlice
from punctum.operators.operator import Metadata
from punctum.operators.table import Table
from punctum.plan.joins.counts import STABLE_OF
from punctum.storage.location import Location

ATTACH, DETACH = "attach", "detach"
"""What a control row may say of an input."""


class Merging(TemporalOperator):
    """A merge of replicas, and the control of its inputs if there is any."""

    def __init__(self, relation: temporal.LMerge) -> None:
        assert relation.case is not None
        policy = OutputPolicy.of(relation.policy.insert, relation.policy.adjust, relation.policy.share)
        schema, several = relation.schema, len(relation.merged)
        there = [name not in relation.absent for name in relation.names]
        self._merge = LMerge([schema] * several, Case(relation.case), policy, there)
        in_order = Case(relation.case) in (Case.R0, Case.R1, Case.R2)
        self._computed = [in_order and computed(replica) for replica in relation.merged]
        self._names, self._control = [name.lower() for name in relation.names], relation.control
        control = () if relation.control is None else (relation.control.schema,)
        self.inputs, self.output = (*self._merge.inputs, *control), self._merge.output
        self._unknown: list[tuple[str, str]] = []

    @property
    def stable(self) -> int:
        """The last stable of the output, as a whole number."""
        return self._merge.stable

    @property
    def stables(self) -> dict[str, int]:
        """The last stable of each input that is attached."""
        pairs = zip(self._names, self._merge.replicas, strict=True)
        return {STABLE_OF + name: replica.stable for name, replica in pairs if replica.attached}

    def feed(self, *slices: ColumnarSlice) -> ColumnarSlice:
        """Take the next slice of each input, once the control is heard."""
        if self._control is not None:
            *slices, controls = slices  # type: ignore[assignment]
            control = changes(controls.rows, self._names)
            self._unknown = [(name, change) for name, change, number, _ in control if number is None]
            for _, change, number, since in control:
                if number is not None and change == ATTACH:
                    self._merge.attach(number, since)
                elif number is not None:
                    self._merge.detach(number)
        pairs = zip(slices, self._computed, strict=True)
        return self._merge.feed(*(by_start(piece) if unordered else piece for piece, unordered in pairs))

    def unknown(self) -> list[Record]:
        """Records of control rows that mean nothing."""
        if self._control is None:
            return []
        what = f"the change is not {ATTACH} or {DETACH}, or the input is not one of {', '.join(self._names)}"
        return [Record(self._control.stream.name, what, f"{name}: {change}") for name, change in self._unknown]

    def bad(self) -> list[tuple[int, str, pl.DataFrame, str]]:
        """The rows of the last slice that were not taken: the input's number and its name, and why."""
        return [(bad.input, self._names[bad.input], bad.rows, bad.reason) for bad in self._merge.bad]

    def tables(self) -> dict[str, Table]:
        """The rows that the merge keeps."""
        return self._merge.tables()

    def restore_tables(self, tables: dict[str, Table]) -> None:
        """Go on with the rows that another one kept."""
        self._merge.restore_tables(tables)

    def metadata(self) -> Metadata:
        """The state other than rows."""
        return self._merge.metadata()

    def restore_metadata(self, metadata: Metadata) -> None:
        """Go on with the notes of another one."""
        self._merge.restore_metadata(metadata)

    def puncts(self) -> int:
        """The stables of the inputs and of the output."""
        return self._merge.puncts()


def computed(relation: Relation) -> bool:
    """Whether a replica is the result of operators: within a slice they give their rows in no order."""
    return not all(isinstance(node, Source | Filter | Projection) for node in walk(relation))


def by_start(piece: ColumnarSlice) -> ColumnarSlice:
    """A slice whose rows are ordered by their starts; those of one start stay as they are."""
    return ColumnarSlice(piece.rows.sort(VS, maintain_order=True), piece.puncts, piece.constants)


def changes(control: pl.DataFrame, names: Sequence[str]) -> list[tuple[str, str, int | None, int]]:
    """What control rows say: the name, attach or detach, the input's number, or nothing for none, and the time."""
    changed = []
    for (name, change, since), right in zip(control.iter_rows(), numbers(control.to_series(2)).tolist(), strict=True):
        known = name.lower() in names and change.lower() in (ATTACH, DETACH)
        number = names.index(name.lower()) if known else None
        changed.append((name, change.lower(), number, NEVER if since is None else right))
    return changed


def tell(directory: Location, control: Schema, name: str, change: str, since: Any = None) -> None:
    """Write a control row where a merge reads them: a file of its own, whole or not at all."""
    try:
        line = to_json(control.row(name, change, since), control)
    except SchemaError as error:
        hint = f"times of the stream are of type {control.attributes[2].type.value}"
        raise QueryError(f"{since!r} is not a time from which {name} is correct", error.detail, hint) from None
    directory.mkdir(parents=True, exist_ok=True)
    replace_text(directory / f"{time.time_ns():020}-{change}-{name}.json", line + "\n")


def bad_elements(merge: Merging, merged: Sequence[Relation]) -> list[Record]:
    """Records of elements that a merge has not taken of what it merges."""
    shown = written(Schema(merge.output.attributes))
    records = []
    for number, name, rows, why in merge.bad():
        records += _allowed(
            [Record(name, why, text) for text in json_lines(rows.select(shown.names), shown)], merged[number]
        )
    return records


def not_opened(opened: Opened, of: Relation) -> list[Record]:
    """Records of opens and closes that say nothing."""
    shown, stream = Schema(opened.inputs[0].attributes[:-1]), next(sources(of)).stream
    bad = ((why, text) for row, why in opened.bad for text in json_lines(row.select(shown.names), shown))
    return _allowed([Record(stream.name, why, text) for why, text in bad], of)


def never_inserted(final: Final | Cleanse, of: Relation) -> list[Record]:
    """Records of adjusts that fit no event."""
    shown = written(Schema(final.inputs[0].attributes))
    texts = json_lines(final.bad.select(shown.names), shown)
    return _allowed([Record(title(of), NEVER_INSERTED, text) for text in texts], of)


def _allowed(records: list[Record], of: Relation) -> list[Record]:
    """The records of what a relation reads; an error, when one of its streams must not be violated."""
    if records and any(source.stream.on_violation is Violation.FAIL for source in sources(of)):
        fail(records[0])
    return records
