"""Punctuations as data for JSON, and back: what operators put into their notes."""

from collections.abc import Iterable
from typing import Any

import polars as pl

from punctum.algebra.cuts import HIGHEST, LOWEST
from punctum.algebra.json import from_json, to_json
from punctum.algebra.pattern import Span, span_pattern
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import Schema
from punctum.algebra.values import Type
from punctum.operators.batch import PunctuationBatch, batch, constant_punctuations
from punctum.operators.columns import dtype

Written = dict[str, Any]
"""Punctuations as data for JSON: whole numbers in bulk, all others as their JSON."""


def written(puncts: Iterable[Punctuation], schema: Schema) -> Written:
    """Punctuations as data for JSON."""
    if isinstance(puncts, PunctuationSet):
        lines, boxes = puncts.lines()
        if not boxes and all(schema.attributes[at].type is Type.BIGINT and not line.null for at, line in lines.items()):
            return {"spans": {str(at): [_ends(span) for span in line] for at, line in lines.items()}, "others": []}
    if isinstance(puncts, PunctuationBatch):
        plain = {at: v for at, v in puncts.constants.items() if v.dtype in (pl.Int64, pl.String)}
        rest = PunctuationBatch(schema, {at: v for at, v in puncts.constants.items() if at not in plain}, puncts.others)
        constants = {str(at): values.to_list() for at, values in plain.items()}
        return {"constants": constants, "others": [to_json(p, schema) for p in rest]}
    return {"others": [to_json(p, schema) for p in puncts]}


def read(metadata: Written, schema: Schema) -> list[Punctuation]:
    """The punctuations that were written."""
    puncts = [p for p in (from_json(text, schema) for text in metadata["others"]) if isinstance(p, Punctuation)]
    for at, spans in metadata.get("spans", {}).items():
        name = schema.names[int(at)]
        puncts += [Punctuation.of(schema, {name: span_pattern(_span(*ends), Type.BIGINT)}) for ends in spans]
    for at, values in metadata.get("constants", {}).items():
        puncts += constant_punctuations(schema, int(at), pl.Series(values, dtype=dtype(schema.attributes[int(at)])))
    return puncts


def read_batch(metadata: Written, schema: Schema) -> PunctuationBatch:
    """The batch that was written; its constants stay columns."""
    puncts = batch(schema, read({"others": metadata["others"]}, schema))
    for at, values in metadata["constants"].items():
        puncts += PunctuationBatch(schema, {int(at): pl.Series(values, dtype=dtype(schema.attributes[int(at)]))})
    return puncts


def _ends(span: Span) -> tuple[int | None, int | None]:
    low, high = span
    return (None if low is LOWEST else low, None if high is HIGHEST else high)


def _span(low: int | None, high: int | None) -> Span:
    return (LOWEST if low is None else low, HIGHEST if high is None else high)
