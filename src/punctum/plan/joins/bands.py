"""Which bands a plan has: of what comparisons imply of columns, what punctuations of these columns can use.

In: the conditions of a block. Out: a band for each column on which an input promises punctuations in order, and each
column of another input that bounds it there; and so for columns of whole numbers that lie between others.
"""

from collections.abc import Iterator
from datetime import timedelta

from punctum.algebra.bands import STEPS, Band, Limit
from punctum.algebra.scheme import Order
from punctum.algebra.values import Type, Value
from punctum.analyse.conditions import Conditions, bounding
from punctum.analyse.promises import Facts, Promise
from punctum.analyse.safety.inference import Inference, few_values
from punctum.ir.conjunctive.axes import At
from punctum.ir.definitions import NOWHERE
from punctum.ir.expressions import Expression, Literal
from punctum.ir.flatten import leaf_column
from punctum.ir.functions import call
from punctum.ir.tree import Relation

Classes = list[tuple[list[At], Value | None]]


def bands_of(conditions: Conditions) -> list[Band]:
    """The bands of columns of leaves, by columns of other leaves and between constants."""
    known, closure = Inference(), conditions.closure
    if not closure.nodes:
        return []
    promised = ((i, p) for i, leaf in enumerate(conditions.leaves) for p in _of(known.facts(leaf)))
    terms = dict.fromkeys(((i, column), order) for i, promise in promised for column, order in promise.terms)
    equal = [at for at, order in terms if order is Order.EQUALITY]
    few = {at: ends for at in equal if (ends := few_values(conditions.leaves[at[0]], closure, at))}
    pairs = dict.fromkeys((at, by) for at, order in terms for by in bounding(closure, at, order))
    pairs |= dict.fromkeys((at, by) for at, ends in few.items() for _, by in ends)
    bands = []
    for at, by in pairs:
        low, high = closure.ends(at) if by is None else (closure.least(at, by), closure.most(at, by))
        if not (by is not None and low == high == Limit(0)):  # else it is an equality
            bands.append(Band(at, by, low, high, at in few))
    return bands


def _of(facts: Facts) -> tuple[Promise, ...]:
    return (*facts.promises, *facts.purging)


def with_bands(classes: Classes, bands: list[Band]) -> Classes:
    """The classes of a join, with one for each column of a band that is in none."""
    there = {at for members, _ in classes for at in members}
    ends = dict.fromkeys(end for band in bands for end in (band.of, band.by) if end is not None)
    return [*classes, *(([end], None) for end in ends if end not in there)]


def implied(band: Band, leaves: list[Relation]) -> Iterator[Expression]:
    """A band as conditions, for a join below those that demand it."""
    of = leaf_column(band.of[0], leaves[band.of[0]], band.of[1])
    for limit, op in ((band.low, ">"), (band.high, "<")):
        if limit is not None:
            end = _end(band, limit, leaves)
            yield call(op if limit.strict else f"{op}=", (of, end), NOWHERE)


def _end(band: Band, limit: Limit, leaves: list[Relation]) -> Expression:
    kind = leaves[band.of[0]].schema.attributes[band.of[1]].type
    if band.by is None:
        return Literal(limit.offset, kind)
    other = leaf_column(band.by[0], leaves[band.by[0]], band.by[1])
    if not limit.offset:
        return other
    step = STEPS[kind]
    offset = step * limit.offset if isinstance(step, timedelta) else limit.offset
    return call("+", (other, Literal(offset, Type.INTERVAL if isinstance(step, timedelta) else kind)), NOWHERE)
