"""The queries of NEXMark, as scripts over directories of files."""

from importlib import resources

NAMES = tuple(f"q{number}" for number in range(23))
"""What the queries are called."""
_ORDER = "PUNCTUATE (dateTime ASC)"


def script(name: str, disorder: int = 0) -> str:
    """The SQL of a query, for streams that are so many milliseconds out of order.

    >>> print(script("q2", 200).splitlines()[0])
    -- Prices of the bids on some auctions.
    """
    text = resources.files(__name__).joinpath(f"q{int(name[1:]):02}.sql").read_text("utf-8")
    return text.replace(_ORDER, f"{_ORDER} DELAY '{disorder} milliseconds'") if disorder else text


def about(name: str) -> str:
    """What a query computes, in a sentence or two.

    >>> about("q0")
    'Every bid, unchanged.'
    """
    return script(name).splitlines()[0].removeprefix("-- ")
