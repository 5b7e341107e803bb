"""The table of all functions: each is defined once, in one of these modules, and the reference page is made of it."""

from difflib import get_close_matches

from punctum.ir.functions.conditions import CONDITIONS
from punctum.ir.functions.define import FUNCTIONS, Scalar
from punctum.ir.functions.digests import DIGESTS
from punctum.ir.functions.formats import FORMATS
from punctum.ir.functions.nested import NESTED
from punctum.ir.functions.numbers import NUMBERS
from punctum.ir.functions.patterns import PATTERNS
from punctum.ir.functions.strings import STRINGS
from punctum.ir.functions.times import TIMES

CHAPTERS: dict[str, tuple[Scalar, ...]] = {
    "Texts": STRINGS,
    "Patterns and JSON": PATTERNS,
    "Digests and digits": DIGESTS,
    "Numbers": NUMBERS,
    "Times": TIMES,
    "Times as texts": FORMATS,
    "Conditions": CONDITIONS,
    "Arrays": NESTED,
}
FUNCTIONS.update((name, entry) for part in CHAPTERS.values() for entry in part for name in (entry.name, *entry.also))
NAMES = tuple(sorted(name for name in FUNCTIONS if name.isidentifier()))
"""What scripts can call; what has no name in SQL stands for a part of other functions."""


def suggested(name: str, more: tuple[str, ...] = ()) -> str:
    """The hint for a function that there is not.

    >>> suggested("lenght")
    'did you mean LENGTH? docs/functions.md lists all'
    """
    close = get_close_matches(name.lower(), [*NAMES, *more], 3, 0.7)
    meant = f"did you mean {' or '.join(name.upper() for name in close)}? " if close else ""
    return f"{meant}docs/functions.md lists all"
