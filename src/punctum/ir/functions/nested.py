"""Functions of ARRAYs and STRUCTs: their elements, counted from 0 or 1, and their fields."""

from __future__ import annotations  # Polars is not loaded where a script is only compiled

from typing import Any

from punctum.algebra.values import Type
from punctum.errors import Place, SqlError, choices, nearest
from punctum.ir.expressions import Call, Expression, Literal, like, mismatch, type_text
from punctum.ir.expressions.types import converted
from punctum.ir.functions.define import Args, Scalar, constant
from punctum.ir.functions.later import pl
from punctum.ir.functions.order import equal
from punctum.ir.functions.rules import call


def field(struct: Expression, name: str, place: Place) -> Expression:
    """A field of a STRUCT, by its name."""
    if struct.type is not Type.STRUCT:
        raise mismatch(f"there is no field {name}", place, "only a STRUCT has fields", struct)
    for at, part in enumerate(struct.attribute.parts):
        if part.name.lower() == name.lower():
            literals = Literal(at, Type.BIGINT, place=place), Literal(part.name, Type.STRING, place=place)
            return Call("field", (struct, *literals), like(part, True), place)
    names = [part.name for part in struct.attribute.parts]
    raise SqlError(f"there is no field {name}", choices(names), nearest(name, names), place)


def fields(struct: Expression, place: Place) -> list[tuple[str, Expression]]:
    """All fields of a STRUCT, by their names."""
    if struct.type is not Type.STRUCT:
        raise mismatch("only a STRUCT has fields", place, "name the column without .*", struct)
    return [(part.name, field(struct, part.name, place)) for part in struct.attribute.parts]


def field_of(expression: Expression) -> str | None:
    """The name of the field that an expression is; SELECT calls it so."""
    return str(constant(expression.args[2])) if isinstance(expression, Call) and expression.op == "field" else None


def _element_at(args: Args, place: Place) -> Expression:
    """ELEMENT_AT, which counts from 1, or from the end."""
    number = constant(args[1])
    if not number:
        raise SqlError("there is no element 0", "", "ELEMENT_AT counts from 1, and from the end with -1", place)
    if number < 0:
        return call("from the end", args, place)
    return call("element of", (args[0], Literal(number - 1, Type.BIGINT, place=place)), place)


def _contains(args: Args, place: Place) -> Expression:
    """ARRAY_CONTAINS of a value that has the type of the elements."""
    element = args[0].attribute.parts[0]
    wide = args[1].type is element.type or (element.type is Type.DOUBLE and args[1].type is Type.BIGINT)
    if element.type.nested or not (wide or isinstance(args[1], Literal)):
        raise mismatch(
            "ARRAY_CONTAINS takes a value of the elements' type", place, f"that is {type_text(element)}", *args
        )
    return call("has element", (args[0], converted(args[1], element)), place)


def _has(array: tuple[Any, ...], value: Any) -> bool | None:
    if any(element is not None and equal(element, value) for element in array):
        return True
    return None if None in array else False


def _has_kernel(array: pl.Expr, value: pl.Expr) -> pl.Expr:
    sure = pl.when(value.is_not_null() & array.is_not_null())
    there = array.list.contains(value)
    whole = array.list.drop_nulls().list.len() == array.list.len()
    return sure.then(pl.when(there).then(True).when(whole).then(False))


def _at(array: tuple[Any, ...], at: int) -> Any:
    return array[at] if 0 <= at < len(array) else None


def _at_kernel(array: pl.Expr, at: pl.Expr) -> pl.Expr:
    return pl.when(at >= 0).then(array.list.get(at, null_on_oob=True))


NESTED = (
    Scalar(
        "size(array ARRAY) -> BIGINT",
        "the number of elements",
        len,
        lambda array: array.list.len(),
        also=("cardinality", "array_size"),
    ),
    Scalar(
        "element_at(array ARRAY, number BIGINT CONSTANT) -> ELEMENT",
        "the element at a number, from 1, which counts from the end when it is negative; `array[0]` counts from 0",
        rule=_element_at,
    ),
    Scalar(
        "array_contains(array ARRAY, value ANY) -> BOOLEAN",
        "whether an element is it; NULL when none is, and one is NULL",
        rule=_contains,
    ),
    Scalar("element of(array ARRAY, at BIGINT) -> ELEMENT", "", _at, _at_kernel, maybe=True),
    Scalar(
        "from the end(array ARRAY, number BIGINT CONSTANT) -> ELEMENT",
        "",
        lambda array, number: array[number] if -number <= len(array) else None,
        lambda array, number: array.list.get(number, null_on_oob=True),
        maybe=True,
    ),
    Scalar("has element(array ARRAY, value ANY) -> BOOLEAN", "", _has, _has_kernel, maybe=True),
)
