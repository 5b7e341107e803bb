"""Cutover: a new plan takes over from an old one while the merge runs, and nothing is lost or said twice.

The new plan begins with minute 10 and is attached from minute 11 on: all that ends then or later it will have. When the
merge has come so far, the old plan is detached and stopped.

    python examples/cutover.py [directory]
"""

from pathlib import Path

from running import elements, main, put, queries, running

from punctum.session import Session

SCRIPT = """
CREATE STREAM sale (shop BIGINT, minute BIGINT, amount BIGINT, PUNCTUATED ON (minute ASC))
  USING json OPTIONS (path 'in');
CREATE TEMPORAL STREAM at_once AS SELECT SUM(amount) AS total, minute AS _vs FROM sale GROUP BY minute;
CREATE TEMPORAL STREAM by_shop AS SELECT SUM(part) AS total, minute AS _vs
  FROM (SELECT shop, minute, SUM(amount) AS part FROM sale WHERE minute >= 10 GROUP BY shop, minute) GROUP BY minute;
CREATE SINK old USING json OPTIONS (path 'old', elements 'true');
CREATE SINK new USING json OPTIONS (path 'new', elements 'true');
INSERT INTO old SELECT * FROM at_once;
INSERT INTO new SELECT * FROM by_shop;
"""
MERGE = """
CREATE TEMPORAL STREAM old (total BIGINT, KEY (total)) USING json OPTIONS (path 'old');
CREATE TEMPORAL STREAM new (total BIGINT, KEY (total)) USING json OPTIONS (path 'new');
CREATE STREAM m AS LMERGE (old, new) OPTIONS (control 'control', absent 'new');
CREATE SINK merged USING json OPTIONS (path 'merged', elements 'true');
INSERT INTO merged SELECT * FROM m;
"""


def sold(directory: Path, step: int, end: dict[str, object]) -> None:
    """Ten minutes of sales."""
    minutes = range(10 * step, 10 * step + 10)
    sales = [{"shop": shop, "minute": minute, "amount": minute + shop} for minute in minutes for shop in range(3)]
    put(directory / "in", f"{step}", [*sales, {"$punct": end}])


def example(session: Session, directory: Path) -> list[int]:
    """Run it; the minutes of the merge."""
    for name in ("in", "old", "new", "control"):
        (directory / name).mkdir()
    plans, merge = queries(session, SCRIPT, directory), queries(session, MERGE, directory)["merged"]
    with running(directory, merge, plans["new"]):
        with running(directory, plans["old"]):
            sold(directory, 0, {"minute": {"lt": 10}})
            plans["old"].catch_up()
            merge.attach("new", since=11)
            sold(directory, 1, {"minute": {"lt": 20}})
            for query in (plans["old"], plans["new"], merge):
                query.catch_up()
        print(f"both plans: the merge has {len(elements(directory / 'merged'))} minutes")
        merge.detach("old")
        sold(directory, 2, {})
        plans["new"].catch_up()
        merge.catch_up()
    minutes = sorted(each["_vs"] for each in elements(directory / "merged"))
    print(f"the new plan alone: the merge has {len(minutes)} minutes, {len(set(minutes))} different ones")
    return minutes


if __name__ == "__main__":
    main(example)
