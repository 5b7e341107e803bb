"""NEXMark's queries without Spark: what the tasks of a batch do, one after the other in this process.

Files are read, rows go through pipes, exchanges and operators, and results are written, as in the workers of Spark. So
the processor time is that of rows, whatever else the machine does: seconds for a million events in the later half of
the batches, in all, to read and pack the streams, and of each stage. One more batch is profiled: in which modules of
Punctum its time goes, with that of the libraries that they call, and if asked for, in which functions.

    python bench/nexmark_alone.py [q0 q3 …] [--events 1500k] [--slice 30k] [--tasks 2] [--profile] [--json FILE]
"""

import os

os.environ |= {  # as a worker of Spark's has them
    "POLARS_MAX_THREADS": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "_RJEM_MALLOC_CONF": "dirty_decay_ms:10000,oversize_threshold:0",
}

import argparse
import cProfile
import json
import pstats
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from nexmark_engines import FILES  # type: ignore[import-not-found]  # beside this file

from punctum.commands.nexmark import number
from punctum.compile import compile
from punctum.engine.exchange.buckets import Buckets
from punctum.engine.exchange.kinds import Kind
from punctum.engine.exchange.messages import to_arrow
from punctum.engine.formats.files import reading
from punctum.engine.formats.splits import Split
from punctum.engine.partitions import dealt
from punctum.engine.query import _running
from punctum.engine.runtime import build
from punctum.engine.runtime.processor import StageProcessor
from punctum.engine.runtime.task import StageTask
from punctum.engine.runtime.where_read import StageWhereRead
from punctum.engine.sinks.files import ResultFiles
from punctum.engine.sources.reader import Share, parts_in_order
from punctum.engine.sources.source import FileStream, read_splits
from punctum.engine.sources.tables import store_tables
from punctum.nexmark.files import generate
from punctum.nexmark.queries import NAMES, script
from punctum.nexmark.workload import TABLES, Workload
from punctum.plan.physical.pipes import Pipe
from punctum.plan.physical.stages import Stage, needs_clock, tables_of

Splits = dict[str, list[Split]]
"""The splits of a batch, by the name of their stream."""


class Alone:
    """A query of NEXMark in this process, over the files of a directory."""

    def __init__(self, query: str, directory: Path, tasks: int) -> None:
        (self._compiled,) = compile(script(query)).queries
        self._directory, self._checkpoint, self._tasks = directory, directory / query, tasks
        self._buckets = Buckets(dealt(1 if self._compiled.where_read else tasks))
        sink = self._compiled.query.sink
        self._results = ResultFiles(str(self._checkpoint / "out"), sink.format, self._compiled.last.schema, False, "q")
        self._results.prepare()
        self._stages = dict[int, Any]()
        self._streams = dict[tuple[int, int], FileStream]()
        self.batch, self.seconds = 0, defaultdict[str, float](float)

    def feed(self, splits: Splits) -> None:
        """Run a batch."""
        if self._compiled.where_read:
            self._feed_where_read(splits)
        else:
            self._stage(self._compiled.last, splits, self._results)
        self.batch += 1

    def _feed_where_read(self, splits: Splits) -> None:
        last = self._compiled.last
        streams = {str(n): self._stream(last, n, stays=True) for n in range(len(last.inputs))}
        known = [(key, n, split) for key, s in streams.items() for n, split in enumerate(splits[s.name])]
        if not self._stages:
            processor = self._processor(last, self._results)
            self._stages[0] = StageWhereRead(processor, streams, self._checkpoint, 0, lambda: self.batch)
        with self._timed("stage 0"):
            for part in parts_in_order(known, self._tasks):
                for _ in self._stages[0](part):
                    pass

    def _stage(self, stage: Stage, splits: Splits, to: object) -> list[pa.RecordBatch]:
        arrived = list[pa.RecordBatch]()
        for source in stage.inputs:
            if isinstance(source.origin, Stage):
                link = build.from_stage(source.origin, source, self._buckets, needs_clock(stage))
                arrived += self._stage(source.origin, splits, link)
                continue
            stream = self._stream(stage, source.number)
            for task in range(self._tasks):
                own = tuple(enumerate(splits[stream.name]))[task :: self._tasks]
                with self._timed("read"):
                    share = Share("", own, self.batch == 0 and task == 0)
                    arrived += map(to_arrow, read_splits(stream, share, self._tasks))
        if stage.number not in self._stages:
            state = self._checkpoint / "state" / str(stage.number)
            self._stages[stage.number] = StageTask(self._processor(stage, to), state, lambda: self.batch)
        table, given = self._told(pa.Table.from_batches(arrived)), list[pa.RecordBatch]()
        for bucket in self._buckets:
            here = table.filter(pc.equal(table["bucket"], pa.scalar(bucket))).combine_chunks()
            with self._timed(f"stage {stage.number}"):
                given += self._stages[stage.number](iter(here.to_batches()))
        return given

    def _told(self, table: pa.Table) -> pa.Table:
        """The messages with the time of the batch, which Spark tells."""
        now = pa.scalar(str(1_800_000_000_000 + 1_000 * self.batch))
        clock = pc.equal(table["kind"], pa.scalar(str(Kind.CLOCK)))
        detail = pc.if_else(clock, now, table["detail"])
        return table.set_column(table.schema.get_field_index("detail"), "detail", detail)

    def _processor(self, stage: Stage, to: object) -> StageProcessor:
        tables = store_tables(tables_of(stage), str(self._checkpoint), self._directory, stage.number)
        running = partial(_running, stage, self._buckets, {}, tables)
        return StageProcessor(str(self._checkpoint), stage.number, running, to)  # type: ignore[arg-type]

    def _stream(self, stage: Stage, n: int, stays: bool = False) -> FileStream:
        if (stage.number, n) not in self._streams:
            source = stage.inputs[n]
            assert isinstance(source.origin, Pipe)
            pipe = source.origin
            stream, to = pipe.stream, build.from_pipe(pipe, source, self._buckets, needs_clock(stage))
            at = stream.name, stream.schema, build.piped(pipe, stays), to, False, True
            files = str(self._directory / "in" / stream.name), "parquet", reading(stream)
            folds = () if stays else build.folded_names(stage, source)
            self._streams[stage.number, n] = FileStream(*at, *files, folds, pipe.reads)
        return self._streams[stage.number, n]

    @contextmanager
    def _timed(self, what: str) -> Iterator[None]:
        before = time.process_time()
        yield
        self.seconds[what] += time.process_time() - before


def batches(directory: Path) -> list[Splits]:
    """The files of all streams, batch by batch."""
    found = {table: sorted((directory / "in" / table).iterdir()) for table in TABLES}
    splits = {t: [Split(f.name, 0, f.stat().st_size, 0, 0, 0, "") for f in files] for t, files in found.items()}
    count = min(map(len, splits.values()))
    return [{t: some[at : at + FILES] for t, some in splits.items()} for at in range(0, count, FILES)]


Called = tuple[str, int, str]
"""A function as profiles name it: its file, its line and its name."""


def shares(profile: cProfile.Profile) -> dict[str, float]:
    """The part of a profile's time that goes into each module of Punctum and what it calls elsewhere, the most first.

    What a library's function takes is its callers', by how long each of them waits for it.
    """
    stats: dict[Called, Any] = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    own = {function: known[2] for function, known in stats.items()}
    spent = defaultdict[str, float](float)
    for _ in range(DEEP):
        passed = defaultdict[Called, float](float)
        for function, seconds in own.items():
            callers = {caller: edge[3] for caller, edge in stats[function][4].items() if caller != function}
            if _PACKAGE in function[0] or not sum(callers.values()):
                spent[function[0].partition(_PACKAGE)[2] or "other"] += seconds
                continue
            for caller, waited in callers.items():
                passed[caller] += seconds * waited / sum(callers.values())
        own = passed
    whole = sum(spent.values())
    return {module: spent[module] / whole for module in sorted(spent, key=lambda module: -spent[module])}


DEEP = 40
"""So many functions of libraries may call each other."""
_PACKAGE = f"{os.sep}punctum{os.sep}"
_SHOWN = 4
"""So many modules are told of."""


def main() -> None:
    """Run the queries, one by one, and print a line for each."""
    parser = argparse.ArgumentParser()
    parser.add_argument("queries", nargs="*", default=NAMES)
    parser.add_argument("--events", type=number, default=1_500_000)
    parser.add_argument("--slice", type=number, default=30_000)
    parser.add_argument("--tasks", type=int, default=2)
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--directory", type=Path, help="where events have been generated, or will be")
    parser.add_argument("--json", type=Path)
    given, known, modules = parser.parse_args(), dict[str, dict[str, float]](), dict[str, dict[str, float]]()
    with tempfile.TemporaryDirectory() as temporary:
        directory = given.directory or Path(temporary)
        if not (directory / "in").exists():
            for _ in generate(Workload(given.events), directory / "in", size=given.slice):
                pass
        *every, last = batches(directory)
        for query in given.queries:
            with tempfile.TemporaryDirectory() as own:
                (Path(own) / "in").symlink_to((directory / "in").resolve())
                alone, profile = Alone(query, Path(own), given.tasks), cProfile.Profile(time.process_time)
                for n, splits in enumerate(every):
                    if n == len(every) // 2:
                        alone.seconds.clear()
                    alone.feed(splits)
                counted = (len(every) - len(every) // 2) * FILES * given.slice / 1e6
                known[query] = {what: seconds / counted for what, seconds in alone.seconds.items()}
                profile.runcall(alone.feed, last)
            modules[query] = dict(islice(shares(profile).items(), _SHOWN))
            parts = ", ".join(f"{what} {seconds:.2f}" for what, seconds in known[query].items())
            print(f"{query:4} {sum(known[query].values()):6.2f} s for a million events: {parts}")
            print("     " + ", ".join(f"{module} {share:.0%}" for module, share in modules[query].items()), flush=True)
            if given.profile:
                pstats.Stats(profile).sort_stats("tottime").print_stats(22)
    if given.json:
        measured = {"events": given.events, "batch": FILES * given.slice, "alone": known, "modules": modules}
        given.json.write_text(json.dumps(measured, indent=1) + "\n")


if __name__ == "__main__":
    main()
