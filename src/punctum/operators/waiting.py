"""Punctuations of an input that wait until no kept row of it matches them.

A key, a constant or a combination of constants, waits as a mark on the rows that have it, for they are all there: no
later row matches it. So what waits takes no room beside the rows, and a row that is dropped says itself what may go.
All else waits in a list.
"""

from collections.abc import Iterable

import polars as pl

from punctum.algebra.punctuation import Punctuation
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import Schema
from punctum.operators.batch import PunctuationBatch
from punctum.operators.closed import Closed
from punctum.operators.emitted import forget
from punctum.operators.keys import frames_of, key_punctuations, on_exactly
from punctum.operators.matching import free, matches
from punctum.operators.near import near
from punctum.operators.operator import Metadata
from punctum.operators.table import Table, View
from punctum.operators.written import read, read_batch, written

Names = tuple[str, ...]
"""The attributes that keys have values for."""


class Waiting:
    """What waits for the rows of one table.

    >>> from punctum.operators.columns import empty
    >>> item = Schema.of(itemid="BIGINT")
    >>> waiting, table = Waiting(item), Table(empty(item))
    >>> table.append(pl.DataFrame({"itemid": [17]}))
    >>> print(*waiting.hold(table, PunctuationBatch(item, {0: pl.Series([17, 18])})), len(waiting))
    <18> 1
    >>> waiting.drop(table.all(), pl.Series([True]))
    >>> print(*waiting.freed(table), len(waiting))
    <17> 0
    """

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._others = list[Punctuation]()  # what is not one key
        self._marked: dict[Names, int] = {}  # how many keys wait, by their attributes
        self._loose: dict[Names, pl.DataFrame] = {}  # keys that may wait no longer, for rows have been dropped
        self._dropped = False

    def __len__(self) -> int:
        return len(self._others) + sum(self._marked.values())

    def hold(self, table: Table, ps: PunctuationBatch) -> PunctuationBatch:
        """Wait with new punctuations; given are those that no row matches."""
        view = near(table, ps)
        none, some = free(view.rows, ps)
        frames, others = frames_of(some)
        self._others = list({p.patterns: p for p in [*self._others, *others]}.values())
        for keys in frames:
            self._mark(view, keys)
        return none

    def drop(self, view: View, mask: pl.Series) -> None:
        """Drop rows of the table: of those that a view has the ones that a mask over them is true for."""
        for names in self._marked:
            held = mask & view.marked(_mark(names))
            if held.any():
                keys = view.rows.filter(held).select(names)
                known = self._loose.get(names)
                self._loose[names] = keys if known is None else pl.concat([known, keys])
        self._dropped |= bool(mask.any())
        view.drop(mask)

    def freed(self, table: Table) -> PunctuationBatch:
        """What waits no longer because rows have been dropped."""
        freed = PunctuationBatch(self._schema)
        for names, keys in self._loose.items():
            loose = key_punctuations(self._schema, keys.unique(maintain_order=True))
            none, _ = free(near(table, loose).rows, loose)
            self._marked[names] -= len(none)
            freed += none
        if self._dropped and self._others:
            waiting = PunctuationBatch(self._schema, {}, self._others)
            none, some = free(near(table, waiting).rows, waiting)
            self._others = some.others
            freed += none
        self._loose, self._dropped = {}, False
        return freed

    def forget(self, table: Table, expired: PunctuationBatch) -> None:
        """Punctuations on the same attributes are not waited with any longer."""
        if self._others:
            waiting = PunctuationSet(self._schema, self._others)
            forget(waiting, expired)
            self._others = list(waiting)
        for names in self._marked:
            over = on_exactly(expired, tuple(map(self._schema.index, names)))
            view = near(table, over)
            gone = matches(view.rows, over) & view.marked(_mark(names))
            self._marked[names] -= view.rows.filter(gone).select(names).n_unique()
            view.unmark(_mark(names), gone)

    def metadata(self) -> Metadata:
        """What waits in the list, and how many keys do, as data for JSON."""
        marked = [[*names, many] for names, many in self._marked.items()]
        keys = (keys.unique(maintain_order=True) for keys in self._loose.values())
        loose = [written(key_punctuations(self._schema, some), self._schema) for some in keys]
        dropped = {"loose": loose} if self._dropped else {}
        return {"others": written(self._others, self._schema), "marked": marked} | dropped

    def restore(self, metadata: Metadata) -> None:
        """Go on with the notes of another one."""
        self._others = read(metadata["others"], self._schema)
        self._marked = {tuple(names): many for *names, many in metadata["marked"]}
        self._dropped = "loose" in metadata
        frames = [keys for data in metadata.get("loose", ()) for keys in frames_of(read_batch(data, self._schema))[0]]
        self._loose = {tuple(keys.columns): keys for keys in frames}

    def _mark(self, view: View, keys: pl.DataFrame) -> None:
        names = tuple(keys.columns)
        marked = view.rows.filter(view.marked(_mark(names)))
        fresh = keys.filter(~self._among(keys, marked.select(names))) if marked.height else keys
        view.mark(_mark(names), self._among(view.rows, fresh))
        self._marked[names] = self._marked.get(names, 0) + fresh.n_unique()

    def _among(self, rows: pl.DataFrame, keys: pl.DataFrame) -> pl.Series:
        """Which rows have one of some keys."""
        some = Closed(self._schema)
        some.close(keys)
        return some.contains(rows)


def _mark(names: Iterable[str]) -> str:
    """The mark of rows that hold back the key that they have for some attributes."""
    return " ".join(["waits", *names])
