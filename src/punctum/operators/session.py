"""Sessions: a row for each group of rows of a key between which there is no gap of time.

Kept: partial aggregates of the open sessions, a row for each, with the times of its first and its last row. The rows of
a slice are sessions by themselves first; these are then brought together with the kept ones of their keys. One
punctuation closes a session that covers its key with all times from a gap before its first row to a gap after its last.
"""

from collections.abc import Iterator, Sequence

import polars as pl

from punctum.algebra.aggregates import AggregateFunction
from punctum.algebra.bands import shifted
from punctum.algebra.cuts import LOWEST
from punctum.algebra.pattern import WILDCARD, Pattern, Range, between, span_pattern
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Attribute, Schema
from punctum.operators.batch import PunctuationBatch, columns, punctuations_of
from punctum.operators.checked import REASON
from punctum.operators.columns import ColumnarSlice, canonical, dtype, empty
from punctum.operators.emitted import EmittedPunctuations
from punctum.operators.near import purge
from punctum.operators.operator import Metadata, Operator, Waits
from punctum.operators.partials import Partial
from punctum.operators.table import Table

_SESSION = "\0session"


class Sessions(Operator):
    """A row for each session: its keys, its start, its end, and aggregates over its rows that pass their filters.

    A gap is so many steps: of times, microseconds.
    """

    releasing_inputs = (0,)

    def __init__(
        self,
        schema: Schema,
        by: Sequence[str],
        time: str,
        gap: int,
        names: tuple[str, str],
        aggregates: Sequence[AggregateFunction],
        filters: Sequence[pl.Expr | None] | None = None,
    ) -> None:
        self._by, self._time, self._gap, self._bounds = list(by), time, gap, names
        keys, timed = (tuple(schema.attributes[i] for i in schema.indices(some)) for some in (by, [time]))
        self._keys, kind = Schema(keys) if keys else None, timed[0].type
        results = tuple(aggregate.attribute(schema) for aggregate in aggregates)
        self.inputs = (schema,)
        self.output = Schema((*keys, *(Attribute(name, kind) for name in names), *results))
        mark = "#" * (1 + max(len(name) for name in schema.names))  # no attribute's name
        self._first, self._last = f"{mark}first", f"{mark}last"
        self._kept = Schema((*keys, Attribute(self._first, kind), Attribute(self._last, kind)))
        chosen = filters or [None] * len(aggregates)
        self._partials = [Partial(a, schema, chosen[i], f"{mark}{i}") for i, a in enumerate(aggregates)]
        shape = {a.name: dtype(a) for a in self._kept.attributes}
        for partial in self._partials:
            shape |= partial.columns
        self._columns = list(shape)
        self._sessions = Table(pl.DataFrame(schema=shape))
        self._emitted = EmittedPunctuations(self.output)

    def feed(self, *slices: ColumnarSlice) -> ColumnarSlice:
        """Take the next slice."""
        (xs,) = slices
        self._add(xs.rows)
        received = punctuations_of(self.inputs[0], xs)
        done = purge(self._sessions, self._closing(received))
        return columns(self._results(done), self._emitted.add_new(self.map_punctuations(0, received)), xs)

    def _add(self, rows: pl.DataFrame) -> None:
        """Bring new rows together with the open sessions of their keys."""
        rows = rows.drop_nulls(self._time)
        if not rows.height:
            return
        time = pl.col(self._time)
        ordered = rows.sort(*self._by, time, nulls_last=False)
        late = time.to_physical().diff() > self._gap
        bounds = [time.first().alias(self._first), time.last().alias(self._last)]
        new = self._grouped(ordered, late, [*bounds, *(e for p in self._partials for e in p.of_rows(ordered))])
        view = self._sessions.having(new.select(self._by).unique()) if self._by else self._sessions.all()
        if len(view):
            new, met = self._merged(view.rows, new)
            view.drop(met)
        self._sessions.append(new)

    def _merged(self, kept: pl.DataFrame, new: pl.DataFrame) -> tuple[pl.DataFrame, pl.Series]:
        """New sessions with the kept ones that are near them, and which these are."""
        both = pl.concat([kept.with_row_index("\0row").with_columns(pl.col("\0row").cast(pl.Int64)), _unkept(new)])
        ordered = both.sort(*self._by, self._first, nulls_last=False)
        reached = pl.col(self._last).to_physical().cum_max()
        reached = reached.over(self._by) if self._by else reached
        reached = reached.shift(1).over(self._by) if self._by else reached.shift(1)
        late = pl.col(self._first).to_physical() - reached > self._gap
        numbered = ordered.with_columns(self._begins(late).cum_sum().alias(_SESSION))
        touched = numbered.filter(pl.col("\0row") < 0)[_SESSION].unique()
        mine = numbered.filter(pl.col(_SESSION).is_in(touched.implode()))
        gone = mine.filter(pl.col("\0row") >= 0)["\0row"]
        bounds = [pl.col(self._first).min(), pl.col(self._last).max()]
        made = self._of_numbers(mine, [*bounds, *(e for p in self._partials for e in p.combined())])
        return made, pl.int_range(kept.height, eager=True, dtype=pl.Int64).is_in(gone.implode())

    def _begins(self, late: pl.Expr) -> pl.Expr:
        """Whether a session begins with each row, in the order of keys and times."""
        others = [pl.col(name).ne_missing(pl.col(name).shift(1)) for name in self._by]
        first = pl.int_range(pl.len()) == 0
        return pl.any_horizontal([late.fill_null(False), first, *others])

    def _grouped(self, ordered: pl.DataFrame, late: pl.Expr, exprs: list[pl.Expr]) -> pl.DataFrame:
        return self._of_numbers(ordered.with_columns(self._begins(late).cum_sum().alias(_SESSION)), exprs)

    def _of_numbers(self, numbered: pl.DataFrame, exprs: list[pl.Expr]) -> pl.DataFrame:
        keys = [pl.col(name).first() for name in self._by]
        return numbered.group_by(_SESSION, maintain_order=True).agg(*keys, *exprs).select(self._columns)

    def _closing(self, received: PunctuationBatch) -> PunctuationBatch:
        """Punctuations over what is kept: on keys as they are, and on times by a gap narrower."""
        schema, names = received.schema, self._kept.positions
        time = schema.index(self._time)
        spoken = received.on([*schema.indices(self._by), time])
        constants = {names[schema.names[at]]: values for at, values in spoken.constants.items() if at != time}
        others = []
        for p in spoken.others:
            keys = {names[schema.names[at]]: side for at, side in p.sides if at != time}
            patterns = dict(p.sides)
            ways = self._narrower(patterns[time]) if time in patterns else [{}]
            others += [self._over(self._kept, keys | way) for way in ways]
        return PunctuationBatch(self._kept, constants, others)

    def _narrower(self, side: Pattern) -> Iterator[dict[int, Pattern]]:
        """For each span of times, the first and last ones of sessions around which a gap lies within it."""
        first, last = self._kept.index(self._first), self._kept.index(self._last)
        kind = self._kept.attributes[first].type
        for span in side.spans:
            whole = span_pattern(span, kind)
            if not isinstance(whole, Range):  # one value is shorter than any gap
                continue
            lower, upper, ends = whole.lower, whole.upper, whole.ends
            least = None if lower is None else shifted(lower, self._gap)
            most = None if upper is None else shifted(upper, -self._gap)
            if (lower is None or least is not None) and (upper is None or most is not None):
                way = {} if lower is None else {first: between(least, None, f"{ends[0]}]")}
                yield way if upper is None else way | {last: between(None, most, f"[{ends[1]}")}

    def _over(self, schema: Schema, patterns: dict[int, Pattern]) -> Punctuation:
        return Punctuation(schema, tuple(patterns.get(n, WILDCARD) for n in range(len(schema))))

    def map_punctuations(self, number: int, received: PunctuationBatch) -> PunctuationBatch:
        """Those on keys alone, and prefixes of time, as prefixes of ends."""
        schema, names = received.schema, self.output.positions
        time, end = schema.index(self._time), self.output.index(self._bounds[1])
        spoken = received.on([*schema.indices(self._by), time])
        constants = {names[schema.names[at]]: values for at, values in spoken.constants.items() if at != time}
        others = []
        for p in spoken.others:
            patterns = {names[schema.names[at]]: side for at, side in p.sides if at != time}
            side = dict(p.sides).get(time)
            if side is not None and side.spans and side.spans[0][0] is LOWEST:
                patterns[end] = span_pattern(side.spans[0], self.output.attributes[end].type)
            elif side is not None:
                continue
            others.append(self._over(self.output, patterns))
        return PunctuationBatch(self.output, constants, others)

    def _results(self, done: pl.DataFrame) -> pl.DataFrame:
        """A row for each session that has one; the others go to the quarantine."""
        if not done.height:
            return empty(self.output)
        end = (pl.col(self._last).to_physical() + self._gap).cast(done.schema[self._last]).alias(self._bounds[1])
        bounds = (pl.col(self._first).alias(self._bounds[0]), end)
        rows = done.select(*self._by, *bounds, *(partial.result() for partial in self._partials))
        fails = [why for partial in self._partials if (why := partial.fails()) is not None]
        if fails and any(rows[p.aggregate.name].null_count() for p in self._partials):
            reasons = done.select(pl.coalesce(fails).alias(REASON)).to_series()
            bad = reasons.is_not_null()
            shown = Schema(self.output.attributes[: len(self._by) + 2])
            self.fail(rows.with_columns(reasons).filter(bad) if bad.any() else None, shown)
            rows = rows.filter(~bad)
        return canonical(rows)

    def sessions(self) -> pl.DataFrame:
        """The keys of the open sessions, with the times of their first and last rows."""
        return self._sessions.frame().select(self._kept.names)

    def tables(self) -> dict[str, Table]:
        """The open sessions."""
        return {"sessions": self._sessions}

    def restore_tables(self, tables: dict[str, Table]) -> None:
        """Go on with the rows that another one kept."""
        self._sessions = tables["sessions"]

    def metadata(self) -> Metadata:
        """What has been emitted."""
        return {"emitted": self._emitted.metadata()}

    def restore_metadata(self, metadata: Metadata) -> None:
        """Go on with the notes of another one."""
        self._emitted.restore(metadata["emitted"])

    def forget(self, number: int, expired: PunctuationBatch) -> None:
        """What has expired may be emitted again."""
        self._emitted.forget(self.map_punctuations(number, expired))

    def puncts(self) -> int:
        """What has been emitted."""
        return len(self._emitted)

    def waits(self) -> dict[str, Waits]:
        """A session waits for its keys to be closed, with the times after its last row."""
        return {"sessions": Waits(0, (*((name, name) for name in self._by), (self._last, self._time)))}

    def has_emitted(self, p: Punctuation) -> bool:
        """Whether sessions are closed."""
        return self._emitted.covers(p)


def _unkept(new: pl.DataFrame) -> pl.DataFrame:
    """New sessions, with a number that no kept one has."""
    return new.select(pl.lit(-1, pl.Int64).alias("\0row"), pl.all())
