"""What a checkpoint remembers beside Spark's own files: its query's id, plan and buckets.

The first run writes them. Later runs go on with the same id and buckets, whatever the session's number of partitions
has become, and refuse to go on when the state that is there would mean something else to them.
"""

import json
from collections.abc import Sequence
from difflib import unified_diff
from pathlib import Path
from uuid import uuid4

import polars as pl

from punctum.engine.durable import replace_text
from punctum.errors import QueryError

_PROBE = pl.DataFrame({"text": ["", "vase", "é"], "number": [17, -1, None], "price": [0.5, None, -2.0]})
STATE = "state 2"
"""The first line of a plan. It changes when the state of earlier versions can no longer be read."""


def query_id(checkpoint: Path) -> str:
    """The id of the query that has this checkpoint, made up by its first run: the names of its files hold it."""
    path = checkpoint / "punctum" / "id"
    if not path.exists():
        replace_text(path, uuid4().hex[:8])
    return path.read_text()


def begun(checkpoint: str | Path) -> bool:
    """Whether the query that has this checkpoint has begun its first batch."""
    return any((Path(checkpoint) / "offsets").glob("[0-9]*"))


def committed(checkpoint: str | Path) -> bool:
    """Whether the query that has this checkpoint has done its first batch."""
    return any((Path(checkpoint) / "commits").glob("[0-9]*"))


def settled_plan(checkpoint: str, lines: Sequence[str]) -> None:
    """Remember the plan of a checkpoint's query, or refuse another one than that which it has begun with."""
    path = Path(checkpoint) / "punctum" / "plan"
    if not begun(checkpoint) or not path.exists():
        replace_text(path, "".join(f"{line}\n" for line in _written(lines)))
    elif changed := differences(path, lines):
        hint = "go on with the script as it was, or start with a new checkpoint"
        raise QueryError("the query has changed since its checkpoint was written", changed, hint)


def differences(path: Path, lines: Sequence[str], leaving: str | None = None) -> str:
    """What differs between a plan that was written and one of now, but for lines that begin in a certain way."""
    known, now = (
        [line for line in plan if leaving is None or not line.startswith(leaving)]
        for plan in (path.read_text().split("\n")[:-1], _written(lines))
    )
    changed = list(unified_diff(known, now, n=0, lineterm=""))
    differs = [f"{line[0]} {line[1:].strip()}" for line in changed[2:] if not line.startswith("@@")]
    return f"the plan in {path}, and the one of now:" + "".join(f"\n    {line}" for line in differs) if differs else ""


def settled_buckets(checkpoint: str, wanted: tuple[int, ...]) -> tuple[int, ...]:
    """The buckets of the query that has this checkpoint: those of its first run, or those wanted."""
    path = Path(checkpoint) / "punctum" / "buckets.json"
    placing = [str(value) for value in _PROBE.hash_rows(17)]
    if path.exists():
        known = json.loads(path.read_text())
        if known["placing"] != placing:
            detail = f"{path} was written with Polars {known['polars']}, which hashes otherwise than {pl.__version__}"
            hint = f"go on with Polars {known['polars']}, or start with a new checkpoint"
            raise QueryError("keys would no longer go to the buckets that their state is in", detail, hint)
        return tuple(known["buckets"])
    replace_text(path, json.dumps({"buckets": wanted, "placing": placing, "polars": pl.__version__}))
    return wanted


def swept(checkpoint: str) -> None:
    """Remove half-written offsets of a run that was killed before its first batch: Spark refuses to start on them."""
    if not begun(checkpoint):
        for half in (Path(checkpoint) / "offsets").glob(".*.tmp*"):
            half.unlink()


def _written(plan: Sequence[str]) -> list[str]:
    """The lines of a plan as they are written down."""
    return [_line(line) for line in (STATE, *plan)]


def _line(text: str) -> str:
    """One line, whatever a literal of the script holds."""
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")
