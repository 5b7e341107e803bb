"""What a script defines: streams, sinks and queries."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from punctum.algebra.schema import Schema
from punctum.algebra.scheme import Scheme
from punctum.errors import Place

if TYPE_CHECKING:
    from punctum.parse.relations import Relation

NOWHERE = Place()


@dataclass(frozen=True)
class StreamDef:
    """A stream: its columns, what it promises, and where it is read, or the relation that it names."""

    name: str
    schema: Schema
    schemes: tuple[Scheme, ...] = ()
    unique: tuple[tuple[str, ...], ...] = ()
    format: str | None = None
    options: Mapping[str, str] = field(default_factory=dict, hash=False)
    relation: "Relation | None" = None
    punctuates: tuple[object, ...] = ()
    place: Place = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class SinkDef:
    """Where the result of a query is written."""

    name: str
    format: str
    options: Mapping[str, str] = field(default_factory=dict, hash=False)
    place: Place = field(default=NOWHERE, compare=False)


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
    """All streams, sinks and queries of a script, and its text, for the errors of later steps."""

    streams: dict[str, StreamDef]
    sinks: dict[str, SinkDef]
    queries: tuple[QueryDef, ...]
    text: str = ""
