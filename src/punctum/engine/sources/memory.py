"""Streams that a program fills, for tests and trials: elements in, a streaming DataFrame out.

Each call adds a slice, and a query takes one slice of each such stream in a batch, in their order. The slices are files
of a temporary directory, since Spark's workers are processes of their own; they go when the stream does.
"""

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from punctum.algebra.json import to_json
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.engine.formats.files import LINE_COLUMN
from punctum.errors import SchemaError

MEMORY = "memory"
"""The format of such streams."""

_BEGIN = 1_000_000_000  # Spark takes files in the order of their times, which it knows to the second


class MemoryStream:
    """A stream that is filled by its program."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self._directory = TemporaryDirectory(prefix="punctum-", ignore_cleanup_errors=True)
        self._slices = 0

    def add(self, *elements: tuple[Any, ...] | Punctuation | Mapping[str, Any] | str) -> None:
        """Add a slice: rows as tuples, punctuations, objects as in JSON, and lines as they stand, readable or not."""
        lines = [line_of(element, self.schema) for element in elements]
        part = Path(self._directory.name) / f".{self._slices}"
        part.write_text("".join(f"{line}\n" for line in lines), newline="")
        os.utime(part, (_BEGIN + self._slices,) * 2)
        part.rename(part.with_name(f"{self._slices}.json"))
        self._slices += 1

    def frame(self, spark: SparkSession) -> DataFrame:
        """The lines as a stream of Spark's."""
        reader = spark.readStream.format("text").option("maxFilesPerTrigger", 1).option("lineSep", "\n")
        return reader.load(self._directory.name).select(F.col("value").alias(LINE_COLUMN))


def line_of(element: tuple[Any, ...] | Punctuation | Mapping[str, Any] | str, schema: Schema) -> str:
    """An element as a line of JSON: a row, a punctuation, an object as in JSON, or a line as it stands."""
    if isinstance(element, str):
        return element
    if isinstance(element, Mapping):
        return json.dumps(element, default=str)
    if not isinstance(element, Punctuation | Iterable):
        hint = 'a row is a tuple or a dict, a punctuation {"$punct": …}, and a string is a line as it stands'
        raise SchemaError(f"{element!r} is not an element of a stream", f"it is a {type(element).__name__}", hint)
    return to_json(element if isinstance(element, Punctuation) else schema.row(*element), schema)
