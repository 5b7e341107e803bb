"""Algorithms R0, R1 and R2: inserts alone, in the order of their starts.

Beyond the paper: a start before the output's stable is not shown even when no later one has been, for the input that
has sent the stable lacks it (a gap), and it is too late. And what comes against an input's own order is bad input.
"""

from punctum.algebra.values import Row
from punctum.lmerge.elements import INF, Adjust, Insert, Stable, Time
from punctum.lmerge.policies import OutputPolicy
from punctum.lmerge.specification.base import Specification


class Ordered(Specification):
    """What the three have in common."""

    waits = True
    strictly = False

    def __init__(self, inputs: int, policy: OutputPolicy | None = None) -> None:
        super().__init__(inputs, policy)
        self.max_vs: Time = -INF
        self.last: dict[int, Time] = {}

    def insert(self, e: Insert, s: int) -> None:
        """Take an insert of an input, if it is in order."""
        last = self.last.get(s, -INF)
        if e.vs < last or (self.strictly and e.vs == last):
            self.bad.append((s, e))
            return
        self.last[s] = e.vs
        self.next(e, s)

    def next(self, e: Insert, s: int) -> None:
        """Take an insert that is in order."""
        raise NotImplementedError

    def adjust(self, e: Adjust, s: int) -> None:
        """There are none."""
        self.bad.append((s, e))

    def stable(self, t: Time, s: int) -> None:
        """Go on to a stable."""
        self.max_stable = t
        self._emit(Stable(t))

    def drop(self, s: int) -> None:
        """Forget all elements of an input."""
        self.last.pop(s, None)


class R0(Ordered):
    """Starts are strictly increasing."""

    strictly = True

    def next(self, e: Insert, s: int) -> None:
        """Show what is beyond all that was shown."""
        if e.vs > self.max_vs and e.vs >= self.max_stable:
            self.max_vs = e.vs
            self._emit(e)


class R1(Ordered):
    """Elements with the same start come in the same order on all inputs."""

    def __init__(self, inputs: int, policy: OutputPolicy | None = None) -> None:
        super().__init__(inputs, policy)
        self.same_vs_count: dict[int, int] = {}
        self.shown = 0

    def next(self, e: Insert, s: int) -> None:
        """Show what is the next one with the greatest start."""
        if e.vs < self.max_vs or e.vs < self.max_stable:
            return
        if e.vs > self.max_vs:
            self.same_vs_count, self.shown = {}, 0
            self.max_vs = e.vs
        count = self.same_vs_count.get(s, 0)
        if count == self.shown:
            self.shown += 1
            self._emit(e)
        self.same_vs_count[s] = count + 1

    def drop(self, s: int) -> None:
        """Forget all elements of an input."""
        super().drop(s)
        self.same_vs_count.pop(s, None)


class R2(Ordered):
    """Start and payload are a key."""

    def __init__(self, inputs: int, policy: OutputPolicy | None = None) -> None:
        super().__init__(inputs, policy)
        self.hash: set[Row] = set()

    def next(self, e: Insert, s: int) -> None:
        """Show what has not been shown with the greatest start."""
        if e.vs < self.max_vs or e.vs < self.max_stable:
            return
        if e.vs > self.max_vs:
            self.hash.clear()
            self.max_vs = e.vs
        if e.payload not in self.hash:
            self.hash.add(e.payload)
            self._emit(e)

    def stable(self, t: Time, s: int) -> None:
        """What was shown before the stable is not needed any more."""
        super().stable(t, s)
        if t > self.max_vs:
            self.hash.clear()
