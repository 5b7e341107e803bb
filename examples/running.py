"""What the examples share: files of elements, queries that run, and what has come out."""

import json
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from punctum.session import Query, Session


def put(directory: Path, name: str, elements: Iterable[dict[str, Any]]) -> None:
    """Write a file of rows and punctuations."""
    directory.mkdir(parents=True, exist_ok=True)
    part = directory / f".{name}"
    part.write_text("".join(json.dumps(each) + "\n" for each in elements))
    part.replace(directory / f"{name}.json")


def queries(session: Session, script: str, directory: Path) -> dict[str, Query]:
    """The queries of a script, by name."""
    return {query.name: query for query in session.script(script, directory)}


@contextmanager
def running(directory: Path, *started: Query) -> Iterator[None]:
    """Let queries run; they go on from where they were."""
    try:
        for query in started:
            query.start(directory / "state" / query.name)
        yield
    finally:
        for query in started:
            query.stop()


def elements(directory: Path) -> list[dict[str, Any]]:
    """The elements that a sink has got, batch by batch; stables are left out."""
    files = sorted(directory.glob("part-*"), key=lambda path: int(path.name.split("-")[2]))
    found = (json.loads(line) for path in files for line in path.read_text().splitlines())
    return [each for each in found if "$stable" not in each]


def main(example: Callable[[Session, Path], object]) -> None:
    """Run an example in the directory that is given, or in one that is gone afterwards."""
    session = Session()
    if len(sys.argv) > 1:
        Path(sys.argv[1]).mkdir(parents=True, exist_ok=True)
        example(session, Path(sys.argv[1]).resolve())
    else:
        with tempfile.TemporaryDirectory() as directory:
            example(session, Path(directory))
