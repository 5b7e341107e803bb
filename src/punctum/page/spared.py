"""Which counts of an operator tell what it would keep without punctuations, beside what it keeps.

A join would keep all rows that it has purged, and those that punctuations had covered when they came. A LEFT or FULL
one, which does not keep rows that its condition excludes, would keep what it has purged, and so would what removes
duplicates; a group-by would keep a row of each group that it has given. Other operators also let rows go for other
reasons. Behind an operator that gives nothing without punctuations nobody would keep anything, so there is no answer.
With these counts the sum over a query is at most what would be kept.
"""

from collections.abc import Iterator

from punctum.ir.hop import Hop
from punctum.ir.planned import MultiJoin
from punctum.ir.relations import (
    Aggregate,
    Distinct,
    Filter,
    Join,
    OuterJoin,
    Projection,
    Source,
    Union,
    UnionAll,
)
from punctum.ir.tree import Relation

_PASSING = (Source, Filter, Projection, Hop, UnionAll, Join, MultiJoin, Distinct, Union)
"""What gives the same rows whether there are punctuations or not."""
_PURGED, _COVERED, _OUT = "rows_purged", "rows_covered", "rows_out"


def spared(relation: Relation) -> list[str] | None:
    """The counts of rows that an operator would keep, too; none where that is not known.

    >>> from punctum.compile import compile
    >>> (totals,) = compile('''
    ...     CREATE STREAM bid (itemid BIGINT, increase DOUBLE, PUNCTUATED ON (itemid)) USING json OPTIONS (path 'in');
    ...     CREATE SINK total USING json OPTIONS (path 'out');
    ...     INSERT INTO total SELECT itemid, SUM(increase) AS total FROM bid GROUP BY itemid;
    ... ''').queries
    >>> spared(totals.last.root.relation)
    ['rows_out']
    """
    if not all(isinstance(below, _PASSING) for below in _below(relation)):
        return None
    match relation:
        case MultiJoin() if any(relation.windows):
            return None
        case Join() | MultiJoin():
            return [_PURGED, _COVERED]
        case OuterJoin():
            return [_PURGED] if relation.kind.pairs else None
        case Distinct() | Union():
            return [_PURGED]
        case Aggregate():
            return None if relation.updates else [_OUT]
    return None


def _below(relation: Relation) -> Iterator[Relation]:
    for below in relation.inputs:
        yield below
        yield from _below(below)
