"""Golden files: SQL, then a comment with what must come of it. PUNCTUM_REWRITE=1 rewrites the comments."""

import os
from pathlib import Path

from punctum.algebra import Attribute, Schema, Scheme, Type, between
from punctum.errors import PunctumError
from punctum.ir import Relation, Script, StreamDef, show, type_text
from punctum.ir.definitions import AccessOrder, AllReported, Clause, EndEvent, TableColumn, Violation
from punctum.ir.expressions import text
from punctum.parse import parse_query, parse_script

HERE = Path(__file__).parent
REWRITE = os.environ.get("PUNCTUM_REWRITE") == "1"

ITEM = Schema.of(sellerid="BIGINT", itemid="BIGINT", name="STRING", price="DOUBLE", ts="TIMESTAMP")
BID = Schema.of(bidderid="BIGINT", itemid="BIGINT", increase="DOUBLE", fee="DECIMAL", day="DATE")
REPORT = Schema.of(sid="STRING", hour="BIGINT", temp="DOUBLE", ok="BOOLEAN", at="TIMESTAMP_NTZ")
_POINT = Attribute("element", Type.STRUCT, parts=(Attribute("x", Type.DOUBLE),))
WIDE = Schema(
    (
        Attribute("tags", Type.ARRAY, parts=(Attribute("element", Type.STRING),)),
        Attribute(
            "home",
            Type.STRUCT,
            parts=(Attribute("city", Type.STRING), Attribute("parts", Type.ARRAY, parts=(_POINT,))),
        ),
    )
)
CATALOG = {
    "wide": StreamDef("wide", WIDE),
    "ordered": StreamDef("ordered", ITEM, (Scheme.of(ITEM, "ts ASC"),)),
    "item": StreamDef("item", ITEM, (Scheme.of(ITEM, "itemid"),)),
    "bid": StreamDef("bid", BID, (Scheme.of(BID, "itemid"),)),
    "report": StreamDef("report", REPORT.where(hour=between(0, 23))),
}
"""The streams that golden files may use without defining them."""


def split(path: Path, marker: str) -> tuple[str, str]:
    """The SQL of a file, and what is expected."""
    sql, _, comment = path.read_text().partition(f"\n-- {marker}\n")
    lines = [line.removeprefix("-- ").removeprefix("--") for line in comment.splitlines()]
    return sql, "\n".join(lines)


def check(path: Path, marker: str, result: str) -> None:
    """Compare a result with what is expected, or write it down."""
    sql, expected = split(path, marker)
    if REWRITE:
        comment = "\n".join(f"-- {line}".rstrip() for line in result.splitlines())
        path.write_text(f"{sql}\n-- {marker}\n{comment}\n")
    else:
        assert "\n".join(line.rstrip() for line in result.splitlines()) == expected


def parsed(sql: str) -> Relation | Script:
    """A bare query, or a script."""
    code = [line for line in sql.splitlines() if line.strip() and not line.lstrip().startswith("--")]
    query = bool(code) and code[0].upper().lstrip("( ").startswith(("SELECT", "WITH", "VALUES"))
    return parse_query(sql, CATALOG) if query else parse_script(sql, CATALOG)


def refusal(sql: str) -> str:
    """The error that a text causes."""
    try:
        parsed(sql)
    except PunctumError as error:
        return str(error)
    return "it is accepted"


def dump(meaning: Relation | Script) -> str:
    """What a query or a script means, as text."""
    if isinstance(meaning, Relation):
        return f"{columns(meaning.schema)}\n{show(meaning)}"
    lines = [f"table {t.name}: {columns(t.schema)}\n  {t.format} {t.options}" for t in meaning.tables.values()]
    for stream in meaning.streams.values():
        lines += [f"stream {stream.name}: {columns(stream.schema)}"]
        lines += [f"  {scheme}" for scheme in stream.schemes] + [f"  unique {', '.join(u)}" for u in stream.unique]
        lines += [f"  {clause(punctuate)}" for punctuate in stream.punctuates]
        lines += [f"  partitioned {', '.join(stream.partitioned)}"] * bool(stream.partitioned)
        lines += [f"  {limits.scheme} expect {limits.expect} lifespan {limits.lifespan}" for limits in stream.limits]
        lines += [f"  {stream.temporal}"] * (stream.temporal is not None)
        lines += ["  fails on a violation"] * (stream.on_violation is Violation.FAIL)
        lines += [show(stream.relation)] if stream.relation else [f"  {stream.format} {stream.options}"]
    lines += [f"sink {sink.name}: {sink.format} {sink.options}" for sink in meaning.sinks.values()]
    for query in meaning.queries:
        lines += [f"query {query.name}{' allowed to be unbounded' * query.allow_unbounded}", dump(query.relation)]
    return "\n".join(lines)


def clause(made: Clause) -> str:
    """How a stream makes punctuations of its rows."""
    match made:
        case EndEvent():
            return f"punctuate {made.scheme} when {text(made.when)}"
        case AccessOrder():
            return f"punctuate {made.scheme}{_more(made)}"
        case AllReported(members=TableColumn(table, at)):
            return (
                f"punctuate {made.scheme} when all {made.member} in {table.name}.{table.schema.names[at]}{_more(made)}"
            )
        case AllReported():
            return f"punctuate {made.scheme} when all {made.member} in {made.members}{_more(made)}"


def _more(made: AccessOrder | AllReported) -> str:
    delay = "" if made.delay is None else f" delay {made.delay!r}"
    return delay + ("" if made.unit is None else f" by {text(made.unit)}")


def columns(schema: Schema) -> str:
    """Each column's name, type and domain."""
    return ", ".join(f"{a.name} {type_text(a)}" + f" {a.domain}" * (str(a.domain) != "*") for a in schema.attributes)
