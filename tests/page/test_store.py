"""A checkpoint in a store is shown as one of this machine is."""

import json
from pathlib import Path

import pytest

from page.serving import ask, batch, checkpoint
from punctum.page.serve import LivePage
from punctum.page.stories import story
from punctum.page.watched import Handles, WatchedQuery, shown, watched
from punctum.storage.location import StorePath
from storage.server import NO_SERVER, has_server, s3_server

pytestmark = pytest.mark.skipif(not has_server(), reason=NO_SERVER)
BATCHES = [batch(n, 1000.0 + n, {"s1o0": {"rows_in": n, "rows_kept": 4, "bytes_kept": 64}}, n) for n in range(3)]


def test_a_checkpoint_in_a_store_is_shown(tmp_path: Path) -> None:
    path = checkpoint(tmp_path / "c", story("auction").sql, BATCHES)
    with s3_server("bucket"), LivePage() as page:
        place = StorePath("s3", "bucket", "state/closing")
        for file in (each for each in path.rglob("*") if each.is_file()):
            (place / str(file.relative_to(path))).write_bytes(file.read_bytes())
        record = {"stream": "bid", "reason": "not JSON", "text": "{", "file": "a.json", "position": 3}
        (place / "quarantine/part-x-000000.json").write_text(json.dumps(record) + "\n")
        notes = json.loads((place / "punctum/page.json").read_text()) | {"quarantine": str(place / "quarantine")}
        (place / "punctum/page.json").write_text(json.dumps(notes))
        page.show(query := watched(place))
        assert ask(page, "api/queries/closing/batches")[1] == [shown(each) for each in BATCHES]
        assert ask(page, "api/queries/closing/quarantine")[1]["rows"] == 1
        for what in ("state?show=5", "waiting", "feedback"):
            assert ask(page, f"api/queries/closing/{what}")[0] == 200
        assert query.stamp() == query.stamp()
        nothing = lambda *_: None  # noqa: E731
        mine = WatchedQuery(place, handles=Handles(list, lambda: "running", str, nothing, nothing, nothing))
        assert len(mine.batches()) == 3, "of the runs before"
