"""Scheme inference: which promises the output of each operator has, given those of its inputs.

One rule for each operator, as the operators propagate punctuations (tables 3 and 4 of the punctuation paper):

- select, dupelim: those of the input. Union, intersect, difference: what both inputs have said. A selection that fixes
  all columns of a promise to constants lets one punctuation end its output, with what it has said of all other values.
- project: a promise whose every column can be said of a computed one; a column that is fixed to a constant may go.
- group-by: a promise on grouping columns alone. Sort: a prefix of the leading column alone.
- opens and closes, and a stream that is put in order: their stables. Merge of replicas: the stables of any one input.
  Final events: prefixes of their ends, for inserts of starts too.
- join of windows: what all inputs have said. Groups of a window: none, for rows that leave it change them.
- join: those of an input whose state can be purged, for a punctuation waits for the rows that it matches.
"""

from collections.abc import Mapping
from dataclasses import replace

from punctum.algebra.pattern import WILDCARD
from punctum.algebra.schema import Schema
from punctum.algebra.scheme import Order
from punctum.algebra.trends import Trend
from punctum.analyse.blocks import Block, block, constants, equalities
from punctum.analyse.graphs import Attr, JoinQuery, On, safe, unreachable
from punctum.analyse.memory.condensed import SynopsisPart
from punctum.analyse.predicates import pattern_of
from punctum.analyse.promises import Declared, Facts, Promise, Within, both, distinct, joined, ways
from punctum.ir.conjunctive.axes import At
from punctum.ir.definitions import StreamDef
from punctum.ir.elements import EVENT, FROM, VE
from punctum.ir.expressions import Column, Expression, columns, conjuncts
from punctum.ir.lifted import inserts_only
from punctum.ir.node import BinaryRelation
from punctum.ir.relations import (
    Aggregate,
    Distinct,
    Except,
    Filter,
    Intersect,
    OrderBy,
    Projection,
    SetOperator,
    Source,
    Window,
)
from punctum.ir.shape import onto, shape
from punctum.ir.temporal import Cleansed, Final, LMerge, Opened
from punctum.ir.tree import Relation, titles
from punctum.ir.windows import window

_NOTHING: Mapping[str, tuple[Declared, ...]] = {}


class Inference:
    """The facts of relations, each found once.

    ``more`` are schemes that streams have besides their own, and ``less`` those of which no punctuation is taken. The
    ``parts`` run on synopses; they go by the ids of their relations, and so do the columns of streams that are
    ``unread``. What is known ``early`` does not count on the last of several punctuations that end a stream together.
    """

    def __init__(
        self,
        more: Mapping[str, tuple[Declared, ...]] = _NOTHING,
        less: frozenset[Declared] = frozenset(),
        parts: Mapping[int, SynopsisPart] | None = None,
        unread: Mapping[int, frozenset[int]] | None = None,
        early: bool = False,
    ) -> None:
        self._more, self._less, self.parts, self.unread = more, less, parts or {}, unread or {}
        self._early = early
        self._facts: dict[int, tuple[Relation, Facts]] = {}
        self._blocks: dict[int, tuple[Relation, Block | None]] = {}
        self._joins: dict[int, tuple[Relation, JoinQuery]] = {}

    def facts(self, relation: Relation) -> Facts:
        """What holds for a relation."""
        if id(relation) not in self._facts:  # the relation is kept, so that no other one gets its id
            self._facts[id(relation)] = relation, self._find(relation)
        return self._facts[id(relation)][1]

    def block(self, relation: Relation) -> Block | None:
        """The block that ends with a relation, if there is one."""
        if id(relation) not in self._blocks:
            self._blocks[id(relation)] = relation, None if id(relation) in self.parts else block(relation)
        return self._blocks[id(relation)][1]

    def join(self, relation: Relation) -> JoinQuery:
        """The join that a relation's block is; its schemes are the leaves' promises, in order."""
        if id(relation) not in self._joins:
            found = self.block(relation)
            assert found is not None
            self._joins[id(relation)] = relation, self._query(found)
        return self._joins[id(relation)][1]

    def written(self, relation: Relation) -> bool:
        """Whether the binary joins of a block, as they are written, are safe with what a binary join does by itself.

        It purges by punctuations on the columns that it joins on; constants and equalities beside these do not help it.
        """
        found = self.block(relation)
        assert found is not None
        plain = replace(self.join(relation), equal=_on(found), fixed=frozenset())
        return all(safe(plain, pair) for pair in found.tree)

    def plain(self, relation: Relation) -> bool:
        """Whether the binary joins of a block have all its equalities, each class of equal columns in one pair."""
        found = self.block(relation)
        assert found is not None
        classes = JoinQuery((), _on(found)).classes
        pairs = [
            (n, classes[a])
            for n, (left, right) in enumerate(found.tree)
            for a, b in _on(found)
            if a.stream in left and b.stream in right
        ]
        known = all(classes.get(a, a) == classes.get(b, b) for a, b in self.join(relation).equal)
        return known and len(set(pairs)) == len(pairs)

    def _find(self, relation: Relation) -> Facts:
        if (part := self.parts.get(id(relation))) is not None:
            return self._of_part(part)
        if (found := self.block(relation)) is not None and found.windowed:
            return self._of_windows(found, self.join(relation), relation)
        if found is not None:
            return self._of_block(found, self.join(relation), relation)
        match relation:
            case Source(stream=stream):
                return self._of_stream(stream, self.unread.get(id(relation), frozenset()))
            case Filter():
                return filtered(self.facts(relation.input), relation, self._early)
            case Projection():
                return projected(self.facts(relation.input), relation)
            case Aggregate() if window(relation.input) is not None:  # rows that leave change groups that are closed
                each = tuple(range(len(relation.schema)))
                return Facts((), each, each, filled=_never_null(relation))
            case Aggregate():
                return grouped(self.facts(relation.input), [column.index for _, column in relation.keys], relation)
            case OrderBy():
                below = self.facts(relation.input)
                released = ordered(below, relation)
                return replace(below, promises=tuple(p for p in below.promises if not p.terms) + released)
            case Distinct() | Window():
                return self.facts(relation.input)
            case BinaryRelation():
                return _of_both(relation, self.facts(relation.left), self.facts(relation.right))
            case LMerge():
                stables = [p for each in relation.merged for p in stables_of(self.facts(each), each.schema)]
                return _of_events(relation, (FROM,), stables)
            case Opened() | Cleansed():
                return _of_events(relation, (FROM,), stables_of(self.facts(relation.input), relation.input.schema))
            case Final():
                stables = stables_of(self.facts(relation.input), relation.input.schema)
                return _of_events(relation, EVENT if inserts_only(relation.input) else (VE,), stables)
            case _:
                raise AssertionError(relation)

    def _of_stream(self, stream: StreamDef, unread: frozenset[int]) -> Facts:
        """What holds for a stream: its schemes, and without unread columns whose domain they close."""
        own, more = [Declared.of(stream.name, scheme) for scheme in stream.schemes], self._more.get(stream.name, ())
        declared = dict.fromkeys(each for each in [*own, *more] if each not in self._less)
        at = stream.schema.positions
        filled = {at[name] for scheme in more for name, order in scheme.terms if order is not Order.EQUALITY}
        promises = [Promise(frozenset((at[n], order) for n, order in d.terms), frozenset([d])) for d in declared]
        each = tuple(range(len(stream.schema)))
        never = _never_null(Source(stream)) | filled
        found = Facts(distinct(promises), each, each, filled=never, within=_domains(stream.schema))
        gone = {term for p in promises for term in p.terms if term[0] in unread and found.ends(term)}
        shorter = [p._replace(terms=p.terms - gone) for p in promises]
        return ended(replace(found, promises=distinct([*promises, *shorter])), self._early)

    def _query(self, found: Block) -> JoinQuery:
        equal = [(_attr(found, a), _attr(found, b)) for a, b in found.equal]
        fixed = {_attr(found, at) for at in found.fixed}
        schemes = []
        for leaf, relation in enumerate(found.leaves):
            facts, names = self.facts(relation), relation.schema.names
            equal += [(Attr(leaf, names[a]), Attr(leaf, names[b])) for a, b in enumerate(facts.equal) if a != b]
            fixed |= {Attr(leaf, names[i]) for i in facts.constant}
            schemes += [On(leaf, tuple(names[i] for i in promise.columns)) for promise in facts.shared]
        return JoinQuery(titles(found.leaves), tuple(equal), tuple(schemes), frozenset(fixed))

    def _of_block(self, found: Block, query: JoinQuery, relation: Relation) -> Facts:
        """What holds for a join: columns in one class carry each other's patterns, and joined columns are not NULL."""
        classes = [_class(found, query, at) if at is not None else (i, "") for i, at in enumerate(found.columns)]
        first = {number: i for i, number in reversed(list(enumerate(classes)))}
        same = tuple(first[number] for number in classes)
        said = {_class(found, query, at) for at in self._fixed(found)}
        promises = []
        for leaf, below in enumerate(found.leaves):
            if not unreachable(query, leaf):
                for promise in self.facts(below).promises:
                    at = {column: _class(found, query, (leaf, column)) for column in promise.columns}
                    terms = [(first.get(at[column]), order, at[column]) for column, order in promise.terms]
                    gone = {at[term[0]] for term in promise.terms if self.facts(below).ends(term)} | said
                    if all(column is not None or number in gone for column, _, number in terms):
                        shown = ((column, order) for column, order, _ in terms if column is not None)
                        promises.append(promise._replace(terms=joined(shown)))
        constant = frozenset(i for i, number in enumerate(classes) if number in query.constant)
        fixed = frozenset(i for i, number in enumerate(classes) if number in said)
        filled = {i for i, at in enumerate(found.columns) if at is not None and self._filled(found, query, at)}
        each = [self.facts(leaf).within for leaf in found.leaves]
        within = {i: each[at[0]][at[1]] for i, at in enumerate(found.columns) if at and at[1] in each[at[0]]}
        return Facts(distinct(promises), same, same, fixed, constant, _never_null(relation) | filled, within)

    def _of_part(self, part: SynopsisPart) -> Facts:
        """What holds for a part on synopses: what all its streams have said of columns that it shows."""
        each = tuple(range(len(part.relation.schema)))
        if part.empty:
            return Facts((), each, each, filled=_never_null(part.relation))
        whole = Facts((Promise(frozenset(), frozenset()),), each, each)
        for below, to in zip(part.inputs, part.carried, strict=True):
            said = [p for p in self.facts(below).shared if all(column in to for column in p.columns)]
            terms = ((joined((to[column], order) for column, order in p.terms), p.origins) for p in said)
            whole = replace(whole, promises=both(whole, Facts(tuple(Promise(*p) for p in terms), each, each)))
        return replace(whole, filled=_never_null(part.relation))

    def _of_windows(self, found: Block, query: JoinQuery, relation: Relation) -> Facts:
        """What holds for a join of windows: what all its inputs have said of columns that are equal in all of them."""
        classes = [_class(found, query, at) if at is not None else (i, "") for i, at in enumerate(found.columns)]
        first = {number: i for i, number in reversed(list(enumerate(classes)))}
        each = tuple(range(len(relation.schema)))
        whole = Facts((Promise(frozenset(), frozenset()),), each, each)
        for leaf, below in enumerate(found.leaves):
            said = []
            for promise in self.facts(below).shared:
                to = {column: first.get(_class(found, query, (leaf, column))) for column in promise.columns}
                shown = [(to[column], order) for column, order in promise.terms]
                if all(column is not None for column, _ in shown):
                    said.append(Promise(joined((c, o) for c, o in shown if c is not None), promise.origins))
            whole = replace(whole, promises=both(whole, Facts(tuple(said), each, each)))
        return replace(whole, filled=_never_null(relation))

    def _fixed(self, found: Block) -> frozenset[At]:
        """The columns of leaves that selections fix, in the leaves and between them."""
        below = ((leaf, column) for leaf, each in enumerate(found.leaves) for column in self.facts(each).fixed)
        return found.fixed.union(below)

    def _filled(self, found: Block, query: JoinQuery, at: At) -> bool:
        number = query.classes.get(_attr(found, at))
        return at[1] in self.facts(found.leaves[at[0]]).filled or (
            number is not None and len({a.stream for a in query.members[number]}) > 1
        )


def filtered(below: Facts, relation: Filter, early: bool = False) -> Facts:
    """What holds behind a selection: its columns may be constants, equal, never NULL, or have certain values only."""
    predicate, equal = relation.predicate, list(below.equal)
    for a, b in equalities(predicate):
        one, other = sorted((equal[a], equal[b]))
        equal = [one if each == other else each for each in equal]
    found = [each for each in map(pattern_of, conjuncts(predicate)) if each is not None]
    filled = {column.index for column, pattern in found if not pattern.null}
    filled |= {i for pair in equalities(predicate) for i in pair}
    fixed = below.fixed.union(constants(predicate))
    firsts = {equal[i] for i in fixed | below.constant}
    constant = frozenset(i for i, first in enumerate(equal) if first in firsts)
    within = dict(below.within)
    for column, pattern in found:
        known = within.get(column.index, Within(WILDCARD, column.type))
        within[column.index] = known._replace(pattern=known.pattern.meet(pattern))
    facts = Facts(below.promises, below.same, tuple(equal), fixed, constant, below.filled | filled, within)
    return ended(facts, early)


def ended(facts: Facts, early: bool) -> Facts:
    """The facts with a promise that all comes to an end, where the punctuations of one close all that can come.

    They melt into one when they speak of one column, or of constants alone.
    """
    single = [p for p in facts.promises if facts.fixed.issuperset(p.columns) or (len(p.terms) == 1 and not early)]
    ends = (Promise(frozenset(), p.origins) for p in single if all(map(facts.ends, p.terms)))
    return replace(facts, promises=distinct([*facts.promises, *ends]))


def projected(below: Facts, relation: Projection) -> Facts:
    """What holds behind a projection: a promise is said of computed columns, in every way."""
    expressions = [expression for _, expression in relation.columns]
    promises = []
    for promise in below.promises:
        images = {term: said(below, expressions, *term) for term in promise.terms}
        left = frozenset(term for term in promise.terms if images[term] or not below.ends(term))
        promises += list(ways(promise._replace(terms=left), images))
    same, equal = (_firsts(expressions, known) for known in (below.same, below.equal))
    constant = {n for n, e in enumerate(expressions) if all(c.index in below.constant for c in columns(e))}
    fixed = {n for n, e in enumerate(expressions) if isinstance(e, Column) and e.index in below.fixed}
    shapes = [shape(expression).source for expression in expressions]
    filled = {n for n, source in enumerate(shapes) if source in below.filled}
    some = {n for n, expression in enumerate(expressions) if not onto(expression)}
    own = [p.own or any(n in some and order is Order.EQUALITY for n, order in p.terms) for p in promises]
    terms = (frozenset((same[n], order) for n, order in p.terms) for p in promises)
    named = [Promise(t, p.origins, mine) for t, p, mine in zip(terms, promises, own, strict=True)]
    known = _never_null(relation) | filled
    plain = {n: e.index for n, e in enumerate(expressions) if isinstance(e, Column) and e.index in below.within}
    within = {n: below.within[at] for n, at in plain.items()}
    return Facts(distinct(named), same, equal, frozenset(fixed), frozenset(constant), known, within)


def said(below: Facts, expressions: list[Expression], column: int, order: Order) -> list[tuple[int, Order]]:
    """The columns of a projection of which a pattern on a column below can be said, and how."""
    found: list[tuple[int, Order]] = []
    for n, expression in enumerate(expressions):
        source, injective, trend = shape(expression)
        if source is None or below.same[source] != below.same[column]:
            continue
        if order is Order.EQUALITY:
            found += [(n, order)] if injective else []
        elif trend is not Trend.NEITHER:
            turned = {Order.ASC: Order.DESC, Order.DESC: Order.ASC}
            found.append((n, order if trend is Trend.INCREASING else turned[order]))
    return found


def _firsts(expressions: list[Expression], known: tuple[int, ...]) -> tuple[int, ...]:
    """For each column of a projection the first one that is the same, when both are columns as they are."""
    first: dict[int, int] = {}
    return tuple(first.setdefault(known[e.index], n) if isinstance(e, Column) else n for n, e in enumerate(expressions))


def grouped(below: Facts, keys: list[int], relation: Aggregate) -> Facts:
    """What holds behind a group-by: promises on grouping columns alone, which are the first columns of the result."""
    first: dict[int, int] = {}
    same = [first.setdefault(below.same[key], n) for n, key in enumerate(keys)]
    alike: dict[int, int] = {}
    equal = [alike.setdefault(below.equal[key], n) for n, key in enumerate(keys)]
    rest = range(len(keys), len(relation.schema))
    promises = [
        promise._replace(terms=frozenset((first[below.same[column]], order) for column, order in promise.terms))
        for promise in closing(below, keys)
    ]
    fixed, constant, filled = (
        frozenset(n for n, key in enumerate(keys) if key in known)
        for known in (below.fixed, below.constant, below.filled)
    )
    known_null = _never_null(relation) | filled
    within = {n: below.within[key] for n, key in enumerate(keys) if key in below.within}
    return Facts(distinct(promises), (*same, *rest), (*equal, *rest), fixed, constant, known_null, within)


def closing(below: Facts, keys: list[int]) -> list[Promise]:
    """The promises that speak of grouping columns alone."""
    grouping = {below.same[key] for key in keys}
    return [p for p in below.promises if all(below.same[column] in grouping for column in p.columns)]


def ordered(below: Facts, relation: OrderBy) -> tuple[Promise, ...]:
    """The promises of prefixes in the order of the leading key; none when a NULL before them is never closed.

    Prefixes come in this order, or are complete at last because the key has finitely many values.
    """
    column, down, nulls_first = relation.keys[0]
    leads = nulls_first if nulls_first is not None else not down
    if leads and column.index not in below.filled:
        return ()
    first, order = below.same[column.index], Order.DESC if down else Order.ASC
    whole = [p for p in below.promises if p.columns == (first,) and all(map(below.ends, p.terms))]
    ready = [promise for promise in below.promises if promise.terms == {(first, order)}]
    return distinct(Promise(frozenset([(first, order)]), p.origins) for p in (*ready, *whole))


def stables_of(below: Facts, schema: Schema) -> list[Promise]:
    """The promises of stables."""
    wanted = frozenset([(below.same[schema.index(FROM)], Order.ASC)])
    return [promise for promise in below.promises if promise.terms in (wanted, frozenset())]


def _of_events(relation: Relation, said: tuple[str, ...], stables: list[Promise]) -> Facts:
    """What holds behind a merge or for final events: each stable becomes a prefix of some columns."""
    columns, each = [relation.schema.index(name) for name in said], tuple(range(len(relation.schema)))
    promises = [
        Promise(frozenset([(column, Order.ASC)]) if p.terms else p.terms, p.origins)
        for p in stables
        for column in columns
    ]
    return Facts(distinct(promises), each, each, filled=_never_null(relation))


def _of_both(relation: SetOperator, left: Facts, right: Facts) -> Facts:
    """What holds for a set operator: rows of an intersection fit both inputs, those of a difference the left one."""
    each = tuple(range(len(relation.schema)))
    promises = both(left, right)
    none: frozenset[int] = frozenset()
    match relation:
        case Intersect():
            constant, filled = left.constant | right.constant, left.filled | right.filled
            return Facts(promises, each, left.equal, none, constant, filled)
        case Except():
            return Facts(promises, each, left.equal, none, left.constant, left.filled)
        case _:
            return Facts(promises, each, each, none, none, left.filled & right.filled)


def _domains(schema: Schema) -> dict[int, Within]:
    return {i: Within(a.domain, a.type) for i, a in enumerate(schema.attributes) if not a.domain.null}


def _never_null(relation: Relation) -> frozenset[int]:
    return frozenset(i for i, a in enumerate(relation.schema.attributes) if not a.domain.null)


def _on(found: Block) -> tuple[tuple[Attr, Attr], ...]:
    """The columns that the binary joins of a block have as pairs."""
    return tuple((_attr(found, a), _attr(found, b)) for a, b in found.on)


def _attr(found: Block, at: At) -> Attr:
    return Attr(at[0], found.leaves[at[0]].schema.names[at[1]])


def _class(found: Block, query: JoinQuery, at: At) -> object:
    """What all columns have in common that must be equal to this one."""
    attribute = _attr(found, at)
    return query.classes.get(attribute, attribute)
