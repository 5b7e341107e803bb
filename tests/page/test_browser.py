"""The page in a real browser: what it shows, by keyboard alone, on a small screen, in light and in dark."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from playwright.sync_api import Browser, Page, expect

from page.browser import Scheme, assert_apart, chromium, opened
from page.serving import SCRIPTS, batch, checkpoint, write_metrics
from punctum.cli import cli
from punctum.page.serve import LivePage
from punctum.page.stories import story
from punctum.page.watched import WatchedQuery

pytestmark = pytest.mark.skipif(chromium() is None, reason="there is no Chromium (on Debian: apt-get install chromium)")
NASTY, IMAGE = "<script>alert(1)</script>", "<img src=x onerror=alert(2)>"
VIEWS = ("live", "time", "register", "travel/auction")
JOIN = {
    "rows_from item": 40,
    "rows_from bid": 250,
    "puncts_from item": 1,
    "puncts_from bid": 13,
    "rows_in": 290,
    "rows_out": 248,
    "rows_covered": 200,
    "puncts_in": 14,
    "puncts_out": 12,
    "oldest": [900.0, "bid(itemid=17)"],
}


def some(end: int) -> list[dict[str, Any]]:
    """Batches, each with other numbers."""
    return [
        batch(
            n,
            1000.0 + 2 * n,
            {
                "s1o0": JOIN | {"rows_purged": n, "rows_kept": 1000 + n, "bytes_kept": 5000, "puncts_kept": 3},
                "s1o1": {"rows_in": 248, "rows_out": 12 + n, "rows_kept": 20, "bytes_kept": 1000, "puncts_out": 4},
                "s1o2": {"rows_in": 12 + n, "rows_out": 7000 + n, "puncts_out": 4},
            },
            n,
        )
        for n in range(end)
    ]


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LivePage, Path]]:
    path = checkpoint(tmp_path_factory.mktemp("page"), story("auction").sql, some(6))
    (path / "quarantine").mkdir()
    record = {"stream": "bid", "reason": "not JSON", "text": NASTY, "file": "a.json", "position": 3}
    (path / "quarantine" / "part-x-000000.json").write_text(json.dumps(record) + "\n")
    with LivePage() as page:
        page.show(WatchedQuery(path))
        yield page, path


def number(page: Page, of: str) -> int:
    return int(page.locator(f'[data-of="{of}"]').inner_text().replace(",", ""))


def last(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((path / "punctum" / "metrics.jsonl").read_text().splitlines()[-1])
    return found


def assert_numbers(page: Page, path: Path) -> None:
    """The numbers of the page are those of the last line of the file."""
    measured = last(path)
    operators = measured["operators"]
    assert number(page, "batch") == measured["batch"]
    assert number(page, "rows_out") == operators["s1o2"]["rows_out"]
    assert number(page, "rows_kept") == sum(counts.get("rows_kept", 0) for counts in operators.values())
    assert number(page, "quarantined") == measured["quarantined"]


def test_numbers_are_those_of_the_file_and_follow_it(browser: Browser, shown: tuple[LivePage, Path]) -> None:
    served, path = shown
    with opened(browser, f"{served.address}#/live") as page:
        page.wait_for_selector(".panel table")
        assert_numbers(page, path)
        counts = dict(
            page.locator(".panel table tr").evaluate_all(
                "rows => rows.map(r => [...r.children].map(c => c.textContent))"
            )
        )
        join = last(path)["operators"]["s1o0"]
        for words, name in (("rows in", "rows_in"), ("rows kept", "rows_kept"), ("punctuations out", "puncts_out")):
            assert int(counts[words].replace(",", "")) == join[name]
        expect(page.locator(".waits")).to_contain_text("bid(itemid=17), open for")
        write_metrics(path, some(9))
        expect(page.locator('[data-of="batch"]')).to_have_text("8")
        assert_numbers(page, path)
        edges = page.locator("svg.graph text.label").all_text_contents()
        assert any("20 rows/s" in text for text in edges) and any("125 rows/s" in text for text in edges), edges


def test_the_register_says_what_the_command_says(
    browser: Browser, shown: tuple[LivePage, Path], tmp_path: Path
) -> None:
    """For each of thirty scripts and more: in the data, and in what a person reads."""
    assert len(SCRIPTS) >= 30
    with opened(browser, f"{shown[0].address}#/register") as page:
        page.wait_for_selector(".verdicts .query")
        for name, sql in SCRIPTS.items():
            script = tmp_path / f"{name}.sql"
            script.write_text(sql)
            wanted = json.loads(CliRunner().invoke(cli, ["check", "--json", str(script)]).output)
            page.evaluate("sql => register.put(sql)", sql)
            page.wait_for_function("sql => register.checked && register.checked.sql === sql", arg=sql)
            assert page.evaluate("() => register.checked.answer.check") == wanted, name
            for query in wanted["queries"]:
                article = page.locator(f'[data-query="{query["name"]}"]')
                tags = article.locator("li.state .tag").all_inner_texts()
                kept = [state["verdict"] for state in query["state"] if state["verdict"] != "stateless"]
                assert tags == kept, name
                word = article.locator("h2 .tag").inner_text()
                assert word.startswith("admitted" if query["admitted"] else "refused"), name


def test_states_are_underlined_where_they_stand(browser: Browser, shown: tuple[LivePage, Path]) -> None:
    with opened(browser, f"{shown[0].address}#/register") as page:
        page.get_by_role("button", name="The same auction").click()
        page.wait_for_selector(".mark.unbounded")
        assert "".join(page.locator(".mark.purgeable").all_inner_texts()) == "item i JOIN bid b"
        page.get_by_role("button", name="add PUNCTUATED ON (itemid) to bid").click()
        expect(page.locator(".query h2 .tag")).to_have_text("admitted")
        assert "PUNCTUATED ON (itemid)\n) USING json OPTIONS (path 'in/bid')" in page.evaluate(
            "() => register.checked.sql"
        )
        page.evaluate("sql => register.put(sql)", story("auction").sql.replace("b.increase", "b.incrase"))
        expect(page.locator(".problem").first).to_contain_text("incrase")
        assert page.locator(".mark.wrong").all_inner_texts() == ["b.incrase"]


def test_the_unreachable_stream_is_red_and_no_label_lies_on_another(
    browser: Browser, shown: tuple[LivePage, Path]
) -> None:
    boxes = """() => [...document.querySelectorAll('.punctuation-graph :is(.shape:not(.point), text.label)')]
        .map(e => e.getBoundingClientRect()).map(r => [r.left, r.top, r.right, r.bottom])"""
    with opened(browser, f"{shown[0].address}#/register") as page:
        page.wait_for_selector(".verdicts .query")
        for name in ("forgotten", "chain", "triangle", "pairs", "auction"):
            page.evaluate("sql => register.put(sql)", story(name).sql)
            page.wait_for_function("sql => register.checked && register.checked.sql === sql", arg=story(name).sql)
            bad = page.locator(".punctuation-graph .shape.bad").all_text_contents()
            assert len(bad) == (1 if name == "forgotten" else 0) and all("bid" in text for text in bad)
            found = page.evaluate(boxes)
            assert len(found) > 2
            assert_apart(found, name)


def test_explain_draws_the_graph_that_the_page_draws(
    browser: Browser, shown: tuple[LivePage, Path], tmp_path: Path
) -> None:
    with opened(browser, f"{shown[0].address}#/register") as page:
        page.wait_for_selector(".verdicts .query")
        for name in ("forgotten", "chain", "triangle", "pairs", "auction"):
            script, drawing = tmp_path / f"{name}.sql", tmp_path / f"{name}.svg"
            script.write_text(story(name).sql)
            CliRunner().invoke(cli, ["explain", str(script), "--graph", str(drawing)])
            wanted = re.findall(r'<path d="([^"]+)"(?: marker-end="[^"]+")?/>', drawing.read_text())
            page.evaluate("sql => register.put(sql)", story(name).sql)
            page.wait_for_function("sql => register.checked && register.checked.sql === sql", arg=story(name).sql)
            drawn = page.locator(".punctuation-graph path.link").evaluate_all(
                "all => all.map(p => p.getAttribute('d'))"
            )
            assert drawn == wanted and wanted
            texts = page.locator(".punctuation-graph svg :is(tspan, text.title)").all_text_contents()
            assert texts == re.findall(r"<text [^>]+>([^<]+)</text>", drawing.read_text())


def test_names_are_shown_as_they_are(browser: Browser, tmp_path: Path) -> None:
    sql = f"CREATE STREAM `{NASTY}` (`{NASTY}` BIGINT, PUNCTUATED ON (`{NASTY}`)) USING json OPTIONS (path 'in');"
    sql += f" CREATE SINK `{IMAGE}` USING console; INSERT INTO `{IMAGE}` SELECT DISTINCT `{NASTY}` FROM `{NASTY}`;"
    path = checkpoint(
        tmp_path / "c", sql, [batch(0, 1.0, {"s1o0": {f"rows_from {NASTY}": 3, "rows_out": 3, "rows_kept": 3}})]
    )
    with LivePage() as served:
        served.show(WatchedQuery(path))
        with opened(browser, f"{served.address}#/live") as page:
            page.on("dialog", lambda dialog: pytest.fail(dialog.message))
            expect(page.locator("svg.graph text.title").first).to_contain_text("<script>alert(1)")
            page.locator(".shape.stream").click()
            expect(page.locator(".panel h2")).to_have_text(NASTY)
            expect(page.locator(".panel table td").first).to_have_text(NASTY)
            assert page.locator("select option").all_inner_texts() == [IMAGE]
            page.goto(f"{served.address}#/register")
            page.get_by_role("button", name="this run").click()
            expect(page.locator(".query h2")).to_contain_text(IMAGE)
            assert page.locator("main img, main script").count() == 0
            page.goto(f"{served.address}#/time")
            page.wait_for_selector(".more h2")


def test_the_keyboard_is_enough(browser: Browser, shown: tuple[LivePage, Path]) -> None:
    focus = "() => document.activeElement.textContent.trim() || document.activeElement.className"
    with opened(browser, f"{shown[0].address}#/live") as page:
        page.wait_for_selector(".panel table")
        page.keyboard.press("Tab")
        assert "Skip" in page.evaluate(focus)
        tabs = []
        for _ in range(4):
            page.keyboard.press("Tab")
            tabs.append(page.evaluate(focus))
        assert tabs == ["Plan", "Over time", "Register", "Time travel"]
        for _ in range(20):
            page.keyboard.press("Tab")
            if "group-by" in page.evaluate("() => document.activeElement.getAttribute('aria-label') || ''"):
                break
        page.keyboard.press("Enter")
        expect(page.locator(".panel h2")).to_have_text("group-by")
        page.goto(f"{shown[0].address}#/register")
        page.wait_for_selector(".verdicts .query")
        for _ in range(40):
            page.keyboard.press("Tab")
            if page.evaluate("() => document.activeElement.classList.contains('cm-content')"):
                break
        page.keyboard.press("Control+Home")
        page.keyboard.type("-- typed\n")
        page.wait_for_function("() => register.checked.sql.startsWith('-- typed')")
        page.keyboard.press("Escape")
        assert page.evaluate("() => document.activeElement === document.body")
        page.goto(f"{shown[0].address}#/travel/auction")
        page.get_by_role("button", name="Next slice").focus()
        page.keyboard.press("Enter")
        expect(page.locator(".controls output")).to_have_text("slice 2 of 5")
        page.keyboard.press("ArrowRight")
        expect(page.locator(".controls output")).to_have_text("slice 3 of 5")
        page.keyboard.press("ArrowLeft")
        expect(page.locator(".controls output")).to_have_text("slice 2 of 5")
        expect(page.locator(".slices tr.gone")).not_to_have_count(0)
        expect(page.locator(".slices section").last).to_contain_text("16.5")
        expect(page.locator(".slices tr.changed")).to_contain_text("1 → 2")
        page.set_viewport_size({"width": 400, "height": 800})  # the screen is turned, and the place is the same
        page.wait_for_function("() => document.querySelector('svg.graph')?.viewBox.baseVal.width < 500")
        expect(page.locator(".controls output")).to_have_text("slice 2 of 5")


def test_what_is_open_or_focused_stays_so_when_batches_come(browser: Browser, shown: tuple[LivePage, Path]) -> None:
    with opened(browser, f"{shown[0].address}#/live") as page:
        page.wait_for_selector(".panel table")
        page.get_by_role("link", name="Over time").press("Enter")
        page.wait_for_selector(".more summary")
        assert page.evaluate("() => document.activeElement.textContent") == "Over time"
        page.locator(".more summary").press("Enter")
        for end in (20, 21):
            write_metrics(shown[1], some(end))
            expect(page.locator("figure", has_text="Rows kept").locator(".keys b").first).to_have_text(
                f"{1019 + end:,}"
            )
            expect(page.locator(".more details")).to_have_attribute("open", "")
            assert page.evaluate("() => document.activeElement.dataset.key") == "bid: not JSON"


def ready(page: Page, view: str) -> None:
    """Wait until a view is there, with all that comes later."""
    page.wait_for_selector(
        {"live": ".panel table", "time": ".more h2", "register": ".deeper summary"}.get(view, ".slices table")
    )
    page.evaluate("() => document.querySelectorAll('details').forEach(each => each.open = true)")


@pytest.mark.parametrize("view", VIEWS)
def test_a_small_screen_is_enough(browser: Browser, shown: tuple[LivePage, Path], view: str) -> None:
    """Nothing but pictures, tables and texts of programs is wider than the screen, and these scroll by themselves."""
    with opened(browser, f"{shown[0].address}#/{view}", 400, 800) as page:
        ready(page, view)
        assert page.evaluate("() => document.documentElement.scrollWidth") <= 400
        small = page.locator("button:visible, a:visible, select:visible").evaluate_all(
            "all => all.filter(e => e.getBoundingClientRect().right > 401).map(e => e.textContent)"
        )
        assert not small


CONTRAST = (Path(__file__).parent / "contrast.js").read_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("view", VIEWS)
def test_all_text_can_be_read(browser: Browser, shown: tuple[LivePage, Path], view: str, scheme: Scheme) -> None:
    """Its contrast with what is behind it is at least 4.5, or 3 where it is large: WCAG 2, level AA."""
    with opened(browser, f"{shown[0].address}#/{view}", scheme=scheme) as page:
        ready(page, view)
        found = page.evaluate(CONTRAST)
        assert len(found) > 30
        faint = [each for each in found if each["ratio"] < (3 if each["large"] else 4.5) and not each["disabled"]]
        assert not faint
        dark = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
        assert (sum(map(int, re.findall(r"\d+", dark)[:3])) < 200) == (scheme == "dark")
