"""A directory of results. Workers write files where no reader looks; when a batch is complete they get their names.

A file's name holds the query's id, the batch and the bucket. A batch that is done again after a crash gives the same
files, which take the places of the first ones: every row is there once. The stable of a merge with several buckets
holds for the elements of all of them, so it is written when all have theirs, in a file that comes last.
"""

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

import polars as pl

from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.engine.exchange.quarantine import Record
from punctum.engine.formats.write import WRITERS
from punctum.engine.recovery.durable import writing
from punctum.lmerge.elements import stable, time_type, time_value
from punctum.operators.batch import constant_punctuations
from punctum.operators.columns import ColumnarSlice, empty

HIDDEN = ".punctum"


@dataclass(frozen=True)
class ResultFiles:
    """Where the results of a query go, in which format, and whether with their punctuations."""

    directory: str
    format: str
    schema: Schema
    punctuations: bool
    query: str
    options: Mapping[str, str] = field(default_factory=dict)
    stables: str | None = None
    """The merge whose stables are written apart, by its name in metrics."""

    @property
    def _hidden(self) -> Path:
        """Where no reader looks, and no other query that writes here."""
        return Path(self.directory) / HIDDEN / self.query

    def write(self, piece: ColumnarSlice) -> tuple[str | None, Iterable[Record]]:
        """Write a slice for later: the name for it, if there is anything to write, and no records of rows left out."""
        puncts = said(piece, self.schema) if self.punctuations and self.stables is None else []
        return self._write(piece.rows, puncts) if piece.rows.height or puncts else None, ()

    def write_stable(self, t: int) -> str:
        """Write a stable for later, and give the name for it."""
        return self._write(empty(self.schema), [stable(self.schema, time_value(t, time_type(self.schema)))])

    def _write(self, rows: pl.DataFrame, puncts: Sequence[Punctuation]) -> str:
        name = uuid4().hex
        path = self._hidden / name
        with writing(self.directory):
            WRITERS[self.format](path, rows, puncts if self.punctuations else None, self.schema, self.options)
        return name

    def prepare(self) -> None:
        """Make the directory, and drop what an earlier run has left unfinished."""
        with writing(self.directory):
            self._hidden.mkdir(parents=True, exist_ok=True)
            for left in self._hidden.iterdir():
                left.unlink(missing_ok=True)

    def are_named(self, batch: int) -> bool:
        """Whether files of a batch have their names."""
        return any(Path(self.directory).glob(f"part-{self.query}-{batch:06}-*"))

    def commit(self, batch: int, written: Iterable[tuple[int | str, str]], again: bool) -> None:
        """Give the files of a batch, by bucket, their names; when the batch may have been done before, over those.

        They are read in the order in which they are given here, whatever the clocks of the workers have said.
        """
        with writing(self.directory):
            self._name(f"part-{self.query}-{batch:06}-", written, again)

    def _name(self, prefix: str, written: Iterable[tuple[int | str, str]], again: bool) -> None:
        directory = Path(self.directory)
        names = {f"{prefix}{bucket}.{self.format}": name for bucket, name in written}
        if again and "feedback" not in self.options:  # what is skipped now, a reader may have seen before
            for old in directory.glob(f"{prefix}*"):
                if old.name not in names:
                    old.unlink()
        now = time.time_ns()
        for n, (name, temporary) in enumerate(names.items()):
            os.utime(self._hidden / temporary, ns=(now + n, now + n))
            (self._hidden / temporary).replace(directory / name)


def said(piece: ColumnarSlice, schema: Schema) -> list[Punctuation]:
    """All punctuations of a slice."""
    constants = ((schema.index(name), values) for name, values in piece.constants.items())
    return [*piece.puncts, *(p for n, values in constants for p in constant_punctuations(schema, n, values))]
