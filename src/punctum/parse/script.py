"""A script: its statements in order, each bound to what is defined before it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeVar

from punctum.algebra.schema import Schema
from punctum.errors import Place, PunctumError, SchemaError, SqlError, choices, nearest
from punctum.ir.applied import UserFunction
from punctum.ir.definitions import QueryDef, Script, SinkDef, StreamDef, TableDef, Temporal, takes_elements
from punctum.ir.expressions.zones import WITHOUT, session_zone
from punctum.ir.functions import NAMES
from punctum.ir.functions.aggregates import AGGREGATES
from punctum.ir.lifted import elements_of, temporal_of
from punctum.ir.punctuated import each_once, punctuated
from punctum.ir.relations import Source
from punctum.ir.temporal import LMerge
from punctum.ir.tree import Relation, walk
from punctum.parse.binder.lookups import looked_up
from punctum.parse.binder.nested import check_nested, check_stream
from punctum.parse.binder.select import Queries, check_reads
from punctum.parse.binder.timed import timed
from punctum.parse.binder.windows import check_windows
from punctum.parse.ddl.streams import StreamReader, read_sink, read_table
from punctum.parse.ddl.temporal import TemporalReader, read_cleansed, read_merge
from punctum.parse.lexer.cursor import Cursor
from punctum.parse.lexer.text import Text

_STATEMENTS = (
    "supported statements: CREATE [TEMPORAL] STREAM, CREATE [TEMPORAL] STREAM … AS SELECT, CREATE STREAM … AS LMERGE "
    "or CLEANSE, CREATE TABLE, CREATE SINK and INSERT INTO … SELECT"
)
_QUERY = ("SELECT", "WITH", "(", "VALUES", "FROM", "TABLE")
_NAMELESS = "query"
"""The name of a query that has none."""
_NOTHING: Mapping[str, StreamDef] = {}
_NONE: Mapping[str, UserFunction] = {}
_NO_TABLES: Mapping[str, TableDef] = {}
Result = TypeVar("Result")


def parse_script(
    text: str,
    catalog: Mapping[str, StreamDef] = _NOTHING,
    functions: Mapping[str, UserFunction] = _NONE,
    zone: str = WITHOUT,
) -> Script:
    """The streams, sinks and queries of a script; the catalog holds streams that are defined elsewhere.

    The functions are those that it may call beside the language's own, by their names in small letters. The zone is
    that of local times.

    >>> script = parse_script('''
    ...     CREATE STREAM bid (itemid BIGINT, increase DOUBLE, PUNCTUATED ON (itemid)) USING json OPTIONS (path 'in');
    ...     CREATE SINK total USING json OPTIONS (path 'out');
    ...     INSERT INTO total SELECT itemid, SUM(increase) AS total FROM bid GROUP BY itemid;
    ... ''')
    >>> print(script.queries[0].relation.schema)
    itemid BIGINT, total DOUBLE
    """
    return _located(text, _ScriptReader.script, catalog, functions, zone)


def is_query(text: str) -> bool:
    r"""Whether a text is a query rather than a script.

    >>> is_query("-- all\n(SELECT k FROM a) UNION SELECT k FROM b"), is_query("INSERT INTO a SELECT k FROM b [ROWS 9]")
    (True, False)
    """
    return _located(text, lambda reader: reader.begins(*_QUERY), _NOTHING)


def named_files(text: str) -> list[tuple[str, Place]]:
    """The files that the queries of a text name in FROM, and where each name stands.

    >>> named_files("SELECT a.n FROM 'in/*.json' AS a JOIN bid ON a.n = bid.n WHERE a.s = 'x'")
    [('in/*.json', Place(start=16, end=27))]
    """
    return _located(text, lambda reader: reader.text.files, _NOTHING)


def parse_query(text: str, catalog: Mapping[str, StreamDef], zone: str = WITHOUT) -> Relation:
    """The relation that a single SELECT means."""
    return parse_select(text, catalog, zone=zone).relation


def parse_select(
    text: str,
    catalog: Mapping[str, StreamDef],
    functions: Mapping[str, UserFunction] = _NONE,
    zone: str = WITHOUT,
    tables: Mapping[str, TableDef] = _NO_TABLES,
) -> QueryDef:
    """A single SELECT as a query; the sink that it has got in name only has no format.

    It may name streams and tables that are defined elsewhere.

    >>> bid = StreamDef("bid", Schema.of(itemid="BIGINT"))
    >>> parse_select("SELECT DISTINCT itemid FROM bid ALLOW UNBOUNDED", {"bid": bid}).allow_unbounded
    True
    """
    return _located(text, lambda reader: reader.single(tables), catalog, functions, zone)


def parse_stream(name: str, schema: Schema, clauses: str, zone: str = WITHOUT) -> StreamDef:
    """A stream that is read elsewhere, with clauses as they stand in CREATE STREAM.

    >>> bid = Schema.of(itemid="BIGINT", status="STRING")
    >>> print(*parse_stream("bid", bid, "PUNCTUATE (itemid) WHEN status = 'closed'").schemes)
    ON (itemid)
    """
    return _located(clauses, lambda reader: reader.stream(name, schema), {}, zone=zone)


def parse_function(name: str, compute: Callable[..., Any], takes: Iterable[str], gives: str) -> UserFunction:
    """A function that scripts can call, its types as SQL writes them.

    >>> parse_function("cents", lambda price: price * 100, ["DOUBLE"], "BIGINT").gives.type
    <Type.BIGINT: 'BIGINT'>
    """
    if not name.isidentifier() or name.lower() in (*NAMES, *AGGREGATES, "cast", "extract", "case"):
        hint = "letters, digits and _, and not the name of another function (docs/functions.md)"
        raise SchemaError(f"{name!r} cannot be the name of a function", "", hint)
    types = [*takes, gives]
    listed = ", ".join(f"c{n} {type_}" for n, type_ in enumerate(types))
    schema = parse_script(f"CREATE STREAM f ({listed}) USING memory").streams["f"].schema
    if len(types) < 2 or len(schema) != len(types):
        raise SchemaError(f"the function {name} has no arguments", "", "list the types of its arguments")
    return UserFunction(name, schema.attributes[:-1], schema.attributes[-1], compute)


def _located(
    text: str,
    read: Callable[[_ScriptReader], Result],
    catalog: Mapping[str, StreamDef],
    functions: Mapping[str, UserFunction] = _NONE,
    zone: str = WITHOUT,
) -> Result:
    """What is read from a text, or the error with its place in that text."""
    try:
        with session_zone(zone):
            return read(_ScriptReader(Text(text, functions), catalog))
    except SqlError as error:
        raise error.within(text) from None
    except RecursionError:
        raise SqlError("the SQL is nested too deeply", "", "move parts into CREATE STREAM … AS SELECT") from None


def _feedback(relation: Relation) -> Iterator[str]:
    """The files to which a query over a relation writes what it does not need."""
    for node in walk(relation):
        if isinstance(node, LMerge) and node.feedback is not None:
            yield node.feedback
        if isinstance(node, Source) and "feedback" in node.stream.options:
            yield node.stream.options["feedback"]


def _before_as(cursor: Cursor) -> Cursor | None:
    """What stands in brackets before AS, stepped over, if something does."""
    closing = cursor.text.closing.get(cursor.at) if cursor.sees("(") else None
    if closing is None or closing + 1 >= cursor.end or cursor.text.word(closing + 1) != "AS":
        return None
    inside, cursor.at = Cursor(cursor.text, cursor.at + 1, closing), closing + 1
    return inside


@contextmanager
def _within(cursor: Cursor) -> Iterator[None]:
    """Errors without a place get that of the statement."""
    try:
        yield
    except SqlError as error:
        raise error.at(cursor.whole) from None
    except PunctumError as error:
        raise SqlError(error.what, error.detail, error.hint, cursor.whole) from None


class _ScriptReader:
    """Reads the statements of a script."""

    def __init__(self, text: Text, catalog: Mapping[str, StreamDef]) -> None:
        self.text = text
        self.known = dict(catalog)
        self.streams: dict[str, StreamDef] = {}
        self.tables: dict[str, TableDef] = {}
        self.sinks: dict[str, SinkDef] = {}
        self.queries: list[QueryDef] = []

    def begins(self, *words: str) -> bool:
        """Whether the text begins with one of some words."""
        return bool(self.text.tokens) and self.text.word(0) in words

    def script(self) -> Script:
        """All statements, one after the other."""
        for start, end in self.text.statements():
            cursor = Cursor(self.text, start, end)
            with _within(cursor):
                self._statement(cursor)
        self._check_feedback()
        self.text.all_taken()
        return Script(self.streams, self.sinks, tuple(self.queries), self.text.sql, self.tables)

    def _check_feedback(self) -> None:
        """Refuse a file of feedback that several queries would write: each knows only what it does not need itself."""
        by: dict[str, QueryDef] = {}
        for query in self.queries:
            for path in sorted(set(_feedback(query.relation))):
                if path in by:
                    detail = f"{by[path].name} and {query.name} read streams with this feedback"
                    hint = "let one query read the sink of the other, or define a stream for each"
                    raise SqlError(
                        f"two queries would write to the feedback directory '{path}'", detail, hint, query.place
                    )
                by[path] = query

    def single(self, tables: Mapping[str, TableDef]) -> QueryDef:
        """The one query of the text, which may name some tables."""
        self.tables |= tables
        statements = list(self.text.statements())
        if len(statements) != 1:
            detail = f"found {len(statements)} statements"
            raise SqlError("expected one query", detail, "", Place(0, len(self.text.sql)))
        cursor = Cursor(self.text, *statements[0])
        with _within(cursor):
            relation, unbounded = self._allowed(cursor)
        self.text.all_taken()
        return QueryDef(_NAMELESS, SinkDef(_NAMELESS, ""), relation, unbounded, cursor.whole)

    def stream(self, name: str, schema: Schema) -> StreamDef:
        """The stream of which the text has the clauses."""
        if not self.text.tokens:
            return StreamDef(name, schema)
        cursor = Cursor(self.text, 0, len(self.text.tokens))
        with _within(cursor):
            return StreamReader(cursor, name, self.tables).read_clauses(schema)

    def _statement(self, cursor: Cursor) -> None:
        if cursor.accept("CREATE", "STREAM"):
            self._stream(cursor)
        elif cursor.accept("CREATE", "TEMPORAL", "STREAM"):
            self._stream(cursor, temporal=True)
        elif cursor.accept("CREATE", "TABLE"):
            place = cursor.place
            name = cursor.name("a name", "CREATE TABLE")
            self._new(name, "table", [*self.streams, *self.tables], place)
            self.tables[name] = read_table(cursor, name)
        elif cursor.accept("CREATE", "SINK"):
            place = cursor.place
            name = cursor.name("a name", "CREATE SINK")
            self._new(name, "sink", self.sinks, place)
            self.sinks[name] = read_sink(cursor, name)
        elif cursor.accept("INSERT", "INTO"):
            self._insert(cursor)
        else:
            words = [self.text.word(i) for i in range(cursor.at, min(cursor.at + 2, cursor.end))]
            shown = " ".join(words) if words[0] in ("CREATE", "INSERT", "DROP", "ALTER") else words[0]
            query = words[0] in _QUERY
            what = "a query has no sink" if query else f"the statement {shown or 'here'} is not supported"
            raise SqlError(
                what,
                "",
                "write INSERT INTO sink SELECT …; in Python, session.query() takes a SELECT alone"
                if query
                else _STATEMENTS,
                cursor.whole,
            )

    def _stream(self, cursor: Cursor, temporal: bool = False) -> None:
        place = cursor.place
        name = cursor.name("a name", "CREATE STREAM")
        self._new(name, "stream", [*self.streams, *self.tables], place)
        clauses = _before_as(cursor)
        if cursor.accept("AS"):
            made = self._made(cursor, name)
            if clauses is not None and (temporal or made is not None):
                raise SqlError("clauses of a temporal stream are not supported", "", "remove them", clauses.whole)
            relation = self._query(cursor, cursor.end) if made is None else made
            if temporal and made is None:
                relation = temporal_of(relation, cursor.whole)
            has = Temporal() if temporal or made is not None else None
            stream = StreamDef(name, relation.schema, relation=relation, temporal=has, place=cursor.whole)
            stream = stream if clauses is None else self._punctuated(stream, relation, clauses)
        else:
            stream = (TemporalReader if temporal else StreamReader)(cursor, name, self.tables).read()
            check_stream(stream, place)
        self.known = {other: known for other, known in self.known.items() if other.lower() != name.lower()}
        self.streams[name] = self.known[name] = stream

    def _punctuated(self, stream: StreamDef, relation: Relation, clauses: Cursor) -> StreamDef:
        """A stream that is made of others, with clauses: each is an operator over its rows."""
        with _within(clauses):
            defined = StreamReader(clauses, stream.name, self.tables).read_made(stream.schema)
        for clause in defined.punctuates:
            relation = punctuated(relation, defined, clause)
        for names in defined.unique:
            relation = each_once(relation, defined, names)
        return replace(defined, schema=relation.schema, relation=relation, place=stream.place)

    def _made(self, cursor: Cursor, name: str) -> Relation | None:
        """A temporal stream that is made of others, if one follows."""
        if cursor.sees("LMERGE"):
            return read_merge(cursor, name, self.known)
        return read_cleansed(cursor, self.known) if cursor.sees("CLEANSE") else None

    def _new(self, name: str, what: str, known: Iterable[str], place: Place) -> None:
        if name.lower() in (other.lower() for other in known):
            raise SqlError(f"the {what} {name} is defined twice", "names are case-insensitive", "rename one", place)

    def _insert(self, cursor: Cursor) -> None:
        place = cursor.place
        name = cursor.name("a sink", "INSERT INTO")
        sink = next((sink for sink in self.sinks.values() if sink.name.lower() == name.lower()), None)
        if sink is None:
            hint = nearest(name, self.sinks) if self.sinks else f"write CREATE SINK {name} USING … before it"
            raise SqlError(f"there is no sink {name}", choices(self.sinks), hint, place)
        if any(query.sink is sink for query in self.queries):
            detail = "a query has the name of its sink"
            raise SqlError(f"two queries write to {sink.name}", detail, "use UNION ALL, or another sink", place)
        if cursor.sees("("):
            raise SqlError("a column list in INSERT INTO is not supported", "", "name columns with AS", cursor.place)
        relation, unbounded = self._allowed(cursor)
        if takes_elements(sink):
            relation = elements_of(relation, cursor.whole)
        self.queries.append(QueryDef(sink.name, sink, relation, unbounded, cursor.whole))

    def _allowed(self, cursor: Cursor) -> tuple[Relation, bool]:
        """A query, and whether it is allowed to be unbounded."""
        end = cursor.end
        unbounded = [self.text.word(i) for i in (end - 2, end - 1)] == ["ALLOW", "UNBOUNDED"]
        return self._query(cursor, end - 2 if unbounded else end), unbounded

    def _query(self, cursor: Cursor, end: int) -> Relation:
        if cursor.at >= end:
            raise cursor.unexpected("SELECT", "a query")
        first = self.text.word(cursor.at)
        if first not in _QUERY:
            raise cursor.unexpected("SELECT", "a query")
        place = self.text.at(cursor.at, end - 1)
        relation = Queries(self.text, self.known, place, self.tables).relation(self.text.query(cursor.at, end))
        check_reads(relation, place)
        relation = timed(relation)
        check_windows(relation)
        check_nested(relation)
        return looked_up(relation)
