"""Values from text: a column of texts in, a column of an attribute's type out.

The fast road reads the forms in ``PLAIN``, which programs write: whole numbers of 18 digits and most of 19, days,
times with a zone or without. ``value`` is the exact road.
"""

from collections.abc import Callable
from datetime import UTC, date, datetime

import polars as pl

from punctum.algebra.schema import Attribute
from punctum.algebra.values import Type, Value, value_from_text
from punctum.errors import CodecError, PatternError
from punctum.operators.columns import dtype

_DAY = "[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
_CLOCK = r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,6})?"
_ZONE = "(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])?"
_SPAN = r"INTERVAL '-?[0-9]{1,7} [0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,6})?' DAY TO SECOND"
WHOLE = "-?(?:0|[1-9][0-9]{0,17}|[1-8][0-9]{18})"
"""Whole numbers that are BIGINTs without a doubt."""
NUMBER = r"-?(?:0|[1-9][0-9]{0,18})(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,2})?"
_PLAIN: dict[Type, str] = {
    Type.BIGINT: WHOLE,
    Type.DOUBLE: NUMBER,
    Type.BOOLEAN: "true|false",
    Type.DATE: _DAY,
    Type.TIMESTAMP: f"{_DAY}[T ]{_CLOCK}{_ZONE}",
    Type.TIMESTAMP_NTZ: f"{_DAY}[T ]{_CLOCK}",
    Type.INTERVAL: _SPAN,
}


def plain(attribute: Attribute) -> str:
    r"""What the fast road takes for an attribute that is not a STRING, as a regular expression.

    >>> print(plain(Attribute("price", Type.DECIMAL, digits=(5, 2))))
    -?(?:0|[1-9][0-9]{0,2})(?:\.[0-9]{1,2})?
    """
    if attribute.type is not Type.DECIMAL:
        return _PLAIN[attribute.type]
    precision, scale = attribute.digits
    before = f"(?:0|[1-9][0-9]{{0,{precision - scale - 1}}})" if precision > scale else "0"
    return f"-?{before}" + (rf"(?:\.[0-9]{{1,{scale}}})?" if scale else "")


def typed(texts: pl.Series, attribute: Attribute) -> pl.Series:
    """The values of texts, NULL for every text that is left to the exact road."""
    if attribute.type is Type.STRING:
        return texts
    sure = texts.str.contains(f"^(?:{plain(attribute)})$")
    return converted(pl.select(pl.when(sure).then(texts)).to_series(), attribute)


def converted(texts: pl.Series, attribute: Attribute) -> pl.Series:
    """The values of texts that are written plainly; a day that no month has becomes NULL."""
    convert = _CONVERT.get(attribute.type)
    return texts.cast(dtype(attribute)) if convert is None else convert(texts)


def _days(texts: pl.Series) -> pl.Series:
    dates = texts.str.to_date("%Y-%m-%d", strict=False)
    return pl.select(pl.when(dates >= date.min).then(dates)).to_series()  # there is no year 0


def _local_times(texts: pl.Series) -> pl.Series:
    """Times without a zone."""
    seconds = texts.str.head(19).str.replace(" ", "T", literal=True)
    times = seconds.str.to_datetime("%Y-%m-%dT%H:%M:%S", time_unit="us", strict=False)
    more = texts.str.slice(20).str.pad_end(6, "0").cast(pl.Int64)
    times = (times.to_physical() + more).cast(pl.Datetime("us"))
    return pl.select(pl.when(times >= datetime.min).then(times)).to_series()


def _instants(texts: pl.Series) -> pl.Series:
    """Times with a zone; without one they are UTC."""
    local = texts.str.strip_suffix("Z")
    ahead = pl.Series([0], dtype=pl.Int64).new_from_index(0, len(texts))
    if (offset := local.str.slice(-6).str.contains("^[+-]")).any():
        zone = pl.select(pl.when(offset).then(local.str.slice(-6)).otherwise(pl.lit("+00:00"))).to_series()
        minutes = zone.str.slice(1, 2).cast(pl.Int64) * 60 + zone.str.slice(4, 2).cast(pl.Int64)
        ahead = pl.select(pl.when(zone.str.starts_with("-")).then(-minutes).otherwise(minutes)).to_series()
        local = pl.select(pl.when(offset).then(local.str.head(-6)).otherwise(local)).to_series()
    times = (_local_times(local).to_physical() - ahead * 60_000_000).cast(pl.Datetime("us", "UTC"))
    low, high = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
    return pl.select(pl.when(times.is_between(pl.lit(low), pl.lit(high))).then(times)).to_series()


def _intervals(texts: pl.Series) -> pl.Series:
    """Intervals of fewer than ten million days."""
    sign, *fields, fraction = (texts.str.extract(_PARTS, n) for n in range(1, 7))
    days, hours, minutes, seconds = (field.cast(pl.Int64) for field in fields)
    micros = (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1_000_000
    micros += fraction.fill_null("").str.pad_end(6, "0").cast(pl.Int64)
    return pl.select(pl.when(sign == "-").then(-micros).otherwise(micros)).to_series().cast(pl.Duration("us"))


_PARTS = r"'(-?)([0-9]+) ([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?'"
_CONVERT: dict[Type, Callable[[pl.Series], pl.Series]] = {
    Type.BOOLEAN: lambda texts: texts == "true",
    Type.DATE: _days,
    Type.TIMESTAMP: _instants,
    Type.TIMESTAMP_NTZ: _local_times,
    Type.INTERVAL: _intervals,
}


def value(text: str, attribute: Attribute) -> Value:
    """The value that a text means for an attribute; a STRING is the text itself."""
    kind = attribute.type
    try:
        return text if kind is Type.STRING else kind.accept(value_from_text(text, kind))
    except PatternError as error:
        detail = f"expected {kind.value}, found {text!r}"
        raise CodecError(f"the column {attribute.name} has a wrong value", detail, error.hint) from None
