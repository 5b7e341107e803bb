"""What a script defines: streams, tables, sinks and queries."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from enum import Enum
from typing import TYPE_CHECKING

from punctum.algebra.schema import Schema
from punctum.algebra.scheme import Order, Scheme
from punctum.algebra.values import Value
from punctum.errors import Place
from punctum.ir.expressions import Expression

if TYPE_CHECKING:
    from punctum.ir.tree import Relation

NOWHERE = Place()
KAFKA = "kafka"
"""The format of streams and sinks that are topics."""
BESIDE: Mapping[str, str] = {
    "_key": "STRING",
    "_headers": "ARRAY<STRUCT<key: STRING, value: STRING>>",
    "_timestamp": "TIMESTAMP",
    "_partition": "BIGINT",
    "_offset": "BIGINT",
}
"""Columns that a stream of a topic may have, with their types: not in the value of a message, but beside it."""


Delay = int | float | Decimal | timedelta
"""How far behind the furthest row others may come: a number for numbers, a duration for times."""


@dataclass(frozen=True)
class TableDef:
    """A table that stands still: its columns, and where it is read when a query starts."""

    name: str
    schema: Schema
    format: str
    options: Mapping[str, str] = field(default_factory=dict, hash=False)
    place: Place = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class TableColumn:
    """A column of a table, by its position."""

    table: TableDef
    index: int


@dataclass(frozen=True)
class EndEvent:
    """PUNCTUATE (itemid) WHEN …: a row for which the condition is true is the last one with its values."""

    scheme: Scheme
    when: Expression
    place: Place = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class AccessOrder:
    """PUNCTUATE (sensor, ts ASC): rows of a key come in the order of the last column, or at most a delay behind it.

    With a unit, such as DATE_TRUNC('hour', ts), in the order of its values.
    """

    scheme: Scheme
    delay: Delay | None = None
    place: Place = field(default=NOWHERE, compare=False)
    unit: Expression | None = None


@dataclass(frozen=True)
class AllReported:
    """PUNCTUATE (hour) WHEN ALL sid IN …: values are complete when each member of a list has reported them.

    With an order, as in (ts ASC), when each has gone past them, or a delay further. With a unit, such as
    DATE_TRUNC('hour', ts), all of the last column's values in it are complete together.
    """

    scheme: Scheme
    member: str
    members: tuple[Value, ...] | TableColumn
    place: Place = field(default=NOWHERE, compare=False)
    delay: Delay | None = None
    unit: Expression | None = None

    @property
    def ordered(self) -> bool:
        """Whether each member has to go past what is complete."""
        return self.scheme.terms[-1][1] is not Order.EQUALITY


Clause = EndEvent | AccessOrder | AllReported
"""A way to make punctuations from the rows of a stream."""


@dataclass(frozen=True)
class TimeLimits:
    """How long a scheme's punctuations may take to come, and for how long they hold."""

    scheme: Scheme
    expect: timedelta | None = None
    lifespan: timedelta | None = None
    place: Place = field(default=NOWHERE, compare=False)


class Violation(Enum):
    """What becomes of a row that an earlier punctuation excludes."""

    QUARANTINE = "QUARANTINE"
    FAIL = "FAIL"


@dataclass(frozen=True)
class Temporal:
    """What a temporal stream declares of its elements.

    ``key`` are columns of which no two events of one start have the same values; nothing: none are declared. A stream
    of opens and closes says in these words when events start and when they end.
    """

    ordered: bool = False
    strictly: bool = False
    insert_only: bool = False
    ties: bool = False
    key: tuple[str, ...] | None = None
    open_close: bool = False


@dataclass(frozen=True)
class Policy:
    """How a merge of replicas answers: when an insert goes out, when an adjust does, and the share that is waited for.

    >>> print(Policy(insert="share", share=0.5))
    insert share 0.5, adjust stable
    """

    insert: str = "first"
    adjust: str = "stable"
    share: float = 0.5

    def __str__(self) -> str:
        share = f" {self.share:g}" if self.insert == "share" else ""
        return f"insert {self.insert}{share}, adjust {self.adjust}"


@dataclass(frozen=True)
class StreamDef:
    """A stream: its columns, what it promises, and where it is read, or the relation that it names.

    Its schemes are those that are declared and those that UNIQUE and PUNCTUATE imply; the idle ones of them are of no
    use to the query that reads it. The columns of a temporal stream are those of its elements.
    """

    name: str
    schema: Schema
    schemes: tuple[Scheme, ...] = ()
    unique: tuple[tuple[str, ...], ...] = ()
    format: str | None = None
    options: Mapping[str, str] = field(default_factory=dict, hash=False, repr=False)  # one may be a password
    relation: "Relation | None" = None
    punctuates: tuple[Clause, ...] = ()
    limits: tuple[TimeLimits, ...] = ()
    on_violation: Violation = Violation.QUARANTINE
    idle: tuple[Scheme, ...] = ()
    clocks: tuple[Scheme, ...] = ()
    """Of the schemes of a stream with time limits, those that nothing needs but to know what time it is."""
    temporal: Temporal | None = None
    table: bool = False
    """Whether it is a table, as it stands in FROM."""
    partitioned: tuple[str, ...] = ()
    """Columns each of whose values stays in one partition of the topic that it is read from."""
    place: Place = field(default=NOWHERE, compare=False)


def is_refreshed(table: StreamDef) -> bool:
    """Whether a table is read again when its files change."""
    return table.options.get("refresh", "").lower() == "true"


@dataclass(frozen=True)
class SinkDef:
    """Where the result of a query is written."""

    name: str
    format: str
    options: Mapping[str, str] = field(default_factory=dict, hash=False, repr=False)  # a url may have a password
    place: Place = field(default=NOWHERE, compare=False)
    partitioned: tuple[str, ...] = ()
    """The columns whose values are directories."""


ELEMENTS = "elements"
"""The option of a sink that takes the elements of a temporal stream, and not the events when they are final."""


def takes_elements(sink: SinkDef) -> bool:
    """Whether a sink takes elements."""
    return sink.options.get(ELEMENTS, "").lower() == "true"


def takes_punctuations(sink: SinkDef) -> bool:
    """Whether a sink takes punctuations too, as one of elements does."""
    return sink.options.get("punctuations", "").lower() == "true" or takes_elements(sink)


def writes_apart(sink: SinkDef) -> bool:
    """Whether a sink can write what all buckets say apart from their elements."""
    return takes_elements(sink) and sink.format != "console"


@dataclass(frozen=True)
class QueryDef:
    """A query: a relation written to a sink, whose name it has."""

    name: str
    sink: SinkDef
    relation: "Relation"
    allow_unbounded: bool = False
    place: Place = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Script:
    """All streams, sinks, queries and tables of a script, and its text, for the errors of later steps."""

    streams: dict[str, StreamDef]
    sinks: dict[str, SinkDef]
    queries: tuple[QueryDef, ...]
    text: str = field(default="", repr=False)  # it may hold a password
    tables: dict[str, TableDef] = field(default_factory=dict)
