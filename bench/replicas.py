"""The experiments of the paper on Logical Merge again, as tables and plots: figures 2 to 9, and its policies.

Streams are made as in section VI-B, by ``replica_streams.py``: events of a whole number and a random text, gaps and
lifetimes at random, disorder by elements that come late, a share of stables. They go through the operators slice by
slice, without Spark (``bench/lmerge.py`` has Spark). Throughput is elements of all inputs in a second, memory what the
operators keep. In figures 8 and 9 time is the elements' own, at 5,000 a second, so their shapes do not hang on the
machine. Figure 10 is ``bench/plan_switching.py``.

    python bench/replicas.py [directory for the plots] [thousands of events] [figures, such as 5]
"""

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
import polars as pl
from replica_streams import (  # type: ignore[import-not-found]  # beside this file
    GAP,
    SCHEMA,
    SLICE,
    Feed,
    Presentation,
    events,
    present,
    revised,
    together,
)

from punctum.lmerge.cleanse import Cleanse
from punctum.lmerge.merge import LMerge
from punctum.lmerge.policies import OutputPolicy
from punctum.lmerge.properties import Case
from punctum.operators.columns import ColumnarSlice, empty

mpl.use("Agg")
import matplotlib.pyplot as plt

RATE = 5_000
Curve = list[tuple[float, float]]


def cleansed(
    inputs: Sequence[Presentation],
) -> tuple[Callable[[list[ColumnarSlice]], ColumnarSlice], Callable[[], int]]:
    """A cleanse for each input, and a merge of what is in order then; and what all of them keep."""
    cleanses, merge = [Cleanse(SCHEMA) for _ in inputs], LMerge([SCHEMA] * len(inputs), Case.R1)
    return (
        lambda pieces: merge.feed(*(c.feed(piece) for c, piece in zip(cleanses, pieces, strict=True))),
        lambda: merge.size().bytes + sum(c.size().bytes for c in cleanses),
    )


def merged(
    inputs: Sequence[Presentation], case: Case
) -> tuple[Callable[[list[ColumnarSlice]], ColumnarSlice], Callable[[], int]]:
    """A merge of the inputs, and what it keeps."""
    merge = LMerge([SCHEMA] * len(inputs), case)
    return lambda pieces: merge.feed(*pieces), lambda: merge.size().bytes


def measured(
    run: tuple[Callable[[list[ColumnarSlice]], ColumnarSlice], Callable[[], int]], feed: Feed
) -> tuple[float, float, int]:
    """Elements of the inputs in a second, the most that was kept in MB, and how many adjusts came out."""
    step, kept = run
    spent, count, most, adjusts = 0.0, 0, 0, 0
    for pieces in feed:
        begun = time.perf_counter()
        out = step(pieces)
        spent += time.perf_counter() - begun
        count += sum(piece.rows.height for piece in pieces)
        most = max(most, kept())
        adjusts += int(out.rows["_adjust"].sum())
    return count / spent, most / 1e6, adjusts


NAMES = {Case.R0: "R0", Case.R1: "R1", Case.R2: "R2", Case.R3: "R3+", Case.R3_MINUS: "R3-", Case.R4: "R4"}


def table(title: str, across: str, curves: dict[str, Curve], form: str = ",.0f") -> None:
    """Print curves that have the same places."""
    print(f"\n{title}")
    places = [x for x, _ in next(iter(curves.values()))]
    print(f"{across:>24}" + "".join(f"{x:>13g}" for x in places))
    for name, curve in curves.items():
        print(f"{name:>24}" + "".join(f"{y:>13{form}}" for _, y in curve), flush=True)


def drawn(to: Path, name: str, across: str, up: str, curves: dict[str, Curve], log: bool = False) -> None:
    """Draw curves into a file."""
    figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
    for label, curve in curves.items():
        axes.plot(*zip(*curve, strict=True), marker="" if len(curve) > 20 else "o", label=label)
    axes.set(xlabel=across, ylabel=up, yscale="log" if log else "linear")
    if not log:
        axes.set_ylim(bottom=0)
    axes.legend()
    figure.savefig(to / f"{name}.png", dpi=150)
    plt.close(figure)


def figures_2_and_3(to: Path, count: int) -> None:
    """Memory and throughput against the number of inputs, of ordered streams without adjusts."""
    known = events(count).unique("_vs", keep="first", maintain_order=True)
    speed: dict[str, Curve] = {name: [] for name in NAMES.values()}
    memory: dict[str, Curve] = {name: [] for name in NAMES.values()}
    for inputs in (2, 4, 6, 8, 10):
        streams = [present(known, seed) for seed in range(inputs)]
        for case, name in NAMES.items():
            rate, kept, _ = measured(merged(streams, case), together(streams))
            speed[name].append((inputs, rate))
            memory[name].append((inputs, kept))
    table("Figure 2: MB kept", "inputs", memory, ",.2f")
    table("Figure 3: elements a second", "inputs", speed)
    drawn(to, "lmerge-figure2", "inputs", "MB", memory)
    drawn(to, "lmerge-figure3", "inputs", "elements a second", speed, log=True)


def counted(events: pl.DataFrame, seed: int, disorder: float) -> Presentation:
    """A count for each 200 time units over a disordered stream: shown when a later row comes, revised by late rows."""
    came = present(events, seed, disorder, 0.0).rows
    counts: dict[int, int] = {}
    shown: set[int] = set()
    front, found, limits = -1, list[tuple[int, int, int | None]](), list[int]()
    windows = came["_vs"].to_numpy() // 200
    lowest = np.minimum.accumulate(windows[::-1])[::-1]
    for at, window in enumerate(windows.tolist()):
        old = counts.get(window, 0)
        counts[window] = old + 1
        if window in shown:
            found += [(window, old, window), (window, old + 1, None)]
        elif window > front:
            ready = [each for each in counts if front <= each < window and each not in shown]
            found += [(each, counts[each], None) for each in sorted(ready)]
            shown |= set(ready)
            front = window
        limits += [int(lowest[at]) * 200] * (len(found) - len(limits))
    rows = pl.DataFrame(
        {
            "n": [n for _, n, _ in found],
            "text": ["x" * 100] * len(found),
            "_vs": [w * 200 for w, _, _ in found],
            "_ve": [w * 200 if removed is not None else (w + 5) * 200 for w, _, removed in found],
            "_vold": [None if removed is None else (w + 5) * 200 for w, _, removed in found],
            "_adjust": [removed is not None for _, _, removed in found],
            "_from": [w * 200 for w, _, _ in found],
        },
        schema=dict(empty(SCHEMA).schema),
    )
    later = np.minimum.accumulate(rows["_from"].to_numpy()[::-1])[::-1]
    places = np.flatnonzero(np.random.default_rng(seed).random(rows.height) < 0.01)
    return Presentation(rows, places, later[places])


def figure_4(to: Path, count: int) -> None:
    """Adjusts that come out against disorder, of counts over disordered streams."""
    known = events(count)
    curves: dict[str, Curve] = {"one input, no merge": [], "merge of three": []}
    for percent in (0, 10, 20, 30, 40, 50):
        streams = [counted(known, seed, percent / 100) for seed in range(3)]
        _, _, adjusts = measured(merged(streams, Case.R3), together(streams, 1_000))
        curves["one input, no merge"].append((percent, int(streams[0].rows["_adjust"].sum())))
        curves["merge of three"].append((percent, adjusts))
    table("Figure 4: adjusts that come out", "% disorder", curves)
    drawn(to, "lmerge-figure4", "% disorder", "adjusts", curves)


def figure_5(to: Path, count: int) -> None:
    """Throughput against how far two of three inputs are behind, in seconds of 5,000 elements."""
    known = events(count, lifetime=2 * GAP)  # gaps up to 20 seconds, and lifetimes of 40
    curves: dict[str, Curve] = {"one of three lags": [], "two of three lag": []}
    streams = [present(known, seed, 0.2, 0.001) for seed in range(3)]
    for lag in (0, 1, 2, 3, 4, 5):
        for lagging, curve in enumerate(curves.values(), 1):
            ends = range(SLICE, count + 6 * RATE + SLICE, SLICE)
            behind = [0] * (3 - lagging) + [lag * RATE] * lagging
            places = [[min(max(end - late, 0), count) for end in ends] for late in behind]
            feeds = [stream.slices(at) for stream, at in zip(streams, places, strict=True)]
            feed = (list(pieces) for pieces in zip(*feeds, strict=True))
            curve.append((lag, measured(merged(streams, Case.R3), feed)[0]))
    table("Figure 5: elements a second", "seconds of lag", curves)
    drawn(to, "lmerge-figure5", "seconds of lag", "elements a second", curves)


def figure_6(to: Path, count: int) -> None:
    """Memory and throughput against how often a stable comes."""
    known = events(count).unique("_vs", keep="first", maintain_order=True)
    speed: dict[str, Curve] = {name: [] for name in NAMES.values()}
    memory: dict[str, Curve] = {name: [] for name in NAMES.values()}
    for percent in (0.001, 0.01, 0.1, 1.0):
        streams = [present(known, seed, 0.0, percent / 100) for seed in range(3)]
        for case, name in NAMES.items():
            rate, kept, _ = measured(merged(streams, case), together(streams, 2_000))
            speed[name].append((percent, rate))
            memory[name].append((percent, kept))
    table("Figure 6, left: MB kept", "% stables", memory, ",.2f")
    table("Figure 6, right: elements a second", "% stables", speed)
    drawn(to, "lmerge-figure6-left", "% stables", "MB", memory)
    drawn(to, "lmerge-figure6-right", "% stables", "elements a second", speed, log=True)


def figure_7(to: Path, count: int) -> None:
    """Enforcing order against merging directly, with half of the elements late and a third of them adjusts."""
    known = events(count)
    ways = {"C+LM R1": None, "LM R3+": Case.R3, "LM R3-": Case.R3_MINUS}
    speed: dict[str, Curve] = {name: [] for name in ways}
    memory: dict[str, Curve] = {name: [] for name in ways}
    for inputs in (2, 4, 6, 8, 10):
        streams = [revised(known, seed, 0.5, 0.001) for seed in range(inputs)]
        for name, case in ways.items():
            run = cleansed(streams) if case is None else merged(streams, case)
            rate, kept, _ = measured(run, together(streams))
            speed[name].append((inputs, rate))
            memory[name].append((inputs, kept))
    table("Figure 7, left: MB kept", "inputs", memory, ",.2f")
    table("Figure 7, right: elements a second", "inputs", speed)
    drawn(to, "lmerge-figure7-left", "inputs", "MB", memory)
    drawn(to, "lmerge-figure7-right", "inputs", "elements a second", speed)


def paced(streams: Sequence[Presentation], delays: Sequence[npt.NDArray[np.float64]], step: float = 0.1) -> list[Curve]:
    """Elements a second, of each input and of the output, when each element takes a delay more than its share."""
    count = streams[0].rows.height
    arrived = [np.maximum.accumulate(np.arange(p.rows.height) / RATE + d) for p, d in zip(streams, delays, strict=True)]
    moments = np.arange(step, max(a[-1] for a in arrived) + step, step)
    feeds = [
        p.slices(np.searchsorted(a, moments, side="right").tolist()) for p, a in zip(streams, arrived, strict=True)
    ]
    merge = LMerge([SCHEMA] * len(streams), Case.R3)
    rates: list[Curve] = [[] for _ in range(len(streams) + 1)]
    for moment, pieces in zip(moments.tolist(), zip(*feeds, strict=True), strict=True):
        out = merge.feed(*pieces)
        if moment > count / RATE:
            break
        for curve, rows in zip(rates, [*(piece.rows for piece in pieces), out.rows], strict=True):
            curve.append((moment, rows.height / step))
    return rates


def queued(waits: npt.NDArray[np.float64], begin: float = 0.0, end: float = float("inf")) -> npt.NDArray[np.float64]:
    """How late each element is, when work waits at some of them and elements come all the time: a queue that drains.

    Work waits between two moments alone.
    """
    service = 0.25 / RATE  # what has waited is done four times as fast as it comes
    late, found = 0.0, np.empty(len(waits))
    for n, wait in enumerate(waits):
        late = max(0.0, late - 1 / RATE + service)
        late += wait if begin <= n / RATE + late < end else 0.0
        found[n] = late
    return found


def steadiness(curve: Curve) -> float:
    """The standard deviation of a rate by its mean."""
    values = np.array([y for _, y in curve])
    return float(values.std() / values.mean())


def figure_8(to: Path, count: int) -> None:
    """Four inputs that stop and catch up at random, and what comes out."""
    known = events(count)
    streams = [present(known, seed, 0.2) for seed in range(4)]
    draw = np.random.default_rng(8)
    delays = []
    for chance in (0.003, 0.0035, 0.004, 0.005):
        stops = draw.random(count) < chance
        delays.append(queued(np.where(stops, np.maximum(0, draw.normal(20, 5, count)) / 1_000, 0.0)))
    rates = paced(streams, delays)
    labels = [*(f"input {n}" for n in range(1, 5)), "merged"]
    print("\nFigure 8: standard deviation of the rate by its mean")
    for label, curve in zip(labels, rates, strict=True):
        print(f"{label:>24}{steadiness(curve):>13.2f}", flush=True)
    drawn(to, "lmerge-figure8", "seconds", "elements a second", {"an input": rates[0], "merged": rates[-1]})


def figure_9(to: Path, count: int) -> None:
    """Three inputs, each congested for a while, two of them at once for some of it, and what comes out."""
    known = events(count)
    streams = [present(known, seed, 0.2) for seed in range(3)]
    whole = count / RATE
    draw = np.random.default_rng(9)
    delays = []
    for begin, end in ((0.15, 0.3), (0.4, 0.6), (0.55, 0.7)):
        delays.append(queued(np.maximum(0, draw.normal(3, 1, count)) / RATE, begin * whole, end * whole))
    rates = paced(streams, delays, 0.25)
    labels = [*(f"input {n}" for n in range(1, 4)), "merged"]
    print("\nFigure 9: the least rate, elements a second, after the first second")
    for label, curve in zip(labels, rates, strict=True):
        print(f"{label:>24}{min(y for x, y in curve if 1 < x < whole - 0.5):>13,.0f}", flush=True)
    drawn(to, "lmerge-figure9", "seconds", "elements a second", dict(zip(labels, rates, strict=True)))


def policies(count: int) -> None:
    """What a policy costs and gives: how late events are shown, and what comes out, of three revised replicas."""
    known = events(count)
    streams = [revised(known, seed, 0.2, 0.01) for seed in range(3)]
    came = pl.concat([s.rows.with_row_index("at").filter(~pl.col("_adjust")) for s in streams])
    first = came.group_by("_vs", "text").agg(pl.col("at").min() // 1_000)
    print("\nPolicies (section V-A): how late an event is shown, in elements of an input, and what comes out")
    print(f"{'insert':>24}{'adjust':>13}{'late':>13}{'inserts':>13}{'adjusts':>13}")
    for insert in ("first", "leading", "latest", "fullest", "share", "half frozen"):
        for adjust in ("stable", "at once", "leading"):
            merge, shown, adjusts = (
                LMerge([SCHEMA] * 3, Case.R3, OutputPolicy.of(insert, adjust)),
                list[pl.DataFrame](),
                0,
            )
            for slice, pieces in enumerate(together(streams, 1_000)):
                out = merge.feed(*pieces).rows
                adjusts += int(out["_adjust"].sum())
                shown.append(out.filter(~pl.col("_adjust")).select("_vs", "text", pl.lit(slice).alias("shown")))
            inserts = pl.concat(shown)
            late = inserts.unique(["_vs", "text"], keep="first").join(first, on=["_vs", "text"])
            mean = 1_000 * float((late["shown"] - late["at"].cast(pl.Int32)).mean() or 0)  # type: ignore[arg-type]
            print(f"{insert:>24}{adjust:>13}{mean:>13,.0f}{inserts.height:>13,}{adjusts:>13,}", flush=True)


def main() -> None:
    """All figures."""
    to = Path(sys.argv[1] if len(sys.argv) > 1 else "figures")
    to.mkdir(parents=True, exist_ok=True)
    count = 1_000 * max(20, int(sys.argv[2])) if len(sys.argv) > 2 else 200_000
    measured(merged(few := [present(events(20_000), seed) for seed in range(2)], Case.R3), together(few))  # warm up
    figures = (figures_2_and_3, figure_4, figure_5, figure_6, figure_7, figure_8, figure_9)
    chosen = sys.argv[3:]
    for figure in figures:
        if not chosen or set(chosen) & set(figure.__name__):
            figure(to, count)
    if not chosen:
        policies(count)
    print(f"\nplots in {to}")


if __name__ == "__main__":
    main()
