"""Join of many streams on equal attributes, and within bands, with chained purge (the safety paper, 3.2.1 and 4.2).

Attributes that must be equal are one *class*; a class may be fixed to a constant. A row *binds* the classes of its
attributes. A punctuation that speaks of such attributes alone *closes* its input for its patterns on their classes::

    cpass(ts₁, ps₁, …)   =  [t₁ ++ … ++ tₙ | tᵢ ∈ tsᵢ, all values of a class are equal, residual(t₁ ++ … ++ tₙ)]
    cprop(ts₁, ps₁, …)   =  modPs₁(setNomatchPs(ckeep₁, ps₁)) ++ … ++ modPsₙ(setNomatchPs(ckeepₙ, psₙ))
    ckeepᵢ(ts₁, ps₁, …)  =  [t | t ∈ tsᵢ ∧ t agrees with itself ∧ ¬ dead({t})]

    dead(c)  ⇔  c has a row of every input, or some other input j is closed for the values that c binds, and
                dead(c ∪ {s}) for each row s of j that agrees with c

A combination c of rows is dead when no later result has all of them: with j closed, only rows of j that are there can
join c. Which closed input is taken does not matter: what is closed for c is closed for every c ∪ {s}. Rows that are
dead may be left out of ``dead`` as well, so the kept rows are enough. A punctuation of one input waits until no kept
row of that input matches it, and then holds for the output, once for each way to name equal columns that are read.

*Bands* say where a class lies beside another one. Rows agree when their values lie in the bands of each other; and an
input is closed for values, too, when a punctuation of it has passed the bands around them: each of its patterns matches
what c binds, or covers the band around it. Where values of a column are closed one by one, several punctuations do it
together: they leave no row that agrees with c.

What closes an input is itself forgotten where nobody will ask for it: when all other inputs that bind a class have
closed some of its values, by punctuations on that class alone, and keep no row with them.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import product

from punctum.algebra.bands import Band
from punctum.algebra.classes import Class
from punctum.algebra.finite import finite
from punctum.algebra.functions import set_nomatch_ps
from punctum.algebra.pattern import EMPTY, WILDCARD, Pattern
from punctum.algebra.punctuation import Punctuation, Side
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import NOT_NULL, Attribute, Schema
from punctum.algebra.values import Row, Type, Value
from punctum.errors import SchemaError
from punctum.spec.bands import Partners, around, covers, together
from punctum.spec.framework import Emitter, Kept, Puncts, Receiver, Specified, valued
from punctum.spec.stream import Slice

Combination = dict[int, Row]
"""A row of some of the inputs."""


@dataclass(frozen=True)
class JoinInput:
    """One input as the join knows it: rows kept, what is closed by class, punctuations that wait."""

    rows: tuple[Row, ...]
    closed: PunctuationSet
    waiting: tuple[Punctuation, ...] = ()
    received: tuple[Punctuation, ...] = ()  # for bands


State = tuple[JoinInput, ...]
There = list[tuple[tuple[Row, ...], list[tuple[Side, ...]], tuple[Punctuation, ...]]]
"""The rows of each input, the classes and patterns of each punctuation that closes it, and all that it has received."""


@dataclass(frozen=True)
class MultiJoin(Specified):
    """All combinations of a row of each input that agree on every class and satisfy a residual predicate."""

    schemas: tuple[Schema, ...]
    classes: tuple[Class, ...]
    names: tuple[str, ...]
    residual: Callable[[Row], bool] | None = None
    shown: frozenset[int] | None = None  # the output columns that anybody reads; nothing: all
    bands: tuple[Band, ...] = ()

    def __post_init__(self) -> None:
        for class_ in self.classes:
            kinds = sorted({self.schemas[i].attributes[at].type.value for i, at in class_.members})
            if len(kinds) > 1:
                raise SchemaError("join columns have different types", ", ".join(kinds), "cast them before the join")

    @property
    def inputs(self) -> tuple[Schema, ...]:
        """The schema of each input."""
        return self.schemas

    @cached_property
    def output(self) -> Schema:
        """The attributes of all inputs, one after the other."""
        attributes = (a for schema in self.schemas for a in schema.attributes)
        return Schema(tuple(replace(a, name=name) for a, name in zip(attributes, self.names, strict=True)))

    @cached_property
    def over_classes(self) -> Schema:
        """An attribute for each class; it reaches as far as all of its members do."""
        attributes = []
        for n, class_ in enumerate(self.classes):
            of = [self.schemas[i].attributes[at] for i, at in class_.members]
            reaches = {a.reach for a in of}
            digits = (38, max(a.digits[1] for a in of)) if of[0].type is Type.DECIMAL else of[0].digits
            reach = of[0].reach if len(reaches) == 1 else None
            attributes.append(Attribute(f"c{n}", of[0].type, digits=digits, reach=reach))
        return Schema(tuple(attributes))

    def binds(self, i: int) -> list[int]:
        """The classes that an input's rows have a value of."""
        return [n for n, class_ in enumerate(self.classes) if class_.of(i)]

    def columns(self, i: int, at: int) -> list[int]:
        """The output columns that get an input's pattern: those that equal the attribute and are read.

        Where nobody reads one, its own column gets it when others may come to cover what is left of its values.
        """
        offsets = [sum(map(len, self.schemas[:n])) for n in range(len(self.schemas))]
        of = [class_ for class_ in self.classes if (i, at) in class_.members]
        equal = [(i, at), *(member for class_ in of for member in class_.members)]
        positions = list(dict.fromkeys(offsets[n] + position for n, position in equal))
        read = [n for n in positions if self.shown is None or n in self.shown]
        own = self.schemas[i].attributes[at]
        few = own.type is Type.BOOLEAN or finite(own.domain, own.type) is not None
        closable = not of or of[0].value is not None or few
        return read or (positions[:1] if closable else [])

    def closing(self, i: int, p: Punctuation) -> Punctuation | None:
        """An input's punctuation over the classes; nothing when it speaks of other attributes, or of no row."""
        patterns: list[Pattern] = [WILDCARD] * len(self.classes)
        for at, pattern in p.sides:
            n = self.asked(i, at)
            if n is None:
                return None
            value = self.classes[n].value
            if value is None:
                met = patterns[n].meet(pattern).meet(NOT_NULL)
                patterns[n] = WILDCARD if met == NOT_NULL else met
            elif not pattern.match(value):
                return None
        return None if EMPTY in patterns else Punctuation(self.over_classes, tuple(patterns))

    def asked(self, i: int, at: int) -> int | None:
        """The class of an attribute, when a constant or another input can bind a value of it."""
        numbers = (n for n, class_ in enumerate(self.classes) if (i, at) in class_.members)
        return next((n for n in numbers if self.classes[n].value is not None or self.others(i, n)), None)

    def others(self, i: int, n: int) -> list[int]:
        """The other inputs that bind a class."""
        return sorted({j for j, _ in self.classes[n].members} - {i})

    def start(self) -> "MultiJoinExecution":
        """Begin with no input read."""
        return MultiJoinExecution(self)

    def initial(self) -> State:
        """Nothing kept, nothing closed."""
        return tuple(JoinInput((), PunctuationSet(self.over_classes)) for _ in self.schemas)

    def step(self, tss: list[list[Row]], st: State) -> tuple[list[Row], State]:
        """The combinations with new rows: those of each input with what is there of the others."""
        rows: list[Row] = []
        there = [list(input_.rows) for input_ in st]
        for i, ts in enumerate(tss):
            rows += self._results([ts if n == i else known for n, known in enumerate(there)])
            there[i] += ts
        return rows, tuple(replace(input_, rows=tuple(known)) for input_, known in zip(st, there, strict=True))

    def receive(self, pss: list[Puncts], st: State) -> State:
        """The state with new punctuations, without the rows that are dead now."""
        closings = ([q for p in ps if (q := self.closing(i, p)) is not None] for i, ps in enumerate(pss))
        st = tuple(replace(input_, closed=input_.closed | more) for input_, more in zip(st, closings, strict=True))
        if self.bands:
            st = tuple(replace(a, received=(*a.received, *ps)) for a, ps in zip(st, pss, strict=True))
        there = [(input_.rows, [p.sides for p in input_.closed], input_.received) for input_ in st]
        kept = [tuple(t for t in input_.rows if self._needed({i: t}, there)) for i, input_ in enumerate(st)]
        waiting = [tuple(dict.fromkeys((*input_.waiting, *ps))) for input_, ps in zip(st, pss, strict=True)]
        return tuple(
            replace(input_, rows=rows, waiting=waits) for input_, rows, waits in zip(st, kept, waiting, strict=True)
        )

    def prop(self, st: State) -> Iterator[Punctuation]:
        """The output's punctuations for those that no kept row holds back."""
        for i, input_ in enumerate(st):
            yield from (q for p in set_nomatch_ps(input_.rows, input_.waiting) for q in self.mod(i, p))

    def keep(self, st: State) -> State:
        """The state without the punctuations that have gone on and those that nobody will ask for."""
        inputs = []
        for i, input_ in enumerate(st):
            free = set_nomatch_ps(input_.rows, input_.waiting)
            closed = input_.closed
            for n in self.binds(i):
                if self.classes[n].value is None and self.others(i, n):
                    closed = without(closed, n, [self._passed(j, n, st[j]) for j in self.others(i, n)])
            inputs.append(replace(input_, closed=closed, waiting=tuple(p for p in input_.waiting if p not in free)))
        return tuple(inputs)

    def _needed(self, c: Combination, there: There) -> bool:
        """Whether rows may be in a later result together: they agree and are not dead."""
        values = self._values(c)
        if values is None:
            return False
        for i, (rows, closed, received) in enumerate(there):
            if i not in c and (
                any(all(n in values and p.match(values[n]) for n, p in sides) for sides in closed)
                or any(
                    all(self._passed_by(i, at, p, values) for at, p in punctuation.sides) for punctuation in received
                )
                or self._all_close(i, received, values)
            ):
                return any(self._needed({**c, i: s}, there) for s in rows)
        return len(c) < len(there)

    def _passed_by(self, i: int, at: int, pattern: Pattern, values: dict[int, Value]) -> bool:
        """Whether a pattern of an input matches what rows bind, or covers the band around it."""
        n = self.asked(i, at)
        if n is not None and (value := values.get(n, self.classes[n].value)) is not None and pattern.match(value):
            return True
        for band in self.bands:
            if band.of == (i, at) and (band.by is None or self._class(band.by) in values):
                other = None if band.by is None else values[self._class(band.by)]
                if covers(pattern, band, other):
                    return True
        return False

    def _all_close(self, i: int, received: Puncts, values: dict[int, Value]) -> bool:
        """Whether an input's punctuations together leave no row that agrees with what rows bind."""
        mine = [band for band in self.bands if band.of[0] == i]
        if not any(band.counted for band in mine):
            return False
        partners = {}
        for at in range(len(self.schemas[i])):
            n = self.asked(i, at)
            value = None if n is None else values.get(n, self.classes[n].value)
            bands = [(band, self._around(band, values)) for band in mine if band.of[1] == at]
            known = [(band, v) for band, v in bands if v is not None or band.by is None]
            if value is not None or known:
                partners[at] = Partners(() if value is None else (value,), tuple(known))
        return together(self.schemas[i], partners, received)

    def _around(self, band: Band, values: dict[int, Value]) -> Value | None:
        return None if band.by is None else values.get(self._class(band.by))

    def _class(self, end: tuple[int, int]) -> int:
        return next(n for n, class_ in enumerate(self.classes) if end in class_.members)

    def _values(self, c: Combination) -> dict[int, Value] | None:
        """The value of each class that some rows bind; nothing when they do not agree."""
        values: dict[int, Value] = {}
        for n, class_ in enumerate(self.classes):
            known = {c[i][at] for i, at in class_.members if i in c}
            if known and class_.value is not None:
                known.add(class_.value)
            if None in known or len(known) > 1:
                return None
            for value in known:
                assert value is not None
                values[n] = value
        return values if all(self._within(band, values) for band in self.bands) else None

    def _within(self, band: Band, values: dict[int, Value]) -> bool:
        """Whether a band holds of values, or one of its ends is not known."""
        of, by = (None if end is None else values.get(self._class(end)) for end in (band.of, band.by))
        return of is None or (by is None and band.by is not None) or around(band, by).match(of)

    def _passed(self, i: int, n: int, known: JoinInput) -> PunctuationSet:
        """The values of a class that an input does not keep and will not have."""
        passed = PunctuationSet(self.over_classes, (p for p in known.closed if {at for at, _ in p.sides} <= {n}))
        at, name = self.classes[n].of(i)[0], self.over_classes.names[n]
        for t in known.rows:
            passed.remove(Punctuation.of(self.over_classes, {name: t[at]}))
        return passed

    def mod(self, i: int, p: Punctuation) -> list[Punctuation]:
        """An input's punctuation over the output, once for each way to name equal columns."""
        ways = product(*([(n, pattern) for n in self.columns(i, at)] for at, pattern in p.sides))
        return [self._over_output(way) for way in ways]

    def _over_output(self, way: tuple[tuple[int, Pattern], ...]) -> Punctuation:
        patterns: list[Pattern] = [WILDCARD] * len(self.output)
        for n, pattern in way:
            patterns[n] = patterns[n].meet(pattern)
        return Punctuation(self.output, tuple(patterns))

    def _results(self, tss: list[list[Row]]) -> Iterator[Row]:
        for ts in product(*tss):
            row = tuple(value for t in ts for value in t)
            if self._values(dict(enumerate(ts))) is not None and (self.residual is None or valued(self.residual, row)):
                yield row

    def holds(self, row: Row) -> bool:
        """Whether a row of the output is a result, by bands and residual."""
        ends = [sum(map(len, self.schemas[: i + 1])) for i in range(len(self.schemas))]
        ts = {i: row[end - len(schema) : end] for i, (end, schema) in enumerate(zip(ends, self.schemas, strict=True))}
        return self._values(ts) is not None and (self.residual is None or self.residual(row))

    def cpass(self, *inputs: Slice) -> list[Row]:
        return list(self._results([list(xs.rows) for xs in inputs]))

    def cprop(self, *inputs: Slice) -> list[Punctuation]:
        kept = self.ckeep(*inputs)
        free = [set_nomatch_ps(kept[f"{i}"], xs.puncts) for i, xs in enumerate(inputs)]
        return [q for i, ps in enumerate(free) for p in ps if not p.empty for q in self.mod(i, p)]

    def ckeep(self, *inputs: Slice) -> Kept:
        pss = [[p for p in xs.puncts if not p.empty] for xs in inputs]
        all_rows = tuple(replace(input_, rows=xs.rows) for input_, xs in zip(self.initial(), inputs, strict=True))
        return {f"{i}": list(input_.rows) for i, input_ in enumerate(self.receive(list(pss), all_rows))}


def without(closed: PunctuationSet, n: int, passed: list[PunctuationSet]) -> PunctuationSet:
    """What is closed, less what speaks of values of a class that all other inputs have passed."""
    common = reduce(lambda one, other: one & other, passed)
    if not len(common):
        return closed
    asking = PunctuationSet(closed.schema, (p for p in closed if p.patterns[n] is not WILDCARD))
    for p in common:
        asking.remove(p)
    return PunctuationSet(closed.schema, [*(p for p in closed if p.patterns[n] is WILDCARD), *asking])


class MultiJoinExecution:
    """A running join: all new rows of a slice first, then all punctuations."""

    def __init__(self, operator: MultiJoin) -> None:
        self._operator, self.state = operator, operator.initial()
        self._inputs, self._output = [Receiver(schema) for schema in operator.inputs], Emitter(operator.output)

    def feed(self, *slices: Slice) -> Slice:
        """Take the next slice of each input."""
        received = [receiver.receive(xs) for receiver, xs in zip(self._inputs, slices, strict=True)]
        rows, st = self._operator.step([ts for ts, _ in received], self.state)
        st = self._operator.receive([ps for _, ps in received], st)
        propagated = list(self._operator.prop(st))
        self.state = self._operator.keep(st)
        return self._output.emit(rows, propagated)

    def kept(self) -> Kept:
        """The rows it keeps now."""
        return {f"{i}": list(input_.rows) for i, input_ in enumerate(self.state)}
