"""Algorithm R4: no restriction; several events may have the same payload and start, and even the same end.

The index in³t has, for each payload and start, how many events with each end are on each input and on the output.
Where the output must change, what it has too much and what it lacks are paired in the order of their ends, and of
these pairs only those are adjusted that a stable leaves no later time for.
"""

import math
from collections import Counter

from punctum.lmerge.elements import INF, Adjust, Insert, Stable, Time
from punctum.lmerge.policies import Adjusting, Inserting, OutputPolicy
from punctum.lmerge.specification.base import Specification
from punctum.lmerge.tdb import Key

OUT = -1
"""The output's entry in a node."""
Ends = Counter[Time]


class R4(Specification):
    """Multisets of events."""

    def __init__(self, inputs: int, policy: OutputPolicy | None = None) -> None:
        super().__init__(inputs, policy)
        self.index: dict[Key, dict[int, Ends]] = {}
        self.latest: dict[int, Time] = {}

    def insert(self, e: Insert, s: int) -> None:
        """Lines 3 to 11."""
        key = (e.payload, e.vs)
        if key not in self.index:
            if e.vs < self.max_stable:
                return
            self.index[key] = {}
        self.latest[s] = max(self.latest.get(s, -INF), e.vs)
        node = self.index[key]
        node.setdefault(s, Ends())[e.ve] += 1
        if e.vs >= self.max_stable and self._wanted(node, s) > count(node, OUT):
            self._change(key, e.vs, e.ve)

    def adjust(self, e: Adjust, s: int) -> None:
        """Lines 12 to 15."""
        key = (e.payload, e.vs)
        if key not in self.index and e.vs < self.max_stable:
            return
        node = self.index.get(key, {})
        if not node.get(s, Ends())[e.vold]:
            self.bad.append((s, e))
            return
        node[s][e.vold] -= 1
        node[s][e.ve] += e.ve != e.vs
        at_once = self.policy.adjust is Adjusting.AT_ONCE
        if at_once or (self.policy.adjust is Adjusting.LEADING and self.leads(s)):
            self._follow(key, e, s)
        if not any(count(node, n) for n in node):
            del self.index[key]

    def _wanted(self, node: dict[int, Ends], s: int) -> int:
        """How many events of a node to show, now that an input has one more."""
        policy, have = self.policy, count(node, s)
        if policy.insert is Inserting.FIRST:
            return have
        if policy.insert is Inserting.SHARE:
            needed = math.ceil(policy.share * len(self.stables))
            return min(have, sorted((count(node, n) for n in self.stables), reverse=True)[needed - 1])
        if policy.insert is Inserting.LATEST:
            leads = s == max(self.order(), key=lambda n: self.latest.get(n, -INF))
        elif policy.insert is Inserting.FULLEST:
            leads = s == max(self.order(), key=self._unfrozen)
        else:
            leads = policy.insert is Inserting.LEADING and self.leads(s)
        return have if leads else 0

    def _unfrozen(self, s: int) -> int:
        return sum(count(node, s) for (_, vs), node in self.index.items() if vs >= self.max_stable)

    def _follow(self, key: Key, e: Adjust, s: int) -> None:
        """Show an adjust at once, where it brings the output nearer to the input."""
        node = self.index[key]
        out = node.setdefault(OUT, Ends())
        nearer = out[e.vold] > node[s][e.vold] and (e.ve == e.vs or out[e.ve] < node[s][e.ve])
        if nearer and min(e.vold, e.ve) >= self.max_stable:
            self._change(key, e.vold, e.ve)

    def _change(self, key: Key, old: Time, new: Time) -> None:
        """Let an event of the output end at another time; its start as an end is no event."""
        _, vs = key
        out = self.index[key].setdefault(OUT, Ends())
        self._emit(Insert(*key, new) if old == vs else Adjust(*key, old, new))
        out[old] -= old != vs
        out[new] += new != vs

    def stable(self, t: Time, s: int) -> None:
        """Lines 16 to 30."""
        for key in sorted((key for key in self.index if key[1] < t), key=lambda key: (key[1], repr(key[0]))):
            node = self.index[key]
            self._balance(key, t, node.get(s, Ends()), Ends(node.get(OUT, Ends())))
            if t == INF or not any(node.get(n, Ends())[ve] for n in (s, OUT) for ve in node.get(n, ()) if ve >= t):
                del self.index[key]
        self.max_stable = t
        self._emit(Stable(t))

    def _balance(self, key: Key, t: Time, given: Ends, out: Ends) -> None:
        """AdjustOutputCount and AdjustOutput, of ends that are not final yet."""
        _, vs = key
        ends = [ve for ve in given | out if ve >= self.max_stable]
        surplus = sorted(ve for ve in ends for _ in range(out[ve] - given[ve]))
        deficit = sorted(ve for ve in ends for _ in range(given[ve] - out[ve]))
        urgent = max(sum(ve < t for ve in surplus), sum(ve < t for ve in deficit))
        for old, new in list(zip(surplus, deficit, strict=False))[:urgent]:
            self._change(key, old, new)
        if vs >= self.max_stable:
            for ve in surplus[len(deficit) :]:
                self._change(key, ve, vs)
            for ve in deficit[len(surplus) :]:
                self._change(key, vs, ve)

    def drop(self, s: int) -> None:
        """Forget all elements of an input."""
        self.latest.pop(s, None)
        for key, node in list(self.index.items()):
            node.pop(s, None)
            if not any(count(node, n) for n in node):
                del self.index[key]


def count(node: dict[int, Ends], s: int) -> int:
    """How many events an input, or the output, has in a node."""
    return sum(node.get(s, Ends()).values())
