"""Advice for a query that is refused: the smallest sets of further schemes that would make it safe.

Schemes on one column are enough to look at: a scheme on fewer columns promises more, so where one on several would do,
each of its columns does. The search takes the first unbounded state, adds a scheme on one of the columns that it wants,
and goes on until nothing is unbounded: first with one scheme, then with two, until some sets of a size are enough. What
a state wants is complete, so no smaller set is passed over. A search that becomes too long ends with one set that is
enough, and as small as has been seen by then.
"""

from collections.abc import Iterator, Mapping
from typing import assert_never

from punctum.algebra.outer import JoinKind
from punctum.algebra.scheme import Order
from punctum.algebra.trends import Trend
from punctum.analyse.blocks import Block
from punctum.analyse.conditions import bounding
from punctum.analyse.graphs import Attr, JoinQuery
from punctum.analyse.promises import Declared
from punctum.analyse.safety.choice import inferred
from punctum.analyse.safety.inference import Inference, few_values
from punctum.analyse.safety.states import states
from punctum.analyse.safety.verdicts import OperatorState, Verdict, Want
from punctum.ir.elements import FROM
from punctum.ir.hop import Hop
from punctum.ir.lookup import Lookup
from punctum.ir.node import PlannedNode
from punctum.ir.over import Over
from punctum.ir.punctuated import Punctuated
from punctum.ir.ranking import Ranked
from punctum.ir.relations import (
    Aggregate,
    Distinct,
    Except,
    Filter,
    Intersect,
    Join,
    OrderBy,
    OuterJoin,
    Projection,
    Source,
    Union,
    UnionAll,
    Window,
)
from punctum.ir.session import Sessions
from punctum.ir.shape import shape
from punctum.ir.stamped import Stamped
from punctum.ir.temporal import Cleansed, Final, LMerge, Opened
from punctum.ir.tree import Relation, walk

EFFORT = 10_000
"""How many states a search looks at by default."""

MOST = 100
"""So many sets are reported at most."""

Set = frozenset[Declared]


def advice(relation: Relation, effort: int = EFFORT) -> tuple[tuple[Declared, ...], ...]:
    """The smallest sets of schemes with which a relation would be safe; none when no schemes can do it.

    A search that looks at more states than its effort allows gives one set that is enough.
    """
    search = _AdviceSearch(relation, effort)
    first = search.unbounded(frozenset())
    if first is None:
        return ()
    whole = search.least(search.greedy())
    if whole is None:
        return ()
    try:
        enough = next(filter(None, (search.of_size(size) for size in range(1, len(whole)))), None)
        enough = enough or search.of_size(len(whole))
    except _TooManyError:
        enough = {whole}
    weakest = [schemes for schemes in enough if not any(_weaker(other, schemes) for other in enough)]
    in_order = (tuple(sorted(schemes, key=str)) for schemes in weakest)
    return tuple(sorted(in_order, key=lambda schemes: [*map(str, schemes)])[:MOST])


class _TooManyError(Exception):
    """The search has looked at as much as it may."""


class _AdviceSearch:
    """Looks at a relation with further schemes."""

    def __init__(self, relation: Relation, effort: int) -> None:
        self.relation, self.plain = relation, inferred(relation)
        self._left = effort
        wanted = [want for state in states(relation, self.plain) for want in state.wants]
        self._orders = {scheme for want in [*wanted, *_sorted(relation)] for scheme in self.candidates(want)}

    def every(self, more: Set) -> list[OperatorState]:
        """The states that are unbounded with some more schemes."""
        known = Inference(_by_stream(more), parts=self.plain.parts, unread=self.plain.unread)
        if len(self.plain.parts):  # which parts run on synopses may hang on the schemes
            known = inferred(self.relation, _by_stream(more))
        all_states = list(states(self.relation, known))
        self._left -= len(all_states)
        return [state for state in all_states if state.verdict is Verdict.UNBOUNDED]

    def unbounded(self, more: Set) -> OperatorState | None:
        """The first state that is unbounded with some more schemes: the one that wants the least of its kind."""
        unbounded = self.every(more)
        same = [state for state in unbounded if state.place == unbounded[0].place]
        return min(same, key=lambda state: len(state.wants), default=None)

    def hits(self, state: OperatorState) -> list[Declared]:
        """Schemes of which one at least must be added for a state, and those that promise more than one of them."""
        wanted = dict.fromkeys(scheme for want in state.wants for scheme in self.candidates(want))
        more = [scheme for scheme in self._orders if any(_implies(scheme, other) for other in wanted)]
        return list(dict.fromkeys([*wanted, *sorted(more, key=str)]))

    def candidates(self, want: Want) -> list[Declared]:
        """The schemes of streams, on one column, that can become a promise on a column."""
        return list(dict.fromkeys(_candidates(want.relation, want.column, want.order, self.plain)))

    def greedy(self) -> Set | None:
        """Schemes that are enough: every one that is wanted, added until nothing is unbounded."""
        more: Set = frozenset()
        while unbounded := self.every(more):
            new = {scheme for state in unbounded for scheme in self.hits(state)} - more
            if not new:
                return None
            more |= new
        return more

    def least(self, more: Set | None) -> Set | None:
        """A part of a set that is enough, from which nothing can be left out unless the search becomes too long."""
        for scheme in sorted(more or (), key=str):
            if more is not None and self._left > 0 and self.unbounded(more - {scheme}) is None:
                more -= {scheme}
        return more

    def of_size(self, size: int) -> set[Set]:
        """All sets of a size that are enough."""
        enough: set[Set] = set()
        seen: set[Set] = set()
        self._extend(frozenset(), size, enough, seen)
        return enough

    def _extend(self, more: Set, size: int, enough: set[Set], seen: set[Set]) -> None:
        if more in seen:
            return
        seen.add(more)
        if self._left < 0:
            raise _TooManyError
        state = self.unbounded(more)
        if state is None:
            enough.add(more)
        elif len(more) < size:
            for scheme in self.hits(state):
                if scheme not in more:
                    self._extend(more | {scheme}, size, enough, seen)


def _by_stream(more: Set) -> Mapping[str, tuple[Declared, ...]]:
    return {name: tuple(sorted((d for d in more if d.stream == name), key=str)) for name in {d.stream for d in more}}


def _implies(one: Declared, other: Declared) -> bool:
    ((mine, order),), ((theirs, wanted),) = one.terms, other.terms
    return one != other and (one.stream, mine) == (other.stream, theirs) and wanted is Order.EQUALITY is not order


def _weaker(one: Set, other: Set) -> bool:
    """Whether a set promises less than another one of its size, scheme by scheme."""
    return one != other and all(any(mine == theirs or _implies(theirs, mine) for theirs in other) for mine in one)


def _sorted(relation: Relation) -> Iterator[Want]:
    """The orders that the sorts of a query want, whether they lack them or not."""
    for node in walk(relation):
        if isinstance(node, OrderBy) or (isinstance(node, Over) and node.ordered):
            column, down, _ = node.keys[0]
            yield Want(node.input, column.index, Order.DESC if down else Order.ASC)


def _candidates(relation: Relation, column: int, order: Order, known: Inference) -> Iterator[Declared]:
    if (block := known.block(relation)) is not None:
        yield from _through_join(block, known.join(relation), column, order, known)
        return
    match relation:
        case Source(stream=stream):
            yield Declared(stream.name, ((stream.schema.names[column], order),))
            ends = known.facts(relation).ending
            yield from (Declared(stream.name, ((stream.schema.names[at], way),)) for at, way in ends)
        case Filter():
            before = known.facts(relation.input).ending
            for ending in known.facts(relation).ending:
                if ending not in before:  # those that end its input follow below
                    yield from _candidates(relation.input, *ending, known)
            yield from _candidates(relation.input, column, order, known)
        case Projection():
            source, injective, trend = shape(relation.columns[column][1])
            if source is None:
                for ending in known.facts(relation.input).ending:
                    yield from _candidates(relation.input, *ending, known)
            else:
                for wanted in _below(order, injective, trend):
                    yield from _candidates(relation.input, source, wanted, known)
        case Aggregate() if column < len(relation.keys):
            yield from _candidates(relation.input, relation.keys[column][1].index, order, known)
        case Sessions() if column < len(relation.keys):
            yield from _candidates(relation.input, relation.keys[column][1].index, order, known)
        case Sessions() if column == len(relation.keys) + 1 and order is not Order.DESC:
            yield from _candidates(relation.input, relation.time.index, Order.ASC, known)
        case Aggregate() | Sessions():
            return
        case Ranked() | Over():
            if column < len(relation.input.schema):
                yield from _candidates(relation.input, column, order, known)
            for by in relation.by:  # what lets it pass on anything at all
                yield from _candidates(relation.input, by, Order.EQUALITY, known)
        case OrderBy():
            lead, down, _ = relation.keys[0]
            if lead.index == column and order in (Order.EQUALITY, Order.DESC if down else Order.ASC):
                yield from _candidates(relation.input, column, Order.DESC if down else Order.ASC, known)
        case LMerge(merged=several):
            for replica in several:
                yield from _candidates(replica, column, order, known)
        case Opened() | Cleansed() | Final():
            yield from _candidates(relation.input, relation.input.schema.index(FROM), order, known)
        case Hop() if column == relation.width:
            for n, way in enumerate((Order.ASC, Order.DESC)):
                if order in (way, Order.EQUALITY):
                    yield from _candidates(relation.input, column + n, way, known)
        case Stamped() if column == relation.width:
            return
        case Lookup():
            at = relation.equated().get(column, column)
            if at < len(relation.input.schema):
                yield from _candidates(relation.input, at, order, known)
        case OuterJoin():
            yield from _through_outer(relation, column, order, known)
        case UnionAll() | Union() | Intersect() | Except():
            for side in relation.inputs:
                yield from _candidates(side, column, order, known)
        case Hop() | Stamped() | Distinct() | Window() | Punctuated():
            yield from _candidates(relation.input, column, order, known)
        case Join() | PlannedNode():
            raise AssertionError(relation)  # joins are blocks, and plans come later
        case _:
            assert_never(relation)


def _through_join(block: Block, query: JoinQuery, column: int, order: Order, known: Inference) -> Iterator[Declared]:
    """Schemes on any column that must be equal, and those by which the join would let a punctuation pass sooner."""
    for (leaf, bounded), way in ((at, way) for at in block.closure.nodes for way in Order):
        few = way is Order.EQUALITY and few_values(block.leaves[leaf], block.closure, (leaf, bounded))
        if few or any(True for _ in bounding(block.closure, (leaf, bounded), way)):
            yield from _candidates(block.leaves[leaf], bounded, way, known)
    for number in sorted(query.constant):
        for leaf, name in query.members[number]:
            yield from _candidates(block.leaves[leaf], block.leaves[leaf].schema.index(name), Order.EQUALITY, known)
    at = block.columns[column]
    if at is None:
        return
    attribute = Attr(at[0], block.leaves[at[0]].schema.names[at[1]])
    equal = (attribute,) if attribute not in query.classes else query.members[query.classes[attribute]]
    for leaf, name in equal:
        yield from _candidates(block.leaves[leaf], block.leaves[leaf].schema.index(name), order, known)


def _through_outer(join: OuterJoin, column: int, order: Order, known: Inference) -> Iterator[Declared]:
    """Schemes on left columns; for those with a partner, also on right ones that equal them."""
    if join.kind is JoinKind.FULL or column >= len(join.left.schema):
        return
    yield from _candidates(join.left, column, order, known)
    if join.kind is JoinKind.SEMI:
        for mine, theirs in join.on:
            if mine.index == column:
                yield from _candidates(join.right, theirs.index, order, known)


def _below(order: Order, injective: bool, trend: Trend) -> Iterator[Order]:
    """The orders below a computed column that give one on it."""
    if order is Order.EQUALITY:
        if injective:
            yield Order.EQUALITY
        elif trend is not Trend.NEITHER:
            yield from (Order.ASC, Order.DESC)
    elif trend is not Trend.NEITHER:
        turned = {Order.ASC: Order.DESC, Order.DESC: Order.ASC}
        yield order if trend is Trend.INCREASING else turned[order]
