"""A query that runs, and its page: the numbers are those of metrics.jsonl, in the data and in a browser."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect
from pyspark.sql import SparkSession

from lanes import long
from page.browser import chromium, opened, started
from page.serving import ask
from punctum.page.serve import LivePage
from punctum.page.stories import story
from punctum.page.watched import WatchedQuery, shown
from punctum.session import Session

AUCTION = story("auction")
NOTHING = {"item": 0, "bid": 0}


def write(directory: Path, n: int) -> None:
    """A slice of the auction, the stream of the bids first: the last batch of a slice has the items."""
    for stream in ("bid", "item"):
        lines = "".join(json.dumps(element) + "\n" for element in AUCTION.slices[n][stream])
        (directory / "in" / stream).mkdir(parents=True, exist_ok=True)
        part = directory / "in" / stream / f".{n}"
        part.write_text(lines)
        part.replace(part.with_name(f"{n}.json"))


def measured(checkpoint: Path) -> list[dict[str, Any]]:
    return [shown(json.loads(line)) for line in (checkpoint / "punctum" / "metrics.jsonl").read_text().splitlines()]


def test_the_page_shows_what_is_measured(spark: SparkSession, tmp_path: Path) -> None:
    checkpoint = tmp_path / "checkpoint"
    write(tmp_path, 0)
    first, *rest = (tmp_path / "in/bid/0.json").read_text().splitlines(keepends=True)
    for name, lines, age in (("0-first", [first], 5000.0), ("0", rest, 0.0)):
        (tmp_path / f"in/bid/{name}.json").write_text("".join(lines))
        os.utime(tmp_path / f"in/bid/{name}.json", (time.time() - age,) * 2)
    (query,) = Session(spark).script(AUCTION.sql, tmp_path)
    query.start(checkpoint)
    try:
        with query.page(control=True) as page:
            for n in range(1, 4):
                write(tmp_path, n)
                query.catch_up()
            assert ask(page, "api/queries/closing/batches")[1] == measured(checkpoint)
            told = ask(page, "api/queries/closing/waiting")[1]
            assert {each["stream"]: each["files"] for each in told["streams"]} == NOTHING
            assert all(seconds >= 0 for each in told["seconds"] for seconds in each["streams"].values())
            seconds = {name: n for each in reversed(told["seconds"]) for name, n in each["streams"].items()}
            assert seconds["bid"] > 5000 > seconds["item"], "of several files of a batch the first one"
            assert {name for each in told["seconds"] for name in each["streams"]} == {"item", "bid"}
            (reason,) = ask(page, "api/queries/closing/quarantine")[1]["reasons"]
            assert (reason["stream"], reason["rows"]) == ("bid", 1)
            operators = ask(page, "api/queries/closing/state")[1]["operators"]
            join = operators[0]["tables"][0]
            last = measured(checkpoint)[-1]["operators"]
            assert sum(table["rows"] for table in operators[0]["tables"]) == last["s1o0"]["rows_kept"] == 2
            assert {row["key"]["itemid"] for row in join["largest"]} == {2, 5}
            assert {row["waits for"] for row in join["oldest"]} <= {"bid(itemid=2)", "bid(itemid=5)"}
            elsewhere = WatchedQuery(checkpoint)
            assert elsewhere.batches() == measured(checkpoint) and elsewhere.notes == query_notes(page)
            if chromium() is not None:
                browse(page, checkpoint)
            assert ask(page, "api/queries/closing/control", body='{"do": "attach", "input": "a"}')[0] == 409
            assert ask(page, "api/queries/closing/control", body='{"do": "stop"}')[0] == 200
            assert not query.running and ask(page, "api/queries")[1][0]["status"] == "ended"
    finally:
        query.stop()


def query_notes(page: LivePage) -> Any:
    return page.queries["closing"].notes


def browse(page: LivePage, checkpoint: Path) -> None:
    """What a person reads is what was measured."""
    last = measured(checkpoint)[-1]
    with started() as browser, opened(browser, f"{page.address}#/live") as looked:
        looked.wait_for_selector(".panel table")
        kept = sum(counts["rows_kept"] for counts in last["operators"].values())
        expect(looked.locator('[data-of="batch"]')).to_have_text(str(last["batch"]))
        expect(looked.locator('[data-of="rows_kept"]')).to_have_text(str(kept))
        expect(looked.locator('[data-of="rows_out"]')).to_have_text(str(last["operators"]["s1o2"]["rows_out"]))
        expect(looked.locator(".shape.picked .live")).to_contain_text(
            f"keeps {last['operators']['s1o0']['rows_kept']} "
        )
        expect(looked.locator(".panel")).to_contain_text("itemid=2")
        expect(looked.locator(".status")).to_have_text("running")


@long
@pytest.mark.command
def test_the_demo_begins_with_the_address(tmp_path: Path) -> None:
    """And its page knows the query while it runs."""
    command = [sys.executable, "-m", "punctum", "demo", "auction", "--directory", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as demo:
        assert demo.stdout is not None
        name, _, address = demo.stdout.readline().strip().partition(": ")
        assert name == "page" and address.startswith("http://127.0.0.1:")
        rest = demo.stdout.read()
    assert demo.returncode == 0 and "plot is" in rest
