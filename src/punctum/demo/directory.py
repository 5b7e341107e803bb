"""The directory of an example's run, which a user can look at and a later run goes on with.

::

    auction.sql      the script
    in/item/01.json  what a stream has sent in a step, and so on
    out/             what the query has released, as Spark writes it
    checkpoint/      where the query keeps its state and its place
    kept.csv         a line for each step that is done
    kept.png         the plot; with it the run is finished
"""

import csv
import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from punctum.demo.example import Elements, Example
from punctum.errors import PunctumError


@dataclass(frozen=True)
class Done:
    """A step that is done: what came, what was released, and what is kept with punctuations and without.

    What is kept is not known when the run was killed after the step's last batch and before the step was recorded.
    """

    step: int
    rows: int
    punctuations: int
    released: int
    kept: int | None
    without: int


@dataclass(frozen=True)
class RunDirectory:
    """The directory of a run."""

    example: Example
    path: Path

    @property
    def finished(self) -> bool:
        """Whether it holds a run that has come to its end."""
        return self.plot.exists()

    @property
    def interrupted(self) -> bool:
        """Whether it holds a run that has not come to its end."""
        return self.script.exists() and not self.finished

    @property
    def script(self) -> Path:
        """The file of the script."""
        return self.path / f"{self.example.name}.sql"

    @property
    def plot(self) -> Path:
        """The file of the plot."""
        return self.path / "kept.png"

    def prepare(self) -> None:
        """Make it ready: as it is when its run was interrupted, else from nothing."""
        with _usable(self.path):
            if self.path.exists() and any(self.path.iterdir()):
                self._check()
            if self.finished:
                shutil.rmtree(self.path)
            for file in self.files(1).values():
                file.parent.mkdir(parents=True, exist_ok=True)
            self.script.write_text(self.example.script)

    def files(self, step: int) -> dict[str, Path]:
        """The file of each stream for a step."""
        return {stream: self.path / "in" / stream / f"{step:02}.json" for stream in next(self.example.steps())}

    def write(self, step: int, sends: Mapping[str, Elements]) -> None:
        """Write what the streams send in a step, unless it is there.

        A batch's metrics are of the buckets that got anything in it, and Spark looks for files in the order of the
        streams. So the first stream's file comes last: it is in the last batch of a step, however Spark cuts the step
        into batches, and its punctuations go to all buckets that have rows.
        """
        for stream, path in reversed(self.files(step).items()):
            text = "".join(json.dumps(element) + "\n" for element in sends[stream])
            if not path.exists():
                part = path.with_name(f".{path.name}")
                part.write_text(text)
                part.replace(path)
            elif path.read_text() != text:
                self._refuse(f"{path} is not what the demo writes")

    def results(self) -> list[Path]:
        """The files of the result."""
        return sorted((self.path / "out").glob("part-*"))

    def done(self) -> list[Done]:
        """The steps that are done."""
        path = self.path / "kept.csv"
        if not path.exists():
            return []
        with path.open(newline="") as file:
            lines = csv.DictReader(file)
            return [Done(**{k: int(v) if v else None for k, v in line.items()}) for line in lines]  # type: ignore

    def record(self, done: list[Done]) -> None:
        """Write the steps that are done."""
        part = self.path / ".kept.csv"
        with part.open("w", newline="") as file:
            table = csv.DictWriter(file, [field.name for field in fields(Done)])
            table.writeheader()
            table.writerows(map(asdict, done))
        part.replace(self.path / "kept.csv")

    def _check(self) -> None:
        if not self.script.exists() or self.script.read_text() != self.example.script:
            self._refuse(f"it has no {self.script.name}, or a different one")

    def _refuse(self, detail: str) -> None:
        hint = "remove it, or choose another directory with --directory"
        raise PunctumError(f"the directory {self.path} does not hold a run of this demo", detail, hint)


def make(path: Path) -> None:
    """Make a directory, unless it is there."""
    with _usable(path):
        path.mkdir(parents=True, exist_ok=True)


@contextmanager
def _usable(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        hint = "choose another directory with --directory"
        raise PunctumError(f"the directory {path} cannot be used", str(error), hint) from None


def rows_of(files: list[Path]) -> list[dict[str, Any]]:
    """The rows of files of results, in the order of their values."""
    rows = (json.loads(line) for file in files for line in file.read_text().splitlines())
    return sorted(rows, key=lambda row: tuple(row.values()))
