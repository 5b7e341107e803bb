"""What a run has measured, for the cost of plans: the metrics in its checkpoint in, statistics of its streams out.

Rows a second are what came over the time between the first and the last batch. From how many rows operators keep of
those that come follows for how long they keep them (Little's law), which is what punctuations take to come. From how
many results a join of two streams gives follows how many values there are to join by.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from punctum.errors import SchemaError
from punctum.plan.joins.counts import ROWS_FROM
from punctum.plan.joins.statistics import Statistics
from punctum.storage.location import Location

Batch = Mapping[str, Any]


def measured(checkpoint: Location) -> Statistics:
    """The statistics of a query's last runs; the checkpoint is its own, or has it under its name."""
    paths: Iterable[Location] = (checkpoint / "punctum").glob("metrics*.jsonl")
    files = sorted(paths, key=lambda path: path.name)
    if not files:
        detail = f"{checkpoint / 'punctum' / 'metrics.jsonl'} does not exist"
        raise SchemaError(f"{checkpoint} contains no metrics", detail, "name the checkpoint of a query that has run")
    return statistics(_batches(line for file in files for line in file.read_text().splitlines()))


def _batches(lines: Iterable[str]) -> Iterator[Batch]:
    for line in lines:
        with suppress(ValueError):  # a crash has cut it off
            yield json.loads(line)


def statistics(batches: Iterable[Batch]) -> Statistics:
    """What follows from the metrics of batches; nothing from fewer than two.

    >>> counts = {"rows_from item": 10, "rows_from bid": 90, "rows_in": 100, "rows_kept": 400, "rows_out": 90}
    >>> run = statistics({"time": float(t), "operators": {"s1o0": counts}} for t in (0, 5, 10))
    >>> run.rates, run.delays, list(run.results.values())
    ({'bid': 18.0, 'item': 2.0}, {'bid': 20.0, 'item': 20.0}, [18.0])
    """
    known = list(batches)
    seconds = known[-1]["time"] - known[0]["time"] if known else 0.0
    rates, delays, results = dict[str, float](), dict[str, float](), dict[frozenset[str], float]()
    if seconds <= 0:
        return Statistics()
    for name in dict.fromkeys(name for batch in known for name in batch["operators"]):
        counted = [batch["operators"].get(name, {}) for batch in known[1:]]
        streams = {key.removeprefix(ROWS_FROM) for counts in counted for key in counts if key.startswith(ROWS_FROM)}
        mine = {stream: _sum(counted, ROWS_FROM + stream) / seconds for stream in sorted(streams)}
        rows = _sum(counted, "rows_in") / seconds
        if not rows or not mine:
            continue
        wait = _sum(counted, "rows_kept") / len(counted) / rows
        for stream, rate in mine.items():
            rates[stream] = max(rates.get(stream, 0.0), rate)
            delays[stream] = max(delays.get(stream, 0.0), wait)
        if len(mine) == 2 and all(mine.values()):
            results[frozenset(mine)] = _sum(counted, "rows_out") / seconds
    return Statistics({s: rate for s, rate in rates.items() if rate}, {s: d for s, d in delays.items() if d}, results)


def _sum(counted: Iterable[Mapping[str, Any]], key: str) -> float:
    return float(sum(counts.get(key, 0) for counts in counted))
