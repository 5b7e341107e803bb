"""Stream iterators: step, pass, prop and keep, in that order (section 4.2), and what drives them.

An operator is a value with no state of its own. For each slice its driver calls

- ``step``  with the new rows: rows that can be output, and the new state;
- ``pass_`` with the new punctuations: further rows that they release;
- ``prop``  with the new punctuations: punctuations that can be output;
- ``keep``  with the new punctuations: the state without what they purge.

``keep`` comes last because the other two read the state that it purges. A binary operator has the four for each input,
and its driver takes a slice of the left and then a slice of the right input.

Next to the incremental functions each operator states the cumulative invariants of section 5, ``cpass``, ``cprop`` and
``ckeep``: what must have been output, and what must be kept, after a prefix of the input. They are the specification's
own specification, and the tests hold the two against each other.

Two conditions that the paper asks of every iterator are the driver's: the input must be grammatical (a ``GrammarError``
otherwise), and no punctuation is output that earlier ones cover (minimality, section 5.5).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Generic, Protocol, TypeVar

from punctum.algebra.punctuation import Punctuation
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import Schema
from punctum.algebra.values import Row
from punctum.errors import ComputationError, GrammarError, SchemaError
from punctum.spec.stream import Slice, Stream

S = TypeVar("S")
Rows = Sequence[Row]
Puncts = Sequence[Punctuation]
Kept = dict[str, list[Row]]
"""The rows that an operator keeps, by what it keeps them for."""


class Execution(Protocol):
    """An operator that is running: it takes a slice of each input and gives a slice of its output."""

    def feed(self, *slices: Slice) -> Slice:
        """Take the next slice of each input."""

    def kept(self) -> Kept:
        """The rows it keeps now."""


class Operator(ABC):
    """A stream iterator with one or two inputs."""

    @property
    @abstractmethod
    def inputs(self) -> tuple[Schema, ...]:
        """The schema of each input."""

    @property
    @abstractmethod
    def output(self) -> Schema:
        """The schema of the output."""

    @abstractmethod
    def start(self) -> Execution:
        """Begin with no input read."""


class Specified(Operator):
    """A stream iterator with its cumulative invariants: functions of a prefix of each input, whatever its slices."""

    @abstractmethod
    def cpass(self, *inputs: Slice) -> list[Row]:
        """The rows that have been output after a prefix of each input."""

    @abstractmethod
    def cprop(self, *inputs: Slice) -> list[Punctuation]:
        """The punctuations that have been output after a prefix of each input."""

    @abstractmethod
    def ckeep(self, *inputs: Slice) -> Kept:
        """The rows that are kept after a prefix of each input."""


class Unary(Operator, Generic[S]):
    """A stream iterator with one input. What is not defined is trivial: passT, propT and keepT of the paper."""

    schema: Schema

    @property
    def inputs(self) -> tuple[Schema, ...]:
        """The one input's schema."""
        return (self.schema,)

    @property
    def output(self) -> Schema:
        """The input's schema, unless an operator overrides it."""
        return self.schema

    @abstractmethod
    def initial(self) -> S:
        """The state before any input."""

    def opening(self) -> Puncts:
        """Punctuations that hold from the start, output with the first slice."""
        return ()

    @abstractmethod
    def step(self, ts: Rows, st: S) -> tuple[Rows, S]:
        """Rows to output for new rows, and the new state."""

    def pass_(self, ps: Puncts, st: S) -> Rows:
        """Rows that new punctuations release."""
        return ()

    def prop(self, ps: Puncts, st: S) -> Puncts:
        """Punctuations to output for new punctuations."""
        return ()

    def keep(self, ps: Puncts, st: S) -> S:
        """The state without what new punctuations purge."""
        return st

    def kept(self, st: S) -> Kept:
        """The rows in a state."""
        return {}

    def start(self) -> "UnaryExecution[S]":
        """Begin with no input read."""
        return UnaryExecution(self)


class Binary(Operator, Generic[S]):
    """A stream iterator with a left and a right input. What is not defined is trivial."""

    left: Schema
    right: Schema

    @property
    def inputs(self) -> tuple[Schema, ...]:
        """The two inputs' schemas."""
        return self.left, self.right

    @property
    def output(self) -> Schema:
        """The left input's schema, unless an operator overrides it."""
        return self.left

    @abstractmethod
    def initial(self) -> S:
        """The state before any input."""

    @abstractmethod
    def step_left(self, ts: Rows, st: S) -> tuple[Rows, S]:
        """Rows to output for new left rows, and the new state."""

    @abstractmethod
    def step_right(self, ts: Rows, st: S) -> tuple[Rows, S]:
        """Rows to output for new right rows, and the new state."""

    def pass_left(self, ps: Puncts, st: S) -> Rows:
        """Rows that new left punctuations release."""
        return ()

    def pass_right(self, ps: Puncts, st: S) -> Rows:
        """Rows that new right punctuations release."""
        return ()

    def prop_left(self, ps: Puncts, st: S) -> Puncts:
        """Punctuations to output for new left punctuations."""
        return ()

    def prop_right(self, ps: Puncts, st: S) -> Puncts:
        """Punctuations to output for new right punctuations."""
        return ()

    def keep_left(self, ps: Puncts, st: S) -> S:
        """The state without what new left punctuations purge."""
        return st

    def keep_right(self, ps: Puncts, st: S) -> S:
        """The state without what new right punctuations purge."""
        return st

    def kept(self, st: S) -> Kept:
        """The rows in a state."""
        return {}

    def start(self) -> "BinaryExecution[S]":
        """Begin with no input read."""
        return BinaryExecution(self)


class UnaryExecution(Generic[S]):
    """The paper's ``unary``, a slice at a time."""

    def __init__(self, operator: Unary[S]) -> None:
        self._operator, self.state = operator, operator.initial()
        self._input, self._output = Receiver(operator.inputs[0]), Emitter(operator.output, operator.opening())

    def feed(self, *slices: Slice) -> Slice:
        """Take the next slice."""
        (xs,) = slices
        operator, (ts, ps) = self._operator, self._input.receive(xs)
        stepped, st = operator.step(ts, self.state)
        passed = operator.pass_(ps, st)
        propagated = operator.prop(ps, st)
        self.state = operator.keep(ps, st)
        return self._output.emit([*stepped, *passed], propagated)

    def kept(self) -> Kept:
        """The rows it keeps now."""
        return self._operator.kept(self.state)


class BinaryExecution(Generic[S]):
    """The paper's ``binary``, a slice of each input at a time."""

    def __init__(self, operator: Binary[S]) -> None:
        self._operator, self.state = operator, operator.initial()
        self._left, self._right = map(Receiver, operator.inputs)
        self._output = Emitter(operator.output)

    def feed(self, *slices: Slice) -> Slice:
        """Take the next slice of the left input, then the next slice of the right one."""
        lxs, rxs = slices
        operator, (ts, ps) = self._operator, self._left.receive(lxs)
        left, st = operator.step_left(ts, self.state)
        passed_left = operator.pass_left(ps, st)
        propagated_left = operator.prop_left(ps, st)
        st = operator.keep_left(ps, st)

        ts, ps = self._right.receive(rxs)
        right, st = operator.step_right(ts, st)
        passed_right = operator.pass_right(ps, st)
        propagated_right = operator.prop_right(ps, st)
        self.state = operator.keep_right(ps, st)
        return self._output.emit([*left, *passed_left, *right, *passed_right], [*propagated_left, *propagated_right])

    def kept(self) -> Kept:
        """The rows it keeps now."""
        return self._operator.kept(self.state)


class Composed(Specified):
    """An iterator over the output of another one, as in ``sdupelim(binary(…))``."""

    @property
    @abstractmethod
    def first(self) -> Operator:
        """The iterator that reads the inputs."""

    @property
    @abstractmethod
    def second(self) -> Operator:
        """The iterator that reads the first one's output."""

    @property
    def inputs(self) -> tuple[Schema, ...]:
        """The first iterator's inputs."""
        return self.first.inputs

    @property
    def output(self) -> Schema:
        """The second iterator's output."""
        return self.second.output

    def start(self) -> "ComposedExecution":
        """Begin with no input read."""
        return ComposedExecution(self.first.start(), self.second.start())


class ComposedExecution:
    """One running operator after another."""

    def __init__(self, first: Execution, second: Execution) -> None:
        self._first, self._second = first, second

    def feed(self, *slices: Slice) -> Slice:
        """Take the next slice of each input."""
        return self._second.feed(self._first.feed(*slices))

    def kept(self) -> Kept:
        """The rows that both keep now."""
        return self._first.kept() | self._second.kept()


class Receiver:
    """An input of an operator: holds it to its schema and to its own punctuations."""

    def __init__(self, schema: Schema) -> None:
        self._schema, self._seen, self._slices = schema, PunctuationSet(schema), 0

    def receive(self, xs: Slice) -> tuple[list[Row], Puncts]:
        """The rows of the next slice, in canonical form, and its punctuations that are not empty."""
        self._slices += 1
        for p in xs.puncts:
            if p.schema != self._schema:
                detail = f"{p} is over ({p.schema}), the stream is ({self._schema})"
                raise SchemaError("a punctuation is for another schema", detail, "build it with the stream's schema")
        ts = [self._schema.row(*t) for t in xs.rows]
        for t in ts:
            if offending := self._seen.find(t):
                detail = f"the row {t} of slice {self._slices} matches {offending} of an earlier slice"
                raise GrammarError("the stream is not grammatical", detail, "put a guard before the operator")
        for p in xs.puncts:
            self._seen.add(p)
        return ts, [p for p in xs.puncts if not p.empty]


class Emitter:
    """The output of an operator: emits each punctuation once."""

    def __init__(self, schema: Schema, opening: Puncts = ()) -> None:
        self._emitted, self._opening = PunctuationSet(schema), opening

    def emit(self, ts: Iterable[Row], ps: Puncts) -> Slice:
        """The output slice, without punctuations that earlier ones cover."""
        news = [q for p in (*self._opening, *ps) for q in self._emitted.add_new(p)]
        self._opening = ()
        return Slice(tuple(ts), tuple(news))


def unary(operator: Operator, xs: Stream) -> Iterator[Slice]:
    """The output stream of an operator with one input."""
    return map(operator.start().feed, xs)


def binary(operator: Operator, lxs: Stream, rxs: Stream) -> Iterator[Slice]:
    """The output stream of an operator with two inputs."""
    return map(operator.start().feed, lxs, rxs)


A = TypeVar("A")
B = TypeVar("B")


def valued(function: Callable[[A], B], argument: A) -> B | None:
    """The value of a function, or nothing where it has none: what was asked about goes to the quarantine."""
    try:
        return function(argument)
    except ComputationError:
        return None
