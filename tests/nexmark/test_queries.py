"""Each query gives what a database does over the same events, keeps nothing in the end, and rejects no row."""

import math
from collections import Counter
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from lanes import long
from nexmark.batch import BATCH, answer, time_of
from punctum.algebra.values import Row
from punctum.analyse.safety.register import verdict
from punctum.analyse.safety.verdicts import Verdict
from punctum.compile import PASSES
from punctum.engine.formats.files import READERS
from punctum.engine.sources.tables import store_tables, stored_tables
from punctum.ir.definitions import Script
from punctum.ir.tree import Relation, sources
from punctum.nexmark.files import generate
from punctum.nexmark.queries import NAMES, about, script
from punctum.nexmark.workload import Workload
from punctum.operators.columns import to_rows
from punctum.parse import parse_script
from punctum.plan.physical.stages import all_stages, tables_of
from punctum.testing.simulate import Feed, Simulation, Splits, planned

WORKLOADS = {
    "few": (Workload(2_500, seed=4, disorder=20, every=500), 1_000),
    "in order": (Workload(20_000, every=1_000), 4_000),
    "two days": (Workload(20_000, seed=2, rate=1, every=700), 7_000),
    "out of order": (Workload(20_000, seed=3, disorder=100, every=1_000), 6_000),
}
"""Events, and how many of them a slice has."""
ENDLESS = ("q4",)
"""The queries that keep a few rows as long as their streams last."""
CASES = [
    pytest.param(name, workload, marks=[] if workload == "few" else [long]) for name in NAMES for workload in WORKLOADS
]


@pytest.fixture(scope="module")
def directories(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    made = {name: tmp_path_factory.mktemp("nexmark") for name in WORKLOADS}
    for name, (workload, size) in WORKLOADS.items():
        list(generate(workload, made[name] / "in", size=size))
    return made


@pytest.mark.parametrize("name", NAMES)
def test_a_query_says_what_it_computes(name: str) -> None:
    assert about(name).endswith(".")
    assert f"INSERT INTO {name}\n" in script(name)
    assert name in BATCH


@pytest.mark.parametrize(("name", "workload"), CASES)
def test_a_query_gives_what_a_database_gives(name: str, workload: str, directories: dict[str, Path]) -> None:
    directory = directories[workload]
    events = WORKLOADS[workload][0]
    read = parse_script(script(name, events.disorder, events.longest))
    (known,) = verdict(read)
    assert known.admitted
    with stored_tables(_stored(known.query.relation, directory)):
        given, kept = run(known.query.relation, read, directory)
    assert Counter(map(rounded, given)) == Counter(map(rounded, answer(name, directory / "in")))
    assert given, "there is something to compare"
    bounded = {state.verdict for state in known.states} - {Verdict.STATELESS, Verdict.PURGEABLE}
    assert bool(bounded) == (name in ENDLESS)
    assert kept[-1] == 0


def run(relation: Relation, read: Script, directory: Path, buckets: int = 3) -> tuple[list[Row], list[int]]:
    """What a query gives, slice by slice, and how many rows it keeps after each slice."""
    simulation = Simulation(relation, buckets, passes=PASSES)
    given: list[Row] = []
    kept = []
    streams = {source.stream.name for source in sources(relation)}
    files = {name: sorted((directory / "in" / name).iterdir()) for name in streams}
    for n, numbered in enumerate(zip(*files.values(), strict=True)):
        fed: Feed = {name: _split(file, read, name) for name, file in zip(files, numbered, strict=True)}
        now = time_of(n).replace(tzinfo=UTC)
        given += to_rows(simulation.feed(fed, int(now.timestamp() * 1000)).rows)
        assert simulation.records == [], "the streams keep their promises"
        kept.append(simulation.kept())
    return given, kept


def _split(file: Path, read: Script, stream: str) -> Splits:
    content = READERS["parquet"](file, read.streams[stream].schema, {}, None)
    assert content.rejected.is_empty()
    return Splits([content.piece])


def _stored(relation: Relation, directory: Path) -> dict[str, str]:
    tables = [table for stage in all_stages(planned(relation)) for table in tables_of(stage)]
    return store_tables(tables, "", directory, 1)


def rounded(row: Any) -> Row:
    return tuple(_plain(value) for value in row)


def _plain(value: Any) -> Any:
    """A value as both sides have it: exact, but for the last digits of averages."""
    if isinstance(value, datetime):
        return value if value.tzinfo is None else value.astimezone(UTC).replace(tzinfo=None)
    if isinstance(value, float | Decimal):
        return float(f"{float(value):.12g}") if math.isfinite(value) else value
    return value
