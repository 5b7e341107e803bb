"""The files of a stream's directory, in the order in which they are to be read.

That is by the time of their last change and by name. A directory that a sink of Spark's writes has a log of its own,
``_spark_metadata``: there, only files of finished batches count, batch by batch, since others may be half written or
left from an attempt that failed.
"""

import json
import os
import re
from collections.abc import Collection
from pathlib import Path
from urllib.parse import unquote

SINK_LOG = "_spark_metadata"
_BATCH = re.compile(r"(\d+)(\.compact)?")


def listed(directory: Path, but: Collection[str] = ()) -> list[str]:
    """The names of the files that there are by now, but for some; what begins with a dot or an underscore is none."""
    if (directory / SINK_LOG).is_dir():
        return [name for name in _committed(directory / SINK_LOG) if name not in but]
    with os.scandir(directory) as entries:
        files = [e for e in entries if e.name not in but and not e.name.startswith((".", "_")) and e.is_file()]
    return [entry.name for entry in sorted(files, key=lambda entry: (entry.stat().st_mtime_ns, entry.name))]


def _committed(log: Path) -> list[str]:
    """The files of all batches; every so often Spark writes all that the log has so far into one compact file."""
    batches = [
        (int(found[1]), bool(found[2]), path) for path in log.iterdir() if (found := _BATCH.fullmatch(path.name))
    ]
    start = max((number for number, compact, _ in batches if compact), default=-1)
    names: list[str] = []
    for number, compact, path in sorted(batches):
        if number > start or (number == start and compact):
            lines = path.read_text().splitlines()[1:]  # the first one is the version
            names += [unquote(json.loads(line)["path"].rsplit("/", 1)[-1]) for line in lines]
    return names
