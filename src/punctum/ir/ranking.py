"""Ranking: rows with their place among those of their partition, which is final when the partition is closed."""

from dataclasses import dataclass, field
from functools import cached_property

from punctum.algebra.pattern import between
from punctum.algebra.ranking import Ranking
from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.values import Type
from punctum.errors import Place
from punctum.ir.definitions import NOWHERE
from punctum.ir.expressions import Column, text
from punctum.ir.node import UnaryRelation, fits

SortKeys = tuple[tuple[Column, bool, bool | None], ...]
"""Columns, descending or not, NULLs first or last or as Spark has it."""


@dataclass(frozen=True)
class Ranked(UnaryRelation):
    """All rows with one more column, their rank in the partition; or those up to a rank, which are ``most``.

    Rows are in the order of the keys. ROW_NUMBER tells peers apart by all other columns, one after the other,
    ascending, so that it does not depend on which of them came first. With ``updates`` a rank comes again when its
    row is another one.
    """

    OPERATOR = "ranking"

    partition: tuple[Column, ...]
    keys: SortKeys
    function: Ranking
    name: str
    most: int | None = None
    place: Place = field(default=NOWHERE, compare=False)
    updates: bool = False

    def __post_init__(self) -> None:
        assert self.keys
        assert self.most is None or self.most > 0
        assert not self.updates or (self.most is not None and self.function is Ranking.ROW_NUMBER)
        for column in (*self.partition, *(key for key, _, _ in self.keys)):
            fits(column, self.input.schema)

    @cached_property
    def schema(self) -> Schema:
        """The input's columns, then the rank."""
        rank = Attribute(self.name, Type.BIGINT, between(1, self.most))
        return Schema((*self.input.schema.attributes, rank))

    @property
    def by(self) -> list[int]:
        """The positions of the columns that have one value in a partition."""
        return [column.index for column in self.partition]

    @property
    def sorts(self) -> list[int]:
        """The positions of the columns that are sorted by."""
        return [column.index for column, _, _ in self.keys]

    @property
    def label(self) -> str:
        """The function, its limit and its window."""
        limit = "" if self.most is None else f" up to {self.most}"
        return f"Ranked {self.function.value} AS {self.name}{limit}{window_text(self.partition, self.keys)}"


def window_text(partition: tuple[Column, ...], keys: SortKeys) -> str:
    """The partition and the order of a window, as they follow a function."""
    by = f" by {', '.join(map(text, partition))}" if partition else ""
    return by + (f" order {keys_text(keys)}" if keys else "")


def keys_text(keys: SortKeys) -> str:
    """Sort keys as ORDER BY has them."""
    nulls = {None: "", True: " NULLS FIRST", False: " NULLS LAST"}
    return ", ".join(f"{text(column)}{' DESC' * down}{nulls[first]}" for column, down, first in keys)
