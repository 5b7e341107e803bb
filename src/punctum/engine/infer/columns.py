"""Columns from values: what is seen in a column becomes its type, widened as far as no value is lost.

Whole numbers and others together are DOUBLE. Texts are DATE or TIMESTAMP when all of them are written so. A column of
JSON whose values are of several kinds has the type that nearly all of them have, and the others will not be taken;
where no kind has nearly all, the column is left out. Of CSV such a column is STRING, which takes all.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.values import Type
from punctum.engine.formats.typed import plain
from punctum.engine.infer.sample import Sample
from punctum.errors import SchemaError

NEARLY = 0.95
"""The share of values that decides on a type."""
_WORDS = {"null": "NULL", "bool": "BOOLEAN", "number": "number", "text": "string", "list": "ARRAY", "object": "object"}
_TEXTS = (Type.BIGINT, Type.DOUBLE, Type.BOOLEAN, Type.DATE, Type.TIMESTAMP)
_FORMS = {kind: re.compile(plain(Attribute("", kind))) for kind in _TEXTS}
_LOW, _HIGH = -(2**63), 2**63


@dataclass
class Columns:
    """The columns of some files, and what is to be said of those that do not fit."""

    schema: Schema
    left_out: dict[str, str] = field(default_factory=dict)
    """Columns that are left out, with the reason."""
    notes: list[str] = field(default_factory=list)


Typed = Callable[[str, Sequence[Any], Sequence[str]], tuple[Attribute, str]]
"""The attribute of some values with their places, and what is to be said of it."""


class MixedError(Exception):
    """Values of several kinds, none of which has nearly all."""


def of_json(sample: Sample) -> Columns:
    """The columns of JSON lines."""
    return _columns(sample, _typed)


def of_csv(sample: Sample) -> Columns:
    """The columns of comma-separated values."""
    return _columns(sample, _of_texts)


def _columns(sample: Sample, typed: "Typed") -> Columns:
    columns, attributes, lower = Columns(Schema(())), list[Attribute](), dict[str, str]()
    for name, values in sample.values.items():
        if not name or name.lower() in lower:
            twin = lower.get(name.lower(), "")
            columns.left_out[name] = f"the column {name!r} is left out: " + (
                f"names are case-insensitive, and there is {twin}" if twin else "it has no name"
            )
            continue
        lower[name.lower()] = name
        try:
            attribute, note = typed(name, values, sample.places[name])
        except MixedError as error:
            columns.left_out[name] = f"the column {name} is left out: {error}"
            continue
        attributes.append(attribute)
        columns.notes += [note] if note else []
    columns.schema = Schema(tuple(attributes))
    return columns


def _typed(name: str, values: Sequence[Any], places: Sequence[str]) -> tuple[Attribute, str]:
    """The attribute of JSON values, and what does not fit it."""
    families = Counter(map(_family, values))
    families.pop("null", None)
    if not families:
        return Attribute(name, Type.STRING), f"{name} is STRING, for no value of it was seen"
    family, most = families.most_common(1)[0]
    if len(families) == 1:
        return attribute_of(name, values), ""
    first = {f: next(n for n, value in enumerate(values) if _family(value) == f) for f in families}
    shown = " and ".join(
        f"{count:,} {_WORDS[f]} ({_shown(values[first[f]])} in {places[first[f]]})"
        for f, count in families.most_common()
    )
    if most < NEARLY * families.total():
        raise MixedError(f"its values are of several types: {shown}")
    attribute = attribute_of(name, [value for value in values if _family(value) == family])
    return attribute, f"{name} is {attribute.type.value}; values of another type are not taken: {shown}"


def _family(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "bool"
        case int() | Decimal():
            return "number"
        case str():
            return "text"
        case list():
            return "list"
    return "object"


def attribute_of(name: str, values: Iterable[Any]) -> Attribute:
    """The attribute that takes all of some JSON values of one kind.

    >>> from punctum.ir.expressions import type_text
    >>> of = ([1, None], [1, Decimal("0.5")], ["2026-11-19"], [{"a": [1]}])
    >>> [type_text(attribute_of("c", values)) for values in of]
    ['BIGINT', 'DOUBLE', 'DATE', 'STRUCT<a: ARRAY<BIGINT>>']
    """
    known = [value for value in values if value is not None]
    families = set(map(_family, known))
    if len(families) > 1:
        raise MixedError(f"{name} has values of several types: {', '.join(sorted(_WORDS[f] for f in families))}")
    match next(iter(families), "text"):
        case "bool":
            return Attribute(name, Type.BOOLEAN)
        case "number":
            return _number(name, known)
        case "text":
            return Attribute(name, next((kind for kind in _TEXTS[3:] if known and _all(kind, known)), Type.STRING))
        case "list":
            element = attribute_of("element", [element for value in known for element in value])
            return Attribute(name, Type.ARRAY, parts=(element,))
    names = dict.fromkeys(key for value in known for key in value)
    if not names or "" in names or len({n.lower() for n in names}) < len(names):
        raise MixedError(f"the fields of {name} cannot be named: {', '.join(map(repr, names)) or 'there are none'}")
    fields = (attribute_of(key, [value.get(key) for value in known]) for key in names)
    return Attribute(name, Type.STRUCT, parts=tuple(fields))


def _number(name: str, known: Sequence[int | Decimal]) -> Attribute:
    if any(isinstance(value, Decimal) for value in known):
        return Attribute(name, Type.DOUBLE)
    if all(_LOW <= value < _HIGH for value in known):
        return Attribute(name, Type.BIGINT)
    exact = all(-(10**38) < value < 10**38 for value in known)
    return Attribute(name, Type.DECIMAL, digits=(38, 0)) if exact else Attribute(name, Type.DOUBLE)


def _of_texts(name: str, values: Sequence[str | None], places: Sequence[str]) -> tuple[Attribute, str]:
    """The attribute of fields of CSV, and what has kept it from being a narrower one."""
    known = [(text, place) for text, place in zip(values, places, strict=True) if text is not None]
    if not known:
        return Attribute(name, Type.STRING), f"{name} is STRING, for no value of it was seen"
    for kind in _TEXTS:
        others = [(text, place) for text, place in known if not _FORMS[kind].fullmatch(text)]
        if not others:
            return Attribute(name, kind), ""
        if len(known) - len(others) >= NEARLY * len(known):
            text, place = others[0]
            why = f"{len(others):,} of {len(known):,} values are no {kind.value}: {_shown(text)} in {place}"
            return Attribute(name, Type.STRING), f"{name} is STRING: {why}"
    return Attribute(name, Type.STRING), ""


def _all(kind: Type, texts: Iterable[str]) -> bool:
    return all(_FORMS[kind].fullmatch(text) for text in texts)


def _shown(value: Any) -> str:
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 40 else text[:39] + "…"


def widened(left: Attribute, right: Attribute) -> Attribute:
    """The attribute that takes the values of both, of columns that have types."""
    if left == right:
        return left
    kinds = {left.type, right.type}
    if kinds == {Type.BIGINT, Type.DOUBLE}:
        return Attribute(left.name, Type.DOUBLE)
    if kinds == {Type.DECIMAL}:
        before = max(a.digits[0] - a.digits[1] for a in (left, right))
        scale = max(a.digits[1] for a in (left, right))
        if before + scale <= 38:
            return Attribute(left.name, Type.DECIMAL, digits=(before + scale, scale))
    raise MixedError(f"it is {left.type.value} in some files, and {right.type.value} in others")


def together(of: Mapping[str, Sequence[Attribute]]) -> Columns:
    """The columns of files each of which has some attributes, by the names of the files."""
    columns, first = Columns(Schema(())), next(iter(of))
    known = {name: {a.name: a for a in attributes} for name, attributes in of.items()}
    names = dict.fromkeys(a.name for attributes in of.values() for a in attributes)
    taken = list[Attribute]()
    for name in names:
        lacking = [file for file, attributes in known.items() if name not in attributes]
        if lacking:
            columns.left_out[name] = f"the column {name} is left out: {lacking[0]} has none"
            continue
        attribute = known[first][name]
        try:
            for attributes in known.values():
                attribute = widened(attribute, attributes[name])
        except MixedError as error:
            columns.left_out[name] = f"the column {name} is left out: {error}"
            continue
        taken.append(attribute)
    if not taken:
        raise SchemaError("the files have no column in common", ", ".join(known[first]), "name files of one kind")
    columns.schema = Schema(tuple(taken))
    return columns
