"""Groups and different rows behind an outer join: what is kept of rows without a partner.

In: DISTINCT or GROUP BY of whose input some promises leave out rows in which columns are NULL together, as a rule for
want of a partner. Out: its states. Where all its columns are such columns, these rows are one group, which stays open
until the join ends. Where others are among them there may be any number of groups that nothing closes.
"""

from collections.abc import Iterator
from dataclasses import replace

from punctum.algebra.aggregates import LISTS
from punctum.analyse.promises import Facts, Padded, Promise
from punctum.analyse.safety.rules import closing
from punctum.analyse.safety.verdicts import OperatorState, Verdict, origins, rows_text
from punctum.ir.relations import Aggregate, Distinct


def of_padded(relation: Distinct | Aggregate, below: Facts, state: OperatorState) -> Iterator[OperatorState]:
    """The states of an operator that is unbounded by the promises of all rows."""
    keys = _keys(relation)
    candidates = [(padded, closed) for padded in below.padded if (closed := closing(below, keys, padded.promises))]
    one = [p for padded, closed in candidates for p in closed if not _others(keys, padded, p, below)]
    if one and not _lists(relation):
        yield from _purged(state, one)
    elif candidates:
        yield replace(state, witness=(_missing(relation, keys, candidates[0][0], candidates[0][1][0], below),))
    else:
        yield state


def _keys(relation: Distinct | Aggregate) -> list[int]:
    if isinstance(relation, Aggregate):
        return [column.index for _, column in relation.keys]
    return list(range(len(relation.schema)))


def _others(keys: list[int], padded: Padded, promise: Promise, below: Facts) -> list[int]:
    """The keys that may have several values in rows that a promise leaves out."""
    alone = padded.columns if padded.filled.intersection(promise.columns) else frozenset(promise.columns)
    return [key for key in keys if key not in alone and key not in below.constant]


def _lists(relation: Distinct | Aggregate) -> bool:
    """Whether a group is more than a row."""
    return isinstance(relation, Aggregate) and any(call.function in LISTS for call in relation.aggregates)


def _purged(state: OperatorState, closed: list[Promise]) -> Iterator[OperatorState]:
    witness, used = tuple(sorted(map(str, closed[0].origins))), origins(closed)
    yield replace(state, verdict=Verdict.PURGEABLE, witness=witness, wants=(), uses=used)
    alone = f"{state.input} without a partner"
    yield replace(state, input=alone, verdict=Verdict.BOUNDED, witness=(rows_text(1),), wants=(), uses=used)


def _missing(relation: Distinct | Aggregate, keys: list[int], padded: Padded, promise: Promise, below: Facts) -> str:
    names = relation.input.schema.names
    nulls = ", ".join(names[column] for column in promise.columns)
    by = " and ".join(sorted(map(str, promise.origins)))
    if not (others := _others(keys, padded, promise, below)):
        return f"{by} closes no row without a partner, whose {nulls} is NULL, and a list is kept of their group"
    shown = ", ".join(names[key] for key in others)
    return f"{by} closes no row without a partner, whose {nulls} is NULL, and no punctuations on {shown} are promised"
