"""The files of a stream below a directory: patterns, columns in paths, and what is no file of the stream."""

import json
import os
import shutil
from functools import partial
from pathlib import Path

import pytest

from engine.kills import until
from punctum.engine.formats.splits import Split
from punctum.engine.sources.chosen import ChosenNames, chosen_of
from punctum.engine.sources.known import KnownFiles
from punctum.engine.sources.listing import Listing
from punctum.engine.sources.objects import ObjectListing
from punctum.engine.sources.tree import TreeListing, listing
from punctum.storage.location import joined, location

NAMES = (
    "1.json",
    "2.csv",
    "dt=2026-01-01/1.json",
    "dt=2026-01-01/city=a b/2.json",
    "dt=2026-01-02/_temporary/0/3.json",
    "dt=2026-01-02/.4.json.crc",
    "dt=2026-01-02/5.json.tmp",
    "_delta_log/0.json",
    ".hidden/1.json",
    "_y=1/6.json",
    "old/2025/7.json",
    "old/8.json",
    "[x]/9.json",
)


def written(directory: Path, names: tuple[str, ...] = NAMES) -> Path:
    for n, name in enumerate(names):
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_text('{"k": 1}\n')
        os.utime(directory / name, (n + 1, n + 1))
    return directory


def found(path: str, directory: Path, recursive: bool = False, known: tuple[Split, ...] = ()) -> list[str]:
    place, chosen = chosen_of(joined(directory, path), recursive)
    return [split.name for split in listing(place, chosen, "json", {}, 0, KnownFiles(known)).news()]


@pytest.mark.parametrize(
    ("path", "recursive", "names"),
    [
        (".", False, ["1.json", "2.csv", "dt=2026-01-01/1.json", "dt=2026-01-01/city=a b/2.json", "_y=1/6.json"]),
        ("*.json", False, ["1.json"]),
        ("dt=*", False, ["dt=2026-01-01/1.json", "dt=2026-01-01/city=a b/2.json"]),
        ("dt=2026-01-0[12]/*.json", False, ["dt=2026-01-01/1.json"]),
        ("dt=2026-01-0[!2]", False, ["dt=2026-01-01/1.json", "dt=2026-01-01/city=a b/2.json"]),
        ("old", False, ["8.json"]),
        ("old", True, ["2025/7.json", "8.json"]),
        ("ol?", True, ["old/2025/7.json", "old/8.json"]),
        ("ol?", False, ["old/8.json"]),
        ("**/7.json", False, ["old/2025/7.json"]),
        ("{old,dt=2026-01-01}/*.json", False, ["dt=2026-01-01/1.json", "old/8.json"]),
        ("[x]", False, ["9.json"]),
    ],
)
def test_what_is_taken(tmp_path: Path, path: str, recursive: bool, names: list[str]) -> None:
    assert found(path, written(tmp_path), recursive) == names


def test_what_was_read_is_not_read_again(tmp_path: Path) -> None:
    place, chosen = chosen_of(location(written(tmp_path)), False)
    first = listing(place, chosen, "json", {}, 0, KnownFiles())
    news = first.news()
    assert len(news) == 5 and first.news() == []
    assert listing(place, chosen, "json", {}, 0, KnownFiles(news)).news() == []
    later = written(tmp_path, ("dt=2026-01-03/1.json",))
    with (later / "dt=2026-01-01/1.json").open("a") as more:
        more.write('{"k": 2}\n')
    again = listing(place, chosen, "json", {}, 0, KnownFiles(news)).news()
    assert [(split.name, split.start, split.line) for split in again] == [
        ("dt=2026-01-03/1.json", 0, 0),
        ("dt=2026-01-01/1.json", 9, 1),
    ]


def test_a_directory_that_has_gone(tmp_path: Path) -> None:
    files = listing(tmp_path, ChosenNames(), "json", {}, 0, KnownFiles([Split("dt=1/1.json", 0, 9, 0, 1, 1, "x")]))
    assert files.news() == []


@pytest.mark.parametrize("again", [False, True])
def test_the_files_of_a_directory_that_has_gone_are_forgotten(tmp_path: Path, again: bool) -> None:
    """Whether it goes while it is watched, or between two runs; none of what watches it is left."""
    known = KnownFiles()
    files = listing(written(tmp_path, ("dt=0/1.json",)), ChosenNames(), "json", {}, 0, known, forget=0)

    def forgotten() -> bool:
        files.news()
        known.forget(files.over())
        return list(known) == ["dt=4/1.json"]

    for n in range(5):
        written(tmp_path, (f"dt={n}/1.json",))
        assert until(partial(_finds, files, f"dt={n}/1.json"))
        if n < 4:
            shutil.rmtree(tmp_path / f"dt={n}")
        if again:
            files = listing(tmp_path, ChosenNames(), "json", {}, 0, known, forget=0)
    assert until(forgotten) and not known.gone
    assert isinstance(files, TreeListing) and sorted(files.watched) == ["", "dt=4"]


def _finds(files: Listing | TreeListing | ObjectListing, name: str) -> bool:
    return [split.name for split in files.news()] == [name]


def test_a_partitioned_directory_of_sparks(tmp_path: Path) -> None:
    """Only files of finished batches count."""
    written(tmp_path, ("dt=1/a b.json", "dt=2/b.json", "dt=2/left.json"))
    log = tmp_path / "_spark_metadata"
    log.mkdir()
    lines = [json.dumps({"path": f"file://{tmp_path}/{name}"}) for name in ("dt=1/a%20b.json", "dt=2/b.json")]
    (log / "0").write_text("\n".join(["v1", *lines]))
    assert found(".", tmp_path) == ["dt=1/a b.json", "dt=2/b.json"]


def test_nothing_is_told_of_files_that_are_not_taken(tmp_path: Path) -> None:
    written(tmp_path, ("a-1.json", "b-1.json"))
    (tmp_path / "b-2.json").write_text('{"k": ')  # somebody writes it
    place, chosen = chosen_of(tmp_path / "a-*.json", False)
    files = listing(place, chosen, "json", {}, 3600, KnownFiles())
    assert [split.name for split in files.news()] == ["a-1.json"] and not files.waits
