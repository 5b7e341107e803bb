"""Algorithm R3: inserts and adjusts in any order, start and payload are a key; and R3-, with an index for each input.

The two places where the paper leaves a choice are ``_first`` (location 2, an event that the output does not show yet)
and ``_follow`` (location 1, a change of its end). Beyond the paper: an adjust of what the input does not have is bad
input, and where the leading input lacks what is half frozen already, or has ended it before the stable, the output
goes with the next input that it can still follow, or stays as it is.
"""

import math
from collections.abc import Iterator

from punctum.lmerge.elements import INF, Adjust, Insert, Stable, Time
from punctum.lmerge.policies import Adjusting, Inserting, OutputPolicy
from punctum.lmerge.specification.base import Specification
from punctum.lmerge.tdb import Key

OUT = -1
"""The output's entry in a node."""


class R3(Specification):
    """One index of all inputs, in²t: for each payload and start, the end on each input and on the output."""

    def __init__(self, inputs: int, policy: OutputPolicy | None = None) -> None:
        super().__init__(inputs, policy)
        self.index: dict[Key, dict[int, Time]] = {}
        self.latest: dict[int, Time] = {}

    def insert(self, e: Insert, s: int) -> None:
        """Lines 3 to 10."""
        key = (e.payload, e.vs)
        if key not in self.index:
            if e.vs < self.max_stable:
                return
            self.index[key] = {}
        self.latest[s] = max(self.latest.get(s, -INF), e.vs)
        self._enter(key, s, e.ve)

    def adjust(self, e: Adjust, s: int) -> None:
        """Lines 11 to 14."""
        key = (e.payload, e.vs)
        if key not in self.index and e.vs < self.max_stable:
            return
        if s not in self.index.get(key, {}):
            self.bad.append((s, e))
            return
        self._enter(key, s, e.ve)

    def _enter(self, key: Key, s: int, ve: Time) -> None:
        """The end of an event on an input, and what the policy makes of it."""
        node, (_, vs) = self.index[key], key
        if ve == vs:
            node.pop(s, None)
        else:
            node[s] = ve
        if OUT in node:
            self._follow(key, node, s)
        elif vs >= self.max_stable and s in node and self._first(node, s):
            self._show(key, node, node[s])
        if not node:
            del self.index[key]

    def _first(self, node: dict[int, Time], s: int) -> bool:
        """Whether to show an event now that an input has it."""
        policy = self.policy
        if policy.insert is Inserting.SHARE:
            return sum(n in node for n in self.stables) >= math.ceil(policy.share * len(self.stables))
        if policy.insert is Inserting.LATEST:
            return s == max(self.order(), key=lambda n: self.latest.get(n, -INF))
        if policy.insert is Inserting.FULLEST:
            return s == max(self.order(), key=self._unfrozen)
        return policy.insert is Inserting.FIRST or (policy.insert is Inserting.LEADING and self.leads(s))

    def _unfrozen(self, s: int) -> int:
        return sum(vs >= self.max_stable and s in node for (_, vs), node in self.index.items())

    def _follow(self, key: Key, node: dict[int, Time], s: int) -> None:
        """What to show of an event's change on an input."""
        adjust = self.policy.adjust
        if adjust is Adjusting.AT_ONCE or (adjust is Adjusting.LEADING and self.leads(s)):
            ve = node.get(s, key[1])
            if ve >= self.max_stable:
                self._change(key, node, ve)

    def _show(self, key: Key, node: dict[int, Time], ve: Time) -> None:
        self._emit(Insert(*key, ve))
        node[OUT] = ve

    def _change(self, key: Key, node: dict[int, Time], ve: Time) -> None:
        """Give the output's event another end; its start removes it."""
        if node[OUT] == ve:
            return
        self._emit(Adjust(*key, node[OUT], ve))
        node[OUT] = ve
        if ve == key[1]:
            del node[OUT]

    def stable(self, t: Time, s: int) -> None:
        """Lines 15 to 29."""
        for key, node in self._half_frozen(t):
            _, vs = key
            end = self._end(key, node, s)
            if OUT not in node:
                if end > vs:
                    self._show(key, node, end)
            elif end != node[OUT] and (end < t or node[OUT] < t):
                self._change(key, node, end)
            if end < t or t == INF:
                del self.index[key]
        self.max_stable = t
        self._emit(Stable(t))

    def _half_frozen(self, t: Time) -> Iterator[tuple[Key, dict[int, Time]]]:
        early = [key for key in self.index if key[1] < t]
        yield from ((key, self.index[key]) for key in sorted(early, key=lambda key: (key[1], repr(key[0]))))

    def _end(self, key: Key, node: dict[int, Time], s: int) -> Time:
        """The end that the output must be able to take: the leading input's."""
        _, vs = key
        if vs >= self.max_stable:
            return node.get(s, vs)
        others = [n for n in self.order() if n != s]
        return next(node[n] for n in (s, *others, OUT) if node.get(n, -INF) >= self.max_stable)

    def drop(self, s: int) -> None:
        """Forget all elements of an input."""
        self.latest.pop(s, None)
        for key, node in list(self.index.items()):
            node.pop(s, None)
            if not node:
                del self.index[key]


class R3Minus(Specification):
    """An index for each input, and one for the output; shows the first insert, and adjusts at a stable."""

    def __init__(self, inputs: int, policy: OutputPolicy | None = None) -> None:
        super().__init__(inputs, policy)
        self.indexes: dict[int, dict[Key, Time]] = {s: {} for s in range(inputs)}
        self.output: dict[Key, Time] = {}

    def _known(self, key: Key) -> bool:
        return key in self.output or any(key in index for index in self.indexes.values())

    def insert(self, e: Insert, s: int) -> None:
        """Look into every index whether the event is known."""
        key = (e.payload, e.vs)
        if e.vs < self.max_stable and not self._known(key):
            return
        self.indexes[s][key] = e.ve
        if key not in self.output and e.vs >= self.max_stable:
            self.output[key] = e.ve
            self._emit(e)

    def adjust(self, e: Adjust, s: int) -> None:
        """Change the input's own index."""
        key = (e.payload, e.vs)
        if key not in self.indexes[s]:
            if e.vs >= self.max_stable or self._known(key):
                self.bad.append((s, e))
            return
        self.indexes[s][key] = e.ve
        if e.ve == e.vs:
            del self.indexes[s][key]

    def stable(self, t: Time, s: int) -> None:
        """Compare the leading input's index with the output's."""
        known = {key for index in (self.output, *self.indexes.values()) for key in index if key[1] < t}
        for key in sorted(known, key=lambda key: (key[1], repr(key[0]))):
            end = self._end(key, s)
            if key not in self.output:
                if end > key[1]:
                    self._emit(Insert(*key, end))
                    self.output[key] = end
            elif end != self.output[key] and (end < t or self.output[key] < t):
                self._emit(Adjust(*key, self.output[key], end))
                self.output[key] = end
            if end < t or t == INF:
                for index in (self.output, *self.indexes.values()):
                    index.pop(key, None)
        self.max_stable = t
        self._emit(Stable(t))

    def _end(self, key: Key, s: int) -> Time:
        _, vs = key
        if vs >= self.max_stable:
            return self.indexes[s].get(key, vs)
        indexes = [self.indexes[s], *(self.indexes[n] for n in self.order() if n != s), self.output]
        return next(index[key] for index in indexes if index.get(key, -INF) >= self.max_stable)

    def drop(self, s: int) -> None:
        """Forget all elements of an input."""
        self.indexes[s] = {}
