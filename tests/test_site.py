"""The site: built strictly, whole, with nothing fetched from elsewhere, and pictures that the commands draw."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pictures
import pytest
import reference

import punctum
from punctum import errors
from punctum.cli import cli

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as ``make docs`` does it: a warning is an error."""
    to = tmp_path_factory.mktemp("site") / "built"
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(to)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return to


def test_every_page_is_there(site: Path) -> None:
    pages = {path.relative_to(site).as_posix() for path in site.rglob("*.html")}
    wanted = {path.relative_to(ROOT / "docs").with_suffix(".html").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    wanted |= {f"reference/{name}.html" for name in reference.PAGES}
    wanted |= {path.relative_to(ROOT).with_suffix(".html").as_posix() for path in (ROOT / "examples").rglob("*.md")}
    assert {page.replace("README.html", "index.html") for page in wanted} - pages == set()


def test_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    """No page has a script, a style, a font or a picture of another host, nor has a style."""
    fetched = re.compile(
        r'<(?:script|img|iframe)[^>]+src="(https?:)?//|<link[^>]+href="(?:https?:)?//(?!schema)', re.IGNORECASE
    )
    for page in site.rglob("*.html"):
        found = [hit.group() for hit in fetched.finditer(page.read_text()) if 'rel="canonical"' not in hit.group()]
        assert not found, (page, found)
    for style in site.rglob("*.css"):
        assert not re.search(r"url\([\"']?(?:https?:)?//|@import", style.read_text()), style


def test_examples_show_their_script_and_picture(site: Path) -> None:
    page = (site / "examples/payments/index.html").read_text()
    assert "picture.svg" in page
    assert "reconciled" in page
    assert (site / "examples/payments/picture.svg").exists()


def test_the_pictures_of_the_concepts_are_drawn_by_the_command() -> None:
    page = (ROOT / "docs/concepts.md").read_text()
    for name, draw in pictures.PICTURES.items():
        assert (ROOT / "docs" / f"{name}.svg").read_text() == draw()
        assert f"]({name}.svg)" in page


def test_references_have_all_there_is() -> None:
    """Each command and option, each public name of the Python API, each kind of error that is raised."""
    text = reference.commands()
    for command in cli.commands.values():
        assert f"## punctum {command.name}" in text
        for parameter in command.params:
            assert all(f"`{option}" in text or f", {option}" in text for option in parameter.opts if "--" in option)
    api = reference.python()
    for name in ("punctum.Session", "punctum.Query", "punctum.testing.run", "### dataframe", "### kept"):
        assert name in api
    assert "SchemaError" in api
    every = reference.every_error()
    assert {"PatternError", "SchemaError", "SqlError", "QueryError"} <= set(
        re.findall(r"^## (\w+)$", every, re.MULTILINE)
    )
    assert "| there is no column … |" in every
    assert "| the directory … cannot be used | choose another directory with --directory |" in every  # by a name
    assert every.count(" |  |") < 70
    assert len(every.splitlines()) > 300
    assert errors.__doc__ is not None
    assert set(punctum.__all__) - {"Session", "Query"} <= set(re.findall(r"\w+Error", errors.__doc__))
