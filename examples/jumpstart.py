"""Jumpstart: a merge starts with what an earlier copy has stored, and goes on with a live one.

Processes run for days. A copy that starts now hears what runs now and what comes, and nothing of what is over. What an
earlier copy has written is one more input: it brings the past, up to where it was stored, and the live copy joins from
that time on.

    python examples/jumpstart.py [directory]
"""

from pathlib import Path
from typing import Any

from running import elements, main, put, queries, running

from punctum.session import Session

MERGE = """
CREATE TEMPORAL STREAM stored (process STRING, KEY (process)) USING json OPTIONS (path 'stored');
CREATE TEMPORAL STREAM live (process STRING, KEY (process)) USING json OPTIONS (path 'live');
CREATE STREAM m AS LMERGE (stored, live) OPTIONS (control 'control', absent 'live');
CREATE SINK merged USING json OPTIONS (path 'merged', elements 'true');
INSERT INTO merged SELECT * FROM m;
"""
STORED = [
    {"process": "init", "_vs": 1, "_ve": None},
    {"process": "backup", "_vs": 2, "_ve": 5},
    {"$stable": 10},
]
LIVE = [
    {"process": "init", "_vs": 1, "_ve": None},
    {"process": "report", "_vs": 11, "_ve": 13},
    {"process": "init", "_vs": 1, "_vold": None, "_ve": 14},
    {"$stable": None},
]


def example(session: Session, directory: Path) -> list[dict[str, Any]]:
    """Run it; the elements of the merge."""
    for name in ("stored", "live", "control"):
        (directory / name).mkdir()
    put(directory / "stored", "0", STORED)
    merge = queries(session, MERGE, directory)["merged"]
    with running(directory, merge):
        merge.catch_up()
        print(f"with what was stored: {len(elements(directory / 'merged'))} processes")
        merge.attach("live", since=10)
        put(directory / "live", "0", LIVE)
        merge.catch_up()
    for each in elements(directory / "merged"):
        print(each)
    return elements(directory / "merged")


if __name__ == "__main__":
    main(example)
