"""By which columns rows are exchanged: a relation and columns that decide on the bucket in, those of its inputs out.

A join needs its inputs partitioned by join columns, a group-by by grouping columns, and so on: ``stages.py`` says which
operator needs what. A bucket is chosen by the values of a key one after the other, so the keys of all inputs correspond
to the wanted one position by position: they may name a column twice, and never leave one out.
"""

from typing import assert_never

from punctum.algebra.outer import JoinKind
from punctum.ir.elements import VS
from punctum.ir.expressions import Column
from punctum.ir.hop import Hop
from punctum.ir.lifted import inserts_only
from punctum.ir.lookup import Lookup
from punctum.ir.over import Over
from punctum.ir.planned import ExpectNode, LifespanNode, MultiJoin, Synopsis
from punctum.ir.punctuated import Punctuated
from punctum.ir.ranking import Ranked
from punctum.ir.relations import (
    Aggregate,
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
    Window,
)
from punctum.ir.session import Sessions
from punctum.ir.stamped import Stamped
from punctum.ir.temporal import Cleansed, Final, LMerge, Opened
from punctum.ir.tree import Relation
from punctum.plan.passes.windows import windowed
from punctum.plan.physical.pipes import as_pipe, column_of

Key = tuple[int, ...]
"""The columns that decide on the bucket; none: all rows are in one bucket."""


def keys_below(relation: Relation, key: Key | None) -> list[Key | None] | None:
    """How each input must be partitioned for an operator whose output is to be by the key; nothing: it cannot be."""
    if windowed(relation):
        return None if key else [() for _ in relation.inputs]
    match relation:
        case UnionAll() if key is None and any(map(_in_one_bucket, relation.inputs)):
            return [() for _ in relation.inputs]  # else the other buckets never get that input's punctuations
        case Filter() | Window() | UnionAll():
            return [key for _ in relation.inputs]
        case Punctuated(parting=by) | ExpectNode(by=by):
            return [by] if key is None else [key] if set(key) <= set(by) else None
        case LifespanNode():
            pipe = as_pipe(relation.input) is not None
            return [key] if pipe or keys_below(relation.input, key) is not None else None
        case Projection():
            if key is None:
                return [None]
            below = [column_of(relation.columns[i][1]) for i in key]
            return None if None in below else [tuple(i for i in below if i is not None)]
        case Hop() | Stamped():
            return [key] if key is None or all(i < relation.width for i in key) else None
        case Lookup():
            equated = relation.equated()
            under = None if key is None else tuple(equated.get(i, i) for i in key)
            return [under] if under is None or all(i < len(relation.input.schema) for i in under) else None
        case Join():
            pairs = _together(relation, _pairs(relation))
            if key is not None:
                pairs = _pairs(relation)
                wanted = [next((pair for pair in pairs if i in pair), None) for i in key]
                if not key or None in wanted:
                    return None
                pairs = [pair for pair in wanted if pair is not None]
            offset = len(relation.left.schema)
            return [tuple(mine for mine, _ in pairs), tuple(theirs - offset for _, theirs in pairs)]
        case OuterJoin(on=on):
            chosen_pairs = list(on) if key is None else _by_left(relation, key)
            return None if chosen_pairs is None else [tuple(pair[i].index for pair in chosen_pairs) for i in (0, 1)]
        case MultiJoin():
            classes, everyone = _common(relation, key), range(len(relation.joined))
            return None if classes is None else [tuple(relation.classes[n].of(i)[0] for n in classes) for i in everyone]
        case Aggregate() | Sessions():
            columns = [column.index for _, column in relation.keys]
            if key is None:
                return [_prefer(relation.inputs[0], columns) or tuple(columns)]
            fits = all(i < len(columns) for i in key) and bool(key) == bool(columns)
            return [tuple(columns[i] for i in key)] if fits else None
        case Ranked(by=by) | Over(by=by):
            if key is None:
                return [_prefer(relation.input, by) or tuple(by)]
            return [key] if bool(key) == bool(by) and set(key) <= set(by) else None
        case Synopsis():
            shown = {n: at for at, n in relation.parting}
            if key is not None and not all(n in shown for n in key):
                return None
            parts = [at for at, _ in relation.parting] if key is None else [shown[n] for n in key]
            return [tuple(at[i] for at in parts) for i in range(len(relation.joined))]
        case OrderBy() | Cleansed():
            return None if key else [()]
        case Final() if inserts_only(relation.input):
            return [key]
        case Opened():
            same = payload(relation)
            return [same] if key is None else [key] if key and set(key) <= set(same) else None
        case Final() | LMerge():
            same = payload(relation) if key is None and _opens(relation) else events(relation)
            several = len(relation.merged) if isinstance(relation, LMerge) else 1
            return [same if key is None else key] * several if key is None or (key and set(key) <= set(same)) else None
        case Distinct() | Union() | Intersect() | Except():
            everything = list(range(len(relation.schema)))
            chosen = (_prefer(relation.inputs[0], everything) or tuple(everything)) if key is None else key
            return [chosen for _ in relation.inputs]
        case Source():
            raise AssertionError(relation)  # it is a pipe
        case _:
            assert_never(relation)


def ends_better(relation: Relation, key: Key | None) -> bool:
    """Whether a stage should end with an operator that leaves less, since one has to end below it otherwise."""
    match relation:
        case Aggregate() | Filter() | Distinct() | Ranked():
            leaves_less = True
        case Projection(columns=columns):
            leaves_less = len(columns) <= len(relation.input.schema)
        case _:
            leaves_less = False
    return leaves_less and key is not None and exchanges(relation, key) > exchanges(relation, None)


def exchanges(relation: Relation, key: Key | None) -> int:
    """How many exchanges are between an operator's streams and its output, which is to be by a key, or by any."""
    if as_pipe(relation) is not None:
        return 0
    below = keys_below(relation, key)
    if below is None:
        return 1 + exchanges(relation, None)
    return sum(exchanges(child, wanted) for child, wanted in zip(relation.inputs, below, strict=False))


def _in_one_bucket(relation: Relation) -> bool:
    """Whether all rows of a relation are in one bucket, wherever else they could be."""
    if as_pipe(relation) is not None:
        return False
    if isinstance(relation, Filter | Projection | Hop | Stamped | Lookup | UnionAll | LifespanNode):
        return any(map(_in_one_bucket, relation.inputs))
    return all(key == () for key in keys_below(relation, None) or [None])


def _prefer(relation: Relation, allowed: list[int]) -> Key | None:
    """Those of the allowed columns by which a relation can be partitioned with the fewest exchanges, if any."""
    if not allowed:
        return None
    match relation:
        case Filter() | LifespanNode():
            return _prefer(relation.inputs[0], allowed)
        case Punctuated(parting=by) | ExpectNode(by=by):
            return tuple(i for i in allowed if i in by) or tuple(allowed)
        case Projection() if as_pipe(relation) is None:
            columns = {column_of(relation.columns[i][1]): i for i in allowed}
            preferred = _prefer(relation.inputs[0], [i for i in columns if i is not None])
            return None if preferred is None else tuple(columns[i] for i in preferred)
        case Hop() | Stamped() | Lookup():
            width = len(relation.input.schema) if isinstance(relation, Lookup) else relation.width
            own = [i for i in allowed if i < width]
            return tuple(own) if as_pipe(relation.input) is not None and own else _prefer(relation.input, own)
        case Join():
            firsts = (next((i for i in pair if i in allowed), None) for pair in _pairs(relation))
            return tuple(i for i in firsts if i is not None) or None
        case OuterJoin():
            lefts = dict.fromkeys(mine.index for mine, _ in relation.on if relation.kind is not JoinKind.FULL)
            return tuple(i for i in lefts if i in allowed) or None
        case MultiJoin():
            firsts = (next((i for i in _members(relation, n) if i in allowed), None) for n in relation.common())
            return tuple(i for i in firsts if i is not None) or None
        case Aggregate() | Sessions():
            columns = {column.index: i for i, (_, column) in enumerate(relation.keys) if i in allowed}
            preferred = _prefer(relation.inputs[0], [i for i in columns if i is not None])
            return tuple(columns[i] for i in preferred) if preferred else tuple(columns.values()) or None
        case Synopsis():
            return tuple(n for _, n in relation.parting if n in allowed) or None
        case Ranked(by=by) | Over(by=by):
            within = [i for i in by if i in allowed]
            return _prefer(relation.input, within) or tuple(within) or None
        case OrderBy() | Cleansed():
            return None
        case Opened() | Final() | LMerge():
            same = payload(relation) if _opens(relation) else events(relation)
            return tuple(i for i in same if i in allowed) or None
        case Source() | Projection() | Window() | Distinct() | UnionAll() | Union() | Intersect() | Except():
            return tuple(allowed)
        case _:
            assert_never(relation)


def events(relation: Relation) -> Key:
    """The columns that all elements of an event have in common: its payload and its start."""
    return tuple(range(relation.schema.index(VS) + 1))


def payload(relation: Relation) -> Key:
    """The columns that all opens and closes of an event have in common."""
    return tuple(range(relation.schema.index(VS)))


def _opens(relation: Relation) -> bool:
    """Whether elements are made of opens and closes, at once or under selections, projections and merges."""
    if isinstance(relation, Filter | Projection | Final | LMerge):
        return any(map(_opens, relation.inputs))
    return isinstance(relation, Opened)


def _pairs(join: Join) -> list[tuple[int, int]]:
    """The equated columns of a join, as columns of its output."""
    return [(mine.index, len(join.left.schema) + theirs.index) for mine, theirs in join.on]


def _together(join: Join, pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The pairs by which both sides can be partitioned as they are; all, when there are none or all can be."""
    width = len(join.left.schema)

    def fits(some: list[tuple[int, int]]) -> bool:
        mine, theirs = tuple(a for a, _ in some), tuple(b - width for _, b in some)
        return _ends(join.left, mine) and _ends(join.right, theirs)

    return pairs if fits(pairs) else [pair for pair in pairs if fits([pair])] or pairs


def _ends(relation: Relation, key: Key) -> bool:
    """Whether a stage that ends with a relation can have its rows by a key, as far as its last operator says."""
    if as_pipe(relation) is not None:
        return True
    below = keys_below(relation, key)
    if below is None:
        return False
    if isinstance(relation, Filter | Projection | UnionAll | Lookup):
        return all(
            wanted is None or _ends(child, wanted) for child, wanted in zip(relation.inputs, below, strict=False)
        )
    return True


def _by_left(join: OuterJoin, key: Key) -> list[tuple[Column, Column]] | None:
    """The pairs whose left columns are a key; nothing: they are not. Right rows of a FULL join may have none."""
    wanted = [next((pair for pair in join.on if pair[0].index == i), None) for i in key]
    pairs = [pair for pair in wanted if pair is not None]
    return pairs if pairs and len(pairs) == len(key) and join.kind is not JoinKind.FULL else None


def _members(join: MultiJoin, n: int) -> list[int]:
    """The columns of a class, as columns of the join's output."""
    return [join.offsets[i] + at for i, at in join.classes[n].members]


def _common(join: MultiJoin, key: Key | None) -> list[int] | None:
    """The classes common to all inputs by which a join's output is by the key; nothing: it cannot be."""
    if key is None or (not key and not join.common()):
        return join.common()
    wanted = [next((n for n in join.common() if i in _members(join, n)), None) for i in key]
    classes = [n for n in wanted if n is not None]
    return classes if classes and None not in wanted else None
