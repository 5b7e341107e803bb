"""Partitioned: what several sequences of a stream have said, and what holds of their merge (``spec/partitioned.py``).

What each has said is in a store, as far as it does not hold yet; what holds is remembered, for the guards of sequences
whose rows it may exclude. Keys leave the stores when they hold: a partition costs what the others have yet to say.
"""

from collections.abc import Iterable, Mapping
from itertools import chain

import polars as pl

from punctum.algebra.pattern import Constant
from punctum.algebra.punctuation import Punctuation, end_of_stream
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import Schema
from punctum.operators.batch import PunctuationBatch, batch
from punctum.operators.guard import Guard
from punctum.operators.keys import by_attributes, frames_of, is_key, keys_of
from punctum.operators.limits import limits
from punctum.operators.operator import CLOSED, PAST, Metadata
from punctum.operators.seen import SeenPunctuations
from punctum.operators.store import Store
from punctum.operators.table import Table


class Partitioned:
    """What the sequences of a stream have said, and what holds.

    What is ``owned``, attributes by their positions, stays in one sequence; each choice of them is enough.
    """

    def __init__(self, schema: Schema, owned: frozenset[frozenset[int]] = frozenset()) -> None:
        self._schema, self._owned = schema, owned
        self._received: dict[int, Store] = {}
        self._idle = frozenset[int]()
        self._bound = limits().spelled
        self.held = SeenPunctuations(schema)
        self.excess = bool(owned)
        """Whether more may hold than each sequence has said."""

    def hear(self, known: Iterable[int], idle: Iterable[int]) -> PunctuationBatch:
        """Which sequences there are, and which of them are idle from now on; what holds because of that."""
        before, self._idle = self._idle, frozenset(idle)
        fresh = [p for p in known if p not in self._received]
        self.excess = self.excess or bool(self._idle) or bool(fresh and self._received)
        self._received |= {p: Store(self._schema) for p in fresh}
        if self._idle <= before:
            return PunctuationBatch(self._schema)
        whole = PunctuationBatch(self._schema, {}, [end_of_stream(self._schema)])
        return self._hold(self._with_others(whole, None))

    def receive(self, new: Mapping[int, PunctuationBatch]) -> PunctuationBatch:
        """What holds with new punctuations of some sequences."""
        holds = PunctuationBatch(self._schema)
        for partition, puncts in new.items():
            fresh = self.held.lacking(puncts)
            own, rest = self.parted(fresh)
            holds += own + self._with_others(rest, partition)
            self._received[partition].add(rest)
        return self._hold(holds)

    def owned(self, puncts: PunctuationBatch) -> PunctuationBatch:
        """What one sequence alone can say; what it has said before of others does not matter."""
        return self.parted(puncts)[0]

    def parted(self, puncts: PunctuationBatch) -> tuple[PunctuationBatch, PunctuationBatch]:
        """What one sequence alone can say, and all else."""
        if not self._owned:
            return PunctuationBatch(puncts.schema), puncts
        ours: list[Punctuation] = []
        rest: list[Punctuation] = []
        for p in puncts.others:
            fixed = {at for at, side in p.sides if isinstance(side, Constant)}
            (ours if any(owned <= fixed for owned in self._owned) else rest).append(p)
        constants = {at: values for at, values in puncts.constants.items() if frozenset([at]) in self._owned}
        others = {at: values for at, values in puncts.constants.items() if at not in constants}
        return PunctuationBatch(puncts.schema, constants, ours), PunctuationBatch(puncts.schema, others, rest)

    def _with_others(self, puncts: PunctuationBatch, partition: int | None) -> PunctuationBatch:
        """What it closes together with what all others have said that are not idle."""
        for other, store in self._received.items():
            if len(puncts) and other != partition and other not in self._idle:
                puncts = alike(puncts, store)
        return puncts

    def _hold(self, holds: PunctuationBatch) -> PunctuationBatch:
        """What is new of that which holds; keys that do leave the stores."""
        if not len(holds):
            return holds
        new = self.held.add_new(holds)
        for keys in frames_of(holds)[0]:
            for store in self._received.values():
                if len(store.keys):
                    store.keys.drop(keys)
        if sum(len(store.keys) for store in self._received.values()) > self._bound:
            for store in self._received.values():
                store.keys.open(store.keys.where(self.held.knows))
            self._bound = 2 * sum(len(store.keys) for store in self._received.values()) + limits().spelled
        return new

    def forget(self, expired: PunctuationBatch) -> None:
        """What has expired does not hold any more, and none has said it."""
        self.held.forget(expired)
        for store in self._received.values():
            store.forget(expired)

    def __len__(self) -> int:
        return len(self.held) + sum(map(len, self._received.values()))

    def tables(self) -> dict[str, Table]:
        """The keys that hold, and those that each sequence has closed."""
        closed: dict[str, Table] = {f"{CLOSED}said {p}": store.keys for p, store in self._received.items()}
        return {PAST: self.held.past, **closed}

    def restore_tables(self, tables: Mapping[str, Table]) -> None:
        """Go on with the keys of another one."""
        self.held.go_on(tables[PAST])
        for p, store in self._received.items():
            store.go_on(tables[f"{CLOSED}said {p}"])

    def metadata(self) -> Metadata:
        """All that is not in tables, as JSON."""
        sequences = {str(p): store.metadata() for p, store in self._received.items()}
        rest = {"idle": sorted(self._idle), "bound": self._bound, "excess": self.excess}
        return {"held": self.held.metadata(), "said": sequences} | rest

    def announce(self, metadata: Metadata) -> None:
        """Have the sequences of another one, and nothing of what they have said."""
        self._received = {int(p): Store(self._schema) for p in metadata["said"]}

    def restore(self, metadata: Metadata) -> None:
        """Go on with the notes of another one."""
        self.held.restore(metadata["held"])
        for p, store in self._received.items():
            store.restore(metadata["said"][str(p)])
        self._idle, self._bound = frozenset(metadata["idle"]), metadata["bound"]
        self.excess = metadata["excess"]


class _SeenHere(SeenPunctuations):
    """What has come of one sequence; what holds of all excludes its rows as well.

    What the sequence alone can say holds at once, and is remembered with what holds of all.
    """

    def __init__(self, schema: Schema, of: Partitioned) -> None:
        super().__init__(schema)
        self._of = of

    def add_new(self, puncts: PunctuationBatch) -> PunctuationBatch:
        """What is new of punctuations."""
        own, rest = self._of.parted(puncts)
        return own + super().add_new(rest)

    def matches(self, df: pl.DataFrame) -> pl.Series:
        """Whether each row matches a punctuation."""
        mask = super().matches(df)
        return mask | self._of.held.matches(df) if self._of.excess else mask

    def why(self, bad: pl.DataFrame) -> pl.Series:
        """For each row that is excluded, the JSON of a punctuation that does it."""
        own = super().matches(bad)
        if own.all():
            return super().why(bad)
        reasons = pl.repeat(None, bad.height, dtype=pl.String, eager=True).alias("reason")
        reasons = reasons.scatter(own.arg_true(), super().why(bad.filter(own)))
        return reasons.scatter((~own).arg_true(), self._of.held.why(bad.filter(~own)))


def guard_of(schema: Schema, of: Partitioned) -> Guard:
    """The guard of one sequence."""
    return Guard(schema, _SeenHere(schema, of))


def alike(new: PunctuationBatch, known: Store) -> PunctuationBatch:
    """What new punctuations and a store close together, on attributes that one of them speaks of.

    All else that they have in common, nobody has promised, and it may be as much as both of them multiplied.
    """
    if known.ended:
        return new
    both, schema = PunctuationBatch(new.schema), new.schema
    rest: list[Punctuation] = []
    several = [set(shape.positions) for shape in known.keys.shapes() if len(shape.positions) > 1]
    boxes = bool(known.known.lines()[1])
    for at, values in new.constants.items():
        closed = known.closed(values.to_frame(schema.names[at]))
        both += PunctuationBatch(schema, {at: values.filter(closed)})
        if boxes or any(at in shape for shape in several):
            rest += PunctuationBatch(schema, {at: values.filter(~closed)})
    for positions, ps in by_attributes(filter(is_key, new.others)).items():
        closed = known.closed(keys_of(PunctuationBatch(schema, {}, ps), positions)[0])
        both.others += [p for p, is_closed in zip(ps, closed, strict=True) if is_closed]
        rest += [p for p, is_closed in zip(ps, closed, strict=True) if not is_closed]
    rest += [p for p in new.others if not is_key(p)]
    if rest and len(known.known):
        both += batch(schema, chain.from_iterable(map(known.known.alike, rest)))
    for shape in known.keys.shapes() if rest else ():
        here = set(shape.positions)
        beside = [p for p in rest if _comparable(here, {at for at, _ in p.sides})]
        if any(not p.sides for p in beside):
            both += known.keys.overlapping(shape, beside)
        elif beside:
            keys = PunctuationSet(schema, known.keys.overlapping(shape, beside))
            both += batch(schema, chain.from_iterable(map(keys.within, beside)))
    return both


def _comparable(some: set[int], others: set[int]) -> bool:
    return some <= others or others <= some
