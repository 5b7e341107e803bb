"""What tests of the page share: checkpoints that no Spark has written, a page, and how it is asked."""

import http.client
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from punctum.compile import compile
from punctum.engine.exchange.buckets import Buckets
from punctum.engine.recovery.checkpoint import load_or_init_plan
from punctum.engine.runtime.build import running
from punctum.engine.runtime.stored import described, write_described
from punctum.nexmark.queries import NAMES
from punctum.nexmark.queries import script as nexmark
from punctum.page.notes import notes, write_notes
from punctum.page.serve import LivePage
from punctum.page.stories import STORIES
from punctum.plan.physical.fingerprint import fingerprint
from punctum.plan.physical.stages import all_stages

SCRIPTS = {each.name: each.sql for each in STORIES} | {name: nexmark(name) for name in NAMES}
"""Scripts of all kinds, admitted and refused."""


def batch(number: int, time: float, operators: Mapping[str, Mapping[str, Any]], quarantined: int = 0) -> dict[str, Any]:
    """The metrics of a batch, as a commit writes them."""
    told = {"batch": number, "time": time, "seconds": 0.25, "quarantined": quarantined, "operators": operators}
    return told | {"kept": {}, "written": {}}


def checkpoint(path: Path, sql: str, batches: list[dict[str, Any]]) -> Path:
    """A checkpoint with the plan of a script's one query, its operators, its notes, and its metrics."""
    (query,) = compile(sql).queries
    (path / "punctum").mkdir(parents=True)
    load_or_init_plan(str(path), fingerprint(query.last))
    one = Buckets((0,))
    write_described(str(path), [described(each.number, running(each, one, 0)) for each in all_stages(query.last)])
    write_notes(path, notes(query, path, path / "quarantine"))
    write_metrics(path, batches)
    return path


def write_metrics(path: Path, batches: list[dict[str, Any]]) -> None:
    """The file of metrics, anew."""
    (path / "punctum" / "metrics.jsonl").write_text("".join(json.dumps(each) + "\n" for each in batches))


def ask(
    page: LivePage,
    path: str,
    headers: Mapping[str, str] | None = None,
    body: str | None = None,
    token: str | None = None,
) -> tuple[int, Any, http.client.HTTPMessage]:
    """What the page answers: the status, the data or the text, and the headers."""
    address = urlsplit(page.address)
    connection = http.client.HTTPConnection("127.0.0.1", address.port, timeout=60)
    start = address.path if token is None else f"/{token}/"
    try:
        connection.request("GET" if body is None else "POST", start + path, body, dict(headers or {}))
        response = connection.getresponse()
        text = response.read().decode()
    finally:
        connection.close()
    told = json.loads(text) if response.headers.get_content_type() == "application/json" else text
    return response.status, told, response.headers
