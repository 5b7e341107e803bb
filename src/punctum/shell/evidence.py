"""All rows and punctuations of some files, in order, with the place of each row: what promises are held against."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import polars as pl

from punctum.algebra.punctuation import Punctuation
from punctum.compile import Options, compile_query
from punctum.engine.arriving import Arriving
from punctum.engine.exchange.quarantine import VIOLATION, Record
from punctum.engine.formats.files import READERS, Read
from punctum.engine.in_process import InProcess
from punctum.engine.infer.inferred import InferredStream
from punctum.ir.definitions import StreamDef
from punctum.operators.batch import punctuations_of

MOST_ROWS = 5_000_000
"""So many rows are looked at, unless told."""


@dataclass
class Evidence:
    """The rows of a stream's files, up to so many of them, and its punctuations."""

    inferred: InferredStream
    rows: pl.DataFrame
    files: int = 0
    """How many files have been looked at."""
    broken: int = 0
    """How many lines are no rows or punctuations."""
    punctuations: list[Punctuation] = field(default_factory=list)
    _reads: list[tuple[int, str, Read]] = field(default_factory=list)

    @property
    def described(self) -> str:
        """What was looked at, in words."""
        many = "file" if self.files == 1 else "files"
        whole = self.files == len(self.inferred.files.splits)
        return f"{self.rows.height:,} rows of {self.files:,} {many}" + ("" if whole else " (there are more)")

    def place(self, row: int) -> str:
        """Where a row stands."""
        first, name, read = next(known for known in reversed(self._reads) if known[0] <= row)
        return f"{name}:{read.place(row - first)[0]}"

    def late(self) -> list[Record]:
        """The rows that stand behind a punctuation that matches them."""
        stream = self.inferred.stream()
        query = compile_query(f"SELECT * FROM `{NAME}`", "late", Options(streams={NAME: _named(stream)}))
        running, base = InProcess(query.last, self.inferred.files.base), self.inferred.files.base
        try:
            slices = Arriving([stream], base, {stream.name: base}, settle=0).slices()
            records = [record for s in slices for record in running.feed({NAME: s[stream.name]})[1]]
        finally:
            running.close()
        return [record for record in records if record.reason == VIOLATION]


NAME = "files"


def _named(stream: StreamDef) -> StreamDef:
    return StreamDef(NAME, stream.schema, stream.schemes, format=stream.format, options=stream.options)


def evidence(inferred: InferredStream, most: int = MOST_ROWS) -> Evidence:
    """What the files of a stream hold, file by file until there are so many rows."""
    schema = inferred.schema
    stream = inferred.stream()
    assert stream.format is not None
    given = Evidence(inferred, pl.DataFrame())
    frames, count = list[pl.DataFrame](), 0
    for split in inferred.files.splits:
        read = READERS[stream.format](inferred.files.base / split.name, schema, stream.options, split)
        given._reads.append((count, split.name, read))
        given.punctuations += punctuations_of(schema, read.piece)
        given.broken += read.rejected.height + read.more
        given.files += 1
        frames.append(read.piece.rows)
        count += read.piece.rows.height
        if count >= most:
            break
    given.rows = pl.concat(frames)
    return given


def first(rows: pl.Series) -> int:
    """The number of the first row of which something is true."""
    return int(rows.arg_true()[0])


def several(places: Iterator[str], most: int = 2) -> str:
    """Some places for a message."""
    return " and ".join(place for _, place in zip(range(most), places, strict=False))
