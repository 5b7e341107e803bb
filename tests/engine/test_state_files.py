"""The state of a bucket in files: random states, batches that are done again, and files that are lost or damaged."""

import os
import random
from pathlib import Path

import pytest

from punctum.engine.recovery.state_files import LARGE, RETAINED, StateFiles, buckets_behind
from punctum.errors import QueryError

Known = dict[str, dict[int, bytes]]


def all_of(files: StateFiles) -> tuple[str, Known]:
    """What a batch finds."""
    text, places = files.load()
    return text, {name: {n: files.read(at) for n, at in chunks.items()} for name, chunks in places.items()}


def changed(chance: random.Random, known: Known) -> tuple[Known, Known]:
    """What is kept of a state, and what is new."""
    kept = {name: {n: c for n, c in chunks.items() if chance.random() < 0.8} for name, chunks in known.items()}
    sizes = chance.choices([0, 10, 1000, LARGE - 1, LARGE, LARGE + 7], [1, 40, 40, 1, 1, 1], k=chance.randrange(4))
    new: Known = {}
    for size in sizes:
        new.setdefault(chance.choice("ab"), {})[chance.randrange(30)] = chance.randbytes(size)
    return kept, new


@pytest.mark.parametrize("seed", range(10))
def test_a_batch_finds_what_the_one_before_has_left(seed: int, tmp_path: Path) -> None:
    """Some batches have nothing for the bucket; some are done again, and what attempts have left is whole or not."""
    chance, directory = random.Random(seed), tmp_path / "1"
    state: tuple[str, Known] | None = None
    for batch in range(60):
        if chance.random() < 0.2:
            continue
        after: tuple[str, Known] = "", {}
        for _ in range(chance.choice([1, 1, 1, 3])):
            files = StateFiles(directory, batch)
            assert (files.version is None) == (state is None)
            if state is not None:
                assert all_of(files) == state
            kept, new = changed(chance, {} if state is None else state[1])
            places = {} if state is None else files.load()[1]
            left = {name: {n: places[name][n] for n in chunks} for name, chunks in kept.items()}
            text = str(chance.random())
            files.save(text, left, new)
            after = text, {name: {**kept.get(name, {}), **new.get(name, {})} for name in {**kept, **new}}
            if chance.random() < 0.2:
                (directory / f".{batch}-0badbad").write_bytes(b"half")
        state = after
    assert state is not None
    ((bucket, files),) = buckets_behind(tmp_path, 60)
    assert bucket == 1 and all_of(files) == state


def test_what_nobody_needs_goes_some_batches_later(tmp_path: Path) -> None:
    places: dict[str, dict[int, object]] = {}
    for batch in range(5 * RETAINED):
        files = StateFiles(tmp_path, batch)
        new = {"log": {0: b"x" * 100}} | ({"rows": {batch: b"y" * LARGE}} if batch % 10 == 0 else {})
        _, places = files.save("", {"rows": places.get("rows", {})}, new)  # type: ignore[assignment,dict-item]
    assert len(places["rows"]) == 5
    assert len(list(tmp_path.iterdir())) <= 5 + RETAINED + 2
    files = StateFiles(tmp_path, 5 * RETAINED)
    assert all(len(files.read(at)) == LARGE for at in files.load()[1]["rows"].values())


@pytest.mark.parametrize("large", [False, True])
def test_a_file_that_is_lost_or_damaged_is_named(large: bool, tmp_path: Path) -> None:
    files = StateFiles(tmp_path, 0)
    _, places = files.save("text", {}, {"rows": {1: b"z" * (LARGE if large else 50)}})
    place = places["rows"][1]
    path = tmp_path / place.file
    content = bytearray(path.read_bytes())
    content[place.start] ^= 1
    path.write_bytes(content)
    again = StateFiles(tmp_path, 1)
    assert again.load()[0] == "text"
    with pytest.raises(QueryError, match=f"{path} is damaged"):
        again.read(place)
    path.unlink()
    with pytest.raises(QueryError, match=f"{path} does not exist"):
        again.read(place)


@pytest.mark.parametrize("left", [0, 10, 40])
def test_a_version_that_is_cut_off_is_named(left: int, tmp_path: Path) -> None:
    version, _ = StateFiles(tmp_path, 0).save("text", {}, {"rows": {1: b"z" * 50}})
    os.truncate(tmp_path / version, left)
    with pytest.raises(QueryError, match=f"{version} is damaged"):
        StateFiles(tmp_path, 1).load()
