"""What a checkpoint remembers beside Spark's own files: its query's id, plan and buckets.

The first run writes them. Later runs go on with the same id and buckets, whatever the session's number of partitions
has become, and refuse to go on when the state that is there would mean something else to them. What has begun is never
begun again: a file that must be there and is not, or is damaged, is an error.
"""

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from difflib import unified_diff
from importlib.metadata import version
from uuid import uuid4
from zlib import crc32

from punctum.engine.recovery.bucket_notes import BUCKETS, state_directory
from punctum.engine.recovery.durable import damaged, lost, read_sealed, write_sealed
from punctum.engine.recovery.measured import metrics_of
from punctum.engine.recovery.state_files import check_states
from punctum.errors import QueryError
from punctum.storage.location import Location, location

STATE = "state 6"
"""The first line of a plan begins with it. It changes when the state of earlier versions can no longer be read."""
_PIECE = 512


def check_notes(checkpoint: Location) -> None:
    """Refuse a checkpoint of another version, and one that has lost what Spark has written down of its batches.

    Spark notes that a batch begins (offsets) and that it is done (commits), and only then the next one; the metrics of
    a batch come in between. Of old notes it keeps the last ones.
    """
    if not begun(checkpoint):
        return
    if (checkpoint / "punctum" / "plan").exists():
        check_version(checkpoint / "punctum" / "plan")
    offsets, commits = (_numbered(checkpoint / log) for log in ("offsets", "commits"))
    begins, done = max(offsets, default=-1), max(commits, default=-1)
    last = max(begins, done, measured(checkpoint), 0)
    needed = [f"offsets/{n}" for n in (last - 1, last) if n >= 0 and n not in offsets]
    needed += [f"commits/{last - 1}"] if done < last - 1 else []
    needed += ["metadata"] if not (checkpoint / "metadata").exists() else []
    for name in needed:
        raise lost(checkpoint / name)
    for name in (f"offsets/{last}", f"commits/{done}", "metadata"):
        _check_sum(checkpoint / name)
    line = next((line for batch, line in metrics_of(checkpoint) if batch == done), "{}")
    check_states(state_directory(checkpoint), done, json.loads(line).get("written", {}))


def check_version(plan: Location) -> None:
    """Refuse what another version of Punctum has written, by its plan, unless this one can read its state."""
    state, _, wrote = read_sealed(plan).partition("\n")[0].partition(", ")
    if state != STATE:
        wrote = wrote or "a version of Punctum that did not write down its number"
        detail = f"{plan} was written by {wrote}, with {state}; Punctum {version('punctum')} reads {STATE} only"
        hint = "use the version that wrote it, or start with a new checkpoint"
        raise QueryError("the checkpoint was written by another version of Punctum", detail, hint)


def _check_sum(path: Location) -> None:
    """Refuse a note that is not what its checksum says: Hadoop keeps one beside each local file, of every 512 bytes."""
    beside = path.with_name(f".{path.name}.crc")
    if path.exists() and beside.exists():
        content, sums = path.read_bytes(), beside.read_bytes()[8:]  # behind a head that is always the same
        pieces = (content[n : n + _PIECE] for n in range(0, len(content), _PIECE))
        if b"".join(crc32(piece).to_bytes(4) for piece in pieces) != sums:
            raise damaged(path)


def begun(checkpoint: str | Location) -> bool:
    """Whether the query that has this checkpoint has begun its first batch: whatever tells of it is enough."""
    metadata = ((location(checkpoint) / name).glob("[0-9]*") for name in ("offsets", "commits", "state"))
    return any(True for files in metadata for _ in files) or measured(location(checkpoint)) >= 0


def committed(checkpoint: str | Location) -> bool:
    """Whether the query that has this checkpoint has done its first batch."""
    return any((location(checkpoint) / "commits").glob("[0-9]*"))


def last_committed(checkpoint: Location) -> int | None:
    """The last batch that the query that has this checkpoint has done, if any."""
    return max(_numbered(checkpoint / "commits"), default=None)


def files_read(checkpoint: Location) -> dict[str, int]:
    """How many splits have been read, or begun to be, of each stream of files, by the names of their logs."""
    last = max(_numbered(checkpoint / "offsets"), default=None)
    if last is None:
        return {}
    lines = (checkpoint / "offsets" / str(last)).read_text("utf-8", "replace").split("\n")
    read: dict[str, int] = {}
    for line in lines:
        with suppress(ValueError, KeyError, TypeError):  # of another source, or damaged: Spark refuses it then
            read |= json.loads(line)["files"]
    return read


def measured(checkpoint: Location) -> int:
    """The last batch of which a checkpoint has metrics."""
    return next((batch for batch, _ in metrics_of(checkpoint)), -1)


def _numbered(directory: Location) -> set[int]:
    return {int(path.name) for path in directory.glob("[0-9]*") if path.name.isdecimal()}


def read_or_init(checkpoint: Location, name: str, first: Callable[[], str]) -> str:
    """What a file of a checkpoint says; the first run writes it."""
    path = checkpoint / "punctum" / name
    if not path.exists() and not begun(checkpoint):
        write_sealed(path, first())
    return read_sealed(path)


def query_id(checkpoint: Location) -> str:
    """The id of the query that has this checkpoint, made up by its first run: the names of its files hold it."""
    return read_or_init(checkpoint, "id", lambda: uuid4().hex[:8])


def load_or_init_plan(checkpoint: str, lines: Sequence[str]) -> None:
    """Remember the plan of a checkpoint's query, or refuse another one than that which it has begun with."""
    path = location(checkpoint) / "punctum" / "plan"
    if not begun(checkpoint):
        write_sealed(path, "".join(f"{line}\n" for line in _written(lines)))
        return
    check_version(path)
    if changed := differences(path, lines):
        hint = "run the script as it was, or start with a new checkpoint"
        raise QueryError("the query has changed since the checkpoint was written", changed, hint)


def differences(path: Location, lines: Sequence[str], leaving: str | None = None) -> str:
    """What differs between a plan that was written and one of now, but for lines that begin in a certain way."""
    known, now = (
        [line for line in plan if leaving is None or not line.startswith(leaving)]
        for plan in (read_sealed(path).split("\n")[1:-1], _written(lines)[1:])
    )
    changed = list(unified_diff(known, now, n=0, lineterm=""))
    differs = [f"{line[0]} {line[1:].strip()}" for line in changed[2:] if not line.startswith("@@")]
    return (
        f"the plan in {path} (-) and the current plan (+):" + "".join(f"\n    {line}" for line in differs)
        if differs
        else ""
    )


def settled_buckets(checkpoint: str, wanted: tuple[int, ...]) -> tuple[int, ...]:
    """The buckets of the query that has this checkpoint: those of its first run, or those wanted."""
    import polars as pl  # here: whoever only looks at a checkpoint need not wait for it

    probe = pl.DataFrame({"text": ["", "vase", "é"], "number": [17, -1, None], "price": [0.5, None, -2.0]})
    placing = [str(value) for value in probe.hash_rows(17)]
    first = {"buckets": wanted, "placing": placing, "polars": pl.__version__}
    known = json.loads(read_or_init(location(checkpoint), BUCKETS, lambda: json.dumps(first)))
    if known["placing"] != placing:
        path = location(checkpoint) / "punctum" / "buckets.json"
        detail = (
            f"{path} was written with Polars {known['polars']}, which hashes keys differently from {pl.__version__}"
        )
        hint = f"use Polars {known['polars']}, or start with a new checkpoint"
        raise QueryError("the checkpoint was written with another version of Polars", detail, hint)
    return tuple(known["buckets"])


def remove_partial_offsets(checkpoint: str) -> None:
    """Remove half-written offsets of a run that was killed before its first batch: Spark refuses to start on them."""
    if not begun(checkpoint):
        for half in (location(checkpoint) / "offsets").glob(".*.tmp*"):
            half.unlink()


def _written(plan: Sequence[str]) -> list[str]:
    """The lines of a plan as they are written down."""
    return [_line(line) for line in (f"{STATE}, Punctum {version('punctum')}", *plan)]


def _line(text: str) -> str:
    """One line, whatever a literal of the script holds."""
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")
