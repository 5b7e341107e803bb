"""Random joins of many streams, and brute force for them: what is needed is what some allowed later rows could use."""

from itertools import product
from typing import Any

from hypothesis import strategies as st

from punctum.algebra.bands import Band
from punctum.algebra.classes import Class
from punctum.algebra.pattern import between, constant, one_of
from punctum.algebra.punctuation import Punctuation, end_of_stream
from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.values import SCALARS, Row, Type, Value
from punctum.spec.multijoin import MultiJoin
from punctum.spec.stream import Slice
from spec.laws import matched
from spec.operators import bands
from strategies import SMALL, streams

Case = tuple[MultiJoin, list[list[Slice]]]
FRESH = 9
KINDS = [Type.BIGINT] * 6 + [Type.STRING, Type.DOUBLE, Type.DECIMAL, Type.TIMESTAMP]

SHAPES: dict[str, tuple[tuple[tuple[tuple[int, int], ...], ...], int]] = {
    "two": ((((0, 0), (1, 0)),), 2),
    "two, twice": ((((0, 0), (1, 0)), ((0, 1), (1, 1))), 2),
    "within": ((((0, 0), (0, 1), (1, 0)),), 2),
    "figure 3": ((((0, 1), (1, 0)), ((1, 1), (2, 0))), 3),
    "figure 5": ((((0, 1), (1, 0)), ((1, 1), (2, 0)), ((2, 1), (0, 0))), 3),
    "star": ((((0, 0), (1, 0)), ((0, 1), (2, 0))), 3),
    "common": ((((0, 0), (1, 0), (2, 0)),), 3),
    "common and more": ((((0, 0), (1, 0), (2, 0)), ((1, 1), (2, 1))), 3),
}
"""The classes of joins of a few inputs, of two attributes each, and how many inputs there are."""


@st.composite
def multijoins(draw: st.DrawFn, kinds: list[Type] = KINDS) -> MultiJoin:
    """A join of some shape, perhaps with a class that is fixed to a constant."""
    shape, count = SHAPES[draw(st.sampled_from(sorted(SHAPES)))]
    types = [draw(st.sampled_from(kinds)) for _ in shape]
    type_of: dict[tuple[int, int], Type] = {at: types[n] for n, members in enumerate(shape) for at in members}
    schemas = tuple(
        Schema(tuple(Attribute(f"{'abcd'[i]}{at}", type_of.get((i, at), Type.BIGINT)) for at in range(2)))
        for i in range(count)
    )
    fixed = draw(st.sampled_from([None, None, None, *range(len(shape))]))
    small = {kind: SMALL[kind][1] for kind in SCALARS}
    classes = [Class(members, small[types[n]] if n == fixed else None) for n, members in enumerate(shape)]
    alone = next((at for at in product(range(count), range(2)) if at not in type_of), None)
    if alone is not None and draw(st.booleans()):
        classes.append(Class((alone,), small[Type.BIGINT]))
    names = tuple(name for schema in schemas for name in schema.names)
    residual = draw(st.sampled_from([None, None, lambda row: len(repr(row)) % 3 > 0]))
    shown = draw(st.none() | st.frozensets(st.integers(0, len(names) - 1)))
    pairs = [
        ((i, x), (j, y))
        for (i, x), (j, y) in product(product(range(count), range(2)), repeat=2)
        if i != j and schemas[i].attributes[x].type is schemas[j].attributes[y].type
    ]
    banded = [
        band for of, by in draw(st.lists(st.sampled_from(pairs), max_size=2)) for band in _bands(draw, schemas, of, by)
    ]
    there = {at for class_ in classes for at in class_.members}
    ends = dict.fromkeys(end for band in banded for end in (band.of, band.by) if end is not None)
    classes += [Class((end,)) for end in ends if end not in there]
    return MultiJoin(schemas, tuple(classes), names, residual, shown, tuple(banded))


def _bands(draw: st.DrawFn, schemas: tuple[Schema, ...], of: tuple[int, int], by: tuple[int, int]) -> list[Band]:
    return draw(bands(of, by, schemas[of[0]].attributes[of[1]].type))


def promises(schema: Schema) -> st.SearchStrategy[Punctuation]:
    """Punctuations that leave a fresh value open on each attribute, on one or two attributes, or the end."""

    def pattern(kind: Type) -> st.SearchStrategy[object]:
        values = [v for v in SMALL[kind] if v is not None][1:4]
        value = st.sampled_from(values)
        return st.one_of(
            value.map(constant),
            value.map(constant),
            st.lists(value, min_size=1).map(one_of),
            st.builds(between, value, value),
            value.map(lambda v: between(None, v)),
        )

    @st.composite
    def some(draw: st.DrawFn) -> Punctuation:
        names = draw(st.sampled_from([*([name] for name in schema.names), list(schema.names)]))
        kinds = {a.name: a.type for a in schema.attributes}
        return Punctuation.of(schema, {name: draw(pattern(kinds[name])) for name in names})  # type: ignore[misc]

    return st.one_of([some()] * 12 + [st.just(end_of_stream(schema))])


def rows(schema: Schema, few: bool) -> st.SearchStrategy[Row]:
    """Rows of three values and NULL, or of two values alone, of which more meet."""

    def value(kind: Type) -> st.SearchStrategy[Value | None]:
        return st.sampled_from(SMALL[kind][1:3] if few else [None, *SMALL[kind][1:4], *SMALL[kind][1:4]])

    return st.tuples(*(value(a.type) for a in schema.attributes))


@st.composite
def multijoin_cases(draw: st.DrawFn, kinds: list[Type] = KINDS, most: int = 3) -> Case:
    operator, few = draw(multijoins(kinds)), draw(st.booleans())
    return operator, [draw(streams(schema, rows(schema, few), promises(schema), most)) for schema in operator.inputs]


def needed(operator: MultiJoin, inputs: list[Slice]) -> dict[str, list[Row]]:
    """The rows of which a later row makes a result, when each input may get any rows that its punctuations allow.

    A later result has rows that came and at least one that has not; more copies of a row change nothing.
    """
    universe: list[Row] = list(product([-1, 0, 1, 2, 3, 4, FRESH] if operator.bands else [0, 1, 2, FRESH], repeat=2))
    new = [[t for t in universe if not matched(t, xs.puncts)] for xs in inputs]
    kept: dict[str, list[Row]] = {}
    for i, xs in enumerate(inputs):
        kept[f"{i}"] = []
        for t in xs.rows:
            choices = [[(t, False)] if n == i else _both(ys.rows, new[n]) for n, ys in enumerate(inputs)]
            later = (way for way in product(*choices) if any(fresh for _, fresh in way))
            if any(_agree(operator, [row for row, _ in way]) for way in later):
                kept[f"{i}"].append(t)
    return kept


def _both(old: tuple[Row, ...], new: list[Row]) -> list[tuple[Row, bool]]:
    return [*((t, False) for t in dict.fromkeys(old)), *((t, True) for t in new)]


def _agree(operator: MultiJoin, way: list[Row]) -> bool:
    for class_ in operator.classes:
        values = {way[i][at] for i, at in class_.members} | ({class_.value} if class_.value is not None else set())
        if len(values) > 1 or None in values:
            return False
    return all(
        way[band.of[0]][band.of[1]] is not None
        and (band.by is None or way[band.by[0]][band.by[1]] is not None)
        and _lies(band, way)
        for band in operator.bands
    )


def _lies(band: Band, way: list[Row]) -> bool:
    """Whether whole numbers lie in a band."""
    of: Any = way[band.of[0]][band.of[1]]
    by: Any = 0 if band.by is None else way[band.by[0]][band.by[1]]
    return (band.low is None or of >= by + band.low.offset) and (band.high is None or of <= by + band.high.offset)
