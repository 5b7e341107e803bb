"""What a checkpoint remembers beside Spark's own files."""

import json
from pathlib import Path

import pytest

from punctum.engine.checkpoint import settled_buckets
from punctum.errors import QueryError


def test_later_runs_keep_the_buckets_of_the_first(tmp_path: Path) -> None:
    assert settled_buckets(str(tmp_path), (3, 8)) == (3, 8)
    assert settled_buckets(str(tmp_path), (1, 2, 5, 6)) == (3, 8)


def test_keys_that_would_go_elsewhere_are_refused(tmp_path: Path) -> None:
    settled_buckets(str(tmp_path), (3, 8))
    path = tmp_path / "punctum" / "buckets.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"placing": ["1", "2", "3"], "polars": "0.1"}))
    with pytest.raises(QueryError, match=r"go on with Polars 0\.1"):
        settled_buckets(str(tmp_path), (3, 8))
