"""The vectorised joins and groups of windows against their specification, stopped and restored after each slice."""

import json
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import polars as pl
import pytest

from operators.test_synopsis import same
from punctum.algebra.aggregates import PAIRED, SPREADS, AggregateFunction, Function
from punctum.algebra.classes import Class
from punctum.algebra.punctuation import Punctuation, end_of_stream
from punctum.algebra.schema import Schema
from punctum.algebra.values import Row
from punctum.operators.checked import Checked
from punctum.operators.columns import ColumnarSlice, frame, to_rows
from punctum.operators.operator import Operator
from punctum.operators.select import Select
from punctum.operators.window import NUMBER, Window, WindowGroupBy, WindowJoin
from punctum.spec.framework import Execution
from punctum.spec.stream import Slice
from punctum.spec.window import Window as SpecWindow
from punctum.spec.window import WindowGroupBy as SpecGroupBy
from punctum.spec.window import WindowJoin as SpecJoin

SCHEMAS = [Schema.of(**{f"k{i}": "BIGINT", f"v{i}": "BIGINT"}) for i in range(3)]
ALL = Schema.of(**{name: "BIGINT" for schema in SCHEMAS for name in schema.names})


def some_slice(schema: Schema, chance: random.Random, closed: set[int]) -> Slice:
    """Rows with few keys, NULLs among them, and now and then a key is closed."""
    keys = [key for key in [*range(4), None] if key not in closed]
    rows = tuple((chance.choice(keys), chance.choice([None, *range(6)])) for _ in range(chance.randint(0, 7)))
    closing = [key for key in range(4) if key not in closed and chance.random() < 0.05]
    closed.update(closing)
    return Slice(rows, tuple(Punctuation.of(schema, {schema.names[0]: key}) for key in closing))


def agree(
    specified: Execution,
    make: Callable[[], Operator],
    chance: random.Random,
    sizes: Sequence[int | None],
    kept: Callable[[Operator], Mapping[str, list[Row]]],
) -> int:
    """Feed both, and return how many rows came out."""
    running, seen = make(), 0
    closed: list[set[int]] = [set() for _ in sizes]
    for n in range(12):
        fed = [some_slice(schema, chance, done) for schema, done in zip(running.inputs, closed, strict=True)]
        fed = [
            Slice(xs.rows, (end_of_stream(s),)) if n == 11 else xs for xs, s in zip(fed, running.inputs, strict=True)
        ]
        expected = specified.feed(*fed)
        given = [ColumnarSlice(frame(s, xs.rows), xs.puncts) for s, xs in zip(running.inputs, fed, strict=True)]
        out = running.feed(*given)
        assert Counter(to_rows(out.rows)) == Counter(expected.rows)
        assert same(out.puncts, expected.puncts)
        assert {name: Counter(rows) for name, rows in kept(running).items()} == {
            name: Counter(rows) for name, rows in specified.kept().items()
        }
        assert all(
            size is None or len(table) <= size for size, table in zip(sizes, running.tables().values(), strict=True)
        )
        seen += len(expected.rows)
        again = make()
        again.restore_tables(running.tables())
        again.restore_metadata(json.loads(json.dumps(running.metadata())))
        running = again
    return seen


def odd_only(row: Row) -> Row | None:
    return row if row[1] is not None and row[1] % 2 == 1 else None  # type: ignore[operator]


def vectorised(schema: Schema, rows: int | None, filtered: bool) -> Window:
    odd = pl.col(schema.names[1]) % 2 == 1
    return Window(schema, rows, [Select(schema, odd)] if filtered else [], [(Checked(odd), ())] if filtered else [])


def of_tables(operator: Operator) -> dict[str, list[Row]]:
    """The rows that are kept; of an input that has no window each as often as it came."""
    kept = {}
    for name, table in operator.tables().items():
        df = table.frame()
        counted = isinstance(operator, WindowJoin) and operator._windows[int(name[-1])].rows is None
        times = df[NUMBER] if counted else pl.Series([1] * df.height)
        rows = zip(to_rows(df.drop(NUMBER)), times, strict=True)
        kept[name] = [row for row, n in rows for _ in range(n)]
    return kept


def test_joins_agree() -> None:
    seen = [join_agrees(seed) for seed in range(24)]
    assert sum(map(bool, seen)) > 12 and max(seen) > 100


def join_agrees(seed: int) -> int:
    """How many rows come out of a random join of windows, whose keys are equal."""
    chance = random.Random(seed)
    inputs = chance.choice([2, 3])
    sizes = [chance.choice([1, 2, 5, 9, None]) for _ in range(inputs)]
    filtered = [chance.random() < 0.5 for _ in sizes]
    schemas, output = SCHEMAS[:inputs], Schema(ALL.attributes[: 2 * inputs])
    less = seed % 2 == 0  # v0 < v1 beside the equal keys

    def fulfils(rows: Sequence[Row]) -> bool:
        keys, (v0, v1) = {row[0] for row in rows}, (rows[0][1], rows[1][1])
        smaller = v0 is not None and v1 is not None and v0 < v1  # type: ignore[operator]
        return len(keys) == 1 and None not in keys and (smaller or not less)

    windows = [
        SpecWindow(schema, size, odd_only if odd else lambda row: row)
        for schema, size, odd in zip(schemas, sizes, filtered, strict=True)
    ]
    carried = tuple({0: 0, 1: 2 * i + 1} for i in range(inputs))
    shared = {(i, j): {0: 0} for i in range(inputs) for j in range(inputs) if i != j}
    specified = SpecJoin(tuple(windows), fulfils, output, carried, shared)
    classes = [Class(tuple((i, 0) for i in range(inputs)))]

    def make() -> WindowJoin:
        made = [vectorised(*window) for window in zip(schemas, sizes, filtered, strict=True)]
        residual = pl.col("v0") < pl.col("v1") if less else None
        return WindowJoin(made, classes, output, residual, frozenset({0, *range(1, 2 * inputs, 2)}))

    return agree(specified.start(), make, chance, sizes, of_tables)


EXACT = [function for function in Function if function not in SPREADS]
"""Functions whose last digit does not depend on the order of the rows."""


@pytest.mark.parametrize("seed", range(8))
def test_groups_agree(seed: int) -> None:
    chance, schema = random.Random(seed), SCHEMAS[0]
    size, odd, by = chance.choice([1, 3, 8]), seed % 2 == 1, ("k0",) if seed % 4 < 2 else ()
    calls = (
        *tuple(AggregateFunction(f, "v0", f.value, "k0" if f in PAIRED else None) for f in EXACT),
        AggregateFunction(Function.COUNT, None, "all"),
    )
    window = SpecWindow(schema, size, odd_only if odd else lambda row: row)
    specified = SpecGroupBy(window, schema, by, calls)
    assert agree(
        specified.start(), lambda: WindowGroupBy(vectorised(schema, size, odd), by, calls), chance, [size], of_tables
    )
