"""Which parts of a query run on synopses: those that punctuations do not keep bounded, in bounded memory all the same.

In: a relation. Out: what is inferred of it, with these parts. Parts are as large as can be: a DISTINCT or grouping with
all below it, or else a join.
"""

from collections.abc import Iterator, Mapping

from punctum.analyse.memory.condensed import SynopsisPart, condensed
from punctum.analyse.promises import Declared
from punctum.analyse.safety.inference import Inference
from punctum.analyse.safety.states import states
from punctum.analyse.safety.unread import unread
from punctum.analyse.safety.verdicts import Verdict
from punctum.ir.by_node import ByNode
from punctum.ir.relations import Aggregate, Distinct
from punctum.ir.tree import Relation


def inferred(
    relation: Relation, more: Mapping[str, tuple[Declared, ...]] | None = None, less: frozenset[Declared] = frozenset()
) -> Inference:
    """What is inferred of a relation with further schemes, or without some."""
    early = Inference(more or {}, less, unread=unread(relation), early=True)
    parts = ByNode((part.relation, part) for part in _parts(relation, early))
    return Inference(more or {}, less, parts, unread(relation, parts))


def _grows(relation: Relation, known: Inference) -> bool:
    return any(state.verdict is Verdict.UNBOUNDED for state in states(relation, known))


def _parts(relation: Relation, known: Inference) -> Iterator[SynopsisPart]:
    """The largest parts that grow by themselves and need not."""
    if not _grows(relation, known):
        return
    block = known.block(relation)
    if block is not None or isinstance(relation, Aggregate | Distinct):
        part = condensed(relation)
        if part is not None:
            yield part
            return
    for below in block.leaves if block is not None else relation.inputs:
        yield from _parts(below, known)
