"""The syntax of expressions: what each kind of node that sqlglot reads becomes."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from math import isfinite
from typing import Any, Protocol

from sqlglot import exp

from punctum.algebra.values import Type
from punctum.errors import PatternError, Place, SqlError
from punctum.ir.expressions import Expression, Literal, mismatch
from punctum.ir.expressions.types import converted
from punctum.ir.functions import call
from punctum.ir.functions.nested import field
from punctum.parse.binder.declared import declared

LENGTHS = {
    "WEEK": timedelta(weeks=1),
    "DAY": timedelta(days=1),
    "HOUR": timedelta(hours=1),
    "MINUTE": timedelta(minutes=1),
    "SECOND": timedelta(seconds=1),
    "MILLISECOND": timedelta(milliseconds=1),
    "MICROSECOND": timedelta(microseconds=1),
}


class Binds(Protocol):
    """What binds the nodes below a node: ``bind.py``."""

    def bind(self, node: exp.Expr | None) -> Expression:
        """The expression that a node means."""

    def all(self, *nodes: exp.Expr | None) -> list[Expression]:
        """The expressions of some nodes, those that are there."""

    def column(self, node: exp.Column) -> Expression:
        """The column that a name means."""

    def place(self, node: exp.Expr) -> Place:
        """Where a node stands."""

    def only(self, node: exp.Expr, *known: str) -> None:
        """Refuse a node that has more to it than what is known."""

    def refuse(self, what: str, node: exp.Expr, hint: str = "", detail: str = "") -> SqlError:
        """The error for what is not supported."""

    def name(self, node: exp.Expr) -> str:
        """What the script calls a function or operator."""

    def shown(self, node: exp.Expr) -> str:
        """A node as Spark would write it."""


def _literal(binder: "Binds", node: Any) -> Expression:
    """A text or a number."""
    written, place = str(node.this), binder.place(node)
    if node.is_string:
        return Literal(_whole(written, place), Type.STRING, place=place)
    try:
        if written.isdecimal() and len(written) < 30 and int(written) < 2**63:
            return Literal(int(written), Type.BIGINT, place=place)
        if "e" in written.lower():
            if not isfinite(double := float(written)):
                raise OverflowError
            return Literal(Type.DOUBLE.accept(double), Type.DOUBLE, place=place)
        value = Decimal(written)
    except (ArithmeticError, ValueError, PatternError):
        raise SqlError(f"{written[:50]} is not a number", place=place) from None
    scale = max(-int(value.as_tuple().exponent), 0)
    digits = max(len(value.as_tuple().digits), scale)
    if digits > 38:
        raise SqlError(f"{written[:50]} is not a number", "a number has at most 38 digits", place=place)
    return Literal(value, Type.DECIMAL, (max(digits, 1), scale), place)


def _interval(binder: "Binds", node: Any) -> Expression:
    """An interval of a fixed length."""
    unit = node.args.get("unit")
    name = str(unit.name).upper() if isinstance(unit, exp.Var) else ""
    length = LENGTHS.get(name.removesuffix("S"))
    amount = str(node.this.name) if isinstance(node.this, exp.Literal) else ""
    if length is None or not amount.strip().lstrip("+-").isdecimal() or len(amount) > 12:
        raise binder.refuse("this INTERVAL is", node, f"write INTERVAL '10' and one of {', '.join(LENGTHS)}")
    try:
        return Literal(Type.INTERVAL.accept(int(amount) * length), Type.INTERVAL, place=binder.place(node))
    except (OverflowError, ValueError, PatternError):
        raise binder.refuse("an INTERVAL as long as this is", node) from None


def _whole(value: str, place: Place) -> str:
    try:
        value.encode()
    except UnicodeEncodeError:
        raise SqlError("a string contains half a character", "an unpaired surrogate", "", place) from None
    return value


def _connected(binder: Binds, node: Any) -> Expression:
    op = "and" if isinstance(node, exp.And) else "or"
    binder.only(node, "this", "expression")
    return call(op, [binder.bind(part) for part in node.flatten(unnest=False)], binder.place(node))


def _paren(binder: Binds, node: Any) -> Expression:
    return replace(binder.bind(node.this), place=binder.place(node))


def _between(binder: Binds, node: Any) -> Expression:
    binder.only(node, "this", "low", "high", "negate")
    value, low, high = binder.all(node.this, node.args["low"], node.args["high"])
    place = binder.place(node)
    both = (call(">=", (value, low), place), call("<=", (value, high), place))
    inside = call("and", both, place)
    return call("not", (inside,), place) if node.args.get("negate") else inside


def _in(binder: Binds, node: Any) -> Expression:
    if node.args.get("query") is not None:
        raise binder.refuse(
            "subqueries in expressions are", node, "use EXISTS or IN (SELECT …) in WHERE, a JOIN, or a subquery in FROM"
        )
    binder.only(node, "this", "expressions", "negate")
    args = binder.all(node.this, *node.expressions)
    if not args[1:]:
        raise binder.refuse("IN without values is", node, "use IN (1, 2), or a JOIN")
    place = binder.place(node)
    if all(isinstance(arg, Literal) for arg in args[1:]):
        listed = call("in", args, place)
    else:
        listed = call("or", [call("=", (args[0], arg), place) for arg in args[1:]], place)
    return call("not", (listed,), listed.place) if node.args.get("negate") else listed


def _is(binder: Binds, node: Any) -> Expression:
    place = binder.place(node)
    if isinstance(node.expression, exp.Null):
        test = call("is null", (binder.bind(node.this),), place)
    elif isinstance(node.expression, exp.Boolean):
        test = call("<=>", binder.all(node.this, node.expression), place)
    else:
        raise binder.refuse(f"{binder.shown(node)} is", node, "supported: IS NULL, IS TRUE, IS FALSE and <=>")
    return call("not", (test,), place) if node.args.get("negate") else test


def _cast(binder: Binds, node: Any) -> Expression:
    binder.only(node, "this", "to", "safe", "requires_string", "_type")
    return converted(binder.bind(node.this), declared(node.args["to"], binder.place(node)), binder.place(node))


def _case(binder: Binds, node: Any) -> Expression:
    binder.only(node, "this", "ifs", "default")
    place = binder.place(node)
    args: list[Expression] = []
    for branch in node.args["ifs"]:
        condition = binder.bind(branch.this)
        if node.this is not None:
            condition = call("=", (binder.bind(node.this), condition), condition.place)
        args += [condition, binder.bind(branch.args["true"])]
    default = node.args.get("default")
    return call("case", [*args, binder.bind(default) if default else Literal(None, Type.STRING, place=place)], place)


def _if(binder: Binds, node: Any) -> Expression:
    binder.only(node, "this", "true", "false")
    place = binder.place(node)
    args = binder.all(node.this, node.args.get("true"), node.args.get("false"))
    return call("if", args if len(args) == 3 else [*args, Literal(None, Type.STRING, place=place)], place)


def _trim(binder: Binds, node: Any) -> Expression:
    binder.only(node, "this", "position", "expression")
    sides = {"LEADING": "ltrim", "TRAILING": "rtrim"}
    name = sides.get(str(node.args.get("position") or "").upper(), "trim")
    return call(name, binder.all(node.this, node.args.get("expression")), binder.place(node))


def _substring(binder: Binds, node: Any) -> Expression:
    binder.only(node, "this", "start", "length")
    return call("substring", binder.all(node.this, node.args.get("start"), node.args.get("length")), binder.place(node))


def _position(binder: Binds, node: Any) -> Expression:
    binder.only(node, "this", "substr", "position")
    args = binder.all(node.args["substr"], node.this, node.args.get("position"))
    return call("locate", args, binder.place(node))


def _extract(binder: Binds, node: Any) -> Expression:
    unit = Literal(str(node.this.name).upper(), Type.STRING, place=binder.place(node))
    return call("date_part", (unit, binder.bind(node.expression)), binder.place(node))


def _escape(binder: Binds, node: Any) -> Expression:
    """LIKE … ESCAPE."""
    like = node.this
    if not isinstance(like, exp.Like):
        raise binder.refuse("ESCAPE here is", node, "it follows LIKE")
    made = call("like", binder.all(like.this, like.expression, node.expression), binder.place(node))
    return call("not", (made,), made.place) if like.args.get("negate") else made


def _part_of(binder: Binds, node: Any) -> Expression:
    """An element of an ARRAY, counted from 0; of split(text, pattern) by itself."""
    inner, at = node.this, node.expressions
    if len(at) != 1:
        raise binder.refuse(f"{binder.shown(node)} is", node, "write array[0]")
    if isinstance(inner, exp.Anonymous) and inner.name.lower() == "split" and isinstance(at[0], exp.Literal):
        return call("split at", binder.all(*inner.expressions, *at), binder.place(node))
    array = binder.bind(inner)
    if array.type is Type.STRUCT and isinstance(at[0], exp.Literal) and at[0].is_string:
        return field(array, at[0].name, binder.place(node))
    if array.type is not Type.ARRAY:
        raise mismatch("[…] does not take this type", binder.place(node), "it takes an ARRAY", array)
    number = binder.bind(at[0])
    if number.type is not Type.BIGINT:
        raise mismatch("[…] does not take this type", binder.place(node), "it takes a BIGINT, counted from 0", number)
    return call("element of", (array, number), binder.place(node))


def _dot(binder: Binds, node: Any) -> Expression:
    """A field of what stands before the dot."""
    return field(binder.bind(node.this), node.expression.name, binder.place(node))


def _not_equal(binder: Binds, node: Any) -> Expression:
    place = binder.place(node)
    return call("not", (call("<=>", binder.all(node.this, node.expression), place),), place)


BINARY: dict[type, str] = {
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.Mod: "%",
    exp.IntDiv: "div",
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.NullSafeEQ: "<=>",
    exp.Like: "like",
    exp.ILike: "ilike",
    exp.RegexpLike: "rlike",
    exp.DPipe: "concat",
    exp.BitwiseAnd: "&",
    exp.BitwiseOr: "|",
    exp.BitwiseXor: "^",
    exp.BitwiseLeftShift: "shiftleft",
    exp.BitwiseRightShift: "shiftright",
}
UNARY: dict[type, str] = {
    exp.Neg: "negate",
    exp.Not: "not",
    exp.BitwiseNot: "~",
}
NODES: dict[type, Callable[[Binds, Any], Expression]] = {
    exp.Column: lambda binder, node: binder.column(node),
    exp.Literal: _literal,
    exp.Interval: _interval,
    exp.Null: lambda binder, node: Literal(None, Type.STRING, place=binder.place(node)),
    exp.Boolean: lambda binder, node: Literal(bool(node.this), Type.BOOLEAN, place=binder.place(node)),
    exp.Paren: _paren,
    exp.And: _connected,
    exp.Or: _connected,
    exp.Between: _between,
    exp.In: _in,
    exp.Is: _is,
    exp.NullSafeNEQ: _not_equal,
    exp.Cast: _cast,
    exp.TryCast: _cast,
    exp.Case: _case,
    exp.If: _if,
    exp.Trim: _trim,
    exp.Substring: _substring,
    exp.StrPosition: _position,
    exp.Extract: _extract,
    exp.Escape: _escape,
    exp.Bracket: _part_of,
    exp.Dot: _dot,
    exp.Concat: lambda binder, node: call("concat", binder.all(*node.expressions), binder.place(node)),
}
