"""The search: scripts by number, each through the engine's stages without Spark, against a database and its verdicts.

Of each script: it compiles, admitted or not. When it is admitted, in 1, 2, 3 and 7 buckets, cut and restarted at
random: its rows are those that the database gives; when all promised punctuations have come, what the verdicts call
purgeable has been released and is kept no longer; what it emits is grammatical; nothing raises.
"""

import math
import random
import traceback
from collections import Counter
from dataclasses import dataclass
from typing import Any

import duckdb

from punctum.algebra import Punctuation, end_of_stream
from punctum.algebra.values import Row
from punctum.analyse.safety.register import QueryAnalysis, verdict
from punctum.analyse.safety.verdicts import Verdict
from punctum.compile import PASSES
from punctum.errors import PunctumError
from punctum.operators.columns import ColumnarSlice, empty, frame, to_rows
from punctum.parse import parse_script
from punctum.plan.joins.choose import PlanOptions, Schemes
from punctum.plan.joins.cost import Objective
from punctum.testing.simulate import Simulation, planned
from search.scripts import written
from search.sequences import Element, cut, rows_of, sequence
from search.streams import Written

BUCKETS = (1, 2, 3, 7)
AIMS = (
    *[PlanOptions()] * 3,
    PlanOptions(Objective.MEMORY),
    PlanOptions(Objective.THROUGHPUT),
    PlanOptions(schemes=Schemes.MINIMAL),
)
LATER = 8_000_000_000_000
"""A time by the clock, in milliseconds, that is beyond all that scripts speak of."""
DATABASE = duckdb.connect(config={"threads": 1})


@dataclass(frozen=True)
class Found:
    """What became of a script: refused, admitted or an error of ours, or what is wrong with it."""

    number: int
    word: str
    wrong: str = ""


def look_at(number: int, times: int = 1) -> Found:
    """Try the script of a number; its buckets may become so many times as many while it runs."""
    script = written(number)
    try:
        return Found(number, *_look(script, number, times))
    except PunctumError as error:  # no script is ill-formed
        return Found(number, "error", f"{error}")
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        return Found(number, "wrong", f"{type(error).__name__} {error} in {where.filename}:{where.lineno}")


def _look(script: Written, number: int, times: int) -> tuple[str, str]:
    read = parse_script(script.sql)
    (query,) = verdict(read)
    planned(query.query.relation)
    if not query.admitted:
        return "refused", ""
    rng = random.Random(f"{number} data")
    schemas = {s.name: read.streams[s.name].schema for s in script.streams}
    sent = {s.name: sequence(s, script, schemas[s.name], rng) for s in script.streams}
    wanted = batch(script, {name: frame(schemas[name], rows_of(each)) for name, each in sent.items()})
    for buckets in BUCKETS:
        wrong = _run(query, sent, wanted, buckets, rng, script.stamped, times)
        if wrong:
            return "wrong", f"{buckets} buckets: {wrong}"
    return "admitted", ""


def batch(script: Written, rows: dict[str, Any]) -> Counter[Row]:
    for name, each in rows.items():
        DATABASE.register(name, each.to_arrow())
    return Counter(rounded(row) for row in DATABASE.execute(script.batch).fetchall())


def rounded(row: Row) -> Row:
    return tuple(map(plain, row))


def plain(value: Any) -> Any:
    """A value that may be compared: floats are rounded, lists and structs are tuples."""
    if isinstance(value, float) and math.isfinite(value):
        return round(value, 9) + 0.0
    if isinstance(value, dict):
        return tuple(map(plain, value.values()))
    return tuple(map(plain, value)) if isinstance(value, list | tuple) else value


def _run(
    query: QueryAnalysis,
    sent: dict[str, list[Element]],
    wanted: Counter[Row],
    buckets: int,
    rng: random.Random,
    stamped: bool = False,
    times: int = 1,
) -> str | None:
    """What is wrong with a run, if anything is."""
    streams = {stream.name: stream.schema for stream in query.streams}
    pieces, global_punctuations = rng.choice([1, 2, 3] if buckets < 7 else [1, 1, 2]), rng.random() < 0.2
    options = rng.choice(AIMS)
    pieces, more = (pieces, None) if times == 1 else (pieces + 1, rng.randint(1, pieces))
    simulation = Simulation(
        query.query.relation,
        buckets,
        restart=rng.random() < 0.25,
        global_punctuations=global_punctuations,
        options=options,
        passes=PASSES,
    )
    slices = {name: cut(sent[name], schema, pieces, rng) for name, schema in streams.items()}
    given: list[ColumnarSlice] = []
    for n in range(pieces):
        if n == more:
            simulation.rescale(times * buckets)
        given.append(simulation.feed({name: each[n] for name, each in slices.items()}))
        if simulation.records:
            return f"{len(simulation.records)} rows in quarantine"
    if stamped:  # the clock closes what has come so far
        given.append(simulation.feed({name: ColumnarSlice(empty(s)) for name, s in streams.items()}, now=LATER))
    rows = Counter(rounded(row) for piece in given for row in to_rows(piece.rows))
    purgeable = {state.verdict for state in query.states} <= {Verdict.STATELESS, Verdict.PURGEABLE}
    if purgeable:
        if rows != wanted:
            return f"released {_differs(rows, wanted)}"
        if simulation.kept():
            return f"keeps {simulation.kept()} rows"
        if not global_punctuations:
            return None
    elif buckets == 1 and (most := _stated(query)) is not None and simulation.kept() > most:
        return f"keeps {simulation.kept()} rows, and {most} are stated"
    given.append(simulation.feed({name: ColumnarSlice(empty(s), (end_of_stream(s),)) for name, s in streams.items()}))
    rows += Counter(rounded(row) for row in to_rows(given[-1].rows))
    if rows != wanted:
        return f"gave {_differs(rows, wanted)}"
    if purgeable and simulation.kept():
        return f"keeps {simulation.kept()} rows at the end"
    return _ungrammatical(given) if global_punctuations else None


def _stated(query: QueryAnalysis) -> int | None:
    """How many rows are kept at most when all promised punctuations have come, as the verdicts state it."""
    bounded = [state for state in query.states if state.verdict is Verdict.BOUNDED]
    if any(state.verdict is Verdict.UNBOUNDED for state in query.states):
        return None
    return sum(int(state.witness[0].split()[0]) for state in bounded)


def _differs(rows: Counter[Row], wanted: Counter[Row]) -> str:
    missing, more = (dict(list(each.items())[:3]) for each in (wanted - rows, rows - wanted))
    return f"{rows.total()} of {wanted.total()} rows: missing {missing}, more {more}"


def _ungrammatical(given: list[ColumnarSlice]) -> str | None:
    said: list[Punctuation] = []
    for piece in given:
        for row in to_rows(piece.rows):
            for p in said:
                if p.match(row):
                    return f"{row} comes behind {p}"
        said += piece.puncts
    return None if any(not p.sides for p in said) else "the result has not ended"
