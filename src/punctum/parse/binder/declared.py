"""Types as SQL writes them: a type of the parser's in, a type of the algebra's out."""

from sqlglot import exp
from sqlglot.errors import SqlglotError

from punctum.algebra.schema import Attribute
from punctum.algebra.values import Type
from punctum.errors import Place, SqlError
from punctum.ir.expressions import Expression
from punctum.ir.functions.define import constant
from punctum.ir.functions.from_json import from_json

_NAMES = exp.DataType.Type
_TYPES = {
    **dict.fromkeys((_NAMES.TINYINT, _NAMES.SMALLINT, _NAMES.INT, _NAMES.BIGINT), Type.BIGINT),
    **dict.fromkeys((_NAMES.FLOAT, _NAMES.DOUBLE), Type.DOUBLE),
    _NAMES.DECIMAL: Type.DECIMAL,
    **dict.fromkeys((_NAMES.TEXT, _NAMES.VARCHAR, _NAMES.CHAR), Type.STRING),
    _NAMES.BOOLEAN: Type.BOOLEAN,
    _NAMES.DATE: Type.DATE,
    **dict.fromkeys((_NAMES.TIMESTAMP, _NAMES.TIMESTAMPTZ, _NAMES.TIMESTAMPLTZ), Type.TIMESTAMP),
    _NAMES.TIMESTAMPNTZ: Type.TIMESTAMP_NTZ,
}
SUPPORTED = (
    "supported: TINYINT, SMALLINT, INT, BIGINT, FLOAT, DOUBLE, DECIMAL(p,s), STRING, VARCHAR(n), CHAR(n), "
    "BOOLEAN, DATE, TIMESTAMP, TIMESTAMP_NTZ, INTERVAL DAY TO SECOND, ARRAY<…>, STRUCT<name: …>"
)
_SPAN = "INTERVAL DAY TO SECOND"


def declared(to: exp.DataType, place: Place, name: str = "") -> Attribute:
    """The attribute of a type in SQL."""
    match to.this, to.expressions:
        case _NAMES.ARRAY, [exp.DataType() as element]:
            return Attribute(name, Type.ARRAY, parts=(declared(element, place, "element"),))
        case _NAMES.STRUCT, [exp.ColumnDef(), *_] as fields:
            parts = tuple(declared(field.args["kind"], place, field.name) for field in fields)
            if len({part.name.lower() for part in parts}) < len(parts):
                raise SqlError("a STRUCT has two fields of one name", "names are case-insensitive", "rename one", place)
            return Attribute(name, Type.STRUCT, parts=parts)
    type_, digits = _scalar(to, place)
    return Attribute(name, type_, digits=digits)


def _scalar(to: exp.DataType, place: Place) -> tuple[Type, tuple[int, int]]:
    if isinstance(to.this, exp.Interval) and to.sql("spark").upper() == _SPAN:
        return Type.INTERVAL, (38, 18)
    if to.this not in _TYPES:
        raise SqlError(f"the type {to.sql('spark')} is not supported", "", SUPPORTED, place)
    if to.this is not _NAMES.DECIMAL:
        return _TYPES[to.this], (38, 18)
    written = [str(param.name) for param in to.expressions]
    sizes = [int(size) if size.isdecimal() and len(size) < 9 else -1 for size in written]
    precision, scale = (*sizes, *(10, 0)[len(sizes) :])[:2] if len(sizes) < 3 else (0, 0)
    if not 1 <= precision <= 38 or not 0 <= scale <= precision:
        detail = f"DECIMAL({', '.join(written)})"
        raise SqlError("a DECIMAL has 1 to 38 digits, some of them after the point", detail, "DECIMAL(10, 2)", place)
    return Type.DECIMAL, (precision, scale)


def parsed(args: tuple[Expression, ...], place: Place) -> Expression:
    """FROM_JSON of a text and a schema, which is a type, or the columns of a STRUCT."""
    text, written = args[0], str(constant(args[1]))
    for tried in (written, f"STRUCT<{written}>"):
        try:
            to = exp.DataType.build(tried, dialect="spark")
        except (SqlglotError, ValueError, AttributeError, TypeError):
            continue
        if tried is not written and to.this is _NAMES.STRUCT and not to.expressions:
            break  # sqlglot has not read its fields
        if to.this in (_NAMES.ARRAY, _NAMES.STRUCT):
            return from_json(text, declared(to, place), place)
    raise SqlError(f"{written!r} is no schema", "", "such as 'a BIGINT, b ARRAY<STRING>'", args[1].place)
