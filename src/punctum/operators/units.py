"""Units, vectorised: the values of a column in, a value for the unit of each out; and the patterns of single units."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import polars as pl

from punctum.algebra.pattern import Pattern
from punctum.algebra.schema import Schema
from punctum.ir.expressions import Expression, columns
from punctum.ir.units import unit
from punctum.operators.expressions import careful


class Units(NamedTuple):
    """How an attribute is cut into pieces that are closed as a whole: the piece of each value, and its pattern.

    Pieces are values that have the order of the attribute's own.
    """

    pieces: Callable[[pl.Series], pl.Series]
    pattern: Callable[[Any], Pattern]


def unit_of(expression: Expression | None, schema: Schema) -> Units | None:
    """The units of an expression over a schema."""
    if expression is None:
        return None
    name = schema.names[next(columns(expression)).index]
    return Units(partial(_pieces, name, careful(expression, schema).value), partial(unit, expression))


def _pieces(name: str, compiled: pl.Expr, values: pl.Series) -> pl.Series:
    return values.to_frame(name).select(compiled).to_series()
