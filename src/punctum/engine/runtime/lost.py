"""Punctuations that have not come in time: what is lost, over the columns of each operator, and what a sweep says."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from punctum.algebra.json import from_json, to_json
from punctum.algebra.pattern import EMPTY, Constant
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import Schema
from punctum.algebra.values import Row
from punctum.engine.exchange.quarantine import Record
from punctum.operators.batch import batch, punctuations_of
from punctum.operators.columns import ColumnarSlice, empty
from punctum.operators.operator import Operator

NO_RESULT = "not a final result, because "
"""What the reason of a row begins with that a sweep has released."""


@dataclass(frozen=True)
class Lost:
    """A punctuation that has not come, over some columns, its stream, the reason, and its JSON over the stream."""

    punctuation: Punctuation
    stream: str
    reason: str
    original: str

    def data(self) -> list[str]:
        """Itself as data for JSON."""
        return [to_json(self.punctuation, self.punctuation.schema), self.stream, self.reason, self.original]

    @staticmethod
    def of(data: Sequence[str], schema: Schema) -> "Lost":
        """What data mean."""
        text, *rest = data
        punctuation = from_json(text, schema)
        assert isinstance(punctuation, Punctuation)
        return Lost(punctuation, *rest)

    def over(self, operator: Operator, number: int) -> "list[Lost]":
        """The same over the columns of an operator that reads it."""
        schema = operator.inputs[number]
        moved = operator.map_punctuations(number, batch(schema, [Punctuation(schema, self.punctuation.patterns)]))
        return [replace(self, punctuation=p) for p in moved]

    def renamed(self, schema: Schema) -> "Lost":
        """The same over a schema that differs in names and domains alone."""
        return replace(self, punctuation=Punctuation(schema, self.punctuation.patterns))

    def nowhere(self, schema: Schema) -> "Lost":
        """The same over a schema in which nothing shows what is lost: no row matches it."""
        return replace(self, punctuation=Punctuation.of(schema, {schema.names[0]: EMPTY}))

    def record(self, text: str, withheld: bool = False) -> Record:
        """What goes to the quarantine: the value, or a row that would have come out."""
        return Record(self.stream, (NO_RESULT if withheld else "") + self.reason, text, punctuation=self.original)


@dataclass
class Sweep:
    """What is said behind a slice, in the place of what is lost; the cause of it, when there is any."""

    slice: ColumnarSlice
    lost: list[Lost] = field(default_factory=list)
    cause: Lost | None = None

    @staticmethod
    def nothing(schema: Schema) -> "Sweep":
        """One that says nothing."""
        return Sweep(ColumnarSlice(empty(schema)))

    @property
    def says_anything(self) -> bool:
        """Whether anything is said."""
        return bool(self.slice.puncts or self.slice.constants)

    def together(self, other: "Sweep", schema: Schema) -> "Sweep":
        """What both say."""
        both = punctuations_of(schema, self.slice) + punctuations_of(schema, other.slice)
        return Sweep(ColumnarSlice(empty(schema), tuple(both)), self.lost + other.lost, self.cause or other.cause)


def freed(schema: Schema, puncts: ColumnarSlice, lost: list[Lost], cause: Lost | None) -> list[Lost]:
    """What is said in a sweep beyond what is lost: it was held back by rows that are purged, and is no surer."""
    if cause is None:
        return []
    known = PunctuationSet(schema, (one.punctuation for one in lost))
    return [replace(cause, punctuation=p) for p in punctuations_of(schema, puncts) if not known.covers(p)]


def causes(rows: list[Row], lost: list[Lost]) -> list[Lost | None]:
    """For each row what is lost that it matches."""
    by_value: dict[tuple[int, ...], dict[Row, Lost]] = {}
    others = []
    for one in lost:
        sides = one.punctuation.sides
        if all(isinstance(side, Constant) for _, side in sides):
            values = tuple(side.value for _, side in sides if isinstance(side, Constant))
            by_value.setdefault(tuple(i for i, _ in sides), {}).setdefault(values, one)
        else:
            others.append(one)

    def cause(row: Row) -> Lost | None:
        for at, known in by_value.items():
            if (match := known.get(tuple(row[i] for i in at))) is not None:
                return match
        return next((one for one in others if one.punctuation.match(row)), None)

    return [cause(row) for row in rows]
