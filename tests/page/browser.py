"""Chromium, where there is one: Debian's, driven by Playwright, which brings none of its own."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from playwright.sync_api import Browser, Page, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
Scheme = Literal["light", "dark"]


def chromium() -> str | None:
    """Where it is, if it is anywhere."""
    return next((path for name in NAMES if (path := shutil.which(name)) is not None), None)


@contextmanager
def started() -> Iterator[Browser]:
    """A browser, while it is needed."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=list(ARGUMENTS))
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def opened(
    browser: Browser, address: str, wide: int = 1280, high: int = 800, scheme: Scheme = "light"
) -> Iterator[Page]:
    """A page at an address; whatever its console says, or an error of its scripts, is an error here."""
    context = browser.new_context(
        viewport={"width": wide, "height": high}, color_scheme=scheme, reduced_motion="reduce"
    )
    context.set_default_timeout(60_000)
    page, said = context.new_page(), list[str]()
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    try:
        page.goto(address)
        yield page
        assert not said, said
    finally:
        context.close()


def assert_apart(found: list[list[float]], what: object) -> None:
    """No box lies on another one."""
    for i, (left, top, right, bottom) in enumerate(found):
        for other in found[:i]:
            beside = right <= other[0] + 1 or other[2] <= left + 1
            assert beside or bottom <= other[1] + 1 or other[3] <= top + 1, (what, found[i], other)
