"""What a query cannot take: it is never lost, never in the result, and its record says all there is to say."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from pyspark.sql import SparkSession

from punctum.algebra.schema import Schema
from punctum.cli import cli
from punctum.engine.commit import summary
from punctum.engine.exchange.quarantine import BEYOND, VIOLATION, Record, Room, format_records, how_many, rejects
from punctum.engine.formats.files import READERS
from punctum.engine.formats.read import ROOM
from punctum.errors import QueryError
from punctum.query import Query
from punctum.session import Session

SCRIPT = """
CREATE STREAM bid (itemid BIGINT, bidder STRING, increase DOUBLE, PUNCTUATED ON (itemid)){more}
  USING json OPTIONS (path 'in', maxFilesPerTrigger 1);
CREATE SINK total USING json OPTIONS (path 'out/total');
INSERT INTO total SELECT itemid, SUM(increase) AS total FROM bid WHERE increase > 0 GROUP BY itemid;
"""
LATE = '{"increase": 9,  "bidder": "late", "itemid": 1}'
FILES = [
    ['{"itemid": 1, "bidder": "a", "increase": 2}', '{"itemid": 2, "bidder": "b"', '{"$punct": {"itemid": 1}}'],
    [LATE, LATE, '{"itemid": 1, "bidder": "no", "increase": -1}', '{"itemid": "x", "bidder": "c", "increase": 1}'],
    ['{"bidder": "d", "increase": 1}', '{"$punct": {"item": 2}}', '{"$punct": {"itemid": {"ge": "q"}}}', "\0"],
    [],
    ['{"itemid": 2, "bidder": "e", "increase": 5}', '{"$punct": {}}'],
]


def written(directory: Path) -> Path:
    (directory / "in").mkdir()
    for n, lines in enumerate(FILES):
        (directory / "in" / f"{n}.json").write_text("".join(f"{line}\n" for line in lines))
    return directory


def query(spark: SparkSession, directory: Path, more: str = "") -> Query:
    (found,) = Session(spark).script(SCRIPT.format(more=more), directory)
    assert isinstance(found, Query)
    return found


def lines(directory: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for file in sorted(directory.glob("part-*")) for line in file.read_text().splitlines()]


def test_everything_that_is_no_element_is_recorded(spark: SparkSession, tmp_path: Path) -> None:
    running = query(spark, written(tmp_path))
    running.start(tmp_path / "checkpoint", available_now=True).wait()
    assert lines(tmp_path / "out/total") == [{"itemid": 1, "total": 2.0}, {"itemid": 2, "total": 5.0}]
    records = lines(tmp_path / "out/total.quarantine")
    assert [(r["file"], r["position"], r["text"]) for r in records if not r["punctuation"]] == [
        ("0.json", 2, FILES[0][1]),
        ("1.json", 4, FILES[1][3]),
        *((("2.json"), n + 1, text) for n, text in enumerate(FILES[2])),
    ]
    violations = [r for r in records if r["punctuation"]]
    whole: dict[str, Any] = {"stream": "bid", "reason": VIOLATION, "text": LATE, "file": "1.json"}
    broken = {"punctuation": '{"$punct": {"itemid": 1}}'}
    assert violations == [whole | {"position": n} | broken for n in (1, 2)]
    assert [batch["quarantined"] for batch in running.metrics()] == [1, 3, 4, 0, 0]
    measured = [json.loads(line) for line in (tmp_path / "checkpoint/punctum/metrics.jsonl").read_text().splitlines()]
    assert [batch["quarantined"] for batch in measured] == [1, 3, 4, 0, 0]
    shown = CliRunner().invoke(cli, ["quarantine", str(tmp_path / "out/total")])
    assert shown.exit_code == 0
    one, two = (f'    1.json:{n}  {LATE}  {{"$punct": {{"itemid": 1}}}}\n' for n in (1, 2))
    assert f"2 of bid: {VIOLATION}\n{one}{two}" in shown.output
    assert "2 of bid: a line is not JSON\n    0.json:2  " in shown.output


@pytest.mark.parametrize("wrong", [FILES[0][1], LATE])
def test_a_stream_that_must_not_be_violated(spark: SparkSession, tmp_path: Path, wrong: str) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/0.json").write_text("\n".join([FILES[0][0], FILES[0][2]]))
    (tmp_path / "in/1.json").write_text(wrong)
    running = query(spark, tmp_path, " ON VIOLATION FAIL")
    with pytest.raises(QueryError) as caught:
        running.start(tmp_path / "checkpoint", available_now=True).wait()
    assert "ON VIOLATION FAIL" in caught.value.hint
    assert "bid, 1.json" in caught.value.detail and wrong in caught.value.detail
    assert ('{"$punct": {"itemid": 1}}' in caught.value.detail) == (wrong == LATE)
    assert not (tmp_path / "out/total.quarantine").exists()


def test_a_dataframe_has_its_quarantine_in_the_checkpoint(spark: SparkSession, tmp_path: Path) -> None:
    result = query(spark, written(tmp_path)).dataframe(tmp_path / "checkpoint")
    writer = result.writeStream.format("memory").queryName("quarantined").trigger(availableNow=True)
    writer.option("checkpointLocation", str(tmp_path / "checkpoint")).start().awaitTermination()
    assert sorted(map(tuple, spark.table("quarantined").collect())) == [(1, 2.0), (2, 5.0)]
    assert len(lines(tmp_path / "checkpoint/quarantine")) == 8


def test_nothing_to_show(tmp_path: Path) -> None:
    assert CliRunner().invoke(cli, ["quarantine", str(tmp_path)]).output == "the quarantine is empty\n"
    missing = CliRunner().invoke(cli, ["quarantine", str(tmp_path / "none")])
    assert isinstance(missing.exception, QueryError)


def test_there_is_room_for_some_records_and_the_others_are_counted() -> None:
    records = [Record("s", "wrong", "x" * 100, f"{n % 2}", n) for n in range(1, 11)]
    room = Room(3 * 300)
    kept = room.taken(records[:4], more=5)
    assert kept == [*records[:3], Record("s", BEYOND, "", "0", count=6)]
    assert room.taken(records[4:]) == [Record("s", BEYOND, "", file, count=3) for file in "10"]
    assert how_many(record.line() for record in (*kept, *records)) == 9 + 10


def test_a_file_of_bad_lines_is_told_within_bounds(tmp_path: Path) -> None:
    """Many lines, and one that is as long as all of them."""
    many, schema = 200_000, Schema.of(n="BIGINT")
    (tmp_path / "file").write_bytes(b"\x1b" * (many * 100) + b"\n" + b"not JSON at all\n" * many + b'{"n": 1}\n')
    read = READERS["json"](tmp_path / "file", schema, {})
    assert read.piece.rows.rows() == [(1,)]
    assert len(read.rejected) + read.more == many + 1
    assert len(read.rejected) > 10_000
    kept = Room(ROOM // 4).taken(rejects("s", "file", read.rejected), read.more)
    lines = [record.line() for record in kept]
    assert how_many(lines) == many + 1
    assert sum(map(len, lines)) < ROOM
    assert "… (20,000,000 bytes)" in json.loads(lines[0])["text"]


def test_records_are_shown_without_control_characters() -> None:
    record = {"stream": "a\x9b", "reason": "no\x07: \u202e", "text": "\x1b[31mred\n\x7f", "file": "f", "position": 2}
    shown = list(format_records([record | {"punctuation": "\x00"}, {**record, "punctuation": None, "count": 7}], 1))
    assert shown == [
        "8 of a\\u009b: no\\u0007",
        "    f:2  \\u202e  \\u001b[31mred\\n\\u007f  \\u0000",
        "    and 7 more",
    ]


def test_errors_and_batch_lines_do_nothing_to_a_terminal() -> None:
    assert str(QueryError("a\x1b", "b\n\x9b", "c")) == "a\\u001b\n  detail: b\n\\u009b\n  hint: c"
    counts = {"rows_out": 0, "rows_kept": 1, "bytes_kept": 0, "oldest": [0.0, "s(k=\x1b]0;\x07)"]}
    assert summary("q", {"batch": 0, "time": 1.0, "quarantined": 0, "operators": {"o": counts}}).isprintable()


POISON = """
CREATE STREAM bid (itemid BIGINT, v BIGINT, PUNCTUATED ON (itemid)){more}
  USING json OPTIONS (path 'in', maxFilesPerTrigger 1);
CREATE SINK total USING json OPTIONS (path 'out/total');
INSERT INTO total
SELECT itemid, SUM(v * 4) AS total FROM bid WHERE ABS(v) > 0 GROUP BY itemid HAVING SUM(v * 4) - 1 > 0;
"""


def test_rows_and_groups_without_a_value(spark: SparkSession, tmp_path: Path) -> None:
    """What overflows is told with its line, or with its group, and the query goes on with all else."""
    most, half, bad = 2**61 - 1, 2**60, '{"v":  -9223372036854775808, "itemid": 1}'
    (tmp_path / "in").mkdir()
    files = [
        [f'{{"itemid": 1, "v": {2**62}}}', '{"itemid": 1, "v": 5}', bad, f'{{"itemid": 2, "v": {most}}}'],
        [f'{{"itemid": 2, "v": {half}}}', f'{{"itemid": 3, "v": {-most - 1}}}', f'{{"itemid": 4, "v": {most}}}'],
        [f'{{"itemid": 4, "v": {half}}}', f'{{"itemid": 4, "v": {-most}}}', '{"$punct": {}}'],
    ]
    for n, lines_ in enumerate(files):
        (tmp_path / "in" / f"{n}.json").write_text("\n".join(lines_))
    (running,) = Session(spark).script(POISON.format(more=""), tmp_path)
    assert isinstance(running, Query)
    running.start(tmp_path / "checkpoint", available_now=True).wait()
    assert lines(tmp_path / "out/total") == [{"itemid": 1, "total": 20}, {"itemid": 4, "total": 4 * half}]
    records = lines(tmp_path / "out/total.quarantine")
    found = {(r["file"], r["position"], r["text"]): r["reason"] for r in records}
    assert found == {
        ("0.json", 1, files[0][0]): "(v * 4) has no value: the result does not fit BIGINT",
        ("0.json", 3, bad): "abs(v) has no value: the result does not fit BIGINT",
        (None, None, '{"itemid":2}'): "total has no value: the result of SUM does not fit BIGINT",
        (None, None, f'{{"itemid":3,"total":{-(2**63)}}}'): "(total - 1) has no value: the result does not fit BIGINT",
    }
    assert sum(batch["quarantined"] for batch in running.metrics()) == 4
    (running,) = Session(spark).script(POISON.format(more=" ON VIOLATION FAIL"), tmp_path)
    assert isinstance(running, Query)
    with pytest.raises(QueryError) as caught:
        running.start(tmp_path / "other", available_now=True, add_to_sink=True).wait()
    assert "ON VIOLATION FAIL" in caught.value.hint and "bid, 0.json:1: (v * 4) has no value" in caught.value.detail
