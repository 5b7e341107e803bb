"""Which rows match which punctuations: frames and punctuations in, a mask of rows or of punctuations out.

Punctuations with one pattern become, for each attribute, constants that a hash table finds and spans in order that a
binary search finds, so 1,000,000 rows meet 100,000 of them at once. Boxes (several patterns) that have constants are
joined with the rows on these, their other patterns are then compared; the remaining boxes are tried one by one.
"""

from collections.abc import Iterable, Iterator
from itertools import product

import polars as pl

from punctum.algebra.boxes import Box
from punctum.algebra.pattern import NULL, Constant, Span
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import Schema
from punctum.algebra.spanset import SpanSet
from punctum.algebra.values import Type
from punctum.operators.batch import Constants, PunctuationBatch, batch
from punctum.operators.columns import dtype, uniform
from punctum.operators.limits import limits
from punctum.operators.places import Bounds, bounds, places

Groups = dict[tuple[tuple[int, ...], tuple[int, ...]], list[tuple[int, Box]]]
"""Boxes with their numbers, by the attributes of their constants and of their other patterns."""


def matches(df: pl.DataFrame, puncts: Iterable[Punctuation] | PunctuationSet | PunctuationBatch) -> pl.Series:
    """Whether each row matches one of the punctuations.

    >>> hour = Schema.of(hour="BIGINT")
    >>> matches(pl.DataFrame({"hour": [1, 2, None]}), [Punctuation.of(hour, hour=2)]).to_list()
    [False, True, False]
    """
    if isinstance(puncts, PunctuationSet):
        lines, boxes = puncts.lines()
        return _mask(df, puncts.schema, {}, lines, boxes)
    if not isinstance(puncts, PunctuationBatch):
        known = list(puncts)
        if not known:
            return uniform(False, df.height)
        puncts = batch(known[0].schema, known)
    lines, boxes = {}, []
    for p in puncts.others:
        if len(p.sides) == 1:
            ((at, pattern),) = p.sides
            line = lines.setdefault(at, SpanSet())
            line.null |= pattern.null
            for span in pattern.spans:
                line.add(span)
        else:
            boxes.append(p.sides)
    return _mask(df, puncts.schema, puncts.constants, lines, boxes)


def matches_alone(df: pl.DataFrame, known: PunctuationSet) -> pl.Series:
    """Whether each row matches one of those punctuations of a set that speak of the frame's columns alone.

    >>> zone = Schema.of(zoneid="BIGINT", hour="BIGINT")
    >>> hours = PunctuationSet(zone, [Punctuation.of(zone, hour=2), Punctuation.of(zone, zoneid=1, hour=3)])
    >>> matches_alone(pl.DataFrame({"hour": [2, 3]}), hours).to_list()
    [True, False]
    """
    lines, boxes = known.lines()
    there = [name in df.columns for name in known.schema.names]
    alone = {at: line for at, line in lines.items() if there[at]}
    return _mask(df, known.schema, {}, alone, [box for box in boxes if all(there[at] for at, _ in box)])


def free(df: pl.DataFrame, puncts: PunctuationBatch) -> tuple[PunctuationBatch, PunctuationBatch]:
    """The punctuations that no row matches, and the others."""
    if not df.height:
        return puncts, PunctuationBatch(puncts.schema)
    none, some = PunctuationBatch(puncts.schema), PunctuationBatch(puncts.schema)
    for at, values in puncts.constants.items():
        column = df[puncts.schema.names[at]]
        present = column.filter(column.is_in(values.implode())).unique()
        held = values.is_in(present.implode())
        none.constants[at], some.constants[at] = values.filter(~held), values.filter(held)
    held_ones = set(_met(df, puncts.schema, puncts.others))
    for n, p in enumerate(puncts.others):
        (some if n in held_ones else none).others.append(p)
    return none, some


def inside(column: pl.Series, spans: Bounds) -> pl.Series:
    """Whether each value lies in one of some spans, which are in order and do not overlap."""
    lows, highs = spans
    if len(lows) <= limits().compared:
        mask = uniform(False, len(column))
        where = places(column)
        for low, high in zip(lows, highs, strict=True):
            mask = mask | ((where >= low) & (where < high) if high is not None else where >= low)
        return _sure(mask)
    where = places(column)
    at = lows.search_sorted(where, side="right").cast(pl.Int64) - 1
    high = highs.gather(at.clip(0))
    return ((at >= 0) & (high.is_null() | (where < high))).fill_null(False) & where.is_not_null()


def _mask(
    df: pl.DataFrame, schema: Schema, constants: Constants, lines: dict[int, SpanSet], boxes: list[Box]
) -> pl.Series:
    mask = uniform(False, df.height)
    if not df.height:
        return mask
    if () in boxes:
        return ~mask
    for at, values in constants.items():
        mask = mask | _sure(df[schema.names[at]].is_in(values.implode()))
    for at, line in lines.items():
        column = df[schema.names[at]]
        if len(line) > line.null:
            mask = mask | inside(column, bounds(line, schema.attributes[at]))
        if line.null:
            mask = mask | column.is_null()
    if boxes:
        rows = pl.concat([pl.Series("row", [], dtype=pl.UInt32), *(rows for rows, _ in _hits(df, schema, boxes))])
        mask = mask | pl.int_range(df.height, eager=True, dtype=pl.UInt32).is_in(rows.unique().implode())
    return mask


def _sure(mask: pl.Series) -> pl.Series:
    """A mask in which NULL is not true."""
    return mask.fill_null(False) if mask.null_count() else mask


def _met(df: pl.DataFrame, schema: Schema, puncts: list[Punctuation]) -> Iterator[int]:
    """The numbers of the punctuations that some row matches."""
    boxes: list[tuple[int, Box]] = []
    spans: dict[int, list[tuple[int, Span]]] = {}
    for n, p in enumerate(puncts):
        if len(p.sides) != 1:
            boxes.append((n, p.sides))
        elif p.sides[0][1] == NULL:
            if df[schema.names[p.sides[0][0]]].null_count():
                yield n
        else:
            ((at, pattern),) = p.sides
            spans.setdefault(at, []).extend((n, span) for span in pattern.spans)
    for at, numbered in spans.items():
        where = places(df[schema.names[at]]).drop_nulls().unique().sort()
        lows, highs = bounds((span for _, span in numbered), schema.attributes[at])
        before = where.search_sorted(lows, side="left")
        until = where.search_sorted(highs, side="left").set(highs.is_null(), len(where))
        yield from (n for (n, _), some in zip(numbered, until > before, strict=True) if some)
    for _, numbers in _hits(df, schema, [box for _, box in boxes]):
        yield from (boxes[n][0] for n in numbers.unique())


def _hits(df: pl.DataFrame, schema: Schema, boxes: list[Box]) -> Iterator[tuple[pl.Series, pl.Series]]:
    """The rows that match boxes and, in parallel, the numbers of the boxes."""
    groups: Groups = {}
    for n, box in enumerate(boxes):
        fixed = tuple(at for at, p in box if isinstance(p, Constant) and schema.attributes[at].type is not Type.DECIMAL)
        loose = tuple(at for at, _ in box if at not in fixed)
        groups.setdefault((fixed, loose), []).append((n, box))
    for (fixed, loose), members in groups.items():
        plain = not any(p == NULL for _, box in members for at, p in box if at in loose)
        if fixed and plain and len(members) > limits().compared:
            yield _joined(df, schema, fixed, loose, members)
        else:
            yield from (_one(df, schema, n, box) for n, box in members)


def _one(df: pl.DataFrame, schema: Schema, n: int, box: Box) -> tuple[pl.Series, pl.Series]:
    mask = uniform(True, df.height)
    for at, pattern in box:
        column = df[schema.names[at]]
        mask &= column.is_null() if pattern == NULL else inside(column, bounds(pattern.spans, schema.attributes[at]))
    rows = mask.arg_true().cast(pl.UInt32).rename("row")
    return rows, uniform(n, len(rows), pl.UInt32)


def _joined(
    df: pl.DataFrame, schema: Schema, fixed: tuple[int, ...], loose: tuple[int, ...], members: list[tuple[int, Box]]
) -> tuple[pl.Series, pl.Series]:
    """The hits of boxes that have constants on the same attributes."""
    numbers: list[int] = []
    values: dict[int, list[object]] = {at: [] for at in fixed}
    spans: dict[int, list[Span]] = {at: [] for at in loose}
    for n, box in members:
        sides = dict(box)
        for way in product(*(sides[at].spans for at in loose)):
            numbers.append(n)
            for at in fixed:
                side = sides[at]
                assert isinstance(side, Constant)
                values[at].append(side.value)
            for at, span in zip(loose, way, strict=True):
                spans[at].append(span)
    ranges = {at: bounds(spans[at], schema.attributes[at]) for at in loose}
    known = pl.DataFrame(
        [
            pl.Series("box", numbers, dtype=pl.UInt32),
            *(pl.Series(f"at {at}", values[at], dtype=dtype(schema.attributes[at])) for at in fixed),
            *(series.rename(f"{series.name} {at}") for at in loose for series in ranges[at]),
        ]
    )
    rows = pl.DataFrame(
        [
            pl.int_range(df.height, eager=True, dtype=pl.UInt32).rename("row"),
            *(df[schema.names[at]].rename(f"at {at}") for at in fixed),
            *(places(df[schema.names[at]]).rename(f"place {at}") for at in loose),
        ]
    )
    pairs = rows.join(known, on=[f"at {at}" for at in fixed], nulls_equal=True)
    for at in loose:
        place, high = pl.col(f"place {at}"), pl.col(f"high {at}")
        pairs = pairs.filter(place >= pl.col(f"low {at}"), high.is_null() | (place < high))
    return pairs["row"], pairs["box"]
