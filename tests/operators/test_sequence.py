"""A row is late when it stands behind a punctuation that matches it: in columns as one by one."""

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from punctum.algebra.json import from_json
from punctum.algebra.pattern import Constant
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.algebra.values import Row, Type
from punctum.operators.columns import dtype, frame
from punctum.operators.sequence import PlacedPunctuations, late, why
from strategies import punctuations, rows, schemas

Placed = tuple[Schema, list[tuple[int, Row]], list[tuple[int, Punctuation]]]
somewhere = st.integers(0, 12)


@st.composite
def placed(draw: st.DrawFn) -> Placed:
    schema = draw(schemas())
    some = draw(st.lists(st.tuples(somewhere, rows(schema)), max_size=12))
    return schema, some, draw(st.lists(st.tuples(somewhere, punctuations(schema)), max_size=12))


def columns(schema: Schema, ps: list[tuple[int, Punctuation]]) -> PlacedPunctuations:
    """Punctuations that are one constant as columns, as readers give them."""
    known = PlacedPunctuations(schema)
    for place, p in ps:
        at, side = p.sides[0] if len(p.sides) == 1 else (0, None)
        if isinstance(side, Constant) and side.value is not None and schema.attributes[at].type is not Type.DECIMAL:
            values = pl.Series([side.value], dtype=dtype(schema.attributes[at]))
            known += PlacedPunctuations(schema, {at: (values, pl.Series([place], dtype=pl.Int64))})
        else:
            known += PlacedPunctuations(schema, {}, [(place, p)])
    return known


@given(case=placed(), in_columns=st.booleans())
def test_late_rows_are_those_behind_what_matches_them(case: Placed, in_columns: bool) -> None:
    schema, some, ps = case
    df, at = frame(schema, [t for _, t in some]), pl.Series([place for place, _ in some], dtype=pl.Int64)
    known = columns(schema, ps) if in_columns else PlacedPunctuations(schema, {}, ps)
    wanted = [any(place < here and p.match(t) for place, p in ps) for here, t in some]
    wrong = late(df, at, known)
    assert wrong.to_list() == wanted
    bad = [(here, t) for (here, t), is_late in zip(some, wanted, strict=True) if is_late]
    for (here, t), reason in zip(bad, why(df.filter(wrong), at.filter(wrong), known), strict=True):
        told = from_json(reason, schema)
        assert isinstance(told, Punctuation) and told.match(t)
        assert any(place < here and p.covers(told) for place, p in ps)
