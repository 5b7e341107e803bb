"""JSON texts as STRUCTs and ARRAYs, as Spark's ``from_json`` reads them.

A text that is not JSON gives a STRUCT of NULLs, or NULL for an ARRAY; blanks give NULL. A value of another type than
its field is NULL there, and an ARRAY with such a value is NULL, but for STRUCTs in it. What follows the first value
does not count, nor do fields that are not asked for; of two of one name the last does. A number or object becomes a
STRING as it is written, numbers with a point as Java writes them. Texts in single quotes, which Spark takes, are none.
"""

import json
import math
import re
from typing import Any

from punctum.algebra.schema import Attribute
from punctum.algebra.values import NAN, Type, Value
from punctum.errors import Place, SqlError
from punctum.ir.expressions import Call, Expression, like, type_text
from punctum.ir.functions.json import Fields, Raw, double, shown

_READS = (Type.STRING, Type.BIGINT, Type.DOUBLE, Type.BOOLEAN, Type.ARRAY, Type.STRUCT)
_WHOLE = re.compile(r"-?\d+", re.ASCII)
_BLANK = " \t\r\n"
_ENDS = {"NaN": NAN, "Infinity": math.inf, "-Infinity": -math.inf, "-INF": -math.inf, "+INF": math.inf}
_ENDS["+Infinity"] = math.inf
_DECODER = json.JSONDecoder(
    parse_float=double,
    parse_int=lambda text: Raw("0" if text == "-0" else text),
    parse_constant=Raw,
    object_pairs_hook=Fields,
    strict=True,
)


class _OtherTypeError(ValueError):
    """A value is of another type than its field."""


def from_json(text: Expression, wanted: Attribute, place: Place) -> Call:
    """The call that reads a text as a type."""
    for attribute in _parts(wanted):
        if attribute.type not in _READS:
            what = f"from_json does not read {type_text(attribute)}"
            raise SqlError(what, "", "read a STRING, and CAST it", place)
    if not wanted.type.nested:
        raise SqlError(
            f"from_json does not give a {type_text(wanted)}", "", "such as 'a BIGINT' or 'ARRAY<STRING>'", place
        )
    return Call("from json", (text,), like(wanted, True), place)


def read(text: str, wanted: Attribute) -> Value | None:
    """A text as a type.

    >>> n = Attribute("n", Type.BIGINT)
    >>> read('{"n": 1, "m": [2]}', Attribute("", Type.STRUCT, parts=(n,)))
    (1,)
    """
    stripped = text.lstrip(_BLANK)
    if not stripped:
        return None
    nothing = None if wanted.type is Type.ARRAY else (None,) * len(wanted.parts)
    try:
        decoded, _ = _DECODER.raw_decode(stripped)
        alone = wanted.type is Type.ARRAY and wanted.parts[0].type is Type.STRUCT and isinstance(decoded, Fields)
        made = None if decoded is None else _value([decoded] if alone else decoded, wanted)
    except (ValueError, RecursionError):
        return nothing
    return nothing if made is None else made


def _parts(attribute: Attribute) -> list[Attribute]:
    return [attribute, *(inner for part in attribute.parts for inner in _parts(part))]


def _value(decoded: Any, wanted: Attribute) -> Any:
    if decoded is None:
        return None
    match wanted.type:
        case Type.STRUCT if isinstance(decoded, Fields):
            fields = dict(decoded)
            return tuple(_field(fields.get(part.name), part) for part in wanted.parts)
        case Type.ARRAY if type(decoded) is list:
            return tuple(_value(element, wanted.parts[0]) for element in decoded)
        case Type.STRING:
            plain = isinstance(decoded, str) and not isinstance(decoded, Raw)
            return (decoded if plain else shown(decoded)).encode(errors="replace").decode()
        case Type.BOOLEAN if isinstance(decoded, bool):
            return decoded
        case Type.BIGINT if isinstance(decoded, Raw) and _WHOLE.fullmatch(decoded) and -(2**63) <= int(decoded) < 2**63:
            return int(decoded)
        case Type.DOUBLE if isinstance(decoded, str) and decoded in _ENDS:
            return _ENDS[decoded]
        case Type.DOUBLE if isinstance(decoded, Raw):
            return float(decoded) + 0.0
    raise _OtherTypeError(decoded)


def _field(decoded: Any, wanted: Attribute) -> Any:
    try:
        return _value(decoded, wanted)
    except _OtherTypeError:
        return None
