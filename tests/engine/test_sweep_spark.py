"""On Spark: punctuations that are lost, or over, by the clock and by the streams' own time, in two runs."""

import json
import time
from datetime import datetime
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from lanes import long
from punctum.engine.exchange.quarantine import format_records as shown
from punctum.engine.exchange.quarantine import read_records as quarantined
from punctum.engine.runtime.sweep import LATE
from punctum.operators.expect import instant
from punctum.query import Query
from punctum.session import Session

SCRIPT = """
CREATE STREAM item (itemid BIGINT, name STRING, PUNCTUATED ON (itemid) EXPECT WITHIN '2 seconds')
USING json OPTIONS (path 'item');
CREATE STREAM bid (itemid BIGINT, increase BIGINT, PUNCTUATED ON (itemid)) USING json OPTIONS (path 'bid');
CREATE STREAM report (sid STRING, hour BIGINT, ts TIMESTAMP,
  PUNCTUATE (ts ASC), PUNCTUATE (hour) WHEN ALL sid IN ('S1', 'S2') EXPECT WITHIN '90 minutes'
  LIFESPAN '6 hours')
USING json OPTIONS (path 'report', maxFilesPerTrigger 1);
CREATE SINK closing USING json OPTIONS (path 'out/closing');
CREATE SINK hours USING json OPTIONS (path 'out/hours');
INSERT INTO closing
SELECT i.itemid, SUM(b.increase) AS total FROM item i JOIN bid b ON i.itemid = b.itemid GROUP BY i.itemid;
INSERT INTO hours SELECT n, COUNT(*) AS hours FROM (SELECT hour, COUNT(*) AS n FROM report GROUP BY hour) GROUP BY n
ALLOW UNBOUNDED;
"""


def write(path: Path, *elements: dict[str, Any]) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(each) + "\n" for each in elements))


def closed(itemid: int) -> dict[str, Any]:
    return {"$punct": {"itemid": itemid}}


def run(spark: SparkSession, directory: Path, *names: str) -> list[Query]:
    """Do all that is there, both queries at once."""
    queries = Session(spark).script(SCRIPT, directory)
    chosen = [query for query in queries if not names or query.name in names]
    for query in chosen:
        query.start(directory / f"checkpoint-{query.name}", available_now=True)
    for query in chosen:
        query.wait()
    return chosen


def lines(directory: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for file in directory.glob("part-*") for line in file.read_text().splitlines()]


def metrics(directory: Path, what: str) -> list[int]:
    format_records = [json.loads(line) for line in (directory / "punctum/metrics.jsonl").read_text().splitlines()]
    return [sum(counts.get(what, 0) for counts in batch["operators"].values()) for batch in format_records]


def batch_times(checkpoint: Path) -> list[datetime]:
    """The times that Spark has written down for its batches."""
    logs = sorted(next(checkpoint.rglob("offsets")).glob("[0-9]*"), key=lambda path: int(path.name))
    return [instant(json.loads(log.read_text().splitlines()[1])["batchTimestampMs"]) for log in logs]


def again(spark: SparkSession, directory: Path) -> None:
    """The last batch is done again, later, and gives the same; its time is still that of the first attempt."""
    before = list(quarantined(directory / "out/closing"))
    assert {r["reason"].partition("since ")[2] for r in before if r["text"] == "1 row"} == {
        batch_times(directory / "checkpoint-closing")[0].isoformat(" ")
    }
    for file in next((directory / "checkpoint-closing").rglob("commits")).glob("*1*"):
        file.unlink()
    time.sleep(2)
    write(directory / "bid/3.json", {"itemid": 20, "increase": 1})
    run(spark, directory, "closing")
    *same, last = quarantined(directory / "out/closing")
    assert same == before
    assert last["punctuation"] == '{"$punct": {"itemid": 19}}'
    times = batch_times(directory / "checkpoint-closing")
    assert last["reason"].endswith(f"open since {times[1].isoformat(' ')}")
    assert metrics(directory / "checkpoint-closing", "values_swept") == [0, 2, 1]


def report(sid: str, hour: int, at: str, day: int = 1) -> dict[str, Any]:
    return {"sid": sid, "hour": hour, "ts": f"2026-05-{day:02}T{at}:00Z"}


@long
def test_lost_punctuations(spark: SparkSession, tmp_path: Path) -> None:
    write(tmp_path / "item/1.json", *({"itemid": i, "name": "a vase"} for i in (17, 18, 500)))
    write(tmp_path / "bid/1.json", *({"itemid": i, "increase": i} for i in (17, 18, 500)))
    write(tmp_path / "report/1.json", report("S1", 1, "01:00"), report("S2", 1, "01:05"), report("S1", 2, "02:00"))
    run(spark, tmp_path)
    time.sleep(2)
    write(tmp_path / "item/2.json", closed(18), {"itemid": 19, "name": "a bowl"})
    write(tmp_path / "bid/2.json", closed(18), closed(17), {"itemid": 19, "increase": 9})
    write(tmp_path / "report/2.json", report("S1", 3, "03:40"), report("S2", 3, "03:50"))
    write(tmp_path / "report/3.json", report("S2", 2, "03:55"))
    write(tmp_path / "report/4.json", report("S1", 22, "22:00"), report("S2", 22, "22:01"))
    write(tmp_path / "report/5.json", report("S1", 1, "01:00", 2), report("S2", 1, "01:00", 2), {"$punct": {}})
    closing, _ = run(spark, tmp_path)

    assert lines(tmp_path / "out/closing") == [{"itemid": 18, "total": 18}]
    format_records = list(quarantined(tmp_path / "out/closing"))
    what = "no punctuation ON (itemid) arrived within 2 seconds"
    assert sorted((r["reason"].split(":")[0], r["text"], r["punctuation"]) for r in format_records) == [
        (what, "1 row", '{"$punct": {"itemid": 17}}'),
        (what, "1 row", '{"$punct": {"itemid": 500}}'),
        (f"not a final result, because {what}", '{"itemid":17,"total":17}', '{"$punct": {"itemid": 17}}'),
    ]
    assert metrics(tmp_path / "checkpoint-closing", "values_swept") == [0, 2]
    assert metrics(tmp_path / "checkpoint-closing", "rows_withheld") == [0, 1]
    assert sum(c.get("rows_swept", 0) for c in closing.metrics()[-1]["operators"].values()) == 2

    assert lines(tmp_path / "out/hours") == [{"n": 2, "hours": 4}], "hour 2 is none of them, hour 1 is two of them"
    (swept, withheld, late) = sorted(quarantined(tmp_path / "out/hours"), key=lambda r: r["reason"])
    assert swept["reason"] == (
        "no punctuation ON (hour) arrived within 1 hour 30 minutes: open since 2026-05-01 02:00:00+00:00"
    )
    assert (withheld["text"], withheld["punctuation"]) == ('{"hour":2,"COUNT(*)":1}', '{"$punct": {"hour": 2}}')
    assert (late["reason"], json.loads(late["text"])["hour"]) == (LATE, 2)
    assert metrics(tmp_path / "checkpoint-hours", "values_swept") == [0, 1, 0, 0, 0]
    assert metrics(tmp_path / "checkpoint-hours", "puncts_forgotten") == [0, 0, 0, 1, 0], "hours 1 to 3 at 22:00"

    again(spark, tmp_path)

    printed = list(shown(format_records, 1))
    assert printed[0] == f"2 of item: {what}"
    assert f"1 of item: not a final result, because {what}" in printed
