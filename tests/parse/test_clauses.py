"""Clauses for a stream that is read elsewhere: as in CREATE STREAM, and with the same errors."""

import pytest

from parse.golden import BID, HERE, split
from punctum.errors import SqlError
from punctum.ir import StreamDef
from punctum.parse import parse_script, parse_stream

CLAUSES = """
    PUNCTUATED ON (bidderid) EXPECT WITHIN '1 day',  -- from the source
    PUNCTUATE (itemid) WHEN bid.increase < 0,
    PUNCTUATE (day ASC) DELAY '2 days',
    PUNCTUATE (day) WHEN ALL bidderid IN (1, 2),
    UNIQUE (bidderid, itemid), DOMAIN itemid BETWEEN 1 AND 9
"""


def test_clauses_mean_what_they_mean_in_a_script() -> None:
    columns = "bidderid BIGINT, itemid BIGINT, increase DOUBLE, fee DECIMAL(38, 18), day DATE"
    created = parse_script(f"CREATE STREAM bid ({columns}, {CLAUSES}) USING json").streams["bid"]
    declared = parse_stream("bid", BID, CLAUSES)
    assert declared == StreamDef(
        "bid",
        created.schema,
        created.schemes,
        created.unique,
        options={},
        punctuates=created.punctuates,
        limits=created.limits,
    )
    assert [str(scheme) for scheme in declared.schemes] == [
        "ON (bidderid)",
        "ON (itemid)",
        "ON (day ASC)",
        "ON (day)",
        "ON (bidderid, itemid)",
    ]
    assert str(declared.schema.attributes[1].domain) == "[1,9]"


def test_no_clauses() -> None:
    assert parse_stream("bid", BID, " -- nothing\n") == StreamDef("bid", BID)


@pytest.mark.parametrize(
    ("clauses", "what", "underlined"),
    [
        ("UNIQUE (itemd)", "there is no column itemd", "itemd"),
        ("PUNCTUATE (itemid) WHEN increase", "WHEN needs a condition", "increase"),
        ("UNIQUE (itemid) DOMAIN itemid IN (1)", "expected a comma or the end in the clauses of a stream", "DOMAIN"),
        ("UNIQUE (itemid),", "expected one of PUNCTUATED ON", ","),
        ("price DOUBLE", "expected one of PUNCTUATED ON", "price"),
        ("UNIQUE (itemid)) USING json", "expected a comma or the end in the clauses of a stream", ")"),
        ("PUNCTUATE (day) WHEN ALL bidderid IN bidders", "there is no table bidders", "bidders"),
    ],
)
def test_wrong_clauses_are_underlined(clauses: str, what: str, underlined: str) -> None:
    with pytest.raises(SqlError) as caught:
        parse_stream("bid", BID, clauses)
    assert caught.value.what.startswith(what)
    place = caught.value.place
    assert place is not None and clauses[place.start : place.end] == underlined
    assert "^" in str(caught.value)


def test_each_clause_knows_its_place() -> None:
    sql = split(HERE / "bound/punctuate.sql", "bound")[0]
    script = parse_script(sql)
    made = [(clause.place, "PUNCTUATE (") for stream in script.streams.values() for clause in stream.punctuates]
    made += [(limits.place, "PUNCTUATE") for stream in script.streams.values() for limits in stream.limits]
    made += [(table.place, "CREATE TABLE") for table in script.tables.values()]
    assert len(made) == 12 + 4 + 4 + 2
    for place, start in made:
        assert sql[place.start : place.end].upper().startswith(start)
        assert not sql[place.start : place.end].endswith(",")
