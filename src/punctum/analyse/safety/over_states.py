"""What functions of frames keep: rows that wait to come out, and of each open partition what is before the next row."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from punctum.algebra.frames import FrameFunction
from punctum.algebra.scheme import Order
from punctum.analyse.promises import Facts
from punctum.analyse.safety.rules import closing, ordered
from punctum.analyse.safety.verdicts import OperatorState, Verdict, Want, origins, rows_text
from punctum.ir.over import Over
from punctum.ir.tree import Relation, reads_text

Count = Callable[[Relation, Sequence[int], frozenset[int]], int | None]
"""How many values some columns of a relation have together, where these are few."""


def of_frames(relation: Over, below: Facts, count: Count) -> Iterator[OperatorState]:
    """The states of a function of frames: the second one only where frames reach back over rows that have come out."""
    by, names = relation.by, relation.input.schema.names
    closed, sorts = closing(below, by), [*ordered(below, relation)] if relation.ordered else []
    shown = ", ".join(dict.fromkeys(names[i] for i in by))
    partitions = tuple(
        Want(relation.input, i) for i in range(len(names)) if below.same[i] in {below.same[n] for n in by}
    )
    waiting = OperatorState(relation.OPERATOR, reads_text(relation), Verdict.UNBOUNDED, (), relation.place)
    if sorts or closed:
        witness = tuple(sorted(map(str, (sorts or closed)[0].origins)))
        yield replace(waiting, verdict=Verdict.PURGEABLE, witness=witness, uses=origins([*sorts, *closed]))
    else:
        leads = _leading(relation)
        terms = [f"{names[want.column]} {want.order.value}" for want in leads]
        missing = " or ".join(
            [*(f"in order of {term}" for term in terms), *([f"on PARTITION BY ({shown})"] if by else [])]
        )
        why = f"its input promises no punctuations {missing}" if missing else "it has neither ORDER BY nor PARTITION BY"
        yield replace(waiting, witness=(why,), wants=(*leads, *partitions))
    history = relation.call(relation.input.schema).history
    if not history:
        return
    until = "until later rows" if relation.function is FrameFunction.LEAD else "before the next row"
    before = replace(waiting, input=f"{waiting.input} {until}", uses=origins(closed))
    if relation.frame.within is not None:  # what has come out in order is out of reach as order goes on
        near = tuple(sorted(map(str, sorts[0].origins))) if sorts else ()
        yield from [replace(before, verdict=Verdict.PURGEABLE, witness=near, uses=origins(sorts))] if sorts else []
        return
    few = count(relation.input, by, below.constant)
    if few is not None:
        yield replace(before, verdict=Verdict.BOUNDED, witness=(rows_text(few * history),))
    elif closed:
        yield replace(before, verdict=Verdict.PURGEABLE, witness=tuple(sorted(map(str, closed[0].origins))))
    else:
        why = f"{rows_text(history)} of each partition, and no input promises punctuations on PARTITION BY ({shown})"
        yield replace(before, witness=(why,), wants=partitions)


def _leading(relation: Over) -> tuple[Want, ...]:
    """The order that would let rows out."""
    if not relation.ordered:
        return ()
    column, down, _ = relation.keys[0]
    return (Want(relation.input, column.index, Order.DESC if down else Order.ASC),)
