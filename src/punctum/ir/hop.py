"""Hopping windows: a relation whose rows come once for each window of time in which they lie."""

from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property

from punctum.algebra.schema import NOT_NULL, Attribute, Schema
from punctum.errors import Place
from punctum.ir.definitions import NOWHERE
from punctum.ir.expressions import type_text
from punctum.ir.node import UnaryRelation

BOUNDS = 2
"""The last columns of the input: the starts of the first and of the last window of a row."""


@dataclass(frozen=True)
class Hop(UnaryRelation):
    """Each row once for each of its windows, with the start of that window behind its other columns.

    The last two columns of the input say where its first window starts, and where its last one does; from one to the
    next it is a slide. They do not come out.
    """

    OPERATOR = "hop"

    slide: timedelta
    name: str
    place: Place = field(default=NOWHERE, compare=False)

    def __post_init__(self) -> None:
        first, last = self.input.schema.attributes[-BOUNDS:]
        assert first.type is last.type, (type_text(first), type_text(last))
        assert self.slide > timedelta()

    @property
    def width(self) -> int:
        """How many columns of the input come out: the start is the one after them."""
        return len(self.input.schema) - BOUNDS

    @cached_property
    def schema(self) -> Schema:
        """The other columns, and the start."""
        start = Attribute(self.name, self.input.schema.attributes[-1].type, NOT_NULL)
        return Schema((*self.input.schema.attributes[: self.width], start))

    @property
    def label(self) -> str:
        """How often windows begin."""
        return f"Hop {self.name} every {self.slide}"
