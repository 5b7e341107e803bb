"""``PYTHONPATH=tests python -m search.cuts FIRST LAST``: odd clauses together, over sequences that are cut at random.

A number is a stream with clauses, often one that is made of it with clauses of its own, a query over it, and a sequence
of rows and punctuations, grammatical or not. Cut into batches and splits at random, in 1 to 4 buckets, restarted now
and then, it gives the rows and the quarantine of its elements one by one; where the query only reads the stream, these
are what the specification says of each element. What the register refuses is not tried.
"""

import random
import sys
import time
import traceback
from collections import Counter
from collections.abc import Sequence
from typing import Any

from engine.sequences import OneByOne, Sequences, hour, piece, singly
from engine.test_cuts import Outcome, pipes, run
from punctum.algebra.functions import Element
from punctum.algebra.pattern import WILDCARD, Pattern, between, constant, one_of
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.algebra.values import Type
from punctum.compile import PASSES
from punctum.errors import PunctumError
from punctum.ir.punctuated import Punctuated
from punctum.ir.tree import Relation, walk
from punctum.parse import parse_query
from punctum.parse.script import parse_script
from punctum.plan.passes.expect import timeline
from punctum.testing.simulate import ALL_PUNCTUATIONS, Feed, Splits

STREAM = "CREATE STREAM a (k BIGINT, x BIGINT, d BIGINT, s STRING, ts TIMESTAMP{}) USING json OPTIONS (path 'a');"
MADE = "CREATE STREAM c ({}) AS SELECT k, x, d, s, ts FROM {};"
COLUMNS = ("k", "x", "d", "s", "ts")
DELAYS = {"k": ("1", "2"), "x": ("1", "2"), "d": ("1",), "ts": ("'1 hour'", "'2 hours'", "'30 minutes'")}
UNITS = {"k": "k DIV 2", "x": "x DIV 2", "d": "d DIV 2", "ts": "DATE_TRUNC('hour', ts)"}
EVENTS = ("x = 0", "x > 2", "s = 'b'", "k = d", "d IS NULL", "x + k > 4")
LISTS = (("s", "'a', 'b'"), ("s", "'b'"), ("k", "1, 2"), ("d", "0, 1"))
FINE = ("right", "refused", "by the clock")
LIMITS = ("EXPECT WITHIN '1 hour'", "EXPECT WITHIN '2 hours'", "LIFESPAN '1 hour'", "LIFESPAN '30 minutes'")
READ = (
    "SELECT k, x, d, s, ts FROM {}",
    "SELECT k, s FROM {}",
    "SELECT k, x, ts FROM {} WHERE d = 1",
    "SELECT x, s FROM {} WHERE k < 3",
    "SELECT -x AS x1, k / 2 AS half FROM {} WHERE s = 'a'",
    "SELECT DATE_TRUNC('hour', ts) AS h, k + 1 AS k1, k AS k2 FROM {}",
)
COMPUTED = (
    "SELECT k, COUNT(*) AS n FROM {} GROUP BY k",
    "SELECT s, k, COUNT(*) AS n, SUM(x) AS t FROM {} WHERE d > 0 GROUP BY s, k",
    "SELECT DATE_TRUNC('hour', ts) AS h, COUNT(*) AS n FROM {} GROUP BY DATE_TRUNC('hour', ts)",
    "SELECT DISTINCT k, x FROM {}",
    "SELECT p.k, COUNT(*) AS n FROM {0} p JOIN {0} q ON p.s = q.s AND p.x = q.x GROUP BY p.k",
    "SELECT p.k, p.x, q.x AS y FROM {0} p LEFT JOIN {0} q ON p.k = q.k AND p.x = q.d",
    "SELECT s, SUM(n) AS n FROM (SELECT k, s, COUNT(*) AS n FROM {} GROUP BY k, s) GROUP BY s",
    "SELECT k, s FROM {0} EXCEPT SELECT x, s FROM {0} WHERE x > 1",
    "SELECT k, ts, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts, x, d, s) AS n FROM {} QUALIFY n <= 2",
    "SELECT p.k, q.ts FROM {0} p JOIN {0} q ON p.k = q.k AND q.ts BETWEEN p.ts AND p.ts + INTERVAL 1 HOUR",
)


def clauses(rng: random.Random, made: bool) -> str:
    """One to four clauses, for a stream that is made of another or not."""
    drawn = [_clause(rng, made) for _ in range(rng.choice([1, 1, 2, 2, 3, 4]))]
    if not made and rng.random() < 0.4:  # time of its own
        drawn.insert(
            0, rng.choice(["PUNCTUATED ON (ts ASC)", "PUNCTUATE (ts ASC)", "PUNCTUATE (ts ASC) DELAY '1 hour'"])
        )
    return ", ".join(dict.fromkeys(drawn))


def _clause(rng: random.Random, made: bool) -> str:
    kinds = ["unique", "event", "order", "order", "reported", "reported"]
    kind = rng.choice(kinds if made else [*kinds, "domain", "given", "given"])
    limit = f" {rng.choice(LIMITS)}" if not made and rng.random() < 0.3 else ""
    match kind:
        case "unique":
            return f"UNIQUE ({_some(rng)})"
        case "event":
            order = rng.choice(["", "", " ASC", " DESC"])
            return f"PUNCTUATE ({_some(rng)}{order}) WHEN {rng.choice(EVENTS)}{limit}"
        case "order":
            return f"PUNCTUATE ({_ordered(rng)}{limit}"
        case "reported" if rng.random() < 0.5:
            by, members = rng.choice(LISTS)
            unit = rng.choice(["", "", f", {UNITS['x']}", f", {UNITS['ts']}"])
            column = rng.choice([c for c in COLUMNS if c != by])
            return f"PUNCTUATE ({column}{unit}) WHEN ALL {by} IN ({members}){limit}"
        case "reported":
            by, members = rng.choice(LISTS)
            head, _, delay = _ordered(rng, by).rpartition(")")
            return f"PUNCTUATE ({head}) WHEN ALL {by} IN ({members}){delay}{limit}"
        case "domain":
            return rng.choice(["DOMAIN d BETWEEN 0 AND 2", "DOMAIN d BETWEEN 0 AND 4", "DOMAIN s IN ('a', 'b')"])
    return f"PUNCTUATED ON ({_some(rng)}){limit}"


def _some(rng: random.Random) -> str:
    return ", ".join(rng.sample(COLUMNS, rng.choice([1, 1, 2])))


def _ordered(rng: random.Random, but: str = "") -> str:
    """Columns of which the last is in order, a bracket and a delay."""
    *keys, last = rng.sample([c for c in COLUMNS if c != but], rng.choice([1, 1, 2, 3]))
    term = UNITS[last] if last in UNITS and rng.random() < 0.25 else last
    delay = f" DELAY {rng.choice(DELAYS[last])}" if last in DELAYS and rng.random() < 0.4 else ""
    return f"{', '.join([*keys, term])} {rng.choice(['ASC', 'ASC', 'DESC'])}){delay}"


def elements(rng: random.Random, schema: Schema) -> list[Element]:
    """Rows and punctuations of every kind, grammatical or not; NULLs are rare."""
    most, rising, given = rng.randint(2, 16), rng.random() < 0.6, rng.choice([0, 0.2, 0.4])
    made: list[Element] = []
    for n in range(most):
        steady = rising and rng.random() < 0.75  # so that some are in order
        values = [_value(rng, a.type, n * 5 // most if steady else None) for a in schema.attributes]
        if rng.random() >= given:
            made.append(schema.row(*values))
        else:
            made.append(
                Punctuation(
                    schema, tuple(_side(rng, a.type, v) for a, v in zip(schema.attributes, values, strict=True))
                )
            )
    return made


def _value(rng: random.Random, kind: Type, steady: int | None) -> Any:
    if rng.random() < 0.05:
        return None
    number = rng.randint(0, 4) if steady is None else steady
    match kind:
        case Type.TIMESTAMP:
            return hour(number)
        case Type.STRING:
            return rng.choice("ab")
    return number


def _side(rng: random.Random, kind: Type, value: Any) -> Pattern:
    if value is None:
        return rng.choice([WILDCARD, constant(None)])
    more = value + 2 if kind is Type.BIGINT else hour(2) if kind is Type.TIMESTAMP else "b"
    several = [between(None, value), between(value, None), between(None, value, "[)"), one_of([value, more])]
    return rng.choice([*[WILDCARD] * 4, *[constant(value)] * 2, *several])


def cut(rng: random.Random, schema: Schema, whole: Sequence[Element]) -> list[Feed]:
    """A sequence in batches, each in splits."""
    batches = rng.randint(1, 4)
    ends = sorted(rng.randint(0, len(whole)) for _ in range(batches - 1))
    feeds: list[Feed] = []
    for start, end in zip([0, *ends], [*ends, len(whole)], strict=True):
        inner = sorted(rng.randint(start, end) for _ in range(rng.randint(0, 3)))
        bounds, columns = zip([start, *inner], [*inner, end], strict=True), rng.random() < 0.5
        feeds.append({"a": Splits(piece(schema, whole[a:b], columns) for a, b in bounds)})
    return feeds


def script(number: int) -> tuple[str, str, bool]:
    """The streams of a number, its query, and whether that only reads its stream."""
    rng = random.Random(f"{number} clauses")
    text, of = STREAM.format(f", {clauses(rng, False)}" if rng.random() < 0.9 else ""), "a"
    if rng.random() < 0.35:
        text, of = text + MADE.format(clauses(rng, True), of), "c"
    reads = rng.random() < 0.5
    return text, rng.choice(READ if reads else COMPUTED).format(of), reads


def look_at(number: int) -> str:
    """What became of a number: nothing wrong, refused, or what is wrong."""
    streams, sql, reads = script(number)
    try:
        query = parse_query(sql, parse_script(streams).streams)
        found = pipes(query)
    except PunctumError:
        return "refused"
    try:
        return _look(query, random.Random(f"{number} elements"), reads) if len(found) == 1 else "refused"
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__} {error} in {where.filename}:{where.lineno}"


def _look(query: Relation, rng: random.Random, reads: bool) -> str:
    (pipe,) = pipes(query).values()
    schema = pipe.stream.schema
    if any(timeline(pipe.stream, limit.scheme) is None for limit in pipe.stream.limits):
        return "by the clock"
    sequences: Sequences = {"a": (schema, elements(rng, schema))}
    feeds, buckets, restart = cut(rng, *sequences["a"]), rng.randint(1, 4), rng.random() < 0.3
    passes = rng.choice([ALL_PUNCTUATIONS, PASSES])
    found = run(query, feeds, buckets, restart, passes)
    made = [node for node in walk(query) if isinstance(node, Punctuated)]
    if reads and query.schema == pipe.schema:
        one = OneByOne(pipe, made)
        one.feed(sequences["a"][1])
        wanted = Counter(one.rows), one.records
    else:
        wanted = run(query, singly(sequences), 1, restart=False)
    wrong = _differs(found, wanted)
    return "right" if wrong is None else f"cut in {len(feeds)}, {buckets} buckets: {wrong}"


def _differs(found: Outcome, wanted: Outcome) -> str | None:
    """What one outcome has that another has not."""
    if found == wanted:
        return None
    rows, records = found
    more, less = (
        (dict(rows - wanted[0]), dict(records - wanted[1])),
        (dict(wanted[0] - rows), dict(wanted[1] - records)),
    )
    return f"more {more}, less {less}"


def main(first: int, last: int) -> None:
    """Try numbers, and tell of each that is wrong."""
    began, words = time.time(), Counter[str]()
    for number in range(first, last):
        word = look_at(number)
        words[word if word in FINE else "wrong"] += 1
        if word not in FINE:
            print(number, word, *script(number)[:2], sep="\n  ", flush=True)
        if number % 100 == 99:
            print(f"{number + 1 - first} of {last - first} in {time.time() - began:.0f} s: {dict(words)}", flush=True)
    print(f"{last - first} in {time.time() - began:.0f} s: {dict(words)}")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
