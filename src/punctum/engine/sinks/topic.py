"""What a topic gets, in files: workers write the messages of a batch, and the end of the batch sends them.

A row is a message with its JSON or CSV as value; a punctuation is ``{"$punct": …}`` in both. The key is the text of a
column, or several as JSON. A message that is too long for the topic goes to the quarantine.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from uuid import uuid4

import polars as pl

from punctum.algebra.schema import Schema
from punctum.engine.exchange.quarantine import Record, fail
from punctum.engine.formats.csv import Dialect
from punctum.engine.formats.read import LONGEST, clean
from punctum.engine.formats.write import csv_lines, in_text, json_lines, text_of
from punctum.engine.recovery.durable import writing
from punctum.engine.sinks.files import all_punctuations
from punctum.engine.sinks.postgres_names import column_list
from punctum.ir.definitions import SinkDef, takes_punctuations
from punctum.operators.columns import ColumnarSlice
from punctum.storage.files import emptied, filled
from punctum.storage.location import Location, location

KEY, VALUE, TO_ALL = "key", "value", "to_all"
"""The columns of a file; a message may go to all partitions."""
MOST_BYTES = 1_000_000
"""Bytes of a message, unless the sink says otherwise: what librdkafka sends, and brokers take."""
_CSV = ("sep", "nullValue")


@dataclass(frozen=True)
class MessageFiles:
    """A directory where the messages of a batch wait until they are sent, and how rows become messages."""

    directory: str
    sink: str
    schema: Schema
    key: tuple[str, ...] = ()
    format: str = "json"
    options: Mapping[str, str] = field(default_factory=dict)
    punctuations: bool = False
    most_bytes: int = MOST_BYTES
    fails: bool = False
    """Whether a row that cannot be sent stops the query."""

    @staticmethod
    def of(sink: SinkDef, schema: Schema, directory: str = "", fails: bool = False) -> "MessageFiles":
        """Those of a sink, without what is secret in its options."""
        key = column_list(sink.options.get("key", ""), sink.name, schema)
        options = {name: value for name, value in sink.options.items() if name in _CSV}
        most = sink.options.get("kafka.message.max.bytes", "")
        return MessageFiles(
            directory,
            sink.name,
            schema,
            key,
            sink.options.get("format", "json"),
            options,
            takes_punctuations(sink),
            int(most) if most.isdecimal() else MOST_BYTES,
            fails,
        )

    def write(self, piece: ColumnarSlice) -> tuple[str | None, Iterable[Record]]:
        """Write a slice for later: the name for it, if there is any, and records of the rows that are too long."""
        rows = pl.DataFrame({KEY: self._keys(piece.rows), VALUE: self._values(piece.rows)})
        size = pl.col(VALUE).str.len_bytes() + pl.col(KEY).str.len_bytes().fill_null(0)
        long, rows = rows.filter(size > self.most_bytes), rows.filter(size <= self.most_bytes)
        if self.fails and long.height:
            fail(next(self._records(long)), "a row cannot be sent to Kafka")
        texts = text_of(all_punctuations(piece, self.schema), self.schema) if self.punctuations else []
        puncts = pl.DataFrame({VALUE: texts}, {VALUE: pl.String}).select(pl.lit(None, pl.String).alias(KEY), VALUE)
        messages = pl.concat(
            [table.with_columns(pl.lit(n == 1).alias(TO_ALL)) for n, table in enumerate((rows, puncts))]
        )
        name = uuid4().hex if messages.height else None
        if name is not None:
            with writing(self.directory), filled(self.path(name)) as file:
                messages.write_ipc(file)
        return name, self._records(long)

    def _records(self, long: pl.DataFrame) -> Iterator[Record]:
        reason = f"the message has more than {self.most_bytes:,} bytes (kafka.message.max.bytes)"
        return (Record(self.sink, reason, clean(text, LONGEST)) for text in long[VALUE])

    def _values(self, rows: pl.DataFrame) -> pl.Series:
        return (
            csv_lines(rows, self.schema, Dialect.of(self.options))
            if self.format == "csv"
            else json_lines(rows, self.schema)
        )

    def _keys(self, rows: pl.DataFrame) -> pl.Series:
        """The text of the key's column, or the columns as JSON when there are several."""
        attributes = tuple(self.schema.attributes[self.schema.index(name)] for name in self.key)
        if not attributes:
            return pl.repeat(None, rows.height, dtype=pl.String(), eager=True)
        of = Schema(attributes)
        if len(attributes) > 1 or attributes[0].type.nested:
            return json_lines(rows.select(self.key), of)
        return in_text(rows.select(self.key), of).to_series().cast(pl.String)

    def path(self, name: str) -> Location:
        """The file that has a name."""
        return location(self.directory) / name

    def clear(self) -> None:
        """Make the directory, and drop what is there."""
        with writing(self.directory):
            emptied(location(self.directory))
