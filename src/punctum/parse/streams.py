"""CREATE STREAM and CREATE SINK: columns, promises, domains, and where a stream is read or written."""

from dataclasses import replace

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import TokenType

from punctum.algebra.pattern import EMPTY, Pattern, between, one_of
from punctum.algebra.schema import NOT_NULL, Attribute, Schema
from punctum.algebra.scheme import Order, Scheme
from punctum.algebra.values import Value
from punctum.errors import Place, PunctumError, SqlError, choices, nearest
from punctum.parse.bind import Binder
from punctum.parse.cursor import Cursor
from punctum.parse.definitions import SinkDef, StreamDef
from punctum.parse.expressions import Column, Literal, mismatch, type_text
from punctum.parse.scope import Scope
from punctum.parse.types import SUPPORTED, common, converted, declared

_CLAUSES = "columns, PUNCTUATED ON (…), UNIQUE (…), DOMAIN … BETWEEN … AND …, DOMAIN … IN (…)"


def later(what: str, place: Place, hint: str = "") -> SqlError:
    """The error for what is designed but not built."""
    return SqlError(f"{what} is not supported yet", "", hint, place)


class StreamReader:
    """Reads the definition of one stream."""

    def __init__(self, cursor: Cursor) -> None:
        self.cursor = cursor
        self.attributes: dict[str, Attribute] = {}
        self.terms: list[list[tuple[str, Order]]] = []
        self.unique: list[tuple[str, ...]] = []

    def read(self, name: str) -> StreamDef:
        """The stream whose definition follows its name."""
        cursor = self.cursor
        cursor.expect("(", "CREATE STREAM")
        while True:
            self._item()
            if not cursor.accept(","):
                break
        if not cursor.accept(")"):
            raise cursor.unexpected(", or )", "CREATE STREAM")
        if not self.attributes:
            raise SqlError(f"the stream {name} has no columns", "", "name them with their types", cursor.whole)
        if cursor.sees("ON", "VIOLATION"):
            raise later("ON VIOLATION", cursor.place)
        format_, options = using(cursor, "CREATE STREAM")
        schema = Schema(tuple(self.attributes.values()))
        schemes = tuple(Scheme(schema, tuple(terms)) for terms in self.terms)
        return StreamDef(name, schema, schemes, tuple(self.unique), format_, options, place=cursor.whole)

    def _item(self) -> None:
        cursor, first = self.cursor, self.cursor.at
        try:
            if cursor.accept("PUNCTUATED", "ON"):
                self._punctuated()
            elif cursor.sees("PUNCTUATE", "("):
                raise later("PUNCTUATE", cursor.place, "PUNCTUATED ON promises punctuations that the source sends")
            elif cursor.sees("UNIQUE", "("):
                cursor.at += 1
                self.unique.append(tuple(self._columns("UNIQUE")))
            elif cursor.sees("DOMAIN") and not self._names_column():
                cursor.at += 1
                self._domain()
            else:
                self._column()
        except SqlError:
            raise
        except PunctumError as error:
            raise SqlError(error.what, error.detail, error.hint, cursor.since(first)) from None

    def _names_column(self) -> bool:
        """Whether DOMAIN is the name of a column: then its type follows, and the item ends or NOT NULL comes."""
        ahead = self.cursor.at + 2
        return ahead < self.cursor.end and self.cursor.text.word(ahead) in (",", ")", "NOT")

    def _column(self) -> None:
        cursor, where = self.cursor, self.cursor.place
        name = cursor.name(f"a column or one of {_CLAUSES}", "CREATE STREAM")
        if name.lower() in (known.lower() for known in self.attributes):
            raise SqlError(f"the column {name} is there twice", "names are case-insensitive", "rename one", where)
        begin, end = cursor.balanced((",", ")", "NOT", "COMMENT", "DEFAULT"))
        if begin == end:
            raise cursor.unexpected(f"the type of {name}", "CREATE STREAM")
        place = cursor.text.at(begin, end - 1)
        type_, digits = declared(self._type(place), place)
        attribute = Attribute(name, type_, digits=digits)
        if cursor.accept("NOT"):
            cursor.expect("NULL", "CREATE STREAM")
            attribute = replace(attribute, domain=NOT_NULL)
        self.attributes[name] = attribute
        if not cursor.sees(",") and not cursor.sees(")"):
            raise cursor.unexpected("NOT NULL, a comma or a bracket", "CREATE STREAM")

    def _type(self, place: Place) -> exp.DataType:
        written = self.cursor.text.sql[place.start : place.end]
        try:
            return exp.DataType.build(written, dialect="spark")
        except (SqlglotError, ValueError, AttributeError, TypeError):
            raise SqlError(f"the type {written} is not supported", "", SUPPORTED, place) from None

    def _declared(self, where: str) -> str:
        """The name of a column, as it is declared."""
        place, name = self.cursor.place, self.cursor.name("a column", where)
        for known in self.attributes:
            if known.lower() == name.lower():
                return known
        detail = choices(self.attributes)
        raise SqlError(f"there is no column {name}", detail, nearest(name, self.attributes), place)

    def _columns(self, where: str) -> list[str]:
        self.cursor.expect("(", where)
        found = [self._declared(where)]
        while self.cursor.accept(","):
            found.append(self._declared(where))
        self.cursor.expect(")", where)
        return found

    def _punctuated(self) -> None:
        cursor, where = self.cursor, "PUNCTUATED ON"
        first = cursor.at
        cursor.expect("(", where)
        terms = [self._term(where)]
        while cursor.accept(","):
            terms.append(self._term(where))
        cursor.expect(")", where)
        Scheme(Schema(tuple(self.attributes.values())), tuple(terms))
        self.terms.append(terms)
        for word in ("LIFESPAN", "EXPECT"):
            if cursor.sees(word):
                raise later("EXPECT WITHIN" if word == "EXPECT" else word, cursor.place)
        if not cursor.sees(",") and not cursor.sees(")"):
            raise cursor.unexpected("a comma or a bracket", where)
        assert cursor.at > first

    def _term(self, where: str) -> tuple[str, Order]:
        name = self._declared(where)
        order = next((Order(word) for word in ("ASC", "DESC") if self.cursor.accept(word)), Order.EQUALITY)
        attribute = self.attributes[name]
        if order is not Order.EQUALITY and attribute.domain.null:  # no prefix holds NULL
            self.attributes[name] = replace(attribute, domain=NOT_NULL)
        return name, order

    def _domain(self) -> None:
        cursor, first = self.cursor, self.cursor.at - 1
        name = self._declared("DOMAIN")
        if cursor.accept("BETWEEN"):
            lower = self._value(name, ("AND",))
            cursor.expect("AND", "DOMAIN")
            domain: Pattern = between(lower, self._value(name, (",", ")")))
            if domain == EMPTY:
                raise SqlError(f"the DOMAIN of {name} is empty", "", "the lower end comes first", cursor.since(first))
        elif cursor.accept("IN"):
            cursor.expect("(", "DOMAIN")
            values = [self._value(name, (",", ")"))]
            while cursor.accept(","):
                values.append(self._value(name, (",", ")")))
            cursor.expect(")", "DOMAIN")
            domain = one_of(values)
        else:
            raise cursor.unexpected("BETWEEN or IN", "DOMAIN")
        self.attributes[name] = replace(self.attributes[name], domain=domain)

    def _value(self, name: str, stops: tuple[str, ...]) -> Value:
        """A literal of the type of a column."""
        cursor = self.cursor
        begin, end = cursor.balanced(stops)
        if begin == end:
            raise cursor.unexpected(f"a value of {name}", "DOMAIN")
        place = cursor.text.at(begin, end - 1)
        found = Binder(cursor.text, Scope(()), "DOMAIN", place).bind(cursor.text.query(begin, end))
        if not isinstance(found, Literal) or found.value is None:
            raise SqlError("a DOMAIN is made of values", "", "such as 0 or 'OR'", place)
        column = Column(0, name, self.attributes[name])
        target = common((column, found))
        if target is None or target.type is not column.type:
            raise mismatch(f"a value does not fit the column {name}", place, f"{name} is {type_text(column)}", found)
        value = found if found.type is column.type else converted(found, target)
        assert isinstance(value, Literal)
        return value.value  # type: ignore[return-value]


def using(cursor: Cursor, where: str) -> tuple[str, dict[str, str]]:
    """The format and the options that end a definition."""
    cursor.expect("USING", where)
    format_ = cursor.name("a format", "USING")
    options: dict[str, str] = {}
    if cursor.accept("OPTIONS"):
        cursor.expect("(", "OPTIONS")
        while True:
            place, key = cursor.place, _key(cursor)
            if key.lower() in (known.lower() for known in options):
                raise SqlError(f"the option {key} is there twice", place=place)
            cursor.accept("=")
            options[key] = _option(cursor)
            if not cursor.accept(","):
                break
        cursor.expect(")", "OPTIONS")
    if not cursor.done:
        raise cursor.unexpected("; or the end", where)
    return format_, options


def _key(cursor: Cursor) -> str:
    token = cursor.token
    key = (
        cursor.string("OPTIONS") if token and token.token_type is TokenType.STRING else cursor.name("a key", "OPTIONS")
    )
    while cursor.accept("."):
        key += "." + cursor.name("a key", "OPTIONS")
    return key


def _option(cursor: Cursor) -> str:
    token = cursor.token
    if token is not None and token.token_type in (TokenType.STRING, TokenType.NUMBER, TokenType.TRUE, TokenType.FALSE):
        cursor.at += 1
        plain = token.token_type in (TokenType.STRING, TokenType.NUMBER)
        return token.text if plain else token.text.lower()
    raise cursor.unexpected("a text, a number, true or false", "OPTIONS")


def read_sink(cursor: Cursor, name: str) -> SinkDef:
    """The sink whose definition follows its name."""
    format_, options = using(cursor, "CREATE SINK")
    return SinkDef(name, format_, options, cursor.whole)
