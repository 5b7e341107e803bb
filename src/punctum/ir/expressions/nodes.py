"""Expressions: columns, literals and calls, each with its type and whether it may be NULL.

A column is a position in the schema of the relation below. A call's ``op`` is one of::

    + - * / % div negate        = <> < <= > >= <=>        and or not (any number of arguments for and, or)
    is null   in   cast         case (condition, value, …, else)   if   coalesce   nullif   try
    local instant local_trunc local_plus (``zones.py``)   tumble (``time_windows.py``)
    and the functions of ``functions/``

``types.py`` says what each takes and gives, ``evaluate.py`` what it means, ``shape.py`` how punctuations pass it. The
casts that a script does not write are there as calls, so that the arguments of a call have the types that it needs.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta

from punctum.algebra.pattern import WILDCARD, Pattern
from punctum.algebra.schema import NOT_NULL, Attribute
from punctum.algebra.values import Type, Value, value_text
from punctum.errors import Place, SqlError

NOWHERE = Place()


@dataclass(frozen=True)
class Column:
    """An attribute of the relation below: its position and name there; the attribute has the name of the script."""

    index: int
    name: str
    attribute: Attribute
    place: Place = field(default=NOWHERE, compare=False)

    @property
    def type(self) -> Type:
        """The type of its values."""
        return self.attribute.type

    @property
    def nullable(self) -> bool:
        """Whether it may be NULL."""
        return self.attribute.domain.null

    @property
    def args(self) -> "tuple[Expression, ...]":
        """Nothing is below it."""
        return ()


@dataclass(frozen=True)
class Literal:
    """A value that is written in the script, or NULL."""

    value: Value | None
    type: Type
    digits: tuple[int, int] = (38, 18)
    place: Place = field(default=NOWHERE, compare=False)
    written: str | None = field(default=None, compare=False)

    @property
    def attribute(self) -> Attribute:
        """Its type, as an attribute without a name."""
        return Attribute("", self.type, WILDCARD if self.value is None else NOT_NULL, self.digits)

    @property
    def nullable(self) -> bool:
        """Whether it is NULL."""
        return self.value is None

    @property
    def args(self) -> "tuple[Expression, ...]":
        """Nothing is below it."""
        return ()


@dataclass(frozen=True)
class Call:
    """An operator or function of other expressions; the attribute, without a name, is the type of the result."""

    op: str
    args: "tuple[Expression, ...]"
    attribute: Attribute
    place: Place = field(default=NOWHERE, compare=False)

    @property
    def type(self) -> Type:
        """The type of its values."""
        return self.attribute.type

    @property
    def nullable(self) -> bool:
        """Whether it may be NULL."""
        return self.attribute.domain.null


Expression = Column | Literal | Call


def like(attribute: Attribute, nullable: bool) -> Attribute:
    """The attribute, without a name, of a computed value of the type of another one."""
    return replace(attribute, name="", domain=WILDCARD if nullable else NOT_NULL, reach=None)


def kind(type_: Type, nullable: bool, digits: tuple[int, int] = (38, 18)) -> Attribute:
    """The attribute, without a name, of a computed value."""
    domain: Pattern = WILDCARD if nullable else NOT_NULL
    return Attribute("", type_, domain, digits)


def named(expression: Expression, name: str) -> Attribute:
    """The attribute of an expression under a name."""
    return replace(expression.attribute, name=name)


def columns(expression: Expression) -> Iterator[Column]:
    """The columns that an expression reads, from left to right."""
    if isinstance(expression, Column):
        yield expression
    for arg in expression.args:
        yield from columns(arg)


def rebased(expression: Expression, to: Callable[[Column], Expression]) -> Expression:
    """The expression with other columns, such as those of a relation that has them in another order."""
    if isinstance(expression, Column):
        return replace(to(expression), place=expression.place)
    if isinstance(expression, Literal):
        return expression
    return replace(expression, args=tuple(rebased(arg, to) for arg in expression.args))


def conjuncts(predicate: Expression) -> Iterator[Expression]:
    """The conditions that a predicate joins with AND."""
    if isinstance(predicate, Call) and predicate.op == "and":
        for arg in predicate.args:
            yield from conjuncts(arg)
    else:
        yield predicate


def conjunction(predicates: list[Expression]) -> Expression | None:
    """The conditions joined with AND, or nothing when there are none."""
    if len(predicates) < 2:
        return predicates[0] if predicates else None
    place = predicates[0].place.to(predicates[-1].place)
    return Call("and", tuple(predicates), kind(Type.BOOLEAN, any(p.nullable for p in predicates)), place)


def type_text(expression: Expression | Attribute) -> str:
    """The type of an expression as SQL writes it.

    >>> type_text(Literal(None, Type.DECIMAL, (10, 2)))
    'DECIMAL(10,2)'
    """
    attribute = expression if isinstance(expression, Attribute) else expression.attribute
    match attribute.type:
        case Type.DECIMAL:
            precision, scale = attribute.digits
            return f"DECIMAL({precision},{scale})"
        case Type.INTERVAL:
            return "INTERVAL DAY TO SECOND"
        case Type.ARRAY:
            return f"ARRAY<{type_text(attribute.parts[0])}>"
        case Type.STRUCT:
            return f"STRUCT<{', '.join(f'{part.name}: {type_text(part)}' for part in attribute.parts)}>"
    return str(attribute.type.value)


_INFIX = {*["+", "-", "*", "/", "%", "=", "<>", "<", "<=", ">", ">=", "<=>", "and", "or", "div", "like", "&", "|", "^"]}


def text(expression: Expression, written: bool = False) -> str:
    """The expression as Spark names a column that has no name; casts are left out that the script has not written.

    >>> x = Column(0, "x", Attribute("x", Type.BIGINT))
    >>> text(Call("+", (x, Literal(1, Type.BIGINT)), kind(Type.BIGINT, True)))
    '(x + 1)'
    """
    match expression:
        case Column():
            return (written and expression.attribute.name) or expression.name
        case Literal(value):
            if written:
                return _literal(value) if expression.written is None else expression.written
            return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else _literal(value)
        case Call("cast" | "local" | "instant", (arg, *_)) if written and arg.place == expression.place:
            return text(arg, written)
        case Call("coalesce", (arg, *others)) if written and all(a.place == expression.place for a in (arg, *others)):
            return text(arg, written)  # one name for several columns, as USING has it
        case Call("local" | "instant", (arg, _)) if written:
            return f"CAST({text(arg, written)} AS {type_text(expression)})"
        case Call("local_trunc", (unit, arg, _)) if written:
            return f"date_trunc({text(unit, written)}, {text(arg, written)})"
        case Call("local_plus", (arg, interval, _)) if written:
            assert isinstance(interval, Literal) and isinstance(interval.value, timedelta)
            sign = "-" if interval.value < timedelta() else "+"
            return f"({text(arg, written)} {sign} {_literal(abs(interval.value))})"
    op, args = expression.op, [text(arg, written) for arg in expression.args]
    if op == "like":
        return f"{args[0]} LIKE {args[1]}"
    if op in _INFIX:
        return f"({f' {op.upper()} '.join(args)})"
    if op in _SPECIAL:
        return _SPECIAL[op](expression, args)
    return f"{_WRITTEN.get(op, op) if written else op}({', '.join(args)})"


_WRITTEN = {"write time": "date_format", "read time": "to_timestamp"}
_WRITTEN |= {"whole units": "timestampdiff", "next weekday": "next_day"}
_WRITTEN |= {"has element": "array_contains", "from the end": "element_at"}
"""What scripts call the functions that have no name of their own."""


def _literal(value: Value | None) -> str:
    if isinstance(value, timedelta):
        unit = next(unit for unit, length in _UNITS.items() if not value % length)
        return f"INTERVAL '{value // _UNITS[unit]}' {unit}"
    return value if isinstance(value, str) else value_text(value)


_UNITS = {
    "DAY": timedelta(days=1),
    "HOUR": timedelta(hours=1),
    "MINUTE": timedelta(minutes=1),
    "SECOND": timedelta(seconds=1),
    "MICROSECOND": timedelta(microseconds=1),
}


def _case(expression: Call, args: list[str]) -> str:
    branches = "".join(f" WHEN {args[i]} THEN {args[i + 1]}" for i in range(0, len(args) - 1, 2))
    last = expression.args[-1]
    otherwise = "" if isinstance(last, Literal) and last.value is None else f" ELSE {args[-1]}"
    return f"CASE{branches}{otherwise} END"


def _bracket(call: Call, args: list[str]) -> str:
    return f"{args[0]}[{args[1]}]"


_SPECIAL: dict[str, Callable[[Call, list[str]], str]] = {
    "not": lambda _, args: f"(NOT {args[0]})",
    "negate": lambda _, args: f"(- {args[0]})",
    "is null": lambda _, args: f"({args[0]} IS NULL)",
    "in": lambda _, args: f"({args[0]} IN ({', '.join(args[1:])}))",
    "if": lambda _, args: f"(IF({', '.join(args)}))",
    "cast": lambda call, args: f"CAST({args[0]} AS {type_text(call)})",
    "case": _case,
    "from json": lambda _, args: f"from_json({args[0]})",
    "field": lambda call, args: f"{args[0]}.{text(call.args[2], True)}",
    "element of": _bracket,
    "split at": lambda call, args: f"split({args[0]}, {args[1]})[{args[2]}]",
}


def mismatch(what: str, place: Place, hint: str, *args: Expression) -> SqlError:
    """The error for arguments of the wrong type."""
    types = ", ".join(f"{text(arg, True)} is {type_text(arg)}" for arg in args)
    return SqlError(what, types, hint, place)
