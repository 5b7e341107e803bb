"""The page of NEXMark's benchmark: what ``bench/nexmark.py`` has measured in, ``docs/benchmarks.md`` and its plot out.

python bench/nexmark_page.py docs/benchmarks.json [docs/benchmarks-small.json] [docs/benchmarks-alone.json]
"""

import json
import statistics
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from nexmark_missed import missed  # type: ignore[import-not-found]  # beside this file
from nexmark_sql import REFUSED, SPARK  # type: ignore[import-not-found]

OURS = "Punctum"
DOCS = Path(__file__).parent.parent / "docs"
Runs = dict[str, list[dict[str, Any]]]
"""Of one query, by engine."""
HEAD = """# Benchmarks

{loses}

The benchmark is [NEXMark](nexmark.md): {events:,} events, {cores} cores, {batch:,} events in a batch of Punctum's and
Spark's. Measured {when}{note}. `make bench-page` measures as
much of it as there is time for, `make bench-full` all of it, and `make bench` a few queries in less than ten minutes.
All numbers are in [benchmarks.json](benchmarks.json).

![events a second, by query and engine](benchmarks.svg)

## Events a second

The median of a few runs, and the least and the most of them. The engines take turns, query by query, round after round.
In brackets: how many times as fast Punctum is.

"""
MORE = """
## State, latency and CPU

| column | meaning |
|---|---|
| rows, MB | the most state while the query runs: what Punctum counts of its rows, what Spark says of its store's \
memory, Flink's largest checkpoint |
| first | seconds from the start of a query until its first batch is done; of Flink until its sink has its first row |
| p50, p99 | seconds a batch takes; of so few batches the 99th percentile is the slowest. Of Flink what a mark takes \
from a source to the last operator, which windows and mini-batches do not hold |
| CPU | CPU seconds of the engine's processes for a million events, with the start of the query, not of the engine |

"""
SETTINGS = """
## What runs

| engine | version | settings |
|---|---|---|
| Punctum | this one, PySpark {pyspark}, Polars {polars} | as it is |
| Spark | {pyspark} | RocksDB with changelog checkpoints, join state format 4, watermarks without delay since streams \
are in order, as many shuffle partitions as cores |
| Flink | {apache-flink}, PyFlink, one process | parallelism 2, mini-batches of 2 s and 50,000 rows, aggregation in \
two phases, split DISTINCT, object reuse, 2 GB of managed memory, incremental checkpoints every 2 s; state on the heap \
or in RocksDB |

- Punctum and Spark read the same Parquet files. **Flink reads the same rows as CSV**, since its package for Python has
  no reader of Parquet: q0 shows what that takes. Each of its tables is two files, read in order by two tasks. For some
  queries a column says what Punctum does when it reads CSV too.
- Punctum writes its results as Parquet or JSON and commits them; those of Spark and Flink go nowhere. *Spark, files* is
  Spark when it writes the same results to the same format, for the queries without state.
- Of Punctum and Spark the later half of the batches counts. Of Flink counts what all events take less what their first
  tenth takes, after that tenth has been run once. Before all that, each engine runs q2 once.
- Punctum's and Flink's queries are whole. Spark runs what it can; where that is a part, the page says so. Flink gives
  q4, q9 and q15 to q19 as changes that are taken back later, and Spark q12 and q15 to q19 as updates; Punctum gives
  final rows.
- q6 cannot run in Flink (FLINK-19059). q12 goes by the clock, so it does other work the faster it is.
- For queries without state Flink has one column, since its backends do the same there.

## Where Punctum's time goes

- A batch costs Spark and the Python workers a tenth of a second or more before its first row, and each exchange between
  stages some more: q4, q5 and q6 have two stages. Larger batches pay this once for more rows.
- Queries without state: rows are held against the punctuations before them, which stand in the files, and results are
  written, which is a quarter to a third of it. Spark does neither: its rows go nowhere. The column
  *Spark, files* writes them too.
- q18 and q19 give a third and more of their rows as JSON, and a bid crosses the exchange before it is known to be the
  last.
"""
ALONE = """
## Without Spark

What the tasks do for rows, one after the other in one process (`bench/nexmark_alone.py`): processor seconds for a
million events, to read files, send rows through pipes and pack them, and of each stage, which unpacks them, keeps state
and writes results. Queries without state do all of it where they read. The last column is that of whole runs above,
with Spark, its start and its batches. What was tried and what it gave: [what a row
costs](design/2026-11-19-nexmark-rows.md), [where the time went](design/2026-11-18-nexmark-speed.md), [the local
exchange](design/2026-11-19-local-exchange.md).

| query | all | read | stages | a run on Spark |
|---|---:|---:|---:|---:|
"""
REFUSALS = """
What Spark refuses of these queries, in its words:

"""
LONG = """
## For long

`bench/nexmark_long.py` feeds a query as many events as are asked for, or so many minutes at a steady rate, and takes
away files that have been read. Memory is that of all processes, where what they share is counted once.
"""
SMALL = """
## Small batches

A batch has costs that do not depend on its rows; Punctum's are higher than Spark's, for its rows go through Python. The
same with {events:,} events, {batch:,} in a batch:

"""


def main() -> None:
    """Write the page and the plot."""
    data, *more = (json.loads(path.read_text()) for path in map(Path, sys.argv[1:]) if path.exists())
    small = [each for each in more if "runs" in each]
    alone = [each for each in more if "alone" in each]
    parts = list(page(data, small))
    parts += [part for each in alone for part in (*missed(_measured(data), each), *without_spark(each, data))]
    parts += [part for each in small for part in small_batches(each)]
    parts += list(long_runs())
    (DOCS / "benchmarks.md").write_text("".join(parts))
    plot(data["runs"], DOCS / "benchmarks.svg")


def _measured(data: dict[str, Any]) -> dict[str, Runs]:
    """The queries that have been run."""
    return {query: by for query, by in data["runs"].items() if by.get(OURS)}


def page(data: dict[str, Any], small: Sequence[dict[str, Any]] = ()) -> Iterator[str]:
    """The page, part by part."""
    runs = _measured(data)
    engines = [engine for engine in next(iter(runs.values())) if any(by[engine] for by in runs.values())]
    few = {f"{q} in small batches": by for each in small for q, by in each["runs"].items() if by.get(OURS)}
    yield HEAD.format(loses="\n".join(losses(runs | few)), **data)
    yield "| query | " + " | ".join(engines) + " |\n|---|" + "---:|" * len(engines) + "\n"
    for query, by in runs.items():
        yield f"| {query} | " + " | ".join(rate(by, engine) for engine in engines) + " |\n"
    yield (
        "\n" + "\n".join(f"- Spark's {q} is a part: {d.part}." for q, d in SPARK.items() if d.part and q in runs) + "\n"
    )
    yield REFUSALS + "\n".join(f"- {query}: {text}." for query, text in REFUSED.items() if query in runs) + "\n"
    yield MORE + "| query | engine | runs | rows | MB | first | p50 | p99 | CPU |\n|---|---|" + "---:|" * 7 + "\n"
    for query, by in runs.items():
        yield from (detail(query, engine, by[engine], data["events"]) for engine in engines if by[engine])
    yield SETTINGS.format(**data["versions"])


def without_spark(data: dict[str, Any], whole: dict[str, Any]) -> Iterator[str]:
    """What rows cost, part by part, beside what a run costs."""
    yield ALONE
    for query, parts in data["alone"].items():
        runs = whole["runs"].get(query, {}).get(OURS)
        used = f"{median(runs, 'cpu') / whole['events'] * 1e6:.1f}" if runs else "–"
        stages = " + ".join(f"{seconds:.2f}" for what, seconds in parts.items() if what != "read")
        read = f"{parts['read']:.2f}" if "read" in parts else "–"
        yield f"| {query} | {sum(parts.values()):.2f} | {read} | {stages} | {used} |\n"


def small_batches(data: dict[str, Any]) -> Iterator[str]:
    """Events a second when batches are small, and what they cost."""
    runs = _measured(data)
    engines = [engine for engine in next(iter(runs.values())) if any(by[engine] for by in runs.values())]
    yield SMALL.format(**data)
    yield from table(runs, engines)


def long_runs() -> Iterator[str]:
    """Runs of many events and of many minutes, as far as they are there: what they begin and end with, and a plot."""
    known = [(path, json.loads(path.read_text())) for path in sorted(DOCS.glob("nexmark-long-*.json"))]
    if known:
        yield LONG
    for path, run in known:
        some = run["steps"]
        early, late = some[len(some) // 4], some[-1]
        at = f"{late['at'] / 60:.0f} minutes at {run['rate']:,} events a second" if run["rate"] else "as fast as it can"
        yield f"\n**{run['query']}, {late['events']:,} events**, {at}, {run['note'].strip(', ') or 'alone'}.\n\n"
        yield "| | events | CPU seconds a million | rows kept | state, MB | memory, MB |\n|---|" + "---:|" * 5 + "\n"
        for name, s in (("a quarter", early), ("the end", late)):
            yield f"| {name} | {s['events']:,} | {s['cpu']:.2f} | {s['kept']:,} | "
            yield f"{s['state']:.1f} | {s['memory']:,.0f} |\n"
        if path.with_suffix(".svg").exists():
            yield f"\n![events a second, memory and rows kept]({path.stem}.svg)\n"


def table(runs: dict[str, Runs], engines: Sequence[str]) -> Iterator[str]:
    """Events a second, a line for each query and a column for each engine."""
    yield "| query | " + " | ".join(engines) + " |\n|---|" + "---:|" * len(engines) + "\n"
    for query, by in runs.items():
        yield f"| {query} | " + " | ".join(rate(by, engine) for engine in engines) + " |\n"


def losses(runs: dict[str, Runs]) -> Iterator[str]:
    """Where a peer is faster, first."""
    slower = [f"- {query}: {text}" for query, by in runs.items() if (text := _faster(query, by))]
    yield "**Where another engine is faster**, in events a second:\n" if slower else "No other engine is faster here."
    yield from slower


def _faster(query: str, by: Runs) -> str:
    """Who is faster in a query, if anybody is."""
    ours = median(by[OURS], "rate")
    rates = {engine: median(some, "rate") for engine, some in by.items() if some and not engine.startswith(OURS)}
    parts = {engine: " for a part" if _is_part(query, engine) else "" for engine in rates}
    ahead = [f"{engine} {_k(rate)}{parts[engine]}" for engine, rate in rates.items() if rate > ours]
    return f"Punctum {_k(ours)}; {'; '.join(ahead)}" if ahead else ""


def _is_part(query: str, engine: str) -> bool:
    """Whether Spark runs a part of a query only."""
    return engine.startswith("Spark") and query in SPARK and bool(SPARK[query].part)


def median(runs: Sequence[dict[str, Any]], what: str) -> float:
    """The median of something over runs that know it."""
    return float(statistics.median(run[what] for run in runs if run[what] is not None))


def rate(by: Runs, engine: str) -> str:
    """Events a second of an engine, with their spread and how much faster we are."""
    if not by[engine]:
        return "–"
    rates = sorted(run["rate"] for run in by[engine])
    text = f"{_k(statistics.median(rates))}" + (f" ({_k(rates[0])}–{_k(rates[-1])})" if len(rates) > 1 else "")
    ratio = median(by[OURS], "rate") / statistics.median(rates)
    return f"**{text}**" if engine == OURS else f"{text} [{ratio:.1f}]"


def _k(number: float) -> str:
    return f"{number / 1000:,.0f}k"


def detail(query: str, engine: str, runs: Sequence[dict[str, Any]], events: int) -> str:
    """A line of the second table."""

    def of(what: str, scale: float, form: str) -> str:
        return format(median(runs, what) / scale, form) if any(run[what] is not None for run in runs) else "–"

    batches = sorted(seconds for run in runs for seconds in run["batches"])
    p50 = f"{statistics.median(batches):.2f}" if batches else "–"
    p99 = f"{batches[min(len(batches) - 1, len(batches) * 99 // 100)]:.2f}" if batches else "–"
    if marks := [run["latency"] for run in runs if run.get("latency")]:
        p50, p99 = (f"{statistics.median(known):.2f}" for known in zip(*marks, strict=True))
    cells = [of("rows", 1, ",.0f"), of("bytes", 1e6, ",.1f"), of("first", 1, ".1f"), p50, p99]
    return f"| {query} | {engine} | {len(runs)} | " + " | ".join([*cells, of("cpu", events / 1e6, ".1f")]) + " |\n"


def plot(runs: dict[str, Runs], path: Path) -> None:
    """Events a second: a group of bars for each query, a bar for each engine."""
    import matplotlib as mpl  # here because it takes a second

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "punctum"  # the same numbers, the same file
    from matplotlib import pyplot as plt

    queries = [query for query, by in runs.items() if by.get(OURS)]
    engines = [engine for engine in runs[queries[0]] if any(runs[query][engine] for query in queries)]
    figure, axes = plt.subplots(figsize=(11, 4))
    width = 0.8 / len(engines)
    for n, engine in enumerate(engines):
        there = [(i, median(runs[q][engine], "rate")) for i, q in enumerate(queries) if runs[q][engine]]
        axes.bar(
            [i + (n - len(engines) / 2 + 0.5) * width for i, _ in there], [r for _, r in there], width, label=engine
        )
    axes.set_yscale("log")
    axes.set_xticks(range(len(queries)), queries)
    axes.set_ylabel("events a second")
    axes.legend(ncols=len(engines), fontsize=8)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


if __name__ == "__main__":
    main()
