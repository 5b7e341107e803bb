"""High availability, live: three replicas of a query, two are killed and one returns, and their merge goes on.

In: a session and a directory. Out: a line for each step, with the minutes that each replica has brought and those that
the merge has given by then, and a plot of both. The replica that returns has lost its state, and begins from the first
report again.
"""

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from itertools import pairwise
from pathlib import Path
from random import Random
from threading import Event
from typing import TYPE_CHECKING

from punctum.demo.directory import make
from punctum.errors import PunctumError
from punctum.query import Query
from punctum.session import Session

if TYPE_CHECKING:
    from punctum.page.serve import LivePage

NAME = "replicas"
MINUTES, SENSORS = 20, 5
REPLICAS = ("a", "b", "c")
_HEAD = "  step  reports     a     b     c  merged"
Counts = dict[str, int | None]
"""How many minutes there are by then; nothing for a replica that is dead."""


@dataclass(frozen=True)
class Story:
    """How many steps there are, in which of them replicas are killed, and in which one returns."""

    steps: int
    killed: Mapping[int, str]
    returns: Mapping[int, str]


STORY = Story(8, {2: "b", 4: "a", 6: "c"}, {5: "b"})


@dataclass(frozen=True)
class ReplicaStep:
    """A step that is done."""

    step: int
    reports: int
    minutes: Counts
    brought: dict[str, int]
    """How many elements each replica has written so far, those that it has repeated too, and the merge."""


def play(
    directory: Path,
    session: Session,
    interrupted: Event,
    echo: Callable[[str], None],
    story: Story = STORY,
    show: "LivePage | None" = None,
) -> bool:
    """Run it, and return whether it came to its end; it starts afresh each time."""
    path = directory / NAME
    script = resources.files("punctum.demo").joinpath(f"{NAME}.sql").read_text("utf-8")
    _prepare(path, script)
    echo(f"{NAME}: each minute is emitted once, whichever of three replicas are alive")
    echo(f"  the queries of {path / f'{NAME}.sql'} run while reports are written to {path / 'in'}\n\n{_HEAD}")
    queries = session.script(script, path.resolve())
    run = _ReplicaRun(path, {query.name: query for query in queries}, story, show)
    try:
        run.start(*REPLICAS, "merged")
        for step in range(1, story.steps + 1):
            if interrupted.is_set():
                echo(f"  stopped after step {step - 1} of {story.steps}; the same command starts anew")
                return False
            echo(run.step(step))
    finally:
        for query in queries:
            query.stop()
    draw(path / "replicas.png", run.done)
    once = "each exactly once" if run.complete() else "NOT each exactly once"
    shown = path / "replicas.png"
    echo(f"  {run.done[-1].minutes['merged']:,} minutes, {once}, are in {path / 'out'}, the plot is {shown}")
    return True


def _prepare(path: Path, script: str) -> None:
    if path.exists() and any(path.iterdir()):
        if not (path / f"{NAME}.sql").exists():
            hint = "remove it, or choose another directory with --directory"
            raise PunctumError(f"the directory {path} does not hold a run of this demo", "", hint)
        shutil.rmtree(path)
    for name in ("in", "control", *(f"{NAME}/{replica}" for replica in REPLICAS)):
        make(path / name)
    (path / f"{NAME}.sql").write_text(script)


class _ReplicaRun:
    """The queries of a run, and the steps that are done."""

    def __init__(self, path: Path, queries: dict[str, Query], story: Story, show: "LivePage | None") -> None:
        self._path, self._queries, self._story, self.done = path, queries, story, list[ReplicaStep]()
        self._show = show
        self._alive: set[str] = set()

    def start(self, *names: str, again: bool = False) -> None:
        """Let queries run, also again: without their state, beside the results that they have given before."""
        for name in names:
            self._queries[name].start((self._path / "state" / name).resolve(), add_to_sink=again)
            self._alive.add(name)
            if self._show is not None:
                self._queries[name].show_on(self._show)

    def step(self, step: int) -> str:
        """Write the reports of a step, let who lives take them, and give its line."""
        events = []
        if name := self._story.returns.get(step):
            shutil.rmtree(self._path / "state" / name)
            self._queries["merged"].attach(f"replica_{name}")
            self.start(name, again=True)
            events.append(f"{name} restarts without its state")
        reports = self._report(step)
        for name in sorted(self._alive - {"merged"}):
            self._queries[name].catch_up()
        self._queries["merged"].catch_up()
        if name := self._story.killed.get(step):
            self._queries[name].stop()
            self._alive.remove(name)
            self._queries["merged"].detach(f"replica_{name}")
            events.append(f"{name} is killed")
        minutes: Counts = {name: self._minutes(name) if name in self._alive else None for name in REPLICAS}
        brought = {name: len(self._events(self._path / NAME / name)) for name in REPLICAS}
        minutes["merged"] = brought["merged"] = len(self._events(self._path / "out"))
        self.done.append(ReplicaStep(step, reports, minutes, brought))
        return line(self.done[-1], events)

    def _report(self, step: int) -> int:
        """A file of reports: so many minutes, and that they are over."""
        chance, first = Random(step), (step - 1) * MINUTES
        rows: list[dict[str, object]] = [
            {"sensor": sensor, "minute": minute, "temperature": round(20 + 5 * chance.random(), 3)}
            for minute in range(first, first + MINUTES)
            for sensor in range(SENSORS)
        ]
        chance.shuffle(rows)
        end = {} if step == self._story.steps else {"minute": {"lt": first + MINUTES}}
        part = self._path / f".{step}"
        part.write_text("".join(json.dumps(row) + "\n" for row in [*rows, {"$punct": end}]))
        part.replace(self._path / "in" / f"{step:02}.json")
        return len(rows)

    def _minutes(self, name: str) -> int:
        return len(set(self._events(self._path / NAME / name)))

    def _events(self, directory: Path) -> list[int]:
        lines = (json.loads(text) for file in directory.glob("part-*") for text in file.read_text().splitlines())
        return [element["_vs"] for element in lines if "$stable" not in element]

    def complete(self) -> bool:
        """Whether the merge has given each minute once."""
        return sorted(self._events(self._path / "out")) == list(range(self._story.steps * MINUTES))


def line(done: ReplicaStep, events: Sequence[str]) -> str:
    """A step in a line."""
    counts = "".join(f"{'-' if done.minutes[name] is None else done.minutes[name]:>6}" for name in REPLICAS)
    return f"{done.step:6}{done.reports:9,}{counts}{done.minutes['merged']:>8}  {', '.join(events)}".rstrip()


def draw(path: Path, done: Sequence[ReplicaStep]) -> None:
    """Draw what each replica has brought and the merge has given, to a PNG file which is there when it is complete."""
    import matplotlib as mpl  # here because it takes a second, and only the end of a run needs it

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, rows = plt.subplots(len(REPLICAS) + 1, sharex=True, figsize=(8, 5.5), layout="constrained")
    steps = [step.step for step in done]
    for axes, name in zip(rows, (*REPLICAS, "merged"), strict=True):
        sums = [0, *(step.brought[name] for step in done)]
        axes.bar(steps, [late - early for early, late in pairwise(sums)], color="C3" if name == "merged" else "C0")
        axes.set(ylabel=name)
        axes.grid(alpha=0.3)
    rows[0].set(title="Minutes that each replica delivered in a step, and minutes emitted")
    rows[-1].set(xlabel="step")
    part = path.with_name(f".{path.name}")
    figure.savefig(part, dpi=150, format="png")
    plt.close(figure)
    part.replace(path)
