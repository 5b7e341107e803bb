"""Merges of replicas that know their case: a relation in, the same one with the case of each merge settled."""

from dataclasses import replace

from punctum.analyse.safety.inference import Inference
from punctum.analyse.safety.temporal import chosen
from punctum.ir.relations import LMerge, Relation, Source, over


def choose_merge_cases(relation: Relation, known: Inference) -> Relation:
    """The relation with the cases of its merges."""
    if isinstance(relation, Source):
        inner = relation.stream.relation
        found = inner if inner is None else choose_merge_cases(inner, known)
        return relation if found is inner else replace(relation, stream=replace(relation.stream, relation=found))
    below = {id(child): choose_merge_cases(child, known) for child in relation.inputs}
    same = all(below[id(child)] is child for child in relation.inputs)
    made = relation if same else over(relation, lambda child: below[id(child)])
    if isinstance(relation, LMerge) and isinstance(made, LMerge):
        return replace(made, case=chosen(relation, known).case)
    return made
