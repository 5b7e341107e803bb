"""The metrics of batches in a checkpoint: a line each, in a file that is put aside when it is large.

So many files that were put aside are kept; the oldest lines go with the oldest of them. Whoever goes on with a
checkpoint reads the last lines alone.
"""

import io
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from punctum.engine.recovery.bucket_notes import bucket_notes
from punctum.engine.recovery.durable import append_text, writing
from punctum.storage.files import move
from punctum.storage.location import Location, StorePath

NAME = "metrics.jsonl"
LARGE, LARGE_OBJECT = 1 << 20, 64 << 10
"""A file of so many bytes is put aside; a store gets all of an object again with each batch."""
ASIDE = 4
"""So many files that were put aside are kept."""
_BLOCK = 1 << 16


def metrics_of(checkpoint: Location) -> Iterator[tuple[int, str]]:
    """The lines of metrics in a checkpoint, the last one first, with their batches; one that is cut off is none."""
    notes = bucket_notes(checkpoint)
    for _, _, batch, line in _lines(checkpoint):
        yield batch, _renewed(batch, line, notes)


def append_metrics(
    checkpoint: Location, measured: Mapping[str, Any], large: int | None = None, aside: int = ASIDE
) -> None:
    """Write the metrics of a batch down."""
    path = checkpoint / "punctum" / NAME
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        append_text(path, json.dumps(measured) + "\n")
        if large is None:
            large = LARGE_OBJECT if isinstance(path, StorePath) else LARGE
        if path.stat().st_size >= large:
            move(path, path.with_name(f"metrics-{measured['batch']:012}.jsonl"))
            for old in _files(checkpoint)[aside:]:
                old.unlink()


def drop_metrics(checkpoint: Location, batch: int) -> tuple[int | None, str]:
    """Drop what there is of a batch and of later ones: the number and the line of the last one that is left, if any."""
    for path, end, number, line in _lines(checkpoint):
        if number < batch:
            with writing(path):
                _cut(path, end)
                for later in _files(checkpoint):
                    if later == path:
                        break
                    later.unlink()
            return number, _renewed(number, line, bucket_notes(checkpoint))
    for path in _files(checkpoint):
        with writing(path):
            path.unlink()
    return None, '{"kept": {}}'


def _renewed(batch: int, line: str, notes: Mapping[str, Any]) -> str:
    """The line of a batch; of that behind which buckets became more, with what is kept in these."""
    if batch != notes.get("behind"):
        return line
    return json.dumps(json.loads(line) | {name: notes[name] for name in ("kept", "written")})


def _cut(path: Location, end: int) -> None:
    if isinstance(path, StorePath):
        path.write_bytes(path.read_bytes()[:end])
    else:
        os.truncate(path, end)


def _files(checkpoint: Location) -> list[Location]:
    """The files, the last one first."""
    return sorted((checkpoint / "punctum").glob("metrics*.jsonl"), key=lambda path: path.name, reverse=True)


def _lines(checkpoint: Location) -> Iterator[tuple[Location, int, int, str]]:
    """The complete lines, the last one first: the file of each, where it ends there, and its batch."""
    for path in _files(checkpoint):
        for end, content in _backwards(path):
            with suppress(ValueError, KeyError, TypeError):
                known = json.loads(line := content.decode())
                if isinstance(known["kept"], dict):
                    yield path, end, int(known["batch"]), line


def _backwards(path: Location) -> Iterator[tuple[int, bytes]]:
    """The lines of a file, the last one first, and where each ends; what is behind the last end of a line is none."""
    with io.BytesIO(path.read_bytes()) if isinstance(path, StorePath) else path.open("rb") as file:
        at, rest = file.seek(0, os.SEEK_END), b""
        end: int | None = None
        while at:
            at, size = max(0, at - _BLOCK), min(at, _BLOCK)
            file.seek(at)
            rest = file.read(size) + rest
            while (cut := rest.rfind(b"\n")) >= 0:
                if end is not None:
                    yield end, rest[cut + 1 :]
                end, rest = at + cut + 1, rest[:cut]
        if end is not None:
            yield end, rest
