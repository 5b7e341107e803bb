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
    row = {name: _value_to_json(value) for name, value in zip(schema.names, element, strict=True)}
    return json.dumps(row, ensure_ascii=False, allow_nan=False)


def from_json(text: str | bytes, schema: Schema) -> Element:
    """The row or punctuation that a line of JSON means for a schema; columns that the schema lacks are passed over.

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
        found = json.loads(text, parse_float=Decimal, object_pairs_hook=unique_keys)
    except (ValueError, ArithmeticError, RecursionError) as error:
        raise CodecError("a line is not JSON", str(error), "each line is one JSON object") from None
    if not isinstance(found, dict):
        raise CodecError("a line is not a JSON object", f"found {_show(found)}", "a row or a punctuation is an object")
    if STABLE in found and START in schema.positions:
        return _stable(found, schema)
    return _punctuation(found, schema) if PUNCT in found else _row(found, schema)


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON, for ``json.loads``, which would let the last of equal keys win."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("an object has a duplicate key")
    return found


def _row(found: dict[str, Any], schema: Schema) -> Row:
    if missing := [name for name in schema.names if name not in found]:
        raise CodecError(f"the row has no column {missing[0]}", f"it has: {', '.join(found)}", "write NULL as null")
    return tuple(_value_from_json(found[attribute.name], attribute) for attribute in schema.attributes)


def _stable(found: dict[str, Any], schema: Schema) -> Punctuation:
    if len(found) > 1:
        raise CodecError("a stable is malformed", f"found {_show(found)}", f'it is {{"{STABLE}": …}} and nothing else')
    time = _value_from_json(found[STABLE], schema.attributes[schema.index(START)])
    return Punctuation.of(schema, {} if time is None else {START: between(None, time, "[)")})


def _punctuation(found: dict[str, Any], schema: Schema) -> Punctuation:
    named = found[PUNCT]
    if len(found) > 1 or not isinstance(named, dict):
        raise CodecError(
            "a punctuation is malformed", f"found {_show(found)}", f'it is {{"{PUNCT}": {{…}}}} and nothing else'
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


def _pattern_from_json(found: Any, attribute: Attribute) -> Pattern:
    if not isinstance(found, dict | list):
        return constant(_value_from_json(found, attribute))
    match found:
        case {"none": True, **rest} if not rest:
            return EMPTY
        case dict() if found == _NOT_NULL:
            return between(None, None)
        case {"in": list(values), **rest} if not rest:
            try:
                return one_of([_value_from_json(value, attribute) for value in values])  # type: ignore[misc]
            except PatternError as error:
                raise _malformed(attribute, found, error.what, error.hint) from None
        case dict() if found and found.keys() <= _LOWER.keys() | _UPPER.keys():
            lower = [(key, found[key]) for key in _LOWER if key in found]
            upper = [(key, found[key]) for key in _UPPER if key in found]
            if len(lower) > 1 or len(upper) > 1:
                raise _malformed(
                    attribute, found, "a range has two ends on one side", "use one of gt and ge, and one of lt and le"
                )
            if None in found.values():
                raise _malformed(attribute, found, "NULL is not the end of a range", "omit an end that is infinite")
            (low, lowest), (high, highest) = (lower or [("gt", None)])[0], (upper or [("lt", None)])[0]
            ends = _LOWER[low] + _UPPER[high]
            return between(_value_from_json(lowest, attribute), _value_from_json(highest, attribute), ends)
        case _:
            raise _malformed(attribute, found, f"found {_show(found)}", f"expected {_EXPECTED}")


def _value_to_json(value: Value | None) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return value_text(value)
    return value if value is None or isinstance(value, bool | int | float | str) else value_text(value)


def _value_from_json(found: Any, attribute: Attribute) -> Value | None:
    kind = attribute.type
    try:
        if found is None:
            return None
        if isinstance(found, str) and kind is not Type.STRING:
            return _text(found, kind)
        if kind is Type.DOUBLE and isinstance(found, int | Decimal) and not isinstance(found, bool):
            return _double(found)
        return kind.accept(found)
    except (PatternError, SchemaError, OverflowError) as error:
        hint = error.hint if isinstance(error, PatternError) else "a DOUBLE is at most about 1.8e308"
        detail = f"expected {kind.value}, found {_show(found)}"
        raise CodecError(f"the column {attribute.name} has a wrong value", detail, hint) from None


def _text(found: str, kind: Type) -> Value | None:
    if (
        kind is Type.BOOLEAN
        or kind is Type.BIGINT
        or (kind is Type.DOUBLE and found not in ("NaN", "Infinity", "-Infinity"))
    ):
        return kind.accept(found)
    value = value_from_text(found, kind)
    return kind.accept(found) if value is None else value


def _double(found: int | Decimal) -> Value:
    number = float(found)
    if math.isinf(number):
        raise OverflowError(found)
    return Type.DOUBLE.accept(number)


def _malformed(attribute: Attribute, found: Any, detail: str, hint: str) -> CodecError:
    return CodecError(f"the column {attribute.name} has a malformed pattern", f"{detail}: {_show(found)}", hint)


def _show(found: Any) -> str:
    text = json.dumps(found, ensure_ascii=False, default=str)
    return text if len(text) <= 80 else text[:79] + "…"
