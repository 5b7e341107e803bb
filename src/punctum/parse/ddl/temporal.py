"""Temporal streams: their properties, and what is made of them.

::

    CREATE TEMPORAL STREAM a (symbol STRING, price DOUBLE, KEY (symbol), ORDERED) USING json OPTIONS (path 'in/a');
    CREATE TEMPORAL STREAM b (symbol STRING, price DOUBLE, OPEN CLOSE) USING json OPTIONS (path 'in/b');
    CREATE STREAM m AS LMERGE (a, b, c) OPTIONS (insert 'half frozen');
    CREATE STREAM o AS CLEANSE (m);

A stream of opens and closes is read as such, and is a stream of inserts and adjusts for all that reads it. Queries
whose results are temporal are in ``lifted.py``.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from punctum.algebra.schema import NOT_NULL, Attribute, Schema
from punctum.algebra.scheme import Order, Scheme
from punctum.algebra.values import Type
from punctum.errors import Place, SqlError, choices, nearest
from punctum.ir.definitions import KAFKA, Policy, StreamDef, TableDef, Temporal
from punctum.ir.elements import EVENT, FROM, HIDDEN, TIMES, VE, VS, element_schema, open_schema, payload_of
from punctum.ir.expressions import type_text
from punctum.ir.relations import Source
from punctum.ir.temporal import Cleansed, LMerge, Opened
from punctum.ir.tree import named
from punctum.parse.ddl.streams import StreamReader, read_options
from punctum.parse.lexer.cursor import Cursor

_WHERE = "CREATE TEMPORAL STREAM"
_PROPERTIES = "ORDERED, STRICTLY ORDERED, INSERT ONLY, KEY (…), DETERMINISTIC TIES, OPEN CLOSE"
CASES = ("R0", "R1", "R2", "R3", "R3-", "R4")
"""The cases of a merge; R3- keeps an index for each input."""
INSERTS = ("first", "leading", "latest", "fullest", "half frozen", "share")
ADJUSTS = ("stable", "at once", "leading")
_OPTIONS = ("case", "insert", "share", "adjust", "control", "absent", "feedback")
_PLAIN = ("PUNCTUATED", "PUNCTUATE", "UNIQUE", "DOMAIN")


class TemporalReader(StreamReader):
    """Reads the definition of one temporal stream."""

    def __init__(self, cursor: Cursor, name: str, tables: Mapping[str, TableDef]) -> None:
        super().__init__(cursor, name, tables)
        self.where, self.expected = _WHERE, f"a column or one of {_PROPERTIES}"
        self.properties = Temporal()

    def read(self) -> StreamDef:
        """The stream whose definition follows its name."""
        stream = super().read()
        if stream.format == KAFKA:
            hint = "read it from files: a temporal stream is one sequence, and a topic is several"
            raise SqlError(f"the temporal stream {self.name} cannot be read from a topic", "", hint, self.cursor.whole)
        time = next((a for a in stream.schema.attributes if a.name == VS), Attribute(VS, Type.BIGINT))
        payload = tuple(a for a in stream.schema.attributes if a.name not in EVENT)
        if not payload:
            raise SqlError(f"the stream {self.name} has no payload", "", f"add columns besides {VS}", self.cursor.whole)
        if self.properties.open_close:
            return self._opened(stream, open_schema(payload, time.type))
        schema = element_schema(payload, time.type, self.properties.insert_only)
        return replace(stream, schema=schema, schemes=(_stables(schema),), temporal=self.properties)

    def _opened(self, stream: StreamDef, schema: Schema) -> StreamDef:
        """The elements of a stream whose opens and closes are read."""
        if self.properties.insert_only:
            detail = "a close is an adjust of the event that its open has inserted"
            raise SqlError("OPEN CLOSE and INSERT ONLY exclude each other", detail, "remove one of them", stream.place)
        read = replace(stream, schema=schema, schemes=(_stables(schema),))
        relation = Opened(Source(read, stream.place), self.properties, stream.place)
        return StreamDef(self.name, relation.schema, relation=relation, temporal=self.properties, place=stream.place)

    def column(self) -> None:
        """A column of the payload, or the start or the end with its type."""
        place = self.cursor.place
        super().column()
        name, attribute = list(self.attributes.items())[-1]
        if name.lower() in HIDDEN and name not in EVENT:
            hint = f"only {VS} and {VE} may be declared, in lower case, with their type"
            raise SqlError(f"{name} is a column of every temporal stream", "", hint, place)
        if name in EVENT and attribute.type not in TIMES:
            what = f"{name} cannot be {type_text(attribute)}"
            raise SqlError(what, "", f"supported: {', '.join(t.value for t in TIMES)}", place)
        types = {a.type for known, a in self.attributes.items() if known in EVENT}
        if len(types) > 1:
            raise SqlError(f"{VS} and {VE} have different types", "", "use the same type for both", place)

    def _clause(self) -> bool:
        cursor, first = self.cursor, self.cursor.at
        if any(cursor.sees(word) for word in _PLAIN) and not self._names_column():
            what = f"{cursor.text.word(first)} is not allowed in a temporal stream"
            raise SqlError(
                what, "the punctuations of a temporal stream are its stables", f"supported: {_PROPERTIES}", cursor.place
            )
        properties = self._property()
        if properties is None:
            cursor.at = first
            return False
        if any(getattr(self.properties, name) for name in properties):
            raise SqlError(f"{cursor.text.word(first)} occurs twice", "", "remove one of them", cursor.since(first))
        self.properties = replace(self.properties, **properties)
        return True

    def _property(self) -> dict[str, Any] | None:
        """The property that follows, if one does."""
        cursor = self.cursor
        if cursor.sees("KEY", "("):
            cursor.at += 1
            place, terms = cursor.place, self.terms("KEY", ordered=False)
            if hidden := [name for name, _ in terms if name in EVENT]:
                hint = "the start is part of every key: list columns of the payload"
                raise SqlError(f"{hidden[0]} is not allowed in KEY", "", hint, place)
            return {"key": tuple(name for name, _ in terms)}
        for words, name in _WORDS.items():
            if cursor.accept(*words):
                return {name: True} if cursor.sees(",") or cursor.sees(")") else None
        return None


_WORDS = {
    ("STRICTLY", "ORDERED"): "strictly",
    ("ORDERED",): "ordered",
    ("INSERT", "ONLY"): "insert_only",
    ("DETERMINISTIC", "TIES"): "ties",
    ("OPEN", "CLOSE"): "open_close",
}


def _stables(schema: Schema) -> Scheme:
    return Scheme(schema, ((FROM, Order.ASC),))


def read_of(stream: StreamDef) -> StreamDef:
    """The stream that is read for a stream of a script: of opens and closes, or itself."""
    below = stream.relation.input if isinstance(stream.relation, Opened) else None
    return below.stream if isinstance(below, Source) else stream


def read_merge(cursor: Cursor, name: str, known: Mapping[str, StreamDef]) -> LMerge:
    """The merge that follows LMERGE."""
    first = cursor.at
    cursor.expect("LMERGE", "LMERGE")
    streams, places = _replicas(cursor, known)
    given: dict[str, tuple[str, Place]] = {}
    if cursor.accept("OPTIONS"):
        options = read_options(cursor)
        given = {key.lower(): option for key, option in options.items()}
    if not cursor.done:
        raise cursor.unexpected("OPTIONS, ; or the end", "LMERGE")
    place = cursor.since(first)
    merged = tuple(named(stream, at) for stream, at in zip(streams, places, strict=True))
    names = tuple(stream.name for stream in streams)
    return _with_options(LMerge(merged, names, place=place), name, given)


def read_cleansed(cursor: Cursor, known: Mapping[str, StreamDef]) -> Cleansed:
    """The stream in order that follows CLEANSE."""
    first = cursor.at
    cursor.expect("CLEANSE", "CLEANSE")
    cursor.expect("(", "CLEANSE")
    stream, place = _temporal(cursor, known, "CLEANSE", "CLEANSE puts the events of one in order")
    cursor.expect(")", "CLEANSE")
    if not cursor.done:
        raise cursor.unexpected("; or the end", "CLEANSE")
    return Cleansed(named(stream, place), cursor.since(first))


def _temporal(cursor: Cursor, known: Mapping[str, StreamDef], where: str, takes: str) -> tuple[StreamDef, Place]:
    """The temporal stream whose name follows."""
    place, name = cursor.place, cursor.name("a temporal stream", where)
    stream = next((stream for stream in known.values() if stream.name.lower() == name.lower()), None)
    if stream is None:
        names = [stream.name for stream in known.values() if stream.temporal is not None]
        raise SqlError(f"there is no stream {name}", choices(names), nearest(name, names), place)
    if stream.temporal is None:
        hint = f"define it with CREATE TEMPORAL STREAM {stream.name} …"
        raise SqlError(f"{stream.name} is not a temporal stream", takes, hint, place)
    return stream, place


def _replicas(cursor: Cursor, known: Mapping[str, StreamDef]) -> tuple[list[StreamDef], list[Place]]:
    cursor.expect("(", "LMERGE")
    streams, places = list[StreamDef](), list[Place]()
    while True:
        stream, place = _temporal(cursor, known, "LMERGE", "LMERGE merges replicas of one")
        if stream in streams:
            raise SqlError(f"{stream.name} occurs twice", "", "a replica is a stream of its own", place)
        if streams:
            _alike(streams[0], stream, place)
        streams.append(stream)
        places.append(place)
        if not cursor.accept(","):
            break
    cursor.expect(")", "LMERGE")
    return streams, places


def _alike(one: StreamDef, other: StreamDef, place: Place) -> None:
    first, second = (_shown(stream.schema) for stream in (one, other))
    if first != second:
        detail = f"{one.name} has ({first}), {other.name} has ({second})"
        hint = "replicas have the same columns with the same types, in the same order"
        raise SqlError(f"{other.name} is not a replica of {one.name}", detail, hint, place)


def _shown(schema: Schema) -> str:
    """The payload and the start, as a script would declare them."""
    shown = schema.attributes[: len(payload_of(schema)) + 1]
    return ", ".join(f"{a.name} {type_text(a)}" for a in shown)


def _with_options(merge: LMerge, name: str, given: dict[str, tuple[str, Place]]) -> LMerge:
    for key, (_, place) in given.items():
        if key not in _OPTIONS:
            raise SqlError(f"LMERGE has no option {key}", choices(_OPTIONS), nearest(key, _OPTIONS), place)
    case = _one_of(given, "case", CASES, "")
    policy = Policy(_one_of(given, "insert", INSERTS, "first"), _one_of(given, "adjust", ADJUSTS, "stable"))
    if "share" in given:
        policy = replace(policy, share=_share(policy, *given["share"]))
    absent = _absent(merge, *given["absent"]) if "absent" in given else ()
    control = _control(merge, name, *given["control"]) if "control" in given else None
    if absent and control is None:
        hint = "add control 'directory': its files say when inputs are attached"
        raise SqlError("absent inputs could never be attached", "", hint, given["absent"][1])
    feedback = given["feedback"][0] if "feedback" in given else None
    return replace(merge, case=case.upper() or None, policy=policy, absent=absent, control=control, feedback=feedback)


def _one_of(given: Mapping[str, tuple[str, Place]], key: str, known: tuple[str, ...], default: str) -> str:
    if key not in given:
        return default
    value, place = given[key]
    choice = next((choice for choice in known if choice.lower() == " ".join(value.lower().split())), None)
    if choice is None:
        raise SqlError(f"the option {key} is '{value}'", choices(known), nearest(value, known), place)
    return choice


def _share(policy: Policy, value: str, place: Place) -> float:
    if policy.insert != "share":
        raise SqlError("a share is for insert 'share'", "", "remove it, or add insert 'share'", place)
    try:
        share = float(value)
    except ValueError:
        share = 0.0
    if not 0 < share <= 1:
        raise SqlError(f"the option share is '{value}'", "", "a number greater than 0 and at most 1", place)
    return share


def _absent(merge: LMerge, value: str, place: Place) -> tuple[str, ...]:
    absent = []
    for name in (part.strip() for part in value.split(",")):
        known = next((known for known in merge.names if known.lower() == name.lower()), None)
        if known is None:
            raise SqlError(
                f"{name or 'nothing'} is not an input", choices(merge.names), nearest(name, merge.names), place
            )
        absent.append(known)
    if len(set(absent)) == len(merge.names):
        raise SqlError(
            "all inputs are declared absent", "", "at least one input is attached when the query starts", place
        )
    return tuple(dict.fromkeys(absent))


def _control(merge: LMerge, name: str, path: str, place: Place) -> Source:
    """The stream of changes of the inputs: an input's name, whether it comes or goes, and from when it is right."""
    time = merge.schema.attributes[merge.schema.index(VS)].type
    texts = Attribute("input", Type.STRING, NOT_NULL), Attribute("change", Type.STRING, NOT_NULL)
    schema = Schema((*texts, Attribute("since", time)))
    options = {"path": path, "maxFilesPerTrigger": "1"}
    return Source(StreamDef(f"{name}.control", schema, format="json", options=options), place)
