"""The time of the batch: a relation whose rows say when they came, for ``current_timestamp()`` and its like."""

from dataclasses import dataclass, field
from functools import cached_property

from punctum.algebra.schema import NOT_NULL, Attribute, Schema
from punctum.algebra.values import Type
from punctum.errors import Place
from punctum.ir.definitions import NOWHERE
from punctum.ir.node import UnaryRelation


@dataclass(frozen=True)
class Stamped(UnaryRelation):
    """Each row with the time of the batch in which it comes, behind its other columns; this time never goes back."""

    OPERATOR = "stamp"

    name: str
    place: Place = field(default=NOWHERE, compare=False)

    @property
    def width(self) -> int:
        """How many columns of the input there are: the time is the one after them."""
        return len(self.input.schema)

    @cached_property
    def schema(self) -> Schema:
        """The input's columns, and the time."""
        return Schema((*self.input.schema.attributes, Attribute(self.name, Type.TIMESTAMP, NOT_NULL)))

    @property
    def label(self) -> str:
        """What the column is."""
        return f"Stamp {self.name} with the batch's time"
