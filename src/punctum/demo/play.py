"""An example, live: its streams send step by step while its query runs on Spark, and each step is printed in a line."""

from collections.abc import Callable, Iterable
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from punctum.demo.directory import Done, RunDirectory, rows_of
from punctum.demo.example import STEPS, Elements, Example
from punctum.demo.plot import draw
from punctum.demo.without import Unpunctuated
from punctum.parse.script import parse_script
from punctum.query import Query
from punctum.session import Session

if TYPE_CHECKING:
    from punctum.page.serve import LivePage

Echo = Callable[[str], None]
_HEAD = "  step  rows  punctuations  released  kept  without punctuations"
_SHOWN = 2


def play(
    examples: Iterable[Example],
    directory: Path,
    session: Session,
    interrupted: Event,
    echo: Echo,
    show: "LivePage | None" = None,
) -> bool:
    """Run examples one after the other, and return whether they came to their end.

    When one of them was interrupted before, begin with that one, from where it stopped; else with the first, afresh.
    """
    runs = [RunDirectory(example, directory / example.name) for example in examples]
    first = next((n for n, run in enumerate(runs) if run.interrupted), 0)
    for run in runs[:first]:
        echo(f"{run.example.name}: already finished, see {run.path}\n")
    return all(_run(run, session, interrupted, echo, show) for run in runs[first:])


def _run(run: RunDirectory, session: Session, interrupted: Event, echo: Echo, show: "LivePage | None") -> bool:
    run.prepare()
    echo(f"{run.example.name}: {run.example.about}")
    echo(f"  {run.script} reads what is written to {run.path / 'in'} while it runs")
    done = run.done()
    echo(f"  (resumes after step {len(done)})\n{_HEAD}" if done else f"\n{_HEAD}")
    (query,) = session.script(run.example.script, run.path.resolve())
    query.start(run.path.resolve() / "checkpoint")
    if show is not None:
        query.show_on(show)
    try:
        _Steps(run, query, done, echo).take(interrupted)
    finally:
        query.stop()
    if len(done) == STEPS:
        draw(run.plot, run.example.name, done)
        echo(f"  {len(rows_of(run.results())):,} rows are in {run.path / 'out'}, the plot is {run.plot}\n")
        return True
    echo(f"  stopped after step {len(done)} of {STEPS}; run the same command again to resume")
    return False


class _Steps:
    """The steps of a run while its query is running; those that are done are added to a list."""

    def __init__(self, run: RunDirectory, query: Query, done: list[Done], echo: Echo) -> None:
        self._run, self._query, self._done, self._echo = run, query, done, echo
        self._without = Unpunctuated(parse_script(run.example.script).queries[0].relation)
        self._seen = set(run.results())

    def take(self, interrupted: Event) -> None:
        """Take the steps that are not done yet, until interrupted."""
        before = len(self._done)
        for step, sends in enumerate(self._run.example.steps(), start=1):
            if interrupted.is_set():
                break
            self._run.write(step, sends)
            without = self._without.feed(self._run.files(step))
            if step > before:
                self._query.catch_up()
                self._end(step, sends, without)

    def _end(self, step: int, sends: dict[str, Elements], without: int) -> None:
        """Record and print a step."""
        puncts = [element for elements in sends.values() for element in elements if "$punct" in element]
        rows = sum(map(len, sends.values())) - len(puncts)
        results = self._run.results()
        released = len(rows_of(results)) - sum(done.released for done in self._done)
        self._done.append(Done(step, rows, len(puncts), released, kept(self._query), without))
        self._run.record(self._done)
        new = rows_of([file for file in results if file not in self._seen])
        self._seen.update(results)
        self._echo(_line(self._done[-1], [self._run.example.text.format(**row) for row in new]))


def kept(query: Query) -> int | None:
    """How many rows all operators keep after the last batch; nothing when there was none."""
    for batch in reversed(query.metrics()):
        counts = batch["operators"].values()
        if any(count["rows_in"] or count["puncts_in"] for count in counts):
            return sum(int(count["rows_kept"]) for count in counts)
    return None


def _line(done: Done, released: list[str]) -> str:
    kept = "?" if done.kept is None else f"{done.kept:,}"
    line = f"{done.step:6}{done.rows:6,}{done.punctuations:14,}{done.released:10,}{kept:>6}{done.without:22,}"
    return f"{line}  {shown(released)}".rstrip()


def shown(released: list[str]) -> str:
    """The first rows that were released, and how many there are more."""
    more = [f"{len(released) - _SHOWN:,} more"] if len(released) > _SHOWN else []
    return ", ".join(released[:_SHOWN] + more)
