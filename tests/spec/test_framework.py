"""The drivers: order of the behaviour functions, infinite streams, and input that an operator cannot take."""

from collections.abc import Iterator
from itertools import count, islice

import pytest

from punctum.algebra.aggregates import AggregateFunction, Function
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.errors import GrammarError, SchemaError
from punctum.spec.dupelim import Dupelim
from punctum.spec.framework import binary, unary
from punctum.spec.group_by import GroupBy
from punctum.spec.join import Join
from punctum.spec.merge import Merge
from punctum.spec.stream import Slice, Stream

number = Schema.of(n="BIGINT")


def naturals() -> Iterator[Slice]:
    return (Slice.of((n,), Punctuation.of(number, n=n)) for n in count())


def test_streams_may_be_infinite() -> None:
    running = Dupelim(number).start()
    for piece in islice(naturals(), 50):
        running.feed(piece)
    assert running.kept() == {"distinct": []}
    merged = islice(binary(Merge(number, number), naturals(), naturals()), 3)
    assert [[str(p) for p in piece.puncts] for piece in merged] == [["<0>"], ["<1>"], ["<2>"]]


def test_a_row_may_share_its_slice_with_its_punctuation() -> None:
    (output,) = unary(Dupelim(number), [Slice.of(Punctuation.of(number, n=1), (1,))])
    assert output.rows == ((1,),)


def run(stream: Stream) -> None:
    list(unary(Dupelim(number), stream))


def test_an_ungrammatical_stream_is_refused() -> None:
    with pytest.raises(GrammarError) as caught:
        run([Slice.of(Punctuation.of(number, n=1)), Slice.of((1,))])
    assert str(caught.value) == (
        "the stream is not grammatical\n"
        "  detail: the row (1,) of slice 2 matches <1> of an earlier slice\n"
        "  hint: put a guard before the operator"
    )


def test_what_does_not_fit_the_schema_is_refused() -> None:
    with pytest.raises(SchemaError, match="a punctuation is for another schema"):
        run([Slice.of(Punctuation.of(Schema.of(m="BIGINT"), m=1))])
    with pytest.raises(SchemaError, match="does not fit the column n"):
        run([Slice.of(("x",))])
    with pytest.raises(SchemaError, match="does not fit the schema"):
        run([Slice.of((1, 2))])


def test_operators_that_cannot_be_built_give_the_reason() -> None:
    name = Schema.of(name="STRING")
    with pytest.raises(SchemaError, match="the inputs have different schemas"):
        Merge(number, name)
    with pytest.raises(SchemaError, match="join columns have different types"):
        Join(number, name, (("n", "name"),))
    with pytest.raises(SchemaError, match="there is no column m"):
        Join(number, name, (("m", "name"),))
    with pytest.raises(SchemaError, match="SUM needs numbers"):
        _ = GroupBy(name, (), (AggregateFunction(Function.SUM, "name", "total"),)).output
    with pytest.raises(SchemaError, match="MAX needs a column"):
        _ = GroupBy(name, (), (AggregateFunction(Function.MAX, None, "most"),)).output
