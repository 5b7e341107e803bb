"""Columns whose values stand in the path of a file, as Hive and Spark write them: ``dt=2026-01-01/country=DE/1.json``.

A directory ``column=value`` whose column the stream has gives all rows of its files this value, whatever they say
themselves; ``%3A`` and the like are characters that no directory's name may have, and one name stands for NULL.
A punctuation names such a column as any other: one that does not name it holds for all values.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import quote, unquote

import polars as pl

from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.values import value_from_text
from punctum.engine.formats.read import Read
from punctum.errors import CodecError, PunctumError
from punctum.operators.columns import dtype, frame

NULL = "__HIVE_DEFAULT_PARTITION__"
"""What a directory is called whose rows have NULL."""
_PLAIN = " !$&()+,-.;@_~"  # beside letters and digits; others may mean something to a system or to a store


def in_path(name: str, schema: Schema) -> dict[str, str | None]:
    """The columns in the path of a file, from the stream's directory on, with their texts.

    >>> in_path("dt=2026-01-01/hour=7/x=1/a=b.json", Schema.of(dt="DATE", hour="BIGINT", a="STRING"))
    {'dt': '2026-01-01', 'hour': '7'}
    """
    known = {column.lower(): column for column in schema.names} | {column: column for column in schema.names}
    pairs = (part.partition("=") for part in name.split("/")[:-1] if "=" in part)
    named = ((known.get(unquote(key)) or known.get(unquote(key).lower()), text) for key, _, text in pairs)
    return {column: None if text == NULL else unquote(text) for column, text in named if column is not None}


def directory_of(values: Mapping[str, str | None]) -> str:
    """The path of directories for some values.

    >>> directory_of({"dt": "2026-01-01", "city": "a/b", "x": None, "y": ""})
    'dt=2026-01-01/city=a%2Fb/x=__HIVE_DEFAULT_PARTITION__/y=__HIVE_DEFAULT_PARTITION__'
    """
    texts = ((quote(name, safe=_PLAIN), quote(text or NULL, safe=_PLAIN)) for name, text in values.items())
    return "/".join(f"{name}={text}" for name, text in texts)


def filled_in(read: Read, values: Mapping[str, str | None], schema: Schema) -> Read:
    """What was read, with the values of the path."""
    columns = [_series(schema.attributes[schema.index(name)], text) for name, text in values.items()]
    rows = read.piece.rows.with_columns(pl.lit(column).first().alias(column.name) for column in columns)
    whole = read.whole
    again = None if whole is None else lambda: filled_in(whole(), values, schema)
    return replace(read, piece=replace(read.piece, rows=rows.select(read.piece.rows.columns)), whole=again)


def _series(attribute: Attribute, text: str | None) -> pl.Series:
    """A text of a path as a value of a column."""
    value: Any = None
    if text is not None:
        try:
            value = value_from_text(text, attribute.type)
        except PunctumError as error:
            what = f"the directory {attribute.name}={text} has a wrong value"
            raise CodecError(what, error.detail or error.what, f"{attribute.name} is {attribute.type.value}") from None
    schema = Schema((attribute,))
    return frame(schema, [(value,)]).to_series().cast(dtype(attribute))
