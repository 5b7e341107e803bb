"""Streams that know which of their schemes are of no use: a relation in, the same one with these schemes marked.

The engine takes the punctuations of marked schemes no further than to the guard, which needs every punctuation to find
rows that come too late.
"""

from collections.abc import Mapping
from dataclasses import replace

from punctum.algebra.scheme import Scheme
from punctum.analyse.safety.useful import beyond, idle
from punctum.ir.relations import BinaryRelation, Join, LMerge, Relation, Source, UnaryRelation, over
from punctum.plan.joins.choose import Schemes


def mark_unused_schemes(relation: Relation, says: bool = False, schemes: Schemes = Schemes.ALL) -> Relation:
    """The relation with its streams' idle schemes marked, for a result that says punctuations or one that does not.

    When a minimal set of schemes is enough, all others are idle.
    """
    return _marked(relation, idle(relation, says) if schemes is Schemes.ALL else beyond(relation, says))


def _marked(relation: Relation, schemes: Mapping[str, tuple[Scheme, ...]]) -> Relation:
    match relation:
        case Source(stream=stream) if stream.relation is not None:
            return replace(relation, stream=replace(stream, relation=_marked(stream.relation, schemes)))
        case Source(stream=stream):
            return replace(relation, stream=replace(stream, idle=schemes.get(stream.name, ())))
        case Join() | BinaryRelation():
            left, right = (_marked(side, schemes) for side in relation.inputs)
            return replace(relation, left=left, right=right)
        case LMerge():
            return over(relation, lambda below: _marked(below, schemes))
        case UnaryRelation():
            return replace(relation, input=_marked(relation.input, schemes))
        case _:
            raise AssertionError(relation)
