"""Streams that know which of their schemes are of no use: a relation in, the same one with these schemes marked.

The engine takes the punctuations of marked schemes no further than to the guard, which needs every punctuation to find
rows that come too late.
"""

from collections.abc import Mapping
from dataclasses import replace

from punctum.algebra.scheme import Scheme
from punctum.analyse.safety.register import QueryAnalysis
from punctum.analyse.safety.useful import beyond, clocks, idle
from punctum.ir.relations import Source
from punctum.ir.tree import Relation, transform
from punctum.plan.joins.choose import Schemes


def mark_unused_schemes(
    relation: Relation, query: QueryAnalysis, says: bool = False, schemes: Schemes = Schemes.ALL
) -> Relation:
    """The relation of a query with its streams' idle schemes marked, for a result that has punctuations or not.

    When a minimal set of schemes is enough, all others are idle.
    """
    bound = query.query.relation
    unused = idle(bound, says, query.inference) if schemes is Schemes.ALL else beyond(bound, says)
    return _marked(relation, unused, clocks(bound, says, query.inference))


def _marked(
    relation: Relation, schemes: Mapping[str, tuple[Scheme, ...]], timers: Mapping[str, tuple[Scheme, ...]]
) -> Relation:
    def marked(node: Relation) -> Relation:
        if not isinstance(node, Source):
            return node
        name = node.stream.name
        return replace(node, stream=replace(node.stream, idle=schemes.get(name, ()), clocks=timers.get(name, ())))

    return transform(relation, marked)
