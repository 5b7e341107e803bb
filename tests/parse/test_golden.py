"""Scripts that work, each with the relation that it means, and scripts that are refused, each with its error."""

from pathlib import Path

import pytest

from parse.golden import HERE, check, dump, parsed, refusal, split

BOUND = sorted((HERE / "bound").glob("*.sql"))
REFUSED = sorted((HERE / "refused").glob("*.sql"))


@pytest.mark.parametrize("path", BOUND, ids=lambda path: path.stem)
def test_bound(path: Path) -> None:
    check(path, "bound", dump(parsed(split(path, "bound")[0])))


@pytest.mark.parametrize("path", REFUSED, ids=lambda path: path.stem)
def test_refused(path: Path) -> None:
    error = refusal(split(path, "refused")[0])
    assert error != "it is accepted"
    assert "Traceback" not in error and "sqlglot" not in error
    check(path, "refused", error)


def test_there_are_enough_refusals() -> None:
    assert len(REFUSED) >= 40
