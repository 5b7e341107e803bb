"""Rows that are folded where they are read: results, quarantine and counts are those of rows that are not."""

import json
import random
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from lanes import one_of
from punctum.algebra.aggregates import Function
from punctum.compile import PASSES, CompiledQuery, compile, compile_relation
from punctum.engine.exchange.buckets import Buckets
from punctum.engine.exchange.messages import StageMessage, StreamSlice, decode, to_arrow
from punctum.engine.formats.files import reading
from punctum.engine.formats.splits import Split
from punctum.engine.runtime import build
from punctum.engine.runtime.stage import StageRuntime
from punctum.engine.sources.reader import Share
from punctum.engine.sources.source import FileStream, read_splits
from punctum.operators.columns import to_rows
from punctum.operators.fold import WORTH
from punctum.plan.physical.fold import folds
from punctum.plan.physical.pipes import Pipe
from punctum.plan.physical.stages import Stage

STREAMS = """
CREATE STREAM a (k BIGINT, g BIGINT, PUNCTUATED ON (k)) USING json OPTIONS (path 'a');
CREATE STREAM b (k BIGINT, v BIGINT, w DOUBLE, s STRING, PUNCTUATED ON (k)) USING json OPTIONS (path 'b');
CREATE SINK o USING json OPTIONS (path 'o');
INSERT INTO o
"""
SUM, MIN, MAX = Function.SUM, Function.MIN, Function.MAX
UNWEIGHED = tuple((name, run) for name, run in PASSES if name != "weigh rows")
JOINED = "FROM a JOIN b ON a.k = b.k GROUP BY a.k"
FOLDED: dict[str, dict[str, list[tuple[str, Function | None]]]] = {
    "SELECT k, SUM(v) AS t FROM b GROUP BY k": {"b": [("v", SUM)]},
    f"SELECT a.k, SUM(v) AS t {JOINED}": {"b": [("v", SUM)]},
    f"SELECT a.k, SUM(w) AS t, MAX(v) AS m, MIN(s) AS s {JOINED}": {"b": [("v", MAX), ("w", SUM), ("s", MIN)]},
    f"SELECT a.k, MAX(g) AS g, MIN(w) AS m {JOINED}": {"a": [("g", MAX)], "b": [("w", MIN)]},
    f"SELECT a.k, SUM(v) AS t, MAX(g) AS g {JOINED}": {"b": [("v", SUM)]},
    "SELECT k, SUM(x) AS t FROM (SELECT k, v * 2 AS x FROM b WHERE s > 'b') GROUP BY k": {"b": [("(v * 2)", SUM)]},
    "SELECT k, MAX(v) AS m, MIN(v) AS n, SUM(w) AS t FROM b GROUP BY k": {
        "b": [("v", MAX), ("w", SUM), ("(IF(true, v, v))", MIN)]
    },
    "SELECT k, COUNT(*) AS n, SUM(v) AS t FROM b GROUP BY k": {"b": [("v", SUM), ("1", SUM)]},
    "SELECT k, SUM(v) FILTER (WHERE w > 1) AS t, COUNT(v) AS n FROM b GROUP BY k": {
        "b": [
            ("v", None),
            ("(w > 1.0)", None),
            ("(IF((w > 1.0), v, NULL))", SUM),
            ("(IF((v IS NULL), 0, 1))", SUM),
        ]
    },
    "SELECT k, v, SUM(v) AS t FROM b GROUP BY k, v": {"b": [("(IF(true, v, v))", SUM)]},
    f"SELECT a.k, AVG(w) AS m, COUNT(*) AS n {JOINED}": {
        "b": [("w", SUM), ("(IF((w IS NULL), 0, 1))", SUM), ("1", SUM)]
    },
}
UNFOLDED = [
    "SELECT k, COUNT(DISTINCT v) AS n, SUM(v) AS t FROM b GROUP BY k",
    "SELECT k, SUM(v) AS t FROM b WHERE v > 3 GROUP BY k",
    f"SELECT a.k, SUM(v) AS t, SUM(g) AS g {JOINED}",
    "SELECT a.k, SUM(v) AS t FROM a JOIN b ON a.k = b.k AND b.v > a.g GROUP BY a.k ALLOW UNBOUNDED",
    "SELECT DISTINCT k, v FROM b",
]


def compiled(select: str) -> CompiledQuery:
    return compile(STREAMS + select + ";").queries[0]


@pytest.mark.parametrize("select", FOLDED)
def test_what_is_folded(select: str) -> None:
    assert named(compiled(select).last) == FOLDED[select]


@pytest.mark.parametrize("select", UNFOLDED)
def test_what_is_not_folded(select: str) -> None:
    assert folds(compiled(select).last) == {}


def named(stage: Stage) -> dict[str, list[tuple[str, Function | None]]]:
    known = {}
    for source in stage.inputs:
        assert isinstance(source.origin, Pipe)
        if found := build.folded_names(stage, source):
            known[source.origin.stream.name] = found
    return known


@pytest.mark.parametrize("clause", ["DOMAIN v BETWEEN 0 AND 10", "PUNCTUATED ON (v)", "PUNCTUATE (k) WHEN v = 3"])
def test_a_column_that_punctuations_speak_of_is_not_folded(clause: str) -> None:
    script = STREAMS.replace("s STRING,", f"s STRING, {clause},") + "SELECT k, SUM(v) AS t FROM b GROUP BY k;"
    known = named(compile(script).queries[0].last)
    assert known == ({"b": [("v", SUM)]} if "WHEN" in clause else {})


class Run:
    """A query over files, batch by batch, in some buckets, folded or not, with restarts."""

    def __init__(self, last: Stage, directory: Path, buckets: int, fold: bool) -> None:
        self._last, self._directory, self._fold = last, directory, fold
        self._buckets = Buckets(range(buckets))
        self._running: dict[int, StageRuntime] = {}
        self.folded = 0

    def batch(self, files: Sequence[str]) -> tuple[list[Any], list[str], dict[str, int]]:
        """The rows of the result, the quarantine, and how many rows operators took."""
        arrived: dict[int, dict[int, list[StageMessage]]] = {}
        for bucket, message, number in self._read(files):
            arrived.setdefault(bucket, {}).setdefault(number, []).append(message)
            if isinstance(message, StreamSlice) and message.origin is not None:
                self.folded += message.origin.folded
        rows, records, taken = list[Any](), list[str](), dict[str, int]()
        for bucket, known in sorted(arrived.items()):
            running = self._restarted(bucket)
            piece, counts = running.feed(known)
            rows += to_rows(piece.rows)
            records += [record.line() for record in running.records()]
            for n, counted in enumerate(counts[:1]):
                for name in ("rows_in", "rows_from:a", "rows_from:b"):
                    taken[f"{n} {name}"] = taken.get(f"{n} {name}", 0) + counted.get(name, 0)
        return sorted(rows, key=repr), sorted(records), taken

    def _read(self, files: Sequence[str]) -> Iterator[Any]:
        for source in self._last.inputs:
            pipe = source.origin
            assert isinstance(pipe, Pipe) and pipe.stream.format is not None
            to, stream = build.from_pipe(pipe, source, self._buckets), pipe.stream
            path = self._directory / stream.name
            fold = build.folded_names(self._last, source) if self._fold else ()
            at = stream.name, stream.schema, build.piped(pipe), to, False, True
            known = FileStream(*at, str(path), pipe.stream.format, reading(stream), fold)
            splits = [(n, Split(f, 0, (path / f).stat().st_size, 0, 0, 0, "")) for n, f in enumerate(files)]
            for sent in read_splits(known, Share("", tuple(splits), False), 1):
                yield from decode(to_arrow(sent).to_pydict())

    def _restarted(self, bucket: int) -> StageRuntime:
        fresh, known = build.running(self._last, self._buckets, bucket), self._running.get(bucket)
        if known is not None:
            fresh.restore(known.metadata(), {name: t.chunks() for name, t in known.flow.tables().items()})
        self._running[bucket] = fresh
        return fresh


def written(directory: Path, chance: random.Random, speaks: str) -> list[list[str]]:
    """Files of both streams, some batches of them; rows come late now and then, punctuations may be on any column.

    Those that are ``hidden`` speak of a part of what a key has, and say together that it is closed.
    """
    parts: dict[int, list[Any]] = {k: [{"lt": 1.0}, {"ge": 1.0}, None] for k in range(12)}
    values: list[list[Any]] = [[0.5, -0.0], [2.25], [None]]
    for name in "ab":
        (directory / name).mkdir()
    closed, files = set[int](), 0
    batches: list[list[str]] = []
    for _ in range(4):
        batch = []
        for _ in range(chance.choice([1, 2, 3])):
            name = f"{files}.json"
            keys = [k for k in range(12) if k not in closed or chance.random() < 0.1] or [0]
            items = [{"k": k, "g": chance.choice([None, 1, 2])} for k in chance.sample(keys, len(keys) // 2)]
            size = chance.choice([3, 3 * WORTH]) if speaks != "hidden" and files else 3 * WORTH
            bids: list[Any] = [bid(chance, keys) for _ in range(size)]
            ends = [k for k in range(12) if k not in closed and chance.random() < 0.15]
            closed |= set(ends)
            puncts: list[Any] = [{"$punct": {"k": k}} for k in ends]
            if speaks == "folded" and chance.random() < 0.4:
                puncts.append({"$punct": {"v": chance.randrange(5)}})
            where = chance.choice([len(bids), len(bids), chance.randrange(len(bids))])
            where = where if speaks != "hidden" and files else len(bids)
            (directory / "a" / name).write_text("".join(json.dumps(x) + "\n" for x in [*items, *puncts[: len(ends)]]))
            elements = [*bids[:where], *puncts, *bids[where:]]
            for k in chance.sample(range(12), 4) if speaks == "hidden" else ():
                if parts[k]:
                    part, said = {"$punct": {"k": k, "w": parts[k].pop()}}, values[len(parts[k])]
                    at = chance.choice([len(elements), chance.randrange(len(elements))])
                    behind = elements[at:]
                    if chance.random() < 0.97:  # none is late by this one alone
                        behind = [e for e in behind if e.get("k") != k or e["w"] not in said]
                    elements = [*elements[:at], part, *behind]
            (directory / "b" / name).write_text("".join(json.dumps(x) + "\n" for x in elements))
            batch.append(name)
            files += 1
        batches.append(batch)
    for name in "ab":
        (directory / name / "end.json").write_text('{"$punct": {}}\n')
    return [*batches, ["end.json"]]


def bid(chance: random.Random, keys: list[int]) -> dict[str, Any]:
    return {
        "k": chance.choice(keys),
        "v": chance.choice([None, 0, 1, 2, 3, 4, -7]),
        "w": chance.choice([None, 0.5, -0.0, 2.25]),
        "s": chance.choice([None, "a", "c", "é"]),
    }


@pytest.mark.parametrize(("select", "speaks"), one_of(4, product(FOLDED, ["no", "folded", "hidden"])))
def test_folded_is_not_folded(select: str, speaks: str, tmp_path: Path) -> None:
    chance = random.Random(f"{select} {speaks}")
    batches = written(tmp_path, chance, speaks)
    buckets = chance.choice([1, 2, 3])
    query = compiled(select)
    unweighed = compile_relation(query.query.relation, passes=UNWEIGHED).last
    runs = [Run(query.last, tmp_path, buckets, fold) for fold in (True, False)] + [
        Run(unweighed, tmp_path, buckets, False)
    ]
    for files in batches:
        folded, plain, as_written = (run.batch(files) for run in runs)
        assert folded == plain == as_written
    assert runs[0].folded > WORTH > runs[1].folded == 0


def test_sums_that_would_not_fit_are_not_folded() -> None:
    import polars as pl

    from punctum.operators.fold import folded

    large = pl.DataFrame({"k": [1] * 1200, "v": [2**60] * 1200})
    assert folded(large, [("v", SUM)]) is None
    assert folded(large, [("v", MAX)]) is not None
