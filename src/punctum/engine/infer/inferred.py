"""A stream from files alone: a pattern in, columns, options and the punctuations that were seen out."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from punctum.algebra.functions import Element
from punctum.algebra.json import from_json
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.algebra.scheme import Order
from punctum.engine.infer.columns import Columns, of_csv, of_json
from punctum.engine.infer.ddl import Commented, create_stream, named
from punctum.engine.infer.named import NamedFiles, named_files
from punctum.engine.infer.parquet import of_parquet
from punctum.engine.infer.sample import Sample, sampled
from punctum.errors import PunctumError, SchemaError
from punctum.ir.definitions import StreamDef
from punctum.parse.script import parse_script

Terms = tuple[tuple[str, Order], ...]
"""The columns of a scheme, each with its order."""


@dataclass(frozen=True)
class InferredStream:
    """Files, their columns, and the sample that these are from."""

    files: NamedFiles
    columns: Columns
    sample: Sample

    @property
    def schema(self) -> Schema:
        """The columns."""
        return self.columns.schema

    @property
    def options(self) -> dict[str, str]:
        """The options with which the files are read, but the path."""
        lacks = any(self.sample.missing.get(name) for name in self.schema.names)
        missing = {"missing": "null"} if lacks else {}
        default = {"header": "false", "sep": ","}
        return missing | {key: value for key, value in self.sample.options.items() if default[key] != value}

    @cached_property
    def schemes(self) -> dict[Terms, int]:
        """What the punctuations of the sample are on, and how many are."""
        return schemes_of(self._punctuations(), {name for name in self.schema.names if self.sample.has_null(name)})

    def _punctuations(self) -> Iterable[Punctuation]:
        for text in self.sample.puncts:
            try:
                element: Element = from_json(text, self.schema)
            except PunctumError:
                continue  # the query that reads it says why
            if isinstance(element, Punctuation):
                yield element

    def create(self, name: str, path: str, clauses: Iterable[Commented] = ()) -> str:
        """The CREATE STREAM of the files."""
        return create_stream(name, self.schema, list(clauses), self.files.format, {"path": path, **self.options})

    def stream(self) -> StreamDef:
        """The stream that a query reads by the pattern, with the promises of the punctuations that were seen."""
        clauses = [Commented(f"PUNCTUATED {scheme_text(terms)}") for terms in self.schemes]
        made = parse_script(self.create("files", ".", clauses)).streams["files"]
        return replace(made, name=self.files.pattern, options={**made.options, "path": str(self.files.base.resolve())})


def scheme_text(terms: Terms) -> str:
    """A scheme as clauses write it."""
    return "ON (" + ", ".join(f"{named(name)} {order.value}".strip() for name, order in terms) + ")"


def schemes_of(punctuations: Iterable[Punctuation], nulls: Iterable[str] = ()) -> dict[Terms, int]:
    """The schemes whose punctuations these are, and how many each has; the end of a stream is of none.

    A column in which all of them are prefixes is in rising order, one of suffixes in falling. No order holds NULL.
    """
    by: dict[tuple[str, ...], list[Punctuation]] = {}
    for punctuation in punctuations:
        names = tuple(punctuation.schema.names[i] for i, _ in punctuation.sides)
        if names and not punctuation.empty:
            by.setdefault(names, []).append(punctuation)
    return {
        tuple((name, _order(name, some, name in set(nulls))) for name in names): len(some) for names, some in by.items()
    }


def _order(name: str, punctuations: list[Punctuation], null: bool) -> Order:
    at = punctuations[0].schema.index(name)
    orders = (Order.ASC, Order.DESC) if not null else ()
    return next((o for o in orders if all(o.admits(p.patterns[at]) for p in punctuations)), Order.EQUALITY)


def inferred(pattern: str, base: Path) -> InferredStream:
    """The stream of the files that a pattern names; an error when they have no columns."""
    files = named_files(pattern, base)
    if files.format == "parquet":
        columns, sample = of_parquet(base, files.splits)
    else:
        sample = sampled("csv" if files.format == "csv" else "json", base, files.splits)
        columns = of_csv(sample) if files.format == "csv" else of_json(sample)
    if not columns.schema.attributes:
        raise _no_columns(pattern, sample, columns)
    return InferredStream(files, columns, sample)


def _no_columns(pattern: str, sample: Sample, columns: Columns) -> SchemaError:
    what = f"the files of '{pattern}' have no columns"
    if columns.left_out:
        return SchemaError(what, "; ".join(columns.left_out.values()), "write CREATE STREAM for them")
    if sample.broken:
        many = "1 line is no row" if len(sample.broken) == 1 else f"{len(sample.broken):,} lines are no rows"
        detail = f"{many}: {sample.broken[0]}"
        return SchemaError(what, detail, "a file of JSON has one object a line: jq -c . old.json > new.json")
    return SchemaError(what, f"no row was found in {sample.described}", "columns are inferred from rows")
