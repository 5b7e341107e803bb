"""What ``punctum run`` says while it runs: lines for people, or objects of JSON for programs that collect logs."""

import json
import logging
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from punctum.errors import PunctumError

if TYPE_CHECKING:
    from punctum.query import Query

TEXT, JSON = "text", "json"
_LOG = logging.getLogger("punctum")
_FIELDS = ("what", "detail", "where", "hint")


class JsonLog(logging.Formatter):
    """A record as an object of JSON in a line: the time, the level, the message, and what a batch has counted."""

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record."""
        fields: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "message": record.getMessage(),
        }
        return json.dumps(fields | getattr(record, "more", {}), default=str, ensure_ascii=False)


def configure(form: str, quiet: bool) -> None:
    """Say what there is to say in this form; quietly, only warnings and errors."""
    ours = logging.StreamHandler()
    ours.addFilter(logging.Filter("punctum"))  # when Spark is killed, Py4J logs tracebacks to the root
    ours.setFormatter(JsonLog() if form == JSON else logging.Formatter("%(message)s"))
    if form == JSON:
        logging.getLogger().addHandler(ours)
    else:
        logging.basicConfig(handlers=[ours])
    _LOG.setLevel(logging.WARNING if quiet else logging.INFO)


def tell(text: str) -> None:
    """A line on what the command does."""
    if _json():
        _LOG.info("%s", text)
    else:
        click.echo(text, err=True)


def metrics_served(queries: "Sequence[Query]", port: int, host: str) -> str:
    """Serve the metrics of queries, also of those that come, for Prometheus: where they are."""
    from punctum.engine.prometheus import exposition, serve  # here because only who asks for metrics needs them

    server = serve(lambda: exposition(sample for query in list(queries) for sample in query.samples()), port, host)
    return f"http://{host}:{server.server_port}/metrics"


def report(error: PunctumError, prefix: str = "error: ") -> None:
    """Say that something has failed."""
    if _json():
        more = {name: text for name in _FIELDS if (text := getattr(error, name))}
        _LOG.error("%s", error.what, extra={"more": more})
    else:
        click.echo(f"{prefix}{error}", err=True)
    sys.stderr.flush()


def _json() -> bool:
    return any(isinstance(handler.formatter, JsonLog) for handler in logging.getLogger().handlers)
