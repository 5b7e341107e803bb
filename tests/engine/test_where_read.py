"""Stages that run where their streams are read: what they give is what the elements say one by one, in any parts."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.sequences import OneByOne, elements
from lanes import examples
from punctum.algebra.functions import Element
from punctum.algebra.json import to_json
from punctum.algebra.punctuation import Punctuation
from punctum.compile import compile
from punctum.engine.exchange.buckets import Buckets
from punctum.engine.exchange.messages import (
    MetricsMessage,
    QuarantineMessage,
    StageMessage,
    WrittenMessage,
    decode,
    to_arrow,
)
from punctum.engine.formats.files import reading
from punctum.engine.formats.splits import Split
from punctum.engine.runtime import build
from punctum.engine.runtime.processor import StageProcessor
from punctum.engine.runtime.where_read import StageWhereRead
from punctum.engine.sinks.files import ResultFiles
from punctum.engine.sources.reader import Share, parts_in_order
from punctum.engine.sources.source import FileStream, read_splits
from punctum.operators.columns import to_rows
from punctum.plan.physical.pipes import Pipe
from punctum.plan.physical.stages import Stage

STREAM = "CREATE STREAM {} (k BIGINT, x BIGINT, d BIGINT, s STRING{}) USING {} OPTIONS (path '{}');"
FILES = "parquet OPTIONS (path 'o')"
CLAUSES = ["", ", PUNCTUATED ON (k), PUNCTUATED ON (x ASC)", ", DOMAIN d BETWEEN 0 AND 2, PUNCTUATED ON (k, s)"]
QUERIES = [
    "SELECT k, x, d, s FROM a",
    "SELECT k, s FROM a",
    "SELECT k, x FROM a WHERE d = 1",
    "SELECT x AS x1, k + 1 AS k1, x AS x2 FROM a WHERE s = 'a'",
    "SELECT x * 4611686018427387904 AS y, d FROM a WHERE k < 3",
    "SELECT k, x FROM a UNION ALL SELECT k, d FROM b WHERE d * 4611686018427387904 > 7",
    "SELECT k + 1 AS k FROM (SELECT k, s FROM a UNION ALL SELECT x, s FROM b) WHERE s = 'b'",
]
RUNS = count()


def script(select: str, format_: str = "json", clause: str = "", sink: str = FILES) -> str:
    streams = "".join(STREAM.format(name, clause, format_, name) for name in "ab")
    return f"{streams} CREATE SINK o USING {sink}; INSERT INTO o {select} ALLOW UNBOUNDED;"


@dataclass
class Files:
    """Streams as files, batch by batch."""

    directory: Path
    format: str
    batches: list[list[tuple[str, Split]]] = field(default_factory=list)

    def write(self, name: str, texts: Sequence[Element | str]) -> tuple[str, Split]:
        """A file of elements, and of lines that are none."""
        path = self.directory / name / f"{len(list((self.directory / name).iterdir()))}.{self.format}"
        match self.format:
            case "parquet":
                rows = [_fields(e) for e in texts if not isinstance(e, str)]
                columns = {"k": pl.Int64, "x": pl.Int64, "d": pl.Int64, "s": pl.String, "_punct": pl.String}
                pl.DataFrame(rows, columns, orient="row").write_parquet(path)
            case "json":
                lines = [e if isinstance(e, str) else _line(e) for e in texts]
                path.write_text("".join(f"{line}\n" for line in lines))
            case _:
                lines = [e if isinstance(e, str) else ",".join(map(_field, _fields(e))) for e in texts]
                path.write_text("".join(f"{line}\n" for line in lines))
        return name, Split(path.name, 0, path.stat().st_size, 0, 0, 0, "")


def _fields(element: Any) -> tuple[Any, ...]:
    if isinstance(element, Punctuation):
        return None, None, None, None, to_json(element, element.schema)
    return *element, None


def _field(value: Any) -> str:
    doubled = str(value).replace('"', '""')
    return "" if value is None else f'"{doubled}"' if isinstance(value, str) and "{" in value else str(value)


def _line(element: Any) -> str:
    return _fields(element)[-1] or json.dumps(dict(zip("kxds", element, strict=True)))


class Streams:
    """The streams of a query over files."""

    def __init__(self, last: Stage, directory: Path, buckets: Buckets, stays: bool = False) -> None:
        self.last, self.buckets, self.of = last, buckets, dict[str, FileStream]()
        for source in last.inputs:
            pipe = source.origin
            assert isinstance(pipe, Pipe) and pipe.stream.format is not None
            stream, to = pipe.stream, build.from_pipe(pipe, source, buckets)
            at = stream.name, stream.schema, build.piped(pipe, stays), to, False, True
            path, wanted = str(directory / stream.name), pipe.reads if stays else None
            self.of[stream.name] = FileStream(*at, path, pipe.stream.format, reading(stream), (), wanted)


class InParts:
    """A query that runs where its streams are read, in so many tasks a batch."""

    def __init__(self, last: Stage, directory: Path) -> None:
        self._last, self._directory, self.files = last, directory, 0
        self._streams = Streams(last, directory, Buckets([0]), stays=True)
        self.results = ResultFiles(str(directory / "out"), "parquet", last.schema, False, "q")
        self.counts: list[MetricsMessage] = []
        self.records: list[str] = []
        self.restart()

    def restart(self) -> None:
        """A new run, which knows nothing but what is in files."""
        self.results.prepare()
        running = partial(build.running, self._last, self._streams.buckets)
        self._processor = StageProcessor(f"test {next(RUNS)}", 1, running, self.results)

    def feed(self, number: int, splits: list[tuple[str, int, Split]], tasks: int, again: bool, kill: int = -1) -> None:
        """A batch, which may be killed when so many of its tasks have been done."""
        written, records, counts = list[tuple[int, str]](), list[str](), list[MetricsMessage]()
        stage = StageWhereRead(self._processor, self._streams.of, self._directory / "state", 0, lambda: number)
        for part in parts_in_order(splits, tasks):
            if part.number == kill:
                return
            for messages in stage(part):
                for _, message, _ in decode(messages.to_pydict()):
                    written += [(message.sender, message.file)] if isinstance(message, WrittenMessage) else []
                    records += message.lines if isinstance(message, QuarantineMessage) else []
                    counts += [message] if isinstance(message, MetricsMessage) else []
        self.results.commit(number, sorted(written), again)
        self.records, self.counts = records, counts

    def rows(self) -> Counter[Any]:
        frames = [pl.read_parquet(path) for path in (self._directory / "out").glob("part-*")]
        return Counter(row for frame in frames for row in to_rows(frame))


class InBuckets:
    """The same query behind an exchange, in so many buckets."""

    def __init__(self, last: Stage, directory: Path, buckets: int) -> None:
        self._streams = Streams(last, directory, Buckets(range(buckets)))
        self._running = [build.running(last, self._streams.buckets, bucket) for bucket in range(buckets)]

    def feed(self, splits: list[tuple[str, int, Split]]) -> tuple[Counter[Any], list[str], list[dict[str, Any]]]:
        """The rows of a batch, its records, and what is counted of each operator and bucket."""
        arrived: dict[int, dict[int, list[StageMessage]]] = {}
        rows, records, counts = Counter[Any](), list[str](), list[dict[str, Any]]()
        for key, stream in self._streams.of.items():
            share = Share(key, tuple((n, split) for name, n, split in splits if name == key), False)
            for sent in read_splits(stream, share, 1):
                for bucket, message, number in decode(to_arrow(sent).to_pydict()):
                    if isinstance(message, QuarantineMessage):
                        records += message.lines
                    else:
                        arrived.setdefault(bucket, {}).setdefault(number, []).append(message)  # type: ignore[arg-type]
        for bucket, known in arrived.items():
            piece, counted = self._running[bucket].feed(known)
            rows += Counter(to_rows(piece.rows))
            records += [record.line() for record in self._running[bucket].records()]
            counts += counted
        return rows, records, counts


@st.composite
def files(draw: st.DrawFn, directory: Path, last: Stage, format_: str) -> tuple[Files, dict[str, list[Element]]]:
    """Random elements of each stream, cut into files and batches; some lines are no elements."""
    made, sequences = Files(directory, format_), dict[str, list[Element]]()
    pipes = {source.origin.stream.name: source.origin for source in last.inputs if isinstance(source.origin, Pipe)}
    for name, pipe in pipes.items():
        (directory / name).mkdir()
        sequences[name] = draw(elements(pipe.stream.schema), name)
    for n in range(batches := draw(st.integers(1, 3))):
        made.batches.append([])
        for name, whole in sequences.items():
            mine = whole[len(whole) * n // batches : len(whole) * (n + 1) // batches]
            inner = sorted(draw(st.lists(st.integers(0, len(mine)), max_size=3)))
            for start, end in zip([0, *inner], [*inner, len(mine)], strict=True):
                wrong = ["{$punct", "[1]"] if draw(st.booleans()) else []
                made.batches[n].append(made.write(name, [*wrong, *mine[start:end]]))
    return made, sequences


def numbered(batch: list[tuple[str, Split]]) -> Iterator[tuple[str, int, Split]]:
    """The splits of a batch, numbered stream by stream."""
    seen = Counter[str]()
    for name, split in sorted(batch, key=lambda of: of[0]):
        yield name, seen[name], split
        seen[name] += 1


def told(lines: Sequence[str]) -> Counter[str]:
    """Records without which of several punctuations excludes a row."""
    records = (json.loads(line) for line in lines)
    return Counter(json.dumps(record | {"punctuation": bool(record["punctuation"])}) for record in records)


def summed(counts: Sequence[dict[str, Any]], names: Sequence[str]) -> Counter[str]:
    return Counter({name: n for name in names if (n := sum(counted.get(name, 0) for counted in counts))})


@pytest.mark.parametrize("format_", ["json", "csv", "parquet"])
@pytest.mark.parametrize("select", QUERIES)
@examples(15)
@given(data=st.data(), clause=st.sampled_from(CLAUSES))
def test_it_is_the_same_in_parts_in_buckets_and_one_by_one(
    select: str, format_: str, data: st.DataObject, clause: str
) -> None:
    query = compile(script(select, format_, clause)).queries[0]
    assert query.where_read
    with TemporaryDirectory() as made:
        known, sequences = data.draw(files(Path(made), query.last, format_))
        parts, wanted = InParts(query.last, Path(made)), Counter[Any]()
        buckets = InBuckets(query.last, Path(made), data.draw(st.integers(1, 3)))
        for n, batch in enumerate(known.batches):
            splits, tasks = list(numbered(batch)), data.draw(st.integers(1, 4))
            if again := data.draw(st.integers(0, 4)) == 0:
                parts.feed(n, splits, data.draw(st.integers(1, 4)), False, kill=data.draw(st.integers(-1, 3)))
            if again or data.draw(st.booleans()):
                parts.restart()
            parts.feed(n, splits, tasks, again)
            rows, records, counts = buckets.feed(splits)
            wanted += rows
            assert parts.rows() == wanted
            assert told(parts.records) == told(records)
            ours = [counted for message in parts.counts for counted in message.counts.values()]
            assert summed(ours, ["rows_in", "rows_out"]) == summed(counts, ["rows_in", "rows_out"])
    pipe = query.last.inputs[0].origin
    if select == QUERIES[0]:
        assert isinstance(pipe, Pipe)
        alone = OneByOne(pipe)
        alone.feed(sequences["a"])
        assert wanted == Counter(alone.rows)


def test_explain_says_so() -> None:
    query = compile(script("SELECT k, s FROM a WHERE x > 1")).queries[0]
    assert query.explained[0] == "stage 1, run where its streams are read"
    assert query.explained[-1].strip().startswith("Projection") and "  read a" in query.explained


@pytest.mark.parametrize(
    ("select", "how"),
    [
        ("SELECT k FROM a", {"sink": "postgres OPTIONS (url 'postgresql://h/d', table 't')"}),
        ("SELECT k FROM a", {"sink": "console"}),
        ("SELECT k FROM a", {"sink": "json OPTIONS (path 'o', punctuations 'true')"}),
        ("SELECT k FROM a", {"sink": "json OPTIONS (path 'o', feedback 'f')"}),
        ("SELECT k FROM a", {"clause": ", UNIQUE (k)"}),
        ("SELECT k FROM a", {"clause": ", PUNCTUATE (x ASC)"}),
        ("SELECT k FROM a", {"clause": ", PUNCTUATED ON (k) LIFESPAN '4 hours'"}),
        ("SELECT k FROM a", {"format_": "xml"}),
        ("SELECT DISTINCT k FROM a", {}),
        ("SELECT k, COUNT(*) AS n FROM a GROUP BY k", {}),
        ("SELECT k FROM a UNION SELECT k FROM b", {}),
        ("SELECT k, current_timestamp() AS t FROM a", {}),
    ],
)
def test_what_is_exchanged_all_the_same(select: str, how: dict[str, str]) -> None:
    assert not compile(script(select, **how)).queries[0].where_read
