"""What is known of a temporal stream's elements, declared or inferred through its plan, and the case of a merge.

A merge may rely on what all of its inputs have (sections III-C and IV-G of the paper):

- R0: inserts only, in strictly growing order of their starts. R1: in order, those of one start in the same order
  everywhere. R2: in order, start and payload being a key. R3: start and payload are a key. R4: anything.
- A stream of opens and closes has adjusts, and start and payload are a key: one event with a payload is open at a time.
- Selections keep all of it. A projection loses a key that it does not show. A merge is in no order.
- The result of a punctuated query is inserts. It is in order when it is sorted by its start, or when nothing but
  prefixes of the start releases its groups; its keys are those of its last group-by, DISTINCT or set operator.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from punctum.algebra.schema import Schema
from punctum.algebra.scheme import Order
from punctum.analyse.safety.inference import Inference
from punctum.errors import SqlError
from punctum.ir.definitions import Temporal
from punctum.ir.elements import HIDDEN, VS, is_elements, payload_of
from punctum.ir.expressions import Column
from punctum.ir.relations import (
    Aggregate,
    Distinct,
    Except,
    Filter,
    Intersect,
    OrderBy,
    Projection,
    Source,
    Union,
)
from punctum.ir.temporal import Cleansed, LMerge, Opened
from punctum.ir.tree import Relation, sources, walk

_CASES = ("R0", "R1", "R2", "R3", "R4")
_LIKE = {"R3-": "R3"}


@dataclass(frozen=True)
class TemporalProperties:
    """What holds for the elements of a relation.

    ``key`` are columns of which no two events of one start have the same values; nothing: none are known. On no
    columns, no two events have the same start. ``cleansed``: ties are in the order that CLEANSE gives them.
    """

    ordered: bool = False
    insert_only: bool = False
    ties: bool = False
    key: frozenset[int] | None = None
    cleansed: bool = False

    @property
    def lacking(self) -> dict[str, list[str]]:
        """For each case what it needs and is not there."""
        strict = [] if self.ordered and self.key == frozenset() else ["STRICTLY ORDERED"]
        order = [] if self.ordered else ["ORDERED"]
        inserts = [] if self.insert_only else ["INSERT ONLY"]
        ties = [] if self.ties or not strict else ["DETERMINISTIC TIES"]
        key = [] if self.key is not None else ["KEY"]
        needs = (strict + inserts, order + ties + inserts, order + inserts + key, key, list[str]())
        return dict(zip(_CASES, needs, strict=True))


@dataclass(frozen=True)
class Chosen:
    """The case of a merge, and why it is this one."""

    case: str
    why: str


def chosen(merge: LMerge, known: Inference) -> Chosen:
    """The case of a merge: the one that is asked for, or the simplest one that all its inputs allow."""
    inputs = [properties(replica, known) for replica in merge.merged]
    if any(has.cleansed for has in inputs):  # what others declare of their ties is another order
        inputs = [replace(has, ties=has.cleansed) for has in inputs]
    lacking = {
        case: [(name, what) for name, has in zip(merge.names, inputs, strict=True) for what in has.lacking[case]]
        for case in _CASES
    }
    if merge.case is not None:
        missing = lacking[_LIKE.get(merge.case, merge.case)]
        if missing:
            hint = "declare it on the inputs if it holds, or remove the option case"
            raise SqlError(f"the inputs do not allow case {merge.case}", _lack(missing), hint, merge.place)
        return Chosen(merge.case, "the option case asks for it")
    case = next(case for case in _CASES if not lacking[case])
    before = _CASES[: _CASES.index(case)]
    if not before:
        return Chosen(case, "all inputs are STRICTLY ORDERED and INSERT ONLY")
    nearest = min(reversed(before), key=lambda case: len(lacking[case]))
    return Chosen(case, f"not {nearest}, because {_lack(lacking[nearest])}")


def _lack(missing: list[tuple[str, str]]) -> str:
    """Which inputs lack what, those that lack the same together."""
    by_need: dict[tuple[str, ...], list[str]] = {}
    for name in dict.fromkeys(name for name, _ in missing):
        by_need.setdefault(tuple(what for other, what in missing if other == name), []).append(name)
    parts = ((names, needs) for needs, names in by_need.items())
    return "; ".join(
        f"{', '.join(names)} {'lacks' if len(names) == 1 else 'lack'} {' and '.join(needs)}" for names, needs in parts
    )


def merges(relation: Relation) -> Iterator[LMerge]:
    """The merges of a relation, each after those below it."""
    return (node for node in walk(relation) if isinstance(node, LMerge))


def properties(relation: Relation, known: Inference) -> TemporalProperties:
    """What holds for the elements of a relation."""
    assert is_elements(relation.schema)
    match relation:
        case Source(stream=stream):
            assert stream.temporal is not None
            return _declared(stream.temporal, stream.schema)
        case Opened():
            declared = _declared(relation.properties, relation.schema)
            payload = frozenset(range(len(payload_of(relation.schema))))
            return replace(declared, key=payload if declared.key is None else declared.key)
        case Cleansed():
            return TemporalProperties(True, True, True, properties(relation.input, known).key, cleansed=True)
        case Filter():
            return properties(relation.input, known)
        case Projection() if is_elements(relation.input.schema) and _is_lifted(relation):
            return _projected(properties(relation.input, known), relation)
        case Projection():
            return _inserted(relation, known)
        case LMerge():
            several = [properties(replica, known) for replica in relation.merged]
            key = several[0].key if all(has.key == several[0].key for has in several) else None
            return TemporalProperties(insert_only=all(has.insert_only for has in several), key=key)
        case _:  # rows of all others are no elements
            raise AssertionError(relation)


def _declared(has: Temporal, schema: Schema) -> TemporalProperties:
    """What a stream declares of itself."""
    at = schema.positions
    key = frozenset[int]() if has.strictly else None if has.key is None else frozenset(at[n] for n in has.key)
    return TemporalProperties(has.ordered or has.strictly, has.insert_only, has.ties or has.strictly, key)


def _is_lifted(relation: Projection) -> bool:
    """Whether a projection is one of elements, which shows their own columns as they are."""
    width = len(payload_of(relation.input.schema))
    hidden = [expression for _, expression in relation.columns[-len(HIDDEN) :]]
    return [e.index if isinstance(e, Column) else -1 for e in hidden] == [width + i for i in range(len(HIDDEN))]


def _shown(relation: Projection) -> dict[int, int]:
    """The columns that a projection shows as they are, each with the first place where it does."""
    return {e.index: n for n, (_, e) in reversed(list(enumerate(relation.columns))) if isinstance(e, Column)}


def _projected(below: TemporalProperties, relation: Projection) -> TemporalProperties:
    """A key stays when all of its columns are shown as they are."""
    shown = _shown(relation)
    if below.key is None or not below.key <= shown.keys():
        return replace(below, key=None)
    return replace(below, key=frozenset(shown[i] for i in below.key))


def _inserted(relation: Projection, known: Inference) -> TemporalProperties:
    """The result of a query as inserts."""
    below = relation.input
    start = relation.columns[relation.schema.index(VS)][1]
    assert isinstance(start, Column)
    shown = _shown(relation)
    keys = [key - {start.index} for key in _keys(below) if key <= shown.keys()]
    key = min((frozenset(shown[i] for i in key) for key in keys), key=len, default=None)
    order = _order(below)
    sorted_by_start = order[:1] == [start.index]
    ties = sorted_by_start and {start.index, *shown} <= {start.index, *order}
    prefixes = _only_prefixes(below, start.index, known)
    return TemporalProperties(sorted_by_start or prefixes, True, ties, key)


def _only_prefixes(relation: Relation, start: int, known: Inference) -> bool:
    """Whether groups are released by prefixes of the start, and the streams promise nothing else."""
    if not _grouped(relation):
        return False
    facts = known.facts(relation)
    promised = any(p.terms == {(facts.same[start], Order.ASC)} for p in facts.promises)
    schemes = [scheme for source in sources(relation) for scheme in source.stream.schemes]
    return promised and all(len(s.terms) == 1 and s.terms[0][1] is not Order.EQUALITY for s in schemes)


def _grouped(relation: Relation) -> bool:
    match relation:
        case Filter() | Projection():
            return _grouped(relation.input)
        case _:  # the groups of any other one are gone, or never were
            return isinstance(relation, Aggregate)


def _order(relation: Relation) -> list[int]:
    """The columns by which the rows of a relation come in ascending order."""
    match relation:
        case Filter():
            return _order(relation.input)
        case OrderBy():
            columns: list[int] = []
            for column, down, _ in relation.keys:
                if down and not columns:
                    return []
                columns.append(column.index)
            return columns
        case Projection():
            shown = _shown(relation)
            below = _order(relation.input)
            kept = next((n for n, i in enumerate(below) if i not in shown), len(below))
            return [shown[i] for i in below[:kept]]
        case _:  # an operator gives its rows in no order
            return []


def _keys(relation: Relation) -> list[frozenset[int]]:
    """Columns of which no two rows of a relation have the same values."""
    match relation:
        case Source(stream=stream):
            return [frozenset(stream.schema.index(name) for name in names) for names in stream.unique]
        case Filter() | OrderBy():
            return _keys(relation.input)
        case Projection():
            shown = _shown(relation)
            return [frozenset(shown[i] for i in key) for key in _keys(relation.input) if key <= shown.keys()]
        case Aggregate():
            return [frozenset(range(len(relation.keys)))]
        case Distinct() | Union() | Intersect() | Except():
            return [frozenset(range(len(relation.schema)))]
        case _:  # none are known
            return []
