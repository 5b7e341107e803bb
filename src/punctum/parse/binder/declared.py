"""Types as SQL writes them: a type of the parser's in, a type of the algebra's out."""

from sqlglot import exp

from punctum.algebra.values import Type
from punctum.errors import Place, SqlError

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
    "BOOLEAN, DATE, TIMESTAMP, TIMESTAMP_NTZ, INTERVAL DAY TO SECOND"
)
_SPAN = "INTERVAL DAY TO SECOND"


def declared(to: exp.DataType, place: Place) -> tuple[Type, tuple[int, int]]:
    """The type, and the digits of a DECIMAL, that a type in SQL means."""
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
