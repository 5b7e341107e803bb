"""Whether a query needs only bounded memory without any punctuation, and why: the memory paper for a relation.

In: a relation. Out: the verdict with its witness. For *bounded* it is the synopsis of each stream and how many values
are stored at most; for *not bounded* the condition that failed, on which attributes, and an input that grows.
"""

from dataclasses import dataclass

from punctum.algebra.aggregates import Function
from punctum.analyse.memory.bounded import Failure, failure, open_extremes
from punctum.analyse.memory.conjunctions import written
from punctum.analyse.memory.lto import LIMIT, TooManyOrdersError, bounded_in_every_order, reduced
from punctum.analyse.memory.synopses import SynopsisStructure, answer_rows, answers, synopses
from punctum.analyse.memory.windows import Kept, kept
from punctum.ir.conjunctive.spj import Spj
from punctum.ir.tree import Relation

_SHOWN = 6
"""So many synopses are listed."""


@dataclass(frozen=True)
class MemoryVerdict:
    """The verdict; ``failure`` is the condition that failed, ``reason`` why in a few words.

    ``values`` are stored at most, by the synopses and for the answer; their number is not known when occurrences of a
    stream had to be left out. ``windows`` are what is kept of each input of a join of windows.
    """

    bounded: bool
    reason: str
    synopses: tuple[SynopsisStructure, ...] = ()
    values: int | None = None
    failure: Failure | None = None
    windows: tuple[Kept, ...] = ()


def memory(relation: Relation) -> MemoryVerdict:
    """What is known of the memory that a query needs without punctuations."""
    if windows := kept(relation):
        return _of_windows(windows)
    form = written(relation)
    if form is None:
        return MemoryVerdict(
            False, "it is not one SELECT of joins and filters with at most one DISTINCT or GROUP BY on top"
        )
    return of_query(form.query, form.compared)


def of_query(query: Spj, compared: int = 0, limit: int = LIMIT) -> MemoryVerdict:
    """The same for a query that is a select-project-join, of whose result so many computed columns are compared.

    Where a stream is there twice, so many orders of attributes are looked at, at most.
    """
    if not query.order.satisfiable:
        return MemoryVerdict(True, "no row satisfies its conditions", values=0)
    failed = failure(query)
    if failed is None:
        return _bounded(query, compared)
    if query.selfjoin and query.eliminating and failed.condition != "mixed":
        smaller = reduced(query)
        return _twice(query, failed, limit) if failure(smaller) is not None else _bounded(smaller, compared)
    return MemoryVerdict(False, _why(failed), failure=failed)


def _of_windows(windows: tuple[Kept, ...]) -> MemoryVerdict:
    """The verdict for a join of windows: an input without one has to be finite by its own conditions."""
    endless = [side.name for side in windows if side.rows is None]
    if endless:
        why = f"rows of {', '.join(endless)} are in no window, and their number is unbounded"
        return MemoryVerdict(False, why, windows=windows)
    values = sum(side.values or 0 for side in windows)
    parts = []
    for side in windows:
        names = ", ".join(side.input.schema.names[i] for i in side.columns)
        counted = "" if side.last else "a count for each of "
        parts.append(f"{side.name} {counted}{side.text} of ({names})")
    return MemoryVerdict(True, f"at most {_number(values)}: {', '.join(parts)}", values=values, windows=windows)


def _why(failed: Failure) -> str:
    return failed.reason + ("" if failed.condition == "mixed" else f" ({failed.condition})")


def _bounded(query: Spj, compared: int) -> MemoryVerdict:
    stored, computed = synopses(query), answer_rows(query) * compared
    values = sum(synopsis.values for synopsis in stored) + answers(query) + computed
    if not values:
        return MemoryVerdict(True, "each row is processed on its own", stored, 0)
    named = ((synopsis.query.streams[synopsis.stream].name, synopsis) for synopsis in stored[:_SHOWN])
    parts = [f"{name} {synopsis_text(synopsis)}" for name, synopsis in named]
    parts += [f"{len(stored) - _SHOWN} more synopses"] if len(stored) > _SHOWN else []
    parts += [f"the answer {answers(query)}"] if answers(query) else []
    parts += [f"its computed columns {computed}"] if computed else []
    return MemoryVerdict(True, f"at most {_number(values)}: {', '.join(parts)}", stored, values)


def synopsis_text(synopsis: SynopsisStructure) -> str:
    """A synopsis in a few words."""
    query = synopsis.query
    keys = ", ".join(query.attribute(at).name for at in synopsis.keys)
    if query.eliminating:
        rows = max(1, len(synopsis.best))
        bucket = f"{'a row' if rows == 1 else f'{rows} rows'} of ({keys})" if keys else "whether there was a row"
    else:
        partials = [_partial(call.function) + query.attribute(call.of).name for call in synopsis.partials if call.of]
        bucket = " and ".join(["a count", *partials])
    parted = ", ".join(query.attribute(at).name for at in synopsis.keys if query.count(at) > 1)
    by = f" for each of {synopsis.buckets} buckets by {parted}" if parted else ""
    return f"{bucket}{by}"


def _partial(function: Function) -> str:
    return "sum and count of " if function is Function.AVG else f"{function.value.lower()} of "


def _number(values: int) -> str:
    return "1 value" if values == 1 else f"{values} values"


def _twice(query: Spj, failed: Failure, limit: int) -> MemoryVerdict:
    """The verdict where a stream is there twice: each derived query after redundant occurrences are left out."""
    watched = [query.watching(call) for call in open_extremes(query)]
    try:
        bounded = all(bounded_in_every_order(derived, limit) for derived in [query, *watched])
    except TooManyOrdersError:
        why = "a stream occurs twice, and its columns can be ordered in too many ways to try each"
        return MemoryVerdict(False, f"not decided: {why}", failure=failed)
    if not bounded:
        return MemoryVerdict(False, _why(failed), failure=failed)
    return MemoryVerdict(True, "a stream occurs twice, and wherever memory would grow, one occurrence adds nothing")
