"""The states of joins: for each input, whether the rows that later rows of the others may meet stay bounded.

In: a block of inner joins, a join of windows, or one that looks at rows without a partner, and what is inferred of its
inputs. Out: a state for each input, with its verdict.
"""

from collections.abc import Iterator
from dataclasses import replace

from punctum.algebra.bands import STEPS
from punctum.algebra.scheme import Order
from punctum.algebra.trends import Trend
from punctum.algebra.values import Type
from punctum.analyse.blocks import Block
from punctum.analyse.conditions import Conditions, bounding, enclosing
from punctum.analyse.graphs import Attr, JoinQuery, chain
from punctum.analyse.memory.finite import rows
from punctum.analyse.memory.windows import kept as kept_of_windows
from punctum.analyse.promises import Declared, Promise
from punctum.analyse.safety.inference import Inference, few_values
from punctum.analyse.safety.outer import closers, conditions
from punctum.analyse.safety.verdicts import OperatorState, Verdict, Want, origins, rows_text
from punctum.ir.differences import summed
from punctum.ir.expressions import Call, Column, Expression, columns, rebased, text
from punctum.ir.flatten import at_of
from punctum.ir.relations import OuterJoin, Projection
from punctum.ir.shape import onto, shape
from punctum.ir.tree import Relation

_NEITHER = "keeps neither values nor order apart, so punctuations on what it reads are not used"
_APART = "is at no fixed distance from what it reads, so what comparisons of both mean together is not used"
_SEVERAL = "maps several values to one, so punctuations on single values of what it reads are not used"
_NOT_EVERY = "does not have every value, so punctuations on single values of what it reads are not used"


def of_block(block: Block, query: JoinQuery, known: Inference) -> Iterator[OperatorState]:
    """A state for each input of a join: the rows that later rows of the others may still meet."""
    used = _usable(block, query, known)
    for leaf, name in enumerate(query.streams):
        steps = chain(query, leaf)
        reached = {leaf, *(step.scheme.stream for step in steps)}
        missing = [i for i in range(len(query.streams)) if i not in reached]
        if missing and (most := rows(block.leaves[leaf])) is not None:
            yield OperatorState("join", name, Verdict.BOUNDED, (rows_text(most),), block.place)
        elif not missing:
            witness = tuple(_punctuated(query.streams[on.stream], on.texts) for on, _ in steps)
            yield OperatorState("join", name, Verdict.PURGEABLE, witness, block.place, uses=used, chain=steps)
        else:
            witness, wants = tuple(query.streams[i] for i in missing), _unreached(block, query, reached)
            unsure = tuple(_undecided(block, query, known))
            yield OperatorState("join", name, Verdict.UNBOUNDED, witness, block.place, wants, used, steps, unsure)


def _undecided(block: Block | Conditions, query: JoinQuery, known: Inference) -> Iterator[str]:
    """What the graphs do not see, for which a verdict of "unbounded" may be too strict."""
    for condition in block.outside:
        named = rebased(condition, lambda c: replace(c, name=f"{query.streams[at_of(c)[0]]}.{c.name}"))
        used = "no more of it is used than follows from each branch" if _is_or(condition) else "it is not used"
        yield f"{text(named)} is no equality and no difference of columns, so {used}"
    orders = {order for on in query.schemes for _, order in on.terms}
    if block.closure.nodes and {Order.ASC, Order.DESC} <= orders:
        yield "some inputs are in ascending order and some in descending order, and what both mean together is not used"
    compared = {at for pair in block.equal for at in pair}.union(block.closure.nodes)
    single = {Attr(on.stream, name) for on in query.schemes for name, order in on.terms if order is Order.EQUALITY}
    for leaf, at in block.closure.nodes:
        relation = block.leaves[leaf]
        attribute, name = relation.schema.attributes[at], query.streams[leaf]
        between = _counted(relation, at) and not attribute.type.whole and enclosing(block.closure, (leaf, at))
        if between and Attr(leaf, relation.schema.names[at]) in single:
            many = f"{attribute.type.value}s between two of them count as infinitely many"
            yield f"{name}.{attribute.name} lies between others, and {many}"
    for leaf, relation in enumerate(block.leaves):
        for at, expression, why in _tangled(relation, known):
            if (leaf, at) in compared:
                yield f"{_named(expression, query.streams[leaf])} {why}"


def _counted(relation: Relation, column: int) -> bool:
    """Whether a column has finitely many values between any two, be they ever so many."""
    return relation.schema.attributes[column].type not in (Type.DOUBLE, Type.STRING)


def _named(expression: Expression, stream: str) -> str:
    """An expression of one stream, as text with the stream's name."""
    return text(rebased(expression, lambda c: replace(c, name=f"{stream}.{c.name}")))


def _is_or(condition: Expression) -> bool:
    return isinstance(condition, Call) and condition.op == "or"


def _tangled(leaf: Relation, known: Inference) -> Iterator[tuple[int, Expression, str]]:
    """Columns that a leaf computes of columns with promises by a function through which they do not pass, and why."""
    if not isinstance(leaf, Projection):
        return
    terms = {term for promise in known.facts(leaf.input).shared for term in promise.terms}
    promised, single = {column for column, _ in terms}, {column for column, order in terms if order is Order.EQUALITY}
    for at, (_, expression) in enumerate(leaf.columns):
        made, reads = shape(expression), {column.index for column in columns(expression)}
        if not reads & promised:
            continue
        if not made.injective and made.trend is Trend.NEITHER:
            yield at, expression, _NEITHER
        elif made.injective and not onto(expression):
            yield at, expression, _NOT_EVERY
        elif not made.injective and any(_counted(leaf.input, column) for column in reads & single):
            yield at, expression, _SEVERAL
        elif made.injective and reads & single and not isinstance(_base(expression), Column):
            yield at, expression, _APART


def _base(expression: Expression) -> Expression:
    """The column that an expression moves by a constant; else what it is."""
    if expression.type not in STEPS:
        return expression
    plus, minus, _ = summed(expression)
    return plus[0] if len(plus) == 1 and not minus else expression


def of_outer(join: OuterJoin, known: Inference) -> Iterator[OperatorState]:
    """A state for each input of a join that looks at rows without a partner: its rows wait for the other input."""
    query, operator = known.pair(join), f"{join.kind.value} join"
    for i, (side, other) in enumerate((join.inputs, join.inputs[::-1])):
        whole = [(column, Order.EQUALITY, None) for column in known.whole(join, 1 - i)]
        bounds = [*known.bounds(join, 1 - i), *whole]
        by = closers(join, 1 - i, known.facts(other), bounds, query.streams[1 - i])
        unsure = tuple(_undecided(conditions(join), query, known))
        state = OperatorState(operator, query.streams[i], Verdict.UNBOUNDED, (by.missing,), join.place)
        if steps := chain(query, i):
            witness = tuple(_punctuated(query.streams[on.stream], on.texts) for on, _ in steps)
            yield replace(state, verdict=Verdict.PURGEABLE, witness=witness, uses=origins(by.promises), chain=steps)
        elif (most := rows(side)) is not None:
            yield replace(state, verdict=Verdict.BOUNDED, witness=(rows_text(most),))
        else:
            yield replace(state, wants=tuple(Want(other, *term) for term in by.terms), undecided=unsure)


def of_windows(block: Block, query: JoinQuery, known: Inference) -> Iterator[OperatorState]:
    """A state for each input of a join of windows: the last rows, or all that there can be."""
    assert block.end is not None
    for leaf, (name, side) in enumerate(zip(query.streams, kept_of_windows(block.end), strict=True)):
        if side.rows is not None:
            yield OperatorState("join", name, Verdict.BOUNDED, (side.text,), block.place)
            continue
        closing = {i: _closing(query, known, block, leaf, i) for i in range(len(query.streams)) if i != leaf}
        used = origins([promise for promises in closing.values() for promise in promises])
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
    promises = [promise for leaf in block.leaves for promise in known.facts(leaf).purging]
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
    for i, at in columns:
        ends = few_values(block.leaves[i], block.closure, (i, at))
        if len({order for order, by in ends if by is None or by[0] in reached}) == 2:
            wants.append((i, at, Order.EQUALITY))
    return tuple(Want(block.leaves[i], at, order) for i, at, order in dict.fromkeys(wants))
