"""Scheme inference: which promises the output of each operator has, given those of its inputs.

A relation is a part on synopses, the end of a block of joins, or an operator by itself, whose rule is in ``rules.py``.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import assert_never

from punctum.algebra.scheme import Order
from punctum.analyse.blocks import Block, block
from punctum.analyse.conditions import bounding, enclosing
from punctum.analyse.graphs import Attr, Bound, JoinQuery, On, safe, unreachable
from punctum.analyse.memory.condensed import SynopsisPart
from punctum.analyse.promises import Declared, Facts, Promise, Terms, both, distinct, joined
from punctum.analyse.safety.outer import conditions, outer, pair
from punctum.analyse.safety.rules import (
    domains,
    ended,
    filtered,
    grouped,
    hopped,
    looked_up,
    never_null,
    of_both,
    of_events,
    ordered,
    projected,
    promised,
    ranked,
    sessions,
    stables_of,
    stamped,
    units_of,
)
from punctum.ir.by_node import ByNode
from punctum.ir.conjunctive.axes import At
from punctum.ir.definitions import Clause, EndEvent, StreamDef
from punctum.ir.differences import Closure
from punctum.ir.elements import EVENT, FROM, VE
from punctum.ir.hop import Hop
from punctum.ir.lifted import inserts_only
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
from punctum.ir.stamped import Stamped
from punctum.ir.temporal import Cleansed, Final, LMerge, Opened
from punctum.ir.tree import Relation, titles
from punctum.ir.windows import window

_NOTHING: Mapping[str, tuple[Declared, ...]] = {}


class Inference:
    """The facts of relations, each inferred once.

    ``more`` are schemes that streams have besides their own, and ``less`` those of which no punctuation is taken.
    ``parts`` are the relations that run on synopses, and of streams it is known which columns are ``unread``. What is
    known ``early`` does not count on the last of several punctuations that end a stream together.
    """

    def __init__(
        self,
        more: Mapping[str, tuple[Declared, ...]] = _NOTHING,
        less: frozenset[Declared] = frozenset(),
        parts: ByNode[SynopsisPart] | None = None,
        unread: ByNode[frozenset[int]] | None = None,
        early: bool = False,
    ) -> None:
        self._more, self._less, self._early = more, less, early
        self.parts = parts or ByNode[SynopsisPart]()
        self.unread = unread or ByNode[frozenset[int]]()
        self._facts = ByNode[Facts]()
        self._blocks = ByNode[Block | None]()
        self._joins = ByNode[JoinQuery]()

    def facts(self, relation: Relation) -> Facts:
        """What holds for a relation."""
        return self._facts.find(relation, lambda: self._find(relation))

    def block(self, relation: Relation) -> Block | None:
        """The block that ends with a relation, if there is one."""
        return self._blocks.find(relation, lambda: None if relation in self.parts else block(relation))

    def join(self, relation: Relation) -> JoinQuery:
        """The join that a relation's block is; its schemes are the leaves' promises, in order."""
        ends = self.block(relation)
        assert ends is not None
        return self._joins.find(relation, lambda: self._query(ends))

    def pair(self, relation: OuterJoin) -> JoinQuery:
        """A join that stands by itself, as its operator does it: it purges by what it joins on, and in bands."""
        return self._joins.find(relation, lambda: self._pair(relation))

    def bounds(self, relation: OuterJoin, side: int) -> list[tuple[int, Order, At | None]]:
        """Which punctuations of a side, by column and order, close rows of the other one, and the column that tells."""
        closure, widths = conditions(relation).closure, [len(below.schema) for below in relation.inputs]
        terms = [(column, order) for column in range(widths[side]) for order in Order]
        bounds = [(column, order, by) for column, order in terms for by in bounding(closure, (side, column), order)]
        return [bound for bound in bounds if bound[2] is None or bound[2][1] < widths[bound[2][0]]]

    def whole(self, relation: OuterJoin, side: int) -> list[int]:
        """The columns of a side that have finitely many values for a row of the other one, which lie between others."""
        closure, below = conditions(relation).closure, relation.inputs[side]
        widths = [len(rows.schema) for rows in relation.inputs]
        ends = [few_values(below, closure, (side, at)) for at in range(widths[side])]
        there = [{order for order, by in pairs if by is None or by[1] < widths[by[0]]} for pairs in ends]
        return [at for at, orders in enumerate(there) if len(orders) == 2]

    def _pair(self, relation: OuterJoin) -> JoinQuery:
        names, bounds = [side.schema.names for side in relation.inputs], list[Bound]()
        for side in (0, 1):
            for column, order, by in self.bounds(relation, side):
                other = None if by is None else Attr(by[0], names[by[0]][by[1]])
                bounds.append(Bound(Attr(side, names[side][column]), order, other))
        whole = frozenset(Attr(side, names[side][at]) for side in (0, 1) for at in self.whole(relation, side))
        return replace(pair(relation, [self.facts(side) for side in relation.inputs], tuple(bounds)), whole=whole)

    def written(self, relation: Relation) -> bool:
        """Whether the binary joins of a block, as they are written, are safe with what a binary join does by itself.

        It purges by punctuations on the columns that it joins on; constants and equalities beside these do not help it.
        """
        block = self.block(relation)
        assert block is not None
        plain = replace(self.join(relation), equal=_on(block), fixed=frozenset(), bounds=())
        return all(safe(plain, pair) for pair in block.tree)

    def plain(self, relation: Relation) -> bool:
        """Whether the binary joins of a block have all its equalities, each class of equal columns in one pair."""
        block = self.block(relation)
        assert block is not None
        classes = JoinQuery((), _on(block)).classes
        pairs = [
            (n, classes[a])
            for n, (left, right) in enumerate(block.tree)
            for a, b in _on(block)
            if a.stream in left and b.stream in right
        ]
        known = all(classes.get(a, a) == classes.get(b, b) for a, b in self.join(relation).equal)
        return known and len(set(pairs)) == len(pairs)

    def _find(self, relation: Relation) -> Facts:
        if (part := self.parts.get(relation)) is not None:
            return self._of_part(part)
        if (block := self.block(relation)) is not None and block.windowed:
            return self._of_windows(block, self.join(relation), relation)
        if block is not None:
            return self._of_block(block, self.join(relation), relation)
        match relation:
            case Source(stream=stream):
                return self._of_stream(stream, self.unread.get(relation) or frozenset())
            case Filter():
                return filtered(self.facts(relation.input), relation, self._early)
            case Projection():
                return projected(self.facts(relation.input), relation)
            case Aggregate() if window(relation.input) is not None:  # rows that leave change groups that are closed
                columns = tuple(range(len(relation.schema)))
                return Facts((), columns, columns, filled=never_null(relation))
            case Aggregate():
                return grouped(self.facts(relation.input), [column.index for _, column in relation.keys], relation)
            case Sessions():
                return sessions(self.facts(relation.input), relation)
            case Ranked() | Over():
                return ranked(self.facts(relation.input), relation)
            case OrderBy():
                below = self.facts(relation.input)
                released = ordered(below, relation)
                ends = tuple(p for p in below.promises if not p.terms)
                return replace(below, promises=ends + released, padded=())
            case Punctuated(stream=stream):
                own = Declared.of(stream.name, relation.scheme)
                return promised(self.facts(relation.input), relation, own, self._early)
            case Hop():
                return hopped(self.facts(relation.input), relation)
            case Stamped():
                return stamped(self.facts(relation.input), relation)
            case Lookup():
                return looked_up(self.facts(relation.input), relation)
            case Distinct() | Window():
                return self.facts(relation.input)
            case UnionAll() | Union() | Intersect() | Except():
                return of_both(relation, self.facts(relation.left), self.facts(relation.right))
            case LMerge():
                stables = [p for replica in relation.merged for p in stables_of(self.facts(replica), replica.schema)]
                return of_events(relation, (FROM,), stables)
            case Opened() | Cleansed():
                return of_events(relation, (FROM,), stables_of(self.facts(relation.input), relation.input.schema))
            case Final():
                stables = stables_of(self.facts(relation.input), relation.input.schema)
                return of_events(relation, EVENT if inserts_only(relation.input) else (VE,), stables)
            case OuterJoin():
                return outer(relation, self.facts(relation.left), self.facts(relation.right), self.pair(relation))
            case Join() | PlannedNode():
                raise AssertionError(relation)  # joins are blocks, and plans come later
            case _:
                assert_never(relation)

    def _of_stream(self, stream: StreamDef, unread: frozenset[int]) -> Facts:
        """What holds for a stream: its schemes, and without unread columns whose domain they close."""
        own, more = [Declared.of(stream.name, scheme) for scheme in stream.schemes], self._more.get(stream.name, ())
        declared = dict.fromkeys(scheme for scheme in [*own, *more] if scheme not in self._less)
        at = stream.schema.positions
        filled = {at[name] for scheme in more for name, order in scheme.terms if order is not Order.EQUALITY}
        promises = [Promise(frozenset((at[n], order) for n, order in d.terms), frozenset([d])) for d in declared]
        columns = tuple(range(len(stream.schema)))
        never = never_null(Source(stream)) | filled
        units = frozenset(unit for clause in stream.punctuates for unit in _units(clause, at))
        facts = Facts(distinct(promises), columns, columns, filled=never, within=domains(stream.schema), units=units)
        gone = {term for p in promises for term in p.terms if term[0] in unread and facts.ends(term)}
        shorter = [p._replace(terms=p.terms - gone) for p in promises]
        return ended(replace(facts, promises=distinct([*promises, *shorter])), self._early)

    def _query(self, block: Block) -> JoinQuery:
        equal = [(_attr(block, a), _attr(block, b)) for a, b in block.equal]
        fixed = {_attr(block, at) for at in block.fixed}
        schemes = []
        for leaf, relation in enumerate(block.leaves):
            facts, names = self.facts(relation), relation.schema.names
            equal += [(Attr(leaf, names[a]), Attr(leaf, names[b])) for a, b in enumerate(facts.equal) if a != b]
            fixed |= {Attr(leaf, names[i]) for i in facts.constant}
            schemes += [_on_scheme(leaf, promise, names) for promise in facts.purging]
        equal += [(_attr(block, a), _attr(block, b)) for a, b in block.closure.equal]
        bounds, whole = self._bounds(block)
        return JoinQuery(titles(block.leaves), tuple(equal), tuple(schemes), frozenset(fixed), bounds, whole)

    def _bounds(self, block: Block) -> tuple[tuple[Bound, ...], frozenset[Attr]]:
        """What comparisons give of the columns on which leaves have promises, and those that have few values then."""
        terms = (
            (leaf, term)
            for leaf, below in enumerate(block.leaves)
            for p in self.facts(below).purging
            for term in p.terms
        )
        ordered = dict.fromkeys(((leaf, column), order) for leaf, (column, order) in terms)
        limits = [(at, order, by) for at, order in ordered for by in bounding(block.closure, at, order)]
        few = {at: few_values(block.leaves[at[0]], block.closure, at) for at, o in ordered if o is Order.EQUALITY}
        limits += [(at, order, by) for at, ends in few.items() for order, by in ends]
        bounds = (Bound(_attr(block, at), order, None if by is None else _attr(block, by)) for at, order, by in limits)
        return tuple(dict.fromkeys(bounds)), frozenset(_attr(block, at) for at, ends in few.items() if ends)

    def _of_block(self, block: Block, query: JoinQuery, relation: Relation) -> Facts:
        """What holds for a join: columns in one class carry each other's patterns, and joined columns are not NULL."""
        classes = [_class(block, query, at) if at is not None else (i, "") for i, at in enumerate(block.columns)]
        first = {number: i for i, number in reversed(list(enumerate(classes)))}
        same = tuple(first[number] for number in classes)
        fixed_classes = {_class(block, query, at) for at in self._fixed(block)}
        promises = []
        for leaf, below in enumerate(block.leaves):
            if not unreachable(query, leaf):
                for promise in (*self.facts(below).promises, *self._met(block, query, leaf)):
                    at = {column: _class(block, query, (leaf, column)) for column in promise.columns}
                    terms = [(first.get(at[column]), order, at[column]) for column, order in promise.terms]
                    gone = {at[term[0]] for term in promise.terms if self.facts(below).ends(term)} | fixed_classes
                    if all(column is not None or number in gone for column, _, number in terms):
                        shown = ((column, order) for column, order, _ in terms if column is not None)
                        promises.append(promise._replace(terms=joined(shown)))
        constant = frozenset(i for i, number in enumerate(classes) if number in query.constant)
        fixed = frozenset(i for i, number in enumerate(classes) if number in fixed_classes)
        filled = {i for i, at in enumerate(block.columns) if at is not None and self._filled(block, query, at)}
        by_leaf = [self.facts(leaf).within for leaf in block.leaves]
        within = {i: by_leaf[at[0]][at[1]] for i, at in enumerate(block.columns) if at and at[1] in by_leaf[at[0]]}
        return Facts(distinct(promises), same, same, fixed, constant, never_null(relation) | filled, within)

    def _met(self, block: Block, query: JoinQuery, leaf: int) -> Iterator[Promise]:
        """The promises of a leaf that leave out rows which the join drops, for a column that it compares is NULL."""
        for padded in self.facts(block.leaves[leaf]).padded:
            for promise in padded.promises:
                if any(self._filled(block, query, (leaf, column)) for column in promise.columns):
                    yield promise

    def _of_part(self, part: SynopsisPart) -> Facts:
        """What holds for a part on synopses: what all its streams have emitted on columns that it shows."""
        columns = tuple(range(len(part.relation.schema)))
        if part.empty:
            return Facts((), columns, columns, filled=never_null(part.relation))
        whole = Facts((Promise(frozenset(), frozenset()),), columns, columns)
        for below, to in zip(part.inputs, part.carried, strict=True):
            carried = [p for p in self.facts(below).shared if all(column in to for column in p.columns)]
            terms = ((joined((to[column], order) for column, order in p.terms), p.origins) for p in carried)
            whole = replace(whole, promises=both(whole, Facts(tuple(Promise(*p) for p in terms), columns, columns)))
        return replace(whole, filled=never_null(part.relation))

    def _of_windows(self, block: Block, query: JoinQuery, relation: Relation) -> Facts:
        """What holds for a join of windows: what all inputs have emitted on columns that are equal in all of them."""
        classes = [_class(block, query, at) if at is not None else (i, "") for i, at in enumerate(block.columns)]
        first = {number: i for i, number in reversed(list(enumerate(classes)))}
        columns = tuple(range(len(relation.schema)))
        whole = Facts((Promise(frozenset(), frozenset()),), columns, columns)
        for leaf, below in enumerate(block.leaves):
            carried = []
            for promise in self.facts(below).shared:
                to = {column: first.get(_class(block, query, (leaf, column))) for column in promise.columns}
                shown = [(to[column], order) for column, order in promise.terms]
                if all(column is not None for column, _ in shown):
                    carried.append(Promise(joined((c, o) for c, o in shown if c is not None), promise.origins))
            whole = replace(whole, promises=both(whole, Facts(tuple(carried), columns, columns)))
        return replace(whole, filled=never_null(relation))

    def _fixed(self, block: Block) -> frozenset[At]:
        """The columns of leaves that selections fix, in the leaves and between them."""
        below = ((leaf, column) for leaf, relation in enumerate(block.leaves) for column in self.facts(relation).fixed)
        return block.fixed.union(below)

    def _filled(self, block: Block, query: JoinQuery, at: At) -> bool:
        number = query.classes.get(_attr(block, at))
        return at[1] in self.facts(block.leaves[at[0]]).filled or (
            number is not None and len({a.stream for a in query.members[number]}) > 1
        )


def few_values(leaf: Relation, closure: Closure[At], at: At) -> list[tuple[Order, At | None]]:
    """Between which columns of other leaves, or constants, one lies that has finitely many values there."""
    return enclosing(closure, at) if leaf.schema.attributes[at[1]].type.whole else []


def _units(clause: Clause, at: Mapping[str, int]) -> frozenset[tuple[Terms, int, str]]:
    """The units that a clause closes."""
    terms = frozenset((at[name], order) for name, order in clause.scheme.terms)
    return units_of(terms, at[clause.scheme.attributes[-1]], None if isinstance(clause, EndEvent) else clause.unit)


def _on(block: Block) -> tuple[tuple[Attr, Attr], ...]:
    """The columns that the binary joins of a block have as pairs."""
    return tuple((_attr(block, a), _attr(block, b)) for a, b in block.on)


def _on_scheme(leaf: int, promise: Promise, names: tuple[str, ...]) -> On:
    terms = sorted(promise.terms, key=lambda term: term[0])
    return On(leaf, tuple(names[i] for i, _ in terms), tuple(order for _, order in terms))


def _attr(block: Block, at: At) -> Attr:
    return Attr(at[0], block.leaves[at[0]].schema.names[at[1]])


def _class(block: Block, query: JoinQuery, at: At) -> object:
    """What all columns have in common that must be equal to this one."""
    attribute = _attr(block, at)
    return query.classes.get(attribute, attribute)
