"""What a checkpoint remembers of its buckets: their numbers, and, when these have become more, where their state is."""

import json
from collections.abc import Mapping
from typing import Any

from punctum.engine.recovery.durable import read_sealed, write_sealed
from punctum.storage.location import Location

BUCKETS = "buckets.json"
"""The file that says it."""


def bucket_notes(checkpoint: Location) -> dict[str, Any]:
    """What a checkpoint says of its buckets, if it does.

    When these have become more: where their state is, behind which batch it began, and what metrics say of them then.
    """
    path = checkpoint / "punctum" / BUCKETS
    notes: dict[str, Any] = json.loads(read_sealed(path)) if path.exists() else {}
    return notes


def write_buckets(checkpoint: Location, notes: Mapping[str, Any]) -> None:
    """Write down what a checkpoint says of its buckets: from now on that is how they are."""
    write_sealed(checkpoint / "punctum" / BUCKETS, json.dumps(notes))


def state_directory(checkpoint: Location) -> Location:
    """Where the states are, by stage and bucket."""
    return checkpoint / "punctum" / str(bucket_notes(checkpoint).get("state", "state"))
