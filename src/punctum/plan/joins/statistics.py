"""What is known of streams for the cost of plans: declared in a script, measured by an earlier run, or guessed.

In: the options of streams (``rate '1000'``, rows a second; ``punctuation_delay '10 seconds'``, from a row to the
punctuation that covers it; ``distinct.itemid '500'``, how many values of a column there are at a time), and what a run
has measured. Out: the measures of a join. What is declared goes before what has been measured.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from math import inf, isfinite, prod

from punctum.algebra.scheme import Order
from punctum.analyse.blocks import Block
from punctum.analyse.graphs import JoinQuery
from punctum.analyse.promises import Promise
from punctum.analyse.safety.inference import Inference
from punctum.errors import Place
from punctum.ir.definitions import EndEvent, StreamDef
from punctum.ir.punctuated import Punctuated
from punctum.ir.relations import Aggregate, Distinct, Filter, Source
from punctum.ir.tree import Relation, fold, sources, walk
from punctum.parse.binder.durations import duration
from punctum.parse.ddl.options import DISTINCT
from punctum.plan.joins.cost import Measures

RATE, DELAY, PREFIXES = 1_000.0, 60.0, 1.0
"""Guesses: rows a second, seconds from a row to its punctuation, and prefixes a second."""
PASSED, GROUPED = 1 / 3, 1 / 10
"""Guesses: which share of rows passes a selection, and how many groups there are for a row."""
OPTIONS = ("rate", "punctuation_delay")
"""The options of a stream with what is known of it, beside those for a column's values."""


@dataclass(frozen=True)
class Statistics:
    """What an earlier run has measured, by the names of streams: rows a second, seconds to close, results of two."""

    rates: Mapping[str, float] = field(default_factory=dict)
    delays: Mapping[str, float] = field(default_factory=dict)
    results: Mapping[frozenset[str], float] = field(default_factory=dict)

    def rate(self, relation: Relation) -> float:
        """Rows a second of a relation, at a guess."""

        def rate(node: Relation, below: list[float]) -> float:
            share = {Filter: PASSED, Aggregate: GROUPED, Distinct: GROUPED}.get(type(node), 1.0)
            return self._rate(node.stream) if isinstance(node, Source) else sum(below) * share

        return fold(relation, rate)

    def _rate(self, stream: StreamDef) -> float:
        if "rate" in stream.options:
            return float(stream.options["rate"])
        return self.rates.get(stream.name, RATE)

    def delay(self, stream: StreamDef) -> float:
        """Seconds from a row of a stream to the punctuation that covers it."""
        if "punctuation_delay" in stream.options:
            return duration(stream.options["punctuation_delay"], Place()).total_seconds()
        declared = [clause.delay for clause in stream.punctuates if not isinstance(clause, EndEvent)]
        seconds = [delay.total_seconds() for delay in declared if isinstance(delay, timedelta)]
        return self.delays.get(stream.name, max(seconds, default=DELAY))

    def measures(self, block: Block, query: JoinQuery, known: Inference) -> Measures:
        """The measures of a join."""
        promises = [promise for leaf in block.leaves for promise in known.facts(leaf).purging]
        below = (node for leaf in block.leaves for node in walk(leaf))
        streams = {node.stream.name: node.stream for node in below if isinstance(node, Source | Punctuated)}
        rates = tuple(map(self.rate, block.leaves))
        delays = tuple(self._delay(promise, streams) for promise in promises)
        distinct = self._distinct(block, query, rates, delays)
        punctuation_rates = tuple(
            _punctuation_rate(promise, rates[on.stream], delay, prod(min(distinct[n] for n in one) for one in needs))
            for promise, on, delay, needs in zip(promises, query.schemes, delays, query.needs, strict=True)
        )
        return Measures(rates, delays, punctuation_rates, distinct)

    def _delay(self, promise: Promise, streams: Mapping[str, StreamDef]) -> float:
        return max((self.delay(streams[origin.stream]) for origin in promise.origins), default=DELAY)

    def _distinct(
        self, block: Block, query: JoinQuery, rates: tuple[float, ...], delays: tuple[float, ...]
    ) -> tuple[float, ...]:
        """The values of each class: the fewest that are declared for a column of it, or the rows of its least input."""
        live = [inf] * len(rates)
        for on, delay in zip(query.schemes, delays, strict=True):
            live[on.stream] = min(live[on.stream], rates[on.stream] * delay)
        values = []
        for members in query.members:
            counts = [number for a in members for number in _declared(block.leaves[a.stream], a.name)]
            counts = counts or list(self._measured({query.streams[a.stream]: a.stream for a in members}, rates, live))
            guess = min((live[a.stream] for a in members if isfinite(live[a.stream])), default=RATE * DELAY)
            values.append(max(1.0, min(counts) if counts else guess))
        return tuple(values)

    def _measured(self, members: Mapping[str, int], rates: Sequence[float], live: Sequence[float]) -> Iterator[float]:
        """How many values two streams have in common, by how many results they have given."""
        for pair, results in self.results.items():
            if pair <= members.keys() and results:
                one, other = (members[name] for name in pair)
                if isfinite(live[one] + live[other]):
                    yield (rates[one] * live[other] + rates[other] * live[one]) / results


def _declared(leaf: Relation, name: str) -> Iterator[float]:
    """How many values a column of an input has, as declared by the stream where it has the same name."""
    for source in sources(leaf):
        if (option := f"{DISTINCT}{name}") in source.stream.options:
            yield float(source.stream.options[option])


def _punctuation_rate(promise: Promise, rate: float, delay: float, values: float) -> float:
    """Punctuations a second: each value once, and never more than rows; of prefixes there are few."""
    if any(order is not Order.EQUALITY for _, order in promise.terms):
        return PREFIXES
    return min(rate, values / delay) if delay else rate
