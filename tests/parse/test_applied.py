"""Functions of the user's in SQL: how they bind, what they give, and what is refused."""

import polars as pl
import pytest

from punctum.algebra.schema import Schema
from punctum.errors import ComputationError, SchemaError, SqlError
from punctum.ir.applied import UserFunction
from punctum.ir.definitions import StreamDef
from punctum.ir.expressions import text
from punctum.ir.relations import Projection
from punctum.ir.shape import shape
from punctum.operators.expressions import compiled
from punctum.parse.script import parse_function, parse_select

BID = StreamDef("bid", Schema.of(itemid="BIGINT", price="DOUBLE", name="STRING"))
CENTS = parse_function("Cents", lambda price: (price * 100).round(), ["DOUBLE"], "BIGINT")
BOTH = parse_function(
    "both", lambda a, b: pl.Series(x + y for x, y in zip(a, b, strict=True)), ["STRING"] * 2, "STRING"
)


def projected(sql: str, *functions: UserFunction) -> Projection:
    known = {function.name.lower(): function for function in functions or (CENTS, BOTH)}
    relation = parse_select(f"SELECT {sql} AS x FROM bid", {"bid": BID}, known).relation
    assert isinstance(relation, Projection)
    return relation


def computed(sql: str, *functions: UserFunction) -> list[object]:
    (_, expression), *_ = projected(sql, *functions).columns
    rows = pl.DataFrame({"itemid": [3, 4], "price": [0.5, None], "name": ["a", "b"]})
    return rows.select(compiled(expression, BID.schema).alias("x"))["x"].to_list()


def test_they_take_columns_and_expressions() -> None:
    assert computed("cents(price)") == [50, None]
    assert computed("CENTS(itemid) + 1") == [301, 401]
    assert computed("both(name, upper(name))") == ["aA", "bB"]
    assert computed("CASE WHEN cents(price) > 7 THEN name END") == ["a", None]


def test_punctuations_do_not_pass() -> None:
    ((_, expression),) = projected("cents(price)").columns
    assert shape(expression).source is None
    assert text(expression) == "Cents(price)"


@pytest.mark.parametrize("sql", ["cents(name)", "cents()", "cents(price, price)", "both(name, 1)"])
def test_arguments_of_other_types_are_refused(sql: str) -> None:
    with pytest.raises(SqlError, match="does not take these arguments"):
        projected(sql)


def test_what_is_not_named_is_not_known() -> None:
    with pytest.raises(SqlError, match="the function DOLLARS is not supported"):
        projected("dollars(price)")


@pytest.mark.parametrize(("name", "takes"), [("not a name", ["BIGINT"]), ("floor", ["BIGINT"]), ("f", [])])
def test_names_and_types_are_checked(name: str, takes: list[str]) -> None:
    with pytest.raises(SchemaError):
        parse_function(name, lambda x: x, takes, "BIGINT")
    with pytest.raises(SqlError):
        parse_function("f", lambda x: x, ["BINARY"], "BIGINT")


def test_a_value_for_each_row() -> None:
    short = parse_function("short", lambda x: x.head(1), ["BIGINT"], "BIGINT")
    with pytest.raises((ComputationError, pl.exceptions.ComputeError), match="another number of values"):
        computed("short(itemid)", short)
    with pytest.raises(ComputationError, match="inside a computation of single values"):
        computed("round(cents(price), 1)")
