"""The rules of inference: the facts of an operator's inputs in, those of its output out.

One rule for each operator, as the operators propagate punctuations (tables 3 and 4 of the punctuation paper):

- select, dupelim: those of the input. Union, intersect, difference: what both inputs have emitted. A selection that
  fixes all columns of a promise to constants lets one punctuation end its output: it emits all other values itself.
- project: a promise whose every column has an image among the computed ones; a column fixed to a constant may go.
- hop: those of the input; an order of the first window is one of the start of each.
- session: a promise on keys alone, or with them on the order of time, which is then one of ends.
- group-by: a promise on grouping columns alone. Sort: a prefix of the leading column alone. Window functions: those of
  the input, if the rows that wait come out.
- opens and closes, and a stream that is put in order: their stables. Merge of replicas: the stables of any one input.
  Final events: prefixes of their ends, for inserts of starts too.
- join of windows: what all inputs have emitted. Groups of a window: none, for rows that leave it change them.
- join: those of an input whose state can be purged, for a punctuation waits for the rows that it matches.
- joins that look at rows without a partner: in ``outer.py``.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import assert_never

from punctum.algebra.frames import FrameFunction
from punctum.algebra.pattern import WILDCARD
from punctum.algebra.schema import Schema
from punctum.algebra.scheme import Order
from punctum.algebra.trends import Trend
from punctum.analyse.blocks import constants, equalities
from punctum.analyse.predicates import pattern_of
from punctum.analyse.promises import Declared, Facts, Padded, Promise, Terms, Within, both, distinct, ways
from punctum.ir.elements import FROM
from punctum.ir.expressions import Column, Expression, columns, conjuncts
from punctum.ir.hop import Hop
from punctum.ir.lookup import Lookup
from punctum.ir.outer import coalesced_columns
from punctum.ir.over import Over
from punctum.ir.punctuated import Punctuated
from punctum.ir.ranking import Ranked
from punctum.ir.relations import (
    Aggregate,
    Except,
    Filter,
    Intersect,
    OrderBy,
    Projection,
    SetOperator,
    Union,
    UnionAll,
)
from punctum.ir.session import Sessions
from punctum.ir.shape import onto, shape
from punctum.ir.stamped import Stamped
from punctum.ir.tree import Relation
from punctum.ir.units import unit_key


def filtered(below: Facts, relation: Filter, early: bool = False) -> Facts:
    """What holds behind a selection: its columns may be constants, equal, never NULL, or have certain values only."""
    predicate, equal = relation.predicate, list(below.equal)
    for a, b in equalities(predicate):
        one, other = sorted((equal[a], equal[b]))
        equal = [one if first == other else first for first in equal]
    patterns = [compared for compared in map(pattern_of, conjuncts(predicate)) if compared is not None]
    filled = {column.index for column, pattern in patterns if not pattern.null}
    filled |= {i for pair in equalities(predicate) for i in pair}
    fixed = below.fixed.union(constants(predicate))
    firsts = {equal[i] for i in fixed | below.constant}
    constant = frozenset(i for i, first in enumerate(equal) if first in firsts)
    within = dict(below.within)
    for column, pattern in patterns:
        known = within.get(column.index, Within(WILDCARD, column.type))
        within[column.index] = known._replace(pattern=known.pattern.meet(pattern))
    some = below.filled | filled
    rest = tuple(padded for padded in below.padded if not padded.columns & some)
    whole = [p for padded in below.padded if padded not in rest for p in padded.promises if _whole(p, padded, some)]
    promises = distinct([*below.promises, *whole])
    facts = Facts(promises, below.same, tuple(equal), fixed, constant, some, within, rest, below.units)
    return ended(facts, early)


def _whole(promise: Promise, padded: Padded, filled: frozenset[int]) -> bool:
    """Whether a promise leaves out no row, when those without a partner are gone."""
    return any(column in filled or column in padded.filled for column in promise.columns)


def ended(facts: Facts, early: bool) -> Facts:
    """The facts with a promise that all comes to an end, where the punctuations of one close all that can come.

    They coalesce when they are on one column, or on constants alone.
    """
    single = [p for p in facts.promises if facts.fixed.issuperset(p.columns) or (len(p.terms) == 1 and not early)]
    ends = (Promise(frozenset(), p.origins) for p in single if all(map(facts.ends, p.terms)))
    return replace(facts, promises=distinct([*facts.promises, *ends]))


def projected(below: Facts, relation: Projection) -> Facts:
    """What holds behind a projection: a promise moves to computed columns, in every way."""
    expressions = [expression for _, expression in relation.columns]
    same, equal = (_firsts(expressions, known) for known in (below.same, below.equal))
    constant = {n for n, e in enumerate(expressions) if all(c.index in below.constant for c in columns(e))}
    fixed = {n for n, e in enumerate(expressions) if isinstance(e, Column) and e.index in below.fixed}
    shapes = [shape(expression).source for expression in expressions]
    filled = {n for n, source in enumerate(shapes) if source in below.filled}
    known = never_null(relation) | filled
    moved = _moved(below, expressions, below.promises)
    named = distinct([promise for promise, _ in moved])
    units = {
        (p.terms, n, by)
        for p, was in moved
        for terms, at, by in below.units
        for n, _ in p.terms
        if terms == was and _is(expressions[n], at)
    }
    padded = tuple(
        p.moved({n: source for n, source in enumerate(shapes) if source is not None}, distinct(there))
        for p in below.padded
        if (there := [promise for promise, _ in _moved(below, expressions, p.promises)])
    )
    padded += tuple(_merged(below, relation))
    plain = {n: e.index for n, e in enumerate(expressions) if isinstance(e, Column) and e.index in below.within}
    within = {n: below.within[at] for n, at in plain.items()}
    return Facts(named, same, equal, frozenset(fixed), frozenset(constant), known, within, padded, frozenset(units))


def _merged(below: Facts, relation: Projection) -> Iterator[Padded]:
    """Promises on columns that are the first of several which is not NULL: what is promised on each of these."""
    every = [*below.promises, *(promise for padded in below.padded for promise in padded.promises)]
    for n, several in coalesced_columns(relation).items():
        for order in Order:
            on = [next((p for p in every if p.terms == {(below.same[c.index], order)}), None) for c in several]
            known = [promise for promise in on if promise is not None]
            if len(known) == len(on):
                origins = frozenset[Declared]().union(*(promise.origins for promise in known))
                promise = Promise(frozenset([(n, order)]), origins, any(p.own for p in known))
                yield Padded(frozenset([n]), frozenset(), (promise,))


def _moved(below: Facts, expressions: list[Expression], promises: tuple[Promise, ...]) -> list[tuple[Promise, Terms]]:
    """Promises below a projection, in every way in which its columns show them, each with its terms below."""
    shown, whole = list[tuple[Promise, Terms]](), set[tuple[Terms, int]]()
    for promise in promises:
        images = {term: _images(below, expressions, *term) for term in promise.terms}
        for at, n in _unit_images(below, expressions, promise):
            images[at, Order.EQUALITY].append((n, Order.EQUALITY))
            whole.add((promise.terms, n))
        left = frozenset(term for term in promise.terms if images[term] or not below.ends(term))
        shown += [(moved, promise.terms) for moved in ways(promise._replace(terms=left), images)]
    same = _firsts(expressions, below.same)
    some = {n for n, expression in enumerate(expressions) if not onto(expression)}
    named = list[tuple[Promise, Terms]]()
    for p, was in shown:
        own = p.own or any(n in some and order is Order.EQUALITY and (was, n) not in whole for n, order in p.terms)
        named.append((Promise(frozenset((same[n], order) for n, order in p.terms), p.origins, own), was))
    return named


def _is(expression: Expression, column: int) -> bool:
    return isinstance(expression, Column) and expression.index == column


def _unit_images(below: Facts, expressions: list[Expression], promise: Promise) -> Iterator[tuple[int, int]]:
    """The columns of which a promise closes whole units, each with one of a projection that has a value for a unit."""
    for at, by in ((at, by) for terms, at, by in below.units if terms == promise.terms):
        for n, expression in enumerate(expressions):
            source = shape(expression).source
            if source is not None and below.same[source] == at and unit_key(expression) == by:
                yield at, n


def promised(below: Facts, relation: Punctuated, own: Declared, early: bool = False) -> Facts:
    """What holds behind a clause: what held before, and its promise."""
    terms = frozenset((below.same[at], order) for at, order in relation.terms)
    promises = distinct([Promise(terms, frozenset([own])), *below.promises])
    units = units_of(terms, below.same[relation.terms[-1][0]], relation.unit)
    filled = below.filled | never_null(relation)
    return ended(replace(below, promises=promises, filled=filled, units=below.units | units), early)


def units_of(terms: Terms, last: int, unit: Expression | None) -> frozenset[tuple[Terms, int, str]]:
    """The units that a promise closes; in order, their prefixes are prefixes like any other."""
    if unit is None or (last, Order.EQUALITY) not in terms:
        return frozenset()
    return frozenset([(terms, last, unit_key(unit))])


def _images(below: Facts, expressions: list[Expression], column: int, order: Order) -> list[tuple[int, Order]]:
    """The columns of a projection to which a pattern on a column below moves, and their orders."""
    images: list[tuple[int, Order]] = []
    for n, expression in enumerate(expressions):
        source, injective, trend = shape(expression)
        if source is None or below.same[source] != below.same[column]:
            continue
        if order is Order.EQUALITY:
            images += [(n, order)] if injective else []
        elif trend is not Trend.NEITHER:
            turned = {Order.ASC: Order.DESC, Order.DESC: Order.ASC}
            images.append((n, order if trend is Trend.INCREASING else turned[order]))
    return images


def _firsts(expressions: list[Expression], known: tuple[int, ...]) -> tuple[int, ...]:
    """For each column of a projection the first one that is the same, when both are columns as they are."""
    first: dict[int, int] = {}
    return tuple(first.setdefault(known[e.index], n) if isinstance(e, Column) else n for n, e in enumerate(expressions))


def hopped(below: Facts, relation: Hop) -> Facts:
    """What holds for rows in each of their windows: orders of the first or the last one are orders of all."""
    start = relation.width
    moved = {(start, Order.ASC): Order.ASC, (start + 1, Order.DESC): Order.DESC}
    promises = [
        p._replace(terms=frozenset((min(at, start), order) for at, order in p.terms))
        for p in below.promises
        if all(term[0] < start or term in moved for term in p.terms)
    ]
    same, equal = ((*known[:start], start) for known in (below.same, below.equal))
    fixed, constant, filled = (
        frozenset(at for at in c if at < start) for c in (below.fixed, below.constant, below.filled)
    )
    within = {at: known for at, known in below.within.items() if at < start}
    return Facts(distinct(promises), same, equal, fixed, constant, filled | {start}, within)


def stamped(below: Facts, relation: Stamped) -> Facts:
    """What holds for rows with the time of their batch: all that held before, and that time is in order."""
    time = relation.width
    promises = distinct((*below.promises, Promise(frozenset([(time, Order.ASC)]), frozenset())))
    same, equal = (*below.same, time), (*below.equal, time)
    return replace(below, promises=promises, same=same, equal=equal, filled=below.filled | {time})


def looked_up(below: Facts, relation: Lookup) -> Facts:
    """What holds behind a lookup: all that held before, and columns of the table that equal others carry the same."""
    if not relation.pairs:
        return below
    equated, whole = relation.equated(), range(len(below.same), len(relation.schema))
    same, equal = (
        (*known, *(known[equated[n]] if n in equated else n for n in whole)) for known in (below.same, below.equal)
    )
    fixed, constant = (
        known | {n for n, at in equated.items() if at in known} for known in (below.fixed, below.constant)
    )
    filled = below.filled | never_null(relation) | {*equated, *equated.values()}
    return Facts(below.promises, same, equal, fixed, constant, filled, below.within)


def grouped(below: Facts, keys: list[int], relation: Aggregate | Sessions) -> Facts:
    """What holds behind a group-by: promises on grouping columns alone, which are the first columns of the result."""
    first: dict[int, int] = {}
    same = [first.setdefault(below.same[key], n) for n, key in enumerate(keys)]
    alike: dict[int, int] = {}
    equal = [alike.setdefault(below.equal[key], n) for n, key in enumerate(keys)]
    rest = range(len(keys), len(relation.schema))

    def over_keys(promises: list[Promise]) -> tuple[Promise, ...]:
        terms = (frozenset((first[below.same[column]], order) for column, order in p.terms) for p in promises)
        return distinct(p._replace(terms=t) for p, t in zip(promises, terms, strict=True))

    padded = tuple(
        p.moved(dict(enumerate(keys)), over_keys(on)) for p in below.padded if (on := closing(below, keys, p.promises))
    )
    fixed, constant, filled = (
        frozenset(n for n, key in enumerate(keys) if key in known)
        for known in (below.fixed, below.constant, below.filled)
    )
    known_null = never_null(relation) | filled
    within = {n: below.within[key] for n, key in enumerate(keys) if key in below.within}
    promises = over_keys(closing(below, keys))
    return Facts(promises, (*same, *rest), (*equal, *rest), fixed, constant, known_null, within, padded)


def ranked(below: Facts, relation: Ranked | Over) -> Facts:
    """What holds behind window functions: all that held before, once no row that waits matches a punctuation."""
    leads = isinstance(relation, Over) and relation.function is FrameFunction.LEAD  # the last row of a partition waits
    sorts = ordered(below, relation) if isinstance(relation, Over) and relation.ordered and not leads else ()
    promises = below.promises if sorts or closing(below, relation.by) else ()
    same, equal = ((*known, len(known)) for known in (below.same, below.equal))
    filled = below.filled | never_null(relation)
    return Facts(promises, same, equal, below.fixed, below.constant, filled, below.within, units=below.units)


def closing(below: Facts, keys: list[int], promises: tuple[Promise, ...] | None = None) -> list[Promise]:
    """The promises, all or some, on grouping columns alone."""
    grouping, some = {below.same[key] for key in keys}, below.promises if promises is None else promises
    return [p for p in some if all(below.same[column] in grouping for column in p.columns)]


def sessions(below: Facts, relation: Sessions) -> Facts:
    """What holds behind sessions: promises on keys alone, and orders of time, which are then of ends."""
    keys, end = [column.index for _, column in relation.keys], len(relation.keys) + 1
    time = below.same[relation.time.index]
    grouped_by = grouped(below, keys, relation)
    first = {below.same[key]: n for n, key in reversed(list(enumerate(keys)))}
    promises = [
        p._replace(terms=frozenset((end if at == time else first[at], order) for at, order in p.terms))
        for p in closing_sessions(below, relation)
        if (time, Order.DESC) not in p.terms
    ]
    return replace(grouped_by, promises=distinct(promises), padded=())


def closing_sessions(below: Facts, relation: Sessions) -> list[Promise]:
    """The promises that close sessions: on keys alone, or with them on an order of time."""
    keys, time = {below.same[column.index] for _, column in relation.keys}, below.same[relation.time.index]
    orders = ((time, Order.ASC), (time, Order.DESC))
    return [p for p in below.promises if all(term[0] in keys or term in orders for term in p.terms)]


def ordered(below: Facts, relation: OrderBy | Over) -> tuple[Promise, ...]:
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


def of_events(relation: Relation, prefixed: tuple[str, ...], stables: list[Promise]) -> Facts:
    """What holds behind a merge or for final events: each stable becomes a prefix of some columns."""
    columns = tuple(range(len(relation.schema)))
    promises = [
        Promise(frozenset([(column, Order.ASC)]) if p.terms else p.terms, p.origins)
        for p in stables
        for column in map(relation.schema.index, prefixed)
    ]
    return Facts(distinct(promises), columns, columns, filled=never_null(relation))


def of_both(operator: SetOperator, left: Facts, right: Facts) -> Facts:
    """What holds for a set operator: rows of an intersection fit both inputs, those of a difference the left one."""
    columns = tuple(range(len(operator.schema)))
    promises = both(left, right)
    none: frozenset[int] = frozenset()
    match operator:
        case Intersect():
            constant, filled = left.constant | right.constant, left.filled | right.filled
            return Facts(promises, columns, left.equal, none, constant, filled)
        case Except():
            return Facts(promises, columns, left.equal, none, left.constant, left.filled)
        case Union() | UnionAll():
            return Facts(promises, columns, columns, none, none, left.filled & right.filled)
        case _:
            assert_never(operator)


def domains(schema: Schema) -> dict[int, Within]:
    """The values that columns have by their domains."""
    return {i: Within(a.domain, a.type) for i, a in enumerate(schema.attributes) if not a.domain.null}


def never_null(relation: Relation) -> frozenset[int]:
    """The columns that are never NULL by their domains."""
    return frozenset(i for i, a in enumerate(relation.schema.attributes) if not a.domain.null)
