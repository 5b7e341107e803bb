"""Sessions: the rows of a key between which there is no gap of time, as groups."""

from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property

from punctum.algebra.schema import NOT_NULL, Attribute, Schema
from punctum.errors import Place
from punctum.ir.definitions import NOWHERE
from punctum.ir.expressions import Column, named, text
from punctum.ir.node import UnaryRelation, fits
from punctum.ir.planned import duration_text
from punctum.ir.relations import AggregateCall


@dataclass(frozen=True)
class Sessions(UnaryRelation):
    """A row for each session: its keys, its start, its end and its aggregates.

    Two rows of a key are in one session when their times are at most a gap apart, or other rows lie between them of
    which that is so. A session starts with its first row and ends a gap after its last; ``end`` is a column that has
    the time a gap after each row. Rows without a time are in none.
    """

    OPERATOR = "session"

    keys: tuple[tuple[str, Column], ...]
    time: Column
    end: Column
    gap: timedelta
    names: tuple[str, str]
    aggregates: tuple[AggregateCall, ...]
    place: Place = field(default=NOWHERE, compare=False)

    def __post_init__(self) -> None:
        assert self.gap > timedelta() and self.time.type is self.end.type
        for column in self.reads_columns:
            fits(column, self.input.schema)

    @property
    def reads_columns(self) -> list[Column]:
        """The columns of the input that it reads."""
        called = (c for call in self.aggregates for c in (call.argument, call.filter) if c is not None)
        return [*(key for _, key in self.keys), self.time, self.end, *called]

    @cached_property
    def schema(self) -> Schema:
        """The keys, the bounds, the aggregates."""
        keys = (named(key, name) for name, key in self.keys)
        bounds = (Attribute(name, self.time.type, NOT_NULL) for name in self.names)
        return Schema((*keys, *bounds, *(call.attribute(True) for call in self.aggregates)))

    @property
    def label(self) -> str:
        """The aggregates, the gap and the keys."""
        calls = ", ".join(str(call) for call in self.aggregates)
        keys = "".join(f" by {', '.join(text(key) for _, key in self.keys)}" if self.keys else "")
        return f"Sessions {calls or 'of rows'}{keys}, {text(self.time)} within {duration_text(self.gap)}"
