"""``punctum state``: what the query of a checkpoint keeps, by operator and bucket, or rows of its tables, by SQL."""

import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from punctum.commands.running import PLACE, readable
from punctum.errors import QueryError, SqlError, choices, nearest, printable
from punctum.storage.location import Location

if TYPE_CHECKING:
    import polars as pl

    from punctum.engine.runtime.stored import KeptState, KeptTable

_READS = re.compile(r"[\s(]*(SELECT|WITH)\b", re.IGNORECASE)
_UNKNOWN = re.compile(r"relation '(.*)' was not found")


@click.command()
@click.argument("checkpoint", type=PLACE)
@click.argument("sql", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON: an object for each query, or for each row.")
@click.option("--show", default=3, show_default=True, help="How many large keys and old rows to show for each table.")
def state(checkpoint: Location, sql: str | None, as_json: bool, show: int) -> None:
    """Show what a query keeps: rows, bytes and punctuations by operator and bucket, large keys and old rows.

    CHECKPOINT is that of a run or of one query. With SQL, such as "SELECT * FROM s1o0_left LIMIT 5", print the rows
    of tables. The state is that behind the last batch that is done; the query may run, and nothing is changed.
    """
    from punctum.engine.runtime.stored import kept_data, kept_state  # here because Polars takes a while to import

    with readable(checkpoint):
        states = [kept_state(query.resolve()) for query in checkpoints(checkpoint)]
    if sql is not None:
        rows = _selected(sql, _one(states))
        click.echo(rows.write_ndjson() if as_json else "\n".join(_table(rows.columns, rows.rows())), nl=not as_json)
    elif as_json:
        click.echo(json.dumps([kept_data(known, show) for known in states], indent=2, default=str))
    else:
        click.echo("\n\n".join("\n".join(_lines(known, show, time.time())) for known in states))


def checkpoints(checkpoint: Location) -> list[Location]:
    """The checkpoints of the queries of a run, or that of one query."""
    if (checkpoint / "punctum").is_dir():
        return [checkpoint]
    return sorted((plan.parent.parent for plan in checkpoint.glob("*/punctum/plan")), key=str) or [checkpoint]


def _one(states: "Sequence[KeptState]") -> "KeptState":
    if len(states) > 1:
        names = choices(known.checkpoint.name for known in states)
        directory = states[0].checkpoint.parent
        hint = f"name one: {states[0].checkpoint}"
        raise QueryError(f"{directory} has the checkpoints of several queries", names, hint)
    return states[0]


def _selected(sql: str, state: "KeptState") -> "pl.DataFrame":
    """The rows of a query over the tables of a state."""
    import polars as pl

    frames = state.frames()
    if not _READS.match(sql):
        raise SqlError("the state can only be read", "the SQL is not a SELECT", choices(frames))
    try:
        return pl.SQLContext(frames, eager=True).execute(sql)
    except (pl.exceptions.PolarsError, OSError, UnicodeError) as error:
        text = str(error).partition("\n")[0]
        if unknown := _UNKNOWN.search(text):
            what, name = f"there is no table {unknown[1]}", unknown[1]
            raise SqlError(what, choices(frames), nearest(name, frames)) from None
        raise SqlError("the SQL cannot be run on the state", text, choices(frames)) from None


def _lines(state: "KeptState", show: int, now: float) -> Iterator[str]:
    """What a query keeps, in lines."""
    from punctum.engine.runtime.stored import COUNTED, counted_of

    done = "before its first batch" if state.batch is None else f"after batch {state.batch}"
    yield f"{printable(state.checkpoint.name)}, {done}"
    for operator in state.operators:
        yield f"{operator.name}: {printable(operator.label)}"
        numbers = [[bucket, *counted_of(counts).values()] for bucket, counts in operator.counts.items()]
        yield from (f"  {line}" for line in _table(["bucket", *COUNTED], numbers, "{:,}") if numbers)
        for table in operator.tables:
            yield from _table_lines(table, show, now)


def _table_lines(table: "KeptTable", show: int, now: float) -> Iterator[str]:
    from punctum.engine.commit import span

    rows = sum(map(len, table.buckets.values()))
    yield f"  {table.name}: {rows:,} rows"
    if rows and (largest := table.largest(show)):
        keys = (f"{_key(key)} ({many:,} rows)" for key, many in largest)
        yield f"    largest keys: {printable(', '.join(keys))}"
    for since, waits_for in table.oldest(show):
        waiting = f", waits for {waits_for}" if waits_for else ""
        yield f"    old row: kept for {span(now - since)}{printable(waiting)}"


def _key(key: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in key.items())


def _table(names: Sequence[str], rows: Sequence[Sequence[Any]], form: str = "{}") -> Iterator[str]:
    """Rows below their names, in columns; numbers are on the right."""
    shown = [["NULL" if value is None else printable(form.format(value)) for value in row] for row in rows]
    right = [all(isinstance(row[n], int | float | None) for row in rows) for n in range(len(names))]
    cells = [list(map(printable, names)), *shown]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        padded = (c.rjust(w) if r else c.ljust(w) for c, w, r in zip(row, widths, right, strict=True))
        yield "  ".join(padded).rstrip()
