"""Stores of objects, through the file systems of PyArrow: bytes by key in and out, errors as the system has them.

Credentials and addresses come from where the tools of a store look for them: environment variables, files of the user,
the machine's role. ``AWS_ENDPOINT_URL_S3`` or ``AWS_ENDPOINT_URL`` names another server that speaks S3. Each process
has its own connections; one that was forked makes new ones.
"""

import errno
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import lru_cache
from textwrap import shorten
from typing import Any, Protocol

from punctum.errors import MissingError
from punctum.storage.location import StoreStat

ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
"""The variables that name another server for S3, the one that counts more first."""
REGIONS = ("AWS_REGION", "AWS_DEFAULT_REGION")
"""The variables that name the region, the one that counts more first."""
_CONNECT, _SILENT = 5, 60
"""Seconds to wait for a connection, and for the next byte: a copy says nothing until it is done."""
_TRIED = 30
"""For so many seconds Google's client tries again: by itself for 15 minutes, also when there are no credentials."""
_FLAT = ("gs",)
"""The stores of which PyArrow lists no directory unless an empty object marks it, and we make none."""
_LONGEST = 400
"""What a store says of an error is cut behind so many characters."""
_AWS = re.compile(r"AWS Error ([A-Z_]+)[^:]*(?:: (.*))?", re.DOTALL)
_WHAT = re.compile(r"what\(\): (.*)")
_STATUS = re.compile(r"(?:HTTP status|HTTP response code|status code)\D*(\d{3})", re.IGNORECASE)
_ERRORS = {
    "NO_SUCH_BUCKET": (errno.ENOENT, "the bucket does not exist"),
    "NO_SUCH_KEY": (errno.ENOENT, os.strerror(errno.ENOENT)),
    "RESOURCE_NOT_FOUND": (errno.ENOENT, os.strerror(errno.ENOENT)),
    "ACCESS_DENIED": (errno.EACCES, "access denied: the credentials do not allow it"),
    "INVALID_ACCESS_KEY_ID": (errno.EACCES, "access denied: the access key is not known"),
    "SIGNATURE_DOES_NOT_MATCH": (errno.EACCES, "access denied: the secret key is wrong"),
    "EXPIRED_TOKEN": (errno.EACCES, "access denied: the token has expired"),
    "INVALID_CLIENT_TOKEN_ID": (errno.EACCES, "access denied: the token is not valid"),
    "NETWORK_CONNECTION": (errno.EHOSTUNREACH, "the store cannot be reached"),
    "SLOW_DOWN": (errno.EAGAIN, "the store asks to slow down"),
}
"""What errors of S3 are to the system, and in words."""


_ASKED = """
import sys
from pyarrow import fs
files, _ = fs.FileSystem.from_uri(sys.argv[1])
files.get_file_info(sys.argv[2])
"""
"""A program that asks for a container, given its address and its name."""


class OpenObject(Protocol):
    """An object that has been opened."""

    @property
    def size(self) -> int:
        """How many bytes it has."""

    def read_at(self, start: int, length: int) -> bytes:
        """Some bytes."""

    def close(self) -> None:
        """Let it go."""


class ObjectStore:
    """The objects of a bucket, a container or a cluster, by their keys."""

    def __init__(self, name: str, files: Any, prefix: str, flat: bool = False) -> None:
        self._name, self._files, self._prefix, self._flat = name, files, prefix, flat

    def _path(self, key: str) -> str:
        return f"{self._prefix}{key}" if key else self._prefix.rstrip("/") or "/"

    @contextmanager
    def _errors(self, key: str) -> Iterator[None]:
        """What PyArrow says becomes an error as the system has it: a number, words, and the address."""
        from pyarrow import ArrowException

        try:
            yield
        except (OSError, ArrowException) as error:  # what PyArrow does not know is no error of the system
            raise _of_system(error, f"{self._name}/{key}") from None

    def _info(self, key: str) -> Any:
        with self._errors(key):
            return self._files.get_file_info(self._path(key))

    def kind(self, key: str) -> str | None:
        """What there is at a key: a file, a directory, or nothing."""
        kind = self._info(key).type.name
        return {"File": "file", "Directory": "directory"}.get(kind)

    def stat(self, key: str) -> StoreStat | None:
        """Size and time of an object, if it is there."""
        info = self._info(key)
        return _stat(info) if info.type.name == "File" else None

    def objects(self, key: str) -> Iterator[tuple[str, StoreStat]]:
        """All objects below a key; markers of directories are none."""
        for info in self._listed(key, recursive=True):
            if info.type.name == "File":
                yield info.path[len(self._prefix) :], _stat(info)

    def children(self, key: str) -> list[str]:
        """The keys right below a key."""
        if self._flat:
            start = f"{key}/" if key else ""
            return sorted({start + at[len(start) :].partition("/")[0] for at, _ in self.objects(key)})
        return [info.path[len(self._prefix) :].rstrip("/") for info in self._listed(key, recursive=False)]

    def _listed(self, key: str, recursive: bool) -> list[Any]:
        from pyarrow.fs import FileSelector

        with self._errors(key):
            selector = FileSelector(self._path(key), recursive=recursive, allow_not_found=True)
            listed: list[Any] = self._files.get_file_info(selector)
        if not listed and key and self.kind("") is None:  # else a bucket that is not there looks like an empty one
            raise FileNotFoundError(errno.ENOENT, _ERRORS["NO_SUCH_BUCKET"][1], self._name)
        return listed

    def read(self, key: str) -> bytes:
        """A whole object."""
        with self._errors(key), self._files.open_input_file(self._path(key)) as file:
            return file.read()  # type: ignore[no-any-return]

    def open(self, key: str) -> OpenObject:
        """An object, to read pieces of it."""
        with self._errors(key):
            return _Opened(self, key, self._files.open_input_file(self._path(key)))

    def write(self, key: str, data: bytes) -> None:
        """Put an object: it is there when the whole of it has come."""
        with self._errors(key), self._files.open_output_stream(self._path(key)) as out:
            out.write(data)

    def copy(self, key: str, target: str) -> None:
        """Copy an object, inside of the store."""
        with self._errors(key):
            self._files.copy_file(self._path(key), self._path(target))

    def delete(self, key: str) -> bool:
        """Delete an object; whether there was one."""
        try:
            with self._errors(key):
                self._files.delete_file(self._path(key))
        except FileNotFoundError:
            return False
        return True

    def delete_below(self, key: str) -> None:
        """Delete all objects below a key."""
        try:
            with self._errors(key):
                self._files.delete_dir(self._path(key))
        except FileNotFoundError:
            self._listed(key, recursive=False)  # a bucket that is not there says so


class _Opened:
    """An object of PyArrow's, with errors of the system."""

    def __init__(self, store: ObjectStore, key: str, file: Any) -> None:
        self._store, self._key, self._file = store, key, file
        with store._errors(key):
            self.size: int = file.size()

    def read_at(self, start: int, length: int) -> bytes:
        with self._store._errors(self._key):
            return self._file.read_at(max(0, min(length, self.size - start)), start)  # type: ignore[no-any-return]

    def close(self) -> None:
        self._file.close()


def _stat(info: Any) -> StoreStat:
    return StoreStat(info.size or 0, info.mtime_ns or 0)


def _of_system(error: Exception, address: str) -> OSError:
    """An error of PyArrow's as one that has a number, words and an address.

    >>> _of_system(OSError("When …: AWS Error NO_SUCH_BUCKET during PutObject operation: no bucket"), "s3://b/k")
    FileNotFoundError(2, 'the bucket does not exist')
    """
    text = str(error)
    known = _AWS.search(text)
    if known and known[1] in _ERRORS:
        return OSError(*_ERRORS[known[1]], address)
    if known and (status := _STATUS.search(text)) and status[1] in ("401", "403"):
        return OSError(*_ERRORS["ACCESS_DENIED"], address)
    if isinstance(error, FileNotFoundError):
        return OSError(errno.ENOENT, os.strerror(errno.ENOENT), address)
    number = error.errno if isinstance(error, OSError) else None
    return OSError(number or errno.EIO, shorten((known[2] or known[1]) if known else text, _LONGEST), address)


def store_of(scheme: str, authority: str) -> ObjectStore:
    """The store of an address, as this process is connected to it, where the environment says that it is."""
    return _connected(scheme, authority, os.getpid(), endpoint_of_s3())


@lru_cache(maxsize=32)
def _connected(scheme: str, authority: str, process: int, endpoint: str | None) -> ObjectStore:
    try:
        files, prefix = _file_system(scheme, authority)
    except (OSError, ValueError, ImportError) as error:
        raise _refused(scheme, authority, error) from None
    return ObjectStore(f"{scheme}://{authority}", files, prefix, scheme in _FLAT)


def _refused(scheme: str, authority: str, error: Exception) -> MissingError:
    hints = {"hdfs": "set HADOOP_HOME, CLASSPATH and JAVA_HOME for libhdfs (docs/files.md)"}
    text = shorten(str(error), _LONGEST)
    return MissingError(f"{scheme}://{authority} cannot be used", text, hints.get(scheme, "see docs/files.md"))


def _file_system(scheme: str, authority: str) -> tuple[Any, str]:
    """A file system of PyArrow's, and what its paths begin with before a key."""
    from pyarrow import fs

    if scheme in ("s3", "s3a"):
        return _s3(authority), f"{authority}/"
    if scheme == "gs":
        return fs.GcsFileSystem(retry_time_limit=timedelta(seconds=_TRIED)), f"{authority}/"
    if scheme in ("abfs", "abfss"):
        container, _, host = authority.partition("@")
        container = container if host else authority
        check_client(f"{scheme}://{authority}/", container)
        files, _ = fs.FileSystem.from_uri(f"{scheme}://{authority}/")
        return files, f"{container}/"
    files, _ = fs.FileSystem.from_uri(f"hdfs://{authority}/")
    return files, "/"


def check_client(address: str, container: str, program: str = _ASKED) -> None:
    """An error when a client ends its process: Azure's does that when it has no credentials, so another one asks first.

    What else may be wrong is said when it is used.
    """
    tried = subprocess.run([sys.executable, "-c", program, address, container], capture_output=True, check=False)
    if tried.returncode < 0:
        said = _WHAT.search(tried.stderr.decode(errors="replace"))
        raise OSError(f"access denied: {said[1].strip()}" if said else f"its client ended with {tried.returncode}")


def _s3(bucket: str) -> Any:
    """S3, or another server that speaks it; of Amazon's own the region is asked for when nobody says it."""
    from pyarrow import fs

    endpoint, region = endpoint_of_s3(), region_of_s3()
    if endpoint is None and region is None:
        region = fs.resolve_s3_region(bucket)
    return fs.S3FileSystem(
        endpoint_override=endpoint,
        region=region,
        allow_delayed_open=True,  # type: ignore[call-arg]  # a small object is one request
        connect_timeout=_CONNECT,
        request_timeout=_SILENT,
    )


def endpoint_of_s3() -> str | None:
    """The server that stands for S3, if another one does."""
    return _first(ENDPOINTS)


def region_of_s3() -> str | None:
    """The region of S3, if it is told."""
    return _first(REGIONS)


def _first(names: tuple[str, ...]) -> str | None:
    return next((value for name in names if (value := os.environ.get(name))), None)
