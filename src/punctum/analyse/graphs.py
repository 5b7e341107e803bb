"""A join of punctuated streams as graphs: which of its states can be purged, and whether it is safe.

In: streams, equalities between their attributes, attributes that are fixed to a constant, and schemes. Out: the join
graph (definition 6), the punctuation graph (7), the generalised one with reachability (8, 9), and the transformed one
(11), which decides::

    the state of S is purgeable  ⇔  S reaches every other stream in the generalised graph          (theorems 1 and 3)
    the join is safe             ⇔  the transformed graph has become a single node             (theorems 2, 4 and 5)

Equalities are closed first: attributes that must be equal are one *class*, and a stream *binds* the classes of its
attributes. A scheme can be used by those who know a value for each of its classes; one whose class is fixed to a
constant needs nobody for it. That keeps every graph as small as what was written, whatever follows from it.

Comparisons are closed too (``ir/differences.py``), and come as *bounds*: for an attribute that is punctuated in order,
a class that bounds it is as good as its own. So a scheme needs for each attribute one of several classes. One of whole
numbers that is punctuated by equality needs a class that bounds it above and one that bounds it below: between them lie
finitely many values.
``docs/order.md`` has the proof that the answer is still *if and only if*.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import NamedTuple

from punctum.algebra.scheme import Order


class Attr(NamedTuple):
    """An attribute of a stream, which is given by its position."""

    stream: int
    name: str


class On(NamedTuple):
    """A scheme of a stream: its punctuatable attributes, and the orders of those that have one."""

    stream: int
    attributes: tuple[str, ...]
    orders: tuple[Order, ...] = ()

    @property
    def terms(self) -> tuple[tuple[str, Order], ...]:
        """Each attribute with its order."""
        return tuple(zip(self.attributes, self.orders or [Order.EQUALITY] * len(self.attributes), strict=True))

    @property
    def texts(self) -> tuple[str, ...]:
        """Each attribute with its order, as a script has it."""
        return tuple(f"{name} {order.value}".strip() for name, order in self.terms)


class Bound(NamedTuple):
    """What punctuations of an order close of an attribute is known from the value of another one, or of a constant."""

    of: Attr
    order: Order
    by: Attr | None


class PunctuationEdge(NamedTuple):
    """A generalised edge: a scheme's stream is reached when, for each attribute, one of some streams has been."""

    scheme: On
    known: tuple[frozenset[int], ...]


class Step(NamedTuple):
    """A link of a chained purge: the scheme, and for each attribute where its values come from; nowhere: constants.

    The values of one that lies between two others come from both.
    """

    scheme: On
    given: tuple[tuple[Attr, ...], ...]


class Transformed(NamedTuple):
    """The transformed punctuation graph when nothing merges any more: its nodes, and edges by position."""

    nodes: tuple[frozenset[int], ...]
    edges: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class JoinQuery:
    """A continuous join query: streams, equalities of attributes, schemes, and attributes fixed to a constant.

    >>> item, bid = (Attr(i, "itemid") for i in (0, 1))
    >>> auction = JoinQuery(("item", "bid"), ((item, bid),), (On(1, ("itemid",)),))
    >>> [[step.scheme.attributes for step in chain(auction, i)] for i in (0, 1)], safe(auction)
    ([[('itemid',)], []], False)
    """

    streams: tuple[str, ...]
    equal: tuple[tuple[Attr, Attr], ...]
    schemes: tuple[On, ...] = ()
    fixed: frozenset[Attr] = frozenset()
    bounds: tuple[Bound, ...] = ()
    whole: frozenset[Attr] = frozenset()
    """The attributes of which finitely many values lie between any two."""

    @cached_property
    def classes(self) -> dict[Attr, int]:
        """The class of each attribute that an equality, a constant or a scheme names."""
        named = [a for pair in self.equal for a in pair] + sorted(self.fixed)
        named += [Attr(on.stream, name) for on in self.schemes for name in on.attributes]
        named += [a for bound in self.bounds for a in (bound.of, bound.by) if a is not None]
        root = {a: a for a in named}

        def find(a: Attr) -> Attr:
            while root[a] != a:
                root[a] = a = root[root[a]]
            return a

        for a, b in self.equal:
            root[find(a)] = find(b)
        number: dict[Attr, int] = {}
        return {a: number.setdefault(find(a), len(number)) for a in root}

    @cached_property
    def members(self) -> tuple[tuple[Attr, ...], ...]:
        """The attributes of each class."""
        by_class: dict[int, list[Attr]] = {}
        for attribute, number in self.classes.items():
            by_class.setdefault(number, []).append(attribute)
        return tuple(tuple(sorted(by_class[number])) for number in sorted(by_class))

    @cached_property
    def constant(self) -> frozenset[int]:
        """The classes that are fixed to a constant."""
        return frozenset(self.classes[a] for a in self.fixed)

    @cached_property
    def binds(self) -> tuple[dict[int, Attr], ...]:
        """The classes of each stream's attributes, each with its first attribute."""
        first: tuple[dict[int, Attr], ...] = tuple({} for _ in self.streams)
        for attribute in sorted(self.classes):
            first[attribute.stream].setdefault(self.classes[attribute], attribute)
        return first

    @cached_property
    def bounded(self) -> dict[tuple[int, Order], frozenset[int] | None]:
        """The classes that bound each class for punctuations of an order, or nothing where a constant does."""
        by: dict[tuple[int, Order], set[int | None]] = {}
        for of, order, other in self.bounds:
            by.setdefault((self.classes[of], order), set()).add(None if other is None else self.classes[other])
        return {
            of: None if None in others else frozenset(n for n in others if n is not None) for of, others in by.items()
        }

    @cached_property
    def asks(self) -> tuple[tuple[tuple[frozenset[int], ...], ...], ...]:
        """For each attribute of each scheme sets of classes, of each of which one is enough; none: constants answer."""
        return tuple(tuple(self._asked(on.stream, *term) for term in on.terms) for on in self.schemes)

    def _asked(self, stream: int, name: str, order: Order) -> tuple[frozenset[int], ...]:
        own = self.classes[Attr(stream, name)]
        if own in self.constant:
            return ()
        exact = self.bounded.get((own, order), frozenset())
        if order is Order.EQUALITY and Attr(stream, name) in self.whole:
            ends = [self.bounded.get((own, end), frozenset()) for end in (Order.DESC, Order.ASC)]
            return tuple(dict.fromkeys(by | {own} | (exact or frozenset()) for by in ends if by is not None))
        return () if exact is None else (exact | {own},)

    @cached_property
    def needs(self) -> tuple[frozenset[frozenset[int]], ...]:
        """What each scheme needs: of each of these sets of classes a value that somebody knows."""
        return tuple(frozenset(numbers for sets in asked for numbers in sets) for asked in self.asks)

    @cached_property
    def users(self) -> dict[int, list[tuple[int, frozenset[int]]]]:
        """The schemes that can use a value of each class, and for what."""
        users: dict[int, list[tuple[int, frozenset[int]]]] = {}
        for i, needs in enumerate(self.needs):
            for numbers in needs:
                for number in numbers:
                    users.setdefault(number, []).append((i, numbers))
        return users

    def knowing(self, numbers: Iterable[int], but: int | None = None) -> frozenset[int]:
        """The streams that know a value of one of some classes, without one of the streams."""
        return frozenset(a.stream for number in numbers for a in self.members[number]) - {but}


def join_graph(query: JoinQuery) -> frozenset[tuple[int, int]]:
    """Definition 6, after closing: the pairs of streams with equal attributes, the lesser one first."""
    streams = [sorted({a.stream for a in members}) for members in query.members]
    return frozenset((i, j) for joined in streams for n, i in enumerate(joined) for j in joined[n + 1 :])


def punctuation_graph(query: JoinQuery) -> dict[tuple[int, int], tuple[On, ...]]:
    """Definition 7: an edge from who knows the value of a scheme's one class to the scheme's stream, with the schemes.

    A scheme that needs no value is an edge from every stream.
    """
    edges: dict[tuple[int, int], list[On]] = {}
    for scheme, needs in zip(query.schemes, query.needs, strict=True):
        if len(needs) < 2:
            asking = query.knowing(next(iter(needs))) if needs else range(len(query.streams))
            for stream in sorted({*asking} - {scheme.stream}):
                edges.setdefault((stream, scheme.stream), []).append(scheme)
    return {edge: tuple(dict.fromkeys(schemes)) for edge, schemes in edges.items()}


def generalised(query: JoinQuery) -> tuple[PunctuationEdge, ...]:
    """Definition 8: the schemes that need several values, each with the streams that know them.

    The paper has an edge for each choice of one stream for each attribute; these are all of its choices in one.
    """
    edges = []
    for i, scheme in enumerate(query.schemes):
        needs = list(dict.fromkeys(numbers for asked in query.asks[i] for numbers in asked))
        known = tuple(query.knowing(numbers, scheme.stream) for numbers in needs)
        if len(needs) > 1 and all(known):
            edges.append(PunctuationEdge(scheme, known))
    return tuple(edges)


def chain(query: JoinQuery, start: int) -> tuple[Step, ...]:
    """Definition 9: a scheme for every stream that a stream reaches, in an order in which they purge its state.

    A new punctuation of each step covers the values that the streams before it know, so that nothing new can join.
    """
    missing = [set(needs) for needs in query.needs]
    known: dict[int, tuple[int, Attr]] = {}
    reached, steps = {start}, list[Step]()
    ready = deque(i for i, needs in enumerate(missing) if not needs)

    def learn(stream: int) -> None:
        for number, attribute in query.binds[stream].items():
            if known.setdefault(number, (len(known), attribute))[1] is attribute:
                for i, needed in query.users.get(number, ()):
                    if needed in missing[i]:
                        missing[i].discard(needed)
                        if not missing[i]:
                            ready.append(i)

    learn(start)
    while ready:
        i = ready.popleft()
        if (scheme := query.schemes[i]).stream not in reached:
            reached.add(scheme.stream)
            given = tuple(_given(asked, known) for asked in query.asks[i])
            steps.append(Step(scheme, given))
            learn(scheme.stream)
    return tuple(steps)


def _given(asked: tuple[frozenset[int], ...], known: dict[int, tuple[int, Attr]]) -> tuple[Attr, ...]:
    """Where the values of an attribute come from: one class that answers all, or one for each set; the first known."""
    sets = [frozenset.intersection(*asked)] if asked else []
    if not any(n in known for numbers in sets for n in numbers):
        sets = [*asked]
    return tuple(min(known[n] for n in numbers if n in known)[1] for numbers in sets)


def unreachable(query: JoinQuery, start: int) -> tuple[int, ...]:
    """The streams that keep a stream's state from being purged; none: it is purgeable."""
    reached = {start, *(step.scheme.stream for step in chain(query, start))}
    return tuple(i for i in range(len(query.streams)) if i not in reached)


def safe(query: JoinQuery, inputs: Sequence[Iterable[int]] = ()) -> bool:
    """Whether one join operator over all streams is purgeable; the inputs may themselves be joins of several."""
    return len(transformed(query, inputs).nodes) == 1


def transformed(query: JoinQuery, inputs: Sequence[Iterable[int]] = ()) -> Transformed:
    """Definition 11: strongly connected nodes merge, and know together what each of them knows, until none do.

    The inputs are those of a join operator, as sets of streams: each stream alone by default.

    >>> three = tuple((Attr(i, name), Attr(j, name)) for i, j, name in ((0, 1, "b"), (1, 2, "c"), (2, 0, "a")))
    >>> schemes = On(0, ("b",)), On(1, ("b",)), On(1, ("c",)), On(2, ("a", "c"))
    >>> transformed(JoinQuery(("s1", "s2", "s3"), three, schemes)).nodes
    (frozenset({0, 1, 2}),)
    """
    nodes = [frozenset(streams) for streams in inputs] or [frozenset([i]) for i in range(len(query.streams))]
    while True:
        before = _predecessors(query, nodes)
        parts = components(before)
        if len(parts) == len(nodes):
            edges = ((i, j) for j, mask in enumerate(before) for i in _bits(mask))
            return Transformed(tuple(nodes), tuple(sorted(edges)))
        nodes = [frozenset().union(*(nodes[i] for i in part)) for part in parts]


def _predecessors(query: JoinQuery, nodes: Sequence[frozenset[int]]) -> list[int]:
    """For each node, as bits, the others that know all that one of its schemes needs."""
    node_of = {stream: n for n, node in enumerate(nodes) for stream in node}
    knowing: dict[int, int] = {}
    for stream, n in node_of.items():
        for number in query.binds[stream]:
            knowing[number] = knowing.get(number, 0) | 1 << n
    before = [0] * len(nodes)
    for scheme, needs in zip(query.schemes, query.needs, strict=True):
        target = node_of.get(scheme.stream)
        if target is not None:
            mask = (1 << len(nodes)) - 1
            for numbers in needs:
                mask &= reduce(int.__or__, (knowing.get(number, 0) for number in numbers), 0)
            before[target] |= mask & ~(1 << target)
    return before


def components(before: Sequence[int]) -> list[list[int]]:
    """The strongly connected components of a graph given by the predecessors of each node, as bits.

    >>> components([0b010, 0b001, 0b011])
    [[0, 1], [2]]
    """
    after = [0] * len(before)
    for j, mask in enumerate(before):
        for i in _bits(mask):
            after[i] |= 1 << j
    left = (1 << len(before)) - 1
    finished: list[int] = []
    while left:
        tree, left = _tree(before, left & -left, left)
        finished += tree
    parts, left = [], (1 << len(before)) - 1
    for root in reversed(finished):
        if left >> root & 1:
            tree, left = _tree(after, 1 << root, left)
            parts.append(sorted(tree))
    return sorted(parts)


def _tree(edges: Sequence[int], root: int, left: int) -> tuple[list[int], int]:
    """The nodes among those left that a root reaches, each after all that it reaches; and what is left then."""
    path, finished = [root.bit_length() - 1], list[int]()
    left &= ~root
    while path:
        following = edges[path[-1]] & left
        if following:
            lowest = following & -following
            left &= ~lowest
            path.append(lowest.bit_length() - 1)
        else:
            finished.append(path.pop())
    return finished, left


def _bits(mask: int) -> Iterable[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask &= ~lowest
