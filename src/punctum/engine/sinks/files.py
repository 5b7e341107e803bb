"""A directory of results. Workers write files where no reader looks; when a batch is complete they get their names.

A file's name holds the query's id, the batch and the bucket. A batch that is done again after a crash gives the same
files, which take the places of the first ones: every row is there once. The stable of a merge with several buckets
holds for the elements of all of them, so it is written when all have theirs, in a file that comes last.
"""

import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

import polars as pl

from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.engine.exchange.quarantine import Record
from punctum.engine.formats.write import WRITERS
from punctum.engine.recovery.durable import writing
from punctum.engine.sinks.divided import divided, merge
from punctum.lmerge.elements import stable, time_type, time_value
from punctum.operators.batch import constant_punctuations
from punctum.operators.columns import ColumnarSlice, empty
from punctum.storage.files import emptied, files_below, filled, move
from punctum.storage.location import Location, location

HIDDEN = ".punctum"
_PART = "part"


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
    partitioned: tuple[str, ...] = ()
    """The columns whose values are directories."""

    @property
    def _hidden(self) -> Location:
        """Where no reader looks, and no other query that writes here."""
        return location(self.directory) / HIDDEN / self.query

    def write(self, piece: ColumnarSlice) -> tuple[str | None, Iterable[Record]]:
        """Write a slice for later: the name for it, if there is anything to write, and no records of rows left out."""
        puncts = all_punctuations(piece, self.schema) if self.punctuations and self.stables is None else []
        return self._write(piece.rows, puncts) if piece.rows.height or puncts else None, ()

    def write_stable(self, t: int) -> str:
        """Write a stable for later, and give the name for it."""
        return self._write(empty(self.schema), [stable(self.schema, time_value(t, time_type(self.schema)))])

    def _write(self, rows: pl.DataFrame, puncts: Sequence[Punctuation]) -> str:
        name = uuid4().hex
        written = puncts if self.punctuations else None
        with writing(self.directory):
            if not self.partitioned:
                with filled(self._hidden / name) as file:
                    WRITERS[self.format](file, rows, written, self.schema, self.options)
                return name
            own = Schema(tuple(a for a in self.schema.attributes if a.name not in self.partitioned))
            for within, some in divided(rows, self.schema, self.partitioned):
                path = self._hidden / name / within / _PART
                path.parent.mkdir(parents=True, exist_ok=True)
                with filled(path) as file:
                    WRITERS[self.format](file, some, written, own, self.options)
        return name

    def prepare(self) -> None:
        """Make the directory, and drop what an earlier run has left unfinished."""
        with writing(self.directory):
            emptied(self._hidden)

    def are_named(self, batch: int) -> bool:
        """Whether files of a batch have their names."""
        return any(True for _ in self._of_batch(location(self.directory), f"part-{self.query}-{batch:06}-"))

    def commit(self, batch: int, written: Iterable[tuple[int | str, str]], again: bool) -> None:
        """Give the files of a batch, by bucket, their names; when the batch may have been done before, over those.

        They are read in the order in which they are given here, whatever the clocks of the workers have said.
        """
        with writing(self.directory):
            self._name(f"part-{self.query}-{batch:06}-", written, again)

    def _name(self, prefix: str, written: Iterable[tuple[int | str, str]], again: bool) -> None:
        directory, files = location(self.directory), self._targets(prefix, written)
        if again and "feedback" not in self.options:  # what is skipped now, a reader may have seen before
            named = {str(directory / name) for name in files}
            for old in self._of_batch(directory, prefix):
                if str(old) not in named:
                    old.unlink()
        now = time.time_ns()
        for n, (name, parts) in enumerate(files.items()):
            file = parts[0]
            if len(parts) > 1:
                merge(parts, file := self._hidden / uuid4().hex, self.format, self.options)
            if isinstance(file, Path):  # a store says itself when it has got a file
                os.utime(file, ns=(now + n, now + n))
            (directory / name).parent.mkdir(parents=True, exist_ok=True)
            move(file, directory / name)
        if self.partitioned or len(files) < sum(map(len, files.values())):
            emptied(self._hidden)  # of what files were made of, and of directories

    def _targets(self, prefix: str, written: Iterable[tuple[int | str, str]]) -> dict[str, list[Location]]:
        """What the files of a batch are to be called, and of which files each is made."""
        compact = self.options.get("compact", "").lower() == "true"
        targets: dict[str, list[Location]] = {}
        for bucket, name in written:
            own = f"{prefix}{'all' if compact and isinstance(bucket, int) else bucket}.{self.format}"
            within = files_below(self._hidden / name) if self.partitioned else ()
            for path in sorted(within):
                target = f"{path.removesuffix(_PART)}{own}"
                targets.setdefault(target, []).append(self._hidden / name / path)
            if not self.partitioned:
                targets.setdefault(own, []).append(self._hidden / name)
        return targets

    def _of_batch(self, directory: Location, prefix: str) -> Iterator[Location]:
        """The files that a batch has in the directory."""
        if not self.partitioned:
            yield from directory.glob(f"{prefix}*")
            return
        for name in files_below(directory):
            if name.rpartition("/")[2].startswith(prefix) and not name.startswith(f"{HIDDEN}/"):
                yield directory / name


def all_punctuations(piece: ColumnarSlice, schema: Schema) -> list[Punctuation]:
    """All punctuations of a slice."""
    constants = ((schema.index(name), values) for name, values in piece.constants.items())
    return [*piece.puncts, *(p for n, values in constants for p in constant_punctuations(schema, n, values))]
