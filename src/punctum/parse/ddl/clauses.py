"""PUNCTUATE clauses, which make punctuations from rows; and how long punctuations may take to come and hold.

::

    PUNCTUATE (itemid) WHEN status = 'closed'         an end event
    PUNCTUATE (ts ASC) DELAY '10 seconds'             the order of access, here with a delay
    PUNCTUATE (sensor, ts ASC)                        the same, for each sensor by itself
    PUNCTUATE (hour) WHEN ALL sid IN ('S1', 'S2')     a list of those that report, here as it is, or a table
    … EXPECT WITHIN '1 day' LIFESPAN '4 hours'        behind any of these, and behind PUNCTUATED ON
"""

import re
from collections.abc import Callable, Mapping
from datetime import timedelta
from decimal import Decimal

from sqlglot.tokenizer_core import TokenType

from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.scheme import Order, Scheme
from punctum.algebra.values import Type, Value
from punctum.errors import Place, SqlError, choices, nearest
from punctum.ir.definitions import AccessOrder, AllReported, Clause, Delay, EndEvent, StreamDef, TableColumn, TableDef
from punctum.ir.expressions import Expression, Literal, mismatch, type_text
from punctum.ir.relations import Source
from punctum.ir.types import NUMBERS, TIMES
from punctum.parse.binder.bind import Binder
from punctum.parse.binder.scope import FromTable, Scope
from punctum.parse.binder.syntax import LENGTHS
from punctum.parse.ddl.columns import ColumnReader, Terms, literal
from punctum.parse.lexer.cursor import Cursor
from punctum.parse.lexer.text import Text

PUNCTUATE = "PUNCTUATE"
_PART = re.compile(r"\s*(\d{1,18})\s*([A-Za-z]+)\s*")


def read_punctuate(
    reader: ColumnReader, stream: str, tables: Mapping[str, TableDef]
) -> tuple[Terms, Callable[[Schema], Clause]]:
    """The terms of the clause that follows, and what makes the clause once all columns are known."""
    cursor, first = reader.cursor, reader.cursor.at
    cursor.expect(PUNCTUATE, PUNCTUATE)
    terms = reader.terms(PUNCTUATE)
    if cursor.accept("WHEN", "ALL"):
        member, members = _reporters(reader, terms, cursor.since(first), tables)
        place = cursor.since(first)
        return terms, lambda schema: AllReported(Scheme(schema, terms), member, members, place)
    if cursor.accept("WHEN"):
        begin, end = _expression(cursor, "a condition")
        place = cursor.since(first)
        return terms, lambda schema: EndEvent(
            Scheme(schema, terms), _condition(cursor.text, begin, end, StreamDef(stream, schema)), place
        )
    name = _ordered(terms, cursor.since(first))
    delay = _delay(reader, name) if cursor.accept("DELAY") else None
    place = cursor.since(first)
    return terms, lambda schema: AccessOrder(Scheme(schema, terms), delay, place)


def _expression(cursor: Cursor, what: str) -> tuple[int, int]:
    """The tokens of an expression: up to a comma, a bracket, EXPECT WITHIN or LIFESPAN."""
    begin, end = cursor.balanced((",", ")"))
    for i in range(begin, end):
        cursor.at = i
        spans = cursor.sees("LIFESPAN") and i + 1 < end and cursor.text.tokens[i + 1].token_type is TokenType.STRING
        if spans or cursor.sees("EXPECT", "WITHIN"):
            break
    else:
        cursor.at = end
    if cursor.at == begin:
        raise cursor.unexpected(what, PUNCTUATE)
    return begin, cursor.at


def _condition(text: Text, begin: int, end: int, stream: StreamDef) -> Expression:
    place = text.at(begin, end - 1)
    scope = Scope((FromTable(stream.name, Source(stream), 0, place),))
    condition = Binder(text, scope, f"{PUNCTUATE} … WHEN", place).bind(text.expression(begin, end))
    if condition.type is not Type.BOOLEAN:
        raise mismatch("WHEN needs a condition", place, "a condition is BOOLEAN", condition)
    return condition


def _ordered(terms: Terms, place: Place) -> str:
    """The column in whose order rows come: the last one, the only one that has an order."""
    ordered = [name for name, order in terms if order is not Order.EQUALITY]
    if not ordered:
        hint = "write PUNCTUATE (itemid) WHEN …, or PUNCTUATE (ts ASC)"
        raise SqlError("PUNCTUATE needs an event or an order", "", hint, place)
    if len(ordered) > 1:
        detail = f"{' and '.join(ordered)} have an order"
        raise SqlError("rows are read in the order of one column", detail, "name one of them, or add WHEN …", place)
    if terms[-1][1] is Order.EQUALITY:
        others = ", ".join(name for name, order in terms if order is Order.EQUALITY)
        order = next(order.value for _, order in terms if order is not Order.EQUALITY)
        hint = f"write PUNCTUATE ({others}, {ordered[0]} {order})"
        raise SqlError("the column that has the order comes last", "the others are the key", hint, place)
    return ordered[0]


def _reporters(
    reader: ColumnReader, terms: Terms, place: Place, tables: Mapping[str, TableDef]
) -> tuple[str, tuple[Value, ...] | TableColumn]:
    """The column that has who reports, and the values that it must have."""
    cursor = reader.cursor
    if any(order is not Order.EQUALITY for _, order in terms):
        raise SqlError("WHEN ALL does not take ASC or DESC", "", "remove ASC and DESC", place)
    place, member = cursor.place, reader.declared(PUNCTUATE)
    if member in (name for name, _ in terms):
        raise SqlError(
            f"{member} is one of the punctuated columns",
            "",
            "WHEN ALL takes another column: the one that says who reports",
            place,
        )
    attribute = reader.attributes[member]
    if attribute.type is Type.DECIMAL:
        detail = f"{member} is {type_text(attribute)}"
        raise SqlError("WHEN ALL does not take this type", detail, "any type except DECIMAL is supported", place)
    cursor.expect("IN", PUNCTUATE)
    first = cursor.at
    if cursor.accept("(", ")"):
        raise SqlError(
            "the list is empty", f"it names no {member} to wait for", "name one or more", cursor.since(first)
        )
    if cursor.sees("("):
        return member, tuple(dict.fromkeys(reader.values(member, PUNCTUATE)))
    return member, _column(cursor, member, attribute, tables)


def _column(cursor: Cursor, member: str, attribute: Attribute, tables: Mapping[str, TableDef]) -> TableColumn:
    """The column of a table: its only one, or the one of the same name."""
    place, name = cursor.place, cursor.name("a list or a table", PUNCTUATE)
    table = next((table for table in tables.values() if table.name.lower() == name.lower()), None)
    if table is None:
        hint = nearest(name, tables) if tables else f"write CREATE TABLE {name} (…) USING … before it"
        raise SqlError(f"there is no table {name}", choices(tables), hint, place)
    known = [column.lower() for column in table.schema.names]
    if len(known) > 1 and member.lower() not in known:
        raise SqlError(f"the table {table.name} has no column {member}", choices(table.schema.names), "", place)
    index = known.index(member.lower()) if len(known) > 1 else 0
    column = table.schema.attributes[index]
    if column.type is not attribute.type:
        detail = f"{member} is {type_text(attribute)}, {table.name}.{column.name} is {type_text(column)}"
        raise SqlError(
            f"the table {table.name} does not fit the column {member}", detail, "use the same type for both", place
        )
    return TableColumn(table, index)


def _delay(reader: ColumnReader, name: str) -> Delay:
    """A number for a column of numbers, a duration for one of times."""
    cursor, attribute = reader.cursor, reader.attributes[name]
    begin, end = _expression(cursor, "a delay")
    expression = literal(cursor, begin, end, "DELAY")
    if attribute.type not in NUMBERS + TIMES:
        raise SqlError(f"{name} cannot have a DELAY", f"it is {type_text(attribute)}", "remove it", expression.place)
    delay = _number(reader, name, expression) if attribute.type in NUMBERS else _length(attribute, expression)
    if delay < timedelta() if isinstance(delay, timedelta) else delay < 0:
        raise SqlError("a DELAY cannot be negative", "", "rows that arrive early need no DELAY", expression.place)
    return delay


def _number(reader: ColumnReader, name: str, expression: Expression) -> int | float | Decimal:
    value = reader.fitting(name, expression)
    assert isinstance(value, int | float | Decimal)
    return value


def _length(attribute: Attribute, expression: Expression) -> timedelta:
    value = expression.value if isinstance(expression, Literal) else None
    length = duration(value, expression.place) if isinstance(value, str) else value
    if not isinstance(length, timedelta):
        what, hint = f"this DELAY does not fit {attribute.name}", "write a duration such as '10 seconds'"
        raise mismatch(what, expression.place, f"{attribute.name} is {type_text(attribute)}; {hint}", expression)
    if attribute.type is Type.DATE and length % timedelta(days=1):
        detail = f"{attribute.name} is {type_text(attribute)}"
        raise SqlError("a DATE moves by whole days", detail, "write a DELAY of days", expression.place)
    return length


def duration(written: str, place: Place) -> timedelta:
    """The time that a text means.

    >>> print(duration("1 hour 30 minutes", Place()))
    1:30:00
    """
    parts = [(int(amount), unit.upper().removesuffix("S")) for amount, unit in _PART.findall(written)]
    if parts and not _PART.sub("", written) and all(unit in LENGTHS for _, unit in parts):
        try:
            return sum((amount * LENGTHS[unit] for amount, unit in parts), timedelta())
        except OverflowError:
            pass
    units = ", ".join(unit.lower() for unit in LENGTHS)
    raise SqlError(
        f"'{written}' is not a duration", f"units are {units}", "write a duration such as '10 seconds'", place
    )


def read_limits(cursor: Cursor) -> tuple[timedelta | None, timedelta | None]:
    """The times of EXPECT WITHIN and LIFESPAN, if they follow."""
    times: dict[str, timedelta] = {}
    while cursor.sees("EXPECT") or cursor.sees("LIFESPAN"):
        place, word = cursor.place, "LIFESPAN" if cursor.accept("LIFESPAN") else "EXPECT"
        if word == "EXPECT":
            cursor.expect("EXPECT", word)
            cursor.expect("WITHIN", word)
        if word in times:
            raise SqlError(f"{word} occurs twice", "", "remove one of them", place)
        place = cursor.place
        times[word] = duration(cursor.string(word), place)
        if not times[word]:
            raise SqlError(f"{word} needs a duration greater than zero", "", "write a duration such as '1 day'", place)
    return times.get("EXPECT"), times.get("LIFESPAN")
