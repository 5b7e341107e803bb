"""What a test can say of a script: that it is safe, and that it gives what a database gives for all rows at once."""

from pathlib import Path
from typing import Unpack

import polars as pl

from punctum.analyse.report.text import text
from punctum.compile import CompiledQuery
from punctum.errors import QueryError
from punctum.testing.batch import answer, difference
from punctum.testing.feeding import Data
from punctum.testing.scripts import How, Trial, compiled_script

WAYS: tuple[How, ...] = (
    {"buckets": 1},
    {"buckets": 3, "cut": 1},
    {"buckets": 4, "cut": 3, "restart": True},
)
"""How a script is tried: as it is given, an element at a time, and three at a time with a restart behind them."""


def assert_safe(script: str | Path, **how: Unpack[How]) -> None:
    """The state of each query stays bounded; ALLOW UNBOUNDED does not make it so."""
    compiled, _ = compiled_script(script, how)
    if not compiled.queries:
        raise AssertionError("the script has no queries")
    unsafe = [query for query in compiled.analyses if not query.safe]
    if unsafe:
        raise AssertionError(text(unsafe, compiled.script.text))


def assert_equal_to_batch(script: str | Path, data: Data, batch: str = "", **how: Unpack[How]) -> None:
    """Each query gives the rows that DuckDB gives for its SQL over all rows at once, however slices are cut.

    All streams end behind the last slice. Nothing may go to the quarantine: a database does not know what is late.
    Where the SQL has no translation, give it: ``batch`` is in the words of DuckDB, for a script with one query. Groups
    that come again when they change count as they are at last.
    """
    compiled, base = compiled_script(script, how)
    if batch and len(compiled.queries) != 1:
        raise QueryError(
            f"the script has {len(compiled.queries)} queries", "batch is the SQL of one", "split the script"
        )
    rows = Trial(compiled, base, data, how).rows()
    for query in compiled.queries:
        wanted = answer(compiled.script, query.query, rows, how.get("zone", "UTC"), batch)
        for way in WAYS:
            outcome = Trial(compiled, base, data, how | way | {"end": True}).outcome(query)
            ways = ", ".join(f"{name}={value}" for name, value in way.items())
            if outcome.quarantine:
                stream, reason, text_ = outcome.quarantine[0]
                raise AssertionError(f"{query.query.name} did not take a row of {stream}: {reason}: {text_} ({ways})")
            if wrong := difference(_last(query, outcome.frame), wanted):
                raise AssertionError(f"{query.query.name} is not what DuckDB gives ({ways})\n{wrong}")


def _last(query: CompiledQuery, rows: pl.DataFrame) -> pl.DataFrame:
    """The rows that count: of groups that come again, the last ones."""
    if not query.analysis.updates:
        return rows
    if query.key is None:
        raise QueryError(f"the groups of {query.query.name} come again", "it does not show their keys", "select them")
    return rows.unique(query.key, keep="last", maintain_order=True)
