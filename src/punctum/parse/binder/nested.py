"""ARRAYs and STRUCTs in a query: they pass through it, and nothing is compared, sorted or grouped by them."""

from collections.abc import Iterable, Iterator
from typing import assert_never

from punctum.algebra.aggregates import Function
from punctum.algebra.schema import Attribute
from punctum.errors import Place, SqlError
from punctum.ir.definitions import NOWHERE, StreamDef
from punctum.ir.expressions import type_text
from punctum.ir.hop import Hop
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
    Source,
    Union,
    UnionAll,
    Window,
)
from punctum.ir.session import Sessions
from punctum.ir.stamped import Stamped
from punctum.ir.temporal import Cleansed, Final, LMerge, Opened
from punctum.ir.tree import Relation, walk

_HINT = "name an element or a field of it in a subquery below, such as a[0] or s.city, or leave the column out"


def check_nested(relation: Relation) -> None:
    """An error where a node compares, sorts or groups by a column that is an ARRAY or STRUCT."""
    for node in walk(relation):
        for what, attribute in _compared(node):
            if attribute.type.nested:
                detail = f"{attribute.name} is {type_text(attribute)}"
                raise SqlError(
                    f"{what} does not take an ARRAY or STRUCT", detail, _HINT, getattr(node, "place", NOWHERE)
                )


def check_stream(stream: StreamDef, place: Place) -> None:
    """An error for a stream whose format has no ARRAYs and STRUCTs, or whose elements are compared as a whole."""
    nested = next((a for a in stream.schema.attributes if a.type.nested), None)
    if nested is not None and (stream.temporal is not None or stream.format in ("csv", "xml")):
        what = "a temporal stream" if stream.temporal is not None else f"a stream of {stream.format}"
        hint = (
            "read it from json or parquet" if stream.temporal is None else "declare its elements or fields as columns"
        )
        raise SqlError(f"{what} has no ARRAY or STRUCT", f"{nested.name} is {type_text(nested)}", hint, place)


def _compared(node: Relation) -> Iterator[tuple[str, Attribute]]:
    match node:
        case Distinct() | Union() | Intersect() | Except():
            yield from _of(type(node).__name__.upper(), node.schema.attributes)
        case Ranked() | Over():
            yield from _of("a window function beside it", node.input.schema.attributes)
        case Window():
            yield from _of("a window of rows", node.schema.attributes)
        case LMerge() | Opened() | Cleansed() | Final():
            yield from _of("a temporal stream", node.schema.attributes)
        case Join() | OuterJoin() | Lookup():
            yield from _of("a join", (column.attribute for pair in node.on for column in pair))
        case OrderBy(most=int()):  # it tells peers apart by all of them
            yield from _of("LIMIT", node.input.schema.attributes)
        case OrderBy():
            yield from _of("ORDER BY", (column.attribute for column, _, _ in node.keys))
        case Aggregate() | Sessions():
            yield from _of("GROUP BY", (column.attribute for _, column in node.keys))
            calls = (call for call in node.aggregates if call.function is not Function.COUNT)
            yield from _of("an aggregate", (column.attribute for call in calls for column in call.reads))
        case Source() | Filter() | Projection() | UnionAll() | Hop() | Stamped() | Punctuated() | PlannedNode():
            return
        case _:
            assert_never(node)


def _of(what: str, attributes: Iterable[Attribute]) -> Iterator[tuple[str, Attribute]]:
    return ((what, attribute) for attribute in attributes)
