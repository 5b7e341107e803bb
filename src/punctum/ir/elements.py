"""The columns of temporal elements: a payload's attributes in, the schema of its elements out.

An element has the payload, then when its event starts (``_vs``) and ends (``_ve``, NULL: never), the end that an adjust
changes (``_vold``), whether it is an adjust, and the time from which on it changes anything (``_from``): a stable is
the punctuation that no later element has ``_from`` below its time.

Of a stream of opens and closes a row has the payload, ``_vs`` if it is an open, ``_ve`` if it is a close, and the same
``_from``: the one of them that there is.
"""

from punctum.algebra.pattern import constant
from punctum.algebra.schema import NOT_NULL, Attribute, Schema
from punctum.algebra.values import Type

VS, VE, VOLD, ADJUST, FROM = "_vs", "_ve", "_vold", "_adjust", "_from"
HIDDEN = (VS, VE, VOLD, ADJUST, FROM)
"""The columns behind the payload."""
EVENT = (VS, VE)
"""Those of them that an event has."""
MARKED = (VS, VE, FROM)
"""The columns behind the payload of an open or a close."""
TIMES = (Type.BIGINT, Type.DATE, Type.TIMESTAMP, Type.TIMESTAMP_NTZ)
"""The types that a time may have."""


def element_schema(payload: tuple[Attribute, ...], time: Type = Type.BIGINT, inserts: bool = False) -> Schema:
    """The columns of the elements of a payload, of any elements or of inserts alone.

    >>> print(element_schema(Schema.of(a="BIGINT").attributes))
    a BIGINT, _vs BIGINT, _ve BIGINT, _vold BIGINT, _adjust BOOLEAN, _from BIGINT
    """
    start, ends = Attribute(VS, time, NOT_NULL), (Attribute(VE, time), Attribute(VOLD, time))
    adjust = Attribute(ADJUST, Type.BOOLEAN, constant(False) if inserts else NOT_NULL)
    return Schema((*payload, start, *ends, adjust, Attribute(FROM, time)))


def open_schema(payload: tuple[Attribute, ...], time: Type = Type.BIGINT) -> Schema:
    """The columns of the opens and closes of a payload.

    >>> print(open_schema(Schema.of(a="BIGINT").attributes))
    a BIGINT, _vs BIGINT, _ve BIGINT, _from BIGINT
    """
    return Schema((*payload, Attribute(VS, time), Attribute(VE, time), Attribute(FROM, time, NOT_NULL)))


def is_opens(schema: Schema) -> bool:
    """Whether a schema is that of opens and closes."""
    return schema.names[-len(MARKED) :] == MARKED and not schema.attributes[-1].domain.null


def is_elements(schema: Schema) -> bool:
    """Whether a schema is that of elements."""
    return schema.names[-len(HIDDEN) :] == HIDDEN


def payload_of(schema: Schema) -> tuple[Attribute, ...]:
    """The payload of an element schema."""
    return schema.attributes[: -len(HIDDEN)]


def written(schema: Schema, *, adjusts: bool = True) -> Schema:
    """What is written of elements in files: all but ``_from``, or no more than of an insert."""
    return Schema(schema.attributes[: -1 if adjusts else len(EVENT) - len(HIDDEN)])
