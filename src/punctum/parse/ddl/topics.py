"""Streams that are topics: the columns that are not in the value of a message, but beside it."""

from punctum.algebra.schema import Schema
from punctum.errors import Place, SqlError
from punctum.ir.definitions import BESIDE
from punctum.ir.expressions import type_text


def check_topic(name: str, schema: Schema, place: Place) -> None:
    """An error when a column has the name of one of these and another type."""
    for attribute in schema.attributes:
        wanted = BESIDE.get(attribute.name)
        if wanted is not None and type_text(attribute) != wanted:
            what = f"the column {attribute.name} of {name} is {type_text(attribute)}"
            raise SqlError(what, "it is not in the value of a message, but beside it", wanted, place)
    if all(attribute.name in BESIDE for attribute in schema.attributes):
        raise SqlError(f"the stream {name} has no column of values", "", "declare what is in a message", place)
