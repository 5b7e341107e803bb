"""Functions of frames: each row with a value of rows before it, which is final when nothing can come before the row."""

from dataclasses import dataclass, field, replace
from functools import cached_property

from punctum.algebra.aggregates import Function
from punctum.algebra.frames import Frame, FrameCall, FrameFunction, UpTo
from punctum.algebra.pattern import WILDCARD
from punctum.algebra.schema import Attribute, Schema
from punctum.errors import Place
from punctum.ir.definitions import NOWHERE
from punctum.ir.expressions import Column, text
from punctum.ir.node import UnaryRelation, fits
from punctum.ir.ranking import SortKeys, window_text
from punctum.ir.relations import AggregateCall


@dataclass(frozen=True)
class Over(UnaryRelation):
    """All rows with one more column: a function of a frame of rows of their partition.

    Rows are in the order of the keys, and peers in that of all other columns, one after the other, ascending.
    """

    OPERATOR = "over"

    partition: tuple[Column, ...]
    keys: SortKeys
    function: FrameFunction
    argument: Column | None
    frame: Frame
    name: str
    place: Place = field(default=NOWHERE, compare=False)

    def __post_init__(self) -> None:
        assert self.keys or self.frame.upto is UpTo.WHOLE
        assert self.frame.within is None or len(self.keys) == 1
        for column in (*self.partition, *(key for key, _, _ in self.keys), *([self.argument] if self.argument else [])):
            fits(column, self.input.schema)

    @cached_property
    def schema(self) -> Schema:
        """The input's columns, then the value."""
        return Schema((*self.input.schema.attributes, self.result))

    @property
    def result(self) -> Attribute:
        """The column of the value."""
        if (aggregate := self.function.aggregate) is not None:
            return AggregateCall(self.name, Function(aggregate), self.argument).attribute(True)
        assert self.argument is not None
        of = replace(self.argument.attribute, name=self.name)
        return replace(of, domain=WILDCARD) if self.function.of_another else of

    @property
    def by(self) -> list[int]:
        """The positions of the columns that have one value in a partition."""
        return [column.index for column in self.partition]

    def call(self, schema: Schema) -> FrameCall:
        """The function, of attributes by their names."""
        of = None if self.argument is None else schema.names[self.argument.index]
        return FrameCall(self.function, of, self.name, self.frame)

    @property
    def ordered(self) -> bool:
        """Whether a value is final when order has passed the row."""
        return self.frame.upto is not UpTo.WHOLE

    @property
    def label(self) -> str:
        """The function and its window."""
        of = "*" if self.argument is None else text(self.argument)
        near = self.frame.preceding if self.frame.within is None else f"{self.frame.within} steps"
        before = "all" if near is None else str(near)
        upto = {UpTo.ROW: "", UpTo.PEERS: " and peers", UpTo.WHOLE: " and after"}[self.frame.upto]
        side = "after" if self.function is FrameFunction.LEAD else "before"
        window = f"{before} {side}{upto}{window_text(self.partition, self.keys)}"
        return f"Over {self.function.value}({of}) AS {self.name} of {window}"
