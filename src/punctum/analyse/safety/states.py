"""Verdicts: for each state that the operators of a query keep, whether it stays bounded, with its witness."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import prod
from typing import assert_never

from punctum.algebra.aggregates import LISTS
from punctum.algebra.finite import finite
from punctum.algebra.pattern import Pattern
from punctum.algebra.ranking import Ranking
from punctum.algebra.scheme import Order
from punctum.algebra.values import Type
from punctum.analyse.memory.finite import best, kept, rows
from punctum.analyse.memory.windows import last_rows
from punctum.analyse.promises import Facts, Promise
from punctum.analyse.safety.alone import of_padded
from punctum.analyse.safety.inference import Inference
from punctum.analyse.safety.join_states import of_block, of_outer, of_windows
from punctum.analyse.safety.over_states import of_frames
from punctum.analyse.safety.rules import closing, closing_sessions, ordered, stables_of
from punctum.analyse.safety.temporal import chosen
from punctum.analyse.safety.verdicts import OperatorState, Verdict, Want, origins, rows_text
from punctum.errors import Place
from punctum.ir.definitions import NOWHERE
from punctum.ir.elements import FROM, VS
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
    SetOperator,
    Source,
    Union,
    UnionAll,
    Window,
)
from punctum.ir.session import Sessions
from punctum.ir.stamped import Stamped
from punctum.ir.temporal import Cleansed, Final, LMerge, Opened
from punctum.ir.tree import Relation, reads_text, title
from punctum.ir.windows import window

_NUMBERS = {"R0": 2, "R1": 2}
_NO_PARTITIONS = "it has no PARTITION BY, so no punctuation closes its partition"
AT_THE_END = "which come out when the streams have ended"
"""Of rows that nothing but the end lets out, unless they come as updates."""
_NO_GROUPS = "it has no grouping columns, so no punctuation closes its group"


def states(relation: Relation, known: Inference) -> Iterator[OperatorState]:
    """The states of a relation's operators, each after those below it."""
    if (part := known.parts.get(relation)) is not None:
        used = origins(known.facts(relation).promises)
        for name, most in part.texts:
            yield OperatorState("synopsis", name, Verdict.BOUNDED, (most,), _place(relation), uses=used)
        return
    if (block := known.block(relation)) is not None:
        for leaf in block.leaves:
            yield from states(leaf, known)
        yield from (_stateless(within) for within in block.within)
        join = of_windows if block.windowed else of_block
        yield from join(block, known.join(relation), known)
        return
    for below in relation.inputs:
        yield from states(below, known)
    match relation:
        case Aggregate() if (of := window(relation.input)) is not None:
            yield OperatorState(
                relation.OPERATOR, reads_text(relation), Verdict.BOUNDED, (last_rows(of.rows),), _place(relation)
            )
        case Source() | Window() | Punctuated():
            return
        case Over():
            yield from of_frames(relation, known.facts(relation.input), _combinations)
        case Ranked():
            yield _ranking(relation, known.facts(relation.input))
        case Distinct() | Aggregate() | OrderBy():
            yield from _unary(relation, known.facts(relation.input))
        case Sessions():
            yield _sessions(relation, known.facts(relation.input))
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
            yield from of_outer(relation, known)
        case Filter() | Projection() | Hop() | Stamped() | Lookup() | UnionAll():
            yield _stateless(relation)
        case Join() | PlannedNode():
            raise AssertionError(relation)  # joins are blocks, and plans come later
        case _:
            assert_never(relation)


def _stateless(relation: Relation) -> OperatorState:
    return OperatorState(relation.OPERATOR, reads_text(relation), Verdict.STATELESS, place=_place(relation))


def _unary(relation: Distinct | Aggregate | OrderBy, below: Facts) -> Iterator[OperatorState]:
    operator, name, place = relation.OPERATOR, reads_text(relation), _place(relation)
    closed, missing, wants = _needed(relation, below)
    used = origins(closed)
    most = _most(relation, below)
    state = OperatorState(operator, name, Verdict.UNBOUNDED, (missing,), place, wants)
    if most is not None:
        yield OperatorState(operator, name, Verdict.BOUNDED, (most,), place, uses=used)
    elif closed:
        witness = tuple(sorted(map(str, closed[0].origins)))
        yield OperatorState(operator, name, Verdict.PURGEABLE, witness, place, uses=used)
    elif (finite := rows(relation) if isinstance(relation, OrderBy) else kept(relation)) is not None:
        yield OperatorState(operator, name, Verdict.BOUNDED, (rows_text(finite),), place, uses=used)
    else:
        yield from [state] if isinstance(relation, OrderBy) else of_padded(relation, below, state)


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


def _sessions(relation: Sessions, below: Facts) -> OperatorState:
    """What is kept of open sessions, which an order of time closes a gap after their last row, or their keys do."""
    state = OperatorState(relation.OPERATOR, reads_text(relation), Verdict.UNBOUNDED, place=relation.place)
    closed = closing_sessions(below, relation)
    if closed:
        witness = tuple(sorted(map(str, closed[0].origins)))
        return replace(state, verdict=Verdict.PURGEABLE, witness=witness, uses=origins(closed))
    time, keys = relation.time, [column for _, column in relation.keys]
    wants = [Want(relation.input, time.index, order) for order in (Order.ASC, Order.DESC)]
    wants += [Want(relation.input, key.index) for key in keys]
    shown = f" or punctuations on its keys ({', '.join(key.name for key in keys)})" if keys else ""
    return replace(state, witness=(f"no input promises an order of its time{shown}",), wants=tuple(wants))


def _ranking(relation: Ranked, below: Facts) -> OperatorState:
    """What a ranking keeps: the rows of open partitions, or of these no more than have a rank within its limit."""
    most, by, names = relation.most, relation.by, relation.input.schema.names
    closed = closing(below, by)
    operator = relation.OPERATOR if most is None else f"top {most}"
    state = OperatorState(operator, reads_text(relation), Verdict.UNBOUNDED, (), relation.place, uses=origins(closed))
    if closed:
        witness = tuple(sorted(map(str, closed[0].origins)))
        return replace(state, verdict=Verdict.PURGEABLE, witness=witness)
    few = [n for n in (best(relation, rows(relation.input)), _few_best(relation, below)) if n is not None]
    if few:
        return replace(state, verdict=Verdict.BOUNDED, witness=(f"{rows_text(min(few))}, {AT_THE_END}",))
    wants = tuple(Want(relation.input, i) for i in range(len(names)) if below.same[i] in _same(below, by))
    shown = ", ".join(dict.fromkeys(names[i] for i in by))
    missing = f"no input promises punctuations on the columns of PARTITION BY ({shown})" if by else _NO_PARTITIONS
    return replace(state, witness=(missing,), wants=wants)


def _few_best(relation: Ranked, below: Facts) -> int | None:
    """How many rows are within a limit, where constants and domains bound the partitions."""
    if relation.most is None or relation.function is not Ranking.ROW_NUMBER:
        return None
    partitions = _combinations(relation.input, relation.by, below.constant)
    return None if partitions is None else partitions * relation.most


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
        return replace(state, verdict=Verdict.PURGEABLE, witness=(witness,), uses=origins(stables))
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
            return None if relation.most is None else _first(relation, below)
    most = _combinations(relation.input, columns, below.constant)
    return None if most is None else rows_text(most)


def _first(relation: OrderBy, below: Facts) -> str:
    """The rows of a limit, which the order lets out, or the end."""
    assert relation.most is not None
    few = rows_text(min(n for n in (rows(relation.input), relation.most) if n is not None))
    return few if ordered(below, relation) else f"{few}, {AT_THE_END}"


def _values(domain: Pattern, kind: Type) -> int | None:
    values = [True, False] if kind is Type.BOOLEAN else finite(domain, kind)
    return None if values is None else len(values) + domain.null


def _both(relation: SetOperator, left: Facts, right: Facts) -> Iterator[OperatorState]:
    """The states of a set operator: rows that came out, and for two of them rows of each side that wait."""
    operator, place = relation.OPERATOR, _place(relation)
    sides = ((relation.left, left), (relation.right, right))
    every, columns = origins([*left.shared, *right.shared]), range(len(relation.schema))
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
    return state if least is None else replace(state, verdict=Verdict.BOUNDED, witness=(rows_text(least),), wants=())


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
        return replace(state, verdict=Verdict.PURGEABLE, witness=witness, uses=origins(facts.shared))
    wants = tuple(Want(other, i) for i in range(len(other.schema)))
    return replace(state, witness=(_some(other),), wants=wants)


def _some(side: Relation) -> str:
    return f"{title(side)} promises no punctuations on any of its columns ({', '.join(side.schema.names)})"


def _place(relation: Relation) -> Place:
    place = getattr(relation, "place", NOWHERE)
    assert isinstance(place, Place)
    return place
