"""What must hold for a stream iterator on every prefix of its input (section 5), as functions that assert it.

``conform``   incremental = cumulative: output rows, output punctuations and kept rows are what the invariants state.
``minimal``   nothing is output twice.
``proper``    the output is grammatical.
``faithful``  safe and complete against a batch implementation, over all small extensions that the punctuations allow.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cmp_to_key
from itertools import combinations_with_replacement, product
from typing import Any

from punctum.algebra.punctuation import Punctuation
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.values import Row
from punctum.spec.framework import Kept, Operator, Specified
from punctum.spec.sort import Sort
from punctum.spec.stream import Slice, prefix

Streams = Sequence[Sequence[Slice]]
Batch = Callable[..., list[Row]]
Numbered = tuple[int, Row]


def aligned(streams: Streams) -> list[list[Slice]]:
    """Streams of one length: a stream that has nothing gives empty slices."""
    length = max(map(len, streams))
    return [[*stream, *[Slice()] * (length - len(stream))] for stream in streams]


def prefixes(operator: Operator, streams: Streams) -> Iterator[tuple[list[Slice], list[Slice], Kept]]:
    """For each prefix: what came in on each input, the output slices so far, and what is kept."""
    running = operator.start()
    inputs = aligned(streams)
    output: list[Slice] = []
    for i in range(len(inputs[0])):
        output.append(running.feed(*(stream[i] for stream in inputs)))
        yield [prefix(stream[: i + 1]) for stream in inputs], list(output), running.kept()


def bags(kept: Kept) -> dict[str, Counter[Row]]:
    return {name: Counter(rows) for name, rows in kept.items()}


def conform(operator: Specified, streams: Streams) -> None:
    for inputs, output, kept in prefixes(operator, streams):
        rows, wanted = list(prefix(output).rows), operator.cpass(*inputs)
        assert rows == wanted if isinstance(operator, Sort) else Counter(rows) == Counter(wanted), "cpass"
        emitted = PunctuationSet(operator.output, prefix(output).puncts)
        assert emitted == PunctuationSet(operator.output, operator.cprop(*inputs)), "cprop"
        assert bags(kept) == bags(operator.ckeep(*inputs)), "ckeep"


def minimal(operator: Operator, streams: Streams) -> None:
    for _, output, _ in prefixes(operator, streams):
        *before, now = output
        emitted = prefix(before).puncts
        assert not any(p.empty or old.covers(p) for p in now.puncts for old in emitted), "a punctuation twice"


def proper(operator: Operator, streams: Streams) -> None:
    for _, output, _ in prefixes(operator, streams):
        *before, now = output
        emitted = prefix(before).puncts
        assert not any(p.match(t) for t in now.rows for p in emitted), "an ungrammatical row"


def faithful(operator: Operator, streams: Streams, batch: Batch, universe: Sequence[Sequence[Row]], most: int) -> None:
    """Safety and completeness at every prefix; ``universe`` holds, for each input, the rows that could come."""
    for inputs, output, _ in prefixes(operator, streams):
        released = Counter(prefix(output).rows)
        certain = None
        for added in extensions(inputs, universe, most):
            final = Counter(batch(*([*xs.rows, *more] for xs, more in zip(inputs, added, strict=True))))
            assert released <= final, "unsafe"
            certain = final if certain is None else certain & final
        assert released == certain, "incomplete"


def faithful_in_order(
    operator: Operator, stream: Sequence[Slice], compare: Callable[[Row, Row], int], universe: Sequence[Row], most: int
) -> None:
    """The same where the order counts. Rows that compare as equal may come in either order, so each has a number."""
    by_compare = cmp_to_key(compare)

    def by_row(numbered: Numbered) -> Any:
        return by_compare(numbered[1])

    for (xs,), output, _ in prefixes(operator, [stream]):
        released = list(prefix(output).rows)
        certain: list[Numbered] | None = None
        old = list(enumerate(xs.rows))
        for (more,) in extensions([xs], [universe], most):
            new = list(enumerate(more, start=len(old)))
            for arrived in ([*old, *new], [*new, *old]):
                final = sorted(arrived, key=by_row)
                assert released == [t for _, t in final[: len(released)]], "unsafe"
                certain = final if certain is None else common_prefix(certain, final)
        assert certain is not None
        assert released == [t for _, t in certain], "incomplete"


def extensions(inputs: Sequence[Slice], universe: Sequence[Sequence[Row]], most: int) -> Iterator[tuple[Any, ...]]:
    """All additions of up to so many rows to each input that its punctuations allow."""
    allowed = [[t for t in rows if not matched(t, xs.puncts)] for xs, rows in zip(inputs, universe, strict=True)]
    sizes = range(most + 1)
    return product(*([m for n in sizes for m in combinations_with_replacement(rows, n)] for rows in allowed))


def matched(t: Row, ps: Sequence[Punctuation]) -> bool:
    return any(p.match(t) for p in ps)


def common_prefix(one: list[Numbered], other: list[Numbered]) -> list[Numbered]:
    same = 0
    while same < min(len(one), len(other)) and one[same] == other[same]:
        same += 1
    return one[:same]
