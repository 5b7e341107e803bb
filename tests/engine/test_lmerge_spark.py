"""Merges of replicas on Spark: compatible with all inputs after every batch, and complete in the end.

Replicas are reordered, revised and delayed; some vanish, and some of those come back.
"""

import json
import os
import shutil
import signal
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest
from pyspark.sql import SparkSession

from engine.kills import begins, left
from engine.replicas import NAMES, batches, line, write
from engine.test_kill import make, started
from lanes import PATIENCE, long
from lmerge.running import Specified, behind
from lmerge.streams import Life, lives, presentation, reference, sliced
from punctum.errors import QueryError
from punctum.lmerge.elements import INF, Adjust, Element, Insert, Stable
from punctum.lmerge.openclose import Close, Open
from punctum.lmerge.policies import OutputPolicy
from punctum.lmerge.properties import Case
from punctum.lmerge.tdb import PrefixView, Tdb, tdb, view
from punctum.query import Query
from punctum.session import Session

SLICES = 8
STREAM = "CREATE TEMPORAL STREAM {0} (p STRING{1}) USING json OPTIONS (path 'in/{0}', maxFilesPerTrigger 1);\n"
SCRIPT = """
CREATE STREAM m AS LMERGE (a, b, c) OPTIONS (control 'control');
CREATE SINK elements USING json OPTIONS (path 'out/elements', elements 'true');
CREATE SINK events USING json OPTIONS (path 'out/events');
INSERT INTO elements SELECT * FROM m;
INSERT INTO events SELECT * FROM m;
"""
EVENTS = "INSERT INTO events SELECT * FROM m;"
OPEN_CLOSE = ", OPEN CLOSE"
PROPERTIES = {
    Case.R0: ", STRICTLY ORDERED, INSERT ONLY",
    Case.R1: ", ORDERED, DETERMINISTIC TIES, INSERT ONLY",
    Case.R2: ", ORDERED, KEY (p), INSERT ONLY",
    Case.R3: ", KEY (p)",
    Case.R4: "",
}


def script(case: Case) -> str:
    return "".join(STREAM.format(name, PROPERTIES[case]) for name in NAMES) + SCRIPT


def run(spark: SparkSession, directory: Path, *only: str) -> None:
    found = Session(spark).script(directory / "kill.sql")
    for query in found:
        if not only or query.name in only:
            query.start(directory / "state" / query.name, available_now=True).wait()


def held(inputs: list[Life], given: list[list[Element]], case: Case) -> None:
    """What must hold behind every slice, for what was written in each batch."""
    read: list[list[Element]] = [[] for _ in inputs]
    again = [False] * len(inputs)
    vanished: list[PrefixView] = []
    out: list[Element] = []
    for n, piece in enumerate(given):
        for number, life in enumerate(inputs):
            if n in life.detach:
                vanished.append(view(read[number]))
                read[number] = []
            again[number] |= n in life.attach
            read[number] += life.pieces[n]
        out += piece
        views = [view(each) for each in read]
        pairs = zip(views, inputs, again, strict=True)
        views = [PrefixView(v.events + life.missing, v.last) if back else v for v, life, back in pairs]
        behind(view(out), [*views, *vanished], view(out).last, case)


def told(case: Case, seed: int, directory: Path) -> tuple[Tdb, list[Life]]:
    """A reference, and replicas of it in files, with the script."""
    rng = Random(seed)
    events = reference(rng, case, 40)
    inputs = lives(rng, events, case, len(NAMES), SLICES)
    write(directory, inputs)
    (directory / "kill.sql").write_text(script(case))
    return Tdb(events), inputs


@pytest.fixture(scope="module")
def undisturbed(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nothing happens to; two of its inputs vanish and come back, one of them with all again."""
    directory = tmp_path_factory.mktemp("undisturbed")
    told(Case.R3, 19, directory)
    run(spark, directory)
    return directory


@pytest.mark.parametrize(("case", "seed"), [(Case.R3, 19), pytest.param(Case.R2, 6, marks=long)])
def test_replicas(spark: SparkSession, undisturbed: Path, tmp_path: Path, case: Case, seed: int) -> None:
    directory = undisturbed if (case, seed) == (Case.R3, 19) else tmp_path
    events, inputs = told(case, seed, tmp_path)
    if directory is tmp_path:
        run(spark, directory)
    given = batches(directory / "out/elements", SLICES)
    assert tdb([each for piece in given for each in piece]) == events
    held(inputs, given, case)
    lines = [line for path in (directory / "out/events").glob("part-*") for line in path.read_text().splitlines()]
    rows = Counter((row["p"], row["_vs"], INF if row["_ve"] is None else row["_ve"]) for row in map(json.loads, lines))
    assert rows == Counter((p, vs, ve) for (p,), vs, ve in events.elements())
    assert not list(directory.glob("out/*.quarantine/*"))
    last = (directory / "state/events/punctum/metrics.jsonl").read_text().splitlines()[-1]
    kept = sum(counts["rows_kept"] for counts in json.loads(last)["operators"].values())
    assert kept == 0 if case is Case.R3 else kept <= len(NAMES)  # R2 keeps the rows of the last start


FEW, FILES, WIDE = 3, 3, 1_500_000
"""Batches, the files of an input in each, and so many blanks in a file that three are worth two tasks."""


def cases(directory: Path, *wanted: Case) -> tuple[str, dict[Case, tuple[Tdb, list[Life]]]]:
    """A script that merges two replicas for each case, and what is in their files."""
    sql, found = "", dict[Case, tuple[Tdb, list[Life]]]()
    for case in wanted:
        rng = Random(case.value)
        events = reference(rng, case, 60)
        inputs = [Life(sliced(rng, presentation(rng, events, case), FEW)) for _ in range(2)]
        names = [f"{case.value}{name}" for name in "ab"]
        for name, life in zip(names, inputs, strict=True):
            sql += STREAM.format(name, PROPERTIES[case]).replace("Trigger 1", f"Trigger {FILES}")
            parts = [part for piece in life.pieces for part in sliced(rng, piece, FILES)]
            for n, part in enumerate(parts):
                path = make(directory / "in" / name) / f"{len(parts) - n}.json"
                path.write_text("\n".join([*map(line, part), " " * WIDE if case is Case.R1 else ""]))
                os.utime(path, (n + 1, n + 1))
        sink = f"CREATE SINK {case.value} USING json OPTIONS (path 'out/{case.value}', elements 'true');"
        sql += f"CREATE STREAM m{case.value} AS LMERGE ({', '.join(names)}); {sink}"
        sql += f"INSERT INTO {case.value} SELECT * FROM m{case.value};\n"
        found[case] = Tdb(events), inputs
    return sql, found


@long
def test_cases_with_several_files_a_batch(spark: SparkSession, tmp_path: Path) -> None:
    """In R1 two tasks read the files of a batch, whose order matters; names of files do not say it."""
    sql, known = cases(tmp_path, Case.R0, Case.R1, Case.R4)
    found = Session(spark).script(sql, tmp_path)
    started = [query.start(tmp_path / "state" / query.name, available_now=True) for query in found]
    for query in started:
        query.wait()
        (stage,) = query.metrics()[-1]["operators"].items()
        assert stage[0] == "s1o0" and stage[1]["stable"] == 2**63 - 1
    for case, (events, inputs) in known.items():
        assert f"(case {case.value})" in (tmp_path / "state" / case.value / "punctum/plan").read_text()
        given = batches(tmp_path / "out" / case.value, FEW)
        assert tdb([each for piece in given for each in piece]) == events
        held(inputs, given, case)
        specified = Specified(case, 2, OutputPolicy())
        mine, theirs = list[Element](), list[Element]()
        for n, piece in enumerate(given):
            mine, theirs = mine + piece, theirs + specified.feed([life.pieces[n] for life in inputs])
            assert view(mine).last == view(theirs).last
            assert view(mine).events == view(theirs).events or case is Case.R4  # it chooses among twins as it likes
    assert not list(tmp_path.glob("out/*.quarantine/*"))


@long
def test_a_merge_that_is_killed_goes_on_with_the_same_stream(undisturbed: Path, tmp_path: Path) -> None:
    chance = Random(1)
    told(Case.R3, 19, tmp_path)
    (tmp_path / "kill.sql").write_text(script(Case.R3).replace(EVENTS, ""))
    buckets = Path("state/elements/punctum/buckets.json")  # those of the other run, whatever the number of cores
    (tmp_path / buckets).parent.mkdir(parents=True)
    shutil.copy(undisturbed / buckets, tmp_path / buckets)
    with started(tmp_path) as running:
        assert begins(tmp_path, "elements", 3, lambda: running.poll() is not None)
        time.sleep(chance.uniform(0, 0.4))
        assert running.poll() is None
        os.killpg(running.pid, signal.SIGKILL)
        running.communicate(timeout=PATIENCE)
    with started(tmp_path) as running:
        _, errors = running.communicate(timeout=PATIENCE)
    assert running.returncode == 0, errors
    assert left(tmp_path, "elements") == left(undisturbed, "elements")


LIFE = """
CREATE STREAM m AS LMERGE (a, b, c) OPTIONS (control 'control', absent 'c');
CREATE SINK elements USING json OPTIONS (path 'out', elements 'true');
INSERT INTO elements SELECT * FROM m;
"""


def test_inputs_come_and_go_while_the_query_runs(spark: SparkSession, tmp_path: Path) -> None:
    """The third replica comes when the first has vanished, and carries on alone, through a restart.

    It speaks in opens and closes.
    """
    streams = [(name, OPEN_CLOSE if name == "c" else PROPERTIES[Case.R3]) for name in NAMES]
    sql = "".join(STREAM.format(*each) for each in streams) + LIFE
    for name in NAMES:
        (tmp_path / "in" / name).mkdir(parents=True)
    (query,) = Session(spark).script(sql, tmp_path)
    a, b, c = ((each,) for each in "ABC")
    query.start(tmp_path / "state")
    try:
        say(query, tmp_path, "c", [Open(("unheard",), 1), Close(("unheard",), 5), Open(b, 2)])
        say(query, tmp_path, "a", [Insert(a, 1, 5), Insert(b, 2, 20), Insert(("spurious",), 5, 6), Stable(4)])
        query.attach("C", since=4)
        query.catch_up()
        say(query, tmp_path, "c", [Open(b, 2), Open(c, 6), Close(b, 20), Close(c, 7), Close(c, 9), Stable(8)])
        query.detach("a")
        query.stop()
        query.start(tmp_path / "state")
        say(query, tmp_path, "c", [Close(b, 12), Stable(30)])
        say(query, tmp_path, "a", [Insert(("unheard",), 40, 50), Stable(60)])
    finally:
        query.stop()
    out = [each for piece in batches(tmp_path / "out", 9) for each in piece]
    assert tdb(out) == Tdb([(a, 1, 5), (b, 2, 12), (c, 6, 9)])
    assert [each.t for each in out if isinstance(each, Stable)] == [4, 8, 30]
    assert not list(tmp_path.glob("out.quarantine/*"))
    with pytest.raises(QueryError, match="the query elements merges no d"):
        query.detach("d")
    with pytest.raises(QueryError, match="'soon' is not a time from which c is correct"):
        query.attach("c", since="soon")


def say(query: Query, directory: Path, name: str, elements: Sequence[Element | Open | Close]) -> None:
    """Give an input more to read, and wait until it is read."""
    path = directory / "in" / name / f"{time.time_ns()}.json"
    path.with_name(f".{path.name}").write_text("".join(f"{line(each)}\n" for each in elements))
    path.with_name(f".{path.name}").rename(path)
    query.catch_up()


def test_bad_elements_are_in_the_quarantine(spark: SparkSession, tmp_path: Path) -> None:
    """What cannot be read, what is below the stream's own stable, and what changes an event that is not there."""
    nothing: list[Element] = []
    late = Insert(("A",), 3, 9)
    pieces: list[list[Element]] = [[Insert(("A",), 1, 9), Stable(5)], [late, Adjust(("Z",), 7, 9, 8)], [Stable(INF)]]
    write(tmp_path, [Life(pieces), Life([nothing] * 3), Life([nothing] * 3)])
    with (tmp_path / "in/b/000.json").open("a") as more:
        more.write('{"p": "A", "_vs": 6, "_ve": 5}\n')
    with (tmp_path / "in/c/001.json").open("a") as more:
        more.write('{"p": "A", "_vs": 6, "_ve": 7}\n{"p": "A", "_vs": 1}\n{"p": "Y", "_ve": 7}\n{"p": "A", "_ve": 9}\n')
    declared = script(Case.R3).replace(STREAM.format("c", PROPERTIES[Case.R3]), STREAM.format("c", OPEN_CLOSE))
    (tmp_path / "kill.sql").write_text(declared)
    run(spark, tmp_path, "elements")
    assert tdb([each for piece in batches(tmp_path / "out/elements", 3) for each in piece]) == Tdb([(("A",), 1, 9)])
    files = tmp_path.glob("out/elements.quarantine/part-*")
    records = [json.loads(text) for path in files for text in path.read_text().splitlines()]
    assert sorted((each["stream"], each["reason"].split(":")[0]) for each in records) == [
        ("a", "an adjust of an event that this input does not have"),
        ("a", "the row matches an earlier punctuation"),
        ("b", "the element ends before it starts"),
        ("c", "no event with this payload is open"),
        ("c", "the row is both an open and a close"),
    ]


def test_replicas_of_a_query_are_merged(spark: SparkSession, tmp_path: Path) -> None:
    """Two plans of one aggregate below the merge, one of them put in order, and another aggregate above it."""
    count = "SELECT ts DIV 10 AS _vs, k, COUNT(*) AS n FROM {} GROUP BY ts DIV 10, k"
    stream = "CREATE STREAM {0} (ts BIGINT, k STRING, PUNCTUATED ON (ts ASC)) USING json OPTIONS (path '{0}');"
    sql = "".join(stream.format(name) for name in "st")
    sql += f"CREATE TEMPORAL STREAM a AS {count.format('s')}; CREATE TEMPORAL STREAM b AS {count.format('t')};"
    sql += """CREATE STREAM c AS CLEANSE (b); CREATE STREAM m AS LMERGE (a, c);
    CREATE SINK o USING json OPTIONS (path 'out');
    INSERT INTO o SELECT _vs, SUM(n) AS total FROM m GROUP BY _vs;"""
    rows = [(1, "x"), (2, "y"), (7, "x"), (12, "x"), (25, "y")]
    for name, known in (("s", rows), ("t", rows[:3])):
        (tmp_path / name).mkdir()
        lines = [json.dumps({"ts": ts, "k": k}) for ts, k in known]
        end = '{"$punct": {"ts": {"lt": 20}}}' if name == "s" else '{"$punct": {"ts": {"lt": 10}}}'
        (tmp_path / name / "0.json").write_text("\n".join([*lines, end]))
    (query,) = Session(spark).script(sql, tmp_path)
    query.start(tmp_path / "state", available_now=True).wait()
    found = [json.loads(text) for path in (tmp_path / "out").glob("part-*") for text in path.read_text().splitlines()]
    assert sorted(tuple(each.values()) for each in found) == [(0, 3), (1, 1)]
