"""Verdicts: for each state that the operators of a query keep, whether it stays bounded, with its witness.

- **stateless**: no rows are kept.
- **bounded**: at most so many rows as the witness names, whatever comes.
- **purgeable**: the witness is the chain of schemes whose punctuations, in this order, purge every row.
- **unbounded**: the witness is what is missing: for a join the inputs that cannot be reached.

An unbounded state also has what it *wants*: columns of which one at least must get into a new promise before the
state can be purged.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from math import prod
from typing import NamedTuple, assert_never

from punctum.algebra.finite import finite
from punctum.algebra.pattern import Pattern
from punctum.algebra.scheme import Order
from punctum.algebra.values import Type
from punctum.analyse.blocks import Block
from punctum.analyse.graphs import Attr, JoinQuery, Step, chain
from punctum.analyse.memory.finite import LISTS, kept, rows
from punctum.analyse.memory.windows import kept as kept_of_windows
from punctum.analyse.memory.windows import last_rows
from punctum.analyse.promises import Declared, Facts, Promise
from punctum.analyse.safety.inference import Inference, bounding
from punctum.analyse.safety.outer import closers
from punctum.analyse.safety.rules import closing, ordered, stables_of
from punctum.analyse.safety.temporal import chosen
from punctum.errors import Place
from punctum.ir.definitions import NOWHERE
from punctum.ir.elements import FROM, VS
from punctum.ir.expressions import rebased, text
from punctum.ir.flatten import at_of
from punctum.ir.lifted import inserts_only
from punctum.ir.node import PlannedNode
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
    SetOperator,
    Source,
    Union,
    UnionAll,
    Window,
)
from punctum.ir.temporal import Cleansed, Final, LMerge, Opened
from punctum.ir.tree import Relation, reads_text, title
from punctum.ir.windows import window


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


_NUMBERS = {"R0": 2, "R1": 2}
_NO_GROUPS = "it has no grouping columns, so no punctuation closes its group"


def states(relation: Relation, known: Inference) -> Iterator[OperatorState]:
    """The states of a relation's operators, each after those below it."""
    if (part := known.parts.get(relation)) is not None:
        used = _origins(known.facts(relation).promises)
        for name, most in part.texts:
            yield OperatorState("synopsis", name, Verdict.BOUNDED, (most,), _place(relation), uses=used)
        return
    if (block := known.block(relation)) is not None:
        for leaf in block.leaves:
            yield from states(leaf, known)
        yield from (_stateless(within) for within in block.within)
        join = _window_join if block.windowed else _join
        yield from join(block, known.join(relation), known)
        return
    for below in relation.inputs:
        yield from states(below, known)
    match relation:
        case Aggregate() if (of := window(relation.input)) is not None:
            yield OperatorState(
                relation.OPERATOR, reads_text(relation), Verdict.BOUNDED, (last_rows(of.rows),), _place(relation)
            )
        case Source() | Window():
            return
        case Distinct() | Aggregate() | OrderBy():
            yield _unary(relation, known.facts(relation.input))
        case LMerge():
            yield _merge(relation, known)
        case Final() if inserts_only(relation.input):
            yield _stateless(relation)
        case Opened() | Cleansed() | Final():
            yield _waiting(
                OperatorState(relation.OPERATOR, reads_text(relation), Verdict.UNBOUNDED), relation.inputs, known
            )
        case Union() | Intersect() | Except():
            yield from _both(relation, known.facts(relation.left), known.facts(relation.right))
        case OuterJoin():
            yield from _outer(relation, known)
        case Filter() | Projection() | UnionAll():
            yield _stateless(relation)
        case Join() | PlannedNode():
            raise AssertionError(relation)  # joins are blocks, and plans come later
        case _:
            assert_never(relation)


def _stateless(relation: Relation) -> OperatorState:
    return OperatorState(relation.OPERATOR, reads_text(relation), Verdict.STATELESS, place=_place(relation))


def _join(block: Block, query: JoinQuery, known: Inference) -> Iterator[OperatorState]:
    """A state for each input of a join: the rows that later rows of the others may still meet."""
    used = _usable(block, query, known)
    for leaf, name in enumerate(query.streams):
        steps = chain(query, leaf)
        reached = {leaf, *(step.scheme.stream for step in steps)}
        missing = [i for i in range(len(query.streams)) if i not in reached]
        if missing and (most := rows(block.leaves[leaf])) is not None:
            yield OperatorState("join", name, Verdict.BOUNDED, (_rows(most),), block.place)
        elif not missing:
            witness = tuple(_punctuated(query.streams[on.stream], on.texts) for on, _ in steps)
            yield OperatorState("join", name, Verdict.PURGEABLE, witness, block.place, uses=used, chain=steps)
        else:
            witness, wants = tuple(query.streams[i] for i in missing), _unreached(block, query, reached)
            unsure = tuple(_undecided(block, query))
            yield OperatorState("join", name, Verdict.UNBOUNDED, witness, block.place, wants, used, steps, unsure)


def _undecided(block: Block, query: JoinQuery) -> Iterator[str]:
    """What the graphs do not see, for which a verdict of "unbounded" may be too strict."""
    for condition in block.outside:
        named = rebased(condition, lambda c: replace(c, name=f"{query.streams[at_of(c)[0]]}.{c.name}"))
        yield f"{text(named)} is no equality and no difference of columns, so it is not used"
    orders = {order for on in query.schemes for _, order in on.terms}
    if block.closure.nodes and {Order.ASC, Order.DESC} <= orders:
        yield "some inputs are in ascending order and some in descending order, and what both mean together is not used"


def _outer(join: OuterJoin, known: Inference) -> Iterator[OperatorState]:
    """A state for each input of a join that looks at rows without a partner: its rows wait for the other input."""
    query, operator = known.pair(join), f"{join.kind.value} join"
    for i, (side, other) in enumerate((join.inputs, join.inputs[::-1])):
        by = closers(join, 1 - i, known.facts(other), known.bounds(join, 1 - i), query.streams[1 - i])
        state = OperatorState(operator, query.streams[i], Verdict.UNBOUNDED, (by.missing,), join.place)
        if steps := chain(query, i):
            witness = tuple(_punctuated(query.streams[on.stream], on.texts) for on, _ in steps)
            yield replace(state, verdict=Verdict.PURGEABLE, witness=witness, uses=_origins(by.promises), chain=steps)
        else:
            yield _or_few(replace(state, wants=tuple(Want(other, *term) for term in by.terms)), rows(side))


def _window_join(block: Block, query: JoinQuery, known: Inference) -> Iterator[OperatorState]:
    """A state for each input of a join of windows: the last rows, or all that there can be."""
    assert block.end is not None
    for leaf, (name, side) in enumerate(zip(query.streams, kept_of_windows(block.end), strict=True)):
        if side.rows is not None:
            yield OperatorState("join", name, Verdict.BOUNDED, (side.text,), block.place)
            continue
        closing = {i: _closing(query, known, block, leaf, i) for i in range(len(query.streams)) if i != leaf}
        used = _origins([promise for promises in closing.values() for promise in promises])
        missing = [i for i, promises in closing.items() if not promises]
        if missing:
            names, wants = tuple(query.streams[i] for i in missing), _unreached(block, query, {leaf})
            yield OperatorState("join", name, Verdict.UNBOUNDED, names, block.place, wants, used)
        else:
            witness = tuple(
                _punctuated(query.streams[i], tuple(block.leaves[i].schema.names[c] for c in promises[0].columns))
                for i, promises in closing.items()
            )
            yield OperatorState("join", name, Verdict.PURGEABLE, witness, block.place, uses=used)


def _closing(query: JoinQuery, known: Inference, block: Block, leaf: int, other: int) -> list[Promise]:
    """The promises of an input on nothing but columns that have to equal some of another one."""
    bound = query.binds[leaf]
    names = block.leaves[other].schema.names
    promises = known.facts(block.leaves[other]).shared
    return [p for p in promises if all(query.classes.get(Attr(other, names[c])) in bound for c in p.columns)]


def _punctuated(name: str, attributes: tuple[str, ...]) -> str:
    return f"{name}({', '.join(attributes)})" if attributes else f"the end of {name}"


def _usable(block: Block, query: JoinQuery, known: Inference) -> frozenset[Declared]:
    """The origins of promises that can purge another input: the others know a value for each of their columns."""
    promises = [promise for leaf in block.leaves for promise in known.facts(leaf).shared]
    used: frozenset[Declared] = frozenset()
    for promise, scheme, needs in zip(promises, query.schemes, query.needs, strict=True):
        if all(query.knowing(numbers, scheme.stream) for numbers in needs):
            used |= promise.origins
    return used


def _unreached(block: Block, query: JoinQuery, reached: set[int]) -> tuple[Want, ...]:
    """The columns of inputs that are not reached of which those that are know a value."""
    known = query.constant.union(*(query.binds[i] for i in reached))
    columns = [(i, at) for i, leaf in enumerate(block.leaves) if i not in reached for at in range(len(leaf.schema))]
    wants = [
        (i, at, Order.EQUALITY)
        for i, at in columns
        if query.classes.get(Attr(i, block.leaves[i].schema.names[at])) in known
    ]
    wants += [
        (i, at, order)
        for i, at in columns
        for order in Order
        if any(by is None or by[0] in reached for by in bounding(block.closure, (i, at), order))
    ]
    return tuple(Want(block.leaves[i], at, order) for i, at, order in dict.fromkeys(wants))


def _unary(relation: Distinct | Aggregate | OrderBy, below: Facts) -> OperatorState:
    operator, name, place = relation.OPERATOR, reads_text(relation), _place(relation)
    closed, missing, wants = _needed(relation, below)
    used = _origins(closed)
    most = _most(relation, below)
    if most is not None:
        return OperatorState(operator, name, Verdict.BOUNDED, (most,), place, uses=used)
    if closed:
        witness = tuple(sorted(map(str, closed[0].origins)))
        return OperatorState(operator, name, Verdict.PURGEABLE, witness, place, uses=used)
    if (finite := rows(relation) if isinstance(relation, OrderBy) else kept(relation)) is not None:
        return OperatorState(operator, name, Verdict.BOUNDED, (_rows(finite),), place, uses=used)
    return OperatorState(operator, name, Verdict.UNBOUNDED, (missing,), place, wants)


def _needed(relation: Distinct | Aggregate | OrderBy, below: Facts) -> tuple[Sequence[Promise], str, tuple[Want, ...]]:
    """The promises that purge a state; what is missing when there are none, and columns that would do."""
    names = relation.input.schema.names
    match relation:
        case Distinct():
            every = tuple(Want(relation.input, i) for i in range(len(names)))
            return (
                below.promises,
                f"its input promises no punctuations on any of its columns ({', '.join(names)})",
                every,
            )
        case Aggregate():
            keys = [column.index for _, column in relation.keys]
            wants = tuple(Want(relation.input, i) for i in range(len(names)) if below.same[i] in _same(below, keys))
            shown = ", ".join(dict.fromkeys(name for name, _ in relation.keys))
            missing = f"no input promises punctuations on the grouping columns ({shown})" if keys else _NO_GROUPS
            return closing(below, keys), missing, wants
        case OrderBy():
            column, down, _ = relation.keys[0]
            order = Order.DESC if down else Order.ASC
            ends = [promise for promise in below.promises if not promise.terms]
            missing = f"its input promises no punctuations in sort order ({names[column.index]} {order.value})"
            if any(p.terms == {(below.same[column.index], order)} for p in below.promises):
                missing = f"{names[column.index]} may be NULL, and NULLs come first: declare it NOT NULL"
            return [*ends, *ordered(below, relation)], missing, (Want(relation.input, column.index, order),)


def _merge(merge: LMerge, known: Inference) -> OperatorState:
    """What a merge keeps: a few numbers, or elements up to a stable of any one input."""
    case, inputs = chosen(merge, known).case, ", ".join(merge.names)
    state = OperatorState(f"{merge.OPERATOR} {case}", inputs, Verdict.UNBOUNDED, place=merge.place)
    if case in _NUMBERS:
        most = _NUMBERS[case] + len(merge.names) * (case != "R0")
        return replace(state, verdict=Verdict.BOUNDED, witness=(f"{most} numbers",))
    return _waiting(state, merge.merged, known)


def _waiting(state: OperatorState, inputs: Sequence[Relation], known: Inference) -> OperatorState:
    """A state that waits for a stable of one of some inputs."""
    stables = [p for relation in inputs for p in stables_of(known.facts(relation), relation.schema)]
    if stables:
        witness = " or ".join(dict.fromkeys(" and ".join(sorted(map(str, p.origins))) for p in stables))
        return replace(state, verdict=Verdict.PURGEABLE, witness=(witness,), uses=_origins(stables))
    wants = tuple(Want(relation, relation.schema.index(FROM), Order.ASC) for relation in inputs)
    return replace(state, witness=(f"no input promises stables ({VS} ASC)",), wants=wants)


def _same(below: Facts, keys: list[int]) -> set[int]:
    return {below.same[key] for key in keys}


def few_groups(relation: Aggregate, below: Facts) -> bool:
    """Whether there are finitely many groups, whatever comes: each is then kept as one row."""
    return _most(relation, below) is not None or kept(relation) is not None


def _most(relation: Distinct | Aggregate | OrderBy, below: Facts) -> str | None:
    """How many rows there are at most, where constants and domains bound them."""
    match relation:
        case Aggregate() if any(call.function in LISTS for call in relation.aggregates):
            return None
        case Aggregate():
            columns = [column.index for _, column in relation.keys]
        case Distinct():
            columns = list(range(len(relation.schema)))
        case OrderBy():
            return None
    most = _combinations(relation.input, columns, below.constant)
    return None if most is None else _rows(most)


def _rows(most: int) -> str:
    return "1 row" if most == 1 else f"{most} rows"


def _values(domain: Pattern, kind: Type) -> int | None:
    values = [True, False] if kind is Type.BOOLEAN else finite(domain, kind)
    return None if values is None else len(values) + domain.null


def _both(relation: SetOperator, left: Facts, right: Facts) -> Iterator[OperatorState]:
    """The states of a set operator: rows that came out, and for two of them rows of each side that wait."""
    operator, place = relation.OPERATOR, _place(relation)
    sides = ((relation.left, left), (relation.right, right))
    every, columns = _origins([*left.shared, *right.shared]), range(len(relation.schema))
    if not isinstance(relation, Union):
        for (mine, own), (theirs, facts) in (sides, sides[::-1]):
            state = _of_side(OperatorState(operator, title(mine), Verdict.UNBOUNDED, place=place), theirs, facts)
            yield _or_few(state, rows(Distinct(mine)), _combinations(mine, columns, own.constant))
    lacking = [side for side, facts in sides if not facts.shared]
    few = rows(relation), _combinations(relation, columns)
    if any(most is not None for most in few):
        yield _or_few(OperatorState(operator, reads_text(relation), Verdict.UNBOUNDED, place=place, uses=every), *few)
    elif lacking:
        wants = tuple(Want(lacking[0], i) for i in range(len(lacking[0].schema)))
        missing = tuple(_some(side) for side in lacking)
        yield OperatorState(operator, reads_text(relation), Verdict.UNBOUNDED, missing, place, wants)
    else:
        witness = tuple(sorted(map(str, left.shared[0].origins | right.shared[0].origins)))
        yield OperatorState(operator, reads_text(relation), Verdict.PURGEABLE, witness, place, uses=every)


def _or_few(state: OperatorState, *most: int | None) -> OperatorState:
    """A state of which there are few rows whatever comes, where some number bounds them."""
    least = min((number for number in most if number is not None), default=None)
    return state if least is None else replace(state, verdict=Verdict.BOUNDED, witness=(_rows(least),), wants=())


def _combinations(relation: Relation, columns: Sequence[int], constant: frozenset[int] = frozenset()) -> int | None:
    """How many different values some columns have together, where constants and domains bound them."""
    attributes = relation.schema.attributes
    counts = [1 if i in constant else _values(attributes[i].domain, attributes[i].type) for i in columns]
    known = [count for count in counts if count is not None]
    return prod(known) if len(known) == len(counts) else None


def _of_side(state: OperatorState, other: Relation, facts: Facts) -> OperatorState:
    """The rows of one side, which any punctuation of the other one can purge."""
    if facts.shared:
        witness = tuple(sorted(map(str, facts.shared[0].origins)))
        return replace(state, verdict=Verdict.PURGEABLE, witness=witness, uses=_origins(facts.shared))
    wants = tuple(Want(other, i) for i in range(len(other.schema)))
    return replace(state, witness=(_some(other),), wants=wants)


def _some(side: Relation) -> str:
    return f"{title(side)} promises no punctuations on any of its columns ({', '.join(side.schema.names)})"


def _origins(promises: Sequence[Promise]) -> frozenset[Declared]:
    return frozenset(origin for promise in promises for origin in promise.origins)


def _place(relation: Relation) -> Place:
    place = getattr(relation, "place", NOWHERE)
    assert isinstance(place, Place)
    return place
