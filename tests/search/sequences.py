"""What the streams of a script send: rows, all punctuations that their schemes promise, in random order, cut at random.

For each scheme there are punctuations over everything that can be in its attributes: over each value that occurs, over
NULL, and over what lies between. Each stands somewhere behind the last row that it matches.
"""

import random
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import pairwise, product
from typing import Any

from punctum.algebra import EMPTY, NULL, Pattern, Punctuation, Schema, between, constant
from punctum.algebra.values import Row
from punctum.operators.columns import ColumnarSlice, frame
from search.streams import Stream, Written

Element = Row | Punctuation
Pool = dict[str, tuple[object, ...]]


def sequence(stream: Stream, script: Written, schema: Schema, rng: random.Random) -> list[Element]:
    """The rows of a stream and its promised punctuations, in an order that is grammatical."""
    rows = _rows(stream, script.pool, rng)
    found: list[list[Element]] = [[] for _ in range(len(rows) + 1)]
    for p in _promised(stream, script, schema, rng):
        last = max((n for n, row in enumerate(rows, 1) if p.match(row)), default=0)
        found[rng.randint(last, len(rows))].append(p)
    for each in found:
        rng.shuffle(each)
    return [*found[0], *(e for row, behind in zip(rows, found[1:], strict=True) for e in (row, *behind))]


def cut(sequence: Sequence[Element], schema: Schema, pieces: int, rng: random.Random) -> list[ColumnarSlice]:
    """A sequence in so many slices, some of them empty."""
    cuts = sorted(rng.randint(0, len(sequence)) for _ in range(pieces - 1))
    return [_columns(schema, sequence[a:b]) for a, b in pairwise([0, *cuts, len(sequence)])]


def rows_of(sequence: Sequence[Element]) -> list[Row]:
    """The rows of a sequence."""
    return [e for e in sequence if not isinstance(e, Punctuation)]


def _columns(schema: Schema, elements: Sequence[Element]) -> ColumnarSlice:
    return ColumnarSlice(frame(schema, rows_of(elements)), tuple(e for e in elements if isinstance(e, Punctuation)))


def _rows(stream: Stream, pool: Pool, rng: random.Random) -> list[Row]:
    few = {n: stream.values(n, pool) for n, _ in stream.columns}
    rows: list[Row] = []
    nulls = rng.choice([0.1, 0.1, 0.5])
    for _ in range(rng.choice([0, 2, 4, 6, 8])):
        row = [rng.choice(few[n]) for n, _ in stream.columns]
        rows.append(
            tuple(
                None if n not in stream.filled and rng.random() < nulls else value  # type: ignore[misc]
                for (n, _), value in zip(stream.columns, row, strict=True)
            )
        )
    if not stream.unique:
        return rows
    at = [n for n, _ in stream.columns].index(stream.unique[0])
    return list({row[at]: row for row in rows}.values())


def _promised(stream: Stream, script: Written, schema: Schema, rng: random.Random) -> Iterator[Punctuation]:
    for scheme in (*stream.schemes, *([((stream.unique[0], ""),)] if stream.unique else [])):
        (first, order), *others = scheme
        if order:
            yield from _prefixes(sorted(stream.values(first, script.pool)), schema, first, order, rng)
            continue
        if others and others[0][1]:
            yield from _mixed(stream, script, schema, scheme, rng)
            continue
        rest = [[(n, p) for p in _all(stream, n)] for n, _ in others]
        for pattern in _parts(stream, first, sorted(stream.values(first, script.pool))):
            for way in product(*rest):
                yield Punctuation.of(schema, {first: pattern, **dict(way)})


def _mixed(
    stream: Stream, script: Written, schema: Schema, scheme: tuple[tuple[str, str], ...], rng: random.Random
) -> Iterator[Punctuation]:
    """Prefixes for each value of the attribute that has no order."""
    (first, _), (second, order) = scheme
    for pattern in _parts(stream, first, sorted(stream.values(first, script.pool))):
        for p in _prefixes(sorted(stream.values(second, script.pool)), schema, second, order, rng):
            yield Punctuation.of(schema, {first: pattern, second: p.patterns[schema.index(second)]})


def _prefixes(values: list[Any], schema: Schema, name: str, order: str, rng: random.Random) -> Iterator[Punctuation]:
    ends: tuple[Any, Any] = (-(10**9), 10**9)
    if isinstance(values[0], datetime):
        ends = datetime(1900, 1, 1), datetime(2200, 1, 1)
    elif isinstance(values[0], float):
        ends = -1e9, 1e9
    for value in (rng.choice(values), ends[order == "ASC"]):
        yield Punctuation.of(schema, {name: between(None, value) if order == "ASC" else between(value, None)})


def _parts(stream: Stream, name: str, values: list[Any]) -> list[Pattern]:
    """Everything that can be in an attribute, in small parts."""
    parts: list[Pattern] = [constant(value) for value in values]
    parts += [] if name in stream.filled else [NULL]
    if name in stream.domains or dict(stream.columns)[name] == "BOOLEAN":
        return parts
    others = [between(a, b, "()") for a, b in pairwise([None, *values, None])]
    return [*parts, *(each for each in others if each is not EMPTY)]


def _all(stream: Stream, name: str) -> list[Pattern]:
    """Everything that can be in an attribute, in large parts."""
    some = [constant(False), constant(True)] if dict(stream.columns)[name] == "BOOLEAN" else [between(None, None)]
    return [*some] if name in stream.filled else [*some, NULL]
