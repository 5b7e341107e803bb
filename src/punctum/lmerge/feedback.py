"""Signals that go against a stream: what of it nobody needs any more. Text in, which rows may be skipped out.

A merge that has emitted stable(t) needs no element of an event that is over before t, whichever input has it: the
event is fully frozen on the output, and no later element can change it. It signals that as a punctuation over the
columns of its inputs, ``{"$punct": {"_ve": {"lt": 11}}}``, and a plan that feeds it skips the rows that this matches.
A merge of inserts in order needs no event that has started before t: ``{"$punct": {"_vs": {"lt": 11}}}``. After
stable(∞) nobody needs anything: ``{"$punct": {}}``.

Where elements are inserts alone, each row is an event, and is skipped by itself. With adjusts, the end of an event is
known when its stream has sent a later stable, and an adjust is of use only to who has the event. So a piece's elements
of one payload and start are skipped together, and only if the event is new in the piece, the piece itself has a stable
behind all ends that they name, and all these ends are before t.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

from punctum.algebra.cuts import HIGHEST, LOWEST
from punctum.algebra.json import from_json, to_json
from punctum.algebra.pattern import between
from punctum.algebra.punctuation import Punctuation, end_of_stream
from punctum.algebra.schema import Schema
from punctum.errors import PunctumError
from punctum.lmerge.elements import ADJUST, FOREVER, HIDDEN, NEVER, TIMES, VE, VOLD, VS, stable_of, time_value
from punctum.operators.columns import ColumnarSlice, dtype

_END, _COUNT = "\0end", "\0count"


@dataclass(frozen=True)
class Signal:
    """Nobody needs rows that have less than a limit, a time as a whole number, in a column; infinity: no rows at all.

    >>> schema = Schema.of(a="STRING", _ve="BIGINT")
    >>> signal = Signal.read('{"$punct": {"_ve": {"lt": 11}}}', schema)
    >>> signal, signal.text(schema)
    (Signal(column='_ve', limit=11), '{"$punct": {"_ve": {"le": 10}}}')
    """

    column: str
    limit: int

    @staticmethod
    def read(text: str, schema: Schema) -> "Signal | None":
        """The signal of a text over a schema; nothing, when it is none: a signal that is lost costs time only."""
        try:
            item = from_json(text, schema)
        except PunctumError:
            return None
        if not isinstance(item, Punctuation) or len(item.sides) > 1:
            return None
        if not item.sides:
            return Signal("", FOREVER)
        at, pattern = item.sides[0]
        attribute = schema.attributes[at]
        if attribute.type not in TIMES or len(pattern.spans) != 1 or pattern.spans[0][0] is not LOWEST:
            return None
        high = pattern.spans[0][1]
        return None if high is HIGHEST else Signal(attribute.name, _whole(high, schema, at))

    def text(self, schema: Schema) -> str:
        """The signal as the JSON of a punctuation."""
        if self.limit == FOREVER:
            return to_json(end_of_stream(schema), schema)
        value = time_value(self.limit, schema.attributes[schema.index(self.column)].type)
        return to_json(Punctuation.of(schema, {self.column: between(None, value, "[)")}), schema)

    def over(self, rows: pl.DataFrame, of: pl.Expr) -> pl.Series:
        """Which rows nobody needs, given what the column is in them."""
        if self.limit == FOREVER:
            return pl.Series([True]).new_from_index(0, rows.height)
        return rows.select((of.to_physical() < self.limit).fill_null(False)).to_series()


def _whole(value: object, schema: Schema, at: int) -> int:
    return int(pl.Series([value], dtype=dtype(schema.attributes[at])).to_physical()[0])


def least(signals: Iterable[Signal | None]) -> Signal | None:
    """What none of several readers needs; nothing, when one of them has sent no signal.

    >>> least([Signal("_ve", 11), Signal("_ve", 7)]), least([Signal("_ve", 11), None])
    (Signal(column='_ve', limit=7), None)
    """
    known = list(signals)
    given = [signal for signal in known if signal is not None]
    if not given or len(given) < len(known):
        return None
    limited = [signal for signal in given if signal.limit != FOREVER]
    if len({signal.column for signal in limited}) > 1:
        return None
    return min(limited or given, key=lambda signal: signal.limit)


def events_over(piece: ColumnarSlice, limit: int) -> pl.Series:
    """Which elements of a piece are of events that are new in it, final and over before a limit.

    >>> from punctum.lmerge.elements import Adjust, Insert, Stable, element_schema, to_columns
    >>> schema = element_schema(Schema.of(a="STRING"))
    >>> known = [Insert(("A",), 1, 3), Adjust(("A",), 1, 3, 5), Adjust(("B",), 1, 9, 5), Insert(("C",), 2, 8)]
    >>> events_over(to_columns([*known, Stable(7)], schema), 20).to_list()
    [True, True, False, False]
    """
    rows = piece.rows
    if limit == FOREVER:
        return pl.Series([True]).new_from_index(0, rows.height)
    stable = max([t for p in piece.puncts if (t := stable_of(p)) is not None], default=NEVER)
    event = [name for name in rows.columns if name not in HIDDEN] + [VS]
    until = min(limit, stable)
    late = pl.max_horizontal(_ends(rows, VE), pl.when(pl.col(ADJUST)).then(_ends(rows, VOLD))) >= until
    suspects = rows.filter(rows.select(late.fill_null(False)).to_series()).select(event).unique()
    adjusts = rows.filter(pl.col(ADJUST)).select(*event, _ends(rows, VOLD).alias(_END), pl.lit(-1).alias(_COUNT))
    if adjusts.height:
        given = rows.select(*event, _ends(rows, VE).alias(_END), pl.lit(1).alias(_COUNT))
        counted = pl.concat([given, adjusts]).group_by([*event, _END]).agg(pl.col(_COUNT).sum())
        older = counted.filter(pl.col(_COUNT) < 0).select(event)
        suspects = pl.concat([suspects, older]).unique()
    marked = rows.select(event).with_row_index(_END)
    left = marked.join(suspects, on=event, how="anti", nulls_equal=True)[_END]
    return marked[_END].is_in(left.implode()) if left.len() else pl.Series([False]).new_from_index(0, rows.height)


def _ends(rows: pl.DataFrame, name: str) -> pl.Expr:
    """A column of ends as whole numbers."""
    return pl.col(name).to_physical().cast(pl.Int64).fill_null(FOREVER)
