"""Which schemes of its streams a query needs: all that are of any use, and as few as keep it safe.

A scheme is *of use* when its punctuations can purge or release something, or become punctuations of a result that emits
them. A *minimal* set of schemes gives every state the verdict that it has with all of them, and no smaller part of the
set does. What an operator does with a scheme that is of no use is kept work: its punctuations may be left out. Those
are *idle* for which it is certain, whatever else the stream emits, that leaving them out changes nothing.
"""

from collections.abc import Iterable, Iterator
from typing import assert_never

from punctum.algebra.finite import finite
from punctum.algebra.scheme import Scheme
from punctum.algebra.values import Type
from punctum.analyse.promises import Declared
from punctum.analyse.safety.choice import inferred
from punctum.analyse.safety.inference import Inference
from punctum.analyse.safety.states import states
from punctum.analyse.safety.verdicts import OperatorState
from punctum.ir.definitions import StreamDef
from punctum.ir.elements import MARKED
from punctum.ir.expressions import Column, columns
from punctum.ir.hop import Hop
from punctum.ir.lookup import Lookup
from punctum.ir.node import PlannedNode
from punctum.ir.over import Over
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
from punctum.ir.tree import Relation, fold, sources, walk

Of = tuple[str, str]
"""A stream and a column of it."""


def declared(relation: Relation) -> tuple[Declared, ...]:
    """The schemes of the streams that a relation reads, each once."""
    streams = dict.fromkeys(source.stream for source in sources(relation))
    return tuple(Declared.of(stream.name, scheme) for stream in streams for scheme in stream.schemes)


def useful(relation: Relation, emits: bool, known: Inference) -> frozenset[Declared]:
    """The schemes that purge or release something, or from which punctuations of a result follow that emits them."""
    used = {origin for state in states(relation, known) for origin in state.uses}
    if emits:
        used |= {origin for promise in known.facts(relation).promises for origin in promise.origins}
    return frozenset(used)


def minimal(relation: Relation, emits: bool) -> frozenset[Declared]:
    """Schemes that are enough, of which none can be left out.

    Those on many attributes are left out first, for they have the most punctuations.
    """
    every = declared(relation)
    kept = frozenset(every) & useful(relation, emits, inferred(relation))
    before = _enough(relation, emits, inferred(relation))
    for scheme in sorted(kept, key=lambda scheme: (-len(scheme.terms), str(scheme))):
        less = frozenset(every) - kept | {scheme}
        if _enough(relation, emits, inferred(relation, less=less)) == before:
            kept -= {scheme}
    return kept


def _enough(relation: Relation, emits: bool, known: Inference) -> tuple[object, ...]:
    """What has to stay: the verdict of each state, and the promises of a result that emits them."""
    verdicts = tuple(_verdict(state) for state in states(relation, known))
    promises = {promise.terms for promise in known.facts(relation).promises} if emits else set()
    return verdicts, frozenset(promises)


def _verdict(state: OperatorState) -> tuple[str, str, object]:
    return state.operator, state.input, state.verdict


def idle(relation: Relation, emits: bool, known: Inference) -> dict[str, tuple[Scheme, ...]]:
    """The schemes of each stream whose punctuations no operator of a query can use.

    Of each of them a column is in no condition and has no domain: where one of these is, punctuations that leave
    nothing of the column open close more together than each of them. A stream with a time limit has no idle schemes:
    one of them is waited for, and another may be the clock by which that is.
    """
    return {
        stream.name: schemes for stream, schemes in _unused(relation, emits, known) if schemes and not stream.limits
    }


def clocks(relation: Relation, emits: bool, known: Inference) -> dict[str, tuple[Scheme, ...]]:
    """The schemes of each stream with time limits that no operator of a query can use, except to tell the time."""
    return {stream.name: schemes for stream, schemes in _unused(relation, emits, known) if schemes and stream.limits}


def _unused(relation: Relation, emits: bool, known: Inference) -> Iterator[tuple[StreamDef, tuple[Scheme, ...]]]:
    used = useful(relation, emits, known)
    asked = frozenset(_asked(relation))
    for stream in dict.fromkeys(source.stream for source in sources(relation)):
        unused = [scheme for scheme in stream.schemes if Declared.of(stream.name, scheme) not in used]
        yield stream, tuple(s for s in unused if any(_free(stream, name, asked) for name in s.attributes))


def beyond(relation: Relation, emits: bool) -> dict[str, tuple[Scheme, ...]]:
    """The schemes of each stream that a minimal set goes without; a stream with time limits is left as it is."""
    kept, left_out = minimal(relation, emits), dict[str, tuple[Scheme, ...]]()
    for stream in dict.fromkeys(source.stream for source in sources(relation)):
        if not stream.limits:
            left_out[stream.name] = tuple(s for s in stream.schemes if Declared.of(stream.name, s) not in kept)
    return left_out


def _free(stream: StreamDef, name: str, asked: frozenset[Of]) -> bool:
    """Whether all values of a column can never be closed by parts."""
    attribute = stream.schema.attributes[stream.schema.index(name)]
    limited = attribute.type is Type.BOOLEAN or finite(attribute.domain, attribute.type) is not None
    return not limited and (stream.name, name) not in asked


def _asked(relation: Relation) -> Iterator[Of]:
    """The columns of streams on which conditions hang."""
    for node in walk(relation):
        match node:
            case Filter(predicate=condition) | Join(residual=condition) | OuterJoin(residual=condition) if condition:
                below = [of for side in node.inputs for of in fold(side, _origins)]
                yield from (of for column in columns(condition) for of in below[column.index])
            case Lookup():
                own = fold(node.input, _origins)
                compared = [a for a, _ in node.on] + ([] if node.residual is None else [*columns(node.residual)])
                yield from (of for column in compared if column.index < len(own) for of in own[column.index])


def _origins(relation: Relation, below: list[list[frozenset[Of]]]) -> list[frozenset[Of]]:
    """The columns of streams from which each column of a relation comes, given those of its inputs."""
    match relation:
        case Source(stream=stream):
            return [frozenset([(stream.name, name)]) for name in stream.schema.names]
        case Hop():
            return [*below[0][: relation.width], frozenset[Of]().union(*below[0][relation.width :])]
        case Stamped():
            return [*below[0], frozenset()]
        case Lookup():
            own = below[0]
            of_table = (relation.equated().get(i) for i in range(len(own), len(relation.schema)))
            return [*own, *(frozenset[Of]() if at is None else own[at] for at in of_table)]
        case Join() | OuterJoin():
            return (below[0] + below[1])[: len(relation.schema)]
        case Projection():
            return [_all(below[0], columns(expression)) for _, expression in relation.columns]
        case Aggregate():
            calls = (list(call.reads) for call in relation.aggregates)
            return [_all(below[0], read) for read in [*([column] for _, column in relation.keys), *calls]]
        case Sessions():
            read = [[column] for column in (*(key for _, key in relation.keys), relation.time, relation.time)]
            read += [list(call.reads) for call in relation.aggregates]
            return [_all(below[0], positions) for positions in read]
        case Ranked():
            return [*below[0], _all(below[0], [*relation.partition, *(column for column, _, _ in relation.keys)])]
        case Over():
            by = [*relation.partition, *(column for column, _, _ in relation.keys)]
            return [*below[0], _all(below[0], [*by, *([relation.argument] if relation.argument else [])])]
        case LMerge():
            merged = below[: len(relation.merged)]
            return [frozenset[Of]().union(*same) for same in zip(*merged, strict=True)]
        case Opened():
            start, end, since = below[0][-len(MARKED) :]
            return [*below[0][: -len(MARKED)], start, end, end, start | end, since]
        case UnionAll() | Union() | Intersect() | Except():
            return [left | right for left, right in zip(*below, strict=True)]
        case Filter() | Window() | Distinct() | OrderBy() | Final() | Cleansed() | Punctuated():
            return below[0]
        case PlannedNode():
            raise AssertionError(relation)
        case _:
            assert_never(relation)


def _all(below: list[frozenset[Of]], read: Iterable[Column]) -> frozenset[Of]:
    return frozenset[Of]().union(*(below[column.index] for column in read))
