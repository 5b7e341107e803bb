"""Stores: all punctuations that an operator has received from an input and may still need.

Constants and combinations of constants, of which there may be millions, are closed keys (``closed.py``): arrays, of
which an engine writes what is new. Ranges, prefixes and orders coalesce and are few: they are in a punctuation set, and
in the notes. What two inputs have both closed is of no use any more, and is forgotten (``settle``).
"""

from collections.abc import Mapping, Sequence

import polars as pl

from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import Schema
from punctum.operators.batch import PunctuationBatch
from punctum.operators.closed import Closed, Found
from punctum.operators.columns import dtype
from punctum.operators.keys import frames_of
from punctum.operators.limits import limits
from punctum.operators.matching import matches, matches_alone
from punctum.operators.operator import Metadata
from punctum.operators.table import Table
from punctum.operators.written import read, written


class Store:
    """Punctuations that have been received.

    >>> session = Schema.of(id="STRING", hour="BIGINT")
    >>> store = Store(session)
    >>> _ = store.add(PunctuationBatch(session, {0: pl.Series(["a", "b"]), 1: pl.Series([1, 2, 3])}))
    >>> len(store), store.matches(pl.DataFrame({"id": ["a", "c", "c"], "hour": [9, 3, 4]})).to_list()
    (3, [True, True, False])
    """

    def __init__(self, schema: Schema, line: int | None = None) -> None:
        self.schema, self.known, self.keys = schema, PunctuationSet(schema), Closed(schema, line)

    def __len__(self) -> int:
        return len(self.known) + len(self.keys)

    @property
    def ended(self) -> bool:
        """Whether all is closed."""
        return self.known.lines()[1] == [()]

    def add(self, received: PunctuationBatch) -> list[pl.DataFrame]:
        """Add punctuations; given are those that are keys, a frame for each choice of attributes."""
        frames, others = frames_of(received)
        for p in others:
            self.known.add(p)
        if others and self.ended:
            self.keys.clear()
        for keys in frames:
            closed = self.closed(keys)
            self.keys.close(keys.filter(~closed) if closed.any() else keys)
        return frames

    def matches(self, df: pl.DataFrame) -> pl.Series:
        """Whether each row matches a punctuation."""
        mask = matches(df, self.known)
        return mask | self.keys.contains(df) if len(self.keys) else mask

    def closed(self, keys: pl.DataFrame) -> pl.Series:
        """Whether each row matches a punctuation that speaks of the frame's columns alone."""
        mask = matches_alone(keys, self.known)
        return mask | self.keys.contains(keys) if len(self.keys) else mask

    def forget(self, expired: PunctuationBatch) -> None:
        """Punctuations on the same attributes hold no longer."""
        for p in expired if len(self.known) else ():
            self.known.forget(p)
        self.keys.forget(expired)

    def go_on(self, keys: Table) -> None:
        """Go on with the closed keys of another one."""
        assert isinstance(keys, Closed)
        self.keys = keys

    def metadata(self) -> Metadata:
        """What is not keys, as data for JSON."""
        return written(self.known, self.schema)

    def restore(self, metadata: Metadata) -> None:
        """Go on with the notes of another one."""
        self.known = PunctuationSet(self.schema, read(metadata, self.schema))


def settle(one: Store, other: Store, across: Mapping[int, int], new: Sequence[pl.DataFrame], bound: int) -> int:
    """Forget the keys that two inputs have both closed: rows that have them come from neither.

    The one has just got new keys. The other's attributes are given by those of the one's that they are compared
    with. New keys are looked up; all are looked at when they are more than the bound, and what is given is the next.
    """
    for keys in new:
        mine, theirs = _moved(keys, one.schema, other.schema, across)
        if theirs.height:
            both = other.closed(theirs)
            if both.any():
                other.keys.drop(theirs.filter(both))
                one.keys.drop(mine.filter(both))
    if len(one.keys) + len(other.keys) <= bound:
        return bound
    back = {theirs: mine for mine, theirs in across.items()}
    useless = _useless(one, other, across), _useless(other, one, back)
    one.keys.open(useless[0])
    other.keys.open(useless[1])
    return 2 * (len(one.keys) + len(other.keys)) + limits().spelled


def _useless(one: Store, other: Store, across: Mapping[int, int]) -> Found:
    """Where the keys are that another input has closed too, or that have been closed with others meanwhile."""

    def closed(keys: pl.DataFrame) -> pl.Series:
        useless = matches_alone(keys, one.known)
        mine, theirs = _moved(keys.with_row_index("\0row"), one.schema, other.schema, across)
        both = mine["\0row"].filter(other.closed(theirs)) if theirs.height else None
        return useless if both is None else useless.scatter(both, True)

    return one.keys.where(closed)


def _moved(
    keys: pl.DataFrame, one: Schema, other: Schema, across: Mapping[int, int]
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Those keys that another input can have, and the same as it has them."""
    named = {name: across.get(one.index(name)) for name in keys.columns if name in one.positions}
    if None in named.values():
        return keys.clear(), pl.DataFrame()
    columns, fits = [], None
    for name, at in named.items():
        assert at is not None
        column, kind = keys[name], dtype(other.attributes[at])
        if column.dtype != kind:  # DECIMALs, one of which has more digits
            column = column.cast(kind, strict=False)
            same = column.cast(keys.schema[name], strict=False).eq_missing(keys[name])
            fits = same if fits is None else fits & same
        columns.append(column.alias(other.names[at]))
    moved = pl.DataFrame(columns)
    return (keys, moved) if fits is None else (keys.filter(fits), moved.filter(fits))
