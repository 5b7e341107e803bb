"""What a checkpoint remembers beside Spark's own files: the buckets of its query, and how keys are dealt out to them.

The first run writes them. Later runs go on with the same buckets, whatever the session's number of partitions has
become, and refuse to go on when keys would now go to other buckets than their state is in.
"""

import json
import os
from pathlib import Path
from uuid import uuid4

import polars as pl

from punctum.errors import QueryError

_PROBE = pl.DataFrame({"text": ["", "vase", "é"], "number": [17, -1, None], "price": [0.5, None, -2.0]})


def query_id(checkpoint: Path) -> str:
    """The id of the query that has this checkpoint, made up by its first run: the names of its files hold it."""
    path = checkpoint / "punctum" / "id"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".new")
        part.write_text(uuid4().hex[:8])
        part.replace(path)
    return path.read_text()


def settled_buckets(checkpoint: str, wanted: tuple[int, ...]) -> tuple[int, ...]:
    """The buckets of the query that has this checkpoint: those of its first run, or those wanted."""
    path = Path(checkpoint) / "punctum" / "buckets.json"
    placing = [str(value) for value in _PROBE.hash_rows(17)]
    if path.exists():
        known = json.loads(path.read_text())
        if known["placing"] != placing:
            detail = f"{path} was written with Polars {known['polars']}, which hashes otherwise than {pl.__version__}"
            hint = f"go on with Polars {known['polars']}, or start with a new checkpoint"
            raise QueryError("keys would no longer go to the buckets that their state is in", detail, hint)
        return tuple(known["buckets"])
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".new")
    with part.open("w") as out:
        json.dump({"buckets": wanted, "placing": placing, "polars": pl.__version__}, out)
        out.flush()
        os.fsync(out.fileno())
    part.replace(path)
    return wanted
