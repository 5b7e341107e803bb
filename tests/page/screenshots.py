"""The pictures of docs/page.md and the README: ``make screenshots`` runs the auction and looks at its page."""

import json
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.request import urlopen

from playwright.sync_api import Browser, Page

from page.browser import Scheme, chromium, started

PLACE = Path(__file__).parents[2] / "docs" / "page"
PUNCTUM = Path(sys.executable).with_name("punctum")
BATCHES = 6
"""So many batches with rows are waited for: then there is something to see."""


def main() -> None:
    """Take them all."""
    if chromium() is None:
        sys.exit("there is no Chromium (on Debian: apt-get install chromium)")
    PLACE.mkdir(exist_ok=True)
    with TemporaryDirectory() as directory:
        command = [str(PUNCTUM), "demo", "auction", "--directory", directory]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as demo:
            assert demo.stdout is not None
            address = demo.stdout.readline().removeprefix("page: ").strip()
            try:
                with started() as browser:
                    take(browser, address)
            finally:
                demo.terminate()


def take(browser: Browser, address: str) -> None:
    """The pictures of a page."""
    page = browser.new_page(viewport={"width": 1280, "height": 860}, reduced_motion="reduce")
    page.goto(f"{address}#/register")
    shot(page, "register", refused)
    page.goto(f"{address}#/travel/auction")
    shot(page, "travel", second)
    running(page, address)


def running(page: Page, address: str) -> None:
    """Those of the query; a page that is there already is quick, and the demo does not wait."""
    while len(known := batches(address)) < BATCHES and (not known or known[-1]["batch"] < BATCHES):
        time.sleep(0.5)
    for view, name, there in (("time", "time", ".more h2"), ("live", "plan", ".panel table")):
        page.goto(f"{address}#/{view}")
        shot(page, name, lambda page, there=there: page.wait_for_selector(there))


def shot(page: Page, name: str, ready: Any) -> None:
    """One of them, in light and in dark."""
    schemes: tuple[Scheme, ...] = ("light", "dark")
    for scheme in schemes:
        page.emulate_media(color_scheme=scheme)
        ready(page)
        page.wait_for_timeout(500)  # for pictures only: what is drawn settles
        page.screenshot(path=PLACE / f"{name}-{scheme}.png")


def refused(page: Page) -> None:
    """The register with the auction whose promise is missing."""
    page.get_by_role("button", name="The same auction").click()
    page.wait_for_selector("button.advice")


def second(page: Page) -> None:
    """The second slice; it is shown again in other colours."""
    page.wait_for_selector(".slices")
    if page.locator(".controls output").inner_text().startswith("slice 1 "):
        page.get_by_role("button", name="Next slice").click()


def batches(address: str) -> list[dict[str, Any]]:
    """The batches of the query that runs, if it runs already."""
    with urlopen(f"{address}api/queries") as answer:
        names = [query["name"] for query in json.load(answer)]
    if not names:
        return []
    with urlopen(f"{address}api/queries/{names[0]}/batches") as answer:
        found: list[dict[str, Any]] = json.load(answer)
        return found


if __name__ == "__main__":
    main()
