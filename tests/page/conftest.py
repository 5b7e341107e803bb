"""The browser of a file of tests."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from page.browser import started


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with started() as running:
        yield running
