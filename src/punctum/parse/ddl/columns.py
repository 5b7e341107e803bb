"""Columns of streams and tables, and what clauses have of them: terms of schemes, values of a column."""

from dataclasses import replace

from sqlglot import exp
from sqlglot.errors import SqlglotError

from punctum.algebra.schema import NOT_NULL, Attribute, Schema
from punctum.algebra.scheme import Order, Scheme
from punctum.algebra.values import Value
from punctum.errors import Place, SqlError, choices, nearest
from punctum.ir.expressions import Column, Expression, Literal, mismatch, type_text
from punctum.ir.expressions.types import common, converted
from punctum.parse.binder.bind import Binder
from punctum.parse.binder.declared import SUPPORTED, declared
from punctum.parse.binder.scope import Scope
from punctum.parse.lexer.cursor import Cursor

Terms = tuple[tuple[str, Order], ...]
"""The columns of a scheme, each with its order."""


class ColumnReader:
    """Reads columns, and clauses on those that are declared."""

    def __init__(self, cursor: Cursor, where: str, expected: str = "a column") -> None:
        self.cursor, self.where, self.expected = cursor, where, expected
        self.attributes: dict[str, Attribute] = {}

    @property
    def schema(self) -> Schema:
        """The columns so far."""
        return Schema(tuple(self.attributes.values()))

    def column(self) -> None:
        """A column: its name, its type, and perhaps NOT NULL."""
        cursor, at = self.cursor, self.cursor.place
        name = cursor.name(self.expected, self.where)
        if name.lower() in (known.lower() for known in self.attributes):
            raise SqlError(f"the column {name} occurs twice", "names are case-insensitive", "rename one", at)
        begin, end = cursor.of_type((",", ")", "NOT", "COMMENT", "DEFAULT"))
        if begin == end:
            raise cursor.unexpected(f"the type of {name}", self.where)
        place = cursor.text.at(begin, end - 1)
        attribute = declared(self._type(place), place, name)
        if cursor.accept("NOT"):
            cursor.expect("NULL", self.where)
            attribute = replace(attribute, domain=NOT_NULL)
        self.attributes[name] = attribute
        if not cursor.sees(",") and not cursor.sees(")"):
            raise cursor.unexpected("NOT NULL, a comma or a bracket", self.where)

    def _type(self, place: Place) -> exp.DataType:
        written = self.cursor.text.sql[place.start : place.end]
        try:
            return exp.DataType.build(written, dialect="spark")
        except (SqlglotError, ValueError, AttributeError, TypeError):
            raise SqlError(f"the type {written} is not supported", "", SUPPORTED, place) from None

    def declared(self, where: str) -> str:
        """The name of a column, as it is declared."""
        place, name = self.cursor.place, self.cursor.name("a column", where)
        for known in self.attributes:
            if known.lower() == name.lower():
                if self.attributes[known].type.nested:
                    detail = f"{known} is {type_text(self.attributes[known])}"
                    raise SqlError(f"{where} does not take an ARRAY or STRUCT", detail, "name another column", place)
                return known
        detail = choices(self.attributes)
        raise SqlError(f"there is no column {name}", detail, nearest(name, self.attributes), place)

    def terms(self, where: str, ordered: bool = True) -> Terms:
        """The columns of a scheme in brackets, each perhaps with an order."""
        self.cursor.expect("(", where)
        terms = [self._term(where, ordered)]
        while self.cursor.accept(","):
            terms.append(self._term(where, ordered))
        self.cursor.expect(")", where)
        return Scheme(self.schema, tuple(terms)).terms

    def _term(self, where: str, ordered: bool) -> tuple[str, Order]:
        name = self.declared(where)
        return name, self.order(name) if ordered else Order.EQUALITY

    def order(self, name: str) -> Order:
        """The order of a column, if ASC or DESC follows."""
        order = next((Order(word) for word in ("ASC", "DESC") if self.cursor.accept(word)), Order.EQUALITY)
        attribute = self.attributes[name]
        if order is not Order.EQUALITY and attribute.domain.null:  # no prefix holds NULL
            self.attributes[name] = replace(attribute, domain=NOT_NULL)
        return order

    def values(self, name: str, where: str) -> list[Value]:
        """Values of a column in brackets."""
        self.cursor.expect("(", where)
        values = [self.value(name, where, (",", ")"))]
        while self.cursor.accept(","):
            values.append(self.value(name, where, (",", ")")))
        self.cursor.expect(")", where)
        return values

    def value(self, name: str, where: str, stops: tuple[str, ...]) -> Value:
        """A value of a column, up to one of some words."""
        cursor = self.cursor
        begin, end = cursor.balanced(stops)
        if begin == end:
            raise cursor.unexpected(f"a value of {name}", where)
        return self.fitting(name, literal(cursor, begin, end, where))

    def fitting(self, name: str, expression: Expression) -> Value:
        """The value of a literal, when it is one of a column."""
        column = Column(0, name, self.attributes[name])
        place = expression.place
        if not isinstance(expression, Literal) or expression.value is None:
            raise SqlError(f"this is not a literal for {name}", "", "write a literal such as 0 or 'OR'", place)
        target = common((column, expression))
        if target is None or target.type is not column.type:
            hint = f"{name} is {type_text(column)}"
            raise mismatch(f"a value does not fit the column {name}", place, hint, expression)
        value = expression if expression.type is column.type else converted(expression, target)
        assert isinstance(value, Literal)
        return value.value  # type: ignore[return-value]


def literal(cursor: Cursor, begin: int, end: int, where: str) -> Expression:
    """The expression of some tokens, which name no column."""
    place = cursor.text.at(begin, end - 1)
    tree = cursor.text.expression(begin, end)
    if tree.find(exp.Column) is not None:
        raise SqlError(f"{where} takes literals", "", "write a literal, not a column", place)
    return replace(Binder(cursor.text, Scope(()), where, place).bind(tree), place=place)
