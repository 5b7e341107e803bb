"""Tables in FROM: a relation in which tables are read as streams are, out comes one in which streams look rows up.

A join of a relation with a table is a lookup, whichever stands first. A table stands nowhere else: what comes out of a
query comes from streams.
"""

from dataclasses import replace

from punctum.algebra.outer import JoinKind
from punctum.errors import SqlError
from punctum.ir.definitions import StreamDef, TableDef
from punctum.ir.expressions import Column, Expression, rebased
from punctum.ir.lookup import Lookup
from punctum.ir.relations import Filter, Join, OuterJoin, Projection, Source
from punctum.ir.tree import Relation, sources, transform

_HINT = "a query reads a stream, and may join it with a table: FROM stream JOIN table ON …, or LEFT JOIN"


def read_as_stream(table: TableDef) -> StreamDef:
    """A table as it stands in FROM, until it is looked up."""
    return StreamDef(table.name, table.schema, format=table.format, options=table.options, table=True)


def looked_up(relation: Relation) -> Relation:
    """A relation in which joins with tables are lookups."""
    made = transform(relation, _looked_up)
    for source in sources(made):
        if source.stream.table:
            raise SqlError(f"{source.stream.name} is a table", "it is read without a stream", _HINT, source.place)
    return made


def _looked_up(node: Relation) -> Relation:
    if isinstance(node, Join):
        left, right = map(_is_table, node.inputs)
        if right and not left:
            return Lookup(node.left, node.right, node.on, node.residual, node.names, None, node.place)
        if left and not right:
            return _turned(node)
    if isinstance(node, OuterJoin) and _is_table(node.right) and not _is_table(node.left):
        if node.kind is JoinKind.FULL:
            hint = "a row of the table without a partner would come out when the stream ends: use LEFT JOIN"
            raise SqlError("FULL JOIN with a table is not supported", "", hint, node.place)
        return Lookup(node.left, node.right, node.on, node.residual, node.names, node.kind, node.place)
    if isinstance(node, OuterJoin) and _is_table(node.left):
        hint = "the rows of a table are looked up: use stream LEFT JOIN table"
        raise SqlError("a table cannot be the preserved side of a join", "", hint, node.place)
    return node


def _is_table(relation: Relation) -> bool:
    """Whether a relation is a table, or selected and computed from one."""
    if isinstance(relation, Filter | Projection):
        return _is_table(relation.input)
    return isinstance(relation, Source) and relation.stream.table


def _turned(join: Join) -> Relation:
    """A join whose first side is a table, as a lookup that gives the same columns in the same order."""
    first, second = len(join.left.schema), len(join.right.schema)
    order = [*range(first, first + second), *range(first)]
    names = tuple(join.names[i] for i in order)

    def to(column: Column) -> Expression:
        at = order.index(column.index)
        return replace(column, index=at, name=names[at])

    residual = None if join.residual is None else rebased(join.residual, to)
    on = tuple((b, a) for a, b in join.on)
    made = Lookup(join.right, join.left, on, residual, names, None, join.place)
    back = ((join.names[i], order.index(i)) for i in range(first + second))
    columns = ((name, Column(at, names[at], made.schema.attributes[at])) for name, at in back)
    return Projection(made, tuple(columns), join.place)
