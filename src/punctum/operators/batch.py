"""Batches: the punctuations of a slice, with the many that are one constant each as columns.

Streams close one key after the other, so most punctuations are a constant on one attribute. A batch keeps of these the
constants alone, a column for each attribute (``constants``): 30,000 of them cost about as much as one. All others
stay as they are. A batch of a slice's punctuations means the same as they do, no more and no less.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import product

import numpy as np
import polars as pl
from numpy.typing import NDArray

from punctum.algebra.cuts import above, below
from punctum.algebra.pattern import WILDCARD, Constant, Pattern, between
from punctum.algebra.punctuation import Punctuation, Side
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import Schema
from punctum.algebra.spanset import SpanSet
from punctum.algebra.values import Type
from punctum.operators.columns import ColumnarSlice, dtype, to_rows

MANY = 200
"""So many runs of whole numbers are worth coalescing with a line at once."""
_LEAST, _MOST = -(2**62), 2**62

Constants = dict[int, pl.Series]
"""Constants that are not NULL, each once, by the position of their attribute."""


@dataclass
class PunctuationBatch:
    """Punctuations over one schema."""

    schema: Schema
    constants: Constants = field(default_factory=dict)
    others: list[Punctuation] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.others) + sum(map(len, self.constants.values()))

    def __iter__(self) -> Iterator[Punctuation]:
        for at, values in self.constants.items():
            yield from constant_punctuations(self.schema, at, values)
        yield from self.others

    def on(self, positions: Iterable[int]) -> "PunctuationBatch":
        """Those that speak of some attributes alone."""
        allowed = set(positions)
        constants = {at: values for at, values in self.constants.items() if at in allowed}
        return PunctuationBatch(self.schema, constants, [p for p in self.others if {i for i, _ in p.sides} <= allowed])

    def __add__(self, more: "PunctuationBatch") -> "PunctuationBatch":
        """Both together."""
        constants = dict(self.constants)
        for at, values in more.constants.items():
            constants[at] = (
                pl.concat([constants[at], values]).unique(maintain_order=True) if at in constants else values
            )
        return PunctuationBatch(self.schema, constants, [*self.others, *more.others])


def constant_punctuations(schema: Schema, at: int, values: pl.Series) -> Iterator[Punctuation]:
    """The punctuations that are one constant each of the attribute at a position.

    >>> print(*constant_punctuations(Schema.of(itemid="BIGINT", bidder="BIGINT"), 0, pl.Series([17, 18])))
    <17, *> <18, *>
    """
    before, after = (WILDCARD,) * at, (WILDCARD,) * (len(schema) - at - 1)
    for (value,) in to_rows(values.to_frame()):
        pattern = Constant(value)
        yield _known(schema, (*before, pattern, *after), ((at, pattern),))


def _known(schema: Schema, patterns: tuple[Pattern, ...], sides: tuple[Side, ...]) -> Punctuation:
    """A punctuation of patterns that are known to fit: several times faster than the constructor, which checks them."""
    made = object.__new__(Punctuation)
    fields = made.__dict__
    fields["schema"], fields["patterns"], fields["sides"] = schema, patterns, sides
    return made


def batch(schema: Schema, puncts: Iterable[Punctuation]) -> PunctuationBatch:
    """The punctuations that some row could match, as a batch."""
    by_attribute: dict[int, dict[object, None]] = {}
    others = []
    pointed = [a.type is not Type.DECIMAL for a in schema.attributes]  # a DECIMAL may have more digits than its column
    for p in puncts:
        sides = p.sides
        if len(sides) == 1 and pointed[sides[0][0]] and type(sides[0][1]) is Constant and sides[0][1].value is not None:
            by_attribute.setdefault(sides[0][0], {})[sides[0][1].value] = None
        elif not p.empty:
            others.append(p)
    constants = {at: pl.Series(list(values), dtype=dtype(schema.attributes[at])) for at, values in by_attribute.items()}
    return PunctuationBatch(schema, constants, others)


def punctuations_of(schema: Schema, xs: ColumnarSlice) -> PunctuationBatch:
    """The punctuations of a slice."""
    listed = batch(schema, xs.puncts)
    return listed + PunctuationBatch(
        schema, {schema.index(name): values.unique() for name, values in xs.constants.items()}
    )


def columns(rows: pl.DataFrame, emitted: PunctuationBatch, *inputs: ColumnarSlice) -> ColumnarSlice:
    """The output slice: constants stay columns when some input has given them so."""
    if any(xs.constants for xs in inputs):
        names = emitted.schema.names
        return ColumnarSlice(
            rows, tuple(emitted.others), {names[at]: values for at, values in emitted.constants.items() if len(values)}
        )
    return ColumnarSlice(rows, tuple(emitted))


def add(known: PunctuationSet, more: PunctuationBatch, many: int = MANY) -> None:
    """Add a batch; neighbouring integers coalesce before they are added, and more runs than ``many`` all at once."""
    for p in more.others:
        known.add(p)
    for at, values in more.constants.items():
        if values.dtype != pl.Int64 or not len(values):
            for p in constant_punctuations(known.schema, at, values):
                known.add(p)
            continue
        line, runs = _alone(known, at), [(low, high) for low, high in runs_of(values).tolist()]
        if line is not None and len(runs) > many and _whole(line) and _whole(runs):
            _coalesce(line, runs)
            continue
        for low, high in runs:
            if line is not None:
                line.add((below(low), above(high)))
            else:
                known.add(Punctuation.of(known.schema, {known.schema.names[at]: between(low, high)}))


def _alone(known: PunctuationSet, at: int) -> SpanSet | None:
    """The line of an attribute, when spans may be added to it and nothing else in the set changes."""
    lines, boxes = known.lines()
    return None if boxes or at not in lines or lines[at].null else lines[at]


def _whole(spans: Iterable[tuple[object, object]]) -> bool:
    """Whether all ends are whole numbers with others above and below them."""
    return all(type(low) is int and type(high) is int and low > _LEAST and high < _MOST for low, high in spans)


def _coalesce(line: SpanSet, runs: list[tuple[int, int]]) -> None:
    """Add many runs of whole numbers to a line at once."""
    reach = line.reach or (lambda number: number)
    both = np.array([*line, *((low, reach(high + 1)) for low, high in runs)], dtype=np.int64)
    both = both[np.argsort(both[:, 0], kind="stable")]
    ends = np.maximum.accumulate(both[:, 1])
    first = np.r_[True, both[1:, 0] > ends[:-1]]
    last = np.r_[first[1:], True]
    line.renew(zip(both[first, 0].tolist(), ends[last].tolist(), strict=True))


def runs_of(values: pl.Series) -> NDArray[np.int64]:
    """The runs of neighbours among integers of which none is there twice: the first and the last of each."""
    ordered = values.sort().to_numpy()
    breaks = np.flatnonzero(np.diff(ordered) != 1)
    return np.stack([ordered[np.r_[0, breaks + 1]], ordered[np.r_[breaks, len(ordered) - 1]]], axis=1)


class Names:
    """Under which positions of the output each attribute of an input stands, and how punctuations move there."""

    def __init__(self, output: Schema, targets: list[list[int]]) -> None:
        self._output, self._targets = output, targets

    def map_punctuations(self, received: PunctuationBatch) -> PunctuationBatch:
        """The punctuations over the output, once for each way to name their attributes."""
        moved = PunctuationBatch(self._output)
        for at, values in received.constants.items():
            moved += PunctuationBatch(self._output, dict.fromkeys(self._targets[at], values))
        moved.others += [q for p in received.others for q in self._ways(p)]
        return moved

    def _ways(self, p: Punctuation) -> Iterator[Punctuation]:
        for way in self._placed(p):
            patterns = [WILDCARD] * len(self._output)
            for n, pattern in way:
                patterns[n] = patterns[n].meet(pattern)
            yield Punctuation(self._output, tuple(patterns))

    def _placed(self, p: Punctuation) -> Iterator[tuple[tuple[int, Pattern], ...]]:
        """The ways to place the patterns of a punctuation over the output."""
        return product(*([(n, pattern) for n in self._targets[i]] for i, pattern in p.sides))
