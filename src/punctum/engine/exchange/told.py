"""What tasks of one machine tell the driver: in files, beside the rows that go to Spark.

To ask Spark for the rows of a batch is to have it plan another query, for them alone, and pass them through a socket: a
tenth of a small batch. So each task also writes its rows to a file, and the driver asks Spark for no more than that all
tasks run. A run has a directory of its own: what is left of one that was killed does not write into it.
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from secrets import token_hex

import pyarrow as pa
from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.sql import DataFrame

from punctum.engine.exchange.messages import ARROW, Message, decode, decode_rows


class ToldFiles:
    """The files of a run, batch by batch, in a directory."""

    def __init__(self, directory: Path) -> None:
        shutil.rmtree(directory, ignore_errors=True)
        self._directory = directory / token_hex(8)
        self._directory.mkdir(parents=True)

    def write(self, batch: int, rows: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The rows of a task, which are in a file when all of them have been given."""
        name = token_hex(8)
        part = self._directory / str(batch) / f".{name}"
        with pa.OSFile(str(part), "wb") as file, pa.ipc.new_stream(file, ARROW) as out:
            for some in rows:
                out.write_batch(some)
                yield some
        os.rename(part, part.with_name(name))

    def messages(self, packed: DataFrame, batch: int) -> list[Message]:
        """What the tasks of a batch tell, when they have run."""
        place = self._directory / str(batch)
        place.mkdir()
        try:
            rdd = packed._jdf.queryExecution().logical().rdd()
            tasks = rdd.getNumPartitions()
        except (Py4JError, TypeError):  # Spark's insides are others
            return decode_rows(packed.collect())
        rdd.count()
        names = [name for name in sorted(os.listdir(place)) if not name.startswith(".")]
        assert len(names) == tasks, f"{len(names)} of {tasks} tasks have told something"
        told = list[Message]()
        for name in names:
            with pa.OSFile(str(place / name), "rb") as file:
                for some in pa.ipc.open_stream(file):
                    told += [sent.message for sent in decode(some.to_pydict())]
        shutil.rmtree(place)
        return told
