"""Which files of a directory are read, and in which order."""

import json
import os
from pathlib import Path

from punctum.engine.listing import SINK_LOG, listed


def test_files_come_in_the_order_of_their_last_change(tmp_path: Path) -> None:
    for name, time in (("b.json", 1), ("a.json", 2), ("c.json", 1), (".hidden", 1), ("_SUCCESS", 1)):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (time, time))
    (tmp_path / "directory").mkdir()
    assert listed(tmp_path) == ["b.json", "c.json", "a.json"]
    assert listed(tmp_path, but={"c.json"}) == ["b.json", "a.json"]


def commit(directory: Path, batch: str, *names: str) -> None:
    (directory / SINK_LOG).mkdir(exist_ok=True)
    lines = [json.dumps({"path": f"file://{directory}/{name}", "action": "add"}) for name in names]
    (directory / SINK_LOG / batch).write_text("\n".join(["v1", *lines]))


def test_of_a_sinks_directory_only_what_is_committed(tmp_path: Path) -> None:
    for name in ("part-0", "part 1", "part-2", "left over"):
        (tmp_path / name).touch()
    commit(tmp_path, "0", "part-2", "part%201")
    commit(tmp_path, ".1.tmp", "left over")
    assert listed(tmp_path) == ["part-2", "part 1"]
    commit(tmp_path, "9.compact", "part-2", "part%201", "part-0")
    commit(tmp_path, "10", "part-3")
    commit(tmp_path, "11", "part-4")
    commit(tmp_path, "2", "part-0")
    assert listed(tmp_path) == ["part-2", "part 1", "part-0", "part-3", "part-4"]
    assert listed(tmp_path, but={"part-2", "part-3"}) == ["part 1", "part-0", "part-4"]
