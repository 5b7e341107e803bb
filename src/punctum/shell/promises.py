"""Promises that rows keep: what is found in them, each with its evidence, and what nearly holds, with what breaks it.

What is proposed holds for every row that was looked at, and with enough evidence: it would hardly hold by chance. What
few rows break is told of, as a comment.
"""

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import polars as pl

from punctum.algebra.punctuation import Punctuation
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import Schema
from punctum.algebra.scheme import Order
from punctum.algebra.values import Type, value_text
from punctum.engine.exchange.quarantine import Record
from punctum.engine.infer.ddl import Commented, named, string
from punctum.engine.infer.inferred import Terms, scheme_text, schemes_of
from punctum.operators.columns import to_rows
from punctum.shell.evidence import Evidence, first

LEAST = 20
"""So many rows at least must speak for a promise."""
_STEPS = 5  # an order rises at least so often
_CLOSED = 10  # an event closes at least so many keys that had rows before
_EVENTS = 20  # a column with more values has no events
_NEARLY = 0.99
_KEYS = (Type.BIGINT, Type.STRING, Type.DECIMAL)
_TIMES = (Type.TIMESTAMP, Type.TIMESTAMP_NTZ)
_ORDERED = (Type.BIGINT, Type.DOUBLE, Type.DECIMAL, Type.DATE, *_TIMES)
_DELAYED = (pl.Int64, pl.Float64, pl.Datetime)
_LATE = 0.25  # so many rows may come late
_LOOKED = 10_000  # so many values are held against punctuations
_MANY = 8  # so many columns are looked at in pairs


@dataclass(frozen=True)
class Proposal:
    """A clause that the rows keep, or one that they nearly keep, with what speaks for it and what against it."""

    clause: str
    evidence: str
    broken: str = ""

    @property
    def holds(self) -> bool:
        """Whether all rows keep it."""
        return not self.broken

    @property
    def commented(self) -> Commented:
        """As it stands in CREATE STREAM."""
        if self.holds:
            return Commented(self.clause, (self.evidence,))
        return Commented("", (f"not kept: {self.clause}: {self.evidence}", f"  {self.broken}"))


def proposals(of: Evidence) -> list[Proposal]:
    """What the rows keep, and what they nearly keep; what they keep stands first."""
    given = [*seen(of)]
    if of.rows.height:
        unique = list(uniques(of))
        ordered = list(orders(of))
        given += [*unique, *ordered, *events(of, [p.clause for p in unique if p.holds])]
    return sorted(given, key=lambda proposal: not proposal.holds)


def seen(of: Evidence) -> Iterator[Proposal]:
    """What the punctuations in the files are on."""
    nulls = [name for name in of.inferred.schema.names if of.rows.height and of.rows[name].null_count()]
    schemes = schemes_of(of.punctuations, nulls)
    late = of.late() if schemes else []
    for terms, count in schemes.items():
        values, covered = _coverage(of, terms)
        columns = ", ".join(name for name, _ in terms)
        counted = (
            f"{count:,} punctuations on ({columns}); they cover {covered:,} of {values:,} values in {of.described}"
        )
        broken = ""
        behind = [record for record in late if _on(record) == {name for name, _ in terms}]
        if behind:
            n, where = sum(record.count for record in behind), f"{behind[0].file}:{behind[0].position}"
            stand = "row stands" if n == 1 else "rows stand"
            broken = f"{n:,} {stand} behind a punctuation that matches, the first in {where}"
        elif 2 * covered < values:
            broken = f"{values - covered:,} values are not covered"
        yield Proposal(f"PUNCTUATED {scheme_text(terms)}", counted, broken)


def _on(record: Record) -> set[str]:
    """The columns that the punctuation speaks of which a row has broken."""
    return set(json.loads(record.punctuation)["$punct"]) if record.punctuation else set()


def _coverage(of: Evidence, terms: Terms) -> tuple[int, int]:
    """How many values the rows have on some columns, and how many of them punctuations of these columns cover."""
    names = [name for name, _ in terms]
    schema = of.inferred.schema
    part = Schema(tuple(schema.attributes[schema.index(name)] for name in names))
    puncts = PunctuationSet(part)
    for punctuation in of.punctuations:
        if [schema.names[i] for i, _ in punctuation.sides] == sorted(names, key=schema.index):
            puncts.add(Punctuation(part, tuple(punctuation.patterns[schema.index(name)] for name in names)))
    rows = to_rows(of.rows.select(names).unique(maintain_order=True).head(_LOOKED))
    known = list(rows)
    return len(known), sum(map(puncts.matches, known))


def uniques(of: Evidence) -> Iterator[Proposal]:
    """Columns that have each value once; where none has, pairs of them."""
    rows, names = of.rows, [a.name for a in of.inferred.schema.attributes if a.type in _KEYS]
    if rows.height < LEAST:
        return
    counts = {name: rows[name].n_unique() for name in names}
    for name, count in counts.items():
        counted = f"{count:,} values in {of.described}"
        if count == rows.height:
            yield Proposal(f"UNIQUE ({named(name)})", f"{counted}, none twice")
        elif count >= _NEARLY * rows.height:
            yield Proposal(f"UNIQUE ({named(name)})", counted, _twice(of, [name], rows.height - count))
    if rows.height in counts.values():
        return
    pairs = [a.name for a in of.inferred.schema.attributes if a.type in (*_KEYS, Type.DATE, *_TIMES)][:_MANY]
    for left, right in combinations(pairs, 2):
        # values that had nothing to do with each other would meet so often
        expected = rows.height**2 / 2 / max(rows[left].n_unique() * rows[right].n_unique(), 1)
        if expected >= 3 and rows.select(left, right).n_unique() == rows.height:
            counted = f"{rows.height:,} pairs in {of.described}, none twice"
            yield Proposal(f"UNIQUE ({named(left)}, {named(right)})", counted)


def _twice(of: Evidence, names: list[str], count: int) -> str:
    """Where a value comes again."""
    again = ~of.rows.select(pl.struct(names).is_first_distinct()).to_series()
    row = first(again)
    values = of.rows.select(names).row(row)
    same = pl.all_horizontal(pl.col(n).eq_missing(pl.lit(v)) for n, v in zip(names, values, strict=True))
    value, before = ", ".join(map(_shown, values)), first(of.rows.select(same).to_series())
    repeat = "row repeats" if count == 1 else "rows repeat"
    return f"{count:,} {repeat} a value: {value} in {of.place(before)} and {of.place(row)}"


def orders(of: Evidence) -> Iterator[Proposal]:
    """Columns in whose order rows come: all of them, nearly all, or those of each key."""
    if of.rows.height < LEAST:
        return
    for attribute in of.inferred.schema.attributes:
        if attribute.type in _ORDERED and not of.rows[attribute.name].null_count():
            whole = list(_order(of, attribute.name))
            yield from whole
            if not any(proposal.holds and "DELAY" not in proposal.clause for proposal in whole):
                yield from _orders_by_key(of, attribute.name, attribute.type)


def _order(of: Evidence, name: str) -> Iterator[Proposal]:
    values = of.rows[name].to_physical()
    ups = int((values > values.shift()).sum())
    downs = int((values < values.shift()).sum())
    for order, steps, back in ((Order.ASC, ups, downs), (Order.DESC, downs, ups)):
        clause = f"PUNCTUATE ({named(name)} {order.value})"
        if steps >= _STEPS and not back:
            yield Proposal(
                clause, f"{steps:,} steps {'up' if order is Order.ASC else 'down'} and none back in {of.described}"
            )
        elif steps >= _STEPS and order is Order.ASC and of.rows[name].dtype in _DELAYED:
            yield from _late(of, name, clause)


def _late(of: Evidence, name: str, clause: str) -> Iterator[Proposal]:
    """An order that rows nearly keep; times that come a little late keep it with a delay."""
    values = of.rows[name].to_physical()  # times as microseconds
    behind = values.cum_max() - values
    late, row = int((behind > 0).sum()), behind.arg_max() or 0
    most = behind[row]
    if late > _LATE * of.rows.height or most * 10 > values.tail(1)[0] - values.min():
        return
    counted = f"{late:,} of {of.described} come late"
    where = f"{_shown(of.rows[name][row])} in {of.place(row)} comes furthest behind"
    if isinstance(of.rows[name].dtype, pl.Datetime):
        seconds = max(math.ceil(most / 1_000_000), 1)
        length = f"{seconds} second" + "s" * (seconds > 1)
        yield Proposal(f"{clause} DELAY '{length}'", f"{counted}, none by more: {where}")
    else:
        yield Proposal(clause, counted, f"{where}: with DELAY {most} all rows keep it")


def _orders_by_key(of: Evidence, name: str, kind: Type) -> Iterator[Proposal]:
    """An order that the rows of each key keep."""
    if kind not in (Type.BIGINT, *_TIMES):
        return
    rows = of.rows
    for key in (
        a.name for a in of.inferred.schema.attributes if a.type in (Type.BIGINT, Type.STRING) and a.name != name
    ):
        keys = rows[key].n_unique()
        if not 2 <= keys <= rows.height // _STEPS:
            continue
        steps = rows.select((pl.col(name).to_physical() - pl.col(name).to_physical().shift()).over(key)).to_series()
        back, up = int((steps < 0).sum()), int((steps > 0).sum())
        if not back and up >= LEAST:
            counted = f"{up:,} steps up within {keys:,} values of {named(key)} and none back in {of.described}"
            yield Proposal(f"PUNCTUATE ({named(key)}, {named(name)} ASC)", counted)


def events(of: Evidence, unique: list[str]) -> Iterator[Proposal]:
    """Values of a column behind which no row with the same key comes."""
    attributes, rows = of.inferred.schema.attributes, of.rows
    keys = [a.name for a in attributes if a.type in (Type.BIGINT, Type.STRING)]
    keys = [name for name in keys if f"UNIQUE ({named(name)})" not in unique and rows[name].n_unique() > 1]
    flags = [a.name for a in attributes if a.type in (Type.STRING, Type.BOOLEAN, Type.BIGINT)]
    flags = [name for name in flags if rows[name].n_unique() <= _EVENTS]
    for key in keys:
        for flag in flags:
            if flag != key:
                yield from _event(of, key, flag)


def _event(of: Evidence, key: str, flag: str) -> Iterator[Proposal]:
    """The values of a flag that close a key."""
    rows = of.rows.select(pl.col(key).alias("k"), pl.col(flag).alias("f")).with_row_index("row")
    row, size = pl.col("row"), pl.len().over("k")
    rows = rows.with_columns((row == row.max().over("k")).alias("last"), (size > 1).alias("before"))
    by = rows.filter(pl.col("f").is_not_null()).group_by("f", maintain_order=True)
    counted = by.agg(
        pl.len().alias("n"), pl.col("last").sum(), (pl.col("last") & pl.col("before")).sum().alias("closed")
    )
    enough = counted.filter(pl.col("closed") >= _CLOSED)
    closing = enough.filter(pl.col("last") == pl.col("n")).sort("f")
    keys = rows["k"].n_unique()
    if closing.height:
        closed = int(closing["last"].sum())
        value = [_literal(v) for v in closing["f"]]
        when = f"{named(flag)} = {value[0]}" if len(value) == 1 else f"{named(flag)} IN ({', '.join(value)})"
        evidence_text = (
            f"it closes {closed:,} of {keys:,} values of {named(key)}, and no row comes behind it in {of.described}"
        )
        broken = "" if 2 * closed >= keys else f"{keys - closed:,} values are not closed"
        yield Proposal(f"PUNCTUATE ({named(key)}) WHEN {when}", evidence_text, broken)
    for value, n, is_last, _ in enough.filter(
        (pl.col("last") < pl.col("n")) & (pl.col("last") >= 0.9 * pl.col("n"))
    ).rows():
        wrong = rows.filter((pl.col("f") == value) & ~pl.col("last")).row(0, named=True)
        behind = rows.filter(pl.col("k").eq_missing(pl.lit(wrong["k"])) & (pl.col("row") > wrong["row"]))["row"][0]
        evidence_text = f"{is_last:,} of {n:,} rows with it are the last of their {named(key)} in {of.described}"
        where = f"behind {of.place(wrong['row'])} comes {of.place(behind)}"
        yield Proposal(f"PUNCTUATE ({named(key)}) WHEN {named(flag)} = {_literal(value)}", evidence_text, where)


def _literal(value: object) -> str:
    return string(value) if isinstance(value, str) else str(value).upper()


def _shown(value: object) -> str:
    return repr(value) if isinstance(value, str) else value_text(value)  # type: ignore[arg-type]
