"""Nodes of temporal streams: their elements, the events that these stand for, and merges of replicas."""

from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from typing import TYPE_CHECKING

from punctum.algebra.schema import Schema
from punctum.errors import Place
from punctum.ir.definitions import NOWHERE, Policy, Temporal
from punctum.ir.elements import EVENT, HIDDEN, MARKED, VS, element_schema, is_elements, is_opens, payload_of
from punctum.ir.node import Node, UnaryRelation, either
from punctum.ir.relations import Source

if TYPE_CHECKING:
    from punctum.ir.tree import Relation


@dataclass(frozen=True)
class Final(UnaryRelation):
    """The events of a temporal stream as rows, each when it is final: payload, start and end."""

    OPERATOR = "final"

    place: Place = field(default=NOWHERE, compare=False)

    def __post_init__(self) -> None:
        assert self.input.schema.names[-len(HIDDEN) :] == HIDDEN

    @cached_property
    def schema(self) -> Schema:
        """The payload, the start and the end."""
        return Schema(self.input.schema.attributes[: len(EVENT) - len(HIDDEN)])


@dataclass(frozen=True)
class Opened(UnaryRelation):
    """The elements of a temporal stream of which the opens and closes are read, and what it declares of them."""

    OPERATOR = "open-close"

    properties: Temporal
    place: Place = field(default=NOWHERE, compare=False)

    def __post_init__(self) -> None:
        assert is_opens(self.input.schema)

    @cached_property
    def schema(self) -> Schema:
        """The payload, and the columns of inserts and adjusts."""
        read = self.input.schema
        return element_schema(read.attributes[: -len(MARKED)], read.attributes[read.index(VS)].type)


@dataclass(frozen=True)
class Cleansed(UnaryRelation):
    """The events of a temporal stream as inserts, in the order of their starts, each when all before it are final."""

    OPERATOR = "cleanse"

    place: Place = field(default=NOWHERE, compare=False)

    def __post_init__(self) -> None:
        assert is_elements(self.input.schema)

    @cached_property
    def schema(self) -> Schema:
        """The columns of inserts."""
        read = self.input.schema
        return element_schema(payload_of(read), read.attributes[read.index(VS)].type, inserts=True)


@dataclass(frozen=True)
class LMerge(Node):
    """One temporal stream of replicas of it; a case that is forced, how it answers, and what controls its inputs.

    ``absent`` are inputs that are not there when the query starts; the control says when they come, and which go.
    ``feedback`` is the file where it tells what of its inputs nobody needs any more.
    """

    OPERATOR = "lmerge"
    BELOW = ("merged", "control")

    merged: "tuple[Relation, ...]"
    names: tuple[str, ...]
    policy: Policy = field(default_factory=Policy)
    case: str | None = None
    control: Source | None = None
    absent: tuple[str, ...] = ()
    feedback: str | None = None
    place: Place = field(default=NOWHERE, compare=False)

    def __post_init__(self) -> None:
        kinds = {
            tuple((a.name, a.type, a.digits, a.parts) for a in replica.schema.attributes) for replica in self.merged
        }
        assert len(self.merged) == len(self.names) and len(kinds) == 1, (self.names, kinds)

    @cached_property
    def schema(self) -> Schema:
        """The columns of the elements, with the domains that hold for all inputs."""
        several = zip(*(replica.schema.attributes for replica in self.merged), strict=True)
        return Schema(tuple(replace(same[0], domain=reduce(either, [a.domain for a in same])) for same in several))

    @property
    def label(self) -> str:
        """The inputs, and what is asked for."""
        asked = [f"case {self.case}"] * (self.case is not None) + [str(self.policy)] * (self.policy != Policy())
        return f"LMerge {', '.join(self.names)}" + (f" ({', '.join(asked)})" if asked else "")
