"""The kernels of the table of functions, as the calls of expressions need them."""

from collections.abc import Callable
from typing import Any

import polars as pl

from punctum.algebra.values import Type
from punctum.ir.expressions import Call, Literal
from punctum.ir.functions.define import Scalar
from punctum.operators.times import WIDE

Kernel = Callable[[Call, list[pl.Expr]], pl.Expr | None]
_WHOLE = pl.Int64()


def kernel(entry: Scalar) -> Kernel:
    """A function over columns; None where one of its plain arguments is no literal.

    >>> from punctum.ir.functions import FUNCTIONS, call
    >>> from punctum.errors import Place
    >>> made = call("left", (Literal("punctum", Type.STRING), Literal(3, Type.BIGINT)), Place())
    >>> made_of = kernel(FUNCTIONS["left"])(made, [pl.lit("punctum"), pl.lit(3)])
    >>> pl.select(made_of).item()
    'pun'
    """

    def over(call: Call, args: list[pl.Expr]) -> pl.Expr | None:
        given = _given(entry, call, args)
        made = None if given is None or entry.kernel is None else entry.kernel(*given)
        if made is None or call.type not in (Type.BIGINT, Type.DOUBLE):
            return made
        return made.cast(_WHOLE) if call.type is Type.BIGINT else made + 0.0

    return over


def wide_kernel(entry: Scalar) -> Kernel:
    """A function that computes whole numbers of 128 bits."""

    def over(call: Call, args: list[pl.Expr]) -> pl.Expr | None:
        whole = [arg.cast(WIDE) if call.args[n].type is Type.BIGINT else arg for n, arg in enumerate(args)]
        given = _given(entry, call, whole)
        return None if given is None or entry.kernel is None else entry.kernel(*given)

    return over


def _given(entry: Scalar, call: Call, args: list[pl.Expr]) -> list[Any] | None:
    """The arguments of a kernel: expressions, and values where it takes these."""
    given: list[Any] = []
    for n, (arg, expression) in enumerate(zip(call.args, args, strict=True)):
        if n not in entry.plain and not entry.parameter(n).constant:
            given.append(expression)
        elif isinstance(arg, Literal) and arg.value is not None:
            given.append(arg.value)
        else:
            return None
    return given
