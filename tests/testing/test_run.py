"""Scripts that are tried without Spark: what comes out after each slice, however it is asked for, and what is wrong."""

from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest

from punctum.algebra import Punctuation, Schema
from punctum.errors import PunctumError, QueryError, RefusedError, SchemaError
from punctum.parse.script import parse_function
from punctum.testing import from_files, run, run_all
from punctum.testing.feeding import Data
from punctum.testing.scripts import How

AUCTION = """
CREATE STREAM item (itemid BIGINT, name STRING, PUNCTUATED ON (itemid)) USING json OPTIONS (path 'in/item');
CREATE STREAM bid (itemid BIGINT, increase DOUBLE, PUNCTUATED ON (itemid)) USING {format};
CREATE SINK closing USING json OPTIONS (path 'out/closing');
INSERT INTO closing
SELECT i.itemid, SUM(b.increase) AS total FROM item i JOIN bid b ON i.itemid = b.itemid GROUP BY i.itemid;
"""
JSON = AUCTION.format(format="json OPTIONS (path 'in/bid')")
CLOSED = {"$punct": {"itemid": 17}}
ITEMS: list[list[Any]] = [[(17, "vase"), (18, "lamp"), {"$punct": {"itemid": {"le": 18}}}]]
BIDS: list[list[Any]] = [[(17, 5.0), {"itemid": 18, "increase": 9}], ['{"itemid": 17, "increase": 2}', CLOSED]]
DATA: Data = {"item": ITEMS, "bid": BIDS}


def test_each_slice_tells_what_has_come_of_it() -> None:
    outcome = run(JSON, DATA)
    assert [piece.rows for piece in outcome.slices] == [[], [{"itemid": 17, "total": 7.0}]]
    assert [piece.punctuations for piece in outcome.slices] == [(), ('{"$punct": {"itemid": 17}}',)]
    assert (outcome.rows, outcome.punctuations) == ([{"itemid": 17, "total": 7.0}], [CLOSED])
    assert outcome.quarantine == []
    assert outcome.kept == [4, 2]  # two items, which bids may meet, and two sums; then one of each
    kept = {name: rows for name, rows in outcome.slices[1].state.items() if len(rows)}
    assert [rows[rows.columns[0]].to_list() for rows in kept.values()] == [[18], [18]]
    assert outcome.frame.rows() == [(17, 7.0)]


@pytest.mark.parametrize(
    "how",
    [
        {"buckets": 1},
        {"buckets": 7},
        {"cut": 1},
        {"cut": 2, "restart": True},
        *({"cut": Random(seed), "buckets": seed, "restart": seed % 2 == 0} for seed in range(1, 6)),
    ],
    ids=lambda how: " ".join(name if name == "cut" else f"{name} {value}" for name, value in how.items()),
)
def test_cuts_buckets_and_restarts_change_nothing(how: How) -> None:
    late: Data = {**DATA, "bid": [*BIDS, [(17, 1.0), "no json"]]}
    wanted, found = run(JSON, late), run(JSON, late, **how)
    assert found.rows == wanted.rows == [{"itemid": 17, "total": 7.0}]
    assert sorted(found.quarantine) == sorted(wanted.quarantine)
    assert found.kept[-1] == wanted.kept[-1] == 2


def test_what_is_not_taken_is_told() -> None:
    bids: list[Any] = [(17, 5.0), CLOSED, (17, 1.0), {"itemid": "x", "increase": 1.0}, {"itemid": 1}]
    wrong, short, late = run(JSON, {"bid": bids}).quarantine
    assert late == ("bid", "the row matches an earlier punctuation", '{"itemid":17,"increase":1.0}')
    assert wrong[1].startswith("the column itemid has a wrong value")
    assert short[1].startswith("the row has no column increase")


def test_a_stream_may_fail_when_it_is_violated() -> None:
    script = JSON.replace(") USING json OPTIONS (path 'in/bid')", ") ON VIOLATION FAIL USING memory")
    wrong: list[list[Any]] = [[CLOSED, (17, 1.0)], ["no json"]]
    for bids in wrong:
        with pytest.raises(QueryError, match="ON VIOLATION FAIL"):
            run(script, {"bid": bids})


@pytest.mark.parametrize("format_", ["kafka OPTIONS (topic 'b', brokers 'b:9')", "memory"])
def test_streams_are_given_elements_whatever_their_format(format_: str) -> None:
    script = AUCTION.format(format=format_)
    assert run(script, DATA).rows == run(script, DATA, cut=1).rows == [{"itemid": 17, "total": 7.0}]


def test_elements_may_be_punctuations_as_values() -> None:
    schema = Schema.of(itemid="BIGINT", increase="DOUBLE")
    closed = [*BIDS[0], (17, 2.0), Punctuation.of(schema, itemid=17)]
    assert run(JSON, {**DATA, "bid": closed}).rows == [{"itemid": 17, "total": 7.0}]


def test_streams_end_behind_the_last_slice() -> None:
    outcome = run(JSON, DATA, end=True)
    assert [piece.rows for piece in outcome.slices][-1] == [{"itemid": 18, "total": 9.0}]
    assert outcome.kept[-1] == 0


def test_files_are_slices(tmp_path: Path) -> None:
    script = tmp_path / "auction.sql"
    script.write_text(AUCTION.format(format="csv OPTIONS (path 'in/bid', header 'true')"))
    for name in ("item", "bid"):
        (tmp_path / "in" / name).mkdir(parents=True)
    (tmp_path / "in/item/1.json").write_text('{"itemid": 17, "name": "vase"}\n{"$punct": {}}\n')
    for n, text in enumerate(["17,5,\n18,9,\n", '17,2,\n,,"{""$punct"": {""itemid"": 17}}"\n']):
        (tmp_path / f"in/bid/{n}.csv").write_text(f"itemid,increase,_punct\n{text}")
    (tmp_path / "in/bid/_hidden").write_text("is not read")
    given = from_files(script)
    assert {name: [path.name for path in paths] for name, paths in given.items()} == {
        "item": ["1.json"],
        "bid": ["0.csv", "1.csv"],
    }
    assert run(script, given).rows == run(script.read_text(), given).rows == [{"itemid": 17, "total": 7.0}]
    with pytest.raises(QueryError, match="cannot be cut anew"):
        run(script, given, cut=1)
    with pytest.raises(SchemaError, match="the directory of the stream item does not exist"):
        from_files(script, tmp_path / "elsewhere")


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ({"bid": [[17]]}, "17 is not an element of a stream"),
        ({"bid": [[(17,)]]}, "does not fit the schema"),
        ({"bid": [17]}, "the slices of bid are mixed up"),
        ({"bid": 17}, "bid has no slices"),
    ],
)
def test_what_is_no_data(data: Any, says: str) -> None:
    with pytest.raises(SchemaError, match=says):
        run(JSON, data)


TABLE = """
CREATE TABLE sensor (sid STRING, room STRING) USING json OPTIONS (path 'sensor.json');
CREATE STREAM report (sid STRING, hour BIGINT, temp DOUBLE, PUNCTUATE (hour) WHEN ALL sid IN sensor) USING memory;
CREATE SINK warmest USING console;
INSERT INTO warmest SELECT hour, MAX(temp) AS temp FROM report GROUP BY hour;
CREATE SINK placed USING console;
INSERT INTO placed SELECT room, temp FROM report r JOIN sensor s ON r.sid = s.sid;
"""
REPORTS = [("a", 1, 20.0), ("b", 1, 22.0), ("a", 2, 19.0)]


def test_tables_are_files_or_are_given(tmp_path: Path) -> None:
    rows = [{"sid": "a", "room": "hall"}, {"sid": "b", "room": "attic"}]
    given = run_all(TABLE, {"report": REPORTS, "sensor": rows})
    assert given["warmest"].rows == [{"hour": 1, "temp": 22.0}]
    placed = [{"room": "attic", "temp": 22.0}, {"room": "hall", "temp": 19.0}, {"room": "hall", "temp": 20.0}]
    assert given["placed"].rows == placed
    (tmp_path / "sensor.json").write_text('{"sid": "a", "room": "hall"}\n')
    read = run_all(TABLE, {"report": REPORTS}, directory=tmp_path)
    assert read["warmest"].rows == [{"hour": 1, "temp": 20.0}, {"hour": 2, "temp": 19.0}]
    assert [row["room"] for row in read["placed"].rows] == ["hall", "hall"]
    with pytest.raises(SchemaError, match="the table sensor cannot be read"):
        run_all(TABLE, {"report": REPORTS, "sensor": [{"sid": "a"}]})


def test_the_clock_stands_where_it_is_said() -> None:
    script = """
    CREATE STREAM a (k BIGINT, PUNCTUATED ON (k) EXPECT WITHIN '1 hour') USING memory;
    CREATE SINK n USING console;
    INSERT INTO n SELECT k, COUNT(*) AS n FROM a GROUP BY k;
    """
    times = [datetime(2026, 5, 1, 8 + minute // 60, minute % 60, tzinfo=UTC) for minute in (0, 59, 60)]
    outcome = run(script, {"a": [[(1,)]]}, times=times)
    assert outcome.kept == [2, 2, 0]
    (_, reason, text), (_, _, group) = outcome.quarantine
    assert reason.startswith("no punctuation ON (k) arrived within 1 hour: open since 2026-05-01 08:00")
    assert (text, group) == ("1 row", '{"k":1,"n":1}')


def test_functions_of_the_users_can_be_called() -> None:
    script = """
    CREATE STREAM bid (price DOUBLE) USING memory;
    CREATE SINK c USING console;
    INSERT INTO c SELECT cents(price) AS c FROM bid;
    """
    cents = parse_function("cents", lambda price: (100 * price).round(), ["DOUBLE"], "BIGINT")
    assert run(script, {"bid": [(1.5,)]}, functions={"cents": cents}).rows == [{"c": 150}]


def test_rows_of_order_by_keep_their_order() -> None:
    script = """
    CREATE STREAM a (k BIGINT, n BIGINT, PUNCTUATE (k ASC)) USING memory;
    CREATE SINK s USING console;
    INSERT INTO s SELECT n, k FROM a ORDER BY k;
    """
    outcome = run(script, {"a": [(1, 9), (2, 3), (3, 5), (4, 1)]}, buckets=4)
    assert [row["n"] for row in outcome.rows] == [9, 3, 5]


@pytest.mark.parametrize(
    "data, query, how, error",
    [
        (
            {"bids": []},
            "",
            {},
            "the script has no stream bids\n  detail: available: item, bid\n  hint: did you mean bid?",
        ),
        ({}, "closed", {}, "there is no query closed\n  detail: available: closing\n  hint: did you mean closing?"),
        ({"bid": [(1, 2.0)]}, "", {"cut": 0}, "a slice cannot have 0 elements"),
        ({"bid": [[(1, 2.0)], (1, 2.0)]}, "", {}, "the slices of bid are mixed up"),
        ({"bid": [(1, "x")]}, "", {}, "'x' is not a DOUBLE"),
    ],
)
def test_what_is_wrong_is_told(data: Data, query: str, how: How, error: str) -> None:
    with pytest.raises(PunctumError) as told:
        run(JSON, data, query, **how)
    assert error in str(told.value)


def test_a_query_that_is_refused_does_not_run() -> None:
    with pytest.raises(RefusedError, match="closing: refused"):
        run(JSON.replace("increase DOUBLE, PUNCTUATED ON (itemid)", "increase DOUBLE"), DATA)


def test_a_script_with_several_queries_wants_a_name() -> None:
    with pytest.raises(QueryError, match="the script has 2 queries"):
        run(TABLE, {})
    assert run(TABLE, {"sensor": [("a", "hall")]}, "WARMEST").query == "warmest"
