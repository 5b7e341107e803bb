"""Which of the benchmark's bars are missed, and why: measured runs and profiles in, a section of the page out.

Queries with state are to be ten times as fast as Spark where it runs the whole query, and twice as fast as the faster
one of Flink's backends; queries without state at least as fast as Spark, whose results go nowhere.
"""

import statistics
from collections.abc import Iterator, Mapping
from typing import Any

from nexmark_sql import SPARK  # type: ignore[import-not-found]  # beside this file

STATELESS = ("q0", "q1", "q2", "q10", "q13", "q14", "q21", "q22")
OVER_SPARK, OVER_FLINK = 10, 2
_OURS, _SPARK = "Punctum", "Spark, RocksDB"
_HEAD = """
## Where a bar is missed

Queries with state are to be ten times as fast as Spark where it runs the whole query, and twice as fast as the faster
of Flink's backends; queries without state as fast as Spark, whose results go nowhere. What falls short, in times as
fast; seconds of a batch, and processor seconds that its rows take without Spark, in all tasks together; and in which
modules these go, by a profile of a batch (`bench/nexmark_alone.py`). What a batch takes beyond half of its rows' time,
for there are two tasks, is Spark's: it plans, starts tasks, collects what they say and writes its logs.

| query | is to reach | reaches | a batch | its rows | where they go |
|---|---|---|---:|---:|---|
"""
_TRIED = """
What was tried, and what it gave:

| queries | tried | what it gave |
|---|---|---|
| all, most in small batches | punctuations of a file are looked at one by one when few differ from the rest, and \
columns taken one by one where Polars would plan a frame | reading a file of 2,000 events 3.0 ms for 4.4, beside other \
work |
| q0, q1, q10, q13, q14, q21 | Zstandard at level 1 for results in Parquet | 0.39 s to write a million events of q0 \
for 0.55, files a fifth larger; Snappy has 0.37, and files twice as large |
| q0, q1, q10 | no exchange: rows are held against punctuations where they are read \
([note](design/2026-11-18-where-read.md)) | they do not cross to the JVM and back |
| q3, q8, q17 to q20 | punctuations read and held against rows all at once, rows sorted as numbers \
([note](design/2026-11-19-nexmark-rows.md)) | a third to a half of what rows took |
| q4, q5, q7 | one exchange in place of two or four, groups that stand twice computed once \
([note](design/2026-11-18-share.md)) | two stages for four in q5, one for two in q7 |
| q5, q11, q12, q17 | rows that become one before the exchange ([note](design/2026-11-18-fold.md)) | q5's first stage \
takes a quarter of what it took |
| all with an exchange | stages in the tasks that read ([note](design/2026-11-19-local-exchange.md)) | 0.05 to 0.1 s \
less a batch |
"""


def missed(runs: Mapping[str, Mapping[str, Any]], alone: Mapping[str, Any]) -> Iterator[str]:
    """The section, part by part; nothing where no bar is missed."""
    lines = [line for query, by in runs.items() if (line := _line(query, by, alone))]
    if lines:
        yield _HEAD
        yield from lines
        yield _TRIED


def _line(query: str, by: Mapping[str, Any], alone: Mapping[str, Any]) -> str:
    """The line of a query, if it misses a bar."""
    short = [(f"{peer} × {bar}", f"{reached:.1f}") for peer, bar, reached in bars(query, by) if reached < bar]
    if not short:
        return ""
    batches = [seconds for run in by[_OURS] for seconds in run["batches"]]
    parts = alone["alone"].get(query, {})
    rows = f"{sum(parts.values()) * alone['batch'] / 1e6:.2f}" if parts else "–"
    modules = ", ".join(f"{module} {share:.0%}" for module, share in alone["modules"].get(query, {}).items())
    wanted, reached = (", ".join(texts) for texts in zip(*short, strict=True))
    return f"| {query} | {wanted} | {reached} | {statistics.median(batches):.2f} | {rows} | {modules} |\n"


def bars(query: str, by: Mapping[str, Any]) -> Iterator[tuple[str, int, float]]:
    """Whom a query is to be how many times as fast as, and how many times as fast it is."""
    rates = {engine: statistics.median(run["rate"] for run in some) for engine, some in by.items() if some}
    if _SPARK in rates and not (query in SPARK and SPARK[query].part):
        yield "Spark", 1 if query in STATELESS else OVER_SPARK, rates[_OURS] / rates[_SPARK]
    flink = [rate for engine, rate in rates.items() if engine.startswith("Flink")]
    if flink and query not in STATELESS:
        yield "Flink", OVER_FLINK, rates[_OURS] / max(flink)
