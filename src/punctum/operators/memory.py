"""A memory: what has been said on a stream, for whoever has to find the rows that come too late.

Constants that melt with nothing are laid down in a table, a row for each punctuation with NULL where it has a wildcard,
so that an engine writes what is new of them and no more. The table holds the last million. What is older is forgotten:
a row that comes a million punctuations after its own counts as a new one. No state is unbounded for that.
"""

from collections.abc import Iterator
from decimal import Decimal

import polars as pl

from punctum.algebra.pattern import Constant
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.values import Row, Type
from punctum.operators.batch import Batch
from punctum.operators.columns import dtype, empty
from punctum.operators.matching import matches
from punctum.operators.operator import Notes
from punctum.operators.said import Said, on_exactly, spelled
from punctum.operators.table import Table

MOST = 1_000_000
"""So many punctuations are laid down at most, and an eighth more before some are dropped."""
SHAPE = "\0shape"
"""The column that says which attributes a punctuation has constants on."""


class Memory(Said):
    """What has been said on a stream, all of it or nearly so.

    >>> session = Schema.of(id="STRING", hour="BIGINT")
    >>> memory = Memory(session)
    >>> _ = memory.news(Batch(session, {0: pl.Series([f"s{n}" for n in range(1_500)])}))
    >>> len(memory), len(memory.past)
    (1500, 1500)
    >>> memory.matches(pl.DataFrame({"id": ["s7", "t7"], "hour": [1, 1]})).to_list()
    [True, False]
    """

    def __init__(self, schema: Schema) -> None:
        super().__init__(schema)
        self.past = Table(empty(schema).with_columns(pl.lit("").alias(SHAPE)))
        self._shapes: dict[str, tuple[int, ...]] = {}

    def __len__(self) -> int:
        return super().__len__() + len(self.past)

    def news(self, said: Batch) -> Batch:
        """What is new of punctuations; from now on it counts as said."""
        return super().news(self._unheard(said) if self._shapes else said)

    def matches(self, df: pl.DataFrame) -> pl.Series:
        """Whether each row matches a punctuation."""
        found = super().matches(df)
        for shape in self._shapes if df.height else ():
            found = found | self._there(df, shape)
        return found

    def find(self, row: Row) -> Punctuation | None:
        """A punctuation that a row matches, if there is one."""
        if found := super().find(row):
            return found
        for shape, at in self._shapes.items():
            pattern = Punctuation.of(self.schema, {self.schema.names[i]: row[i] for i in at})
            if self._there(_frame(self.schema, [pattern]), shape).item():
                return pattern
        return None

    def forget(self, said: Batch) -> None:
        """Punctuations on the same attributes are said no longer."""
        super().forget(said)
        for shape, at in self._shapes.items():
            if len(over := on_exactly(said, at)):
                past = self.past.frame()
                self.past.retain(~((past[SHAPE] == shape) & matches(past, over)))

    def clear(self) -> None:
        """Nothing has been said."""
        self.past.clear()
        self.restore(Memory(self.schema).notes())

    def restore(self, notes: Notes) -> None:
        """Go on with the notes of another one, whose table is here already."""
        super().restore(notes)
        shapes = self.past.frame()[SHAPE].unique().sort().to_list()
        self._shapes = {shape: tuple(map(int, shape.split())) for shape in shapes}

    def _let_go(self, old: Batch) -> None:
        """Lay down what is not held at hand any more; what is too much to be spelled out is forgotten."""
        for at, values in old.points.items():
            self._lay_down((at,), pl.DataFrame({self.schema.names[at]: values}))
        for shape, said in _shaped([self.known.punctuation(box) for p in old.others for box in spelled(p.sides)]):
            self._lay_down(shape, _frame(self.schema, said))
        if len(self.past) > MOST + MOST // 8:
            self.past.retain(pl.int_range(len(self.past), eager=True) >= len(self.past) - MOST)
            self.past.purged = 0

    def _lay_down(self, at: tuple[int, ...], df: pl.DataFrame) -> None:
        shape = " ".join(map(str, at))
        self._shapes[shape] = at
        missing = (a for a in self.schema.attributes if a.name not in df.columns)
        wide = df.with_columns(*(pl.lit(None, dtype(a)).alias(a.name) for a in missing), pl.lit(shape).alias(SHAPE))
        self.past.append(wide.select(*self.schema.names, SHAPE))

    def _unheard(self, said: Batch) -> Batch:
        """What has not been laid down."""
        rest = Batch(said.schema)
        for at, values in said.points.items():
            shape = str(at)
            df = values.to_frame(self.schema.names[at])
            rest.points[at] = values.filter(~self._there(df, shape)) if shape in self._shapes else values
        shaped = {" ".join(map(str, at)): ps for at, ps in _shaped(said.others)}
        known = {p for shape, ps in shaped.items() if shape in self._shapes for p in self._known(shape, ps)}
        rest.others = [p for p in said.others if p not in known] if known else said.others
        return rest

    def _known(self, shape: str, ps: list[Punctuation]) -> Iterator[Punctuation]:
        there = self._there(_frame(self.schema, ps), shape)
        return (p for p, known in zip(ps, there, strict=True) if known)

    def _there(self, df: pl.DataFrame, shape: str) -> pl.Series:
        """Whether each row has the constants of a punctuation that is laid down.

        The table is large and rows are few, so these are the hash table.
        """
        names = [self.schema.names[at] for at in self._shapes[shape]]
        past = self.past.frame() if len(self._shapes) == 1 else self.past.frame().filter(pl.col(SHAPE) == shape)
        keys = [_key(self.schema.attributes[at]) for at in self._shapes[shape]]
        wanted = df.select(keys)
        found = past.select(keys).join(wanted.unique(), on=names, how="semi", nulls_equal=True)
        numbered = wanted.with_row_index(SHAPE)
        rows = numbered.join(found, on=names, how="semi", nulls_equal=True)[SHAPE]
        return numbered[SHAPE].is_in(rows.implode())


def _key(attribute: Attribute) -> pl.Expr:
    """A column as a join compares it: for Polars, NaN in one row does not meet NaN in one row."""
    return (
        pl.col(attribute.name).reinterpret(dtype=pl.Int64) if attribute.type is Type.DOUBLE else pl.col(attribute.name)
    )


def _shaped(ps: list[Punctuation]) -> Iterator[tuple[tuple[int, ...], list[Punctuation]]]:
    """Those punctuations that have constants and nothing else, by the attributes of these."""
    found: dict[tuple[int, ...], list[Punctuation]] = {}
    for p in ps:
        if p.sides and all(isinstance(side, Constant) and _fits(p.schema.attributes[at], side) for at, side in p.sides):
            found.setdefault(tuple(at for at, _ in p.sides), []).append(p)
    yield from found.items()


def _fits(attribute: Attribute, side: Constant) -> bool:
    """Whether rows can have a constant: a DECIMAL may have more digits than its column."""
    if attribute.type is not Type.DECIMAL or not isinstance(side.value, Decimal):
        return True
    precision, scale = attribute.digits
    _, digits, exponent = side.value.normalize().as_tuple()
    return isinstance(exponent, int) and -exponent <= scale and len(digits) + exponent <= precision - scale


def _frame(schema: Schema, ps: list[Punctuation]) -> pl.DataFrame:
    """The constants of punctuations that have them on the same attributes."""
    columns = []
    for at, _ in ps[0].sides:
        values = [side.value for p in ps for i, side in p.sides if i == at and isinstance(side, Constant)]
        columns.append(pl.Series(schema.names[at], values, dtype=dtype(schema.attributes[at])))
    return pl.DataFrame(columns)
