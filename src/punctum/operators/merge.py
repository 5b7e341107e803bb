"""Merge of two streams (UNION ALL): all rows, and what both have closed."""

from collections.abc import Iterable
from itertools import chain

import polars as pl

from punctum.algebra.punctuation import Punctuation
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import Schema, same_schema
from punctum.operators.batch import Constants, PunctuationBatch, batch, columns, punctuations_of
from punctum.operators.closed import Closed
from punctum.operators.columns import ColumnarSlice
from punctum.operators.emitted import EmittedPunctuations
from punctum.operators.keys import by_attributes, is_key, keys_of
from punctum.operators.limits import limits
from punctum.operators.operator import CLOSED, Metadata, Operator
from punctum.operators.store import Store, settle
from punctum.operators.table import Table


class ReceivedPunctuations:
    """What each of two inputs has emitted, and what has been emitted of their union."""

    def __init__(self, schema: Schema) -> None:
        self.left, self.right, self.emitted = Store(schema), Store(schema), EmittedPunctuations(schema)
        self._across, self._bound = {at: at for at in range(len(schema))}, limits().spelled
        self._new: tuple[list[pl.DataFrame], list[pl.DataFrame]] = [], []  # the keys that have been received last

    def receive(self, left: PunctuationBatch, right: PunctuationBatch) -> PunctuationBatch:
        """The punctuations of the output for new ones of the inputs."""
        both = combine(left, self.right)
        lefts = self.left.add(left)
        both += combine(right, self.left)
        self._new = lefts, self.right.add(right)
        return self.emitted.add_new(both)

    def settle(self) -> None:
        """Forget what both have emitted and coalesces with nothing."""
        for one, other, new in zip((self.left, self.right), (self.right, self.left), self._new, strict=True):
            self._bound = settle(one, other, self._across, new, self._bound)

    def forget(self, number: int, expired: PunctuationBatch) -> None:
        """What has expired for an input does not hold for both."""
        (self.right if number else self.left).forget(expired)
        self.emitted.forget(expired)

    def tables(self) -> dict[str, Table]:
        """The keys that each input has closed."""
        return {f"{CLOSED}left": self.left.keys, f"{CLOSED}right": self.right.keys}

    def restore_tables(self, tables: dict[str, Table]) -> None:
        """Go on with the keys of another one."""
        self.left.go_on(tables[f"{CLOSED}left"])
        self.right.go_on(tables[f"{CLOSED}right"])

    def metadata(self) -> Metadata:
        """All that is not in tables, as JSON."""
        received = {"left": self.left.metadata(), "right": self.right.metadata()}
        return received | {"emitted": self.emitted.metadata(), "bound": self._bound}

    def restore(self, metadata: Metadata) -> None:
        """Go on with the notes of another one."""
        self.left.restore(metadata["left"])
        self.right.restore(metadata["right"])
        self.emitted.restore(metadata["emitted"])
        self._bound = metadata["bound"]

    def __len__(self) -> int:
        return len(self.left) + len(self.right) + len(self.emitted)


def combine(new: PunctuationBatch, others: Store) -> PunctuationBatch:
    """What new punctuations of one input and all of the other's close together: setCombine.

    A key that the other has closed too is closed for both; whatever else it closes together with others is less.
    """
    if others.ended:
        return new
    both, rest = PunctuationBatch(new.schema), PunctuationBatch(new.schema)
    for at, values in new.constants.items():
        closed = others.closed(values.to_frame(new.schema.names[at]))
        both += PunctuationBatch(new.schema, {at: values.filter(closed)})
        rest.constants[at] = values.filter(~closed)
    loose = [p for p in new.others if not is_key(p)]
    keys = by_attributes(filter(is_key, new.others))
    for positions, ps in keys.items():
        closed = others.closed(keys_of(PunctuationBatch(new.schema, {}, ps), positions)[0])
        both.others += [p for p, is_closed in zip(ps, closed, strict=True) if is_closed]
        keys[positions] = [p for p, is_closed in zip(ps, closed, strict=True) if not is_closed]
    rest.others = [*loose, *chain.from_iterable(keys.values())]
    return both + _with_known(rest, others.known) + _with_keys(rest.constants, loose, keys, others.keys)


def _with_known(new: PunctuationBatch, known: PunctuationSet) -> PunctuationBatch:
    """What new punctuations that are not closed close together with what is not keys."""
    lines, boxes = known.lines()
    beside = {at: values for at, values in new.constants.items() if boxes or lines.keys() - {at}}
    return _common(PunctuationBatch(new.schema, beside, new.others if len(known) else []), known)


def _with_keys(
    constants: Constants, loose: list[Punctuation], keys: dict[tuple[int, ...], list[Punctuation]], closed: Closed
) -> PunctuationBatch:
    """What new punctuations close together with closed keys; a key that is open speaks of none on its attributes."""
    both = PunctuationBatch(closed.schema)
    for shape in closed.shapes():
        here = set(shape.positions)
        beside = PunctuationBatch(closed.schema, {at: values for at, values in constants.items() if here != {at}})
        beside.others = [*loose, *(p for positions, ps in keys.items() if not here <= set(positions) for p in ps)]
        new = list(beside)
        overlapping = closed.overlapping(shape, new) if new else beside
        if any(not p.sides for p in loose):
            both += overlapping
        elif len(overlapping):
            both += _common(new, PunctuationSet(closed.schema, overlapping))
    return both


def _common(new: Iterable[Punctuation], known: PunctuationSet) -> PunctuationBatch:
    """What punctuations of one input have in common with what is known of the other."""
    return batch(known.schema, chain.from_iterable(map(known.within, new)))


class Merge(Operator):
    """All rows of both inputs."""

    def __init__(self, left: Schema, right: Schema) -> None:
        same_schema(left, right)
        self.inputs, self.output = (left, right), left
        self._received = ReceivedPunctuations(left)

    def feed(self, *slices: ColumnarSlice) -> ColumnarSlice:
        """Take the next slice of each input."""
        left, right = slices
        lps, rps = punctuations_of(self.output, left), punctuations_of(self.output, right)
        emitted = self._received.receive(lps, rps)
        if not self.punctuations_expire:
            self._received.settle()
        return columns(pl.concat([left.rows, right.rows], rechunk=False), emitted, left, right)

    def tables(self) -> dict[str, Table]:
        """The keys that each input has closed."""
        return self._received.tables()

    def restore_tables(self, tables: dict[str, Table]) -> None:
        """Go on with the keys of another one."""
        self._received.restore_tables(tables)

    def metadata(self) -> Metadata:
        """What has been received from each input, and emitted."""
        return self._received.metadata()

    def restore_metadata(self, metadata: Metadata) -> None:
        """Go on with the notes of another one."""
        self._received.restore(metadata)

    def forget(self, number: int, expired: PunctuationBatch) -> None:
        """What has expired for an input does not hold for both."""
        self._received.forget(number, self.map_punctuations(number, expired))

    def puncts(self) -> int:
        """What has been received from each input, and emitted."""
        return len(self._received)
