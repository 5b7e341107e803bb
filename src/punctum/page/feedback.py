"""What a query tells those that feed it, and what it receives from those that it feeds: the files of its feedback."""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from punctum.compile import CompiledQuery
from punctum.engine.feedback.publisher import OPTION
from punctum.plan.physical.feedback import published
from punctum.storage.location import Location, joined, location

Files = dict[str, list[str]]
"""The files that are written (``sent``) and read (``received``)."""


def feedback_files(compiled: CompiledQuery, directory: Location) -> Files:
    """The files of a query whose relative paths begin in a directory."""
    streams = [stream.options.get(OPTION) for stream in compiled.analysis.streams]
    sent = [*(merge.feedback for _, _, merge in published(compiled.last)), *streams]
    received = compiled.query.sink.options.get(OPTION, "").split(",")

    def resolved(names: Sequence[str | None]) -> list[str]:
        return [str(joined(directory, name.strip()).resolve()) for name in names if name is not None and name.strip()]

    return {"sent": resolved(sent), "received": resolved(received)}


def feedback_by_file(files: Mapping[str, Sequence[str]]) -> list[dict[str, Any]]:
    """What each file says by now: a punctuation, or nothing as long as there is none."""
    return [
        {"way": way, "file": location(path).name, "says": _says(location(path))}
        for way, some in files.items()
        for path in some
    ]


def _says(path: Location) -> Any:
    with suppress(OSError, ValueError):
        return json.loads(path.read_text("utf-8"))
    return None
