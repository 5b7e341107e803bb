"""Select-project-join queries as the memory paper sees them: streams, comparisons, and what is shown of them.

What constants and declared domains say of an attribute is a pattern, ``within``; everything else is a comparison of two
attributes. A query shows attributes, each row once (*eliminating*) or as often as it comes (*preserving*), or groups by
them and aggregates.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from punctum.algebra.aggregates import HOLISTIC, Function
from punctum.algebra.pattern import Pattern
from punctum.algebra.schema import NOT_NULL, Attribute, Schema
from punctum.algebra.values import Type
from punctum.ir.conjunctive.axes import At, Axis
from punctum.ir.conjunctive.orders import Comparison, ImpliedOrder

INSENSITIVE = (Function.MIN, Function.MAX, Function.COUNT_DISTINCT)
"""The functions to which it is all the same how often a row comes."""


@dataclass(frozen=True)
class Occurrence:
    """A stream where a query reads it: its name there, the stream it is, and its attributes."""

    name: str
    stream: str
    schema: Schema


@dataclass(frozen=True)
class Aggregated:
    """A function of an attribute, or of rows; a filter is an attribute that says which rows count."""

    function: Function
    of: At | None = None
    filter: At | None = None


@dataclass(frozen=True)
class Spj:
    """A query; ``aggregates`` is None for one without groups.

    ``mixed`` are the attributes of conditions on several streams that are no comparison of two attributes; ``loose``
    says that conditions on one stream were passed over: without them more rows count, never fewer.
    """

    streams: tuple[Occurrence, ...]
    compared: tuple[Comparison, ...]
    within: Mapping[At, Pattern] = field(default_factory=dict)
    shown: tuple[At, ...] = ()
    distinct: bool = False
    aggregates: tuple[Aggregated, ...] | None = None
    mixed: tuple[frozenset[At], ...] = ()
    loose: bool = False

    @property
    def eliminating(self) -> bool:
        """Whether it is all the same how often a row comes."""
        if self.aggregates is None:
            return self.distinct
        return all(call.function in INSENSITIVE for call in self.aggregates)

    @property
    def stateless(self) -> bool:
        """Whether each row can be answered by itself: one stream, and nothing is eliminated or grouped."""
        return len(self.streams) == 1 and not self.distinct and self.aggregates is None

    @cached_property
    def listed(self) -> tuple[At, ...]:
        """The attributes whose every value must be told apart: those in the result, and what aggregates ask of."""
        calls = self.aggregates or ()
        holistic = [call.of for call in calls if call.function in HOLISTIC and call.of is not None]
        filters = [call.filter for call in calls if call.filter is not None]
        return tuple(dict.fromkeys([*self.shown, *holistic, *filters]))

    def attribute(self, at: At) -> Attribute:
        """An attribute of a stream."""
        return self.streams[at[0]].schema.attributes[at[1]]

    def name(self, at: At) -> str:
        """The name of an attribute, with its stream's."""
        return f"{self.attribute(at).name} of {self.streams[at[0]].name}"

    @cached_property
    def attributes(self) -> tuple[At, ...]:
        """The attributes that matter; where a stream is there twice, the same ones of each occurrence."""
        used = {*self.within, *self.listed, *(at for c in self.compared for at in (c.left, c.right))}
        used |= {call.of for call in self.aggregates or () if call.of is not None}.union(*self.mixed)
        columns = {(self.streams[stream].stream, column) for stream, column in used}
        return tuple(
            (i, column)
            for i, stream in enumerate(self.streams)
            for column in range(len(stream.schema))
            if (stream.stream, column) in columns
        )

    @cached_property
    def order(self) -> ImpliedOrder:
        """What follows from its conditions."""
        twins: dict[tuple[str, int], At] = {}
        return self._order(lambda at: twins.setdefault((self.streams[at[0]].stream, at[1]), at))

    @cached_property
    def whole_order(self) -> ImpliedOrder:
        """The same with all attributes of a type on one axis, as the paper has it; nothing else follows from that."""
        first: dict[Type, At] = {}
        return self._order(lambda at: first.setdefault(self.attribute(at).type, at))

    def _order(self, beside: Callable[[At], At]) -> ImpliedOrder:
        """The order on axes that attributes share with those they are compared with and one that stands beside them.

        The same attribute of two occurrences of a stream has one axis, so that places can be compared.
        """
        domains = {at: self.domain(at) for at in self.attributes}
        pairs = [(c.left, c.right) for c in self.compared] + [(beside(at), at) for at in self.attributes]
        axes = _axes(self, domains, pairs)
        return ImpliedOrder(axes, {at: axes[at].places(domain) for at, domain in domains.items()}, self.compared)

    def domain(self, at: At) -> Pattern:
        """What is known of an attribute by itself."""
        declared = self.attribute(at).domain
        return declared.meet(self.within[at]) if at in self.within else declared

    def nullable(self, at: At) -> bool:
        """Whether an attribute may be NULL where the conditions hold."""
        return self.domain(at).null and not any(at in (c.left, c.right) for c in self.compared)

    def count(self, at: At) -> int:
        """How many values a bounded attribute has."""
        return self.order.range(at).size + self.nullable(at)

    @cached_property
    def selfjoin(self) -> bool:
        """Whether a stream is there twice."""
        return len({stream.stream for stream in self.streams}) < len(self.streams)

    def watching(self, call: Aggregated) -> "Spj":
        """The query that asks for each number whether MAX or MIN passes it: a further stream of one attribute does it.

        MAX(a) is known exactly when ``EXISTS (… WHERE k < a)`` is known for each k that may come.
        """
        assert call.of is not None
        asked = replace(self.attribute(call.of), name="k", domain=NOT_NULL)
        asking = Occurrence(f"{call.function.value} of {self.name(call.of)}", "", Schema((asked,)))
        k = len(self.streams), 0
        compared = Comparison(k, "<", call.of) if call.function is Function.MAX else Comparison(call.of, "<", k)
        return Spj(
            (*self.streams, asking),
            (*self.compared, compared),
            self.within,
            self.listed,
            True,
            None,
            self.mixed,
            self.loose,
        )


def _axes(query: Spj, domains: Mapping[At, Pattern], together: Sequence[tuple[At, At]]) -> dict[At, Axis]:
    """One axis for all attributes that pairs connect."""
    group = {at: {at} for at in domains}
    for left, right in together:
        joined = group[left] | group[right]
        for at in joined:
            group[at] = joined
    made: dict[int, Axis] = {}
    for at, members in group.items():
        if id(members) not in made:
            made[id(members)] = Axis.of(query.attribute(at).type, [domains[member] for member in members])
    return {at: made[id(members)] for at, members in group.items()}
