"""Functions of a frame: rows of a partition before a row and up to it, in an order."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from punctum.algebra.aggregates import AggregateFunction, Function
from punctum.algebra.bands import shifted
from punctum.algebra.cuts import HIGHEST, LOWEST
from punctum.algebra.pattern import EMPTY, Pattern, span_pattern
from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.values import Type


class FrameFunction(Enum):
    """A function of the rows of a frame; LAG is the value so many rows before, LEAD so many rows after."""

    COUNT = "COUNT"
    SUM = "SUM"
    MIN = "MIN"
    MAX = "MAX"
    AVG = "AVG"
    LAG = "LAG"
    LEAD = "LEAD"
    FIRST_VALUE = "FIRST_VALUE"
    LAST_VALUE = "LAST_VALUE"

    @property
    def of_another(self) -> bool:
        """Whether it is a value of another row, so many before or after, which may not be there."""
        return self in (FrameFunction.LAG, FrameFunction.LEAD)

    @property
    def aggregate(self) -> Function | None:
        """The aggregate function that it is, if it is one."""
        return Function(self.value) if self.value in {f.value for f in Function} else None


class UpTo(Enum):
    """Where a frame ends: at the row, at the last of its peers, or with the partition."""

    ROW = "row"
    PEERS = "peers"
    WHOLE = "whole"


@dataclass(frozen=True)
class Frame:
    """So many rows before a row, or all, and where it ends; or those whose sort key is at most so many steps before."""

    preceding: int | None
    upto: UpTo = UpTo.ROW
    within: int | None = None


@dataclass(frozen=True)
class FrameCall:
    """A function of an attribute over a frame, and the name of the result; COUNT of nothing counts rows.

    >>> [FrameCall(FrameFunction.SUM, "v", "total", Frame(n)).history for n in (3, None)]
    [3, 1]
    """

    function: FrameFunction
    of: str | None
    name: str
    frame: Frame

    def attribute(self, schema: Schema) -> Attribute:
        """The result's name and type."""
        if (function := self.function.aggregate) is not None:
            return AggregateFunction(function, self.of, self.name).attribute(schema)
        assert self.of is not None
        of = schema.attributes[schema.index(self.of)]
        return Attribute(self.name, of.type, digits=of.digits)

    @property
    def history(self) -> int:
        """How many rows that have come out are known of a partition: the last ones, or one that stands for all.

        Of a frame by steps it is those that are near enough, however many.
        """
        if self.frame.upto is UpTo.WHOLE or self.function is FrameFunction.LAST_VALUE:
            return 0
        return 1 if self.frame.preceding is None else self.frame.preceding


def out_of_reach(closed: Iterable[Pattern], within: int, descending: bool, kind: Type) -> Pattern:
    """The sort keys that are in no frame of a row that may come, when a prefix of the order is closed.

    >>> from punctum.algebra.pattern import between
    >>> [str(out_of_reach([p], 10, False, Type.BIGINT)) for p in (between(None, 25), between(None, None), EMPTY)]
    ['(,15]', '(,)', '{}']
    """
    side, first = int(not descending), (HIGHEST, LOWEST)[descending]
    cuts = [span[side] for pattern in closed for span in pattern.spans]
    if not cuts:
        return EMPTY
    cut = min(cuts) if descending else max(cuts)
    end = cut if cut is first else shifted(cut, within if descending else -within)
    if end is None:
        return EMPTY
    return span_pattern((end, HIGHEST) if descending else (LOWEST, end), kind)
