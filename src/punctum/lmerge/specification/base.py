"""What all cases share: inputs that come and go, stables, and a slice as the vectorised merge takes it."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from punctum.lmerge.elements import INF, Adjust, Element, Insert, Stable, Time
from punctum.lmerge.policies import OutputPolicy


class Specification(ABC):
    """A running merge: an element of an input in, elements of the output out."""

    waits = False
    """Whether the elements of an input that is joining must wait until it has joined."""

    def __init__(self, inputs: int, policy: OutputPolicy | None = None) -> None:
        self.policy = policy or OutputPolicy()
        self.max_stable: Time = -INF
        self.since: dict[int, Time] = dict.fromkeys(range(inputs), -INF)
        self.stables: dict[int, Time] = dict.fromkeys(range(inputs), -INF)
        self.bad: list[tuple[int, Element]] = []
        """The elements that were not taken, each with its input."""
        self._waiting: dict[int, list[Insert | Adjust]] = {}
        self._out: list[Element] = []

    def feed(self, element: Element, s: int) -> list[Element]:
        """Take an element of an input."""
        self._take(element, s)
        self._advance()
        return self._given()

    def feed_slice(self, slices: Sequence[Sequence[Element]]) -> list[Element]:
        """Take the inserts and adjusts of all inputs, then the stable that advances furthest."""
        for s, elements in enumerate(slices):
            for element in elements:
                self._take(element, s)
        self._advance()
        return self._given()

    def attach(self, s: int, since: Time = -INF) -> None:
        """An input begins, or begins again: right is what ends at a time or later."""
        self.detach(s)
        self.since[s], self.stables[s] = since, -INF

    def detach(self, s: int) -> None:
        """An input has ended or failed."""
        self.since.pop(s, None)
        self.stables.pop(s, None)
        self._waiting.pop(s, None)
        self.drop(s)

    def joined(self, s: int) -> bool:
        """Whether an input has all that the output may need."""
        return s in self.since and self.since[s] <= self.max_stable

    def order(self) -> list[int]:
        """The attached inputs, the leading one first."""
        return sorted(self.stables, key=lambda s: (not self.joined(s), -self.stables[s], s))

    def leads(self, s: int) -> bool:
        """Whether an input is the leading one."""
        return self.order()[0] == s

    def _take(self, element: Element, s: int) -> None:
        if s not in self.since:
            return
        if isinstance(element, Stable):
            self.stables[s] = max(self.stables[s], element.t)
        elif element.ve < element.vs or (element.ve == element.vs and isinstance(element, Insert)):
            self.bad.append((s, element))
        elif self.waits and not self.joined(s):
            self._waiting.setdefault(s, []).append(element)
        else:
            self._apply(element, s)

    def _apply(self, element: Insert | Adjust, s: int) -> None:
        if isinstance(element, Insert):
            self.insert(element, s)
        else:
            self.adjust(element, s)

    def _advance(self) -> None:
        """Take the stable that advances furthest, and again when it lets an input join that is further."""
        while True:
            for s in [s for s in self._waiting if self.joined(s)]:
                for element in self._waiting.pop(s):
                    self._apply(element, s)
            ahead = [s for s in self.order() if self.joined(s) and self.stables[s] > self.max_stable]
            if not ahead:
                break
            self.stable(self.stables[ahead[0]], ahead[0])

    def _given(self) -> list[Element]:
        given, self._out = self._out, []
        return given

    def _emit(self, element: Element) -> None:
        self._out.append(element)

    @abstractmethod
    def insert(self, e: Insert, s: int) -> None:
        """Take an insert of an input."""

    @abstractmethod
    def adjust(self, e: Adjust, s: int) -> None:
        """Take an adjust of an input."""

    @abstractmethod
    def stable(self, t: Time, s: int) -> None:
        """Take a stable of an input that advances the output."""

    @abstractmethod
    def drop(self, s: int) -> None:
        """Forget all elements of an input."""
