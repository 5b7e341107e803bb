"""What a query's state depends on, in lines that a person can read: its streams, and the operators of its stages.

Two scripts with the same lines can go on with each other's state. What is not there may change between two runs: paths,
how many files make a batch, sinks, ON VIOLATION, the times of EXPECT WITHIN and LIFESPAN, aliases, comments, and
streams that the query does not read.
"""

from collections.abc import Iterator

from punctum.algebra.pattern import WILDCARD
from punctum.algebra.schema import Schema
from punctum.algebra.values import value_text
from punctum.ir.definitions import AccessOrder, AllReported, Clause, EndEvent, StreamDef, TableColumn
from punctum.ir.expressions import text, type_text
from punctum.ir.planned import ExpectNode, LifespanNode, MultiJoin
from punctum.ir.punctuated import Punctuated
from punctum.ir.relations import Join, OuterJoin
from punctum.ir.tree import Relation
from punctum.ir.units import terms_text
from punctum.parse.ddl.options import CLIENT, DISTINCT
from punctum.plan.joins.statistics import OPTIONS
from punctum.plan.passes.windows import windows
from punctum.plan.physical.pipes import Pipe
from punctum.plan.physical.stages import Input, Op, Stage, all_stages

TOPIC = ("brokers", "startingOffsets", "maxOffsetsPerTrigger", "idle", "user", "password", "avroSchema")
FREE = ("path", "maxFilesPerTrigger", "settle", "forget", "feedback", *TOPIC, *OPTIONS)
"""The options of a stream that may change, and so may those that begin as distinct values or librdkafka's do."""


def fingerprint(last: Stage) -> list[str]:
    """The lines of a query, given its last stage."""
    planned = all_stages(last)
    pipes = [i.origin for stage in planned for i in stage.inputs if isinstance(i.origin, Pipe)]
    streams = {pipe.stream.name: pipe.stream for pipe in pipes}
    lines = [line for name in sorted(streams) for line in _stream(streams[name])]
    return lines + [line for stage in planned for line in _stage(stage)]


def _stream(stream: StreamDef) -> Iterator[str]:
    yield f"stream {stream.name}: {_columns(stream.schema)}"
    options = {name: value for name, value in stream.options.items() if not _free(name)}
    if stream.format is not None:
        given = ", ".join(f"{name} {_quoted(value)}" for name, value in sorted(options.items()))
        yield f"  USING {stream.format}" + (f" OPTIONS ({given})" if given else "")
    yield from sorted(f"  PUNCTUATED {scheme}" for scheme in stream.schemes)
    if stream.partitioned:
        yield f"  PARTITIONED BY ({', '.join(stream.partitioned)})"
    yield from sorted(f"  UNIQUE ({', '.join(names)})" for names in stream.unique)
    yield from sorted(f"  PUNCTUATE {_clause(clause)}" for clause in stream.punctuates)


def _free(name: str) -> bool:
    return name in FREE or name.startswith((DISTINCT, CLIENT))


def _clause(clause: Clause) -> str:
    if isinstance(clause, EndEvent):
        return f"{terms_text(clause.scheme)} WHEN {text(clause.when)}"
    terms, delay = terms_text(clause.scheme, clause.unit), "" if clause.delay is None else f" DELAY {clause.delay}"
    match clause:
        case AccessOrder():
            return terms + delay
        case AllReported(member=member, members=TableColumn(table, index)):
            return f"{terms} WHEN ALL {member} IN {table.name}.{table.schema.names[index]}{delay}"
        case AllReported(member=member, members=members):
            assert isinstance(members, tuple)
            listed = ", ".join(_quoted(value_text(value)) for value in members)
            return f"{terms} WHEN ALL {member} IN ({listed}){delay}"


def _stage(stage: Stage) -> Iterator[str]:
    yield f"stage {stage.number}"
    for source in stage.inputs:
        origin, by = source.origin, source.by or "nothing"
        where = ", punctuations to all" if source.broadcast else ""
        name = origin.stream.name if isinstance(origin, Pipe) else f"stage {origin.number}"
        yield f"  input {source.number}: {name} by {by}{where}"
        if isinstance(origin, Pipe):
            yield from (f"    {_operator(step)}" for step in origin.steps)
    yield from _operators(stage.root, 1)


def _operators(node: Op | Input, depth: int) -> Iterator[str]:
    if isinstance(node, Input):
        yield f"{'  ' * depth}input {node.number}"
        return
    yield f"{'  ' * depth}{_operator(node.relation)}"
    for i, window, above in windows(node.relation):
        yield f"{'  ' * (depth + 1)}{window.label} of input {i}"
        yield from (f"{'  ' * (depth + 2)}{_operator(step)}" for step in above)
    for below in node.inputs:
        yield from _operators(below, depth + 1)


def _columns(schema: Schema) -> str:
    domains = ("" if a.domain is WILDCARD else f" in {a.domain}" for a in schema.attributes)
    return ", ".join(f"{a.name} {type_text(a)}{domain}" for a, domain in zip(schema.attributes, domains, strict=True))


def _operator(relation: Relation) -> str:
    """An operator; who has to report, and how soon, is not part of it: a table may have another list by now."""
    match relation:
        case Punctuated():
            label = relation.kind
        case ExpectNode() | LifespanNode():
            word = "Expected" if isinstance(relation, ExpectNode) else "Lasting"  # checkpoints hold no names of classes
            label = f"{word} {relation.scheme} by {relation.clock}"
        case Join() | OuterJoin() | MultiJoin() if any(band.counted for band in relation.bands):
            label = f"{relation.label} with whole numbers one by one"  # then what has been said is kept otherwise
        case _:  # all of it is part of what state depends on
            label = relation.label
    return f"{label} -> {', '.join(map(type_text, relation.schema.attributes))}"


def _quoted(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
