"""Which queries can run on punctuations that hold for a while: a last stage in, an error out where one cannot.

All that remembers a punctuation has to forget it when it is over. Some cannot: a sort, whose rows are out in order;
windows and synopses, which do not sweep what is lost either; a domain that punctuations cover one after the other,
whose end is the end of the stream; and a stream whose operators lie in several stages, for what is over does not go
back to an earlier one. A stream whose time is what WHEN ALL says has none that all its buckets know. EXPECT WITHIN can
go by such a time, where the reports come in the order of the stream: behind no other WHEN ALL, which turns rows away.
"""

from collections.abc import Iterator

from punctum.algebra.pattern import WILDCARD
from punctum.algebra.schema import NOT_NULL
from punctum.errors import SchemaError
from punctum.ir.definitions import AllReported
from punctum.ir.planned import ExpectNode, LifespanNode, Synopsis
from punctum.ir.relations import OrderBy
from punctum.ir.tree import Relation
from punctum.plan.passes.windows import windowed
from punctum.plan.physical.pipes import Pipe
from punctum.plan.physical.stages import Input, Op, Stage, all_stages, operators


def check_lifespans(last: Stage) -> None:
    """An error when a query cannot run with the LIFESPANs of its streams."""
    for stage in all_stages(last):
        for op in operators(stage.root):
            if isinstance(op.relation, LifespanNode):
                _check(op, op.relation)
            elif isinstance(op.relation, ExpectNode):
                _check_time(op.relation)
            elif isinstance(op.relation, OrderBy) and (below := next(_lasting(op), None)):
                raise _refused(below, "ORDER BY cannot reopen values that were closed", "remove ORDER BY")
            elif (what := _forever(op.relation)) and (timed := next(_below(op), None)):
                raise _refused(timed, f"{what} cannot reopen or sweep values that were closed", "join without them")


def _check(op: Op, relation: LifespanNode) -> None:
    stream, schema = relation.stream, relation.stream.schema
    for name in relation.scheme.attributes:
        if schema.attributes[schema.index(name)].domain not in (WILDCARD, NOT_NULL):
            raise _refused(relation, f"{name} has a DOMAIN, which would be closed for good", f"remove DOMAIN {name}")
    time = None if relation.time is None else schema.names[relation.time]
    if any(isinstance(clause, AllReported) and clause.scheme.attributes == (time,) for clause in stream.punctuates):
        hint = f"let another clause order {time}, as PUNCTUATE ({time} ASC) DELAY '1 minute' does"
        raise _refused(relation, f"{time}, by which it is measured, is closed by WHEN ALL", hint)
    below: Op | Input = op
    while isinstance(below, Op):
        (below,) = below.inputs
    if not isinstance(below.origin, Pipe):
        hint = "use the same columns in EXPECT WITHIN and WHEN ALL"
        raise _refused(relation, f"other clauses of {stream.name} are on other columns", hint)


def _check_time(relation: ExpectNode) -> None:
    time = None if relation.time is None else relation.stream.schema.names[relation.time]
    several = [clause for clause in relation.stream.punctuates if isinstance(clause, AllReported)]
    if any(clause.scheme.attributes == (time,) for clause in several[1:]):
        detail = f"{time}, by which it is measured, is closed by WHEN ALL behind another WHEN ALL"
        raise _refused(relation, detail, f"write PUNCTUATE ({time} ASC) WHEN ALL before the other one")


def _forever(relation: Relation) -> str | None:
    """What remembers punctuations for ever, in words."""
    return "windows" if windowed(relation) else "synopses" if isinstance(relation, Synopsis) else None


def _refused(relation: LifespanNode | ExpectNode, detail: str, hint: str) -> SchemaError:
    clause = "LIFESPAN" if isinstance(relation, LifespanNode) else "EXPECT WITHIN"
    what = f"the {clause} of {relation.stream.name} {relation.scheme} is not supported in this query"
    return SchemaError(what, detail, f"{hint}, or remove {clause}")


def _lasting(node: Op | Input) -> Iterator[LifespanNode]:
    """The lifespans below a node, in its own stage or before."""
    return (limit for limit in _below(node) if isinstance(limit, LifespanNode))


def _below(node: Op | Input) -> Iterator[LifespanNode | ExpectNode]:
    """The limits in time below a node, in its own stage or before."""
    if isinstance(node, Input):
        if isinstance(node.origin, Stage):
            yield from _below(node.origin.root)
        return
    if isinstance(node.relation, LifespanNode | ExpectNode):
        yield node.relation
    for below in node.inputs:
        yield from _below(below)
