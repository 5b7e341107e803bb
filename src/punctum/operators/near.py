"""Which kept rows punctuations may speak of: a table and punctuations in, a view of some of its rows out.

All rows that match one of the punctuations are in the view, and few others: they are found by an index on the columns
of a punctuation's constants, or else on a column whose range it gives. Where neither is there, the view is the table.
"""

from collections.abc import Iterable

import numpy as np
import polars as pl

from punctum.algebra.pattern import Constant
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.algebra.values import Type
from punctum.operators.batch import PunctuationBatch
from punctum.operators.columns import dtype
from punctum.operators.index import Numbers
from punctum.operators.matching import matches
from punctum.operators.places import bounds
from punctum.operators.table import Table, View

_LAST = np.int64(2**63 - 1)


def near(table: Table, puncts: PunctuationBatch) -> View:
    """Some rows of a table, among them all that match punctuations."""
    view, schema = table.none(), puncts.schema
    for at, values in puncts.constants.items():
        view |= table.having(values.to_frame(schema.names[at]))
    keys: dict[tuple[int, ...], list[Punctuation]] = {}
    ranges: dict[int, list[Punctuation]] = {}
    for p in puncts.others:
        fixed = tuple(at for at, side in p.sides if isinstance(side, Constant) and _plain(schema, at, side))
        line = next((at for at, side in p.sides if not side.null and _placed(schema, at)), None)
        if fixed:
            keys.setdefault(fixed, []).append(p)
        elif line is not None:
            ranges.setdefault(line, []).append(p)
        else:
            return table.all()
    for fixed, ps in keys.items():
        view |= table.having(_values(schema, fixed, ps))
    for line, ps in ranges.items():
        view |= table.between(schema.names[line], *_spans(schema, line, ps))
    return view


def purge(table: Table, puncts: PunctuationBatch) -> pl.DataFrame:
    """Drop the rows of a table that match punctuations; given are these rows."""
    if not len(puncts):
        return table.none().rows
    view = near(table, puncts)
    mask = matches(view.rows, puncts)
    gone = view.rows.filter(mask)
    view.drop(mask)
    return gone


def _plain(schema: Schema, at: int, side: Constant) -> bool:
    """Whether a constant is found by its hash: DECIMALs have several forms."""
    return side.value is not None and schema.attributes[at].type is not Type.DECIMAL


def _placed(schema: Schema, at: int) -> bool:
    return schema.attributes[at].type not in (Type.STRING, Type.DECIMAL)


def _values(schema: Schema, fixed: tuple[int, ...], puncts: Iterable[Punctuation]) -> pl.DataFrame:
    sides = [dict(p.sides) for p in puncts]
    return pl.DataFrame(
        [
            pl.Series(schema.names[at], [side[at].value for side in sides], dtype(schema.attributes[at]))  # type: ignore[attr-defined]
            for at in fixed
        ]
    )


def _spans(schema: Schema, line: int, puncts: Iterable[Punctuation]) -> tuple[Numbers, Numbers]:
    spans = (span for p in puncts for span in dict(p.sides)[line].spans)
    lows, highs = bounds(spans, schema.attributes[line])
    return lows.to_numpy(), highs.fill_null(_LAST).to_numpy()
