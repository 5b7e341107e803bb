r"""Lines: the bytes of a file in, a column of its lines out, without copying them.

A line ends with ``\n``, which belongs to it; the last one may lack its end. A line that is not UTF-8 shows as
zero bytes in ``texts``, which no format takes.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa

BOM = b"\xef\xbb\xbf"
_BLOCK = 16 << 20
Numbers = npt.NDArray[np.int64]
"""Positions."""

Mask = npt.NDArray[np.bool_]
"""Which ones."""


@dataclass(frozen=True)
class Lines:
    """A text and where its lines start; the last number is the text's end."""

    data: bytes
    starts: Numbers

    @staticmethod
    def of(data: bytes) -> "Lines":
        """The lines of a file, without its byte order mark."""
        first = len(BOM) if data.startswith(BOM) else 0
        ends = np.flatnonzero(np.frombuffer(data, np.uint8) == ord("\n")) + 1
        last = [len(data)] if len(data) > (ends[-1] if len(ends) else first) else []
        return Lines(data, np.concatenate([[first], ends, last]).astype(np.int64))

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, at: int) -> bytes:
        return self.data[self.starts[at] : self.starts[at + 1]]

    @property
    def block(self) -> int:
        """How many bytes Arrow should take at a time: no line is longer."""
        return min(max(_BLOCK, int(np.diff(self.starts).max())), 2**31 - 1)

    @cached_property
    def texts(self) -> pl.Series:
        """The lines as text."""
        try:
            return self._as_text(self.data)
        except pl.exceptions.ComputeError:
            return self._as_text(self._legible())

    def _as_text(self, data: bytes | bytearray) -> pl.Series:
        buffers = [None, pa.py_buffer(self.starts.data), pa.py_buffer(data)]
        lines = pa.LargeBinaryArray.from_buffers(pa.large_binary(), len(self), buffers)
        return pl.Series("", lines).cast(pl.String)

    def _legible(self) -> bytearray:
        """The text with zeros for the lines that are not UTF-8."""
        data = bytearray(self.data)
        strange = np.flatnonzero(np.frombuffer(self.data, np.uint8) >= 0x80)
        for at in np.unique(np.searchsorted(self.starts, strange, "right") - 1).tolist():
            if at >= 0 and not _is_text(self[at]):
                data[self.starts[at] : self.starts[at + 1]] = bytes(len(self[at]))
        return data

    def only(self, chosen: Mask) -> Any:
        """Some of the lines, as a file for Arrow."""
        edges = np.flatnonzero(np.diff(np.concatenate([[0], chosen.astype(np.int8), [0]])))
        whole = memoryview(self.data)
        pairs = zip(self.starts[edges[::2]].tolist(), self.starts[edges[1::2]].tolist(), strict=True)
        pieces = [whole[start:end] for start, end in pairs]
        return pa.BufferReader(pieces[0] if len(pieces) == 1 else b"".join(pieces))


def alike(texts: pl.Series, proof: str) -> Mask:
    """Which texts a regular expression proves; none when it is too large, as thousands of columns make it."""
    try:
        return texts.str.contains(proof).to_numpy()
    except pl.exceptions.ComputeError:
        return np.zeros(len(texts), np.bool_)


def _is_text(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True
