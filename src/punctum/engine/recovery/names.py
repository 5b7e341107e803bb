"""What is named after a stream or a query, as the name of a file: it stays in the directory that it is made in."""

import re
from hashlib import sha256
from urllib.parse import quote

_LONGEST = 150
"""A file's name may have 255 bytes; ours have a prefix and an end beside it."""


def file_name(name: str) -> str:
    """A name as that of a file: plain ones are themselves, and no two others are alike.

    >>> [file_name(name) for name in ("bid", "größe-2", "../bid", "..", "a b", "100%")]
    ['bid', 'größe-2', '%2E.%2Fbid', '%2E.', 'a%20b', '100%25']
    >>> len(file_name("x" * 1000))
    150
    """
    quoted = re.sub(r"[^\w.-]|^\.", lambda match: quote(match[0], safe="") if match[0] != "." else "%2E", name)
    if len(quoted.encode()) <= _LONGEST:
        return quoted
    digest = sha256(name.encode()).hexdigest()[:32]
    return quoted.encode()[: _LONGEST - 33].decode(errors="ignore") + "%" + digest
