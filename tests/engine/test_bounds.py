"""Rows so near the end of their type that a bound around them has no value: their pairs go to the quarantine."""

from datetime import UTC, datetime

import pytest

from engine.simulate import Simulation
from punctum.algebra import Pattern, Punctuation, Row, between
from punctum.algebra.bands import Band, Limit, passed
from punctum.algebra.values import Type
from punctum.ir import StreamDef
from punctum.operators.columns import ColumnarSlice, frame
from punctum.parse import parse_query, parse_script
from punctum.spec.bands import covers

LEAST, GREATEST = -(2**63), 2**63 - 1
BELOW, ABOVE = Band((1, 0), (0, 0), None, Limit(-5)), Band((1, 0), (0, 0), Limit(5), None)


def streams(order: str) -> dict[str, StreamDef]:
    ddl = (f"CREATE STREAM {x} (g BIGINT, k BIGINT, PUNCTUATED ON (k {order})) USING json;" for x in "ab")
    return dict(parse_script("\n".join(ddl)).streams)


@pytest.mark.parametrize("kind", ["JOIN", "LEFT JOIN"])
@pytest.mark.parametrize(
    ("order", "condition", "row", "passing"),
    [
        ("ASC", "b.k <= a.k - 5", (1, LEAST + 2), between(None, 10)),
        ("DESC", "b.k >= a.k + 5", (1, GREATEST - 2), between(10, None)),
    ],
)
def test_an_order_does_not_pass_what_has_no_value(
    kind: str, order: str, condition: str, row: Row, passing: Pattern
) -> None:
    defined = streams(order)
    engine = Simulation(parse_query(f"SELECT a.k, b.k AS l FROM a {kind} b ON a.g = b.g AND {condition}", defined), 1)
    schema = defined["a"].schema
    nothing, late = frame(schema, []), (1, 20 if order == "ASC" else -20)
    engine.feed({"a": ColumnarSlice(frame(schema, [row])), "b": ColumnarSlice(nothing)})
    said = ColumnarSlice(nothing, (Punctuation.of(schema, {"k": passing}),))
    assert not engine.feed({"a": ColumnarSlice(nothing), "b": said}).rows.height
    engine.feed({"a": ColumnarSlice(nothing), "b": ColumnarSlice(frame(schema, [late]))})
    assert len(engine.records) == 1


@pytest.mark.parametrize(("band", "value"), [(BELOW, LEAST + 4), (ABOVE, GREATEST - 4)])
def test_what_covers_all_passes_all(band: Band, value: int) -> None:
    for pattern, all_of_it in ((between(None, 10), False), (between(10, None), False), (between(None, None), True)):
        by_span = any(part.match(value) for part in passed(pattern, band, Type.BIGINT))
        assert by_span == covers(pattern, band, value) == all_of_it


def test_times_have_ends_too() -> None:
    first = datetime(1, 1, 1, tzinfo=UTC)
    later = between(None, datetime(2026, 1, 1, tzinfo=UTC))
    (closed,) = passed(later, Band((1, 0), (0, 0), None, Limit(-1_000_000)), Type.TIMESTAMP)
    assert not closed.match(first) and closed.match(datetime(1, 1, 1, 0, 0, 1, tzinfo=UTC))
