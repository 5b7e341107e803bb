"""Expressions compiled to Polars: the same values as ``parse.evaluate``, a column at a time.

Whole numbers are computed in 128 bits and cast back strictly, so that a result that does not fit is an error and not
another number. What has no exact counterpart in Polars (DECIMAL arithmetic, ROUND, LIKE, some casts and string
functions) is computed once for each distinct combination of the columns that it reads.
"""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import polars as pl

from punctum.algebra.schema import Schema
from punctum.algebra.values import Row, Type
from punctum.errors import ComputationError
from punctum.operators.columns import dtype, to_rows
from punctum.parse.applied import Applied, applied
from punctum.parse.evaluate import evaluate
from punctum.parse.expressions import Call, Column, Expression, Literal, columns

_WIDE = pl.Int128()
_ARITHMETIC: dict[str, Callable[[pl.Expr, pl.Expr], pl.Expr]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
}
_COMPARE: dict[str, Callable[[pl.Expr, pl.Expr], pl.Expr]] = {
    "=": lambda a, b: a == b,
    "<>": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "<=>": lambda a, b: a.eq_missing(b),
}
_TRUNCATE = {"YEAR": "1y", "QUARTER": "1q", "MONTH": "1mo", "WEEK": "1w", "DAY": "1d", "HOUR": "1h", "MINUTE": "1m"}
_TRUNCATE |= {"SECOND": "1s", "MILLISECOND": "1ms", "MICROSECOND": "1us"}
_CASTS = {
    (Type.BIGINT, Type.DOUBLE),
    (Type.BIGINT, Type.STRING),
    (Type.BOOLEAN, Type.BIGINT),
    (Type.BOOLEAN, Type.DOUBLE),
    (Type.DECIMAL, Type.DOUBLE),
    (Type.TIMESTAMP, Type.DATE),
    (Type.TIMESTAMP_NTZ, Type.DATE),
}


def compiled(expression: Expression, schema: Schema) -> pl.Expr:
    """The expression over frames of a schema.

    >>> from punctum.algebra.schema import Attribute
    >>> one = Column(0, "x", Attribute("x", Type.BIGINT))
    >>> unknown = compiled(Call("is null", (one,), Attribute("", Type.BOOLEAN)), Schema.of(x="BIGINT"))
    >>> pl.DataFrame({"x": [1, None]}).select(unknown)["x"].to_list()
    [False, True]
    """
    match expression:
        case Column(index):
            return pl.col(schema.names[index])
        case Literal(value):
            return _literal(expression) if not isinstance(value, timedelta) else pl.lit(value, pl.Duration("us"))
    args = expression.args
    if isinstance(expression, Applied):
        return _applied(expression, [compiled(arg, schema) for arg in args])
    vectorised = _VECTORISED.get(expression.op)
    if vectorised is not None and (
        expression.op in _ANY_TYPE or not any(a.type is Type.DECIMAL for a in (expression, *args))
    ):
        made = vectorised(expression, [compiled(arg, schema) for arg in args])
        if made is not None:
            return made
    if inner := next(applied(expression), None):
        raise ComputationError(f"{inner.op} stands in what is computed value by value", "", "take it to a column first")
    return _row_by_row(expression, schema)


def _applied(call: Applied, args: list[pl.Expr]) -> pl.Expr:
    """A function of the user's, once for all rows of a piece."""
    wanted, function = dtype(call.attribute), call.function
    assert function is not None

    def over(given: Sequence[pl.Series]) -> pl.Series:
        found = pl.Series(function.compute(*given)) if len(given[0]) else pl.Series(dtype=wanted)
        if len(found) != len(given[0]):
            detail = f"{len(found)} for {len(given[0])}"
            raise ComputationError(f"{function.name} gives another number of values", detail, "one for each row")
        return found.cast(wanted)

    return pl.map_batches(args, over, return_dtype=wanted)


def _literal(literal: Literal) -> pl.Expr:
    assert not isinstance(literal.value, timedelta)
    return pl.lit(literal.value, dtype(literal.attribute))


def _arithmetic(call: Call, args: list[pl.Expr]) -> pl.Expr:
    a, b = args
    if call.type is Type.BIGINT:
        return _ARITHMETIC[call.op](a.cast(_WIDE), b.cast(_WIDE)).cast(pl.Int64(), strict=True)
    made = _ARITHMETIC[call.op](a, b)
    if call.type is Type.DOUBLE:
        return made + 0.0
    return made.cast(dtype(call.attribute))


def _divide(call: Call, args: list[pl.Expr]) -> pl.Expr:
    a, b = (arg.cast(pl.Float64()) for arg in args)
    return pl.when(b != 0).then(a / b) + 0.0


def _whole(call: Call, args: list[pl.Expr]) -> pl.Expr | None:
    """DIV and % of whole numbers, cut towards zero."""
    if call.type is not Type.BIGINT:
        return None
    a, b = (arg.cast(_WIDE) for arg in args)
    b = pl.when(b != 0).then(b)
    quotient = (a.abs() // b.abs()) * a.sign() * b.sign()
    return (quotient if call.op == "div" else a - b * quotient).cast(pl.Int64(), strict=True)


def _negate(call: Call, args: list[pl.Expr]) -> pl.Expr:
    if call.type is Type.BIGINT:
        return (0 - args[0].cast(_WIDE)).cast(pl.Int64(), strict=True)
    return -args[0] + 0.0


def _compare(call: Call, args: list[pl.Expr]) -> pl.Expr:
    return _COMPARE[call.op](*args)


def _and(call: Call, args: list[pl.Expr]) -> pl.Expr:
    return pl.all_horizontal(args)


def _or(call: Call, args: list[pl.Expr]) -> pl.Expr:
    return pl.any_horizontal(args)


def _in(call: Call, args: list[pl.Expr]) -> pl.Expr:
    return pl.any_horizontal([args[0] == other for other in args[1:]])


def _case(call: Call, args: list[pl.Expr]) -> pl.Expr:
    made = args[-1].cast(dtype(call.attribute))
    for condition, value in reversed(list(zip(args[:-1:2], args[1::2], strict=True))):
        made = pl.when(condition).then(value.cast(dtype(call.attribute))).otherwise(made)
    return made


def _coalesce(call: Call, args: list[pl.Expr]) -> pl.Expr:
    return pl.coalesce([arg.cast(dtype(call.attribute)) for arg in args])


def _nullif(call: Call, args: list[pl.Expr]) -> pl.Expr:
    return pl.when((args[0] == args[1]).fill_null(False)).then(None).otherwise(args[0])


def _cast(call: Call, args: list[pl.Expr]) -> pl.Expr | None:
    source = call.args[0].attribute
    if source.type is call.type and call.type is not Type.DECIMAL:
        return args[0]
    return args[0].cast(dtype(call.attribute)) if (source.type, call.type) in _CASTS else None


def _abs(call: Call, args: list[pl.Expr]) -> pl.Expr:
    if call.type is Type.BIGINT:
        return args[0].cast(_WIDE).abs().cast(pl.Int64(), strict=True)
    return args[0].abs()


def _floor(call: Call, args: list[pl.Expr]) -> pl.Expr:
    if call.args[0].type is Type.BIGINT:
        return args[0]
    rounded = args[0].floor() if call.op == "floor" else args[0].ceil()
    return rounded.cast(pl.Int64(), strict=True)


def _date_trunc(call: Call, args: list[pl.Expr]) -> pl.Expr | None:
    unit = call.args[0]
    if not isinstance(unit, Literal) or call.args[1].type is Type.DATE:
        return None
    return args[1].dt.truncate(_TRUNCATE[str(unit.value)])


def _field(name: str) -> Callable[[Call, list[pl.Expr]], pl.Expr]:
    return lambda call, args: getattr(args[0].dt, name)().cast(pl.Int64())


_VECTORISED: dict[str, Callable[[Call, list[pl.Expr]], pl.Expr | None]] = {
    **dict.fromkeys(_ARITHMETIC, _arithmetic),
    **dict.fromkeys(_COMPARE, _compare),
    "/": _divide,
    "%": _whole,
    "div": _whole,
    "negate": _negate,
    "and": _and,
    "or": _or,
    "not": lambda _, args: ~args[0],
    "is null": lambda _, args: args[0].is_null(),
    "in": _in,
    "case": _case,
    "if": _case,
    "coalesce": _coalesce,
    "nullif": _nullif,
    "cast": _cast,
    "abs": _abs,
    "floor": _floor,
    "ceil": _floor,
    "length": lambda _, args: args[0].str.len_chars().cast(pl.Int64()),
    "concat": lambda _, args: pl.concat_str(args, ignore_nulls=False),
    "trim": lambda _, args: args[0].str.strip_chars(" "),
    "date_trunc": _date_trunc,
    **{name: _field(name) for name in ("year", "month", "day", "hour", "minute", "second")},
}
_ANY_TYPE = {*_COMPARE, "is null", "in", "case", "if", "coalesce", "nullif", "and", "or", "not", "cast"}


def _row_by_row(call: Call, schema: Schema) -> pl.Expr:
    """The call evaluated once for each distinct combination of the columns that it reads."""
    read = sorted({column.index for column in columns(call)})
    names = [schema.names[i] for i in read]
    wanted = dtype(call.attribute)

    def over(found: pl.Series) -> pl.Series:
        numbered = found.struct.unnest().with_row_index("$row")
        groups = numbered.group_by(names, maintain_order=True).agg("$row")
        values = [evaluate(call, _placed(row, read, len(schema))) for row in to_rows(groups.select(names))]
        valued = groups.select("$row", pl.Series("$value", values, dtype=wanted, strict=True))
        return valued.explode("$row").sort("$row").get_column("$value")

    if not names:
        return pl.lit(evaluate(call, ()), wanted)
    return pl.struct(names).map_batches(over, return_dtype=wanted)


def _placed(values: Row, at: list[int], size: int) -> Row:
    row: list[Any] = [None] * size
    for i, value in zip(at, values, strict=True):
        row[i] = value
    return tuple(row)
