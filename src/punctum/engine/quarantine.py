"""The quarantine: what a query could not take, with the reason.

A record says of which stream and file it is, at which line or row (0: the file as a whole; nothing: not known), the
reason, the punctuation that it breaks, if any, and the text. Records are lines of JSON; they travel as packed rows.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, NoReturn

import polars as pl
import pyarrow as pa
from pyspark import TaskContext

from punctum.engine.packing import ARROW, QUARANTINE
from punctum.errors import QueryError

VIOLATION = "the row matches a punctuation that came before it"
"""The reason of a row that is not grammatical."""


@dataclass(frozen=True)
class Record:
    """Something that was not taken."""

    stream: str
    reason: str
    text: str
    file: str | None = None
    position: int | None = None
    punctuation: str | None = None

    def line(self) -> str:
        """Itself as JSON."""
        return json.dumps(asdict(self), ensure_ascii=False)

    @property
    def place(self) -> str:
        """Where it was found."""
        file = f"{self.stream}, {self.file}" if self.file else self.stream
        return f"{file}:{self.position}" if self.position else file


def rejects(stream: str, file: str | None, rejected: pl.DataFrame) -> list[Record]:
    """The records of what a reader has rejected."""
    return [Record(stream, reason, text, file, position) for position, reason, text in rejected.iter_rows()]


def fail(
    record: Record,
    what: str = "a stream with ON VIOLATION FAIL is violated",
    hint: str = "mend the stream, or leave ON VIOLATION FAIL out",
) -> NoReturn:
    """Stop the query with what would have been a record."""
    broken = f" ({record.punctuation})" if record.punctuation else ""
    raise QueryError(what, f"{record.place}: {record.reason}{broken}: {record.text}", hint)


def packed(records: Iterable[Record], bucket: int) -> pa.RecordBatch:
    """Records as a packed row for a bucket, which passes it on."""
    text = "\n".join(record.line() for record in records)
    row = {"bucket": bucket, "input": QUARANTINE, "sender": bucket, "puncts": text}
    return pa.RecordBatch.from_pylist([{name: row.get(name) for name in ARROW.names}], schema=ARROW)


def in_order(lines: Iterable[str]) -> list[str]:
    """Records by stream, file and position: whichever worker told of them first."""

    def place(line: str) -> tuple[str, str, int, str]:
        record = json.loads(line)
        return record["stream"], record["file"] or "", record["position"] or 0, line

    return sorted(lines, key=place)


def keep(lines: list[str], directory: Path | None) -> None:
    """Write records from a worker; a batch that is done again writes the same files."""
    if directory is None:
        hint = "dataframe(checkpoint): what cannot be taken goes to a quarantine there"
        fail(Record(**json.loads(lines[0])), "the query has no quarantine", hint)
    context = TaskContext.get()
    assert context is not None
    batch = int(context.getLocalProperty("streaming.sql.batchId") or 0)
    text = "\n".join(lines) + "\n"
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"part-{batch:06}-{sha256(text.encode()).hexdigest()[:16]}.json"
    part = path.with_name(f".{path.name}.{context.taskAttemptId()}")
    part.write_text(text)
    part.replace(path)


def found(directory: Path) -> list[dict[str, Any]]:
    """The records of a quarantine, given its directory, that of the sink it lies beside, or the checkpoint."""
    if not directory.exists():
        raise QueryError(f"there is no {directory}", "", "give the directory of a sink, a checkpoint or a quarantine")
    beside = directory.with_name(directory.name + ".quarantine")
    places = [place for place in (directory, beside, directory / "quarantine") if place.name.endswith("quarantine")]
    files = sorted(file for place in places for file in place.glob("part-*.json"))
    return [json.loads(line) for file in files for line in file.read_text().split("\n")[:-1]]


def told(records: Sequence[dict[str, Any]], most: int) -> Iterator[str]:
    """Records grouped by stream and reason, the most frequent first, with some of each."""
    groups: dict[tuple[str, str], list[Record]] = {}
    for each in records:
        groups.setdefault((each["stream"], each["reason"].split(":")[0]), []).append(Record(**each))
    if not groups:
        yield "the quarantine is empty"
    for (stream, reason), members in sorted(groups.items(), key=lambda group: -len(group[1])):
        yield f"{len(members):,} of {stream}: {reason}"
        for record in members[:most]:
            broken = f"  {record.punctuation}" if record.punctuation else ""
            detail = record.reason.partition(": ")[2]
            yield "    " + "  ".join(
                part for part in (record.place.partition(", ")[2], detail, record.text + broken) if part
            )
        if len(members) > most:
            yield f"    and {len(members) - most:,} more"
