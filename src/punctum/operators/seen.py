"""Seen punctuations: what has come on a stream, all of it, for whoever has to find the rows that come too late.

A little is held at hand, where it coalesces. Constants that coalesce with nothing are laid down as closed keys
(``closed.py``), which take a few bytes each and of which an engine writes what is new and no more. Nothing is
forgotten unless it is over (``forget``). So this is state that grows with the number of constants that are closed one
by one: as it must, for to tell each of n closed strings from all others takes n strings.
"""

import polars as pl

from punctum.algebra.boxes import Box
from punctum.algebra.json import to_json
from punctum.algebra.pattern import Constant, Range
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.algebra.values import Row
from punctum.operators.batch import PunctuationBatch
from punctum.operators.closed import Closed
from punctum.operators.columns import to_rows
from punctum.operators.emitted import BULK, EmittedPunctuations
from punctum.operators.keys import by_attributes, is_key, keys_of
from punctum.operators.table import Table


class SeenPunctuations(EmittedPunctuations):
    """The punctuations that have come on a stream.

    >>> session = Schema.of(id="STRING", hour="BIGINT")
    >>> memory = SeenPunctuations(session)
    >>> _ = memory.add_new(PunctuationBatch(session, {0: pl.Series([f"s{n}" for n in range(1_500)])}))
    >>> len(memory), len(memory.past)
    (1500, 1500)
    >>> memory.matches(pl.DataFrame({"id": ["s7", "t7"], "hour": [1, 1]})).to_list()
    [True, False]
    """

    def __init__(self, schema: Schema) -> None:
        super().__init__(schema)
        self.past = Closed(schema)

    def __len__(self) -> int:
        return super().__len__() + len(self.past)

    def add_new(self, puncts: PunctuationBatch) -> PunctuationBatch:
        """What is new of punctuations; from now on it counts as seen."""
        if len(self.past):
            puncts = PunctuationBatch(puncts.schema, puncts.constants, self._not_laid_down(puncts.others))
        if len(puncts.others) <= BULK:
            return super().add_new(puncts)
        prefixes = [p for p in puncts.others if _is_prefix_of_key(p)]  # too many to ask of each what is new of it
        rest = [p for p in puncts.others if not _is_prefix_of_key(p)]
        if wide := set(self.past.close_boxes(p.sides for p in prefixes)):
            rest += [p for p in prefixes if p.sides in wide]
            prefixes = [p for p in prefixes if p.sides not in wide]
        new = super().add_new(PunctuationBatch(puncts.schema, puncts.constants, rest))
        return new + PunctuationBatch(puncts.schema, {}, prefixes)

    def lacking(self, puncts: PunctuationBatch) -> PunctuationBatch:
        """Those of some punctuations that are not covered; they do not count as seen."""
        constants = {at: v.filter(~self.knows(v.to_frame(self.schema.names[at]))) for at, v in puncts.constants.items()}
        return PunctuationBatch(self.schema, constants, [p for p in puncts.others if not self.covers(p)])

    def knows(self, keys: pl.DataFrame) -> pl.Series:
        """Which of some constants, or combinations of constants, have been seen."""
        return self._are_known(keys)

    def matches(self, df: pl.DataFrame) -> pl.Series:
        """Whether each row matches a punctuation."""
        mask = super().matches(df)
        return mask | self.past.contains(df) if len(self.past) else mask

    def why(self, bad: pl.DataFrame) -> pl.Series:
        """For each row that some punctuations exclude, the JSON of one that does."""
        reasons = pl.repeat(None, bad.height, dtype=pl.String, eager=True).alias("reason")
        for shape in self.past.shapes() if bad.height else ():
            names = [self.schema.names[at] for at in shape.positions]
            here = self.past.has(bad, shape) & reasons.is_null().to_numpy()
            keys = to_rows(bad.select(names).filter(here))
            texts = {key: self._reason(names, key) for key in dict.fromkeys(keys)}
            reasons = reasons.scatter(here.nonzero()[0], [texts[key] for key in keys])
        rest = reasons.is_null()
        return reasons.scatter(rest.arg_true(), super().why(bad.filter(rest))) if rest.any() else reasons

    def forget(self, expired: PunctuationBatch) -> None:
        """Punctuations on the same attributes hold no longer."""
        super().forget(expired)
        self.past.forget(expired)

    def clear(self) -> None:
        """Nothing has been seen."""
        self.past.clear()
        self.restore(EmittedPunctuations(self.schema).metadata())

    def go_on(self, past: Table) -> None:
        """Go on with the closed keys of another one."""
        assert isinstance(past, Closed)
        self.past = past

    def _reason(self, names: list[str], key: Row) -> str:
        return to_json(Punctuation.of(self.schema, dict(zip(names, key, strict=True))), self.schema)

    def _are_known(self, keys: pl.DataFrame) -> pl.Series:
        return super()._are_known(keys) | self.past.contains(keys)

    def _not_laid_down(self, puncts: list[Punctuation]) -> list[Punctuation]:
        """What has not been laid down, of punctuations that are not one constant."""
        known = set[Punctuation]()
        for at, ps in by_attributes(filter(is_key, puncts)).items():
            there = self.past.contains(keys_of(PunctuationBatch(self.schema, {}, ps), at)[0])
            known.update(p for p, is_there in zip(ps, there, strict=True) if is_there)
        return [p for p in puncts if p not in known] if known else puncts

    def _let_go(self, at: int, values: pl.Series) -> None:
        """Lay down constants that are not held at hand any more."""
        self.past.close(values.to_frame(self.schema.names[at]))

    def _let_go_keys(self, keys: pl.DataFrame, puncts: list[Punctuation]) -> None:
        """Lay down combinations of constants."""
        self.past.close(keys)

    def _let_go_boxes(self, members: list[Box]) -> None:
        """Lay down members of the set; what is too wide for that stays at hand."""
        left = set(self.past.close_boxes(members))
        for box in members:
            if box not in left:
                self.known.take(box)


def _is_prefix_of_key(p: Punctuation) -> bool:
    """Whether a punctuation is a range of one attribute for constants of others, as an order of each key has it."""
    loose = [side for _, side in p.sides if not isinstance(side, Constant)]
    return len(loose) == 1 < len(p.sides) and isinstance(loose[0], Range) and not p.empty
