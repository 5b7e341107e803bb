"""Files that may still be written: how far they can be read by now.

Lines of JSON and records of CSV that are complete can be read, and the rest when it is there. A last line of JSON need
not have its end: an object that is closed cannot go on. Of XML and Parquet there is the whole or nothing: a document
whose root is closed, a file with its footer. Whoever asks has seen that the file changed a short while ago; one that
has been quiet for longer is read to its end, whatever that is.
"""

import json
import re
from collections.abc import Callable, Mapping

from punctum.engine.formats.compressed import codec_of
from punctum.engine.formats.options import option
from punctum.storage.files import File, pread

BLOCK = 64 << 20
"""A split of a file that may still be written is no longer than this."""
_ROOT = re.compile(rb"<([^\s<>/?!][^\s<>/]*)")
_MAGIC = b"PAR1"
_FRAME = 12  # a Parquet file's magic at both ends, and the length of its footer
_EDGE = 4096

ReadyUntil = Callable[[File, int, int, Mapping[str, str]], int]
"""The end of what can be read, given a file, where to begin, its size, and the options of the stream."""


def _json(file: File, start: int, size: int, options: Mapping[str, str]) -> int:
    block = pread(file, start, min(size - start, BLOCK))
    end = block.rfind(b"\n") + 1
    return size if start + len(block) == size and _is_object(block[end:]) else start + end


def _is_object(line: bytes) -> bool:
    """Whether a line is complete without its end, or blank."""
    try:
        return not line.strip() or isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _csv(file: File, start: int, size: int, options: Mapping[str, str]) -> int:
    """The last end of a line that is not inside quotes; before a line with a single quote all waits."""
    block = pread(file, start, min(size - start, BLOCK))
    end = block.rfind(b"\n") + 1
    inside = block.count(b'"', 0, end) % 2
    while inside:
        earlier = block.rfind(b"\n", 0, block.rfind(b'"', 0, end)) + 1
        inside ^= block.count(b'"', earlier, end) % 2
        end = earlier
    return start + end


def _xml(file: File, start: int, size: int, options: Mapping[str, str]) -> int:
    root = _ROOT.search(pread(file, 0, min(size, _EDGE)))
    if root is None or root[1].rpartition(b":")[2] == option(options, "rowTag", "").encode():
        return start
    last = pread(file, max(0, size - _EDGE), min(size, _EDGE))
    return size if last.rstrip().endswith(b"</" + root[1] + b">") else start


def _parquet(file: File, start: int, size: int, options: Mapping[str, str]) -> int:
    if size < _FRAME or pread(file, 0, 4) != _MAGIC:
        return start
    footer, magic = pread(file, size - 8, 4), pread(file, size - 4, 4)
    return size if magic == _MAGIC and int.from_bytes(footer, "little") + _FRAME <= size else start


READY: dict[str, ReadyUntil] = {"csv": _csv, "json": _json, "parquet": _parquet, "xml": _xml}
GROWING = ("csv", "json")
"""The formats in which a file that has grown is read on."""


def grows(format_: str, name: str) -> bool:
    """Whether a file that has grown is read on, by its format and its name.

    >>> grows("json", "a.json"), grows("json", "a.json.gz"), grows("parquet", "a.parquet")
    (True, False, False)
    """
    return format_ in GROWING and codec_of(name) is None


def ready_until(format_: str, name: str) -> ReadyUntil:
    """What says how far a file can be read: one that is compressed not at all, until it is quiet."""
    return READY[format_] if codec_of(name) is None else lambda file, start, size, options: start
