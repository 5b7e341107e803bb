"""Fast-forward: a plan that is behind skips what the merge has already had from another one.

Both plans look at each picture with an expensive function. The merge tells how far it is in the file `m.feedback`,
which the plans' sinks name; the second plan starts when the first one is nearly done, and looks at the last pictures
alone.

    python examples/fast_forward.py [directory]
"""

from functools import partial
from pathlib import Path

import polars as pl
from running import elements, main, put, queries, running

from punctum.session import Session

PLAN = """
CREATE STREAM picture (id BIGINT, taken BIGINT, PUNCTUATED ON (taken ASC)) USING json OPTIONS (path 'in');
CREATE TEMPORAL STREAM seen AS SELECT id, look_{0}(id) AS cats, taken AS _vs FROM picture;
CREATE SINK {0} USING json OPTIONS (path '{0}', elements 'true', feedback 'm.feedback');
INSERT INTO {0} SELECT * FROM seen;
"""
MERGE = """
CREATE TEMPORAL STREAM one (id BIGINT, cats BIGINT, KEY (id)) USING json OPTIONS (path 'one');
CREATE TEMPORAL STREAM two (id BIGINT, cats BIGINT, KEY (id)) USING json OPTIONS (path 'two');
CREATE STREAM m AS LMERGE (one, two) OPTIONS (feedback 'm.feedback');
CREATE SINK merged USING json OPTIONS (path 'merged', elements 'true');
INSERT INTO merged SELECT * FROM m;
"""
PICTURES = 100


def look(counts: Path, pictures: pl.Series) -> pl.Series:
    """How many cats there are in each picture; that it takes long is left to the imagination."""
    with counts.open("a") as out:
        out.write(f"{len(pictures)}\n")
    return pictures % 3


def looked(counts: Path) -> int:
    """For how many pictures the function was called."""
    return sum(map(int, counts.read_text().split())) if counts.exists() else 0


def example(session: Session, directory: Path) -> dict[str, int]:
    """Run it; how many pictures each plan has looked at."""
    for name in ("in", "one", "two"):
        (directory / name).mkdir()
        session.function(f"look_{name}", partial(look, directory / f"{name}.count"), ["BIGINT"], "BIGINT")
    plans = {name: queries(session, PLAN.format(name), directory)[name] for name in ("one", "two")}
    merge = queries(session, MERGE, directory)["merged"]
    pictures = [{"id": n, "taken": n} for n in range(PICTURES)]
    with running(directory, merge):
        put(directory / "in", "0", [*pictures[:90], {"$punct": {"taken": {"lt": 90}}}])
        with running(directory, plans["one"]):
            plans["one"].catch_up()
        merge.catch_up()
        print("the merge says", (directory / "m.feedback").read_text())
        put(directory / "in", "1", [*pictures[90:], {"$punct": {}}])
        with running(directory, plans["two"]):
            plans["two"].catch_up()
        merge.catch_up()
    counts = {name: looked(directory / f"{name}.count") for name in plans}
    print(", ".join(f"plan {name} has looked at {n} pictures" for name, n in counts.items()))
    print(f"the merge has {len(elements(directory / 'merged'))} of {PICTURES}")
    return counts


if __name__ == "__main__":
    main(example)
