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
FEW = 100
"""So many lines are looked at one by one: it takes less than to ask for all of them, column by column."""
_GROUPS = {Type.BIGINT: "number", Type.STRING: "string"}


def constants(lines: pl.Series, positions: Numbers, schema: Schema) -> tuple[Closed, Mask]:
    """The constants on one attribute, whole numbers and plain strings, by the attribute's name, and where they are.

    >>> lines = pl.Series(['{"$punct": {"n": 7}}', '{"$punct": {}}'])
    >>> (closed, at), here = constants(lines, np.array([3, 5]), Schema.of(n="BIGINT"))
    >>> closed["n"].to_list(), at["n"].tolist(), here.tolist()
    ([7], [3], [True, False])
    """
    pieces: dict[str, list[tuple[pl.Series, Numbers]]] = {}
    known = np.zeros(len(lines), np.bool_)
    if (alike := _alike(lines, schema)) is not None:
        values, known = alike
        pieces[values.name] = [(values, np.flatnonzero(known))]
    if not known.all():
        rest = np.flatnonzero(~known)
        for name, (values, where) in (_few if len(rest) <= FEW else _many)(lines.gather(rest), schema).items():
            pieces.setdefault(name, []).append((values, rest[where]))
    closed: dict[str, pl.Series] = {}
    at: dict[str, Numbers] = {}
    for name, several in pieces.items():
        places = np.concatenate([where for _, where in several])
        if len(places):
            order = np.argsort(places)
            closed[name] = pl.concat([values for values, _ in several])[order]
            at[name] = positions[places[order]].astype(np.int64)
            known[places] = True
    if START in schema.positions and schema.attributes[schema.index(START)].type is Type.BIGINT:
        times = lines.str.extract(_STABLE).cast(pl.Int64)
        passed = times.is_not_null().to_numpy().copy()
        if passed.sum() > 1:
            passed[times.arg_max()] = False
            closed[STABLE], at[STABLE] = times.filter(passed), positions[passed].astype(np.int64)
            known = known | passed
    return (closed, at), known


def _few(lines: pl.Series, schema: Schema) -> dict[str, tuple[pl.Series, Numbers]]:
    """The constants of some lines, one by one, and which lines these are.

    >>> lines = pl.Series(['{"$punct": {"n": 7}}', '{"$punct": {}}', '{"$punct": {"n": "7"}}'])
    >>> str(_few(lines, Schema.of(n="BIGINT"))) == str(_many(lines, Schema.of(n="BIGINT")))
    True
    """
    texts: dict[str, list[tuple[int, str]]] = {}
    for n, line in enumerate(lines):
        if line is None or (match := re.match(_POINT, line)) is None or (name := match["name"]) not in schema.positions:
            continue
        group = _GROUPS.get(schema.attributes[schema.index(name)].type)
        if group is not None and match[group] is not None:
            texts.setdefault(name, []).append((n, match[group]))
    return {
        name: (_column(name, [text for _, text in several], schema), np.array([n for n, _ in several]))
        for name, several in texts.items()
    }


def _column(name: str, texts: list[str], schema: Schema) -> pl.Series:
    values = pl.Series(name, texts, pl.String)
    return values if schema.attributes[schema.index(name)].type is Type.STRING else values.cast(pl.Int64)


def _many(lines: pl.Series, schema: Schema) -> dict[str, tuple[pl.Series, Numbers]]:
    """The same, all at once."""
    columns: dict[str, tuple[pl.Series, Numbers]] = {}
    parts = lines.str.extract_groups(_POINT).struct.unnest()
    for attribute in schema.attributes:
        if (group := _GROUPS.get(attribute.type)) is not None:
            here = ((parts["name"] == attribute.name) & parts[group].is_not_null()).fill_null(False)
            if here.any():
                values = parts[group].filter(here).alias(attribute.name)
                places = np.flatnonzero(here.to_numpy())
                columns[attribute.name] = values.cast(pl.Int64) if group == "number" else values, places
    return columns


def _alike(lines: pl.Series, schema: Schema) -> tuple[pl.Series, Mask] | None:
    """The constants of the lines that differ from one in a whole number alone, as most do: several times as fast.

    >>> lines = ['{"$punct": {"n": 7}}', '{"$punct": {}}', '{"$punct": {"n": 08}}', '{"$punct": {"n": 9}}']
    >>> values, here = _alike(pl.Series(lines), Schema.of(n="BIGINT"))
    >>> values.to_list(), here.tolist()
    ([7, 9], [True, False, False, True])
    """
    tried = {len(lines) - 1, len(lines) // 2, 0} if len(lines) else set()
    matches = (re.match(_POINT, lines[n]) for n in sorted(tried, reverse=True))
    first = next((m for m in matches if m and m["number"] is not None and m["name"] in schema.names), None)
    if first is None or schema.attributes[schema.index(first["name"])].type is not Type.BIGINT:
        return None
    before, behind = first.string[: first.start("number")], first.string[first.end("number") :]
    numbers = lines.str.strip_prefix(before).str.strip_suffix(behind).cast(pl.Int64, strict=False)
    again = pl.select(pl.concat_str(pl.lit(before), numbers.cast(pl.String), pl.lit(behind))).to_series()
    same = (again == lines).fill_null(False)
    return numbers.filter(same).alias(first["name"]), same.to_numpy().copy()


def from_punct(text: str, schema: Schema) -> Punctuation:
    """The punctuation in a column that is for punctuations."""
    element = from_json(text, schema)
    if not isinstance(element, Punctuation):
        raise CodecError("found a row where a punctuation is expected", "", f'a punctuation is {{"{PUNCT}": {{…}}}}')
    return element
