"""A directory of results. Workers write files where no reader looks; when a batch is complete they get their names.

A file's name holds the query's id, the batch and the bucket. A batch that is done again after a crash gives the same
files, which take the places of the first ones: every row is there once.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

from punctum.algebra.schema import Schema
from punctum.engine.sinks.formats import WRITERS
from punctum.operators.batch import constants
from punctum.operators.columns import Columns

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

    @property
    def _hidden(self) -> Path:
        """Where no reader looks, and no other query that writes here."""
        return Path(self.directory) / HIDDEN / self.query

    def write(self, piece: Columns) -> str | None:
        """Write a slice for later, and give the name for it; nothing when there is nothing to write."""
        said = [*piece.puncts] if self.punctuations else []
        for name, values in piece.points.items() if self.punctuations else ():
            said += constants(self.schema, self.schema.index(name), values)
        if not piece.rows.height and not said:
            return None
        name = uuid4().hex
        path = self._hidden / name
        WRITERS[self.format](path, piece.rows, said if self.punctuations else None, self.schema, self.options)
        return name

    def prepare(self) -> None:
        """Make the directory, and drop what an earlier run has left unfinished."""
        self._hidden.mkdir(parents=True, exist_ok=True)
        for left in self._hidden.iterdir():
            left.unlink(missing_ok=True)

    def commit(self, batch: int, written: dict[int, str], again: bool) -> None:
        """Give the files of a batch, by bucket, their names; when the batch may have been done before, over those."""
        directory, prefix = Path(self.directory), f"part-{self.query}-{batch:06}-"
        names = {f"{prefix}{bucket}.{self.format}": name for bucket, name in written.items()}
        if again and "feedback" not in self.options:  # what is skipped now, a reader may have seen before
            for old in directory.glob(f"{prefix}*"):
                if old.name not in names:
                    old.unlink()
        for name, temporary in names.items():
            (self._hidden / temporary).replace(directory / name)
