"""PUNCTUATE clauses, which make punctuations from rows; and how long punctuations may take to come and hold.

::

    PUNCTUATE (itemid) WHEN status = 'closed'         an end event
    PUNCTUATE (ts ASC) DELAY '10 seconds'             the order of access, here with a delay
    PUNCTUATE (sensor, ts ASC)                        the same, for each sensor by itself
    PUNCTUATE (hour) WHEN ALL sid IN ('S1', 'S2')     a list of those that report, here as it is, or a table
    PUNCTUATE (ts ASC) WHEN ALL sid IN sensors        the same: what all of them have gone past
    PUNCTUATE (DATE_TRUNC('hour', ts)) WHEN ALL …     units of a column, with any of these but events
    … EXPECT WITHIN '1 day' LIFESPAN '4 hours'        behind any of these, and behind PUNCTUATED ON
"""

from collections.abc import Callable, Mapping
from datetime import timedelta
from decimal import Decimal

from sqlglot.tokenizer_core import TokenType

from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.scheme import Order, Scheme
from punctum.algebra.values import Type, Value
from punctum.errors import Place, SqlError, choices, nearest
from punctum.ir.definitions import AccessOrder, AllReported, Clause, Delay, EndEvent, StreamDef, TableColumn, TableDef
from punctum.ir.expressions import Expression, Literal, columns, mismatch, type_text
from punctum.ir.expressions.types import NUMBERS, TIMES
from punctum.ir.relations import Source
from punctum.ir.units import is_unit
from punctum.parse.binder.bind import Binder
from punctum.parse.binder.durations import duration
from punctum.parse.binder.scope import FromTable, Scope
from punctum.parse.ddl.columns import ColumnReader, Terms, literal
from punctum.parse.lexer.cursor import Cursor
from punctum.parse.lexer.text import Text

PUNCTUATE = "PUNCTUATE"


def read_punctuate(
    reader: ColumnReader, stream: str, tables: Mapping[str, TableDef]
) -> tuple[Terms, Callable[[Schema], Clause]]:
    """The terms of the clause that follows, and what makes the clause once all columns are known."""
    cursor, first = reader.cursor, reader.cursor.at
    cursor.expect(PUNCTUATE, PUNCTUATE)
    terms, unit = _terms(reader, stream)
    if cursor.accept("WHEN", "ALL"):
        _check_order(terms, cursor.since(first))
        member, members = _reporters(reader, terms, tables)
        delay = _delay(reader, *terms[-1]) if cursor.accept("DELAY") else None
        place = cursor.since(first)
        return terms, lambda schema: AllReported(
            Scheme(schema, terms), member, members, place, delay, unit and unit(schema)
        )
    if cursor.accept("WHEN"):
        if unit is not None:
            hint = "name a column, or write WHEN ALL … IN …"
            raise SqlError("an event closes values of columns", "", hint, cursor.since(first))
        begin, end = _expression(cursor, "a condition")
        place = cursor.since(first)
        return terms, lambda schema: EndEvent(
            Scheme(schema, terms), _condition(cursor.text, begin, end, StreamDef(stream, schema)), place
        )
    _check_order(terms, cursor.since(first))
    if terms[-1][1] is Order.EQUALITY:
        hint = "write PUNCTUATE (itemid) WHEN …, or PUNCTUATE (ts ASC)"
        raise SqlError("PUNCTUATE needs an event or an order", "", hint, cursor.since(first))
    delay = _delay(reader, *terms[-1]) if cursor.accept("DELAY") else None
    place = cursor.since(first)
    return terms, lambda schema: AccessOrder(Scheme(schema, terms), delay, place, unit and unit(schema))


Unit = Callable[[Schema], Expression]
"""What makes the expression of a unit once all columns are known."""


def _terms(reader: ColumnReader, stream: str) -> tuple[Terms, Unit | None]:
    """The columns in brackets, each perhaps with an order; one may be computed, and is put behind the others."""
    cursor, first = reader.cursor, reader.cursor.at
    terms: list[tuple[str, Order]] = []
    units: list[tuple[tuple[str, Order], Unit]] = []
    cursor.expect("(", PUNCTUATE)
    while True:
        begin, end = cursor.balanced((",", ")", "ASC", "DESC"))
        if end <= begin + 1:
            cursor.at = begin
            name = reader.declared(PUNCTUATE)
            terms.append((name, reader.order(name)))
        else:
            name, unit = _unit(reader, stream, begin, end)
            units.append(((name, reader.order(name)), unit))
        if not cursor.accept(","):
            break
    cursor.expect(")", PUNCTUATE)
    if len(units) > 1:
        raise SqlError("one of the columns may be computed", "", "compute others in a SELECT", cursor.since(first))
    terms += [term for term, _ in units]
    return Scheme(reader.schema, tuple(terms)).terms, units[0][1] if units else None


def _unit(reader: ColumnReader, stream: str, begin: int, end: int) -> tuple[str, Unit]:
    """The column of which an expression has units, and what makes the expression."""
    text = reader.cursor.text
    place = text.at(begin, end - 1)

    def bound(schema: Schema) -> Expression:
        scope = Scope((FromTable(stream, Source(StreamDef(stream, schema)), 0, place),))
        return Binder(text, scope, PUNCTUATE, place).bind(text.expression(begin, end))

    if not is_unit(expression := bound(reader.schema)):
        what = "PUNCTUATE takes columns, and functions of one that keep its order"
        names = [column.name for column in columns(expression)]
        detail = f"it reads {', '.join(names)}" if len(set(names)) != 1 else ""
        hint = "DATE_TRUNC('hour', ts), CAST(ts AS DATE), YEAR(ts) and n DIV 10 do"
        raise SqlError(what, detail, hint, place)
    return next(columns(expression)).name, bound


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


def _check_order(terms: Terms, place: Place) -> None:
    """Refuse all orders but that of the last column."""
    ordered = [(name, order) for name, order in terms if order is not Order.EQUALITY]
    if len(ordered) > 1:
        detail = f"{' and '.join(name for name, _ in ordered)} have an order"
        raise SqlError("rows come in the order of one column", detail, "name one of them, or add WHEN …", place)
    if ordered and terms[-1][1] is Order.EQUALITY:
        others = ", ".join(name for name, order in terms if order is Order.EQUALITY)
        hint = f"write PUNCTUATE ({others}, {ordered[0][0]} {ordered[0][1].value})"
        raise SqlError("the column that has the order comes last", "the others are the key", hint, place)


def _reporters(
    reader: ColumnReader, terms: Terms, tables: Mapping[str, TableDef]
) -> tuple[str, tuple[Value, ...] | TableColumn]:
    """The column that has who reports, and the values that it must have."""
    cursor = reader.cursor
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


def _delay(reader: ColumnReader, name: str, order: Order) -> Delay:
    """A number for a column of numbers, a duration for one of times."""
    cursor, attribute = reader.cursor, reader.attributes[name]
    begin, end = _expression(cursor, "a delay")
    expression = literal(cursor, begin, end, "DELAY")
    if order is Order.EQUALITY:
        hint = f"write {name} ASC, or remove it"
        raise SqlError("a DELAY needs an order", f"{name} has none", hint, expression.place)
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
