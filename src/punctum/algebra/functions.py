"""The helper functions of the punctuation paper's table 1, under the paper's names.

``t`` is a row, ``ts`` some rows, ``p`` a punctuation, ``ps`` some punctuations, ``xs`` some of either.
"""

from collections.abc import Iterable

from punctum.algebra.punctuation import Punctuation
from punctum.algebra.values import Row

Element = Row | Punctuation
"""What a stream is made of."""


def match(t: Row, p: Punctuation) -> bool:
    """Whether a row matches a punctuation."""
    return p.match(t)


def nomatch(t: Row, p: Punctuation) -> bool:
    """Whether a row does not match a punctuation."""
    return not match(t, p)


def combine(p: Punctuation, q: Punctuation) -> Punctuation | None:
    """The intersection of two punctuations, or nothing."""
    return p.combine(q)


def set_match(t: Row, ps: Iterable[Punctuation]) -> bool:
    """Whether a row matches any of the punctuations."""
    return any(match(t, p) for p in ps)


def set_nomatch(t: Row, ps: Iterable[Punctuation]) -> bool:
    """Whether a row matches none of the punctuations."""
    return not set_match(t, ps)


def set_match_ts(ts: Iterable[Row], ps: Iterable[Punctuation]) -> list[Row]:
    """The rows that match any of the punctuations.

    >>> from punctum.algebra.schema import Schema
    >>> hour = Schema.of(hour="BIGINT")
    >>> set_match_ts([(1,), (2,)], [Punctuation.of(hour, hour=2)])
    [(2,)]
    """
    ps = list(ps)
    return [t for t in ts if set_match(t, ps)]


def set_nomatch_ts(ts: Iterable[Row], ps: Iterable[Punctuation]) -> list[Row]:
    """The rows that match none of the punctuations."""
    ps = list(ps)
    return [t for t in ts if set_nomatch(t, ps)]


def set_nomatch_ps(ts: Iterable[Row], ps: Iterable[Punctuation]) -> list[Punctuation]:
    """The punctuations that none of the rows match."""
    ts = list(ts)
    return [p for p in ps if not any(match(t, p) for t in ts)]


def set_combine(ps: Iterable[Punctuation], qs: Iterable[Punctuation]) -> list[Punctuation]:
    """All combinations of a punctuation of one list with one of the other that are not nothing."""
    qs = list(qs)
    return [both for p in ps for q in qs if (both := combine(p, q)) is not None]


def tups(xs: Iterable[Element]) -> list[Row]:
    """The rows among some elements."""
    return [x for x in xs if not isinstance(x, Punctuation)]


def puncts(xs: Iterable[Element]) -> list[Punctuation]:
    """The punctuations among some elements."""
    return [x for x in xs if isinstance(x, Punctuation)]
