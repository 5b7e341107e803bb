"""A server on this machine that speaks S3: moto's, in a process of its own, with its objects in memory."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from urllib.error import URLError

from lanes import PATIENCE

NO_SERVER = "moto is not installed: pip install -e '.[dev]'"
VARIABLES = {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "AWS_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
}
"""What a program has in its environment that uses the server, beside its address."""


@contextmanager
def s3_server(*buckets: str) -> Iterator[str]:
    """Have a server with some buckets; this process and those that it starts use it as their S3."""
    port = _free()
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address, before = f"http://127.0.0.1:{port}", dict(os.environ)
    try:
        _wait(address, process)
        os.environ.update(VARIABLES, AWS_ENDPOINT_URL=address)
        for bucket in buckets:
            make_bucket(address, bucket)
        yield address
    finally:
        process.kill()
        process.wait()
        for name in (*VARIABLES, "AWS_ENDPOINT_URL"):
            os.environ.pop(name, None)
        os.environ.update({name: before[name] for name in (*VARIABLES, "AWS_ENDPOINT_URL") if name in before})


def make_bucket(address: str, bucket: str) -> None:
    """Make a bucket."""
    with urllib.request.urlopen(urllib.request.Request(f"{address}/{bucket}", method="PUT")):
        pass


def has_server() -> bool:
    """Whether there can be a server here."""
    return all(find_spec(module) for module in ("moto", "flask", "flask_cors"))


def _wait(address: str, process: "subprocess.Popen[bytes]") -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{address}/moto-api/"):
                return
        except (URLError, OSError):
            time.sleep(0.05)
    raise RuntimeError("the server for S3 did not start")


def _free() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port
