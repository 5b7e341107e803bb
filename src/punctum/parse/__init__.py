"""SQL scripts become streams, sinks and queries: bound, typed, and each knows its place in the text."""

from typing import TYPE_CHECKING, Any

from punctum.errors import Place
from punctum.parse.definitions import QueryDef, Script, SinkDef, StreamDef, TableDef
from punctum.parse.evaluate import evaluate
from punctum.parse.expressions import Call, Column, Expression, Literal, text, type_text
from punctum.parse.relations import (
    Aggregate,
    AggregateCall,
    Distinct,
    Except,
    Filter,
    Intersect,
    Join,
    OrderBy,
    Projection,
    Relation,
    Source,
    Union,
    UnionAll,
    show,
)
from punctum.parse.shape import Shape, shape

if TYPE_CHECKING:
    from punctum.parse.script import is_query, parse_query, parse_script, parse_select, parse_stream

__all__ = [
    "Aggregate",
    "AggregateCall",
    "Call",
    "Column",
    "Distinct",
    "Except",
    "Expression",
    "Filter",
    "Intersect",
    "Join",
    "Literal",
    "OrderBy",
    "Place",
    "Projection",
    "QueryDef",
    "Relation",
    "Script",
    "Shape",
    "SinkDef",
    "Source",
    "StreamDef",
    "TableDef",
    "Union",
    "UnionAll",
    "evaluate",
    "is_query",
    "parse_query",
    "parse_script",
    "parse_select",
    "parse_stream",
    "shape",
    "show",
    "text",
    "type_text",
]


def __getattr__(name: str) -> Any:
    """What parses is loaded when it is asked for: processes that run queries need the definitions alone."""
    if name not in __all__:
        raise AttributeError(name)
    from punctum.parse import script

    return getattr(script, name)
