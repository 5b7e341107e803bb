"""Small files that are there as a whole or not at all, whenever the process or the machine stops.

What the system has against a file that is written becomes an error with its path and the cause. A sealed file begins
with a checksum of its name and of the rest: one that has been damaged, or is not in its place, is known.
"""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256

from punctum.errors import QueryError
from punctum.storage.location import Location, StorePath

RESTORE = "restore it, or start with a new checkpoint and an empty sink"
"""The hint when a file of a checkpoint is lost or damaged."""
_AGAIN = "run the same command again to resume"
_HINTS = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT), "free disk space"),
    **dict.fromkeys(
        (errno.EACCES, errno.EPERM, errno.EROFS), "give this user write permission, or choose another path"
    ),
}


def replace_text(path: Location, text: str) -> None:
    """Write a file, or put it in the place of the one that is there; its directory is made when it is not there."""
    with writing(path):
        if isinstance(path, StorePath):
            path.write_text(text)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f".{path.name}.new")
        with part.open("w", encoding="utf-8", newline="") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        part.replace(path)
        directory = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(directory)  # the name is on the disk too
        finally:
            os.close(directory)


def append_text(path: Location, text: str, sync: bool = False) -> None:
    """Write more behind what is in a file; a store gets all of it again, so that what goes on for long is in pieces."""
    with writing(path):
        if isinstance(path, StorePath):
            known = path.read_bytes() if path.exists() else b""
            path.write_bytes(known + text.encode())
            return
        with path.open("a", encoding="utf-8", newline="") as out:
            out.write(text)
            if sync:
                out.flush()
                os.fsync(out.fileno())


@contextmanager
def writing(path: Location | str) -> Iterator[None]:
    """Whatever writes a file or to a directory inside: an error with the path and the cause when it cannot."""
    try:
        yield
    except OSError as error:
        cause = error.strerror or str(error)
        at = f": {error.filename}" if error.filename and str(error.filename) != str(path) else ""
        hint = f"{_HINTS.get(error.errno or 0, 'check the path')}, and {_AGAIN}"
        raise QueryError(f"{path} cannot be written", cause + at, hint) from error


def write_sealed(path: Location, text: str) -> None:
    """Write a file that tells when it is not what was written."""
    replace_text(path, f"{_seal(path, text.encode())}\n{text}")


def read_sealed(path: Location) -> str:
    """What was written to a file, and an error when it is lost or says something else now."""
    try:
        seal, _, content = path.read_bytes().partition(b"\n")
    except FileNotFoundError:
        raise lost(path) from None
    except OSError as error:
        raise QueryError(f"{path} cannot be read", error.strerror or str(error), RESTORE) from None
    if seal == _seal(path, content).encode():
        return content.decode()
    old = "" if seal.startswith(_SEAL.encode()) else ", unless an earlier version of Punctum has written it"
    raise damaged(path, old)


def lost(path: Location) -> QueryError:
    """The error when a file that was written once is not there."""
    return QueryError(
        "a file of the checkpoint is missing", f"the query has started before, and {path} does not exist", RESTORE
    )


def damaged(path: Location, unless: str = "") -> QueryError:
    """The error when a file is not what was written."""
    return QueryError(f"{path} is damaged", f"its checksum does not match its content{unless}", RESTORE)


def _seal(path: Location, content: bytes) -> str:
    return _SEAL + sha256(os.fsencode(path.name) + b"\n" + content).hexdigest()[:32]


_SEAL = "checksum "
