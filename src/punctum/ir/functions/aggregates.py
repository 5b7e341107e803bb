"""Functions of the rows of a group: what scripts call them, and what they are.

Several names stand for one function, and some for one of another argument. A slice has no order, so functions that
need one take the one that a stream promises; those that may choose among rows choose by value, so that no cut of a
stream and no number of buckets shows.
"""

from dataclasses import dataclass
from difflib import get_close_matches

from punctum.algebra.aggregates import PAIRED, Function
from punctum.algebra.values import Type

BLIND = (Function.MIN, Function.MAX, Function.COUNT_DISTINCT, Function.COLLECT_SET, *PAIRED)
"""Functions for which DISTINCT makes no difference."""


@dataclass(frozen=True)
class Grouped:
    """A function of the rows of a group, as the reference page shows it."""

    written: str
    description: str
    function: Function = Function.COUNT
    also: tuple[str, ...] = ()
    takes: Type | None = None
    condition: bool = False
    """It counts the rows for which its argument is true."""
    ordered: bool = False
    """It goes by the order that its stream promises."""

    @property
    def name(self) -> str:
        """What SQL calls it."""
        return self.written.split("(")[0]


GROUPED = (
    Grouped("count(*) -> BIGINT", "the number of rows"),
    Grouped("count([DISTINCT] value T) -> BIGINT", "the number of values, or of different values"),
    Grouped(
        "approx_count_distinct(value T) -> BIGINT", "the number of different values, exactly", Function.COUNT_DISTINCT
    ),
    Grouped("count_if(condition BOOLEAN) -> BIGINT", "the number of rows for which it is true", condition=True),
    Grouped("sum(x NUMBER) -> NUMBER", "the sum, exact unless it is a DOUBLE; of INTERVALs an INTERVAL", Function.SUM),
    Grouped("avg(x NUMBER) -> DOUBLE", "the mean; of INTERVALs an INTERVAL", Function.AVG, also=("mean",)),
    Grouped("min(value T) -> T", "the least value", Function.MIN),
    Grouped("max(value T) -> T", "the greatest value; NaN is greater than any other number", Function.MAX),
    Grouped("any_value(value T) -> T", "one of the values: the least", Function.MIN),
    Grouped(
        "bool_or(condition BOOLEAN) -> BOOLEAN",
        "whether one is true",
        Function.MAX,
        also=("any", "some"),
        takes=Type.BOOLEAN,
    ),
    Grouped(
        "bool_and(condition BOOLEAN) -> BOOLEAN",
        "whether all are true",
        Function.MIN,
        also=("every",),
        takes=Type.BOOLEAN,
    ),
    Grouped("median(x NUMBER) -> DOUBLE", "the value in the middle", Function.MEDIAN),
    Grouped(
        "percentile(x NUMBER, share NUMBER CONSTANT) -> DOUBLE",
        "the value below which a share of the others are, between two of them where it falls there",
        Function.PERCENTILE,
    ),
    Grouped("var_samp(x NUMBER) -> DOUBLE", "the variance of a sample", Function.VAR_SAMP, also=("variance",)),
    Grouped("var_pop(x NUMBER) -> DOUBLE", "the variance", Function.VAR_POP),
    Grouped(
        "stddev_samp(x NUMBER) -> DOUBLE",
        "the standard deviation of a sample",
        Function.STDDEV_SAMP,
        also=("stddev", "std"),
    ),
    Grouped("stddev_pop(x NUMBER) -> DOUBLE", "the standard deviation", Function.STDDEV_POP),
    Grouped(
        "max_by(value T, by T) -> T",
        "the value where the other one is greatest; of several, the greatest",
        Function.MAX_BY,
    ),
    Grouped(
        "min_by(value T, by T) -> T",
        "the value where the other one is least; of several, the greatest",
        Function.MIN_BY,
    ),
    Grouped(
        "first(value T, [skip BOOLEAN CONSTANT]) -> T",
        "the value of the first row in the order that its stream promises: `min_by(value, ts)`; with TRUE or IGNORE "
        "NULLS of the first row that has one",
        Function.MIN_BY,
        also=("first_value",),
        ordered=True,
    ),
    Grouped(
        "last(value T, [skip BOOLEAN CONSTANT]) -> T",
        "the value of the last row in that order: `max_by(value, ts)`",
        Function.MAX_BY,
        also=("last_value",),
        ordered=True,
    ),
    Grouped(
        "collect_list(value T) -> ARRAY",
        "the values in their order, the least first",
        Function.COLLECT_LIST,
        also=("array_agg",),
    ),
    Grouped("collect_set(value T) -> ARRAY", "the different values, in their order", Function.COLLECT_SET),
)
AGGREGATES = {name: entry for entry in GROUPED for name in (entry.name, *entry.also)}


def suggested_aggregate(name: str) -> str:
    """The hint for an aggregate function that there is not.

    >>> suggested_aggregate("stdev")
    'did you mean STDDEV or STD? docs/functions.md lists all'
    """
    close = get_close_matches(name, AGGREGATES, 2, 0.7)
    meant = f"did you mean {' or '.join(name.upper() for name in close)}? " if close else ""
    return f"{meant}docs/functions.md lists all"
