"""Elements of temporal streams, in any format: the bytes of a file in, inserts, adjusts and stables out.

In JSON an object with the key ``_vold`` is an adjust, NULL being an end that was infinite. Other formats have columns:
``_vold``, and ``_adjust`` where ends may be infinite; a file of inserts needs neither. A stable is ``{"$stable": 11}``,
in formats with columns in ``_punct``; XML writes it as the pattern of ``_vs``, ``(,11)``.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import polars as pl
import pyarrow as pa
from pyarrow import parquet

from punctum.algebra.cuts import LOWEST
from punctum.algebra.json import STABLE, to_json
from punctum.algebra.punctuation import Punctuation, end_of_stream
from punctum.algebra.schema import Schema
from punctum.engine.formats.csv import Dialect
from punctum.engine.formats.lines import Lines
from punctum.engine.formats.parquet import from_columns
from punctum.engine.formats.read import LONGEST, REJECTED, Place, Read, clean
from punctum.ir.elements import ADJUST, FROM, VE, VOLD, VS, written
from punctum.operators.batch import constant_punctuations
from punctum.operators.columns import ColumnarSlice, dtype, empty

Decoder = Callable[[bytes, Schema, Mapping[str, str]], Read]
"""Reads the bytes of a file of a stream that has this schema and these options."""

_OLD = rf'(?:^|[^\\])"{VOLD}"[ \t\r\n]*:'
_OPTIONAL = (VOLD, ADJUST)
_MOST = 10_000  # rows that are no elements are told of, and further ones counted
_NO_STABLE = f'a temporal stream has stables: {{"{STABLE}": …}}'


def read_elements(format_: str, decode: Decoder, data: bytes, schema: Schema, options: Mapping[str, str]) -> Read:
    """The elements of a file in some format."""
    if format_ == "json":
        return _from_lines(decode, Lines.of(data), schema, options)
    return _elements(decode(data, _in_file(format_, data, schema, options), options), schema)


def elements_of_columns(given: pl.DataFrame, schema: Schema) -> Read:
    """The elements of a piece of a DataFrame."""
    return _elements(from_columns(given, _having(schema, given.columns)), schema)


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

    assert read.at is not None
    return Read(read.piece, rejected, place, lines[read.at - 1], read.more)


def together(parts: Sequence[Read]) -> Read:
    """What was read in some parts, in the order of the file."""
    rows = pl.concat([part.piece.rows for part in parts])
    puncts = tuple(p for part in parts for p in part.piece.puncts)
    rejected = pl.concat([part.rejected for part in parts]).sort("position", maintain_order=True)
    at = np.concatenate([part.at for part in parts if part.at is not None])
    begin = np.cumsum([0, *(part.piece.rows.height for part in parts)])
    order = np.argsort(at, kind="stable")

    def place(row: int) -> Place:
        was = int(order[row])
        of = int(np.searchsorted(begin, was, "right")) - 1
        return parts[of].place(was - int(begin[of]))

    return Read(ColumnarSlice(rows[order], puncts), rejected, place, at[order], sum(part.more for part in parts))


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
    puncts, wrong = _stables(read.piece, schema)
    rejects += [(0, _NO_STABLE, clean(text, LONGEST)) for text in wrong]
    rejected = pl.concat([read.rejected, pl.DataFrame(rejects, schema=REJECTED, orient="row")])
    kept, at = reasons.is_null().arg_true().to_numpy().astype(np.int64), read.at
    if at is not None and not (np.diff(at[kept]) > 0).all():
        kept = kept[np.argsort(at[kept], kind="stable")]
    same = len(kept) == rows.height and bool((np.diff(kept) == 1).all())
    return Read(
        ColumnarSlice(rows if same else rows[kept], puncts),
        rejected.sort("position", maintain_order=True),
        lambda row: read.place(int(kept[row])),
        None if at is None else at[kept],
        read.more + len(bad[_MOST:]),
    )


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


def _stables(piece: ColumnarSlice, schema: Schema) -> tuple[tuple[Punctuation, ...], list[str]]:
    """The stables of a file, and the texts of punctuations that are none."""
    good, wrong = list[Punctuation](), list[str]()
    given = Schema(tuple(a for a in schema.attributes if a.name in piece.rows.columns))
    constants = (
        p for name, values in piece.constants.items() for p in constant_punctuations(given, given.index(name), values)
    )
    for p in (*piece.puncts, *constants):
        sides = [(p.schema.names[i], side.spans) for i, side in p.sides]
        if not sides:
            good.append(end_of_stream(schema))
        elif sides[0][0] == VS and len(sides) == len(sides[0][1]) == 1 and sides[0][1][0][0] is LOWEST:
            good.append(Punctuation.of(schema, {FROM: p.sides[0][1]}))
        else:
            wrong.append(to_json(p, p.schema))
    return tuple(good), wrong
