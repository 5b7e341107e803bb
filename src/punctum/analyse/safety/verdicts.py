"""What becomes of a state while its query runs: a verdict, with its witness.

- **stateless**: no rows are kept.
- **bounded**: at most so many rows as the witness names, whatever comes.
- **purgeable**: the witness is the chain of schemes whose punctuations, in this order, purge every row.
- **unbounded**: the witness is what is missing: for a join the inputs that cannot be reached.

An unbounded state also has what it *wants*: columns of which one at least must get into a new promise before the
state can be purged.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from punctum.algebra.scheme import Order
from punctum.analyse.graphs import Step
from punctum.analyse.promises import Declared, Promise
from punctum.errors import Place
from punctum.ir.definitions import NOWHERE
from punctum.ir.tree import Relation


class Verdict(Enum):
    """What becomes of a state while its query runs."""

    STATELESS = "stateless"
    BOUNDED = "bounded"
    PURGEABLE = "purgeable"
    UNBOUNDED = "unbounded"


class Want(NamedTuple):
    """A column of a relation that would have to be in a promise, with its order."""

    relation: Relation
    column: int
    order: Order = Order.EQUALITY


@dataclass(frozen=True)
class OperatorState:
    """A state of an operator: of which input it has rows, its verdict, and the witness, each part as text."""

    operator: str
    input: str
    verdict: Verdict
    witness: tuple[str, ...] = ()
    place: Place = field(default=NOWHERE, compare=False)
    wants: tuple[Want, ...] = field(default=(), repr=False, compare=False)
    uses: frozenset[Declared] = field(default=frozenset(), repr=False, compare=False)
    chain: tuple[Step, ...] = ()
    undecided: tuple[str, ...] = field(default=(), compare=False)
    """Why it may be purgeable all the same."""


def rows_text(most: int) -> str:
    """So many rows, in words."""
    return "1 row" if most == 1 else f"{most} rows"


def origins(promises: Sequence[Promise]) -> frozenset[Declared]:
    """The declared schemes from which some promises follow."""
    return frozenset(origin for promise in promises for origin in promise.origins)
