"""The classes of a join of many inputs: which columns they equate, and what is closed of their values.

Punctuations of an input on equated columns alone close values of classes: those that the input has no more rows
for. They become punctuations over ``schema``, which has an attribute for each class. Bound values are never NULL.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, reduce
from itertools import product
from operator import and_

import polars as pl

from punctum.algebra.bands import Band, holds, passed
from punctum.algebra.classes import Class
from punctum.algebra.finite import finite
from punctum.algebra.pattern import EMPTY, WILDCARD, Constant, Pattern
from punctum.algebra.punctuation import Punctuation, end_of_stream
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import NOT_NULL, Attribute, Schema
from punctum.algebra.values import Type
from punctum.operators.bands import within
from punctum.operators.batch import PunctuationBatch
from punctum.operators.columns import dtype
from punctum.operators.partners import PartnerAxis, counted_line


class JoinClasses:
    """The classes of a join, by number, over inputs."""

    def __init__(self, inputs: Sequence[Schema], classes: Sequence[Class], bands: Sequence[Band] = ()) -> None:
        self._inputs, self._classes, self.bands = tuple(inputs), tuple(classes), tuple(bands)
        self.schema = Schema(tuple(self._attribute(n) for n in range(len(classes))))
        self.bound = [[n for n, equated in enumerate(classes) if equated.of(i)] for i in range(len(inputs))]
        self._known = {  # the class of an attribute, when a constant or another input binds it
            at: n
            for n, equated in reversed(list(enumerate(classes)))
            for at in equated.members
            if equated.value is not None or self.others(at[0], n)
        }

    def __getitem__(self, n: int) -> Class:
        return self._classes[n]

    def _attribute(self, n: int) -> Attribute:
        """The attribute of a class: as exact as the most exact of its columns, and it reaches as far as all of them."""
        columns = [self._inputs[i].attributes[at] for i, at in self._classes[n].members]
        kind, reach, digits = columns[0].type, columns[0].reach, columns[0].digits
        assert all(column.type is kind for column in columns), "columns of different types are equated"
        if kind is Type.DECIMAL:
            digits = 38, max(column.digits[1] for column in columns)
        common = reach if all(column.reach == reach for column in columns) else None
        return Attribute(f"c{n}", kind, digits=digits, reach=common)

    def position(self, i: int, n: int) -> int:
        """The first column of an input in a class."""
        return self._classes[n].of(i)[0]

    def others(self, i: int, n: int) -> list[int]:
        """The other inputs that have columns in a class."""
        return sorted({j for j, _ in self._classes[n].members if j != i})

    def shared(self, n: int) -> bool:
        """Whether inputs close the values of a class for each other: no constant fixes it."""
        return self._classes[n].value is None

    def targets(self, i: int, shown: frozenset[int] | None) -> list[list[int]]:
        """For each column of an input the output columns that its patterns go to: equal ones that are read.

        Where nobody reads one, its own column has it, when the rest of its values may come to be covered.
        """
        starts = [sum(map(len, self._inputs[:j])) for j in range(len(self._inputs))]
        targets = []
        for at, attribute in enumerate(self._inputs[i].attributes):
            own, equated = starts[i] + at, [n for n in self.bound[i] if at in self._classes[n].of(i)]
            equal = [own, *(starts[j] + other for n in equated for j, other in self._classes[n].members)]
            read = [n for n in dict.fromkeys(equal) if shown is None or n in shown]
            few = attribute.type is Type.BOOLEAN or finite(attribute.domain, attribute.type) is not None
            coverable = few or not equated or not self.shared(equated[0])
            targets.append(read or [own] * coverable)
        return targets

    def closing(self, i: int, ps: PunctuationBatch) -> PunctuationBatch:
        """The punctuations over classes that punctuations of an input are."""
        closing = PunctuationBatch(self.schema)
        for at, values in ps.constants.items():
            n = self._known.get((i, at))
            if n is not None and self.shared(n):
                closing += PunctuationBatch(self.schema, {n: values})
            elif n is not None and self._classes[n].value in values.to_list():
                closing.others.append(end_of_stream(self.schema))
        closing.others += [q for p in ps.others if (q := self._over_classes(i, p)) is not None]
        return closing

    def _over_classes(self, i: int, p: Punctuation) -> Punctuation | None:
        values: dict[int, Pattern] = {}
        for at, pattern in p.sides:
            n = self._known.get((i, at))
            if n is None or not (self.shared(n) or pattern.match(self._classes[n].value)):
                return None
            if self.shared(n):
                values[n] = values.get(n, NOT_NULL).meet(pattern)
        if EMPTY in values.values():
            return None
        limits = {n: pattern for n, pattern in values.items() if pattern != NOT_NULL}
        return end_of_stream(self.schema).replacing(limits)

    def number(self, end: tuple[int, int]) -> int:
        """The class of a column in a band."""
        return next(n for n, equated in enumerate(self._classes) if end in equated.members)

    @cached_property
    def beside(self) -> dict[int, set[int]]:
        """For each class those in whose bands it lies, and those that lie in bands around it."""
        beside: dict[int, set[int]] = {}
        for band in self.bands:
            if band.by is not None:
                of, by = self.number(band.of), self.number(band.by)
                beside.setdefault(of, set()).add(by)
                beside.setdefault(by, set()).add(of)
        return beside

    def within(self, columns: Mapping[int, str]) -> list[pl.Expr]:
        """That values lie in the bands of which both ends are among the classes that have columns."""
        conditions = []
        for band in self.bands:
            numbers = [self.number(end) for end in (band.of, band.by) if end is not None]
            if all(n in columns for n in numbers):
                conditions += within(band, self.schema.attributes[numbers[0]].type, *(columns[n] for n in numbers))
        return conditions

    def counted(self, i: int) -> int | None:
        """The column of an input whose whole numbers are closed one by one, if there is one."""
        return counted_line(self.bands, i)

    def axes(self, i: int, names: Sequence[str]) -> list[PartnerAxis]:
        """What values of some classes say of an input's rows."""
        axes = []
        for at in range(len(self._inputs[i])) if self.counted(i) is not None else ():
            n = self._known.get((i, at))
            equal = (self.schema.names[n],) if n is not None and self.schema.names[n] in names else ()
            value = None if n is None or equal else self._classes[n].value
            bands = (
                (b, None if b.by is None else self.schema.names[self.number(b.by)])
                for b in self.bands
                if b.of == (i, at)
            )
            within = tuple((band, by) for band, by in bands if by is None or by in names)
            if equal or value is not None or within:
                axes.append(PartnerAxis(at, equal, value, within))
        return axes

    def passed(self, i: int, ps: PunctuationBatch) -> PunctuationBatch:
        """The punctuations over classes for the values whose bands punctuations of an input have passed."""
        over = PunctuationBatch(self.schema)
        if any(band.of[0] == i for band in self.bands):
            exact = {band.of[1] for band in self.bands if band.of[0] == i and band.exact}
            single = PunctuationBatch(ps.schema, {at: v for at, v in ps.constants.items() if at in exact})
            over.others = [q for p in (*single, *ps.others) for q in self._passed(i, p)]
        return over

    def _passed(self, i: int, p: Punctuation) -> Iterator[Punctuation]:
        for way in product(*(list(self._ways(i, at, pattern)) for at, pattern in p.sides)):
            values: dict[int, Pattern] = {}
            for n, pattern in (side for sides in way for side in sides):
                values[n] = values.get(n, NOT_NULL).meet(pattern)
            if EMPTY not in values.values():
                yield end_of_stream(self.schema).replacing({n: q for n, q in values.items() if q != NOT_NULL})

    def _ways(self, i: int, at: int, pattern: Pattern) -> Iterator[list[tuple[int, Pattern]]]:
        """What a pattern on a column means for classes: for its own, or for those around which it has passed a band."""
        n = self._known.get((i, at))
        if n is not None and self.shared(n):
            yield [(n, pattern)]
        elif n is not None and pattern.match(self._classes[n].value):
            yield []
        for band in self.bands:
            if band.of == (i, at) and band.by is None:
                yield from [[]] * holds(pattern, band)
            elif band.of == (i, at) and band.by is not None:
                kind, m = self._inputs[i].attributes[at].type, self.number(band.by)
                yield from ([(m, q)] for q in passed(pattern, band, kind))

    def constants(self, closed: PunctuationSet, n: int) -> pl.DataFrame:
        """The constants of a class that are closed together with something else."""
        sides = dict.fromkeys(p.patterns[n] for p in closed if isinstance(p.patterns[n], Constant) and len(p.sides) > 1)
        values = [side.value for side in sides if isinstance(side, Constant)]
        return pl.DataFrame([pl.Series(self.schema.names[n], values, dtype=dtype(self.schema.attributes[n]))])

    def unasked(self, closed: PunctuationSet, n: int, passed: Sequence[PunctuationSet]) -> PunctuationSet:
        """What is closed, less values of a class that all other inputs have passed: nobody will ask for them."""
        asked, rest = PunctuationSet(self.schema), PunctuationSet(self.schema)
        for p in closed:
            (rest if p.patterns[n] is WILDCARD else asked).add(p)
        for p in reduce(and_, passed):
            asked.remove(p)
        return rest | asked
