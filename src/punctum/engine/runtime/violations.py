"""Records of what inputs and operators have not taken: the rows that they know of in, records out."""

import polars as pl

from punctum.algebra.schema import Schema
from punctum.engine.exchange.buckets import Exchange
from punctum.engine.exchange.quarantine import VIOLATION, Record, fail, record
from punctum.engine.formats.files import READERS, reading
from punctum.engine.formats.read import LONGEST, FileContent, Read, clean
from punctum.engine.formats.splits import Split, shown
from punctum.engine.formats.write import json_lines
from punctum.engine.kafka.read import read_range
from punctum.engine.kafka.topics import OffsetRange
from punctum.engine.sources.pipe import ROW, Piped
from punctum.errors import MissingError
from punctum.ir.definitions import KAFKA, StreamDef, Violation
from punctum.ir.tree import Relation, sources, title
from punctum.operators.checked import REASON, Failed
from punctum.operators.columns import AT, ColumnarSlice, empty
from punctum.operators.expect import Expect
from punctum.operators.operator import Operator
from punctum.operators.punctuate import Punctuate
from punctum.plan.physical.pipes import Pipe


def originals(pipe: Pipe, split: str | None, bad: pl.DataFrame) -> list[Record]:
    """Records of rows that violate, as they are in their file; of a stream without files, as the query reads them."""
    stream = pipe.stream
    rows = None if split is None or stream.format is None else _as_written(pipe, split, bad)
    if rows is None or len(rows) < bad.height:
        texts = zip(json_lines(bad.drop(AT, strict=False), pipe.schema), bad[REASON], strict=True)
        rows = [(None, text, why) for text, why in texts]
    if split is not None and stream.format == KAFKA:
        return _violations(stream, None, rows, partition=OffsetRange.of(split)[:2])
    return _violations(stream, None if split is None else shown(Split.at(split)[1].name), rows)


def slice_of_split(pipe: Pipe, to: Exchange, bucket: int, split: str) -> ColumnarSlice:
    """What a split sends to a bucket, its rows behind the pipe."""
    read = _read_again(pipe.stream, split)
    known = to.split(Piped(pipe.steps, pipe.stream)(read.piece)).get(bucket)
    return ColumnarSlice(empty(pipe.schema)) if known is None else known


def late(stream: StreamDef, operator: Punctuate | Expect, reason: str) -> list[Record]:
    """Records of the rows that come after all have reported; which file they are from is not known any more."""
    if operator.late.is_empty():
        return []
    texts = zip(json_lines(operator.late, operator.output), operator.reasons, strict=True)
    return _violations(stream, None, [(None, text, why) for text, why in texts], reason)


def failures(relation: Relation, operator: Operator) -> list[Record]:
    """Records of what has no value in an operator: rows that it reads, pairs of them, or groups."""
    streams = list(sources(relation))
    records = [
        Record(title(relation), why, text)
        for failed in operator.failed()
        for text, why in zip(json_lines(*_named_so(failed, relation, operator)), failed.rows[REASON], strict=True)
    ]
    if records and any(source.stream.on_violation is Violation.FAIL for source in streams):
        fail(records[0])
    return records


def _named_so(failed: Failed, relation: Relation, operator: Operator) -> tuple[pl.DataFrame, Schema]:
    """What failed, under the names that the relation has for it when it is a row of its result."""
    if failed.schema is not operator.output or len(failed.schema) != len(relation.schema):
        return failed.rows, failed.schema
    return failed.rows.rename(dict(zip(failed.schema.names, relation.schema.names, strict=True))), relation.schema


Bad = list[tuple[int | None, str, str]]
"""Rows that violate: where they stand, their texts, and what they break."""


def _violations(
    stream: StreamDef,
    file: str | None,
    bad: Bad,
    reason: str = VIOLATION,
    partition: tuple[str, int] | None = None,
) -> list[Record]:
    records = [record(stream.name, reason, text, file, at, partition, why) for at, text, why in bad]
    if records and stream.on_violation is Violation.FAIL:
        fail(records[0])
    return records


def _read_again(stream: StreamDef, split: str) -> Read:
    """What a split of a file holds, or a range of a topic that is no longer than what is read of it at once."""
    if stream.format == KAFKA:
        wanted = OffsetRange.of(split)
        (_, read), *_ = [
            *read_range(stream.name, stream.options, stream.schema, wanted),
            (wanted, FileContent(stream.schema).read()),
        ]
        return read
    assert stream.format is not None
    path, within = Split.at(split)
    return READERS[stream.format](path, stream.schema, reading(stream), within)


def _as_written(pipe: Pipe, split: str, bad: pl.DataFrame) -> Bad | None:
    """The rows of a split that are some bad ones behind the pipe, as they are written there."""
    try:
        read = _read_again(pipe.stream, split)
    except MissingError:
        return None
    raw = read.piece.rows
    if AT in bad.columns:
        assert read.piece.places is not None
        known = read.piece.places.rows.alias(AT).to_frame().with_row_index(ROW)
        rows = known.join(bad.select(AT, REASON), on=AT, maintain_order="left")
    else:  # equal rows of the file are late together
        behind, _ = Piped(pipe.steps).numbered(raw)
        on = [name for name in bad.columns if name != REASON]
        rows = behind.join(bad.unique(), on=on, nulls_equal=True, maintain_order="left").head(bad.height)
    written: Bad = []
    for row, plain, why in zip(rows[ROW], json_lines(raw[rows[ROW]], pipe.stream.schema), rows[REASON], strict=True):
        position, text = read.place(row)
        written.append((position, plain if text is None else clean(text, LONGEST), why))
    return written
