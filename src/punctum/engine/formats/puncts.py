"""Punctuations written in JSON: a column of texts in, punctuations out, those that are one constant as columns.

Of stables that are plain numbers, no more than the furthest has to be read: behind all rows it says what all others do.
The others come as a column of their times, under the name of stables, for rows that stand between them.
"""

import re

import numpy as np
import polars as pl

from punctum.algebra.json import PUNCT, STABLE, START, from_json
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.algebra.values import Type
from punctum.engine.formats.lines import Mask, Numbers
from punctum.engine.formats.read import Closed
from punctum.engine.formats.typed import WHOLE
from punctum.errors import CodecError

_POINT = (
    r'^[ \t\r\n]*\{[ \t\r\n]*"\$punct"[ \t\r\n]*:[ \t\r\n]*\{[ \t\r\n]*"(?P<name>[^"\\]+)"[ \t\r\n]*:[ \t\r\n]*'
    rf"(?:(?P<number>{WHOLE})|"
    r'"(?P<string>[^"\\\x00-\x1f]*)")[ \t\r\n]*\}[ \t\r\n]*\}[ \t\r\n]*$'
)
_STABLE = (
    rf'^[ \t\r\n]*\{{[ \t\r\n]*"\{STABLE}"[ \t\r\n]*:[ \t\r\n]*(-?(?:0|[1-9][0-9]{{0,17}}))[ \t\r\n]*\}}[ \t\r\n]*$'
)
_GROUPS = {Type.BIGINT: "number", Type.STRING: "string"}


def constants(lines: pl.Series, positions: Numbers, schema: Schema) -> tuple[Closed, Mask]:
    """The constants on one attribute, whole numbers and plain strings, by the attribute's name, and where they are.

    >>> lines = pl.Series(['{"$punct": {"n": 7}}', '{"$punct": {}}'])
    >>> (closed, at), here = constants(lines, np.array([3, 5]), Schema.of(n="BIGINT"))
    >>> closed["n"].to_list(), at["n"].tolist(), here.tolist()
    ([7], [3], [True, False])
    """
    if (one := _one_attribute(lines, schema)) is not None:
        return ({one.name: one}, {one.name: positions.astype(np.int64)}), np.ones(len(lines), np.bool_)
    parts = lines.str.extract_groups(_POINT).struct.unnest()
    closed: dict[str, pl.Series] = {}
    at: dict[str, Numbers] = {}
    plain = pl.Series([False]).new_from_index(0, len(lines))
    for attribute in schema.attributes:
        if (group := _GROUPS.get(attribute.type)) is not None:
            here = ((parts["name"] == attribute.name) & parts[group].is_not_null()).fill_null(False)
            if here.any():
                values = parts[group].filter(here)
                closed[attribute.name] = (values.cast(pl.Int64) if group == "number" else values).alias(attribute.name)
                at[attribute.name] = positions[here.to_numpy()].astype(np.int64)
                plain |= here
    known = plain.to_numpy()
    if START in schema.positions and schema.attributes[schema.index(START)].type is Type.BIGINT:
        times = lines.str.extract(_STABLE).cast(pl.Int64)
        passed = times.is_not_null().to_numpy().copy()
        if passed.sum() > 1:
            passed[times.arg_max()] = False
            closed[STABLE], at[STABLE] = times.filter(passed), positions[passed].astype(np.int64)
            known = known | passed
    return (closed, at), known


def _one_attribute(lines: pl.Series, schema: Schema) -> pl.Series | None:
    """The constants of lines that differ in a whole number alone, as those of a program do: several times as fast.

    >>> _one_attribute(pl.Series(['{"$punct": {"n": 7}}', '{"$punct": {"n": 8}}']), Schema.of(n="BIGINT")).to_list()
    [7, 8]
    >>> _one_attribute(pl.Series(['{"$punct": {"n": 7}}', '{"$punct": {"n": 08}}']), Schema.of(n="BIGINT"))
    """
    first = re.match(_POINT, lines[0]) if len(lines) else None
    if first is None or first["number"] is None or first["name"] not in schema.names:
        return None
    before, behind = first.string[: first.start("number")], first.string[first.end("number") :]
    numbers = lines.str.strip_prefix(before).str.strip_suffix(behind).cast(pl.Int64, strict=False)
    again = pl.select(pl.concat_str(pl.lit(before), numbers.cast(pl.String), pl.lit(behind))).to_series()
    whole = schema.attributes[schema.index(first["name"])].type is Type.BIGINT
    same = not numbers.null_count() and bool((again == lines).all())
    return numbers.alias(first["name"]) if whole and same else None


def from_punct(text: str, schema: Schema) -> Punctuation:
    """The punctuation in a column that is for punctuations."""
    element = from_json(text, schema)
    if not isinstance(element, Punctuation):
        raise CodecError("found a row where a punctuation is expected", "", f'a punctuation is {{"{PUNCT}": {{…}}}}')
    return element
