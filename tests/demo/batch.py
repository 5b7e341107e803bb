"""What an example's files give in batch: read with plain JSON, asked with DuckDB, nothing of ours in between."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from punctum.demo.example import STEPS, Example

KEPT_WITHOUT = {
    "auction": [
        "SELECT * FROM item",
        "SELECT * FROM bid",
        "SELECT DISTINCT itemid FROM item JOIN bid USING (itemid)",
    ],
    "warehouse": [
        "SELECT hour, currtmp FROM sensor1 UNION SELECT hour, currtmp FROM sensor2",
        "SELECT hour FROM sensor1 UNION SELECT hour FROM sensor2",
    ],
    "outage": [
        "FROM monitor1 UNION FROM monitor2",
        "(FROM monitor1 UNION FROM monitor2) EXCEPT FROM phone",
        "SELECT DISTINCT * FROM phone",
    ],
}
"""The rows that each operator of an example must keep when it never receives a punctuation, as queries."""


def rows(directory: Path, stream: str, until: int) -> list[dict[str, Any]]:
    files = [directory / "in" / stream / f"{step:02}.json" for step in range(1, until + 1)]
    elements = (json.loads(line) for file in files for line in file.read_text().splitlines())
    return [element for element in elements if "$punct" not in element]


def connected(example: Example, directory: Path, until: int = STEPS) -> duckdb.DuckDBPyConnection:
    """A database with the rows that an example's streams have sent by the end of a step."""
    connection = duckdb.connect()
    for stream in re.findall(r"CREATE STREAM (\w+)", example.script):
        connection.register(stream, pa.Table.from_pylist(rows(directory, stream, until)))
    return connection


def answer(example: Example, directory: Path) -> list[tuple[Any, ...]]:
    """The rows of the example's query over all that its streams have sent."""
    query = example.script[example.script.index("SELECT", example.script.index("INSERT INTO")) :]
    with connected(example, directory) as connection:
        return connection.execute(query).fetchall()


def kept_without(example: Example, directory: Path) -> Iterator[int]:
    """How many rows the example's operators keep after each step when they receive no punctuation."""
    for step in range(1, STEPS + 1):
        with connected(example, directory, step) as connection:
            yield sum(len(connection.execute(query).fetchall()) for query in KEPT_WITHOUT[example.name])
