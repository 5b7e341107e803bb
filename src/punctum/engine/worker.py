"""What every Python worker of Spark does once, before its first slice."""

import gc
from functools import cache


@cache
def settle() -> None:
    """Take all that is loaded by now out of the garbage collector's sight.

    Spark's worker collects garbage after each task; with Polars, pandas and PySpark loaded that took 50 ms, most of
    the time of a small batch.
    """
    gc.collect()
    gc.freeze()
