"""Keys: punctuations that are constants alone, as frames with a column for each attribute that they have a value of."""

from collections.abc import Iterable
from decimal import Decimal
from typing import cast

import polars as pl

from punctum.algebra.pattern import Constant, Pattern
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.values import Type, Value
from punctum.operators.batch import PunctuationBatch
from punctum.operators.columns import dtype, to_rows


def on_exactly(puncts: PunctuationBatch, positions: tuple[int, ...]) -> PunctuationBatch:
    """Those punctuations that speak of some attributes, of all of them and of no other."""
    constants = {at: values for at, values in puncts.constants.items() if (at,) == positions}
    return PunctuationBatch(
        puncts.schema, constants, [p for p in puncts.others if tuple(at for at, _ in p.sides) == positions]
    )


def by_attributes(puncts: Iterable[Punctuation]) -> dict[tuple[int, ...], list[Punctuation]]:
    """Punctuations by the attributes that they speak of."""
    grouped: dict[tuple[int, ...], list[Punctuation]] = {}
    for p in puncts:
        grouped.setdefault(tuple(at for at, _ in p.sides), []).append(p)
    return grouped


def keys_of(puncts: PunctuationBatch, positions: tuple[int, ...]) -> tuple[pl.DataFrame, list[Punctuation]]:
    """The keys that punctuations on some attributes are, and those punctuations that are not one key."""
    schema, boxes = puncts.schema, [p.sides for p in puncts.others if is_key(p)]
    columns = []
    for n, at in enumerate(positions):
        values = [cast(Constant, box[n][1]).value for box in boxes]
        columns.append(pl.Series(schema.names[at], values, dtype=dtype(schema.attributes[at])))
    frames = [pl.DataFrame(columns), *(values.to_frame(schema.names[at]) for at, values in puncts.constants.items())]
    return pl.concat(frames), [p for p in puncts.others if not is_key(p)]


def frames_of(puncts: PunctuationBatch) -> tuple[list[pl.DataFrame], list[Punctuation]]:
    """All keys of punctuations, a frame for each choice of attributes, and those punctuations that are not one key."""
    schema, others = puncts.schema, list[Punctuation]()
    named = [values.to_frame(schema.names[at]) for at, values in puncts.constants.items() if len(values)]
    keys: dict[tuple[int, ...], list[list[Value | None]]] = {}
    for p in puncts.others:
        if is_key(p):
            values = [side.value for _, side in p.sides if isinstance(side, Constant)]
            keys.setdefault(tuple([at for at, _ in p.sides]), []).append(values)
        else:
            others.append(p)
    for positions, rows in keys.items():
        columns = zip(positions, zip(*rows, strict=True), strict=True)
        named.append(pl.DataFrame([pl.Series(schema.names[at], c, dtype(schema.attributes[at])) for at, c in columns]))
    return named, others


def key_punctuations(schema: Schema, keys: pl.DataFrame) -> PunctuationBatch:
    """The punctuations that keys are."""
    if keys.width == 1 and not keys.to_series().null_count() and not isinstance(keys.dtypes[0], pl.Decimal):
        return PunctuationBatch(schema, {schema.index(keys.columns[0]): keys.to_series()})
    named = (dict(zip(keys.columns, key, strict=True)) for key in to_rows(keys))
    return PunctuationBatch(schema, {}, [Punctuation.of(schema, key) for key in named])


def is_key(p: Punctuation) -> bool:
    """Whether a punctuation has constants alone, which rows can have."""
    for at, side in p.sides:
        if not isinstance(side, Constant) or not fits(p.schema.attributes[at], side):
            return False
    return bool(p.sides)


def fits(attribute: Attribute, side: Pattern) -> bool:
    """Whether rows can have a constant: a DECIMAL may have more digits than its column."""
    if attribute.type is not Type.DECIMAL or not isinstance(side, Constant) or not isinstance(side.value, Decimal):
        return True
    precision, scale = attribute.digits
    _, digits, exponent = side.value.normalize().as_tuple()
    return isinstance(exponent, int) and -exponent <= scale and len(digits) + exponent <= precision - scale
