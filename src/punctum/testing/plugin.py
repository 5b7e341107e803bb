"""What pytest gets of Punctum: the fixture ``golden``, which compares a text with the one in a file, or writes it.

It is imported wherever pytest runs and Punctum is installed, so it imports nothing of ours.
"""

from collections.abc import Callable
from difflib import unified_diff
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

_UPDATE = "--update-golden"
_PLAIN = " ()+,-=[]_"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option that writes golden files anew."""
    group = parser.getgroup("punctum")
    group.addoption(_UPDATE, action="store_true", help="write the golden files of the tests that run anew")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Compares what is printed of a thing with a golden file: ``golden(run(script, data))``, or with a name too.

    The file is ``golden/MODULE/TEST.txt`` beside the test's module.
    """
    compared = set[Path]()

    def compare(thing: Any, name: str = "") -> None:
        __tracebackhide__ = True
        path = golden_file(request.node, name)
        if path in compared:
            pytest.fail(f"{path.name} is compared twice in a test: give each its name, golden(…, 'name')")
        compared.add(path)
        _compare(path, f"{thing}\n", bool(request.config.getoption(_UPDATE)))

    return compare


def golden_file(item: Any, name: str = "") -> Path:
    """The golden file of a test; what cannot be in a file's name is escaped."""
    stem = quote(f"{item.name}-{name}" if name else item.name, safe=_PLAIN)
    return Path(item.path).parent / "golden" / Path(item.path).stem / f"{stem}.txt"


def _compare(path: Path, given: str, update: bool) -> None:
    __tracebackhide__ = True
    if update:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(given, encoding="utf-8", newline="\n")
        return
    if not path.exists():
        pytest.fail(f"there is no golden file {path}\n  hint: pytest {_UPDATE} writes it; read what it has written")
    wanted = path.read_text(encoding="utf-8")
    if given != wanted:
        lines = unified_diff(wanted.splitlines(), given.splitlines(), str(path), "what came out", lineterm="")
        pytest.fail("\n".join([*lines, f"  hint: if this is right, pytest {_UPDATE} writes it"]), pytrace=False)
