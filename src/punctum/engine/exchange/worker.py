"""What every Python worker of Spark does once, before its first slice."""

import ctypes
import gc
from functools import cache

import pyarrow as pa

_TRIM, _PAD, _MAP = -1, -2, -3  # the names that glibc's mallopt has for its thresholds
_KEEP = {_TRIM: 512 << 20, _PAD: 64 << 20, _MAP: 32 << 20}


@cache
def init_worker() -> None:
    """Take all that is loaded by now out of the garbage collector's sight, and keep the memory that a batch has used.

    Spark's worker collects garbage after each task; with Polars, pandas and PySpark loaded that took 50 ms, most of
    the time of a small batch. Blobs of megabytes are given back to the system when they are freed, and each page of
    the next batch's is a fault: a sixth of the time of a batch of a million rows.
    """
    gc.collect()
    gc.freeze()
    adjust = getattr(ctypes.CDLL(None), "mallopt", None)
    if adjust is not None:  # other C libraries than glibc have none
        for what, size in _KEEP.items():
            adjust(what, size)


def give_back() -> None:
    """Give the system what is free now: where memory is scarce, that counts more than the next batch's faults."""
    pa.default_memory_pool().release_unused()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
