"""Stream elements as JSON.

A row is an object. A punctuation is ``{"$punct": {…}}``, where an attribute that is not named is a wildcard, so
``{"$punct": {}}`` ends the stream. A pattern is a scalar (a constant, ``null`` included), ``{"in": [1, 5]}``,
``{"ge": 17, "lt": 20}`` (``gt``, ``ge``, ``lt``, ``le``, one end may be missing; ``{"gt": null}`` is every value but
NULL) or ``{"none": true}``. Where rows have a start ``_vs``, ``{"$stable": 11}`` says that no later one has a start
below 11, and ``{"$stable": null}`` ends the stream.

DECIMAL, DATE and TIMESTAMP are strings, and so are the DOUBLEs ``"NaN"``, ``"Infinity"`` and ``"-Infinity"``.
"""

import json
import math
from collections.abc import Set
from decimal import Decimal
from typing import Any

from punctum.algebra.functions import Element
from punctum.algebra.pattern import EMPTY, WILDCARD, Constant, Empty, List, Pattern, Range, between, constant, one_of
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.values import Row, Type, Value, value_from_text, value_text
from punctum.errors import CodecError, PatternError, SchemaError, choices

PUNCT = "$punct"
STABLE, START = "$stable", "_vs"
_LOWER, _UPPER = {"gt": "(", "ge": "["}, {"lt": ")", "le": "]"}
_NOT_NULL = {"gt": None}  # the range that is infinite on both sides
_EXPECTED = 'a scalar, {"in": […]}, a range of gt, ge, lt, le, or {"none": true}'


def to_json(element: Element, schema: Schema) -> str:
    """A row or punctuation as one line of JSON.

    >>> report = Schema.of(sid="STRING", hour="BIGINT")
    >>> to_json(report.row("S01", 17), report)
    '{"sid": "S01", "hour": 17}'
    >>> to_json(Punctuation.of(report, hour=between(17, 20, "[)")), report)
    '{"$punct": {"hour": {"ge": 17, "le": 19}}}'
    """
    if isinstance(element, Punctuation):
        named = {schema.names[i]: _pattern_to_json(pattern) for i, pattern in element.sides}
        return json.dumps({PUNCT: named}, ensure_ascii=False, allow_nan=False)
    row = {a.name: _of_parts(value, a) for a, value in zip(schema.attributes, element, strict=True)}
    return json.dumps(row, ensure_ascii=False, allow_nan=False)


def from_json(text: str | bytes, schema: Schema, left_out: Set[str] = frozenset()) -> Element:
    """The row or punctuation that a line of JSON means for a schema; columns that the schema lacks are passed over.

    Of a row some columns may be left out: they are NULL then.

    >>> report = Schema.of(sid="STRING", hour="BIGINT")
    >>> print(from_json('{"$punct": {"hour": {"ge": 17, "lt": 20}}}', report))
    <*, [17,19]>
    >>> from_json('{"$punct": {"hour": "17"}}', report)
    Traceback (most recent call last):
    ...
    punctum.errors.CodecError: the column hour has a wrong value
      detail: expected BIGINT, found "17"
      hint: BIGINT takes int of 64 bits
    """
    try:
        data = json.loads(text, parse_float=Decimal, object_pairs_hook=unique_keys)
    except (ValueError, ArithmeticError, RecursionError) as error:
        raise CodecError("a line is not JSON", str(error), "each line is one JSON object") from None
    if not isinstance(data, dict):
        raise CodecError("a line is not a JSON object", f"found {_show(data)}", "a row or a punctuation is an object")
    if STABLE in data and START in schema.positions:
        return _stable(data, schema)
    return _punctuation(data, schema) if PUNCT in data else _row(data, schema, left_out)


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON, for ``json.loads``, which would let the last of equal keys win."""
    data = dict(pairs)
    if len(data) < len(pairs):
        raise ValueError("an object has a duplicate key")
    return data


def _row(data: dict[str, Any], schema: Schema, left_out: Set[str]) -> Row:
    if missing := [name for name in schema.names if name not in data and name not in left_out]:
        raise CodecError(f"the row has no column {missing[0]}", f"it has: {', '.join(data)}", "write NULL as null")
    return tuple(_value_from_json(data.get(attribute.name), attribute) for attribute in schema.attributes)


def _stable(data: dict[str, Any], schema: Schema) -> Punctuation:
    if len(data) > 1:
        raise CodecError("a stable is malformed", f"found {_show(data)}", f'it is {{"{STABLE}": …}} and nothing else')
    time = _value_from_json(data[STABLE], schema.attributes[schema.index(START)])
    return Punctuation.of(schema, {} if time is None else {START: between(None, time, "[)")})


def _punctuation(data: dict[str, Any], schema: Schema) -> Punctuation:
    named = data[PUNCT]
    if len(data) > 1 or not isinstance(named, dict):
        raise CodecError(
            "a punctuation is malformed", f"found {_show(data)}", f'it is {{"{PUNCT}": {{…}}}} and nothing else'
        )
    patterns = [WILDCARD] * len(schema)
    for name, pattern in named.items():
        if name not in schema.positions:
            raise CodecError(f"a punctuation names an unknown column {name}", "", choices(schema.names))
        at = schema.index(name)
        patterns[at] = _pattern_from_json(pattern, schema.attributes[at])
    return Punctuation(schema, tuple(patterns))


def _pattern_to_json(pattern: Pattern) -> Any:
    match pattern:
        case Constant(value):
            return _value_to_json(value)
        case List(values):
            return {"in": [_value_to_json(value) for value in values]}
        case Empty():
            return {"none": True}
        case Range():
            lower, upper, ends = pattern.written
            low = {"gt" if ends[0] == "(" else "ge": _value_to_json(lower)} if lower is not None else {}
            high = {"lt" if ends[1] == ")" else "le": _value_to_json(upper)} if upper is not None else {}
            return (low | high) or _NOT_NULL
        case _:
            raise AssertionError(pattern)


def _pattern_from_json(data: Any, attribute: Attribute) -> Pattern:
    if not isinstance(data, dict | list):
        return constant(_value_from_json(data, attribute))
    match data:
        case {"none": True, **rest} if not rest:
            return EMPTY
        case dict() if data == _NOT_NULL:
            return between(None, None)
        case {"in": list(values), **rest} if not rest:
            try:
                return one_of([_value_from_json(value, attribute) for value in values])  # type: ignore[misc]
            except PatternError as error:
                raise _malformed(attribute, data, error.what, error.hint) from None
        case dict() if data and data.keys() <= _LOWER.keys() | _UPPER.keys():
            lower = [(key, data[key]) for key in _LOWER if key in data]
            upper = [(key, data[key]) for key in _UPPER if key in data]
            if len(lower) > 1 or len(upper) > 1:
                raise _malformed(
                    attribute, data, "a range has two ends on one side", "use one of gt and ge, and one of lt and le"
                )
            if None in data.values():
                raise _malformed(attribute, data, "NULL is not the end of a range", "omit an end that is infinite")
            (low, lowest), (high, highest) = (lower or [("gt", None)])[0], (upper or [("lt", None)])[0]
            ends = _LOWER[low] + _UPPER[high]
            return between(_value_from_json(lowest, attribute), _value_from_json(highest, attribute), ends)
        case _:
            raise _malformed(attribute, data, f"found {_show(data)}", f"expected {_EXPECTED}")


def _of_parts(value: Any, attribute: Attribute) -> Any:
    if value is None or not attribute.type.nested:
        return _value_to_json(value)
    if attribute.type is Type.ARRAY:
        return [_of_parts(element, attribute.parts[0]) for element in value]
    return {part.name: _of_parts(field, part) for part, field in zip(attribute.parts, value, strict=True)}


def _value_to_json(value: Value | None) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return value_text(value)
    return value if value is None or isinstance(value, bool | int | float | str) else value_text(value)


def _value_from_json(data: Any, attribute: Attribute) -> Value | None:
    kind = attribute.type
    try:
        if data is None:
            return None
        if kind.nested:
            return _parts_from_json(data, attribute)
        if isinstance(data, str) and kind is not Type.STRING:
            return _text(data, kind)
        if kind is Type.DOUBLE and isinstance(data, int | Decimal) and not isinstance(data, bool):
            return _double(data)
        return kind.accept(data)
    except (PatternError, SchemaError, OverflowError) as error:
        hint = error.hint if isinstance(error, PatternError) else "a DOUBLE is at most about 1.8e308"
        detail = f"expected {kind.value}, found {_show(data)}"
        raise CodecError(f"the column {attribute.name} has a wrong value", detail, hint) from None


def _parts_from_json(data: Any, attribute: Attribute) -> Value | None:
    """The elements of an array, or the fields of an object; one that is not there is NULL."""
    parts = attribute.parts
    if attribute.type is Type.ARRAY and isinstance(data, list):
        return tuple(_value_from_json(element, parts[0]) for element in data)
    if attribute.type is Type.STRUCT and isinstance(data, dict):
        return tuple(_value_from_json(data.get(part.name), part) for part in parts)
    raise PatternError("", "", 'an ARRAY is written [1, 2], a STRUCT {"name": 1}')


def _text(data: str, kind: Type) -> Value | None:
    if (
        kind is Type.BOOLEAN
        or kind is Type.BIGINT
        or (kind is Type.DOUBLE and data not in ("NaN", "Infinity", "-Infinity"))
    ):
        return kind.accept(data)
    value = value_from_text(data, kind)
    return kind.accept(data) if value is None else value


def _double(data: int | Decimal) -> Value:
    number = float(data)
    if math.isinf(number):
        raise OverflowError(data)
    return Type.DOUBLE.accept(number)


def _malformed(attribute: Attribute, data: Any, detail: str, hint: str) -> CodecError:
    return CodecError(f"the column {attribute.name} has a malformed pattern", f"{detail}: {_show(data)}", hint)


def _show(data: Any) -> str:
    text = json.dumps(data, ensure_ascii=False, default=str)
    return text if len(text) <= 80 else text[:79] + "…"
