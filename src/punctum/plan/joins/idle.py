"""Streams that know which of their schemes are of no use: a relation in, the same one with these schemes marked.

The engine takes the punctuations of marked schemes no further than to the guard, which needs every punctuation to find
rows that come too late.
"""

from collections.abc import Mapping
from dataclasses import replace

from punctum.algebra.scheme import Scheme
from punctum.analyse.safety.register import QueryAnalysis
from punctum.analyse.safety.useful import beyond, idle
from punctum.ir.planned import MultiJoin, Synopsis
from punctum.ir.relations import Relation, Source, over
from punctum.plan.joins.choose import Schemes


def mark_unused_schemes(
    relation: Relation, query: QueryAnalysis, says: bool = False, schemes: Schemes = Schemes.ALL
) -> Relation:
    """The relation of a query with its streams' idle schemes marked, for a result that has punctuations or not.

    When a minimal set of schemes is enough, all others are idle.
    """
    bound = query.query.relation
    return _marked(relation, idle(bound, says, query.inference) if schemes is Schemes.ALL else beyond(bound, says))


def _marked(relation: Relation, schemes: Mapping[str, tuple[Scheme, ...]]) -> Relation:
    if isinstance(relation, Source):
        stream = relation.stream
        inner = None if stream.relation is None else _marked(stream.relation, schemes)
        idle = schemes.get(stream.name, ()) if inner is None else ()
        return replace(relation, stream=replace(stream, relation=inner, idle=idle))
    if isinstance(relation, MultiJoin | Synopsis):
        return replace(relation, joined=tuple(_marked(below, schemes) for below in relation.joined))
    return over(relation, lambda below: _marked(below, schemes))
