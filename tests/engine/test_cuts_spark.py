"""On Spark: an element a file and a batch, or all of them in one file, give the same rows and the same quarantine."""

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
from pyspark.sql import SparkSession

from lanes import long
from punctum.engine.exchange.quarantine import read_records
from punctum.session import Session

SCRIPT = """
CREATE STREAM a (k BIGINT, x BIGINT, PUNCTUATED ON (k), PUNCTUATE (k) WHEN x = 9)
  USING json OPTIONS (path 'a', maxFilesPerTrigger 1);
CREATE STREAM b (k BIGINT, x BIGINT, UNIQUE (k, x)) USING csv OPTIONS (path 'b', maxFilesPerTrigger 1);
CREATE STREAM c (k BIGINT, x BIGINT, PUNCTUATE (x ASC) DELAY 1)
  USING parquet OPTIONS (path 'c', maxFilesPerTrigger 1);
CREATE STREAM d (k BIGINT, x BIGINT, PUNCTUATE (k, x DIV 2 ASC)) USING json OPTIONS (path 'd', maxFilesPerTrigger 1);
CREATE STREAM e (k BIGINT, x BIGINT, PUNCTUATE (x ASC) WHEN ALL k IN (0, 1))
  USING json OPTIONS (path 'e', maxFilesPerTrigger 1);
CREATE STREAM f (k BIGINT, x BIGINT) USING json OPTIONS (path 'f', maxFilesPerTrigger 1);
CREATE STREAM made (PUNCTUATE (x DIV 3 ASC) WHEN ALL k IN (0, 2), PUNCTUATE (k) WHEN x = 9) AS
SELECT k, x FROM f WHERE x > 0;
CREATE SINK rows USING json OPTIONS (path 'out');
INSERT INTO rows SELECT k, x FROM a UNION ALL SELECT k, x FROM b UNION ALL SELECT k, x FROM c
UNION ALL SELECT k, x FROM d UNION ALL SELECT k, x FROM e UNION ALL SELECT k, x FROM made ALLOW UNBOUNDED;
"""
Element = tuple[int, int] | str  # a row, or the JSON of a punctuation
Elements = list[Element]


def punct(k: int) -> str:
    return json.dumps({"$punct": {"k": k}})


def drawn() -> dict[str, Elements]:
    """Sequences with equal rows before and behind what excludes them."""
    chance = random.Random(15)
    streams: dict[str, Elements] = {"a": [(1, 1), punct(1), (1, 1), (2, 9), (2, 3)]}
    streams["b"], streams["c"] = [(5, 1), (5, 1)], [(1, 5), (1, 4), (1, 3)]
    streams |= {"d": [(1, 5), (2, 1), (1, 4), (1, 3)], "e": [(0, 5), (1, 3), (2, 2), (1, 9), (2, 4), (0, 5)]}
    streams["f"] = [(0, 7), (2, 7), (1, 2), (1, 9), (1, 8), (2, 8)]
    for elements in streams.values():
        for _ in range(7):
            k, x = chance.randint(0, 2), chance.choice([1, 2, 3, 7, 9])
            elements.append(punct(k) if chance.random() < 0.25 else (k, x))
    return streams


def write(directory: Path, number: int, elements: Elements) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    match directory.name:
        case "a" | "d" | "e" | "f":
            lines = [e if isinstance(e, str) else json.dumps({"k": e[0], "x": e[1]}) for e in elements]
            (directory / f"{number:03}.json").write_text("".join(f"{line}\n" for line in lines))
        case "b":
            lines = [
                ',,"{}"'.format(e.replace('"', '""')) if isinstance(e, str) else f"{e[0]},{e[1]}," for e in elements
            ]
            (directory / f"{number:03}.csv").write_text("".join(f"{line}\n" for line in lines))
        case _:
            rows = [(None, None, e) if isinstance(e, str) else (*e, None) for e in elements]
            schema = {"k": pl.Int64, "x": pl.Int64, "_punct": pl.String}
            pl.DataFrame(rows, schema, orient="row").write_parquet(directory / f"{number:03}.parquet")


def run(spark: SparkSession, directory: Path) -> tuple[Counter[str], list[dict[str, Any]]]:
    (query,) = Session(spark).script(SCRIPT, directory)
    query.start(directory / "state", available_now=True).wait()
    rows = Counter(line for file in (directory / "out").glob("part-*") for line in file.read_text().splitlines())
    return rows, list(read_records(directory / "out"))


def late(streams: dict[str, Elements]) -> dict[str, list[int]]:
    """The numbers of the elements, from 1, that stand behind what excludes them."""
    wrong: dict[str, list[int]] = {name: [] for name in streams}
    for name, elements in streams.items():
        closed, seen, furthest, far = set[int](), set[Element](), -1, dict[int, int]()
        for number, e in enumerate(elements, 1):
            if isinstance(e, str):
                closed.add(json.loads(e)["$punct"]["k"])
                continue
            passed = name == "d" and e[1] // 2 < far.get(e[0], 0) // 2
            passed |= name == "e" and len(far) == 2 and e[1] < min(far.values())
            if e[0] in closed or (name == "b" and e in seen) or (name == "c" and e[1] < furthest - 1) or passed:
                wrong[name].append(number)
                if name == "e":  # a row that is closed is no report
                    continue
            seen.add(e)
            furthest = max(furthest, e[1])
            if name == "d" or e[0] < 2:
                far[e[0]] = max(far.get(e[0], 0), e[1])
            if name == "a" and e[1] == 9:
                closed.add(e[0])
    return wrong


def test_a_run_is_a_function_of_the_sequences(spark: SparkSession, tmp_path: Path) -> None:
    streams = drawn()
    for name, elements in streams.items():
        write(tmp_path / "whole" / name, 0, elements)
        for number, element in enumerate(elements):
            write(tmp_path / "singly" / name, number, [element])
    whole, told = run(spark, tmp_path / "whole")
    singly, told_singly = run(spark, tmp_path / "singly")
    assert whole == singly
    where = {n: sorted(r["position"] for r in told if r["stream"] == n) for n in "abcd"}
    assert where == {n: numbers for n, numbers in late(streams).items() if n in "abcd"}
    counts = Counter(record["stream"] for record in told)
    assert counts["e"] == len(late(streams)["e"]) > 0 and counts["made"] > 0
    assert _what(told) == _what(told_singly)
    files = {(r["stream"], int(r["file"][:3]) + 1) for r in told_singly if r["stream"] in "abcd"}
    assert files == {(name, number) for name, numbers in late(streams).items() if name in "abcd" for number in numbers}


def _what(records: list[dict[str, Any]]) -> Counter[tuple[str, str, str]]:
    return Counter((r["stream"], r["reason"], r["text"]) for r in records)


LOST = """
CREATE STREAM g (k BIGINT, h BIGINT, ts TIMESTAMP, PUNCTUATE (ts ASC), PUNCTUATED ON (k) EXPECT WITHIN '1 hour',
  PUNCTUATED ON (h) EXPECT WITHIN '2 hours') USING json OPTIONS (path 'g', maxFilesPerTrigger 1);
CREATE SINK rows USING json OPTIONS (path 'out');
INSERT INTO rows SELECT h, SUM(n) AS n FROM (SELECT k, h, COUNT(*) AS n FROM g GROUP BY k, h) GROUP BY h;
"""


@long
def test_what_later_stages_sweep_and_withhold_is_one_too(spark: SparkSession, tmp_path: Path) -> None:
    """Keys are lost in the first stage, hours in the second, between what closes groups in the third."""
    rows = [
        (1, 1, 0),
        (2, 1, 10),
        (3, 2, 20),
        (3, 3, 30),
        (4, 3, 80),
        (1, 2, 90),
        (5, 4, 100),
        (5, 3, 200),
        (6, 4, 210),
    ]
    lines = [{"k": k, "h": h, "ts": f"2026-05-01T{at // 60:02}:{at % 60:02}:00Z"} for k, h, at in rows]
    closed: list[tuple[int, dict[str, int]]] = [
        (2, {"k": 1}),
        (2, {"k": 2}),
        (4, {"h": 1}),
        (5, {"k": 3}),
        (7, {"h": 3}),
    ]
    closed += [(7, {"k": 5}), (8, {"h": 2}), (9, {"h": 4}), (9, {"k": 6})]
    elements = [json.dumps(line) for line in lines]
    for at, values in reversed(closed):
        elements.insert(at, json.dumps({"$punct": values}))
    for name, parts in (("whole", [elements]), ("singly", [[e] for e in elements])):
        (tmp_path / name / "g").mkdir(parents=True)
        for n, some in enumerate(parts):
            (tmp_path / name / "g" / f"{n:03}.json").write_text("".join(f"{line}\n" for line in some))
    found = {}
    for name in ("whole", "singly"):
        (query,) = Session(spark).script(LOST, tmp_path / name)
        query.start(tmp_path / name / "state", available_now=True).wait()
        files = (tmp_path / name / "out").glob("part-*")
        given = Counter(line for file in files for line in file.read_text().splitlines())
        found[name] = given, _what(list(read_records(tmp_path / name / "out")))
    assert found["whole"] == found["singly"]
    given, told = found["whole"]
    assert given['{"h":1,"n":2}'] == 1
    reasons = Counter(reason.split(" arrived")[0] for _, reason, _ in told)
    assert {"no punctuation ON (k)", "no punctuation ON (h)"} <= reasons.keys(), reasons
    assert any(reason.startswith("not a final result") for reason in reasons), reasons
