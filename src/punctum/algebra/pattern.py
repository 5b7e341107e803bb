r"""Patterns: which values of one attribute a punctuation speaks about.

There are five kinds (section 3 of the punctuation paper): wildcard, constant, range, list and empty. Each is a set of
values, given as disjoint *spans* of cuts in order and whether NULL belongs to it. The algebra is set algebra on spans::

    match(v, p)      v ∈ p
    meet(p, q)       p ∩ q
    covers(p, q)     q ⊆ p
    minus(p, q)      p \ q, as patterns that do not overlap

Build patterns with ``WILDCARD``, ``EMPTY``, ``NULL``, ``constant``, ``between`` and ``one_of``: they give the one
normal form, so that two patterns are the same set exactly when they are equal.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, Final

from punctum.algebra.cuts import HIGHEST, LOWEST, Cut, above, below, value_after, value_before
from punctum.algebra.values import Type, Value, type_of, value_text
from punctum.errors import PatternError

Span = tuple[Cut, Cut]
"""All values between two cuts."""

EVERYTHING: Final[Span] = (LOWEST, HIGHEST)


class Pattern:
    """One of the five kinds, as a set of values; ``str`` gives its text form."""

    @property
    def spans(self) -> tuple[Span, ...]:
        """The values other than NULL: spans in order that neither overlap nor touch."""
        raise NotImplementedError

    @property
    def null(self) -> bool:
        """Whether NULL belongs to it."""
        return False

    @property
    def type(self) -> Type | None:
        """The type of its values, or nothing when it speaks of no particular value."""
        return None

    def match(self, value: Value | None) -> bool:
        """Whether a value belongs to it.

        >>> between(17, 20, "[)").match(19), between(17, 20, "[)").match(None)
        (True, False)
        """
        if value is None:
            return self.null
        self._same_type(type_of(value), value)
        cut = below(value)
        return any(low <= cut < high for low, high in self.spans)

    def meet(self, other: "Pattern") -> "Pattern":
        """The values in both: the papers' *combine* for one attribute.

        >>> between(1, 5).meet(between(4, 9)).meet(one_of([5, 7]))
        Constant(value=5)
        """
        if self == other or isinstance(other, Wildcard):
            return self
        if isinstance(self, Wildcard):
            return other
        self._same_type(other.type, other)
        return _pattern(_meet(self.spans, other.spans), self.null and other.null, self.type or other.type)

    def covers(self, other: "Pattern") -> bool:
        """Whether every value of the other belongs to this one.

        >>> WILDCARD.covers(NULL), between(None, None).covers(NULL), between(1, 5).covers(one_of([2, 4]))
        (True, False, True)
        """
        return self.meet(other) == other

    def minus(self, other: "Pattern") -> tuple["Pattern", ...]:
        """The values that are not in the other, as patterns that do not overlap.

        >>> [str(p) for p in WILDCARD.minus(constant(8))]
        ['NULL', '(,7]', '[9,)']
        """
        if self.meet(other) == EMPTY:
            return (self,)
        kind = self.type or other.type
        rest = tuple(span_pattern(span, kind) for span in _meet(self.spans, _gaps(other.spans)))
        return (NULL, *rest) if self.null and not other.null else rest

    def _same_type(self, kind: Type | None, other: object) -> None:
        if kind is not None and self.type is not None and kind is not self.type:
            detail = f"one is a {self.type.value}, the other a {kind.value}"
            raise PatternError(f"{self} and {other} cannot be compared", detail, "use one type for each column")


@dataclass(frozen=True, slots=True)
class Wildcard(Pattern):
    """``*``: every value, NULL as well."""

    @property
    def spans(self) -> tuple[Span, ...]:
        """Everything."""
        return (EVERYTHING,)

    @property
    def null(self) -> bool:
        """NULL matches."""
        return True

    def match(self, value: Value | None) -> bool:
        """Every value matches."""
        return True

    def __str__(self) -> str:
        return "*"

    def __reduce__(self) -> str:
        return "WILDCARD"


@dataclass(frozen=True)
class Constant(Pattern):
    """``17``: a single value, which may be NULL."""

    value: Value | None

    @cached_property
    def spans(self) -> tuple[Span, ...]:
        """The span around the value."""
        return () if self.value is None else ((below(self.value), above(self.value)),)

    @property
    def null(self) -> bool:
        """Only the constant NULL matches NULL."""
        return self.value is None

    @property
    def type(self) -> Type | None:
        """The value's type."""
        return None if self.value is None else type_of(self.value)

    def __str__(self) -> str:
        return value_text(self.value)

    def __reduce__(self) -> tuple[Any, ...]:
        return constant, (self.value,)


@dataclass(frozen=True)
class Range(Pattern):
    """``[17,20)``: the values between two ends, each open, closed or infinite (``None``, and then open)."""

    lower: Value | None
    upper: Value | None
    ends: str

    @cached_property
    def spans(self) -> tuple[Span, ...]:
        """The span from end to end."""
        return (_span(self.lower, self.upper, self.ends),)

    @cached_property
    def type(self) -> Type | None:
        """The type of the ends."""
        known = self.upper if self.lower is None else self.lower
        return None if known is None else type_of(known)

    @property
    def written(self) -> tuple[Value | None, Value | None, str]:
        """The ends as people write them: before 12:00, not until 11:59:59.999999."""
        if (
            isinstance(self.upper, datetime)
            and self.upper.microsecond == 999_999
            and self.upper.year < datetime.max.year
        ):
            return self.lower, self.upper + timedelta(microseconds=1), self.ends[0] + ")"
        return self.lower, self.upper, self.ends

    def __str__(self) -> str:
        lower, upper, ends = self.written
        low, high = ("" if end is None else value_text(end) for end in (lower, upper))
        return f"{ends[0]}{low},{high}{ends[1]}"


@dataclass(frozen=True)
class List(Pattern):
    """``{1,5}``: two or more values, in order."""

    values: tuple[Value, ...]

    @cached_property
    def spans(self) -> tuple[Span, ...]:
        """A span around each run of neighbouring values."""
        return _coalesced((below(value), above(value)) for value in self.values)

    @property
    def type(self) -> Type | None:
        """The type of the values."""
        return type_of(self.values[0])

    def __str__(self) -> str:
        return "{" + ",".join(map(value_text, self.values)) + "}"

    def __reduce__(self) -> tuple[Any, ...]:
        return one_of, (self.values,)


@dataclass(frozen=True, slots=True)
class Empty(Pattern):
    """``{}``: no value."""

    @property
    def spans(self) -> tuple[Span, ...]:
        """None."""
        return ()

    def __str__(self) -> str:
        return "{}"

    def __reduce__(self) -> str:
        return "EMPTY"


WILDCARD: Final[Pattern] = Wildcard()
EMPTY: Final[Pattern] = Empty()
NULL: Final = Constant(None)


def constant(value: Value | None) -> Constant:
    """The pattern of one value.

    >>> constant(17).match(17), constant(None) == NULL
    (True, True)
    """
    return NULL if value is None else Constant(type_of(value).accept(value))


def between(lower: Value | None, upper: Value | None, ends: str = "[]") -> Pattern:
    """The values between two ends; ``None`` is infinite, ``ends`` tells open from closed.

    >>> between(3, 5, "()"), between(5, 3)
    (Constant(value=4), Empty())
    >>> print(between(17, None))
    [17,)
    """
    if len(ends) != 2 or ends[0] not in "[(" or ends[1] not in "])":
        raise PatternError(f"{ends!r} are not the ends of a range", "", "one of [] [) (] ()")
    known = [type_of(end) for end in (lower, upper) if end is not None]
    if len(set(known)) > 1:
        detail = f"{lower!r} is a {known[0].value}, {upper!r} a {known[1].value}"
        raise PatternError("the ends of a range cannot be compared", detail, "give both ends the same type")
    low, high = (None if end is None else known[0].accept(end) for end in (lower, upper))
    span = _span(low, high, ends)
    return _pattern((span,) if span[0] < span[1] else (), False, known[0] if known else None)


def one_of(values: Iterable[Value]) -> Pattern:
    """The pattern of some values: a list, unless a simpler kind says the same.

    >>> one_of([5, 1]), one_of([2, 1, 3]), one_of([7]), one_of([])
    (List(values=(1, 5)), Range(lower=1, upper=3, ends='[]'), Constant(value=7), Empty())
    """
    members = list(values)
    if any(value is None for value in members):
        hint = "NULL matches only the wildcard and the constant NULL: use a punctuation of its own for it"
        raise PatternError("a list holds NULL", "", hint)
    kinds = {type_of(value) for value in members}
    if len(kinds) > 1:
        detail = "they are " + ", ".join(sorted(kind.value for kind in kinds))
        raise PatternError("the values of a list have different types", detail, "give them all the same type")
    kind = next(iter(kinds), None)
    points = [kind.accept(value) for value in members] if kind else []
    spans = sorted({(below(value), above(value)) for value in points}, key=lambda span: span[0])
    return _pattern(_coalesced(spans), False, kind)


def _span(lower: Value | None, upper: Value | None, ends: str) -> Span:
    low = LOWEST if lower is None else above(lower) if ends[0] == "(" else below(lower)
    high = HIGHEST if upper is None else below(upper) if ends[1] == ")" else above(upper)
    return low, high


def span_pattern(span: Span, kind: Type | None) -> Pattern:
    """The constant or range that is this span, in normal form."""
    low, high = span
    if kind is None:
        return Range(None, None, "()")
    first = value_after(low, kind)
    if first is not None and above(first) == high:
        return Constant(first)
    left = "(" if low is LOWEST or first is None else "["
    lower = None if low is LOWEST else first if first is not None else low[0]
    last = None if high is HIGHEST else value_before(high, kind)
    upper = None if high is HIGHEST else last if last is not None else high[0]
    return Range(lower, upper, left + (")" if last is None else "]"))


def _pattern(spans: tuple[Span, ...], null: bool, kind: Type | None) -> Pattern:
    """The normal form of a set of values that is one of the five kinds."""
    if null:
        assert spans in ((), (EVERYTHING,)), spans
        return WILDCARD if spans else NULL
    if len(spans) > 1:
        assert kind is not None
        return List(tuple(value for span in spans for value in _values(span, kind)))
    return span_pattern(spans[0], kind) if spans else EMPTY


def _values(span: Span, kind: Type) -> Iterator[Value]:
    cut, high = span
    while cut < high:
        value = value_after(cut, kind)
        assert value is not None, f"{span} is not a finite set of values"
        yield value
        cut = above(value)


def _meet(left: Sequence[Span], right: Sequence[Span]) -> tuple[Span, ...]:
    both: list[Span] = []
    i = j = 0
    while i < len(left) and j < len(right):
        low, high = max(left[i][0], right[j][0]), min(left[i][1], right[j][1])
        if low < high:
            both.append((low, high))
        if left[i][1] < right[j][1]:
            i += 1
        else:
            j += 1
    return tuple(both)


def _gaps(spans: Iterable[Span]) -> tuple[Span, ...]:
    cuts = [LOWEST, *(cut for span in spans for cut in span), HIGHEST]
    return tuple((low, high) for low, high in zip(cuts[::2], cuts[1::2], strict=True) if low < high)


def _coalesced(spans: Iterable[Span]) -> tuple[Span, ...]:
    runs: list[Span] = []
    for low, high in spans:
        if runs and runs[-1][1] == low:
            runs[-1] = runs[-1][0], high
        else:
            runs.append((low, high))
    return tuple(runs)
