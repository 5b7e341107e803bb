"""Functions of the user's: a Python function over columns, and its application as an expression.

A function takes a Polars series for each argument and gives one of the same length. It must give the same values for
the same arguments, whenever and wherever it runs. Punctuations do not pass it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from punctum.algebra.schema import Attribute
from punctum.algebra.values import Type
from punctum.errors import Place
from punctum.ir.expressions import Call, Expression, kind, mismatch, type_text
from punctum.ir.expressions.types import converted, is_null


@dataclass(frozen=True)
class UserFunction:
    """A function by its name: the types that it takes, the type that it gives, and what computes it."""

    name: str
    takes: tuple[Attribute, ...]
    gives: Attribute
    compute: Callable[..., Any] = field(compare=False)


@dataclass(frozen=True)
class Applied(Call):
    """A function of the user's with its arguments."""

    function: UserFunction | None = None


def apply(function: UserFunction, args: Sequence[Expression], place: Place) -> Applied:
    """A function with its arguments, which are cast where nothing is lost; its value may be NULL."""
    takes = ", ".join(map(type_text, function.takes))
    fits = len(args) == len(function.takes) and all(map(_fits, args, function.takes))
    if not fits:
        raise mismatch(f"{function.name} does not take these arguments", place, f"it takes ({takes})", *args)
    cast = tuple(converted(arg, wanted) for arg, wanted in zip(args, function.takes, strict=True))
    return Applied(function.name, cast, kind(function.gives.type, True, function.gives.digits), place, function)


def _fits(arg: Expression, wanted: Attribute) -> bool:
    widens = arg.type is Type.BIGINT and wanted.type in (Type.DOUBLE, Type.DECIMAL)
    return arg.type is wanted.type or widens or is_null(arg)


def applied(expression: Expression) -> Iterator[Applied]:
    """The functions of the user's in an expression."""
    if isinstance(expression, Applied):
        yield expression
    for arg in expression.args:
        yield from applied(arg)
