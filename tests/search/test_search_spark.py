"""Scripts of the search on Spark, each stopped and resumed: the rows that the database gives."""

import json
import random
from collections import Counter
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from lanes import also_long
from punctum.algebra import Schema, end_of_stream, to_json
from punctum.operators.columns import frame
from punctum.parse import parse_script
from punctum.session import Session
from search.scripts import written
from search.search import batch, rounded
from search.sequences import Element, rows_of, sequence

RICH = also_long(1550, more=[473, 2275, 2655])
"""Scripts that are admitted, with many operators each."""


@pytest.mark.parametrize("number", RICH)
def test_rich_queries_on_spark(spark: SparkSession, tmp_path: Path, number: int) -> None:
    script = written(number)
    streams = {name: s for name, s in parse_script(script.sql).streams.items() if s.format}
    rng = random.Random(f"{number} data")
    sent = {s.name: sequence(s, script, streams[s.name].schema, rng) for s in script.streams}
    for half in (0, 1):
        for name, elements in sent.items():
            write(tmp_path / name, half, elements, streams[name].schema)
        queries = Session(spark).script(script.sql.replace("USING console", "USING json OPTIONS (path 'o')"), tmp_path)
        queries[0].start(tmp_path / "checkpoint", available_now=True).wait()
    rows = {name: frame(streams[name].schema, rows_of(elements)) for name, elements in sent.items()}
    files = (tmp_path / "o").glob("part-*")
    found = [tuple(json.loads(line).values()) for file in files for line in file.read_text().splitlines()]
    wanted = batch(script, rows)
    assert Counter(map(rounded, found)) == wanted and wanted, script.sql


def write(directory: Path, half: int, elements: list[Element], schema: Schema) -> None:
    """Half of a stream as a file, the second with its end."""
    middle = len(elements) // 2
    some = [*elements[middle:], end_of_stream(schema)] if half else elements[:middle]
    directory.mkdir(parents=True, exist_ok=True)
    (directory / f"{half}.json").write_text("".join(f"{to_json(element, schema)}\n" for element in some))
