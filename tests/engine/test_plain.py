"""Punctuations made from plain data, through the stages of the engine."""

import pytest

from engine.simulate import run
from punctum.algebra import Schema
from punctum.errors import SchemaError
from punctum.parse import parse_query, parse_stream

BID = Schema.of(itemid="BIGINT", increase="DOUBLE", status="STRING")


@pytest.mark.parametrize(
    ("clauses", "what"),
    [
        ("PUNCTUATE (itemid) WHEN status = 'closed'", "PUNCTUATE"),
        ("PUNCTUATED ON (itemid) EXPECT WITHIN '1 day'", "EXPECT WITHIN"),
        ("PUNCTUATED ON (itemid) LIFESPAN '4 hours'", "LIFESPAN"),
    ],
)
def test_what_is_not_built_is_refused(clauses: str, what: str) -> None:
    query = parse_query("SELECT itemid FROM bid", {"bid": parse_stream("bid", BID, clauses)})
    with pytest.raises(SchemaError, match=f"{what} is not supported yet"):
        run(query, [{"bid": None}], buckets=1)  # type: ignore[dict-item]
