"""CREATE STREAM, CREATE TABLE and CREATE SINK: columns, promises, domains, and where one is read or written."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NoReturn

from sqlglot.tokenizer_core import TokenType

from punctum.algebra.pattern import EMPTY, Pattern, between, one_of
from punctum.algebra.schema import Schema
from punctum.algebra.scheme import Scheme
from punctum.errors import Place, PunctumError, SqlError, choices
from punctum.ir.definitions import KAFKA, Clause, SinkDef, StreamDef, TableDef, TimeLimits, Violation
from punctum.ir.elements import is_elements, is_opens
from punctum.parse.ddl.clauses import read_limits, read_punctuate
from punctum.parse.ddl.columns import ColumnReader, Terms
from punctum.parse.ddl.options import checked
from punctum.parse.ddl.topics import check_topic
from punctum.parse.lexer.cursor import Cursor

_CLAUSES = "PUNCTUATED ON (…), PUNCTUATE (…) …, UNIQUE (…), DOMAIN … BETWEEN … AND …, DOMAIN … IN (…)"
_PARTITIONED = "PARTITIONED BY"

_MADE = "PUNCTUATE (…) …, UNIQUE (…)"
"""The clauses of a stream that is made of others."""
_NOT_MADE = {
    "PUNCTUATED": "write PUNCTUATE … to make punctuations of its rows; those that its streams send pass by themselves",
    "DOMAIN": "write the condition in WHERE: what it excludes is closed",
    _PARTITIONED: "write it where the topic is read",
    "EXPECT": "write it where the streams are read",
    "LIFESPAN": "write it where the streams are read",
}
"""What does not stand before AS SELECT, and what to do instead."""


class StreamReader(ColumnReader):
    """Reads the definition of one stream; tables are those that its clauses may name."""

    def __init__(self, cursor: Cursor, name: str, tables: Mapping[str, TableDef]) -> None:
        super().__init__(cursor, "CREATE STREAM", f"a column or one of {_CLAUSES}")
        self.name, self.tables, self.known = name, tables, _CLAUSES
        self.schemes: list[Terms] = []
        self.unique: list[tuple[str, ...]] = []
        self.partitioned: tuple[str, ...] = ()
        self.clauses: list[Callable[[Schema], Clause]] = []
        self.limits: list[Callable[[Schema], TimeLimits]] = []

    def read(self) -> StreamDef:
        """The stream whose definition follows its name."""
        cursor = self.cursor
        cursor.expect("(", self.where)
        while True:
            self._item()
            if not cursor.accept(","):
                break
        if not cursor.accept(")"):
            raise cursor.unexpected(", or )", self.where)
        if not self.attributes:
            raise SqlError(f"the stream {self.name} has no columns", "", "list them with their types", cursor.whole)
        if is_elements(self.schema) or is_opens(self.schema):
            hint = f"rename one, or define it with CREATE TEMPORAL STREAM {self.name} …"
            raise SqlError(f"the last columns of {self.name} are those of a temporal stream", "", hint, cursor.whole)
        on_violation = self._on_violation()
        format_, options = using(cursor, self.where, "stream", self.name)
        if format_ == KAFKA:
            check_topic(self.name, self.schema, cursor.whole)
        elif self.partitioned:
            self._not_a_topic()
        return replace(self._defined(), format=format_, options=options, on_violation=on_violation)

    def read_clauses(self, schema: Schema) -> StreamDef:
        """The stream of these columns with the clauses that follow, and nothing else."""
        self.attributes = {attribute.name: attribute for attribute in schema.attributes}
        while True:
            if not self._clause():
                raise self.cursor.unexpected(f"one of {self.known}", "the clauses of a stream")
            if not self.cursor.accept(","):
                break
        if not self.cursor.done:
            raise self.cursor.unexpected("a comma or the end", "the clauses of a stream")
        if self.partitioned:
            self._not_a_topic()
        return self._defined()

    def _not_a_topic(self) -> NoReturn:
        detail = f"{self.name} is not read from a topic"
        hint = f"leave it out, or read the stream USING {KAFKA}"
        raise SqlError(f"{_PARTITIONED} is a promise of topics", detail, hint, self.cursor.whole)

    def read_made(self, schema: Schema) -> StreamDef:
        """The same for a stream that is made of others, whose columns these are: it makes all its punctuations."""
        self.known = _MADE
        return self.read_clauses(schema)

    def _check_made(self) -> None:
        """Refuse what does not stand before AS SELECT."""
        for word, hint in _NOT_MADE.items():
            sees = self._sees_partitioned() if word == _PARTITIONED else self.cursor.sees(word)
            if self.known == _MADE and sees:
                detail = f"{self.name} is made of other streams"
                raise SqlError(f"{word} does not stand before AS SELECT", detail, hint, self.cursor.place)

    def _defined(self) -> StreamDef:
        """The stream, now that all its columns and domains are known."""
        schema = self.schema
        schemes = tuple(Scheme(schema, terms) for terms in dict.fromkeys(self.schemes))
        return StreamDef(
            self.name,
            schema,
            schemes,
            tuple(self.unique),
            punctuates=tuple(clause(schema) for clause in self.clauses),
            limits=tuple(limits(schema) for limits in self.limits),
            partitioned=self.partitioned,
            place=self.cursor.whole,
        )

    def _on_violation(self) -> Violation:
        if not self.cursor.accept("ON", "VIOLATION"):
            return Violation.QUARANTINE
        for violation in Violation:
            if self.cursor.accept(violation.value):
                return violation
        raise self.cursor.unexpected("FAIL or QUARANTINE", "ON VIOLATION")

    def _item(self) -> None:
        if not self._clause():
            self.column()

    def _clause(self) -> bool:
        """Read a clause, if one follows."""
        cursor, first = self.cursor, self.cursor.at
        self._check_made()
        try:
            if cursor.accept("PUNCTUATED", "ON"):
                self._promise(self.terms("PUNCTUATED ON"), first)
            elif cursor.sees("PUNCTUATE", "("):
                terms, clause = read_punctuate(self, self.name, self.tables)
                self.clauses.append(clause)
                self._promise(terms, first)
            elif cursor.sees("UNIQUE", "("):
                cursor.at += 1
                terms = self.terms("UNIQUE", ordered=False)
                self.schemes.append(terms)
                self.unique.append(tuple(name for name, _ in terms))
            elif self._sees_partitioned():
                cursor.at += 1
                if self.partitioned:
                    raise SqlError(
                        f"{_PARTITIONED} occurs twice", "", "name all columns in one of them", cursor.since(first)
                    )
                self.partitioned = tuple(name for name, _ in self.terms(_PARTITIONED, ordered=False))
            elif cursor.sees("DOMAIN") and not self._names_column():
                cursor.at += 1
                self._domain()
            else:
                return False
        except SqlError:
            raise
        except PunctumError as error:
            raise SqlError(error.what, error.detail, error.hint, cursor.since(first)) from None
        return True

    def _sees_partitioned(self) -> bool:
        """Whether PARTITIONED BY follows, which is one token."""
        return not self.cursor.done and self.cursor.text.word(self.cursor.at).split() == _PARTITIONED.split()

    def _names_column(self) -> bool:
        """Whether DOMAIN is the name of a column: then its type follows, and the item ends or NOT NULL comes."""
        ahead = self.cursor.at + 2
        return ahead < self.cursor.end and self.cursor.text.word(ahead) in (",", ")", "NOT")

    def _promise(self, terms: Terms, first: int) -> None:
        """A scheme, and the times behind it."""
        cursor = self.cursor
        self.schemes.append(terms)
        self._check_made()
        expect, lifespan = read_limits(cursor)
        if expect is not None or lifespan is not None:
            place = cursor.since(first)
            self.limits.append(lambda schema: TimeLimits(Scheme(schema, terms), expect, lifespan, place))
        if not cursor.done and not cursor.sees(",") and not cursor.sees(")"):
            raise cursor.unexpected("a comma or a bracket", cursor.text.word(first))

    def _domain(self) -> None:
        cursor, first = self.cursor, self.cursor.at - 1
        name = self.declared("DOMAIN")
        if cursor.accept("BETWEEN"):
            lower = self.value(name, "DOMAIN", ("AND",))
            cursor.expect("AND", "DOMAIN")
            domain: Pattern = between(lower, self.value(name, "DOMAIN", (",", ")")))
            if domain == EMPTY:
                raise SqlError(f"the DOMAIN of {name} is empty", "", "the lower end comes first", cursor.since(first))
        elif cursor.accept("IN"):
            domain = one_of(self.values(name, "DOMAIN"))
        else:
            raise cursor.unexpected("BETWEEN or IN", "DOMAIN")
        self.attributes[name] = replace(self.attributes[name], domain=domain)


def read_table(cursor: Cursor, name: str) -> TableDef:
    """The table whose definition follows its name."""
    reader = ColumnReader(cursor, "CREATE TABLE")
    cursor.expect("(", reader.where)
    reader.column()
    while cursor.accept(","):
        reader.column()
    cursor.expect(")", reader.where)
    format_, options = using(cursor, reader.where, "table", name)
    return TableDef(name, reader.schema, format_, options, cursor.whole)


def using(cursor: Cursor, where: str, what: str, name: str) -> tuple[str, dict[str, str]]:
    """The format and the options that end a definition: of a stream, a table or a sink."""
    cursor.expect("USING", where)
    place, format_ = cursor.place, cursor.name("a format", "USING")
    options = read_options(cursor) if cursor.accept("OPTIONS") else {}
    if not cursor.done:
        raise cursor.unexpected("; or the end", where)
    return checked(what, name, format_, options, place)


def read_options(cursor: Cursor) -> dict[str, tuple[str, Place]]:
    """The options in brackets that follow, each with its place."""
    options: dict[str, tuple[str, Place]] = {}
    cursor.expect("(", "OPTIONS")
    while True:
        first, place, key = cursor.at, cursor.place, _key(cursor)
        if key.lower() in (known.lower() for known in options):
            raise SqlError(f"the option {key} occurs twice", place=place)
        cursor.accept("=")
        value = _option(cursor)
        options[key] = value, cursor.since(first)
        if not cursor.accept(","):
            break
    cursor.expect(")", "OPTIONS")
    return options


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
    raise cursor.unexpected("a string, a number, true or false", "OPTIONS")


def read_sink(cursor: Cursor, name: str) -> SinkDef:
    """The sink whose definition follows its name."""
    cursor.expect("USING", "CREATE SINK")
    place, format_ = cursor.place, cursor.name("a format", "USING")
    partitioned = _partitioned(cursor)
    given = read_options(cursor) if cursor.accept("OPTIONS") else {}
    first = cursor.at
    partitioned = partitioned or _partitioned(cursor)
    if not cursor.done:
        raise cursor.unexpected("; or the end", "CREATE SINK")
    format_, options = checked("sink", name, format_, given, place)
    if partitioned and format_ not in DIVIDED:
        detail, hint = f"the format of {name} is {format_}", choices(DIVIDED)
        raise SqlError(f"a sink of {format_} has no partitions", detail, hint, cursor.since(first))
    return SinkDef(name, format_, options, cursor.whole, partitioned)


DIVIDED = ("json", "csv", "parquet", "delta", "iceberg")
"""The formats of sinks that can be partitioned by columns."""


def _partitioned(cursor: Cursor) -> tuple[str, ...]:
    """The columns of PARTITIONED BY, if it follows."""
    if cursor.done or cursor.text.word(cursor.at).split() != _PARTITIONED.split():
        return ()
    cursor.at += 1
    cursor.expect("(", _PARTITIONED)
    names = [cursor.name("a column", _PARTITIONED)]
    while cursor.accept(","):
        names.append(cursor.name("a column", _PARTITIONED))
    cursor.expect(")", _PARTITIONED)
    return tuple(dict.fromkeys(names))
