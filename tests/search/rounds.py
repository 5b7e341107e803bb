"""Punctuations as state, over the scripts of the search: rounds of fresh keys that every stream closes again.

What operators remember of keys that all inputs have closed is forgotten, however many come; where it is not, the
register has said so before the query starts (``remembered``). A round has more keys than an operator keeps at hand.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import product
from typing import Any

import polars as pl

from punctum.algebra import Punctuation, Schema, between, constant
from punctum.algebra.values import Value
from punctum.analyse.safety.register import verdict
from punctum.operators.columns import ColumnarSlice, frame
from punctum.parse import parse_script
from punctum.testing.simulate import Simulation
from search.forms import TIME
from search.scripts import written
from search.search import Found
from search.sequences import Pool
from search.streams import Stream

KEYS, ROWS, ROUNDS = 1_500, 20, 6
FEW = 20
"""What an operator has said may be a few ranges more with each round, and is forgotten when it is thousands."""
MAKES: dict[str, Callable[[int], Value]] = {
    "BIGINT": lambda n: n,
    "STRING": lambda n: f"{n} é",
    "DOUBLE": lambda n: n + 0.5,
    "BOOLEAN": lambda n: n % 2 == 0,
    TIME: lambda n: datetime(2026, 5, 1) + timedelta(hours=n),
}


def look_at_rounds(number: int) -> Found:
    """Try the script of a number, when its streams can send fresh keys for ever."""
    script = written(number)
    (query,) = verdict(parse_script(script.sql))
    if not query.admitted:
        return Found(number, "refused")
    if any(_ends(s, *scheme[0]) for s in script.streams for scheme in s.schemes):
        return Found(number, "ends")
    simulation, kept = Simulation(query.query.relation, 1 + number % 2), list[int]()
    read = {stream.name: stream.schema for stream in query.streams}
    for n in range(ROUNDS):
        simulation.feed({s.name: _round(s, script.pool, read[s.name], n) for s in script.streams if s.name in read})
        if simulation.kept():
            return Found(number, "waits")
        kept.append(simulation.puncts())
    if min(kept[-2:]) <= max(kept[: ROUNDS // 2]) + FEW:
        return Found(number, "flat")
    return Found(number, "grows", "" if query.remembered else f"keeps {kept} punctuations after each round")


def _ends(stream: Stream, name: str, order: str) -> bool:
    """Whether a scheme closes all of its column after a while."""
    return order == "DESC" or _bounded(stream, name)


def _bounded(stream: Stream, name: str) -> bool:
    return name in stream.domains or dict(stream.columns)[name] == "BOOLEAN"


def _round(stream: Stream, pool: Pool, schema: Schema, n: int) -> ColumnarSlice:
    """Rows with fresh keys, and all that closes them; first what closes the values that the script speaks of."""
    keys = range(n * KEYS, (n + 1) * KEYS)
    rows = [tuple(_value(stream, name, key) for name, _ in stream.columns) for key in keys[:ROWS]]
    puncts, constants = list[Punctuation](), dict[str, pl.Series]()
    for scheme in (*stream.schemes, *((((stream.unique[0], ""),),) if stream.unique else ())):
        (first, order), *others = scheme
        if order:
            kind = dict(stream.columns)[first]
            last = MAKES[kind](keys[-1]) if kind == TIME else float(keys[-1] + 1) if kind == "DOUBLE" else keys[-1]
            puncts.append(Punctuation.of(schema, {first: between(None, last)}))
        elif not others:
            before = pool[dict(stream.columns)[first]] if n == 0 else ()
            constants[first] = pl.Series(first, [*before, *(_value(stream, first, key) for key in keys)]).unique()
        else:
            puncts += [p for key in keys for p in _pairs(stream, schema, [n for n, _ in scheme], key)]
    return ColumnarSlice(frame(schema, rows), tuple(puncts), constants)


def _pairs(stream: Stream, schema: Schema, names: list[str], key: int) -> list[Punctuation]:
    """All combinations that a key has with the values of columns that have few."""
    values = [{_value(stream, n, key + i) for i in ((0, 1) if _bounded(stream, n) else (0,))} for n in names]
    ways = (dict(zip(names, map(constant, way), strict=True)) for way in product(*values))
    return [Punctuation.of(schema, way) for way in ways]


def _value(stream: Stream, name: str, key: int) -> Value:
    few: tuple[Any, ...] | None = stream.domains.get(name)
    return MAKES[dict(stream.columns)[name]](key) if few is None else few[key % len(few)]
