"""What an example is, and how it is shown."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from punctum.algebra.values import Row, value_text
from punctum.iterators.framework import Kept
from punctum.iterators.stream import Slice
from punctum.iterators.tree import Node, Running, Step


@dataclass(frozen=True)
class Example:
    """A query over some sources, the slices that they send, and a sentence that says what to look at."""

    name: str
    about: str
    query: Node
    slices: tuple[Mapping[str, Slice], ...]


def show(example: Example) -> Iterator[str]:
    """The example's run, line by line: what came in, what was released, what was purged, what is still kept."""
    yield f"{example.name}: {example.about}"
    running, unpunctuated = Running(example.query), Running(example.query)
    for number, sources in enumerate(example.slices, start=1):
        yield ""
        yield f"slice {number}"
        yield from (_line("in", name, _elements(piece)) for name, piece in sources.items())
        steps = running.feed(sources)
        yield from _purged(steps)
        yield _line("released", "", _elements(steps[-1].output))
        without = unpunctuated.feed({name: Slice(piece.rows) for name, piece in sources.items()})
        yield _line("kept", "", f"{_kept(steps)} rows, {_kept(without)} without punctuations ({_by_operator(steps)})")


def _kept(steps: list[Step]) -> int:
    return sum(len(rows) for step in steps for rows in step.kept.values())


def _by_operator(steps: list[Step]) -> str:
    return ", ".join(f"{step.label}: {_counts(step.kept)}" for step in steps if step.kept)


def _purged(steps: list[Step]) -> Iterator[str]:
    for step in steps:
        for name, rows in step.purged.items():
            yield _line("purged", f"{step.label} {name}", _elements(Slice(tuple(rows))))


def _counts(kept: Kept) -> str:
    return " + ".join(f"{len(rows)} {name}" for name, rows in kept.items())


def _line(what: str, where: str, text: str) -> str:
    return f"  {what:<9} {where:<14} {text}" if where else f"  {what:<9} {text}"


def _elements(piece: Slice) -> str:
    texts = [*map(_row, piece.rows), *map(str, piece.puncts)]
    return "  ".join(texts) if texts else "-"


def _row(row: Row) -> str:
    return f"({', '.join(map(value_text, row))})"
