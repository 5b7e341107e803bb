"""Fast availability: two plans of one query, merged. Whoever has a minute first brings it.

One plan sums the sales of a minute at once, the other one sums them by shop first. Here the first plan stops halfway,
and the second one goes on; nobody who reads the merge can tell.

    python examples/fast_availability.py [directory]
"""

from pathlib import Path

from running import elements, main, put, queries, running

from punctum.session import Session

SCRIPT = """
CREATE STREAM sale (shop BIGINT, minute BIGINT, amount BIGINT, PUNCTUATED ON (minute ASC))
  USING json OPTIONS (path 'in');
CREATE TEMPORAL STREAM at_once AS SELECT SUM(amount) AS total, minute AS _vs FROM sale GROUP BY minute;
CREATE TEMPORAL STREAM by_shop AS SELECT SUM(part) AS total, minute AS _vs
  FROM (SELECT shop, minute, SUM(amount) AS part FROM sale GROUP BY shop, minute) GROUP BY minute;
CREATE SINK one USING json OPTIONS (path 'one', elements 'true');
CREATE SINK two USING json OPTIONS (path 'two', elements 'true');
INSERT INTO one SELECT * FROM at_once;
INSERT INTO two SELECT * FROM by_shop;
"""
MERGE = """
CREATE TEMPORAL STREAM one (total BIGINT, KEY (total)) USING json OPTIONS (path 'one');
CREATE TEMPORAL STREAM two (total BIGINT, KEY (total)) USING json OPTIONS (path 'two');
CREATE STREAM m AS LMERGE (one, two);
CREATE SINK merged USING json OPTIONS (path 'merged', elements 'true');
INSERT INTO merged SELECT * FROM m;
"""


def example(session: Session, directory: Path) -> dict[int, int]:
    """Run it; the totals by minute."""
    for name in ("in", "one", "two"):
        (directory / name).mkdir()
    plans, merge = queries(session, SCRIPT, directory), queries(session, MERGE, directory)["merged"]
    with running(directory, merge):
        for step, (name, end) in enumerate([("one", {"minute": {"lt": 10}}), ("two", {})]):
            sales = [
                {"shop": shop, "minute": minute, "amount": minute + shop}
                for minute in range(10 * step, 10 * step + 10)
                for shop in range(3)
            ]
            put(directory / "in", f"{step}", [*sales, {"$punct": end}])
            with running(directory, plans[name]):
                plans[name].catch_up()
            merge.catch_up()
            counts = {each: len(elements(directory / each)) for each in ("one", "two", "merged")}
            print(f"plan {name} runs: " + ", ".join(f"{each} has {n} minutes" for each, n in counts.items()))
    return {each["_vs"]: each["total"] for each in elements(directory / "merged")}


if __name__ == "__main__":
    main(example)
