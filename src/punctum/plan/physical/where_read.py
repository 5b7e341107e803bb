"""Stages that run where their streams are read: nothing is exchanged, and each task writes results of its own.

A stage may, when it keeps no rows and reads files alone. What it remembers then are punctuations, which find the rows
that come too late. They stand in the files: a task that reads some of a batch's files reads the punctuations of those
before them too. Where they are made of rows, or looked at by the clock, rows have to come to where they are known.
"""

from punctum.ir.definitions import SinkDef, StreamDef, is_refreshed, takes_punctuations
from punctum.ir.elements import is_elements, is_opens
from punctum.ir.lookup import Lookup
from punctum.ir.relations import Filter, Projection, UnionAll
from punctum.plan.physical.pipes import Pipe
from punctum.plan.physical.stages import Input, Stage, operators, tables_of

_SOURCES, _SINKS = ("json", "csv", "parquet"), ("json", "csv", "parquet")


def runs_where_read(last: Stage, sink: SinkDef) -> bool:
    """Whether the last stage of a query runs where its streams are read."""
    if sink.format not in _SINKS or takes_punctuations(sink) or "feedback" in sink.options:
        return False
    loose = all(isinstance(op.relation, Filter | Projection | Lookup | UnionAll) for op in operators(last.root))
    return loose and all(map(_is_read_so, last.inputs)) and not any(map(is_refreshed, tables_of(last)))


def _is_read_so(source: Input) -> bool:
    """Whether it is the same for an input in which task its rows are."""
    return isinstance(source.origin, Pipe) and bool(source.key) and _says_all(source.origin.stream)


def _says_all(stream: StreamDef) -> bool:
    """Whether all punctuations of a stream stand in its files."""
    made = stream.punctuates or stream.unique or stream.limits
    return stream.format in _SOURCES and not made and not is_elements(stream.schema) and not is_opens(stream.schema)
