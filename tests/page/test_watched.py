"""What the page says of a query: its batches are those of the file, whatever has happened to it."""

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from page.serving import ask, batch, checkpoint, write_metrics
from punctum.errors import QueryError
from punctum.page.serve import LivePage
from punctum.page.stories import story
from punctum.page.watched import MOST, Handles, WatchedQuery, by_reason, shown, watched

SQL = story("auction").sql
COUNTS = {"s1o0": {"rows_in": 3, "rows_out": 2, "rows_purged": 1, "rows_kept": 4, "bytes_kept": 64}}


def some(first: int, end: int, again: float = 0.0) -> list[dict[str, Any]]:
    return [batch(n, 1000.0 + n + again, COUNTS | {"s1o1": {"rows_out": n}}, n % 2) for n in range(first, end)]


def plain(batches: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return list(map(shown, batches))


def test_batches_are_those_of_the_file(tmp_path: Path) -> None:
    path = checkpoint(tmp_path, SQL, some(0, 3))
    query = WatchedQuery(path)
    assert query.batches() == plain(some(0, 3))
    write_metrics(path, some(0, 5))
    assert query.batches() == plain(some(0, 5))


def test_a_line_that_is_being_written_is_waited_for(tmp_path: Path) -> None:
    path = checkpoint(tmp_path, SQL, some(0, 2))
    query, file = WatchedQuery(path), path / "punctum" / "metrics.jsonl"
    query.batches()
    line = json.dumps(some(2, 3)[0]) + "\n"
    with file.open("a") as out:
        out.write(line[:40])
    assert query.batches() == plain(some(0, 2))
    with file.open("a") as out:
        out.write(line[40:])
    assert query.batches() == plain(some(0, 3))


def test_what_a_later_run_takes_back_is_forgotten(tmp_path: Path) -> None:
    """After a crash the last batch is done again; a checkpoint that begins anew has nothing of the old one."""
    path = checkpoint(tmp_path, SQL, some(0, 4))
    query = WatchedQuery(path)
    assert len(query.batches()) == 4
    write_metrics(path, [*some(0, 3), *some(3, 4, again=60)])
    assert query.batches() == plain([*some(0, 3), *some(3, 4, again=60)])
    write_metrics(path, some(0, 1, again=600))
    assert query.batches() == plain(some(0, 1, again=600))


def test_the_last_ones_are_shown_of_many(tmp_path: Path) -> None:
    path = checkpoint(tmp_path, SQL, some(0, MOST + 50))
    assert [each["batch"] for each in WatchedQuery(path).batches()] == list(range(50, MOST + 50))


def test_a_query_of_this_process_goes_on_from_the_file(tmp_path: Path) -> None:
    """Before its own batches stand those of the runs before."""
    path, recent = checkpoint(tmp_path, SQL, some(0, 3)), list[dict[str, Any]]()
    nothing = lambda *_: None  # noqa: E731
    query = WatchedQuery(path, handles=Handles(lambda: recent, lambda: "running", str, nothing, nothing, nothing))
    assert query.batches() == plain(some(0, 3)) and query.status() == {"status": "running", "failure": ""}
    recent += plain(some(3, 5))
    assert query.batches() == plain(some(0, 5))


def test_what_is_no_checkpoint_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(QueryError, match="is not the checkpoint of a query"):
        watched(tmp_path)


def test_records_are_counted_by_reason() -> None:
    records = [{"stream": "a", "reason": "r", "text": str(n), "file": "f", "position": n} for n in range(1, 8)]
    told = by_reason([*records, {"stream": "b", "reason": "r", "text": "x", "count": 9}], 2)
    assert told["rows"] == 16
    assert [(each["stream"], each["rows"]) for each in told["reasons"]] == [("b", 9), ("a", 7)]
    assert [record["place"] for record in told["reasons"][1]["records"]] == ["a, f:6", "a, f:7"]


def test_the_twin_says_what_the_file_says(tmp_path: Path) -> None:
    path = checkpoint(tmp_path, SQL, some(0, 4))
    with LivePage() as page:
        page.show(WatchedQuery(path))
        assert ask(page, "api/queries/closing/batches")[1] == plain(some(0, 4))
        assert ask(page, "api/queries/closing/batches?since=1")[1] == plain(some(2, 4))
        (summary,) = ask(page, "api/queries")[1]
        assert summary == {"name": "closing", "status": "elsewhere", "failure": "", "control": False} | {
            "last": plain(some(3, 4))[0]
        }
        picture = ask(page, "api/queries/closing")[1]["picture"]
        assert picture["sql"] == SQL and [node["id"] for node in picture["nodes"]][:3] == [
            "stream item",
            "stream bid",
            "s1o0",
        ]
        assert ask(page, "api/queries/none")[0] == 404
        assert ask(page, "api/queries/closing/batches?since=x")[0] == 400
        assert ask(page, "api/queries/closing/control", body='{"do": "stop"}')[0] in (404, 405), "it is read-only"


def test_controls_are_there_when_they_are_asked_for(tmp_path: Path) -> None:
    path, done = checkpoint(tmp_path, SQL, some(0, 1)), list[object]()

    def attach(name: str, since: object) -> None:
        if name == "x":
            raise QueryError("the query closing merges no x", "available: a", "")
        done.append((name, since))

    handles = Handles(list, lambda: "running", str, lambda: done.append("stop"), attach, lambda name: done.append(name))
    with LivePage(control=True) as page:
        page.show(WatchedQuery(path, handles=handles))
        ways: list[tuple[object, int]] = [
            ({"do": "attach", "input": "a", "since": 100}, 200),
            ({"do": "detach", "input": "a"}, 200),
            ({"do": "attach", "input": "x"}, 409),
            ({"do": "stop"}, 200),
            ({"do": "other"}, 400),
            ([], 400),
        ]
        for body, status in ways:
            assert ask(page, "api/queries/closing/control", body=json.dumps(body))[0] == status, body
        assert done == [("a", 100), "a", "stop"]
        assert ask(page, "api/queries/closing/control", {"Origin": "http://evil.example"}, '{"do": "stop"}')[0] == 403
        assert done[-1:] == ["stop"] and len(done) == 3


def test_two_queries_of_one_name_are_two(tmp_path: Path) -> None:
    paths = [checkpoint(tmp_path / f"{n}/x", SQL, some(0, n)) for n in (1, 2)]
    with LivePage() as page:
        for path in (*paths, paths[0]):
            page.show(WatchedQuery(path))
        assert {each["name"]: each["last"]["batch"] for each in ask(page, "api/queries")[1]} == {
            "closing": 0,
            "closing 2": 1,
        }
        assert ask(page, "api/queries/closing%202")[1]["picture"]["name"] == "closing 2"


@pytest.mark.parametrize("name", ["a/b", "batches", "a/batches", "%2f", "..", "<script>", "?x=1", "a#b", "é ö"])
def test_any_name_has_its_answers(tmp_path: Path, name: str) -> None:
    sql = f"CREATE STREAM a (k BIGINT, PUNCTUATED ON (k)) USING memory; CREATE SINK `{name}` USING console;"
    path = checkpoint(tmp_path, f"{sql} INSERT INTO `{name}` SELECT DISTINCT k FROM a;", some(0, 2))
    with LivePage() as page:
        page.show(WatchedQuery(path))
        asked = f"api/queries/{quote(name, safe='')}"
        assert ask(page, asked)[1]["picture"]["name"] == name
        assert ask(page, f"{asked}/batches")[1] == plain(some(0, 2))


@pytest.mark.parametrize("damaged", ['{"picture": ', "[]", "{}", "null", None])
def test_notes_that_are_damaged_leave_the_operators(tmp_path: Path, damaged: str | None) -> None:
    """Whoever only looks does not fail by them, nor by a checkpoint of a version that wrote none."""
    path = checkpoint(tmp_path, SQL, some(0, 1))
    file = path / "punctum" / "page.json"
    file.unlink() if damaged is None else file.write_text(damaged)
    with LivePage() as page:
        page.show(WatchedQuery(path))
        picture = ask(page, f"api/queries/{tmp_path.name}")[1]["picture"]
        assert [node["id"] for node in picture["nodes"]] == ["s1o0", "s1o1", "s1o2"]
        assert ask(page, f"api/queries/{tmp_path.name}/batches")[1] == plain(some(0, 1))


def test_feedback_is_what_its_files_say(tmp_path: Path) -> None:
    temporal = "CREATE TEMPORAL STREAM {0} (k BIGINT, KEY (k)) USING json OPTIONS (path '{0}'{1});"
    sql = temporal.format("a", ", feedback 'up/a'") + temporal.format("b", "")
    sql += "CREATE STREAM m AS LMERGE (a, b) OPTIONS (feedback 'm.feedback');"
    sql += (
        "CREATE SINK o USING json OPTIONS (path 'o', elements 'true', feedback 'x, y'); INSERT INTO o SELECT * FROM m;"
    )
    path = checkpoint(tmp_path, sql, some(0, 1))
    (path / "m.feedback").write_text('{"$punct": {"_ve": {"le": 10}}}')
    (path / "y").write_text("{")
    with LivePage() as page:
        page.show(WatchedQuery(path))
        assert ask(page, "api/queries/o/feedback")[1] == [
            {"way": "sent", "file": "m.feedback", "says": {"$punct": {"_ve": {"le": 10}}}},
            {"way": "sent", "file": "a", "says": None},
            {"way": "received", "file": "x", "says": None},
            {"way": "received", "file": "y", "says": None},
        ]
