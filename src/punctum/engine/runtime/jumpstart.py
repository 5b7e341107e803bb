"""Starting with the state of another checkpoint: it is copied into the query's own, and a query starts with the copy.

The plan must be that of the other query; its streams may come from elsewhere, and hold what comes after the state.
Until its first batch begins a query may be told another state. From then on it begins with the copy again, as often as
it takes, until that batch is committed. The other checkpoint is needed for the copy alone.
"""

import json
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from punctum.engine.recovery.checkpoint import (
    begun,
    bucket_notes,
    check_version,
    committed,
    differences,
    last_committed,
    metrics_of,
    state_directory,
    write_buckets,
)
from punctum.engine.recovery.durable import lost, read_sealed, replace_text, write_sealed
from punctum.engine.recovery.state_files import STATE, StateFiles, buckets_behind
from punctum.errors import QueryError

_SOURCE = "  USING "
"""How the lines of a plan begin that say where a stream comes from."""


@dataclass(frozen=True)
class StoredState:
    """The state in a checkpoint, behind a batch."""

    checkpoint: str
    batch: int
    files: Mapping[str, int] = field(default_factory=dict)
    """The files of the copy, with their sizes."""

    def copy(self, to: Path) -> None:
        """Copy the state of each stage and bucket, as one that stands before the first batch."""
        for stage in state_directory(Path(self.checkpoint)).glob("[0-9]*"):
            for bucket, files in buckets_behind(stage, self.batch):
                text, places = files.load()
                chunks = {name: {n: files.read(at) for n, at in of.items()} for name, of in places.items()}
                StateFiles(to / stage.name / str(bucket), -1).save(text, {}, chunks)


def settled_state(
    checkpoint: str, state: str, plan: Sequence[str], copy: Callable[[StoredState, Path], None]
) -> Path | None:
    """The copy that a query starts with: of the state asked for, or of that which it began with; none when it has."""
    own = Path(checkpoint) / "punctum"
    known = _known(own, needed=begun(checkpoint) and not committed(checkpoint))
    if state and not begun(checkpoint):
        known = _settle(own, _last(state), plan, copy)
    elif state and (known is None or known.checkpoint != state):
        detail = f"{checkpoint} was started with {'no state' if known is None else f'the state of {known.checkpoint}'}"
        raise QueryError(f"the query cannot start with the state of {state}", detail, "start with a new checkpoint")
    if known is None or committed(checkpoint):
        shutil.rmtree(own / "start", ignore_errors=True)
        return None
    for name, size in known.files.items():
        if not (own / "start" / name).exists() or (own / "start" / name).stat().st_size != size:
            raise lost(own / "start" / name)
    _same(own / "start/plan", plan)
    return own / "start"


def begin_with(copy: Path, checkpoint: str) -> None:
    """Put a copy in the place of the state; what there is of the first batch will be done again."""
    state = Path(checkpoint) / STATE
    shutil.rmtree(state, ignore_errors=True)
    shutil.copytree(copy, state, ignore=shutil.ignore_patterns("plan"))


def _known(own: Path, needed: bool) -> StoredState | None:
    """The state that a query has begun with, if any; what is left of it shows that there was one."""
    before = any(batch < 0 for batch, _ in metrics_of(own.parent))
    if (own / "state.json").exists() or (needed and (before or (own / "start").exists())):
        return StoredState(**json.loads(read_sealed(own / "state.json")))
    return None


def _last(state: str) -> StoredState:
    """The last state of a checkpoint."""
    for name in ("plan", "buckets.json"):
        if not (Path(state) / "punctum" / name).exists():
            detail = f"{Path(state) / 'punctum' / name} does not exist"
            raise QueryError("the checkpoint to start from does not exist", detail, "name the checkpoint of a query")
    batch = last_committed(Path(state))
    if batch is None:
        detail = f"{state} has no committed batch"
        raise QueryError(
            "the checkpoint to start from has no state", detail, "run its query first, until a batch is committed"
        )
    return StoredState(state, batch)


def _same(known: Path, plan: Sequence[str]) -> None:
    """Refuse a state that means something else to a plan."""
    check_version(known)
    if changed := differences(known, plan, leaving=_SOURCE):
        hint = "use the state of a query with the same plan, or start without --state"
        raise QueryError("the state to start from belongs to another query", changed, hint)


def _settle(
    own: Path, stored: StoredState, plan: Sequence[str], copy: Callable[[StoredState, Path], None]
) -> StoredState:
    """Copy the state, the plan, the buckets and what is kept in them for metrics; then write down that all is there."""
    there = Path(stored.checkpoint) / "punctum"
    _same(there / "plan", plan)
    (own / "state.json").unlink(missing_ok=True)
    shutil.rmtree(own / "start", ignore_errors=True)
    copy(stored, own / "start")
    files = {str(path.relative_to(own / "start")): path.stat().st_size for path in _data(own / "start")}
    write_sealed(own / "start/plan", read_sealed(there / "plan"))
    notes = bucket_notes(Path(stored.checkpoint))
    write_buckets(own.parent, {name: notes[name] for name in ("buckets", "placing", "polars")})
    before = {"batch": -1, "time": round(time.time(), 3), "seconds": 0, "quarantined": 0, "operators": {}}
    replace_text(own / "metrics.jsonl", json.dumps(before | {"kept": _kept(there, stored.batch)}) + "\n")
    write_sealed(own / "state.json", json.dumps(asdict(stored := replace(stored, files=files))))
    return stored


def _data(copy: Path) -> Iterator[Path]:
    """The files of a copy, but for its plan."""
    return (path for path in copy.rglob("[!._]*") if path.is_file())


def _kept(there: Path, batch: int) -> object:
    """What metrics say is kept in each bucket behind a batch."""
    return next((json.loads(line)["kept"] for n, line in metrics_of(there.parent) if n == batch), {})
