"""Streams whose punctuations may be lost, or hold for a while: EXPECT WITHIN and LIFESPAN are operators of a stage.

EXPECT WITHIN stands over the stream, behind its lists of reporters and before anything is filtered, since a punctuation
that closes a value holds for all of the value's rows. Rows are partitioned by the columns of its scheme: those of one
value are in one bucket, and are swept at once. LIFESPAN stands over all of these, in the same stage.
"""

from punctum.algebra.scheme import Order, Scheme
from punctum.algebra.values import INSTANTS
from punctum.ir.definitions import StreamDef
from punctum.ir.planned import ExpectNode, LifespanNode
from punctum.ir.tree import Relation


def expected(below: Relation, stream: StreamDef) -> Relation:
    """A stream with an operator for each scheme that has EXPECT WITHIN, and then for each that has LIFESPAN."""
    schema = stream.schema
    for limits in stream.limits:
        if limits.expect is not None:
            by, at = schema.indices(limits.scheme.attributes), timeline(stream, limits.scheme)
            below = ExpectNode(below, stream, by, None if at is None else schema.index(at), limits.expect)
    for limits in stream.limits:
        if limits.lifespan is not None:
            by, at = schema.indices(limits.scheme.attributes), timeline(stream, limits.scheme)
            below = LifespanNode(below, stream, by, None if at is None else schema.index(at), limits.lifespan)
    return below


def timeline(stream: StreamDef, scheme: Scheme) -> str | None:
    """The column whose punctuations are the time of a scheme: a TIMESTAMP that is promised in order.

    Nothing: the clock does. A scheme is not measured by its own punctuations, which may be what is lost.
    """
    for declared in stream.schemes:
        ((name, order), *more) = declared.terms
        kind = stream.schema.attributes[stream.schema.index(name)].type
        if order is Order.ASC and not more and kind in INSTANTS and name not in scheme.attributes:
            return name
    return None


def tells_time_alone(stream: StreamDef, name: str) -> bool:
    """Whether nothing needs the punctuations on a column but to know what time it is."""
    return all(scheme in stream.clocks for scheme in stream.schemes if scheme.attributes == (name,))


def clocks(stream: StreamDef) -> tuple[str, ...]:
    """The columns that tell the time for some scheme of a stream."""
    timelines = (timeline(stream, limits.scheme) for limits in stream.limits)
    return tuple(dict.fromkeys(name for name in timelines if name is not None))
