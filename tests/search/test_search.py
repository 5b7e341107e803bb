"""A few hundred scripts of the search; ``PYTHONPATH=tests python -m search 0 100000`` tries as many as one likes."""

import pytest

from search.scripts import written
from search.search import look_at

EACH, MANY = 20, 300


@pytest.mark.parametrize("first", range(0, MANY, EACH))
def test_whole_queries(first: int) -> None:
    for number in range(first, first + EACH):
        found = look_at(number)
        assert not found.wrong, f"{found.wrong}\n{written(number).sql}"
