"""DECIMALs in Polars, where all digits of a result are kept: calls in, expressions out, or nothing.

Polars rounds a product to the digits of its factors, so these are given the digits of the product first. Where a type
has no room for all digits a result is rounded, or has no value: that is computed once for each combination of values.
"""

from collections.abc import Callable, Sequence

import polars as pl

from punctum.algebra.values import Type
from punctum.ir.expressions import Call
from punctum.operators.columns import dtype

_OPS: dict[str, Callable[[pl.Expr, pl.Expr], pl.Expr]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
}
_MOST = 38
_BIGINT = 19
"""So many digits hold every BIGINT."""


def exact(call: Call, args: Sequence[pl.Expr]) -> pl.Expr | None:
    """A sum, difference or product of DECIMALs, when its type has room for all of its digits."""
    if call.op not in _OPS or any(arg.type is not Type.DECIMAL for arg in (call, *call.args)):
        return None
    precision, scale = call.attribute.digits
    (p, s), (q, t) = (arg.attribute.digits for arg in call.args)
    needed = (p + q + 1, s + t) if call.op == "*" else (max(p - s, q - t) + max(s, t) + 1, max(s, t))
    if needed[0] > _MOST or precision < needed[0] or scale != needed[1]:
        return None
    wide = (arg.cast(pl.Decimal(_MOST, scale)) for arg in args)
    return _OPS[call.op](*wide).cast(dtype(call.attribute))


def widened(call: Call, arg: pl.Expr) -> pl.Expr | None:
    """A BIGINT or DECIMAL as a DECIMAL that holds every such number."""
    source, (precision, scale) = call.args[0].attribute, call.attribute.digits
    if call.type is not Type.DECIMAL or source.type not in (Type.BIGINT, Type.DECIMAL):
        return None
    p, s = source.digits if source.type is Type.DECIMAL else (_BIGINT, 0)
    fits = p - s <= precision - scale and s <= scale
    return arg.cast(pl.Decimal(_MOST, scale)).cast(dtype(call.attribute)) if fits else None
