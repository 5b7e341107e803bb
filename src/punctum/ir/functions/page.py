"""The reference page of functions, made of the table."""

from collections.abc import Iterator

from punctum.ir.functions.aggregates import GROUPED
from punctum.ir.functions.define import APART, EXACT, FALLING, RISING, Scalar
from punctum.ir.functions.table import CHAPTERS

_HEAD = """# Functions

Expressions are Spark SQL, and functions mean what they mean there; a test compares each of them with Spark on NULL,
NaN, infinities, empty and foreign text, large and negative numbers, leap days and dates before 1970. This page is made
of the table that defines them (`src/punctum/ir/functions/`).

Arguments in brackets may be left out, `…` repeats the one before it, CONSTANT is a literal. NUMBER is BIGINT, DOUBLE or
DECIMAL, TIME is DATE, TIMESTAMP or TIMESTAMP_NTZ, CLOCK the same without DATE, T any type, the same for all arguments
that have it, ANY any type, ELEMENT what is in an ARRAY. A BIGINT or DECIMAL may stand for a DOUBLE, and any TIME for a
DATE; all else needs a CAST. A function is NULL where an argument is, unless it says otherwise. What cannot be read
(`to_date('x')`) is NULL, and a result that does not fit its type rejects the row ([elements.md](elements.md)); Spark in
ANSI mode stops in both cases.

Punctuations pass a function of one column, its other arguments being literals, where the last column says so: *order*,
what is closed up to a value stays closed up to its result; *reversed*, from its result on; *values*, single values and
lists that are closed stay so; *it depends* on the literals.

`current_timestamp()`, `now()`, `current_date()` and `localtimestamp()` are the time of the batch in which a row comes,
the same when the batch is done again. They stand in a SELECT without groups and window functions; elsewhere, name them
in a subquery ([windows.md](windows.md)).
"""
_AGGREGATES = """
## Aggregates

Each takes `FILTER (WHERE …)`, and stands in SELECT and HAVING. NULLs do not count; of nothing but NULLs the result is
NULL, or 0 for those that count. Those that may choose among rows choose by value, for a slice has no order: the ARRAY
of `collect_list` is sorted, and `first` and `last` go by the column that the only stream of FROM promises in order, as
`PUNCTUATE (ts ASC)` does; of several rows with its first or last value they take the greatest value.

| function | what it gives |
|---|---|
"""
_BAR = "\\|"


def page() -> str:
    """The page, in Markdown."""
    return "".join([_HEAD, *(part for name, entries in CHAPTERS.items() for part in _chapter(name, entries)), *_rest()])


def _chapter(name: str, entries: tuple[Scalar, ...]) -> Iterator[str]:
    yield f"\n## {name}\n\n| function | what it gives | punctuations |\n|---|---|---|\n"
    for entry in entries:
        if entry.description:
            cells = (f"`{entry.written}`{_also(entry.also)}", entry.description, _passing(entry))
            yield f"| {' | '.join(cell.replace('|', _BAR) for cell in cells)} |\n"


def _rest() -> Iterator[str]:
    yield _AGGREGATES
    for entry in GROUPED:
        if entry.description:
            yield f"| `{entry.written}`{_also(entry.also)} | {entry.description} |\n"


def _also(names: tuple[str, ...]) -> str:
    return "".join(f", `{name}`" for name in names)


def _passing(entry: Scalar) -> str:
    if entry.step is None:
        return ""
    return _PASSING[entry.step] if isinstance(entry.step, tuple) else "it depends"


_PASSING = {RISING: "order", EXACT: "order, values", FALLING: "reversed, values", APART: "values"}
