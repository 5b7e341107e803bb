"""Some scripts of the search; ``PYTHONPATH=tests python -m search 0 100000`` tries as many as one likes."""

import pytest

from lanes import SEARCHED
from search import cuts
from search.mangled import mangled, shown
from search.rounds import look_at_rounds
from search.scripts import TIMED, WIDE, written
from search.search import look_at

EACH = 20
FOUND = (507030, 517131, 519923, 523706, 542687, 3000622)
"""Found and mended: few values of a column, of each of which only some buckets of a hypercube were told; rows whose
column is shown twice, or compared with itself, and NULL; windows that hop, and a condition that few of them pass."""
GREW = (49, 91, 110, 121, 193, 568500)
"""Found and mended: punctuations that operators kept though the register had not said so."""


FIRST = [*range(0, SEARCHED, EACH), *(n for kind in (WIDE, TIMED) for n in range(kind, kind + SEARCHED // 2, EACH))]


@pytest.mark.parametrize("first", FIRST)
def test_whole_queries(first: int) -> None:
    for number in range(first, first + EACH):
        found = look_at(number)
        assert not found.wrong, f"{found.wrong}\n{written(number).sql}"


@pytest.mark.parametrize("first", [n for kind in (0, WIDE, TIMED) for n in range(kind, kind + SEARCHED // 6, 5)])
def test_whole_queries_that_go_on_with_more_buckets(first: int) -> None:
    for number in range(first, first + 5):
        found = look_at(number, times=2 + number % 3)
        assert not found.wrong, f"{found.wrong}\n{written(number).sql}"


@pytest.mark.parametrize(("number", "times"), [(9, 4), (3000010, 2)])
def test_what_was_found_of_more_buckets(number: int, times: int) -> None:
    """Keys of a synopsis that have names of their own; what waits for rows that another bucket has now."""
    found = look_at(number, times)
    assert (found.word, found.wrong) == ("admitted", "")


@pytest.mark.parametrize("number", FOUND)
def test_what_was_found(number: int) -> None:
    found = look_at(number)
    assert (found.word, found.wrong) == ("admitted", "")


@pytest.mark.parametrize("number", [*GREW, *range(SEARCHED // 15)])
def test_rounds_of_fresh_keys(number: int) -> None:
    found = look_at_rounds(number)
    assert not found.wrong, f"{found.wrong}\n{written(number).sql}"
    assert number not in GREW or found.word == "flat"


@pytest.mark.parametrize("first", range(0, SEARCHED // 2, 5))
def test_odd_clauses_say_the_same_however_a_sequence_is_cut(first: int) -> None:
    for number in range(first, first + 5):
        word = cuts.look_at(number)
        assert word in cuts.FINE, f"{number} {word}\n{cuts.script(number)}"


@pytest.mark.parametrize("first", range(0, 2 * SEARCHED, EACH))
def test_texts_that_were_mangled_have_a_verdict_or_an_error_of_ours(first: int) -> None:
    for number in range(first, first + EACH):
        assert shown(mangled(number)) in ("shown", "error"), number
