"""The queries of NEXMark, as scripts over directories of files."""

from importlib import resources

NAMES = tuple(f"q{number}" for number in range(23))
"""What the queries are called."""
_ORDER = "PUNCTUATE (dateTime ASC)"
_ENDS = "PUNCTUATE (expires ASC) DELAY "
_USUAL = 1_000  # milliseconds, in the scripts


def script(name: str, disorder: int = 0, longest: int = 0) -> str:
    """The SQL of a query, for streams so many milliseconds out of order and auctions that last at most so many.

    >>> print(script("q2", 200).splitlines()[0])
    -- Prices of the bids on some auctions.
    >>> "PUNCTUATE (expires ASC) DELAY '5200 milliseconds'" in script("q6", 200, 5_000)
    True
    """
    text = resources.files(__name__).joinpath(f"q{int(name[1:]):02}.sql").read_text("utf-8")
    text = text.replace(_ORDER, f"{_ORDER} DELAY '{disorder} milliseconds'") if disorder else text
    if (apart := longest + disorder) > _USUAL:  # so late an auction may come that ends before another one does
        text = text.replace(f"{_ENDS}'1 second'", f"{_ENDS}'{apart} milliseconds'")
    return text


def about(name: str) -> str:
    """What a query computes, in a sentence or two.

    >>> about("q0")
    'Every bid, unchanged.'
    """
    return script(name).splitlines()[0].removeprefix("-- ")
