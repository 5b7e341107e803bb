"""How much memory the state of a worker may take; what is beyond it lies in files (``operators/spill.py``)."""

import re
from typing import TYPE_CHECKING

from punctum.errors import QueryError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

STATE_MEMORY = "spark.punctum.state.memory"
"""The setting of a Spark session that says it, in bytes or as 500m, 2g."""
MAX_FILES = "spark.punctum.max.files"
"""The setting of a Spark session that says how many new files of a stream a batch reads at most."""
_SIZE = re.compile(r"(\d+)([kmgt]?)b?", re.IGNORECASE)
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


def state_memory(spark: "SparkSession") -> int | None:
    """How many bytes a worker may keep in memory of its state, when the session says it."""
    setting = spark.conf.get(STATE_MEMORY, None)
    return None if setting is None else memory_size(setting)


def memory_size(text: str) -> int:
    """The bytes that a size stands for.

    >>> memory_size("2g"), memory_size("512")
    (2147483648, 512)
    """
    known = _SIZE.fullmatch(text.strip())
    if known is None:
        raise QueryError("the memory for state is not a size", f"it is {text!r}", "write a size such as 500m or 2g")
    return int(known[1]) * _UNITS[known[2].lower()]
