"""A stream as CREATE STREAM writes it: columns, clauses and options in, SQL out that the parser reads back."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.values import Type
from punctum.ir.expressions import type_text

_WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
_RESERVED = frozenset(
    " ".join(
        (
            "ALL AND ANTI ANY AS ASC BETWEEN BY CASE CAST CREATE CROSS CURRENT DATE DESC DISTINCT DIV DOMAIN ELSE END",
            "EXCEPT EXISTS EXTRACT FALSE FILTER FOR FROM FULL FUNCTION GROUP HAVING IN INNER INSERT INTERSECT INTERVAL",
            "INTO IS JOIN LATERAL LEFT LIKE LIMIT MINUS NATURAL NOT NULL ON OR ORDER OUTER OVER PARTITION PARTITIONED",
            "PUNCTUATE PUNCTUATED QUALIFY RANGE RIGHT ROW ROWS SELECT SEMI SESSION SET SINK STREAM TABLE THEN",
            "TIMESTAMP TO TRUE UNION UNIQUE USING VALUES WHEN WHERE WINDOW WITH",
        )
    ).split()
)


@dataclass(frozen=True)
class Commented:
    """A clause, or nothing, and what is said of it in the lines before."""

    clause: str
    comments: tuple[str, ...] = ()


def named(name: str) -> str:
    """A name, in backquotes where it needs them.

    >>> named("itemid"), named("order"), named("a b"), named("a`b")
    ('itemid', '`order`', '`a b`', '`a``b`')
    """
    plain = _WORD.fullmatch(name) and name.upper() not in _RESERVED
    return name if plain else "`" + name.replace("`", "``") + "`"


def string(text: str) -> str:
    r"""A text in quotes.

    >>> print(string("it's a\\b"))
    'it\'s a\\b'
    """
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def typed(attribute: Attribute) -> str:
    """The type of a column."""
    match attribute.type:
        case Type.ARRAY:
            return f"ARRAY<{typed(attribute.parts[0])}>"
        case Type.STRUCT:
            return f"STRUCT<{', '.join(f'{named(part.name)}: {typed(part)}' for part in attribute.parts)}>"
    return type_text(attribute)


def create_stream(
    name: str, schema: Schema, clauses: Sequence[Commented], format_: str, options: Mapping[str, str]
) -> str:
    """The statement; comments stand before their clauses, and those without a clause at the end."""
    items = [f"{named(a.name)} {typed(a)}" for a in schema.attributes]
    real = [clause for clause in clauses if clause.clause]
    lines = [f"CREATE STREAM {named(name)} ("]
    lines += [f"  {item}," for item in items[:-1]] + [f"  {items[-1]}" + "," * bool(real)]
    for at, clause in enumerate(real):
        lines += [f"  -- {line}" for line in clause.comments]
        lines.append(f"  {clause.clause}" + "," * (at + 1 < len(real)))
    for clause in clauses:
        lines += [f"  -- {line}" for line in clause.comments if not clause.clause]
    shown = ", ".join(f"{key} {string(value)}" for key, value in options.items())
    return "\n".join([*lines, f") USING {format_} OPTIONS ({shown});"])
