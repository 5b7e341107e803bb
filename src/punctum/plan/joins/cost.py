"""What a plan of a join costs: how much it keeps, and how much work it is, by rates, delays and distinct values.

In: a join as graphs see it, and a few numbers for its inputs. Out: for each tree of join operators its *memory*, in
rows of inputs that are kept at a time, and its *work*, in steps a second. Sets of inputs are bits of an integer.

In an operator over the inputs ``W``, of which each of its own inputs is a part::

    t(W, s)  time from a row of s until the last of W is closed for it: the longest way in the order of a chained purge,
             where a scheme takes its delay after all values that it asks for are known
    r(P)     rows of a part: each row of an input meets the kept rows of the others, by one of the distinct values of
             each class that they share
    kept     sum over parts P of  |P| r(P) (min t(W, s) over s in P + lag),  and for punctuations  p(s) t(W, s)
    work     each row visits every input, each result every input but one, each punctuation its own, and a purge looks
             at all that is kept

What an inner join holds punctuations back for is not added: the outer one waits for the same punctuations anyway. So
all of these hang on sets of inputs alone, and not on the tree.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cached_property, reduce
from heapq import heappop, heappush
from math import inf, prod
from typing import NamedTuple

from punctum.analyse.graphs import JoinQuery
from punctum.plan.joins.trees import Tree, leaves, operators

LOOK = 0.01
"""The work of looking at a kept row in a purge; that of a row in a visit is 1."""


class Objective(Enum):
    """What a plan is to be best in."""

    MEMORY = "memory"
    THROUGHPUT = "throughput"


class Purge(Enum):
    """When punctuations purge: in each batch, or in one of several for all of them."""

    EAGER = "eager"
    LAZY = "lazy"

    @property
    def seconds(self) -> float:
        """How far purges are apart."""
        return 1.0 if self is Purge.EAGER else 30.0

    @property
    def lag(self) -> float:
        """For how long a row is kept on average that could be purged."""
        return 0.0 if self is Purge.EAGER else self.seconds / 2


class Cost(NamedTuple):
    """Rows that are kept, and steps a second."""

    memory: float
    work: float

    def __add__(self, other: tuple[float, ...]) -> "Cost":  # type: ignore[override]
        """Both together."""
        return Cost(self.memory + other[0], self.work + other[1])

    def by(self, objective: Objective) -> tuple[float, float]:
        """What to compare: the objective first."""
        return (self.memory, self.work) if objective is Objective.MEMORY else (self.work, self.memory)


@dataclass(frozen=True)
class Measures:
    """What is known or guessed of a join's inputs.

    Rows a second of each input; of each scheme the seconds from a row to the punctuation that covers it, and its
    punctuations a second; and how many values of each class there are at a time.
    """

    rates: tuple[float, ...]
    delays: tuple[float, ...]
    punctuation_rates: tuple[float, ...]
    distinct: tuple[float, ...]


@dataclass(frozen=True)
class Closing:
    """A set of inputs that purge each other: for each of them the time to close, and the rate of their join."""

    times: dict[int, float]
    rate: float
    puncts: float
    """Punctuations that are kept."""
    punctuation_rate: float
    """Punctuations a second."""


class Costs:
    """The costs of the plans of one join."""

    def __init__(self, query: JoinQuery, measures: Measures, purge: Purge = Purge.EAGER) -> None:
        self.query, self.measures, self.purge = query, measures, purge
        self._closings: dict[int, Closing | None] = {}

    def closing(self, inputs: int) -> Closing | None:
        """What holds for inputs that are joined and purge each other, or for a single one; nothing if they do not."""
        if inputs not in self._closings:
            self._closings[inputs] = self._close(inputs)
        return self._closings[inputs]

    def part(self, part: int, whole: Closing) -> tuple[float, float]:
        """What an operator keeps of one of its inputs, and how many rows of it come a second."""
        mine = self.closing(part)
        assert mine is not None
        times = whole.times
        wait = min(times[s] for s in bits(part)) + self.purge.lag
        return part.bit_count() * mine.rate * wait, mine.rate

    def operator(self, whole: Closing, count: int, kept: float, rate: float) -> Cost:
        """The cost of an operator of so many inputs, of which it keeps and gets so much."""
        memory = kept + whole.puncts
        rows, looks = count * rate + (count - 1) * whole.rate, LOOK * memory / self.purge.seconds
        return Cost(memory, rows + whole.punctuation_rate + looks)

    def tree(self, tree: Tree) -> Cost | None:
        """The cost of a plan; nothing for one that is not safe."""
        total = Cost(0.0, 0.0)
        for operator in operators(tree):
            whole = self.closing(mask(leaves(operator)))
            if whole is None:
                return None
            parts = [self.part(mask(leaves(below)), whole) for below in operator.inputs]
            total += self.operator(whole, len(parts), sum(kept for kept, _ in parts), sum(rate for _, rate in parts))
        return total

    def _close(self, inputs: int) -> Closing | None:
        streams = list(bits(inputs))
        times: dict[int, float] = {}
        for stream in streams:
            times[stream] = self._time(inputs, stream)
            if times[stream] == inf:
                return None
        rates = dict.fromkeys(streams, 0.0)
        for i in self._usable(inputs):
            rates[self.query.schemes[i].stream] += self.measures.punctuation_rates[i]
        puncts = sum(rates[s] * times[s] for s in streams)
        return Closing(times, self._rate(times), puncts, sum(rates.values()))

    def _rate(self, times: dict[int, float]) -> float:
        """Results a second: each new row with the kept ones of the others that have the same values."""
        rates = self.measures.rates
        kept = {s: rates[s] * time for s, time in times.items()}
        shared: dict[int, int] = {}
        for s in times:
            for number in self.query.binds[s]:
                shared[number] = shared.get(number, 0) + 1
        equal = prod(self.measures.distinct[number] ** (count - 1) for number, count in shared.items())
        return sum(rates[s] * prod(kept[o] for o in times if o != s) for s in times) / equal

    def _usable(self, inputs: int) -> Iterator[int]:
        """The schemes of some inputs whose values others of them know."""
        for i, scheme in enumerate(self.query.schemes):
            if inputs >> scheme.stream & 1:
                others = inputs & ~(1 << scheme.stream)
                if others and all(self._known(numbers) & others for numbers in self.query.needs[i]):
                    yield i

    def _known(self, numbers: Iterable[int]) -> int:
        return reduce(int.__or__, (self._knowing[number] for number in numbers), 0)

    @cached_property
    def _knowing(self) -> tuple[int, ...]:
        """The inputs that bind each class."""
        return tuple(mask({a.stream for a in members}) for members in self.query.members)

    @cached_property
    def neighbours(self) -> tuple[int, ...]:
        """For each input those with which it shares an attribute, or that a comparison bounds."""
        near = [self._known(binds) for binds in self.query.binds]
        for (of, _), by in self.query.bounded.items():
            for one, other in ((self._knowing[of], self._known(by or ())), (self._known(by or ()), self._knowing[of])):
                for i in bits(one):
                    near[i] |= other
        return tuple(near)

    @cached_property
    def _free(self) -> tuple[int, ...]:
        """The schemes that need no value."""
        return tuple(i for i, needs in enumerate(self.query.needs) if not needs)

    def _time(self, inputs: int, start: int) -> float:
        """When the last of some inputs is closed for a row of one of them; never, when a chain does not get there."""
        query, delays = self.query, self.measures.delays
        missing: dict[int, set[frozenset[int]]] = {}
        known: set[int] = set()
        coming: list[tuple[float, int]] = [(delays[i], query.schemes[i].stream) for i in self._free]
        coming.sort()
        left, now, stream = inputs & ~(1 << start), 0.0, start
        while left:
            for number in query.binds[stream].keys() - known:
                known.add(number)
                for i, needed in query.users.get(number, ()):
                    left_of = missing.setdefault(i, set(query.needs[i]))
                    if needed in left_of:
                        left_of.discard(needed)
                        if not left_of:
                            heappush(coming, (now + delays[i], query.schemes[i].stream))
            while coming and not left >> coming[0][1] & 1:
                heappop(coming)
            if not coming:
                return inf
            now, stream = heappop(coming)
            left &= ~(1 << stream)
        return now


def mask(inputs: Iterable[int]) -> int:
    """Positions as bits."""
    return sum(1 << i for i in inputs)


def bits(inputs: int) -> Iterator[int]:
    """The positions of bits."""
    while inputs:
        lowest = inputs & -inputs
        yield lowest.bit_length() - 1
        inputs &= ~lowest
