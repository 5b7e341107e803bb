"""Expressions compiled to Polars: the same values as ``parse.evaluate``, a column at a time.

Whole numbers are computed in 128 bits and cast back, times are whole numbers between the years 1 and 9999: a result
that does not fit is an error of its row and not another number. What has no exact counterpart in Polars (DECIMALs
that are rounded, ROUND, LIKE, some casts and string functions) is computed once for each distinct combination of the
columns that it reads. A function of the user's that raises is asked again with half of the rows, until those at fault
stand alone.
"""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import polars as pl

from punctum.algebra.schema import Schema
from punctum.algebra.values import Row, Type
from punctum.errors import ComputationError, failing_in
from punctum.ir.applied import Applied, UserFunction, applied
from punctum.ir.evaluate import evaluate, no_value
from punctum.ir.expressions import Call, Column, Expression, Literal, columns
from punctum.ir.functions import FUNCTIONS
from punctum.ir.functions.times import TRUNCATE
from punctum.operators import zones
from punctum.operators.checked import Checked
from punctum.operators.columns import column, dtype, to_rows
from punctum.operators.decimals import exact, widened
from punctum.operators.kernels import kernel, wide_kernel
from punctum.operators.times import WIDE, shifted, tumbled

_Compiler = Callable[[Call, list[pl.Expr]], pl.Expr | None]
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
_CASTS = {
    (Type.BIGINT, Type.DOUBLE),
    (Type.BIGINT, Type.STRING),
    (Type.BOOLEAN, Type.BIGINT),
    (Type.BOOLEAN, Type.DOUBLE),
    (Type.DECIMAL, Type.DOUBLE),
    (Type.TIMESTAMP, Type.DATE),
    (Type.TIMESTAMP_NTZ, Type.DATE),
}
_WHOLE = pl.Int64()
_OF_NULLS = {"<=>", "is null", "in", "case", "if", "coalesce", "nullif"}
_OF_NULLS |= {name for name, entry in FUNCTIONS.items() if entry.total}
_VALUE, _WHY = "value", "why"


def compiled(expression: Expression, schema: Schema) -> pl.Expr:
    """The expression over frames of a schema; it raises where a row has no value.

    >>> from punctum.algebra.schema import Attribute
    >>> one = Column(0, "x", Attribute("x", Type.BIGINT))
    >>> unknown = compiled(Call("is null", (one,), Attribute("", Type.BOOLEAN)), Schema.of(x="BIGINT"))
    >>> pl.DataFrame({"x": [1, None]}).select(unknown)["x"].to_list()
    [False, True]
    """
    return careful(expression, schema).strict


def careful(expression: Expression, schema: Schema) -> Checked:
    """The expression over frames of a schema, with the reason where a row has no value."""
    match expression:
        case Column(index):
            return Checked(pl.col(schema.names[index]))
        case Literal():
            return Checked(_literal(expression))
    if isinstance(expression, Applied):
        return _applied(expression, [careful(arg, schema) for arg in expression.args])
    if expression.op in _ANY_TYPE or not any(a.type is Type.DECIMAL for a in (expression, *expression.args)):
        args = [careful(arg, schema) for arg in expression.args]
        if expression.op == "try":
            return Checked(args[0].value)
        if (made := _narrowed(expression, args) or _vectorised(expression, args)) is not None:
            return made
    elif (made := _vectorised(expression, [careful(arg, schema) for arg in expression.args], exact)) is not None:
        return made
    if inner := next(applied(expression), None):
        raise ComputationError(
            f"{inner.op} is used inside a computation of single values", "", "compute it in a column first"
        )
    return _row_by_row(expression, schema)


def _vectorised(call: Call, args: list[Checked], how: _Compiler | None = None) -> Checked | None:
    """A call that has a value where its arguments have one."""
    compiler = how or _VECTORISED.get(call.op)
    made = None if compiler is None else compiler(call, [arg.strict for arg in args])
    if compiler is None or made is None or all(arg.reason is None for arg in args):
        return None if made is None else Checked(made)
    reason = _REASONS.get(call.op, _first)(args)
    value = compiler(call, [arg.value for arg in args])
    if value is not None and call.op in _OF_NULLS:  # a value that is computed of what has none is none
        value = pl.when(reason.is_null()).then(value)
    return Checked(made, value, reason)


def _narrowed(call: Call, args: list[Checked]) -> Checked | None:
    """A call whose result is cast to a type that may not hold it."""
    if call.op not in _WIDER or call.type is Type.DOUBLE:
        return None
    wide, strict = (_WIDER[call.op](call, [side(arg) for arg in args]) for side in (_careful, _strict))
    if wide is None or strict is None:
        return None
    value = _narrow(call, wide, False)
    own = pl.when(wide.is_not_null() & value.is_null()).then(pl.lit(no_value(call).reason))
    reason = _first([*args, Checked(value, reason=own)])
    return Checked(_narrow(call, strict, True), value, reason)


def _careful(arg: Checked) -> pl.Expr:
    return arg.value


def _strict(arg: Checked) -> pl.Expr:
    return arg.strict


def _narrow(call: Call, wide: pl.Expr, strict: bool) -> pl.Expr:
    made = wide.cast(pl.Int64(), strict=strict)
    if call.type is Type.BIGINT:
        return made
    return (made.cast(pl.Int32()) if call.type is Type.DATE else made).cast(dtype(call.attribute))


def _first(args: Sequence[Checked]) -> pl.Expr:
    """All arguments are computed: the first that has no value gives the reason."""
    return pl.coalesce([arg.reason for arg in args if arg.reason is not None])


def _unless(decides: Callable[[pl.Expr], pl.Expr]) -> Callable[[Sequence[Checked]], pl.Expr]:
    """An argument of AND or OR that decides does so whatever the others are."""
    return lambda args: pl.when(~pl.any_horizontal([decides(a.value).fill_null(False) for a in args])).then(
        _first(args)
    )


def _why(arg: Checked) -> pl.Expr:
    return pl.lit(None, pl.String()) if arg.reason is None else arg.reason


def _of_branches(args: Sequence[Checked]) -> pl.Expr:
    """The reason of the first condition that has no value, or of the branch that is taken."""
    made = _why(args[-1])
    for condition, value in reversed(list(zip(args[:-1:2], args[1::2], strict=True))):
        taken = pl.when(condition.value).then(_why(value)).otherwise(made)
        made = pl.coalesce(_why(condition), taken)
    return made


def _of_coalesced(args: Sequence[Checked]) -> pl.Expr:
    """The reason of the first argument that is not NULL, if it is that it has no value."""
    made = pl.lit(None, pl.String())
    for arg in reversed(args):
        made = pl.when(arg.value.is_null()).then(pl.coalesce(_why(arg), made))
    return made


_REASONS: dict[str, Callable[[Sequence[Checked]], pl.Expr]] = {
    "and": _unless(lambda value: ~value),
    "or": _unless(lambda value: value),
    "case": _of_branches,
    "if": _of_branches,
    "coalesce": _of_coalesced,
}


def _applied(call: Applied, args: list[Checked]) -> Checked:
    """A function of the user's, once for all rows of a piece."""
    wanted, function = dtype(call.attribute), call.function
    assert function is not None

    def over(given: Sequence[pl.Series]) -> pl.Series:
        with failing_in(f"the function {function.name}"):
            return _results(function, given, wanted)

    def halved(given: Sequence[pl.Series]) -> pl.Series:
        with failing_in(f"the function {function.name}"):
            return _halved(call, given, wanted)

    both = {_VALUE: wanted, _WHY: pl.String()}
    results = pl.map_batches([arg.value for arg in args], halved, return_dtype=pl.Struct(both))
    reason = _first([*args, Checked(results, reason=results.struct.field(_WHY))])
    strict = pl.map_batches([arg.strict for arg in args], over, return_dtype=wanted)
    return Checked(strict, results.struct.field(_VALUE), reason)


def _results(function: UserFunction, given: Sequence[pl.Series], wanted: pl.DataType) -> pl.Series:
    results = pl.Series(function.compute(*given)) if len(given[0]) else pl.Series(dtype=wanted)
    if len(results) != len(given[0]):
        detail = f"{len(results)} for {len(given[0])}"
        raise ComputationError(f"{function.name} returns another number of values", detail, "one for each row")
    return results.cast(wanted)


def _halved(call: Applied, given: Sequence[pl.Series], wanted: pl.DataType) -> pl.Series:
    """The values that a function gives, and why not, where it raises for a row alone."""
    assert call.function is not None
    size = len(given[0])
    try:
        values = _results(call.function, given, wanted)
        return pl.DataFrame(
            {_VALUE: values, _WHY: pl.Series([None], dtype=pl.String).new_from_index(0, size)}
        ).to_struct()
    except (ComputationError, MemoryError):
        raise
    except Exception as error:
        if size > 1:
            halves = ([column[: size // 2] for column in given], [column[size // 2 :] for column in given])
            return pl.concat([_halved(call, half, wanted) for half in halves])
        message = str(error).strip().split("\n")[0]
        why = no_value(call, f"{type(error).__name__}: {message}").reason
        return pl.DataFrame({_VALUE: pl.Series([None], dtype=wanted), _WHY: [why]}).to_struct()


def _literal(literal: Literal) -> pl.Expr:
    if isinstance(literal.value, timedelta):  # where bands are moved, one may be longer than intervals are
        steps = pl.lit(literal.value // timedelta(microseconds=1), WIDE)
        return steps.cast(_WHOLE, strict=False).cast(dtype(literal.attribute))
    return pl.lit(literal.value, dtype(literal.attribute))


def _arithmetic(call: Call, args: list[pl.Expr]) -> pl.Expr:
    return _ARITHMETIC[call.op](*args) + 0.0


def _wide_arithmetic(call: Call, args: list[pl.Expr]) -> pl.Expr:
    if call.type is not Type.BIGINT:
        return shifted(call, args)
    a, b = args
    return _ARITHMETIC[call.op](a.cast(WIDE), b.cast(WIDE))


def _divide(call: Call, args: list[pl.Expr]) -> pl.Expr:
    a, b = (arg.cast(pl.Float64()) for arg in args)
    return pl.when(b != 0).then(a / b) + 0.0


def _whole(call: Call, args: list[pl.Expr]) -> pl.Expr:
    """DIV and % of whole numbers, cut towards zero."""
    a, b = (arg.cast(WIDE) for arg in args)
    b = pl.when(b != 0).then(b)
    quotient = (a.abs() // b.abs()) * a.sign() * b.sign()
    return quotient if call.op == "div" else a - b * quotient


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
    return args[0].cast(dtype(call.attribute)) if (source.type, call.type) in _CASTS else widened(call, args[0])


_WIDER: dict[str, _Compiler] = {
    **dict.fromkeys(_ARITHMETIC, _wide_arithmetic),
    **dict.fromkeys(("%", "div"), _whole),
    "negate": lambda _, args: 0 - args[0].cast(_WHOLE).cast(WIDE),
    **{name: wide_kernel(entry) for name, entry in FUNCTIONS.items() if entry.wide},
    "tumble": tumbled,
    "local": zones.local,
    "instant": zones.instant,
    "local_plus": zones.local_plus,
    "local_trunc": lambda call, args: zones.local_trunc(call, args, TRUNCATE[_unit(call)]),
}
"""Calls in a type that holds all results; DOUBLEs need none."""
_MAY_FAIL = {*_WIDER, "/", *(name for name, entry in FUNCTIONS.items() if entry.fails)}


def _unit(call: Call) -> str:
    return _text(call.args[0])


def _text(literal: Expression) -> str:
    assert isinstance(literal, Literal)
    return str(literal.value)


_VECTORISED: dict[str, _Compiler] = {
    **dict.fromkeys(_ARITHMETIC, _arithmetic),
    **dict.fromkeys(_COMPARE, _compare),
    "/": _divide,
    "negate": lambda _, args: -args[0] + 0.0,
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
    "field": lambda call, args: args[0].struct.field(_text(call.args[2])),
    **{name: kernel(entry) for name, entry in FUNCTIONS.items() if entry.kernel is not None},
}
_ANY_TYPE = {*_COMPARE, "is null", "in", "case", "if", "coalesce", "nullif", "and", "or", "not", "cast"}
_ANY_TYPE |= {"greatest", "least", "field", "element of", "from the end", "has element", "size"}


def _row_by_row(call: Call, schema: Schema) -> Checked:
    """The call evaluated once for each distinct combination of the columns that it reads."""
    read = sorted({column.index for column in columns(call)})
    names = [schema.names[i] for i in read]
    both = {_VALUE: dtype(call.attribute), _WHY: pl.String()}

    def over(rows: pl.Series) -> pl.Series:
        numbered = rows.struct.unnest().with_row_index("$row")
        groups = numbered.group_by(names, maintain_order=True).agg("$row")
        tried = [_tried(call, _placed(row, read, len(schema))) for row in to_rows(groups.select(names))]
        turned = [
            column(_VALUE, call.attribute, [value for value, _ in tried]),
            pl.Series(_WHY, [why for _, why in tried], both[_WHY]),
        ]
        return groups.select("$row", *turned).explode("$row").sort("$row").select(*both).to_struct()

    if not names:
        value, why = _tried(call, ())
        alone = pl.lit(column(_VALUE, call.attribute, [value])).first()
        results = pl.struct(alone.alias(_VALUE), pl.lit(why, both[_WHY]).alias(_WHY))
    else:
        results = pl.struct(names).map_batches(over, return_dtype=pl.Struct(both))
    value_of, why_of = (results.struct.field(name) for name in both)
    if not _may_fail(call):
        return Checked(value_of)
    return Checked(results.map_batches(_without_reasons, return_dtype=both[_VALUE]), value_of, why_of)


def _may_fail(expression: Expression) -> bool:
    """Whether an expression may have no value where its columns have one."""
    mine = isinstance(expression, Call) and expression.op in _MAY_FAIL and expression.type is not Type.DOUBLE
    return mine or any(map(_may_fail, expression.args))


def _tried(call: Call, row: Row) -> tuple[Any, str | None]:
    """The value of a call in a row, or why it has none."""
    try:
        return evaluate(call, row), None
    except ComputationError as error:
        return None, error.reason


def _without_reasons(results: pl.Series) -> pl.Series:
    """The values, when all rows have one."""
    df = results.struct.unnest()
    if df[_WHY].null_count() < df.height:
        raise ComputationError(df[_WHY].drop_nulls()[0])
    return df[_VALUE]


def _placed(values: Row, at: list[int], size: int) -> Row:
    row: list[Any] = [None] * size
    for i, value in zip(at, values, strict=True):
        row[i] = value
    return tuple(row)
