"""Some scripts of the search; ``PYTHONPATH=tests python -m search 0 100000`` tries as many as one likes."""

import pytest

from lanes import SEARCHED
from search.rounds import look_at_rounds
from search.scripts import WIDE, written
from search.search import look_at

EACH = 20
FOUND = (507030, 517131, 519923, 523706, 542687)
"""Found and mended: few values of a column, of each of which only some buckets of a hypercube were told; rows whose
column is shown twice, or compared with itself, and NULL."""
GREW = (49, 91, 110, 121, 193, 568500)
"""Found and mended: punctuations that operators kept though the register had not said so."""


@pytest.mark.parametrize("first", [*range(0, SEARCHED, EACH), *range(WIDE, WIDE + SEARCHED // 2, EACH)])
def test_whole_queries(first: int) -> None:
    for number in range(first, first + EACH):
        found = look_at(number)
        assert not found.wrong, f"{found.wrong}\n{written(number).sql}"


@pytest.mark.parametrize("number", FOUND)
def test_what_was_found(number: int) -> None:
    found = look_at(number)
    assert (found.word, found.wrong) == ("admitted", "")


@pytest.mark.parametrize("number", [*GREW, *range(SEARCHED // 15)])
def test_rounds_of_fresh_keys(number: int) -> None:
    found = look_at_rounds(number)
    assert not found.wrong, f"{found.wrong}\n{written(number).sql}"
    assert number not in GREW or found.word == "flat"
