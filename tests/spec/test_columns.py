"""Patterns through computed columns: never promises too much, and promises what the design states."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from punctum.algebra.finite import ENUMERABLE
from punctum.algebra.pattern import EMPTY, WILDCARD, Pattern, between, constant, one_of
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.trends import Trend
from punctum.algebra.values import Type
from punctum.spec.columns import ComputedColumn
from punctum.spec.framework import unary
from punctum.spec.project import Project
from punctum.spec.stream import Slice
from spec.operators import computed
from strategies import patterns

SHAPES = {column.attribute.name: column for column in computed("x")}


@given(st.sampled_from(list(SHAPES.values())), patterns(Type.BIGINT).filter(lambda p: p not in (WILDCARD, EMPTY)))
def test_an_image_never_matches_a_value_that_may_still_come(column: ComputedColumn, pattern: Pattern) -> None:
    schema = Schema.of(x="BIGINT")
    allowed = [n for n in range(-40, 40) if not pattern.match(n)]
    for image in column.images(pattern, Type.BIGINT):
        assert not any(image.match(column.value((n,), schema)) for n in allowed)
        assert not image.match(None) or pattern.match(None)


def image(name: str, pattern: Pattern) -> list[str]:
    return [str(image) for image in SHAPES[name].images(pattern, Type.BIGINT)]


def test_images() -> None:
    assert image("plus", between(None, 3)) == ["(,8]"]
    assert image("plus", one_of([1, 5])) == ["6", "10"]
    assert image("minus", between(3, None)) == ["(,-3]"]
    assert image("minus", between(1, 2)) == ["[-2,-1]"]
    assert image("half", between(None, 4)) == ["(,1]"]  # a 5 may still come, and its half is 2
    assert image("half", between(None, 5)) == ["(,2]"]
    assert image("half", between(4, 5)) == ["2"]
    assert image("half", constant(4)) == []
    assert image("down", between(None, 5)) == ["[-2,)"]
    assert image("name", one_of([1, 2, 3])) == ["{n1,n2,n3}"]
    assert image("name", between(None, 3)) == []
    assert image("name", between(1, ENUMERABLE + 1)) == []
    assert image("square", between(None, 3)) == []
    assert image("square", constant(3)) == []
    assert image("square", constant(None)) == ["NULL"]
    assert image("plus", between(None, 2**63 - 2)) == []  # its image is beyond BIGINT


def test_a_tumbling_window_maps_prefixes_of_time() -> None:
    def window_end(ts: datetime) -> datetime:
        return ts.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)

    bid = Schema.of(ts="TIMESTAMP", price="BIGINT")
    columns = (
        ComputedColumn(Attribute("until", Type.TIMESTAMP), "ts", window_end, trend=Trend.INCREASING),
        ComputedColumn.same(bid, "price"),
    )
    ten = datetime(2026, 11, 15, 10, tzinfo=UTC)
    stream = [Slice.of(Punctuation.of(bid, ts=between(None, end, "()"))) for end in (ten, ten + timedelta(minutes=59))]
    output = [list(map(str, piece.puncts)) for piece in unary(Project(bid, columns), stream)]
    assert output == [["<(,2026-11-15T11:00:00Z), *>"], []]


def test_dropping_an_attribute_needs_its_whole_domain() -> None:
    report = Schema.of(sid="STRING", hour="BIGINT").where(sid=one_of(["S1", "S2"]))
    stream = [Slice.of(Punctuation.of(report, sid=sid, hour=hour)) for sid, hour in (("S1", 7), ("S1", 8), ("S2", 7))]
    output = unary(Project.to(report, "hour"), stream)
    assert [list(map(str, piece.puncts)) for piece in output] == [[], [], ["<7>"]]


def test_a_column_that_is_there_twice_carries_the_pattern_in_both() -> None:
    bid = Schema.of(itemid="BIGINT")
    project = Project(bid, (ComputedColumn.same(bid, "itemid"), ComputedColumn.same(bid, "itemid", "again")))
    (output,) = unary(project, [Slice.of(Punctuation.of(bid, itemid=5))])
    assert list(map(str, output.puncts)) == ["<5, *>", "<*, 5>"]
