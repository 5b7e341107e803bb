"""Paths in JSON texts, as Spark's ``get_json_object`` follows them; numbers are written as Java writes them."""

import json
import re
from functools import lru_cache
from typing import Any

from punctum.errors import Place, SqlError
from punctum.ir.expressions.casts import double_text

_STEP = re.compile(r"\.([^.\[\]*]+)|\['([^']*)'\]|\[(\d+)\]")


class Raw(str):
    """A number or null, as it is written."""


class Fields(list[tuple[str, Any]]):
    """The fields of an object, in order, of which the first of a name counts."""


def path_of(path: str, place: Place) -> tuple[str | int, ...]:
    """The names and places that a path goes through; an error when it is none.

    >>> path_of("$.a[0]['b c']", Place())
    ('a', 0, 'b c')
    """
    if (steps := _steps(path)) is None:
        raise SqlError(f"{path!r} is not a path", "", "such as '$.a.b[0]'; wildcards are not supported", place)
    return steps


@lru_cache(maxsize=256)
def _steps(path: str) -> tuple[str | int, ...] | None:
    if not path.startswith("$"):
        return None
    steps: list[str | int] = []
    at = 1
    while at < len(path):
        if (matched := _STEP.match(path, at)) is None:
            return None
        name, quoted, number = matched.groups()
        steps.append(int(number) if number is not None else name if name is not None else quoted)
        at = matched.end()
    return tuple(steps)


def at_path(text: str, path: str) -> str | None:
    """What is at a path, as JSON; a text as it is.

    >>> at_path('{"a": [1.50, "x"]}', "$.a"), at_path('{"a": [1.50, "x"]}', "$.a[1]")
    ('[1.5,"x"]', 'x')
    >>> at_path("null", "$"), at_path('{"a": null}', "$.a")
    ('null', None)
    """
    try:
        value = _DECODER.decode(text)
    except (ValueError, RecursionError):
        return None
    steps = _steps(path) or ()
    for step in steps:
        value = _inside(value, step)
    if value is None:
        return None if steps else "null"
    return str(value) if isinstance(value, str) else shown(value)


def _inside(value: Any, step: str | int) -> Any:
    """What is one step down: a field that is not null, or an element, of which one that is null is written so."""
    if isinstance(step, int):
        at = value[step : step + 1] if type(value) is list else []
        return (Raw("null") if at[0] is None else at[0]) if at else None
    fields = value if isinstance(value, Fields) else []
    return next((field for name, field in fields if name == step and field is not None), None)


def length_of(text: str) -> int | None:
    """How many elements an array has.

    >>> length_of("[1, [2]]"), length_of("{}")
    (2, None)
    """
    try:
        value = _DECODER.decode(text)
    except (ValueError, RecursionError):
        return None
    return len(value) if type(value) is list else None


def shown(value: Any) -> str:
    """A decoded value as JSON."""
    if isinstance(value, Raw):
        return value
    if isinstance(value, Fields):
        return "{" + ",".join(f"{shown(name)}:{shown(field)}" for name, field in value) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(shown, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def double(text: str) -> Raw:
    """A number with a point as Java writes it."""
    return Raw(double_text(float(text)))


def _not_json(text: str) -> Any:
    raise ValueError(text)


_DECODER = json.JSONDecoder(
    parse_float=double, parse_int=Raw, parse_constant=_not_json, object_pairs_hook=Fields, strict=True
)
