"""Time travel: what comes out in all slices is a database's answer, and what is kept goes when it is said to."""

import json
from collections import Counter
from functools import cache
from typing import Any

import duckdb
import pytest

from punctum.compile import compile
from punctum.page.picture import picture
from punctum.page.steps import steps
from punctum.page.stories import STORIES, story

TRAVELLED = [each.name for each in STORIES if each.slices]
BATCH = {
    "auction": "SELECT i.itemid, i.name, COUNT(*) AS bids, i.initialprice + SUM(b.increase) AS price FROM item i"
    " JOIN bid b ON i.itemid = b.itemid GROUP BY i.itemid, i.name, i.initialprice",
    "warehouse": "SELECT hour, MAX(currtmp) AS maxtemp FROM (SELECT hour, currtmp FROM sensor1"
    " UNION SELECT hour, currtmp FROM sensor2) GROUP BY hour",
    "outage": "(SELECT zoneid, hour FROM monitor1 UNION SELECT zoneid, hour FROM monitor2)"
    " EXCEPT SELECT zoneid, hour FROM phone",
}


@cache
def travelled(name: str) -> list[dict[str, Any]]:
    (query,) = compile(story(name).sql).queries
    return steps(query, story(name).slices)


@pytest.mark.parametrize("name", TRAVELLED)
def test_all_slices_give_the_answer_of_a_database(name: str) -> None:
    done = travelled(name)
    rejected = [(each["stream"], json.loads(each["text"])) for step in done for each in step["rejected"]]
    with duckdb.connect() as database:
        for stream in done[0]["sends"]:
            rows = [row for step in done for row in step["sends"][stream] if "$punct" not in row]
            late = [row for name, row in rejected if name == stream]  # with the columns that are read
            taken = [row for row in rows if not any(of.items() <= row.items() for of in late)]
            assert len(rows) - len(taken) == len(late)
            types = ["VARCHAR" if isinstance(value, str) else "DOUBLE" for value in rows[0].values()]
            columns = ", ".join(f"{name} {kind}" for name, kind in zip(rows[0], types, strict=True))
            database.execute(f"CREATE TABLE {stream} ({columns})")
            places = ", ".join("?" * len(types))
            database.executemany(f"INSERT INTO {stream} VALUES ({places})", [list(row.values()) for row in taken])
        wanted = Counter(database.sql(BATCH[name]).fetchall())
    assert Counter(tuple(row.values()) for step in done for row in step["rows"]) == wanted


@pytest.mark.parametrize("name", TRAVELLED)
def test_nothing_is_kept_behind_the_end(name: str) -> None:
    done = travelled(name)
    assert any(table["rows"] for step in done for table in step["tables"])
    assert not any(table["rows"] for table in done[-1]["tables"])


@pytest.mark.parametrize("name", TRAVELLED)
def test_rows_that_are_new_and_gone_lead_from_step_to_step(name: str) -> None:
    before: dict[tuple[str, str], Counter[str]] = {}
    for step in travelled(name):
        for table in step["tables"]:
            key = table["operator"], table["name"]
            now = Counter(json.dumps(each["row"]) for each in table["rows"])
            new = Counter(json.dumps(each["row"]) for each in table["rows"] if each["new"])
            new += Counter(json.dumps(each["row"]) for each in table["rows"] if "was" in each)
            gone = Counter(
                json.dumps(row) for row in [*table["gone"], *(r["was"] for r in table["rows"] if "was" in r)]
            )
            assert before.get(key, Counter()) - gone + new == now
            before[key] = now


def test_a_group_that_changes_is_neither_new_nor_gone() -> None:
    _, groups = (table for table in travelled("auction")[1]["tables"] if table["rows"])
    vase = next(each for each in groups["rows"] if each["row"]["name"] == "vase")
    assert not vase["new"] and (vase["was"]["COUNT(*)"], vase["row"]["COUNT(*)"]) == (1, 2)
    assert [row["name"] for row in groups["gone"]] == ["lamp"], "the auction that was closed"


@pytest.mark.parametrize("name", TRAVELLED)
def test_the_counts_of_edges_are_counted(name: str) -> None:
    (query,) = compile(story(name).sql).queries
    for step in travelled(name):
        for edge in picture(query)["edges"]:
            operator, count = edge["counts"]
            assert count in step["operators"][operator], edge
        sent = sum(len([row for row in rows if "$punct" not in row]) for rows in step["sends"].values())
        counts = [n for of in step["operators"].values() for what, n in of.items() if what.startswith("rows_from ")]
        assert sum(counts) == sent - len(step["rejected"])


def test_stories_say_something_on_each_slice() -> None:
    for each in STORIES:
        assert each.whole["title"] and each.whole["text"] and len(each.whole["says"]) == len(each.slices)
        assert all(each.whole["says"])
    assert len(TRAVELLED) >= 3
