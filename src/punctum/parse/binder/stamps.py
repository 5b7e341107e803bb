"""``current_timestamp()`` and its like: in SELECT they are a column, the time of the batch in which a row comes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from punctum.algebra.values import Type
from punctum.errors import Place, SqlError
from punctum.ir.expressions import Column, Expression, columns, kind, rebased
from punctum.ir.expressions.types import converted, local_time
from punctum.ir.names import fresh
from punctum.ir.stamped import Stamped
from punctum.ir.tree import Relation

Named = tuple[str, Expression]
_NODES: dict[type, str] = {
    exp.CurrentTimestamp: "current_timestamp()",
    exp.CurrentDate: "current_date()",
    exp.Localtimestamp: "localtimestamp()",
}
_NAMES = ("now", "proctime")
"""As Spark SQL and Flink SQL have it."""
_HINT = "name it in a subquery: SELECT …, current_timestamp() AS at FROM …"


@dataclass(frozen=True)
class StampColumn(Column):
    """The time of the batch, behind all columns of the relation below."""


def asked(node: exp.Expr) -> str | None:
    """The function that asks for the time of the batch, if a node is one."""
    if isinstance(node, exp.Anonymous) and node.name.lower() in _NAMES and not node.expressions:
        return f"{node.name.lower()}()"
    return None if node.this or node.expressions else _NODES.get(type(node))


def batch_time(name: str, clause: str | None, place: Place) -> Expression:
    """What a function gives that asks for the time of the batch, if the clause may ask."""
    if clause is not None:
        where = "a SELECT with groups or window functions" if clause == "SELECT" else clause
        raise SqlError(f"{name} is not allowed in {where}", "", _HINT, place)
    time = StampColumn(-1, name, replace(kind(Type.TIMESTAMP, False), name=name), place)
    if name == "localtimestamp()":
        return local_time(converted(time, kind(Type.TIMESTAMP_NTZ, False), place))
    return converted(time, kind(Type.DATE, False), place) if name == "current_date()" else time


def stamped(below: Relation, named: Sequence[Named], place: Place) -> tuple[Relation, list[Named]]:
    """A relation with the time of the batch, if columns of it ask for that, and these columns."""
    if not any(isinstance(column, StampColumn) for _, expression in named for column in columns(expression)):
        return below, list(named)
    name = fresh("current_timestamp", [name.lower() for name in below.schema.names])
    relation = Stamped(below, name, place)
    time = Column(relation.width, name, relation.schema.attributes[-1])

    def moved(column: Column) -> Column:
        return time if isinstance(column, StampColumn) else column

    return relation, [(shown, rebased(expression, moved)) for shown, expression in named]
