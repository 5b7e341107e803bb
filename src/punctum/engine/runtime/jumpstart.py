"""Starting with the state of another checkpoint: it is copied into the query's own, and a query starts with the copy.

The plan must be that of the other query; its streams may come from elsewhere, and hold what comes after the state.
Until its first batch begins a query may be told another state. From then on it begins with the copy again, as often as
it takes, until that batch is committed. The other checkpoint is needed for the copy alone.
"""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

from punctum.engine.recovery.bucket_notes import bucket_notes, state_directory, write_buckets
from punctum.engine.recovery.checkpoint import begun, check_version, committed, differences, last_committed
from punctum.engine.recovery.durable import lost, read_sealed, replace_text, write_sealed
from punctum.engine.recovery.measured import metrics_of
from punctum.engine.recovery.state_files import STATE, StateFiles, buckets_behind
from punctum.errors import QueryError
from punctum.storage.files import copy_all, files_below, remove_all
from punctum.storage.location import Location, location

_SOURCE = "  USING "
"""How the lines of a plan begin that say where a stream comes from."""


@dataclass(frozen=True)
class StoredState:
    """The state in a checkpoint, behind a batch."""

    checkpoint: str
    batch: int
    files: Mapping[str, int] = field(default_factory=dict)
    """The files of the copy, with their sizes."""

    def copy(self, to: Location) -> None:
        """Copy the state of each stage and bucket, as one that stands before the first batch."""
        for stage in state_directory(location(self.checkpoint)).glob("[0-9]*"):
            for bucket, files in buckets_behind(stage, self.batch):
                text, places = files.load()
                chunks = {name: {n: files.read(at) for n, at in of.items()} for name, of in places.items()}
                StateFiles(to / stage.name / str(bucket), -1).save(text, {}, chunks)


def settled_state(
    checkpoint: str, state: str, plan: Sequence[str], copy: Callable[[StoredState, Location], None]
) -> Location | None:
    """The copy that a query starts with: of the state asked for, or of that which it began with; none when it has."""
    own = location(checkpoint) / "punctum"
    known = _known(own, needed=begun(checkpoint) and not committed(checkpoint))
    if state and not begun(checkpoint):
        known = _settle(own, _last(state), plan, copy)
    elif state and (known is None or known.checkpoint != state):
        detail = f"{checkpoint} was started with {'no state' if known is None else f'the state of {known.checkpoint}'}"
        raise QueryError(f"the query cannot start with the state of {state}", detail, "start with a new checkpoint")
    if known is None or committed(checkpoint):
        remove_all(own / "start")
        return None
    for name, size in known.files.items():
        if not (own / "start" / name).exists() or (own / "start" / name).stat().st_size != size:
            raise lost(own / "start" / name)
    _same(own / "start/plan", plan)
    return own / "start"


def begin_with(copy: Location, checkpoint: str) -> None:
    """Put a copy in the place of the state; what there is of the first batch will be done again."""
    state = location(checkpoint) / STATE
    remove_all(state)
    copy_all(copy, state, _data(copy))


def _known(own: Location, needed: bool) -> StoredState | None:
    """The state that a query has begun with, if any; what is left of it shows that there was one."""
    if (own / "state.json").exists() or (needed and ((own / "start").exists() or _had_state(own.parent))):
        return StoredState(**json.loads(read_sealed(own / "state.json")))
    return None


def _had_state(checkpoint: Location) -> bool:
    """Whether its metrics begin before the first batch."""
    return any(batch < 0 for batch, _ in metrics_of(checkpoint))


def _last(state: str) -> StoredState:
    """The last state of a checkpoint."""
    for name in ("plan", "buckets.json"):
        if not (location(state) / "punctum" / name).exists():
            detail = f"{location(state) / 'punctum' / name} does not exist"
            raise QueryError("the checkpoint to start from does not exist", detail, "name the checkpoint of a query")
    batch = last_committed(location(state))
    if batch is None:
        detail = f"{state} has no committed batch"
        raise QueryError(
            "the checkpoint to start from has no state", detail, "run its query first, until a batch is committed"
        )
    return StoredState(state, batch)


def _same(known: Location, plan: Sequence[str]) -> None:
    """Refuse a state that means something else to a plan."""
    check_version(known)
    if changed := differences(known, plan, leaving=_SOURCE):
        hint = "use the state of a query with the same plan, or start without --state"
        raise QueryError("the state to start from belongs to another query", changed, hint)


def _settle(
    own: Location, stored: StoredState, plan: Sequence[str], copy: Callable[[StoredState, Location], None]
) -> StoredState:
    """Copy the state, the plan, the buckets and what is kept in them for metrics; then write down that all is there."""
    there = location(stored.checkpoint) / "punctum"
    _same(there / "plan", plan)
    (own / "state.json").unlink(missing_ok=True)
    remove_all(own / "start")
    copy(stored, own / "start")
    files = _data(own / "start")
    write_sealed(own / "start/plan", read_sealed(there / "plan"))
    notes = bucket_notes(location(stored.checkpoint))
    write_buckets(own.parent, {name: notes[name] for name in ("buckets", "placing", "polars") if name in notes})
    before = {"batch": -1, "time": round(time.time(), 3), "seconds": 0, "quarantined": 0, "operators": {}}
    replace_text(own / "metrics.jsonl", json.dumps(before | {"kept": _kept(there, stored.batch)}) + "\n")
    write_sealed(own / "state.json", json.dumps(asdict(stored := replace(stored, files=files))))
    return stored


def _data(copy: Location) -> dict[str, int]:
    """The files of a copy with their sizes, but for its plan."""
    named = ((name, size, name.rpartition("/")[2]) for name, size in files_below(copy).items())
    return {name: size for name, size, own in named if own != "plan" and not own.startswith((".", "_"))}


def _kept(there: Location, batch: int) -> object:
    """What metrics say is kept in each bucket behind a batch."""
    return next((json.loads(line)["kept"] for n, line in metrics_of(there.parent) if n == batch), {})
