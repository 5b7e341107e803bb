"""Elements of temporal streams, in any format: the bytes of a file in, inserts, adjusts and stables out.

In JSON an object with the key ``_vold`` is an adjust, NULL being an end that was infinite. Other formats have columns:
``_vold``, and ``_adjust`` where ends may be infinite; a file of inserts needs neither. A stable is ``{"$stable": 11}``,
in formats with columns in ``_punct``; XML writes it as the pattern of ``_vs``, ``(,11)``.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl
import pyarrow as pa
from pyarrow import parquet

from punctum.algebra.cuts import LOWEST
from punctum.algebra.json import STABLE, to_json
from punctum.algebra.pattern import between
from punctum.algebra.punctuation import Punctuation, end_of_stream
from punctum.algebra.schema import Schema
from punctum.engine.formats.csv import Dialect
from punctum.engine.formats.lines import Lines
from punctum.engine.formats.parquet import from_columns
from punctum.engine.formats.read import LONGEST, REJECTED, Place, Read, clean
from punctum.ir.elements import ADJUST, FROM, VE, VOLD, VS, written
from punctum.operators.batch import constant_punctuations
from punctum.operators.columns import ColumnarSlice, Places, dtype, empty

Decoder = Callable[[bytes, Schema, Mapping[str, str]], Read]
"""Reads the bytes of a file of a stream that has this schema and these options."""

_OLD = rf'(?:^|[^\\])"{VOLD}"[ \t\r\n]*:'
_OPTIONAL = (VOLD, ADJUST)
_MOST = 10_000  # rows that are no elements are told of, and further ones counted
_NO_STABLE = f'a temporal stream has stables: {{"{STABLE}": …}}'


def read_elements(format_: str, decode: Decoder, data: bytes, schema: Schema, options: Mapping[str, str]) -> Read:
    """The elements of a file in some format."""
    if format_ == "json":
        return settled(_from_lines(decode, Lines.of(data), schema, options), schema)
    return settled(_elements(decode(data, _in_file(format_, data, schema, options), options), schema), schema)


def elements_of_columns(given: pl.DataFrame, schema: Schema) -> Read:
    """The elements of a piece of a DataFrame."""
    return settled(_elements(from_columns(given, _having(schema, given.columns)), schema), schema)


def _from_lines(decode: Decoder, lines: Lines, schema: Schema, options: Mapping[str, str]) -> Read:
    """Inserts and adjusts are read apart: they differ in their keys."""
    old = lines.texts.str.contains(_OLD).to_numpy()
    if not old.any():
        return _elements(decode(lines.data, written(schema, adjusts=False), options), schema)
    parts = []
    for adjusts in (False, True):
        chosen = old == adjusts
        kept = Schema(tuple(a for a in written(schema, adjusts=adjusts).attributes if a.name != ADJUST))
        read = decode(lines.only(chosen).read() if chosen.any() else b"", kept, options)
        parts.append(_elements(numbered(read, np.flatnonzero(chosen) + 1), schema, adjusts))
    return together(parts)


def numbered(read: Read, lines: "np.ndarray[tuple[int], np.dtype[np.int64]]") -> Read:
    """What was read of some lines, with their numbers in the file."""
    rejected = read.rejected
    if rejected.height:
        rejected = rejected.with_columns(pl.Series("position", lines[rejected["position"].to_numpy() - 1]))

    def place(row: int) -> Place:
        position, text = read.place(row)
        return int(lines[position - 1]), text

    at = read.piece.places
    assert at is not None
    constants = {name: pl.Series(lines[where.to_numpy() - 1]) for name, where in at.constants.items()}
    places = Places(pl.Series(lines[at.rows.to_numpy() - 1]), tuple(int(lines[n - 1]) for n in at.puncts), constants)
    return Read(replace(read.piece, places=places), rejected, place, read.more)


def together(parts: Sequence[Read]) -> Read:
    """What was read in some parts, in the order of the file."""
    rows = pl.concat([part.piece.rows for part in parts])
    puncts = tuple(p for part in parts for p in part.piece.puncts)
    rejected = pl.concat([part.rejected for part in parts]).sort("position", maintain_order=True)
    places = [part.piece.places for part in parts if part.piece.places is not None]
    at = np.concatenate([where.rows.to_numpy() for where in places])
    begin = np.cumsum([0, *(part.piece.rows.height for part in parts)])
    order = np.argsort(at, kind="stable")

    def place(row: int) -> Place:
        was = int(order[row])
        of = int(np.searchsorted(begin, was, "right")) - 1
        return parts[of].place(was - int(begin[of]))

    closed = [(part.piece.constants, where.constants) for part, where in zip(parts, places, strict=True)]
    stables = [(values[STABLE], numbers[STABLE]) for values, numbers in closed if STABLE in values]
    columns = {STABLE: pl.concat([times for times, _ in stables])} if stables else {}
    numbers = {STABLE: pl.concat([numbers for _, numbers in stables])} if stables else {}
    where = Places(pl.Series(at[order]), tuple(n for part in places for n in part.puncts), numbers)
    piece = ColumnarSlice(rows[order], puncts, columns, where)
    return Read(piece, rejected, place, sum(part.more for part in parts))


def _in_file(format_: str, data: bytes, schema: Schema, options: Mapping[str, str]) -> Schema:
    """The columns that a file has."""
    if format_ == "parquet":
        try:
            return _having(schema, parquet.ParquetFile(pa.BufferReader(data)).schema_arrow.names)
        except (pa.ArrowException, OSError, ValueError):
            return written(schema)
    if format_ == "csv" and Dialect.of(options).header:
        head = data.lstrip(b"\r\n").split(b"\n", 1)[0].decode(errors="replace")
        return _having(schema, [name for name in schema.names if name in head])
    return written(schema, adjusts=format_ != "xml" or VOLD.encode() in data)


def _having(schema: Schema, names: Sequence[str]) -> Schema:
    """What is written of elements, less what is not there and need not be."""
    return Schema(tuple(a for a in written(schema).attributes if a.name in names or a.name not in _OPTIONAL))


def _elements(read: Read, schema: Schema, adjusts: bool | None = None) -> Read:
    """Rows of a file as elements, in its order: adjusts, or inserts, or what each says that it is."""
    return checked(read, _typed(read.piece.rows, schema, adjusts), _reason(schema), schema)


def checked(read: Read, rows: pl.DataFrame, reason: pl.Expr, schema: Schema) -> Read:
    """What was read as rows of a schema, in the order of the file, without those that have a reason not to be."""
    reasons = rows.select(reason).to_series()
    bad = reasons.is_not_null().arg_true().to_list()
    rejects = [(position, reasons[row], text) for row in bad[:_MOST] for position, text in [_shown(read, row)]]
    stables, wrong = _stables(read.piece, schema)
    rejects += [(0, _NO_STABLE, clean(text, LONGEST)) for text in wrong]
    rejected = pl.concat([read.rejected, pl.DataFrame(rejects, schema=REJECTED, orient="row")])
    kept, places = reasons.is_null().arg_true(), read.piece.places
    assert places is not None
    good, at = (rows, places.rows) if len(kept) == rows.height else (rows[kept], places.rows.gather(kept))
    closed = {STABLE: read.piece.constants[STABLE]} if STABLE in read.piece.constants else {}
    where = Places(at, tuple(n for n, _ in stables), {name: places.constants[name] for name in closed})
    return Read(
        ColumnarSlice(good, tuple(p for _, p in stables), closed, where),
        rejected.sort("position", maintain_order=True),
        lambda row: read.place(int(kept[row])),
        read.more + len(bad[_MOST:]),
    )


def settled(read: Read, schema: Schema) -> Read:
    """What was read, with those stables that others go beyond and that an element stands behind which is too late."""
    piece, at = read.piece, read.piece.places
    if STABLE not in piece.constants or at is None:
        return read
    times, where = piece.constants[STABLE].to_numpy(), at.constants[STABLE].to_numpy()
    order = np.argsort(where, kind="stable")
    times, where = times[order], where[order]
    reached = np.maximum.accumulate(times)
    before = np.searchsorted(where, at.rows.to_numpy(), "left") - 1
    late = (before >= 0) & (piece.rows[FROM].fill_null(2**63 - 1).to_numpy() < reached[before])
    chosen = np.unique(np.searchsorted(reached, reached[before[late]], "left"))  # the first that has got so far
    more = tuple(Punctuation.of(schema, {FROM: between(None, int(times[n]), "[)")}) for n in chosen)
    places = Places(at.rows, at.puncts + tuple(int(where[n]) for n in chosen))
    return replace(read, piece=ColumnarSlice(piece.rows, piece.puncts + more, {}, places))


def with_stables(read: Read, schema: Schema) -> Read:
    """What was read for a stream that is not temporal but has a column of that name: its stables are as any others."""
    piece, places = read.piece, read.piece.places
    if STABLE not in piece.constants or places is None:
        return read
    pairs = zip(piece.constants[STABLE], places.constants[STABLE], strict=True)
    more = [(int(at), Punctuation.of(schema, {VS: between(None, time, "[)")})) for time, at in pairs]
    constants = {name: values for name, values in piece.constants.items() if name != STABLE}
    closed_at = {name: values for name, values in places.constants.items() if name != STABLE}
    where = Places(places.rows, places.puncts + tuple(at for at, _ in more), closed_at)
    return replace(read, piece=ColumnarSlice(piece.rows, piece.puncts + tuple(p for _, p in more), constants, where))


def _shown(read: Read, row: int) -> tuple[int, str]:
    position, text = read.place(row)
    plain = str(read.piece.rows.row(row, named=True)) if text is None else text
    return position, clean(plain, LONGEST)


def _typed(rows: pl.DataFrame, schema: Schema, adjusts: bool | None) -> pl.DataFrame:
    """All columns of elements."""
    old = pl.col(VOLD) if VOLD in rows.columns else pl.lit(None, dtype(schema.attributes[schema.index(VOLD)]))
    which = pl.lit(adjusts) if adjusts is not None else pl.lit(False)
    if adjusts is None and VOLD in rows.columns:
        which = pl.col(VOLD).is_not_null()
    if ADJUST in rows.columns:
        which = pl.col(ADJUST).fill_null(which)
    if rows.is_empty():
        return empty(schema)
    rows = rows.with_columns(old.alias(VOLD), which.alias(ADJUST))
    least = pl.when(ADJUST).then(pl.min_horizontal(VOLD, VE)).otherwise(pl.col(VS))
    return rows.with_columns(least.alias(FROM)).select(schema.names)


def _reason(schema: Schema) -> pl.Expr:
    """Why a row is no element; nothing: it is one."""
    start, end, old, adjust = (pl.col(name) for name in (VS, VE, VOLD, ADJUST))
    reasons = [
        (start.is_null(), f"the element has no start: {VS} is NULL"),
        (end < start, f"the element ends before it starts: {VE} is less than {VS}"),
        (~adjust & (end == start), f"the event has an empty lifetime: {VE} of an insert equals {VS}"),
        (old < start, f"the old end is before the start: {VOLD} is less than {VS}"),
        (~adjust & old.is_not_null(), f"an insert has no old end: {ADJUST} is false, and {VOLD} is not NULL"),
    ]
    if not schema.attributes[schema.index(ADJUST)].domain.match(True):
        reasons.append((adjust, "the stream is INSERT ONLY: it has no adjusts"))
    return first_of(reasons)


def first_of(reasons: Sequence[tuple[pl.Expr, str]]) -> pl.Expr:
    """The first of some reasons whose condition is true."""
    why = pl.lit(None, pl.String)
    for wrong, reason in reversed(reasons):
        why = pl.when(wrong).then(pl.lit(reason)).otherwise(why)
    return why.alias("reason")


def _stables(piece: ColumnarSlice, schema: Schema) -> tuple[list[tuple[int, Punctuation]], list[str]]:
    """The stables of a file with their places, and the texts of punctuations that are none."""
    good, wrong = list[tuple[int, Punctuation]](), list[str]()
    given = Schema(tuple(a for a in schema.attributes if a.name in piece.rows.columns))
    named = [(name, values) for name, values in piece.constants.items() if name != STABLE]
    constants = (p for name, values in named for p in constant_punctuations(given, given.index(name), values))
    assert piece.places is not None
    for at, p in zip(piece.places.puncts, piece.puncts, strict=True):
        sides = [(p.schema.names[i], side.spans) for i, side in p.sides]
        if not sides:
            good.append((at, end_of_stream(schema)))
        elif sides[0][0] == VS and len(sides) == len(sides[0][1]) == 1 and sides[0][1][0][0] is LOWEST:
            good.append((at, Punctuation.of(schema, {FROM: p.sides[0][1]})))
        else:
            wrong.append(to_json(p, p.schema))
    return good, wrong + [to_json(p, p.schema) for p in constants]  # a constant is no prefix
