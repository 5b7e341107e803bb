"""Schemas: the attributes of a stream, in order, with their types and declared domains."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

from punctum.algebra.pattern import WILDCARD, Pattern, between
from punctum.algebra.values import Row, Type, Value
from punctum.errors import PatternError, SchemaError, choices, nearest

NOT_NULL: Final = between(None, None)
"""The domain of an attribute that is never NULL."""


@dataclass(frozen=True)
class Attribute:
    """A column: its name, its type, and its domain, a pattern that every value is promised to match.

    NULL matches no range and no list, so an attribute with such a domain is never NULL. A DECIMAL has digits: how many
    it has in all, and how many of them stand behind the point.

    Where only some whole numbers can come, as in one bucket of many, ``reach`` gives for a number the least one not
    below it that can; a punctuation set coalesces over what lies between.

    An ARRAY has one part, its elements, and a STRUCT one for each field.
    """

    name: str
    type: Type
    domain: Pattern = WILDCARD
    digits: tuple[int, int] = (38, 18)
    parts: tuple["Attribute", ...] = ()
    reach: Callable[[int], int] | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.domain != NOT_NULL:
            self.check(self.domain)

    def check(self, pattern: Pattern) -> None:
        """Refuse a pattern whose values have another type, and of an ARRAY or STRUCT any that tells values apart."""
        if self.type.nested and pattern != WILDCARD:
            hint = "leave the column out: no punctuation speaks of it"
            raise SchemaError(f"a pattern does not fit the column {self.name}", f"it is {self.type.value}", hint)
        if pattern.type not in (None, self.type):
            expected = f"{self.name} is a {self.type.value}"
            detail = f"{expected}, and the pattern {pattern} is of type {pattern.type.value}"
            raise SchemaError(f"a pattern does not fit the column {self.name}", detail, f"expected {self.type.value}")

    def accept(self, value: object) -> Value | None:
        """The canonical value of this attribute, or an error that names it."""
        if self.type.nested and value is not None:
            return self._accept_parts(value)
        try:
            return None if value is None else self.type.accept(value)
        except PatternError as error:
            detail = f"{error.what}: {error.detail}"
            raise SchemaError(f"a value does not fit the column {self.name}", detail, error.hint) from None

    def _accept_parts(self, value: object) -> Value:
        """The elements, in order, or the fields, by name or in order; a field that is not there is NULL."""
        if self.type is Type.ARRAY and isinstance(value, list | tuple):
            return tuple(self.parts[0].accept(element) for element in value)
        if self.type is Type.STRUCT and isinstance(value, dict):
            return tuple(part.accept(value.get(part.name)) for part in self.parts)
        if self.type is Type.STRUCT and isinstance(value, tuple) and len(value) == len(self.parts):
            return tuple(part.accept(field) for part, field in zip(self.parts, value, strict=True))
        detail = f"{value!r} is a {type(value).__name__}"
        raise SchemaError(f"a value does not fit the column {self.name}", detail, f"it is {self.type.value}")


@dataclass(frozen=True)
class Schema:
    """The attributes of a stream, in order.

    >>> Schema.of(sid="STRING", hour="BIGINT").names
    ('sid', 'hour')
    """

    attributes: tuple[Attribute, ...]

    def __post_init__(self) -> None:
        if len(self.positions) < len(self.attributes):
            twice = next(name for name in self.names if self.names.count(name) > 1)
            raise SchemaError(f"the column {twice} occurs twice", "", "rename one of them")

    @staticmethod
    def of(**types: str | Type) -> "Schema":
        """A schema from names and types."""
        known = Type.__members__
        for name, kind in types.items():
            if not isinstance(kind, Type) and kind not in known:
                raise SchemaError(f"the column {name} has an unknown type", f"{kind!r}", choices(known))
        return Schema(tuple(Attribute(name, Type(kind)) for name, kind in types.items()))

    def where(self, **domains: Pattern) -> "Schema":
        """The same schema with declared domains.

        >>> str(Schema.of(hour="BIGINT").where(hour=between(0, 23)).attributes[0].domain)
        '[0,23]'
        """
        at = {self.index(name): domain for name, domain in domains.items()}
        return Schema(tuple(replace(a, domain=at.get(i, a.domain)) for i, a in enumerate(self.attributes)))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The attributes' names."""
        return tuple(attribute.name for attribute in self.attributes)

    @cached_property
    def positions(self) -> dict[str, int]:
        """The position of each name."""
        return {name: i for i, name in enumerate(self.names)}

    def __len__(self) -> int:
        return len(self.attributes)

    def index(self, name: str) -> int:
        """The position of an attribute, or an error that says which there are."""
        try:
            return self.positions[name]
        except KeyError:
            detail, hint = choices(self.names), nearest(name, self.names)
            raise SchemaError(f"there is no column {name}", detail, hint) from None

    def indices(self, names: Iterable[str]) -> tuple[int, ...]:
        """The positions of some attributes."""
        return tuple(self.index(name) for name in names)

    def row(self, *values: object) -> Row:
        """A row of canonical values.

        >>> Schema.of(itemid="BIGINT", increase="DOUBLE").row(17, 2)
        (17, 2.0)
        """
        if len(values) != len(self.attributes):
            detail = f"{len(values)} values for {len(self.attributes)} columns"
            raise SchemaError(f"the row {values!r} does not fit the schema", detail, choices(self.names))
        return tuple(a.accept(value) for a, value in zip(self.attributes, values, strict=True))

    def __str__(self) -> str:
        return ", ".join(f"{a.name} {a.type.value}" for a in self.attributes)


def same_schema(left: Schema, right: Schema) -> None:
    """Refuse inputs whose rows cannot be compared."""
    if left != right:
        detail = f"left is ({left}), right is ({right})"
        raise SchemaError("the inputs have different schemas", detail, "project them to the same columns first")
