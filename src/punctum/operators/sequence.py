"""Sequences: rows and punctuations with their places in, the rows that stand behind one that matches them out.

A row stands behind a punctuation when its place is greater. Constants are joined with the rows, each where it stands
first. Prefixes, and prefixes beside constants, are joined with the rows behind them, each as far as the furthest before
it. All other punctuations are halved by their places, as long as rows behind a half match one of it. So 1,000,000 rows
and 100,000 punctuations in any order meet at once.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from punctum.algebra.cuts import HIGHEST, LOWEST
from punctum.algebra.json import to_json
from punctum.algebra.pattern import NULL, Constant, Pattern
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.algebra.values import Type
from punctum.operators.batch import batch, constant_punctuations
from punctum.operators.columns import AT, ColumnarSlice, Places, dtype, empty, to_rows, uniform
from punctum.operators.matching import matches
from punctum.operators.places import bounds, places

_ROW, _FIRST, _CODE, _PLACE = "\0number", "\0first", "\0code", "\0place"


@dataclass
class PlacedPunctuations:
    """Punctuations with their places; those that are one constant each as columns, by the attribute's position."""

    schema: Schema
    constants: dict[int, tuple[pl.Series, pl.Series]] = field(default_factory=dict)
    others: list[tuple[int, Punctuation]] = field(default_factory=list)

    def __add__(self, more: "PlacedPunctuations") -> "PlacedPunctuations":
        """Both together."""
        return together(self.schema, (self, more))

    def places(self) -> list[pl.Series]:
        """All places."""
        return [
            *(where for _, where in self.constants.values()),
            pl.Series([n for n, _ in self.others], dtype=pl.Int64),
        ]

    def last(self) -> int:
        """The greatest place; there are some."""
        return max(most for where in self.places() if isinstance(most := where.max(), int))

    def first(self) -> int | None:
        """The least place."""
        return min((least for where in self.places() if isinstance(least := where.min(), int)), default=None)

    def on(self, positions: Iterable[int]) -> "PlacedPunctuations":
        """Those that speak of one of some attributes."""
        some = set(positions)
        others = [(place, p) for place, p in self.others if any(i in some for i, _ in p.sides)]
        return PlacedPunctuations(self.schema, {at: c for at, c in self.constants.items() if at in some}, others)

    def alone(self, positions: Iterable[int]) -> "PlacedPunctuations":
        """Those that speak of some attributes alone."""
        some = set(positions)
        others = [(place, p) for place, p in self.others if {i for i, _ in p.sides} <= some]
        return PlacedPunctuations(self.schema, {at: c for at, c in self.constants.items() if at in some}, others)

    def constants_of(self, at: int) -> Iterator[tuple[int, Punctuation]]:
        """The constants of an attribute, one by one."""
        values, where = self.constants[at]
        return zip(where, constant_punctuations(self.schema, at, values), strict=True)

    def between(self, at: pl.Series) -> list[tuple[int, ColumnarSlice]]:
        """Those that none of some rows stands between, together: slices of them, each with one of their places."""
        known, names = at.unique().sort(), self.schema.names
        others: dict[int, list[tuple[int, Punctuation]]] = {}
        for n, other in zip(known.search_sorted(self.places()[-1], side="right"), self.others, strict=True):
            others.setdefault(n, []).append(other)
        columns: dict[int, dict[str, pl.DataFrame]] = {}
        for n, (values, where) in self.constants.items():
            parts = pl.DataFrame(
                [values.alias(names[n]), where.alias(AT), known.search_sorted(where, side="right").alias(_ROW)]
            )
            for (row,), part in parts.partition_by(_ROW, as_dict=True, maintain_order=True).items():
                columns.setdefault(row, {})[names[n]] = part
        slices = []
        for row in sorted({*others, *columns}):
            mine, closed = others.get(row, []), columns.get(row, {})
            places = [*(place for place, _ in mine), *(part[AT][0] for part in closed.values())]
            constants = {name: part[name] for name, part in closed.items()}
            slices.append((places[0], ColumnarSlice(empty(self.schema), tuple(p for _, p in mine), constants)))
        return slices

    def moved(self, by: int) -> "PlacedPunctuations":
        """The same behind so many places."""
        constants = {at: (values, where + by) for at, (values, where) in self.constants.items()}
        return PlacedPunctuations(self.schema, constants, [(place + by, p) for place, p in self.others])

    def slice(self, rows: pl.DataFrame, at: pl.Series) -> ColumnarSlice:
        """A slice of rows and of these, with all places."""
        names, ordered = self.schema.names, {at: column for at, column in self.constants.items() if len(column[0])}
        placed = Places(at, tuple(place for place, _ in self.others), {names[n]: c[1] for n, c in ordered.items()})
        return ColumnarSlice(
            rows, tuple(p for _, p in self.others), {names[n]: c[0] for n, c in ordered.items()}, placed
        )


def together(schema: Schema, parts: Sequence[PlacedPunctuations]) -> PlacedPunctuations:
    """Punctuations of some parts."""
    known: dict[int, list[tuple[pl.Series, pl.Series]]] = {}
    for part in parts:
        for at, column in part.constants.items():
            known.setdefault(at, []).append(column)
    constants = {at: (pl.concat([c[0] for c in cs]), pl.concat([c[1] for c in cs])) for at, cs in known.items()}
    return PlacedPunctuations(schema, constants, [other for part in parts for other in part.others])


def placed(schema: Schema, xs: ColumnarSlice, unplaced: int) -> PlacedPunctuations:
    """The punctuations of a slice with their places, or all at one place."""
    if xs.places is None:
        constants = {
            schema.index(name): (values, uniform(unplaced, len(values), pl.Int64))
            for name, values in xs.constants.items()
        }
        return PlacedPunctuations(schema, constants, [(unplaced, p) for p in xs.puncts])
    known = xs.places
    constants = {schema.index(name): (values, known.constants[name]) for name, values in xs.constants.items()}
    return PlacedPunctuations(schema, constants, list(zip(known.puncts, xs.puncts, strict=True)))


def furthest(puncts: Sequence[Punctuation]) -> tuple[Punctuation, ...]:
    """Those of some punctuations behind which no prefix goes further than they do: it says what they say.

    >>> from punctum.algebra.pattern import between
    >>> hour = Schema.of(hour="BIGINT")
    >>> [str(p) for p in furthest([Punctuation.of(hour, hour=between(None, n)) for n in (1, 3, 2)])]
    ['<(,3]>']
    """
    best: dict[tuple[int, bool], int] = {}
    gone = set[int]()
    for n, p in enumerate(puncts):
        if len(p.sides) != 1 or (rising := _direction((side := p.sides[0])[1])) is None:
            continue
        key, ends = (side[0], rising), side[1].spans[0]
        if (m := best.get(key)) is not None:
            other = puncts[m].sides[0][1].spans[0]
            further = ends[1] >= other[1] if rising else ends[0] <= other[0]
            gone.add(m if further else n)
            best[key] = n if further else m
        else:
            best[key] = n
    return tuple(p for n, p in enumerate(puncts) if n not in gone)


def late(rows: pl.DataFrame, at: pl.Series, puncts: PlacedPunctuations) -> pl.Series:
    """Whether each row stands behind a punctuation that matches it.

    >>> hour = Schema.of(hour="BIGINT")
    >>> puncts = PlacedPunctuations(hour, {0: (pl.Series([3]), pl.Series([2]))}, [(4, Punctuation.of(hour, hour=5))])
    >>> late(pl.DataFrame({"hour": [3, 5, 3, 5]}), pl.Series([1, 2, 3, 5]), puncts).to_list()
    [False, False, True, True]
    """
    wrong = [hit.rows for hit in _hits(rows, at, puncts) if len(hit.rows)]
    if not wrong:
        return uniform(False, rows.height)
    return pl.int_range(rows.height, eager=True, dtype=pl.UInt32).is_in(pl.concat(wrong).unique().implode())


def why(rows: pl.DataFrame, at: pl.Series, puncts: PlacedPunctuations) -> pl.Series:
    """For each of some late rows, the JSON of a punctuation that it stands behind."""
    reasons = uniform(None, rows.height, pl.String).alias("reason")
    schema = puncts.schema
    for hit in _hits(rows, at, puncts):
        if hit.numbers is None:
            keys = to_rows(rows.select(hit.names)[hit.rows])
            texts = {
                key: to_json(Punctuation.of(schema, dict(zip(hit.names, key, strict=True))), schema) for key in keys
            }
            reasons = reasons.scatter(hit.rows, [texts[key] for key in keys])
        else:
            named = {n: to_json(puncts.others[n][1], schema) for n in hit.numbers.unique()}
            reasons = reasons.scatter(hit.rows, [named[n] for n in hit.numbers])
    return reasons


class _Hit(NamedTuple):
    """Late rows, and the numbers of what they stand behind; nothing: their own values on these columns."""

    rows: pl.Series
    numbers: pl.Series | None
    names: list[str]


def _hits(rows: pl.DataFrame, at: pl.Series, puncts: PlacedPunctuations) -> Iterator[_Hit]:
    first = puncts.first()
    if first is None or rows.is_empty():
        return
    chosen = at > first
    if not chosen.any():
        return
    names = puncts.schema.names
    for n, (values, where) in puncts.constants.items():
        before = values.filter(where < at.max())
        if _apart(rows[names[n]], before):
            continue
        near = chosen & _passed_by(rows[names[n]], at, values, where)
        here = near & rows[names[n]].is_in(before.implode()) if near.any() else near
        if here.any():
            some = pl.DataFrame([rows[names[n]], at.alias(AT)]).with_row_index(_ROW).filter(here)
            yield _keyed(some, [names[n]], pl.DataFrame([values.alias(names[n]), where.alias(AT)]))
    if not puncts.others:
        return
    kinds = _Kinds(puncts)
    for (positions, loose, rising), numbers in [*kinds.prefixes.items()]:
        if not positions and not (chosen & _beyond(rows[names[loose]], at, kinds, loose, rising, numbers)).any():
            del kinds.prefixes[positions, loose, rising]
    if not (kinds.keys or kinds.prefixes or kinds.rest):
        return
    asked = names if kinds.rest else [names[i] for i in sorted(kinds.asked)]
    behind = pl.DataFrame([*(rows[name] for name in asked), at.alias(AT)]).with_row_index(_ROW).filter(chosen)
    for positions, numbers in kinds.keys.items():
        yield _keyed(behind, [names[i] for i in positions], kinds.table(positions, numbers))
    for (positions, loose, rising), numbers in kinds.prefixes.items():
        yield _passed(behind, kinds, positions, loose, rising, numbers)
    if kinds.rest:
        yield from _halved(behind, puncts, sorted(kinds.rest, key=lambda n: puncts.others[n][0]))


def _passed_by(column: pl.Series, at: pl.Series, values: pl.Series, where: pl.Series) -> pl.Series:
    """Which rows have no greater value than all that were closed before them; where that takes long to tell, all.

    Keys are closed in about the order in which they come, so these are few.
    """
    if column.dtype != pl.Int64 or column.null_count() or values.null_count():
        return uniform(True, len(column))
    order = np.argsort(where.to_numpy(), kind="stable")
    return _below(column, at, where.to_numpy()[order], np.maximum.accumulate(values.to_numpy()[order]))


def _beyond(
    column: pl.Series, at: pl.Series, kinds: "_Kinds", loose: int, rising: bool, numbers: list[int]
) -> pl.Series:
    """Which rows the furthest of some prefixes before them has passed; where that takes long to tell, all."""
    values = places(column)
    if values.dtype != pl.Int64 or values.null_count():
        return uniform(True, len(column))
    chosen = sorted((kinds.puncts.others[n] for n in numbers), key=lambda other: other[0])
    spans = (p.patterns[loose].spans[0] for _, p in chosen)
    lows, highs = (side.to_numpy() for side in bounds(spans, kinds.puncts.schema.attributes[loose]))
    where = np.array([place for place, _ in chosen])
    if rising:
        return _below(values, at, where, np.maximum.accumulate(highs) - 1)
    return _below(~values, at, where, np.maximum.accumulate(~lows))  # where values turn, order turns


def _below(values: pl.Series, at: pl.Series, where: NDArray[np.int64], ends: NDArray[np.int64]) -> pl.Series:
    """Which values, each at a place, do not exceed the last of some ends that stand before it."""
    before = np.searchsorted(where, at.to_numpy(), side="left") - 1
    return pl.Series((before >= 0) & (values.to_numpy() <= ends[before]))


def _apart(column: pl.Series, values: pl.Series) -> bool:
    """Whether no value of a column lies between others: keys that are closed are older than those that come."""
    if values.dtype in (pl.String, pl.Float64):  # NaN is the greatest, and has no part in a maximum
        return False
    least, most = values.min(), values.max()
    return least is None or not column.is_between(pl.lit(least), pl.lit(most)).any()


class _Kinds:
    """The numbers of punctuations that are constants, of those that are constants and one prefix, and of all others."""

    def __init__(self, puncts: PlacedPunctuations) -> None:
        self.puncts = puncts
        self.keys: dict[tuple[int, ...], list[int]] = {}
        self.prefixes: dict[tuple[tuple[int, ...], int, bool], list[int]] = {}
        self.rest: list[int] = []
        for n, (_, p) in enumerate(puncts.others):
            self._add(n, p)

    @property
    def asked(self) -> set[int]:
        """The columns that constants and prefixes are on."""
        prefixes = (i for positions, loose, _ in self.prefixes for i in (*positions, loose))
        return {*chain.from_iterable(self.keys), *prefixes}

    def _add(self, n: int, p: Punctuation) -> None:
        attributes = self.puncts.schema.attributes
        fixed = [i for i, side in p.sides if isinstance(side, Constant) and attributes[i].type is not Type.DECIMAL]
        loose = [(i, side) for i, side in p.sides if i not in fixed]
        null = any(side == NULL for _, side in p.sides)
        if p.empty:
            return
        if fixed and not loose:
            self.keys.setdefault(tuple(fixed), []).append(n)
        elif len(loose) == 1 and not null and (rising := _direction(loose[0][1])) is not None:
            self.prefixes.setdefault((tuple(fixed), loose[0][0], rising), []).append(n)
        else:
            self.rest.append(n)

    def table(self, positions: tuple[int, ...], numbers: list[int]) -> pl.DataFrame:
        """The constants of some punctuations, and their places."""
        schema, chosen = self.puncts.schema, [self.puncts.others[n] for n in numbers]
        columns = [
            pl.Series(schema.names[i], [p.patterns[i].value for _, p in chosen], dtype(schema.attributes[i]))  # type: ignore[attr-defined]
            for i in positions
        ]
        return pl.DataFrame([*columns, pl.Series(AT, [place for place, _ in chosen], pl.Int64)])


def _direction(side: Pattern) -> bool | None:
    """Whether a pattern is all values below a bound, or all above one; nothing: it is neither."""
    if side.null or len(side.spans) != 1:
        return None
    low, high = side.spans[0]
    return None if (low is LOWEST) == (high is HIGHEST) else low is LOWEST


def _keyed(behind: pl.DataFrame, names: list[str], known: pl.DataFrame) -> _Hit:
    """The rows whose values on some columns have been closed before."""
    first = known.group_by(names).agg(pl.col(AT).min().alias(_FIRST))
    met = behind.select(_ROW, AT, *names).join(first, on=names, nulls_equal=True).filter(pl.col(AT) > pl.col(_FIRST))
    return _Hit(met[_ROW], None, names)


def _passed(
    behind: pl.DataFrame, kinds: _Kinds, fixed: tuple[int, ...], loose: int, rising: bool, numbers: list[int]
) -> _Hit:
    """The rows that the furthest prefix before them has passed."""
    schema = kinds.puncts.schema
    lows, highs = bounds(
        (kinds.puncts.others[n][1].patterns[loose].spans[0] for n in numbers), schema.attributes[loose]
    )
    ends, names = highs if rising else lows, [schema.names[i] for i in fixed]
    code = ends.rank("dense").cast(pl.Int64)
    known = kinds.table(fixed, numbers).with_columns(
        (code if rising else -code).alias(_CODE), pl.int_range(len(numbers), eager=True).alias(_FIRST)
    )
    furthest = pl.col(_CODE).cum_max()
    record = pl.when(pl.col(_CODE) == (furthest.over(names) if names else furthest)).then(_FIRST).forward_fill()
    known = known.sort(AT, maintain_order=True).with_columns((record.over(names) if names else record).alias(_FIRST))
    if not names:
        met = behind.select(_ROW, places(behind[schema.names[loose]]).alias(_PLACE))
        before = known[AT].search_sorted(behind[AT], side="left").cast(pl.Int64) - 1
        first = known[_FIRST].gather(pl.select(pl.when(before >= 0).then(before)).to_series())
        end = ends.gather(first)
        wrong = ((met[_PLACE] < end) if rising else (met[_PLACE] >= end)).fill_null(False)
        return _Hit(met[_ROW].filter(wrong), pl.Series(numbers, dtype=pl.Int64).gather(first.filter(wrong)), [])
    known = known.with_columns(places(known[name]).alias(name) for name in names)  # not all types can be joined so
    keys = [places(behind[name]).alias(name) for name in names]
    met = behind.select(_ROW, AT, *keys, places(behind[schema.names[loose]]).alias(_PLACE)).sort(AT)
    met = met.join_asof(
        known.select(AT, *names, _FIRST),
        on=AT,
        by=names or None,
        strategy="backward",
        allow_exact_matches=False,
        check_sortedness=False,
    ).drop_nulls([_FIRST, _PLACE])
    end = ends.gather(met[_FIRST])
    met = met.filter(met[_PLACE] < end if rising else met[_PLACE] >= end)
    return _Hit(met[_ROW], pl.Series(numbers, dtype=pl.Int64).gather(met[_FIRST]), [])


def _halved(behind: pl.DataFrame, puncts: PlacedPunctuations, numbers: list[int]) -> Iterator[_Hit]:
    """The rows behind some punctuations, which are in order, that match one of them."""
    behind = behind.filter(pl.col(AT) > puncts.others[numbers[0]][0])
    met = behind.filter(matches(behind, batch(puncts.schema, (puncts.others[n][1] for n in numbers))))
    if len(numbers) == 1 and met.height:
        yield _Hit(met[_ROW], uniform(numbers[0], met.height, pl.Int64), [])
    elif met.height:
        half = len(numbers) // 2
        yield from _halved(met, puncts, numbers[half:])
        yield from _halved(met, puncts, numbers[:half])  # last: of several the first is told
