"""Functions that write values with other digits, and digests of texts (of their UTF-8)."""

import base64
import hashlib
import zlib

from punctum.ir.functions.define import APART, Scalar

_WHOLE = 2**64
_LINE = 76
"""So long are the lines that Java writes in base 64."""
_SHA2 = {0: "sha256", 224: "sha224", 256: "sha256", 384: "sha384", 512: "sha512"}


def _base64(text: str) -> str:
    written = base64.b64encode(text.encode()).decode()
    return "\r\n".join(written[at : at + _LINE] for at in range(0, len(written), _LINE))


def _hex(value: str | int) -> str:
    return value.encode().hex().upper() if isinstance(value, str) else f"{value % _WHOLE:X}"


def _sha2(text: str, bits: int) -> str | None:
    return hashlib.new(_SHA2[bits], text.encode()).hexdigest() if bits in _SHA2 else None


DIGESTS = (
    Scalar(
        "base64(text STRING) -> STRING",
        "in base 64, in lines of 76 characters",
        _base64,
        lambda text: text.str.encode("base64").str.replace_all("(.{76})", "${1}\r\n").str.strip_suffix("\r\n"),
        step=APART,
    ),
    Scalar(
        "hex(value STRING|BIGINT) -> STRING",
        "in base 16: a text byte by byte, a number in 64 bits",
        _hex,
        step=APART,
    ),
    Scalar(
        "bin(number BIGINT) -> STRING",
        "in base 2, in 64 bits",
        lambda number: f"{number % _WHOLE:b}",
        step=APART,
    ),
    Scalar("crc32(text STRING) -> BIGINT", "its CRC-32", lambda text: zlib.crc32(text.encode())),
    Scalar("md5(text STRING) -> STRING", "its MD5, in base 16", lambda text: hashlib.md5(text.encode()).hexdigest()),
    Scalar(
        "sha1(text STRING) -> STRING",
        "its SHA-1, in base 16",
        lambda text: hashlib.sha1(text.encode()).hexdigest(),
        also=("sha",),
    ),
    Scalar(
        "sha2(text STRING, bits BIGINT) -> STRING",
        "its SHA-2 of 224, 256 (or 0), 384 or 512 bits, in base 16; NULL for others",
        _sha2,
        maybe=True,
    ),
)
