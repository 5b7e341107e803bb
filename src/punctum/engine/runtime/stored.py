"""What a query keeps, read from its checkpoint as it is behind the last batch that is done, while it runs or not.

A query that starts writes down which operators it has, and which tables these keep (``described``). With that, and with
the chunks that are in the files of a batch, the tables are put together again (``kept_state``). Nothing in
the checkpoint is changed, and nobody is kept out of it.
"""

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl

from punctum.engine.exchange.blobs import chunk_from_blob, from_blob, to_blob
from punctum.engine.exchange.messages import Counts
from punctum.engine.recovery.bucket_notes import state_directory
from punctum.engine.recovery.checkpoint import check_version, last_committed
from punctum.engine.recovery.durable import read_sealed, write_sealed
from punctum.engine.recovery.measured import metrics_of
from punctum.engine.recovery.state_files import buckets_behind
from punctum.engine.runtime.metrics import waits_for
from punctum.engine.runtime.stage import StageRuntime
from punctum.errors import QueryError
from punctum.operators.operator import of_rows
from punctum.operators.table import Table
from punctum.storage.location import Location, location

Described = dict[str, Any]
"""The operators of a stage and their tables, as data for JSON."""
Place = tuple[int, str]
"""Where a table is: the number of the stage, and the name that the table has there."""
_FILE, _ROWS = "operators.json", "\0rows"
COUNTED = {
    "rows": "rows_kept",
    "bytes": "bytes_kept",
    "punctuations": "puncts_kept",
    "remembered": "puncts_received",
}
"""What is shown of each bucket, and what metrics call it."""


@dataclass(frozen=True)
class KeptTable:
    """Rows that an operator keeps, by bucket, and what they wait for: a stream, and its attributes by column."""

    name: str
    place: Place
    empty: pl.DataFrame
    stream: str = ""
    on: tuple[tuple[str, str], ...] = ()
    buckets: Mapping[int, Table] = field(default_factory=dict)

    def frame(self) -> pl.DataFrame:
        """The rows of all buckets; the columns that are an operator's own have plain names."""
        return pl.concat([self.empty, *(table.frame() for table in self.buckets.values())]).rename(
            plain_names(self.empty)
        )

    def largest(self, most: int) -> list[tuple[dict[str, Any], int]]:
        """The keys that most rows have, and how many have them: a key is what one punctuation would close."""
        if not self.on:
            return []
        counted = self.frame().group_by([mine for mine, _ in self.on]).agg(pl.len().alias(_ROWS))
        rows = counted.sort([_ROWS, *counted.columns[:-1]], descending=[True, *[False] * len(self.on)]).head(most)
        return [(row, row.pop(_ROWS)) for row in rows.to_dicts()]

    def oldest(self, most: int) -> list[tuple[float, str]]:
        """Since when the oldest row of each bucket is kept, and what it waits for; the oldest ones of these."""
        firsts = [first for table in self.buckets.values() if (first := table.oldest()) is not None]
        firsts.sort(key=lambda first: first[0])
        return [(since, waits_for(self.stream, self.on, row) if self.stream else "") for since, row in firsts[:most]]


@dataclass(frozen=True)
class KeptOperator:
    """An operator, its tables, and what is counted of it in each bucket."""

    name: str
    label: str
    tables: tuple[KeptTable, ...]
    counts: Mapping[int, Counts] = field(default_factory=dict)


@dataclass(frozen=True)
class KeptState:
    """What a query keeps behind a batch; none, when it has done none yet."""

    checkpoint: Location
    operators: tuple[KeptOperator, ...]
    batch: int | None = None
    time: float | None = None

    def frames(self) -> dict[str, pl.DataFrame]:
        """The rows of all tables, by their names."""
        return {table.name: table.frame() for operator in self.operators for table in operator.tables}


def plain_names(rows: pl.DataFrame) -> dict[str, str]:
    r"""Names that SQL can have for the columns that an operator has made up, when they are not taken.

    >>> plain_names(pl.DataFrame(schema=["itemid", "\0met", "##0.sum"]))
    {'itemid': 'itemid', '\x00met': '_met', '##0.sum': '_0_sum'}
    """
    plain = [re.sub(r"^[\0#]+|\.", "_", name) if name[:1] in "\0#" else name for name in rows.columns]
    return dict(zip(rows.columns, plain if len(set(plain)) == len(plain) else rows.columns, strict=True))


def described(stage: int, running: StageRuntime) -> Described:
    """A stage's operators and the tables of rows that they keep."""
    flow = running.flow
    operators = []
    for n, (operator, label) in enumerate(zip(flow.operators, flow.labels, strict=True)):
        waits, tables = operator.waits(), dict[str, Any]()
        for name, table in operator.tables().items():
            if of_rows(name):
                columns = b64encode(to_blob(table.frame().clear())).decode()
                on = (flow.stream(n, waits[name].input), waits[name].on) if name in waits else ("", ())
                tables[name] = {"columns": columns, "stream": on[0], "on": on[1]}
        operators.append({"label": label, "tables": tables})
    return {"stage": stage, "operators": operators}


def write_described(checkpoint: str, stages: Sequence[Described]) -> None:
    """Write down which operators a query has."""
    write_sealed(location(checkpoint) / "punctum" / _FILE, json.dumps(sorted(stages, key=lambda stage: stage["stage"])))


def empty_state(checkpoint: Location) -> KeptState:
    """The operators and tables of the query that has a checkpoint, without rows; needs no Spark."""
    plan = checkpoint / "punctum" / "plan"
    if not plan.exists():
        hint = "name a directory that punctum run --checkpoint, or start(), was given"
        raise QueryError(f"{checkpoint} is not the checkpoint of a query", f"{plan} does not exist", hint)
    check_version(plan)
    operators = [
        KeptOperator(name, operator["label"], tuple(_tables(name, (stage["stage"], f"{n}."), operator["tables"])))
        for stage in json.loads(read_sealed(checkpoint / "punctum" / _FILE))
        for n, operator in enumerate(stage["operators"])
        for name in [f"s{stage['stage']}o{n}"]
    ]
    return KeptState(checkpoint, tuple(operators))


def _tables(operator: str, place: Place, tables: Mapping[str, Any]) -> Iterator[KeptTable]:
    for name, known in tables.items():
        shown = f"{operator}_{name}".replace(" ", "_")
        on = tuple((mine, theirs) for mine, theirs in known["on"])
        empty = from_blob(b64decode(known["columns"]))
        yield KeptTable(shown, (place[0], place[1] + name), empty, known["stream"], on)


def kept_state(checkpoint: Location) -> KeptState:
    """What the query that has a checkpoint keeps behind its last batch."""
    state, batch = empty_state(checkpoint), last_committed(checkpoint)
    if batch is None:
        return state
    measured: dict[str, Any] = {"kept": {}, "time": None}
    measured |= next((json.loads(line) for n, line in metrics_of(checkpoint) if n == batch), {})
    tables = [table for operator in state.operators for table in operator.tables]
    read = _read(state_directory(checkpoint), batch, {table.place: table for table in tables})
    operators = []
    for known in state.operators:
        counts = {int(bucket): of[known.name] for bucket, of in measured["kept"].items() if known.name in of}
        filled = tuple(replace(table, buckets=read.get(table.place, {})) for table in known.tables)
        operators.append(replace(known, tables=filled, counts=dict(sorted(counts.items()))))
    return KeptState(checkpoint, tuple(operators), batch, measured["time"])


def _read(state: Location, batch: int, tables: Mapping[Place, KeptTable]) -> dict[Place, dict[int, Table]]:
    """The tables of a state, by bucket."""
    read: dict[Place, dict[int, Table]] = {}
    for stage in {place[0] for place in tables}:
        for bucket, files in buckets_behind(state / str(stage), batch):
            for name, places in files.load()[1].items():
                if (stage, name) in tables:
                    blobs = {n: files.read(at) for n, at in places.items()}
                    read.setdefault((stage, name), {})[bucket] = _table(tables[stage, name].empty, blobs)
    return read


def _table(empty: pl.DataFrame, blobs: Mapping[int, bytes]) -> Table:
    """A table with the chunks that are stored of it."""
    chunks = {n: chunk_from_blob(blob) for n, blob in sorted(blobs.items())}
    table = Table(empty).restored({n: rows for n, (rows, _) in chunks.items()})
    table.restore_ages({n: ages for n, (_, ages) in chunks.items()})
    return table


def kept_data(state: KeptState, show: int) -> dict[str, Any]:
    """What a query keeps, as data for JSON."""
    operators = [_operator(operator, show) for operator in state.operators]
    return {"checkpoint": state.checkpoint, "batch": state.batch, "time": state.time, "operators": operators}


def _operator(operator: KeptOperator, show: int) -> dict[str, Any]:
    tables = [
        {
            "name": table.name,
            "rows": sum(map(len, table.buckets.values())),
            "columns": table.frame().columns,
            "largest": [{"key": key, "rows": many} for key, many in table.largest(show)],
            "oldest": [{"since": since, "waits for": waits_for or None} for since, waits_for in table.oldest(show)],
        }
        for table in operator.tables
    ]
    buckets = [{"bucket": bucket} | counted_of(counts) for bucket, counts in operator.counts.items()]
    return {"name": operator.name, "label": operator.label, "buckets": buckets, "tables": tables}


def counted_of(counts: Counts) -> dict[str, Any]:
    """What is shown of a bucket."""
    return {shown: counts.get(counted, 0) for shown, counted in COUNTED.items()}
