"""Files that are compressed as a whole, by the ends of their names: ``.gz``, ``.zst`` and ``.bz2``.

Such a file is read when it is complete: what is appended to one cannot be read by itself.
"""

import bz2
import gzip
import io
import zlib
from typing import IO, Any

from punctum.errors import CodecError

CODECS = {".gz": "gzip", ".zst": "zstd", ".bz2": "bz2"}
"""The codec of each end of a name."""
MOST = 4 << 30
"""A file may have so many bytes when it is decompressed: a worker holds all of them."""
_PIECE = 16 << 20


def codec_of(name: str) -> str | None:
    """How a file is compressed, if it is.

    >>> codec_of("a.json.gz"), codec_of("a.JSON.GZ"), codec_of("a.json")
    ('gzip', 'gzip', None)
    """
    return next((codec for end, codec in CODECS.items() if name.lower().endswith(end)), None)


def decompressed(name: str, data: bytes, most: int = MOST) -> bytes:
    """What a file holds, by its name.

    >>> decompressed("a.gz", gzip.compress(b"a") + gzip.compress(b"b")), decompressed("a", b"a")
    (b'ab', b'a')
    """
    codec = codec_of(name)
    if codec is None or not data:
        return data
    try:
        return _all(_opened(codec, data), most)
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise CodecError(f"the file is not {codec}", str(error), "it may be truncated") from None


def _opened(codec: str, data: bytes) -> Any:
    if codec == "gzip":
        return gzip.GzipFile(fileobj=io.BytesIO(data))
    if codec == "bz2":
        return bz2.BZ2File(io.BytesIO(data))
    import pyarrow as pa  # here: whoever lists files need not wait for it

    return pa.CompressedInputStream(pa.BufferReader(data), "zstd")


def _all(file: IO[bytes], most: int) -> bytes:
    pieces, size = list[bytes](), 0
    while piece := file.read(_PIECE):
        size += len(piece)
        if size > most:
            raise ValueError(f"it has more than {most:,} bytes when it is decompressed")
        pieces.append(piece)
    return b"".join(pieces)
