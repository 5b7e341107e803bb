"""The small parts of a stage: controls that let inputs begin anew, the clock, and what could not be taken."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from punctum.engine.exchange.buckets import Exchange
from punctum.engine.exchange.messages import Addressed, Clock, Counts, TablesMessage, to_all
from punctum.engine.exchange.quarantine import Record
from punctum.engine.runtime.dataflow import Dataflow
from punctum.engine.runtime.lmerge import ATTACH, changes
from punctum.engine.runtime.stage import Arrived, StagePart, slices_of
from punctum.operators.columns import ColumnarSlice
from punctum.operators.expect import Expect, instant
from punctum.operators.lifespan import Lifespan
from punctum.operators.lookup import Lookup
from punctum.operators.stamped import Stamped

Tellers = Sequence[Callable[[], list[Record]]]
"""What says of operators what they have not taken."""


@dataclass(frozen=True)
class Control:
    """An input that says which inputs of a merge come and go: for each of those what begins anew when it comes."""

    input: int
    restarted: tuple[tuple[int, ...], ...]
    """Inputs of the stage and operators, as in reads."""
    names: tuple[str, ...]


class Controls(StagePart):
    """Lets inputs begin anew of which a control says so in a batch."""

    def __init__(self, flow: Dataflow, controls: Sequence[Control]) -> None:
        self._flow, self._controls = flow, controls

    def before(self, arrived: Arrived) -> None:
        """Restart the inputs that are attached, and the operators that they go through."""
        for control in self._controls:
            names = [name.lower() for name in control.names]
            for message in slices_of(arrived.get(control.input, ())):
                rows = message.slice.frame()
                for _, change, at, _ in [] if rows is None else changes(rows, names):
                    for again in control.restarted[at] if at is not None and change == ATTACH else ():
                        (self._flow.inputs[-1 - again] if again < 0 else self._flow.operators[again]).restart()


class Clocks(StagePart):
    """Tells operators the time of a batch, and the next stage that there is one."""

    def __init__(self, timed: Sequence[Expect | Lifespan | Stamped] = ()) -> None:
        self._timed = timed

    def before(self, arrived: Arrived) -> None:
        """Set the clock of the operators that go by it."""
        messages = (m for several in arrived.values() for m in several)
        times = [m.time for m in messages if isinstance(m, Clock) and m.time is not None]
        for operator in self._timed if times else ():
            operator.at(instant(max(times)))

    def messages(self, to: Exchange, bucket: int) -> list[Addressed]:
        """That time has passed, where that matters: Spark fills the time in."""
        return to_all(to.buckets, Clock(), to.input) if to.clock else []


class Tables(StagePart):
    """Lets lookups go on with other versions of their tables, before the batch that is the first to meet them."""

    def __init__(self, lookups: Sequence[tuple[str, Lookup]]) -> None:
        self._lookups = lookups

    def before(self, arrived: Arrived) -> None:
        """Take the versions that have been told."""
        known_versions = (m.versions for several in arrived.values() for m in several if isinstance(m, TablesMessage))
        versions = {name: version for update in known_versions for name, version in update.items()}
        for name, lookup in self._lookups:
            if name in versions:
                lookup.go_on_with(versions[name])


class Violations(StagePart):
    """Records of what the inputs and the operators have not taken."""

    def __init__(self, flow: Dataflow, late: Tellers, failed: Tellers) -> None:
        self._flow, self._late, self._failed = flow, late, failed
        self._records: list[Record] = []

    def after(self, arrived: Arrived, given: ColumnarSlice, counts: list[Counts]) -> ColumnarSlice:
        """Ask all of them, before anything runs behind the slice."""
        tellers = [*(source.violations for source in self._flow.inputs), *self._late, *self._failed]
        self._records = [record for records_of in tellers for record in records_of()]
        return given

    def records(self) -> list[Record]:
        """The records of the slice, and what has had no value in operators that have run behind it."""
        return self._records + [record for records_of in self._failed for record in records_of()]
