"""The advice for refused queries is complete: brute force over all sets of schemes on one column finds the same."""

from itertools import combinations
from pathlib import Path

import pytest

from analyse.test_golden import REFUSED
from analyse.test_kept import registered
from punctum.algebra.scheme import Order
from punctum.analyse.promises import Declared
from punctum.analyse.safety.advice import advice
from punctum.analyse.safety.inference import Inference
from punctum.analyse.safety.register import QueryAnalysis
from punctum.analyse.safety.states import states
from punctum.analyse.safety.verdicts import Verdict

Set = frozenset[Declared]


def enough(query: QueryAnalysis, more: Set) -> bool:
    by_stream: dict[str, tuple[Declared, ...]] = {}
    for scheme in more:
        by_stream[scheme.stream] = (*by_stream.get(scheme.stream, ()), scheme)
    with_more = states(query.query.relation, Inference(by_stream))
    return all(state.verdict is not Verdict.UNBOUNDED for state in with_more)


def weakened(more: Set) -> list[Set]:
    """The sets in which one ordered scheme promises equality alone."""
    plain = ((scheme, Declared(scheme.stream, ((scheme.terms[0][0], Order.EQUALITY),))) for scheme in more)
    return [more - {scheme} | {weaker} for scheme, weaker in plain if scheme != weaker]


def smallest(query: QueryAnalysis, most: int) -> set[Set]:
    """All smallest sets that are enough, without those in which a weaker scheme would do."""
    every = [
        Declared(stream.name, ((name, order),))
        for stream in query.streams
        for name in stream.schema.names
        for order in Order
    ]
    for size in range(1, most + 1):
        sets = {frozenset(schemes) for schemes in combinations(every, size) if enough(query, frozenset(schemes))}
        if sets:
            return {schemes for schemes in sets if not any(len(w) == size and w in sets for w in weakened(schemes))}
    return set()


@pytest.mark.parametrize("path", REFUSED, ids=lambda path: path.stem)
def test_all_smallest_sets_are_found(path: Path) -> None:
    query = registered(path)
    assert {frozenset(schemes) for schemes in query.advice} == smallest(query, 2)


def test_a_search_that_is_too_long_gives_one_set() -> None:
    """It is enough; with a little more effort nothing can be left out of it."""
    query = next(registered(path) for path in REFUSED if path.stem == "many")
    assert len(query.advice) == 9
    (one,) = advice(query.query.relation, effort=0)
    assert enough(query, frozenset(one)) and len(one) > 2
    (one,) = advice(query.query.relation, effort=30)
    assert enough(query, frozenset(one)) and len(one) == 2
