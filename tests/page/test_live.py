"""The plan and the time of a query in a real browser: what would be kept, controls, and a plan that is long."""

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from page.browser import assert_apart, chromium, opened
from page.serving import batch, checkpoint, write_metrics
from page.test_browser import some
from punctum.errors import QueryError
from punctum.page.serve import LivePage
from punctum.page.stories import story
from punctum.page.watched import Handles, WatchedQuery

pytestmark = pytest.mark.skipif(chromium() is None, reason="there is no Chromium (on Debian: apt-get install chromium)")


class Waiting(WatchedQuery):
    """A query of whose files it is known how old they were."""

    def waiting(self) -> dict[str, Any]:
        told = {5: {"bid": 4.0, "item": 9.0}, 4: {"bid": 3.0, "other": 50.0}}
        return {"streams": [], "seconds": [{"batch": n, "streams": streams} for n, streams in told.items()]}


def test_what_would_be_kept_and_how_long_punctuations_take(browser: Browser, tmp_path: Path) -> None:
    """Without punctuations the join would keep what it has purged and not taken, the group-by what it has given."""
    with LivePage() as served:
        served.show(Waiting(checkpoint(tmp_path / "c", story("auction").sql, some(6))))
        with opened(browser, f"{served.address}#/time") as page:
            kept = 1005 + 20
            purged, covered, given = sum(range(6)), 6 * 200, sum(12 + n for n in range(6))
            expect(page.locator("figure", has_text="Rows kept").locator(".keys b")).to_have_text(
                [f"{kept:,}", f"{kept + purged + covered + given:,}"]
            )
            figure = page.locator("figure", has_text="from a punctuation to its result")
            expect(figure.locator(".keys")).to_have_text("at most 9 s")
            expect(figure).to_contain_text("p50 9.0 s, p99 9.0 s, of 2 batches")


MERGE = "".join(
    f"CREATE TEMPORAL STREAM {name} (k BIGINT, KEY (k)) USING json OPTIONS (path '{name}');" for name in "ab"
)
MERGE += "CREATE STREAM m AS LMERGE (a, b) OPTIONS (control 'control'); CREATE SINK o USING json OPTIONS (path 'o');"
MERGE += "INSERT INTO o SELECT * FROM m;"


def test_controls_say_what_they_do(browser: Browser, tmp_path: Path) -> None:
    done = list[object]()

    def attach(name: str, since: object) -> None:
        if since == "soon":
            raise QueryError("'soon' is not a time", "", "")
        done.append((name, since))

    def status() -> str:
        return "ended" if "stop" in done else "running"

    handles = Handles(list, status, str, lambda: done.append("stop"), attach, done.append)
    with LivePage(control=True) as served:
        served.show(WatchedQuery(checkpoint(tmp_path / "c", MERGE, some(2)), handles=handles))
        with opened(browser, f"{served.address}#/live") as page:
            output = page.locator("header output")
            page.get_by_label("Input of the merge").select_option("b")
            page.get_by_label("Right since this time").fill("100")
            page.get_by_role("button", name="Attach").click()
            expect(output).to_have_text("b is to be attached")
            page.get_by_role("button", name="Detach").click()
            expect(output).to_have_text("b is to be detached")
            page.get_by_role("button", name="Stop").click()
            page.get_by_label("Input of the merge").focus()
            page.get_by_role("button", name="Stop", exact=True).click()
            page.get_by_role("button", name="Stop it now?").click()
            expect(page.locator(".status")).to_have_text("ended")
            expect(page.locator("header button")).to_have_count(0)
            assert done == [("b", 100), "b", "stop"]


def test_a_long_plan_has_no_crossing_labels(browser: Browser, tmp_path: Path) -> None:
    sql = "".join(
        f"CREATE STREAM stream_{n} (k{n} BIGINT, customer BIGINT, PUNCTUATED ON (customer), PUNCTUATED ON (k{n}))"
        f" USING json OPTIONS (path '{n}');"
        for n in "abcd"
    )
    sql += "CREATE SINK o USING json OPTIONS (path 'o'); INSERT INTO o SELECT a.customer, COUNT(*) AS n FROM stream_a a"
    sql += " JOIN stream_b b ON a.customer = b.customer JOIN stream_c c ON b.customer = c.customer AND b.kb = c.kc"
    sql += " JOIN stream_d d ON c.kc = d.kd AND d.customer = a.customer GROUP BY a.customer;"
    path = checkpoint(tmp_path / "c", sql, [])
    picture = json.loads((path / "punctum" / "page.json").read_text())["picture"]
    counted: dict[str, dict[str, Any]] = {}
    for edge in picture["edges"]:
        operator, count = edge["counts"]
        counted.setdefault(operator, {}).update({count: 987_654, count.replace("rows", "puncts"): 123_456})
    write_metrics(path, [batch(n, 1000.0 + n, counted) for n in range(2)])
    boxes = """() => [...document.querySelectorAll('.main svg.graph :is(.shape, text.label)')]
        .map(e => e.getBoundingClientRect()).map(r => [r.left, r.top, r.right, r.bottom])"""
    with LivePage() as served:
        served.show(WatchedQuery(path))
        for wide in (1280, 400):
            with opened(browser, f"{served.address}#/live", wide) as page:
                expect(page.locator("svg.graph text.label").first).to_have_text("987.7k rows/s◆ 123.5k")
                found = page.evaluate(boxes)
                assert len(found) == len(picture["nodes"]) + len(picture["edges"])
                assert_apart(found, wide)
                if wide == 1280:
                    assert page.locator(".picture").evaluate("e => e.scrollWidth <= e.clientWidth"), "it is seen whole"
