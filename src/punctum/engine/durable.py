"""Small files that are there as a whole or not at all, whenever the process or the machine stops."""

import os
from pathlib import Path


def replace_text(path: Path, text: str) -> None:
    """Write a file, or put it in the place of the one that is there; its directory is made when it is not there."""
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
