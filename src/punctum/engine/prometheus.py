"""Metrics of queries for Prometheus: what batches have counted in, its text format out, over HTTP.

What a batch did is a counter, which begins at 0 when the process starts; how things are after it is a gauge.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from punctum.engine.metrics import AFTER
from punctum.errors import QueryError
from punctum.plan.joins.counts import STABLE_OF

LOOPBACK = "127.0.0.1"
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_PREFIX = "punctum_"
_TIMES = {"oldest": "oldest_timestamp_seconds", "due": "due_timestamp_seconds"}
Labels = tuple[tuple[str, str], ...]
Batch = Mapping[str, Any]


@dataclass
class Totals:
    """What the batches of a query have counted, one after the other.

    >>> totals = Totals()
    >>> for rows in (3, 4):
    ...     totals.add({"batch": rows, "time": 9.5, "seconds": 0.5, "quarantined": 1, "operators": {}})
    >>> totals.batches, totals.seconds, totals.quarantined
    (2, 1.0, 2)
    """

    batches: int = 0
    seconds: float = 0.0
    quarantined: int = 0
    done: dict[tuple[str, str], int] = field(default_factory=dict)
    """By operator and count."""
    skipped: dict[str, int] = field(default_factory=dict)
    """By stream."""
    last: Batch = field(default_factory=dict)

    def add(self, measured: Batch) -> None:
        """One more batch."""
        self.batches += 1
        self.seconds += measured["seconds"]
        self.quarantined += measured["quarantined"]
        for stream, n in measured.get("skipped", {}).items():
            self.skipped = self.skipped | {stream: self.skipped.get(stream, 0) + n}
        for operator, counts in measured["operators"].items():
            for what, n in counts.items():
                if not _is_state(what):
                    self.done[operator, what] = self.done.get((operator, what), 0) + n
        self.last = measured


Sample = tuple[str, str, Labels, float]
"""The name of a metric, its type, its labels and its value."""


def samples(query: str, running: bool, totals: Totals) -> Iterator[Sample]:
    """What there is to say of a query."""
    of: Labels = (("query", query),)
    yield "running", "gauge", of, float(running)
    yield "batches_total", "counter", of, totals.batches
    yield "batch_seconds_total", "counter", of, totals.seconds
    yield "quarantined_total", "counter", of, totals.quarantined
    for stream, n in totals.skipped.items():
        yield "skipped_total", "counter", (*of, ("stream", stream)), n
    if not totals.batches:
        return
    last = totals.last
    yield "batch", "gauge", of, last["batch"]
    yield "batch_seconds", "gauge", of, last["seconds"]
    yield "batch_timestamp_seconds", "gauge", of, last["time"]
    for (operator, what), n in list(totals.done.items()):  # a batch may be counted meanwhile
        name, _, stream = what.partition(" ")
        yield f"{name}_total", "counter", _labels(query, operator, stream), n
    for operator, counts in last["operators"].items():
        for what in filter(_is_state, counts):
            name, _, stream = what.partition(" ")
            value = counts[what][0] if what == "oldest" else counts[what]
            yield _TIMES.get(name, name), "gauge", _labels(query, operator, stream), value


def _is_state(what: str) -> bool:
    """Whether a count says how things are after a batch."""
    return what in AFTER or what.startswith(STABLE_OF)


def _labels(query: str, operator: str, stream: str) -> Labels:
    """The labels of a count; of some there is one for each stream."""
    labels = (("query", query), ("operator", operator))
    return (*labels, ("stream", stream)) if stream else labels


def exposition(given: Iterable[Sample]) -> str:
    r"""Samples in Prometheus' text format.

    >>> print(exposition([("batch", "gauge", (("query", name),), n) for n, name in enumerate(['a "b"', "c"])]), end="")
    # TYPE punctum_batch gauge
    punctum_batch{query="a \"b\""} 0
    punctum_batch{query="c"} 1
    """
    families: dict[tuple[str, str], list[str]] = {}
    for name, kind, labels, value in given:
        shown = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels)
        families.setdefault((name, kind), []).append(f"{_PREFIX}{name}{{{shown}}} {value}\n")
    return "".join(
        f"# TYPE {_PREFIX}{name} {kind}\n" + "".join(lines) for (name, kind), lines in sorted(families.items())
    )


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


def serve(text: Callable[[], str], port: int, host: str = LOOPBACK) -> ThreadingHTTPServer:
    """Answer GET /metrics with a text, in the background; a port of 0 is any that is free."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            known_path = self.path.partition("?")[0] in ("/metrics", "/")
            body = text().encode() if known_path else b"metrics are at /metrics\n"
            self.send_response(200 if known_path else 404)
            self.send_header("Content-Type", CONTENT_TYPE if known_path else "text/plain")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Nobody wants to read of each request."""

    try:
        server = ThreadingHTTPServer((host, port), Handler)
    except (OSError, OverflowError) as error:
        hint = "choose another --metrics-port"
        raise QueryError(f"metrics cannot be served at {host}:{port}", str(error), hint) from None
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, name="punctum-metrics", daemon=True).start()
    return server
