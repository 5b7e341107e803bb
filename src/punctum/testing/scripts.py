"""A script in one process: its queries, without Spark, over slices of its streams."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypedDict, Unpack

import polars as pl

from punctum.algebra.schema import Schema
from punctum.algebra.values import Value
from punctum.compile import PASSES, Compiled, CompiledQuery, Options, as_path, compile, read_script
from punctum.engine.exchange.quarantine import Record
from punctum.engine.formats.write import text_of
from punctum.engine.sources.tables import members, stored_tables, whole_table
from punctum.errors import QueryError, choices, nearest
from punctum.ir.applied import UserFunction
from punctum.ir.definitions import TableColumn, TableDef
from punctum.ir.relations import OrderBy
from punctum.operators.columns import to_rows
from punctum.parse.binder.lookups import read_as_stream
from punctum.plan.physical.stages import all_stages, tables_of
from punctum.testing.feeding import Cut, Data, Fed, files_of, streams_of, table_of
from punctum.testing.outcome import Outcome, SliceOutcome, lines_in_order
from punctum.testing.simulate import Feed, Simulation


class How(TypedDict, total=False):
    """How a script is tried; whatever is left out is as in brackets."""

    cut: Cut
    """Cut the sequences anew: after so many elements, or at random, ``random.Random(7)`` (as they are given)."""
    buckets: int
    """In how many buckets rows go (2)."""
    restart: bool
    """Whether each slice meets an engine that has read what the one before has stored (no)."""
    times: Sequence[datetime]
    """What the clock says at each slice; behind the last one it stands still (1970)."""
    end: bool
    """Whether all streams end behind the last slice (no)."""
    zone: str
    """The time zone of local times (UTC)."""
    functions: Mapping[str, UserFunction]
    """Functions that the script calls, as ``parse_function`` makes them."""
    directory: str | Path
    """Where the script's tables are (beside the script, or where the program runs)."""


def run(script: str | Path, data: Data, query: str = "", **how: Unpack[How]) -> Outcome:
    """What the query of a script gives, slice by slice; of a script with several queries, name one.

    The script is a text or a path. Its tables are read from files, or are in ``data`` as lists of rows. What comes out
    does not depend on cuts, buckets and restarts.
    """
    compiled, base = compiled_script(script, how)
    known = [compiled_query.query.name for compiled_query in compiled.queries]
    if not query and len(known) != 1:
        raise QueryError(f"the script has {len(known)} queries", choices(known), "name one, or call run_all()")
    chosen = [
        compiled_query
        for compiled_query in compiled.queries
        if not query or compiled_query.query.name.lower() == query.lower()
    ]
    if not chosen:
        raise QueryError(f"there is no query {query}", choices(known), nearest(query, known))
    return Trial(compiled, base, data, how).outcome(chosen[0])


def run_all(script: str | Path, data: Data, **how: Unpack[How]) -> dict[str, Outcome]:
    """What each query of a script gives, by its name."""
    compiled, base = compiled_script(script, how)
    trial = Trial(compiled, base, data, how)
    return {query.query.name: trial.outcome(query) for query in compiled.queries}


def from_files(script: str | Path, directory: str | Path | None = None) -> dict[str, list[Path]]:
    """What the streams of a script find in their directories, as data for ``run``: a slice a file, by its name."""
    compiled, base = compiled_script(script, {} if directory is None else {"directory": directory})
    return files_of(compiled, base)


def compiled_script(script: str | Path, how: How) -> tuple[Compiled, Path]:
    """A script, given as its text or its path, and the directory of its paths."""
    path = as_path(script)
    text = str(script) if path is None else read_script(path)
    beside = Path(".") if path is None else path.parent
    functions = {name.lower(): function for name, function in how.get("functions", {}).items()}
    options = Options(functions=functions, zone=how.get("zone", "UTC"))
    return compile(text, options), Path(how.get("directory", beside))


class Trial:
    """Slices for the streams and tables of a script, and the way in which its queries take them."""

    def __init__(self, compiled: Compiled, directory: Path, data: Data, how: How) -> None:
        self._tables = {name.lower(): table for name, table in compiled.script.tables.items()}
        of_tables = {name.lower(): rows for name, rows in data.items() if name.lower() in self._tables}
        self._given = {name: table_of(self._tables[name], rows) for name, rows in of_tables.items()}
        of_streams = {name: slices for name, slices in data.items() if name.lower() not in self._tables}
        self._fed = Fed(streams_of(compiled), of_streams, how.get("cut"))
        self._directory, self._how = directory, how

    def rows(self) -> dict[str, tuple[Schema, pl.DataFrame]]:
        """All rows of each stream and table, by their names."""
        streams = {stream.name: (stream.schema, self._fed.rows(stream)) for stream in self._fed.streams}
        return streams | {table.name: (table.schema, self._table(table)) for table in self._tables.values()}

    def outcome(self, query: CompiledQuery) -> Outcome:
        """What a query gives, when it may run."""
        query.admit()
        schema, how, names = query.query.relation.schema, self._how, {s.name for s in query.analysis.streams}
        with self._stored(query):
            simulation = Simulation(
                query.query.relation,
                how.get("buckets", 2),
                how.get("restart", False),
                global_punctuations=True,
                members=self._members,
                updates=query.analysis.updates,
                passes=PASSES,
            )
            slices = [_after(simulation, query, *fed) for fed in self._slices(names)]
        return Outcome(query.query.name, schema, slices)

    def _slices(self, names: set[str]) -> Iterator[tuple[Feed, list[Record], int]]:
        """For each slice what is fed to some streams, what of it is no element, and the time in milliseconds."""
        times, ended = self._how.get("times", ()), self._how.get("end", False)
        for n in range(max(len(self._fed), len(times))):
            feed, records = self._fed.slice(n, names)
            yield feed, records, _time(times, n)
        if ended:
            yield self._fed.end(names), [], _time(times, len(times))

    def _members(self, column: TableColumn) -> tuple[Value, ...]:
        """The values of a table's column, which a clause names."""
        if (rows := self._given.get(column.table.name.lower())) is None:
            return members(column, self._directory)
        return tuple(dict.fromkeys(v for (v,) in to_rows(rows[:, [column.index]]) if v is not None))

    @contextmanager
    def _stored(self, query: CompiledQuery) -> Iterator[None]:
        """Inside, the tables of a query are stored for those that look rows up."""
        with TemporaryDirectory(prefix="punctum-", ignore_cleanup_errors=True) as room:
            known = {table.name for stage in all_stages(query.last) for table in tables_of(stage)}
            bases = {name: str(Path(room) / str(n)) for n, name in enumerate(sorted(known))}
            for name in known:
                self._table(self._tables[name.lower()]).write_ipc(f"{bases[name]}.0.arrow")
            with stored_tables(bases):
                yield

    def _table(self, table: TableDef) -> pl.DataFrame:
        """The rows of a table: those that are given, or else those of its files."""
        if (rows := self._given.get(table.name.lower())) is not None:
            return rows
        return whole_table(read_as_stream(table), self._directory / table.options["path"])


def _time(times: Sequence[datetime], number: int) -> int:
    """What the clock says at a slice, in milliseconds since 1970."""
    if not times:
        return 0
    time = times[min(number, len(times) - 1)]
    return round((time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp() * 1000)


def _after(simulation: Simulation, query: CompiledQuery, feed: Feed, records: list[Record], now: int) -> SliceOutcome:
    """What comes of a slice."""
    piece, relation = simulation.feed(feed, now), query.query.relation
    all_records = sorted(
        [*records, *simulation.records], key=lambda record: (record.stream, record.reason, record.text)
    )
    return SliceOutcome(
        piece.rows,
        lines_in_order(piece.rows, relation.schema, isinstance(relation, OrderBy)),
        tuple(sorted(set(text_of(piece.puncts, relation.schema)))),
        tuple(all_records),
        simulation.kept(),
        simulation.state(),
    )
