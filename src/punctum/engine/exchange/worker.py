"""What a Python worker of Spark does before a slice, so that batches do not pay for what is there for long."""

import ctypes
import gc
from functools import cache
from itertools import count

import pyarrow as pa

_TRIM, _PAD, _MAP = -1, -2, -3  # the names that glibc's mallopt has for its thresholds
_KEEP = {_TRIM: 512 << 20, _PAD: 64 << 20, _MAP: 32 << 20}
_CALLS = count(1)


def init_worker() -> None:
    """Take all that is loaded by now out of the garbage collector's sight, and keep the memory that a batch has used.

    Spark's worker collects garbage after each task; with Polars, pandas and PySpark loaded that took 50 ms, most of
    the time of a small batch. Modules that are loaded later, and what operators keep, take 6 ms more; so this is done
    again at the second call, the fourth, the eighth, and so on.
    """
    _keep_memory()
    call = next(_CALLS)
    if call & (call - 1) == 0:
        gc.unfreeze()
        gc.collect()
        gc.freeze()


@cache
def _keep_memory() -> None:
    """Give the system back less of what is freed.

    Blobs of megabytes are given back when they are freed, and each page of the next batch's is a fault: a sixth of the
    time of a batch of a million rows.
    """
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
