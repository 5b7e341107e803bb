"""Replicas of one stream in many shapes, as SQL and as slices: what whole queries over their merge are tried on."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

from lmerge.streams import Life, chain, presentation, reference, sliced, with_stables
from punctum.algebra.pattern import between
from punctum.algebra.punctuation import Punctuation, end_of_stream
from punctum.algebra.schema import Schema
from punctum.algebra.values import Row
from punctum.ir.elements import open_schema
from punctum.lmerge.elements import INF, Adjust, Element, Insert, Stable, Time, stable, to_columns
from punctum.lmerge.openclose import Close, Open
from punctum.lmerge.properties import Case
from punctum.lmerge.tdb import Event
from punctum.operators.columns import ColumnarSlice, frame

SLICES = 6
PROPERTIES = {
    Case.R0: ", STRICTLY ORDERED, INSERT ONLY",
    Case.R1: ", ORDERED, DETERMINISTIC TIES, INSERT ONLY",
    Case.R2: ", ORDERED, KEY (k, v), INSERT ONLY",
    Case.R3: ", KEY (k, v)",
    Case.R4: "",
}
LIMITS = (
    "",
    *(
        f", PUNCTUATED ON ({on}) {limit}"
        for on in ("k", "k, v, b")
        for limit in ("EXPECT WITHIN '1 day'", "LIFESPAN '1 day'")
    ),
)
EmittedPunctuations = list[Element | Open | Close]
Present = Callable[[Random, Sequence[Event]], EmittedPunctuations]
"""The elements of a stream that stands for some events in the end."""
Slice = Callable[[Schema, Sequence[Element | Open | Close]], ColumnarSlice]
"""Elements as a slice of a stream."""


@dataclass(frozen=True)
class Shape:
    """A kind of replica: statements for a name, how it presents events, and what a slice of its stream is.

    And whether it can begin anew, and whether nothing is kept below the merge of one that vanishes.
    """

    ddl: str
    present: Present
    slice: Slice
    again: bool = True
    light: bool = True
    stream: str = "{}"


@dataclass
class Replica:
    """A replica of some shape, and its life."""

    name: str
    shape: Shape
    life: Life
    whole: bool = True

    @property
    def stream(self) -> str:
        return self.shape.stream.format(self.name)


@dataclass
class Database:
    """Events, and the shapes in which they can come."""

    case: Case
    events: list[Event]
    shapes: list[Shape] = field(default_factory=list)


def payload(letter: str) -> Row:
    """What events have in common that had this letter."""
    return letter, None if letter == "D" else ord(letter) - 64


def database(rng: Random) -> Database:
    """Events of some case; those of one time unit are counts of rows, and those of one payload may lie apart."""
    case = rng.choice(list(PROPERTIES))
    kind = rng.choice(["any", "unit", "apart"])
    events = reference(rng, case, rng.choice([3, 12, 25]))
    if kind == "unit":
        case = Case.R3 if case is Case.R4 else case
        found = {event[:2]: (event[0], event[1], event[1] + 1) for event in events if event[0] != ("D",)}
        events = list(found.values())
    elif kind == "apart":
        events = apart(events)
    known: list[Event] = [(payload(str(p[0])), vs, ve) for p, vs, ve in events]
    shapes = [plain(case), selected(case), cleansed(case), *(rows(limit) for limit in LIMITS)]
    if kind == "unit" and case not in (Case.R0, Case.R1):
        shapes += [counted()] * 3
    if kind == "apart":
        shapes += [opens()] * 3
    return Database(case, known, shapes)


def apart(events: Sequence[Event]) -> list[Event]:
    """Those of the events of a payload that begin when all earlier ones are over."""
    ends: dict[Row, Time] = {}
    found = []
    for p, vs, ve in sorted(events, key=lambda event: event[1]):
        if vs > ends.get(p, -INF):
            found.append((p, vs, ve))
            ends[p] = ve
    return found


def presented(case: Case) -> Present:
    """In the ways that a case allows; the spurious events of letters are of payloads."""

    def present(rng: Random, events: Sequence[Event]) -> EmittedPunctuations:
        found: EmittedPunctuations = []
        for e in presentation(rng, events, case):
            if not isinstance(e, Stable) and len(e.payload) == 1:
                found.append(
                    type(e)(
                        payload(str(e.payload[0])), *([e.vs, e.ve] if isinstance(e, Insert) else [e.vs, e.vold, e.ve])
                    )
                )
            else:
                found.append(e)
        return found

    return present


def inserted(rng: Random, events: Sequence[Event]) -> EmittedPunctuations:
    """Inserts with the right ends, out of order."""
    late = sorted(events, key=lambda event: event[1] + rng.uniform(0, 8))
    return [*with_stables(rng, [e for event in late for e in chain(rng, event, 0)], 0.4)]


def plain(case: Case) -> Shape:
    """A temporal stream."""
    ddl = f"CREATE TEMPORAL STREAM {{0}} (k STRING, v BIGINT{PROPERTIES[case]}) USING json OPTIONS (path '{{0}}');"
    return Shape(ddl, presented(case), elements)


def elements(schema: Schema, said: Sequence[Element | Open | Close]) -> ColumnarSlice:
    return to_columns([e for e in said if not isinstance(e, Open | Close)], schema)


def selected(case: Case) -> Shape:
    """A selection and projection of a temporal stream with other columns and more events."""
    ddl = f"CREATE TEMPORAL STREAM {{0}}0 (v BIGINT, k STRING{PROPERTIES[case]}) USING json OPTIONS (path '{{0}}');"
    ddl += "CREATE TEMPORAL STREAM {0} AS SELECT k, v - 1 AS v FROM {0}0 WHERE k <> 'Z';"

    def other(schema: Schema, said: Sequence[Element | Open | Close]) -> ColumnarSlice:
        found: list[Element] = []
        for e in said:
            if isinstance(e, Stable):
                found.append(e)
            elif isinstance(e, Insert | Adjust):
                k, v = e.payload
                more: Row = (None if v is None else int(str(v)) + 1, k)
                found.append(Insert(more, e.vs, e.ve) if isinstance(e, Insert) else Adjust(more, e.vs, e.vold, e.ve))
        return to_columns(found, schema)

    return Shape(ddl, presented(case), other, stream="{}0")


def cleansed(case: Case) -> Shape:
    """A temporal stream that is put in order."""
    ddl = plain(case).ddl.replace("STREAM {0} ", "STREAM {0}0 ") + "CREATE STREAM {0} AS CLEANSE ({0}0);"
    return Shape(ddl, presented(case), elements, again=False, light=False, stream="{}0")


def rows(limit: str) -> Shape:
    """A query over rows, whose punctuations may be lost or hold for a while."""
    ddl = f"CREATE STREAM {{0}}0 (k STRING, v BIGINT, b BIGINT, e BIGINT, PUNCTUATED ON (b ASC){limit}) USING json;"
    ddl += "CREATE TEMPORAL STREAM {0} AS SELECT k, v, b AS _vs, e AS _ve FROM {0}0;"
    return Shape(
        ddl, inserted, row_slice("b", 1), again="(k) EXPECT" not in limit, light="EXPECT" not in limit, stream="{}0"
    )


def counted() -> Shape:
    """A count of rows."""
    ddl = "CREATE STREAM {0}0 (k STRING, ts BIGINT, PUNCTUATED ON (ts ASC)) USING json;"
    ddl += "CREATE TEMPORAL STREAM {0} AS SELECT ts DIV 10 AS _vs, k, COUNT(*) AS v FROM {0}0 GROUP BY ts DIV 10, k;"
    return Shape(ddl, inserted, row_slice("ts", 10), again=False, light=False, stream="{}0")


def row_slice(time: str, scale: int) -> Slice:
    """Inserts as rows; with a scale as many rows as their counts."""

    def given(schema: Schema, said: Sequence[Element | Open | Close]) -> ColumnarSlice:
        found: list[Row] = []
        puncts = []
        for e in said:
            if isinstance(e, Stable):
                before = {time: between(None, None if e.t == INF else int(e.t) * scale, "()")}
                closed = [Punctuation.of(schema, before), Punctuation.of(schema, k="Q")]  # there never is a Q
                puncts += closed if e.t < INF else [end_of_stream(schema)]
            elif isinstance(e, Insert) and scale == 1:
                found.append((*e.payload, int(e.vs), None if e.ve == INF else int(e.ve)))
            elif isinstance(e, Insert):
                k, n = e.payload
                found += [(k, int(e.vs) * scale + i % scale) for i in range(int(str(n)))]
        return ColumnarSlice(frame(schema, found), tuple(puncts))

    return given


def opens() -> Shape:
    """A stream of opens and closes."""

    def present(rng: Random, events: Sequence[Event]) -> EmittedPunctuations:
        placed: list[tuple[float, int, Open | Close]] = []
        for p, vs, ve in sorted(events, key=lambda event: event[1]):
            late = rng.uniform(0, 3)
            placed.append((vs + late, len(placed), Open(p, vs)))
            if ve != INF:
                placed.append((max(vs + late, ve), len(placed), Close(p, ve)))
        last: dict[Row, float] = {}
        order: list[tuple[float, int, Open | Close]] = []
        for at, n, e in placed:
            last[e.payload] = at = max(at, last.get(e.payload, at))
            order.append((at, n, e))
        ordered = [e for *_, e in sorted(order, key=lambda each: each[:2])]
        found, limit = EmittedPunctuations(), INF
        for e in reversed(ordered):
            limit = min(limit, e.vs if isinstance(e, Open) else e.ve)
            found = [*([Stable(limit)] if rng.random() < 0.3 else []), e, *found]
        return [*found, Stable(INF)]

    def given(schema: Schema, said: Sequence[Element | Open | Close]) -> ColumnarSlice:
        found: list[Row] = []
        for e in said:
            if isinstance(e, Open | Close):
                start, end = (int(e.vs), None) if isinstance(e, Open) else (None, int(e.ve))
                found.append((*e.payload, start, end, end if start is None else start))
        times = [e.t for e in said if isinstance(e, Stable)]
        raw = open_schema(schema.attributes[:2])
        return ColumnarSlice(frame(raw, found), tuple(stable(raw, None if t == INF else int(t)) for t in times))

    ddl = "CREATE TEMPORAL STREAM {0} (k STRING, v BIGINT, OPEN CLOSE) USING json OPTIONS (path '{0}');"
    return Shape(ddl, present, given, light=False)


def replicas(rng: Random, known: Database) -> list[Replica]:
    """Replicas of which one is there from beginning to end; others may vanish, and some of them come back."""
    found = []
    for n, name in enumerate("abc"[: rng.choice([1, 2, 2, 3])]):
        shape = rng.choice(known.shapes)
        life = Life(cut(rng, shape, known.events, SLICES))
        replica = Replica(name, shape, life)
        if n and rng.random() < 0.5:
            replica.whole, gone = False, rng.randrange(SLICES)
            life.pieces[gone:] = [[] for _ in range(SLICES - gone)]
            if rng.random() < 0.7:
                life.detach.add(gone)
                if shape.again and gone + 1 < SLICES and rng.random() < 0.7:
                    since: Time = rng.choice([-INF, rng.randrange(40)])
                    life.attach[gone + 1] = since
                    there = [event for event in known.events if event[2] >= since]
                    life.pieces[gone + 1 :] = cut(rng, shape, there, SLICES - gone - 1)
        found.append(replica)
    rng.shuffle(found)
    return found


def cut(rng: Random, shape: Shape, events: Sequence[Event], slices: int) -> list[list[Element]]:
    return sliced(rng, shape.present(rng, events), slices)  # type: ignore[arg-type]
