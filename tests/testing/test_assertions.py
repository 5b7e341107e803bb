"""The assertions of ``punctum.testing`` hold where they should, and fail where they should."""

import pytest

from punctum.errors import QueryError
from punctum.testing import assert_equal_to_batch, assert_safe, batch
from punctum.testing.feeding import Data
from testing.test_run import DATA, JSON, REPORTS, TABLE

UNSAFE = JSON.replace("increase DOUBLE, PUNCTUATED ON (itemid)", "increase DOUBLE")


def script(select: str, streams: str = "") -> str:
    return f"""
    CREATE STREAM a (k BIGINT, x DOUBLE, t TIMESTAMP, PUNCTUATED ON (k)) USING memory;
    CREATE STREAM b (k BIGINT, s STRING, d DECIMAL(10, 2), PUNCTUATED ON (k)) USING memory;
    {streams}
    CREATE SINK o USING memory;
    INSERT INTO o {select};
    """.replace("USING memory;\n    INSERT", "USING console;\n    INSERT")


ROWS: Data = {
    "a": [(1, 1.5, None), {"k": 1, "x": "NaN", "t": "2026-05-01T10:00:00Z"}, (2, None, None), {"$punct": {"k": 1}}],
    "b": [{"k": 1, "s": "é", "d": "1.50"}, {"k": None, "s": None, "d": None}, {"k": 3, "s": "x", "d": "0.01"}],
}


def test_safe_scripts_are_safe_and_no_others() -> None:
    assert_safe(JSON)
    for unsafe in (UNSAFE, UNSAFE.replace("GROUP BY i.itemid;", "GROUP BY i.itemid ALLOW UNBOUNDED;")):
        with pytest.raises(AssertionError, match="bid promises no punctuation on the join key"):
            assert_safe(unsafe)
    with pytest.raises(AssertionError, match="no queries"):
        assert_safe("CREATE STREAM a (k BIGINT) USING memory;")


@pytest.mark.parametrize(
    "select, streams",
    [
        ("SELECT * FROM a", ""),
        ("SELECT a.k, x, s, d FROM a LEFT JOIN b ON a.k = b.k", ""),
        ("SELECT k, COUNT(*) AS n, SUM(x) AS total, MIN(t) AS t FROM a GROUP BY k", ""),
        ("SELECT k, SUM(d) AS d FROM b GROUP BY k HAVING SUM(d) > 1", ""),
        ("SELECT upper(s) AS s, k / 2 AS half FROM c", "CREATE STREAM c AS SELECT k, s FROM b WHERE k > 1;"),
        ("SELECT k FROM a UNION SELECT k FROM b", ""),
        ("SELECT k FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.k = a.k)", ""),
        ("WITH c AS (SELECT k FROM a) SELECT DISTINCT k FROM c", ""),
        ("SELECT s, TIMESTAMP '2026-05-01 10:00:00' - INTERVAL '1' HOUR AS t FROM b", ""),
    ],
)
def test_queries_give_what_a_database_gives(select: str, streams: str) -> None:
    assert_equal_to_batch(script(select, streams), ROWS)


def test_tables_are_tables_of_the_database_too() -> None:
    sensors = [("a", "hall"), ("b", "attic")]
    assert_equal_to_batch(TABLE, {"report": REPORTS, "sensor": sensors})


def test_another_answer_is_told() -> None:
    with pytest.raises(AssertionError) as told:
        assert_equal_to_batch(JSON, DATA, "SELECT itemid, SUM(increase) + 1 FROM bid GROUP BY itemid")
    assert str(told.value).splitlines() == [
        "closing is not what DuckDB gives (buckets=1)",
        "  missing: (17, 8.0)",
        "  missing: (18, 10.0)",
        "  too many: (17, 7.0)",
        "  too many: (18, 9.0)",
    ]


def test_the_answer_is_the_databases_and_not_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row that the database does not see is missed: the assertion looks at what it gives."""
    load = batch._load
    monkeypatch.setattr(batch, "_load", lambda database, name, schema, rows: load(database, name, schema, rows[1:]))
    with pytest.raises(AssertionError, match="closing is not what DuckDB gives"):
        assert_equal_to_batch(JSON, DATA)


def test_a_row_in_the_quarantine_is_no_answer() -> None:
    late: Data = {**DATA, "bid": [{"$punct": {"itemid": 17}}, (17, 1.0)]}
    with pytest.raises(AssertionError, match="closing did not take a row of bid: the row matches an earlier punct"):
        assert_equal_to_batch(JSON, late)


def test_groups_that_come_again_count_as_they_are_at_last() -> None:
    again = script("SELECT x, COUNT(*) AS n FROM a GROUP BY x ALLOW UNBOUNDED").replace(
        "SINK o USING console", "SINK o USING json OPTIONS (path 'o', updates 'true')"
    )
    assert_equal_to_batch(again, {"a": [(1, 2.0, None), (2, 2.0, None), (3, 4.0, None)]})


def test_what_a_database_does_not_take_wants_its_own_sql() -> None:
    windows = script("SELECT window.end AS w, COUNT(*) AS n FROM a GROUP BY window(t, '1 hour')").replace(
        "PUNCTUATED ON (k)) USING memory;\n    CREATE STREAM b", "PUNCTUATE (t ASC)) USING memory;\n    CREATE STREAM b"
    )
    rows = {"a": [{"k": 1, "x": 1.0, "t": f"2026-05-01T{hour:02}:30:00Z"} for hour in (8, 8, 9)]}
    with pytest.raises(QueryError, match="o cannot be asked in batch"):
        assert_equal_to_batch(windows, rows)
    hours = "SELECT date_trunc('hour', t) + INTERVAL 1 HOUR, COUNT(*) FROM a GROUP BY 1"
    assert_equal_to_batch(windows, rows, hours)
    merged = script(
        "SELECT n FROM m",
        "CREATE TEMPORAL STREAM e (n BIGINT) USING memory; CREATE TEMPORAL STREAM f (n BIGINT) USING memory;"
        " CREATE STREAM m AS LMERGE (e, f);",
    )
    with pytest.raises(QueryError, match="m: a stream has no meaning in batch"):
        assert_equal_to_batch(merged, {})
