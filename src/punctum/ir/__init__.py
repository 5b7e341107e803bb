"""The tree: what a script defines, the relations that its queries mean, and their expressions."""

from punctum.errors import Place
from punctum.ir.definitions import QueryDef, Script, SinkDef, StreamDef, TableDef
from punctum.ir.evaluate import evaluate
from punctum.ir.expressions import Call, Column, Expression, Literal, text, type_text
from punctum.ir.relations import (
    Aggregate,
    AggregateCall,
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
)
from punctum.ir.shape import Shape, shape
from punctum.ir.tree import Relation, show

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
    "OuterJoin",
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
    "shape",
    "show",
    "text",
    "type_text",
]
