"""Time travel: an example's slices through its operators, one by one, and what each of them takes, gives and keeps.

The operators are those that run on Spark, behind the same exchanges, in one bucket and in this process.
"""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from punctum.algebra.aggregates import Function
from punctum.algebra.json import to_json
from punctum.compile import CompiledQuery
from punctum.engine.exchange.buckets import Buckets
from punctum.engine.exchange.messages import (
    Addressed,
    Counts,
    SplitPart,
    StageMessage,
    decode,
    stream_slices,
    to_arrow,
)
from punctum.engine.formats.json import read_json
from punctum.engine.formats.write import json_lines
from punctum.engine.runtime import build
from punctum.engine.runtime.processor import to_next_stage
from punctum.engine.runtime.stage import StageRuntime
from punctum.engine.runtime.stored import plain_names
from punctum.ir.relations import Aggregate
from punctum.ir.tree import Relation
from punctum.operators.batch import punctuations_of
from punctum.operators.columns import ColumnarSlice
from punctum.operators.operator import of_rows
from punctum.plan.physical.pipes import Pipe
from punctum.plan.physical.stages import Stage, all_stages, operators

Elements = Sequence[Mapping[str, Any]]
"""Rows and punctuations, as in JSON."""
_ONE = Buckets((0,))
_OF_CALL = re.compile(r"#+(\d+)(?:\.(\w+))?")
"""How the columns of a group-by are called that are of one of its aggregates."""


def steps(compiled: CompiledQuery, slices: Sequence[Mapping[str, Elements]]) -> list[dict[str, Any]]:
    """What happens in each slice, as data for JSON."""
    traveller = _Traveller(compiled.last)
    return [traveller.step(sends) for sends in slices]


class _Traveller:
    """The stages of a query, in one bucket."""

    def __init__(self, last: Stage) -> None:
        self._last = last
        self._stages = {stage.number: stage for stage in all_stages(last)}
        self._running = {n: build.running(stage, _ONE, _ONE[0]) for n, stage in self._stages.items()}
        self._greeted = set[tuple[int, int]]()
        self._counts: dict[str, Counts] = {}
        self._rejected: list[dict[str, Any]] = []
        self._before: dict[str, list[str]] = {}

    def step(self, sends: Mapping[str, Elements]) -> dict[str, Any]:
        """Take a slice of each stream."""
        self._counts, self._rejected = {}, []
        given = self._stage(self._last, sends)
        schema = self._last.schema
        puncts = [json.loads(to_json(punctuation, schema)) for punctuation in punctuations_of(schema, given)]
        return {
            "sends": {name: list(elements) for name, elements in sends.items()},
            "rows": [json.loads(line) for line in json_lines(given.rows, schema)],
            "punctuations": puncts,
            "operators": self._counts,
            "tables": self._tables(),
            "rejected": self._rejected,
        }

    def _stage(self, stage: Stage, sends: Mapping[str, Elements]) -> ColumnarSlice:
        running, sent = self._running[stage.number], list[Addressed]()
        for source in stage.inputs:
            first = (stage.number, source.number) not in self._greeted
            self._greeted.add((stage.number, source.number))
            if isinstance(source.origin, Stage):
                self._stage(source.origin, sends)
                to = build.from_stage(source.origin, source, _ONE)
                before = self._running[source.origin.number]
                sent += to_next_stage(before, to, _ONE[0], first) + before.messages(to, _ONE[0])
            else:
                to = build.from_pipe(source.origin, source, _ONE)
                piece = self._read(source.origin, sends.get(source.origin.stream.name, ()))
                pieces = to.init_messages() | to.split(piece) if first else to.split(piece)
                sent += stream_slices(pieces, to.input, SplitPart(0, 0))
        given, counts = self._fed(running, sent)
        self._counts |= {f"s{stage.number}o{n}": counted for n, counted in enumerate(counts)}
        self._rejected += [_rejected(json.loads(record.line()), stage) for record in running.records()]
        return given

    def _fed(self, running: StageRuntime, sent: Sequence[Addressed]) -> tuple[ColumnarSlice, list[Counts]]:
        arrived: dict[int, list[StageMessage]] = {}
        for _, message, number in decode(to_arrow(sent).to_pydict()):
            assert isinstance(message, StageMessage)
            arrived.setdefault(number, []).append(message)
        return running.feed(arrived)

    def _read(self, pipe: Pipe, elements: Elements) -> ColumnarSlice:
        """The elements that come through a stream's selections and projections."""
        lines = "".join(json.dumps(element) + "\n" for element in elements).encode()
        return build.piped(pipe).apply(read_json(lines, pipe.stream.schema, {}).piece).piece

    def _tables(self) -> list[dict[str, Any]]:
        """The rows that are kept, with those that have come and those that have gone in this slice."""
        tables = []
        for stage, running in self._running.items():
            relations = [op.relation for op in operators(self._stages[stage].root)]
            for n, (operator, relation) in enumerate(zip(running.flow.operators, relations, strict=True)):
                for name, table in operator.tables().items():
                    if of_rows(name):
                        rows = named(table.frame(), relation)
                        keys = relation.input.schema.names if isinstance(relation, Aggregate) else ()
                        shown = self._table(f"s{stage}o{n}", name, rows.columns, rows.write_ndjson())
                        tables.append(changed(shown, [column for column in rows.columns if column in keys]))
        return tables

    def _table(self, operator: str, name: str, columns: Sequence[str], lines: str) -> dict[str, Any]:
        key, now = f"{operator}_{name}", lines.splitlines()
        before, self._before[key] = Counter(self._before.get(key, ())), now
        rows = []
        for line in now:
            new = not before[line]
            before[line] -= not new
            rows.append({"row": json.loads(line), "new": new})
        gone = [json.loads(line) for line in before.elements()]
        return {"operator": operator, "name": name, "columns": list(columns), "rows": rows, "gone": gone}


def changed(table: dict[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    """A table in which groups that have changed are neither new nor gone: they have what they were before.

    >>> one, two = {"k": 1, "n": 1}, {"k": 1, "n": 2}
    >>> changed({"rows": [{"row": two, "new": True}], "gone": [one, {"k": 3, "n": 1}]}, ["k"])
    {'rows': [{'row': {'k': 1, 'n': 2}, 'new': False, 'was': {'k': 1, 'n': 1}}], 'gone': [{'k': 3, 'n': 1}]}
    """
    before = {tuple(row[key] for key in keys): row for row in table["gone"]} if keys else {}
    rows = []
    for kept in table["rows"]:
        was = before.pop(tuple(kept["row"][key] for key in keys), None) if kept["new"] else None
        rows.append(kept if was is None else {"row": kept["row"], "new": False, "was": was})
    again = [kept["was"] for kept in rows if "was" in kept]
    return table | {"rows": rows, "gone": [row for row in table["gone"] if not any(row is was for was in again)]}


def _rejected(record: dict[str, Any], stage: Stage) -> dict[str, Any]:
    """A record, of whose row only the columns of its stream are shown."""
    pipes = (source.origin for source in stage.inputs if isinstance(source.origin, Pipe))
    known = {name for pipe in pipes if pipe.stream.name == record["stream"] for name in pipe.stream.schema.names}
    row = json.loads(record["text"])
    return record | {"text": json.dumps({name: value for name, value in row.items() if name in known})}


def named(rows: pl.DataFrame, relation: Relation) -> pl.DataFrame:
    """Kept rows in columns that a person knows: those of the operator's own are left out, but for aggregates so far."""
    names = dict[str, str]()
    for column in rows.columns:
        own = _OF_CALL.fullmatch(column)
        if own is not None and isinstance(relation, Aggregate):
            call = relation.aggregates[int(own[1])]
            if not own[2] or (call.function is Function.COUNT and own[2] == "n"):
                names[column] = str(call).replace("* WEIGHTED 1", "*")
        elif column[:1] not in "\0#":
            names[column] = column
    shown = names if names and len(set(names.values())) == len(names) else plain_names(rows)
    return rows.select(list(shown)).rename(shown)
