"""Running a query over files in this process: once over what is there, or for as long as files come."""

import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field

from punctum.analyse.report.text import text
from punctum.compile import CompiledQuery
from punctum.engine.arriving import SLICE, Arriving
from punctum.engine.exchange.quarantine import Record, Room, format_records
from punctum.engine.in_process import InProcess, KeptHere
from punctum.engine.infer.inferred import InferredStream
from punctum.engine.sources.listing import SETTLE
from punctum.errors import QueryError
from punctum.operators.columns import ColumnarSlice
from punctum.shell.known import Known
from punctum.shell.output import Output

MOST_BYTES = 4 << 30
"""A query whose state nothing bounds reads no more bytes than this here."""
_SHOWN = 3
_TOLD = "  hint: "  # of the verdict, beside what grows
_LOOK = 0.5  # seconds between two looks for new files


@dataclass
class Answer:
    """What a query has given: how many rows, what was not taken, and what was kept when its files had ended."""

    query: CompiledQuery
    rows: int = 0
    records: list[Record] = field(default_factory=list)
    room: Room = field(default_factory=Room)
    """What goes beyond it is counted by file, and not kept."""
    kept: list[KeptHere] = field(default_factory=list)
    ended: bool = False
    """Whether it read to the end of what was there."""

    def quarantine(self) -> Iterator[str]:
        """What was not taken, in lines."""
        if self.records:
            count = sum(record.count for record in self.records)
            yield f"{count:,} {'row was' if count == 1 else 'rows were'} not taken:"
            yield from (f"  {line}" for line in format_records(map(asdict, self.records), _SHOWN))


def once(known: Known, query: CompiledQuery, out: Output, size: int = SLICE) -> Answer:
    """Read what is there, so many bytes at a time; then all streams have ended, and all that came out is final."""
    arriving = _arriving(known, query, settle=0)
    _check_size(known, query)
    answer, running = Answer(query), InProcess(query.last, known.base)
    try:
        for slice_ in arriving.slices(size):
            _take(answer, out, *running.feed(slice_, _now()))
        answer.kept = running.kept()
        _take(answer, out, *running.end(_now()))
        answer.ended = True
        out.end()
    finally:
        running.close()
    return answer


def follow(known: Known, query: CompiledQuery, out: Output, stop: Callable[[], bool]) -> Answer:
    """Read what is there and what comes, until told to stop; rows come when promises say that they are final."""
    arriving, answer = _arriving(known, query, SETTLE), Answer(query)
    running = InProcess(query.last, known.base)
    try:
        while not stop():
            for slice_ in arriving.slices():
                _take(answer, out, *running.feed(slice_, _now()))
                if stop():
                    break
            answer.kept = running.kept()
            time.sleep(_LOOK)
    finally:
        running.close()
    return answer


def notes(known: Known, given: Answer) -> Iterator[str]:
    """What is to be known of an answer: what was inferred from less than all, and whether it would be refused later."""
    analysis = given.query.analysis
    for stream in analysis.streams:
        inferred = known.files.get(stream.name)
        if inferred is not None:
            yield from _inferred(inferred)
    if given.ended and not analysis.admitted:
        yield "note: this was final because the files ended; as files go on to come (--follow) it would be refused:"
        lines = text([analysis], given.query.sql).splitlines()
        yield from (line for line in lines if line.startswith(_TOLD) or "grows without bound" in line)
        files = [known.files[s.name].files.pattern for s in analysis.streams if s.name in known.files]
        if files:
            yield f"  a promise is made in a script: punctum infer '{files[0]}' writes its CREATE STREAM"


def _inferred(inferred: InferredStream) -> Iterator[str]:
    """What is to be known of the columns of files."""
    if not inferred.sample.whole:
        yield f"note: the columns of '{inferred.files.pattern}' are from {inferred.sample.described}"
    for line in (*inferred.columns.left_out.values(), *inferred.columns.notes):
        yield f"note: {line}"


def _arriving(known: Known, query: CompiledQuery, settle: float) -> Arriving:
    return Arriving(query.analysis.streams, known.base, known.patterns(), settle)


def _take(answer: Answer, out: Output, given: ColumnarSlice, records: list[Record]) -> None:
    answer.rows += given.rows.height
    answer.records += answer.room.taken(records)
    out.rows(given.rows)


def _check_size(known: Known, query: CompiledQuery) -> None:
    """An error when a state that nothing bounds could be as large as files that are too large for this process."""
    names = [stream.name for stream in query.analysis.streams if stream.name in known.files]
    size = sum(known.files[name].files.size for name in names)
    if not query.analysis.safe and size > MOST_BYTES:
        detail = f"they have {size >> 30:,} GB, and nothing promises what may be forgotten of them"
        hint = "write the query to a script with --save, add the promise or ALLOW UNBOUNDED, and use punctum run"
        raise QueryError("the files are too large to be kept in one process", detail, hint)


def _now() -> int:
    return time.time_ns() // 1_000_000
