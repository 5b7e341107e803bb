"""Values that are hard to carry, of every type: extremes, neighbours, and what looks like something else."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

from punctum.algebra.values import NAN, Type, Value

_SECOND = timedelta(seconds=1)
_INSTANT = timedelta(microseconds=1)
SPRING = datetime(2026, 3, 29, 1, tzinfo=UTC)
"""When Berlin goes from 02:00 to 03:00."""
AUTUMN = datetime(2026, 10, 25, 1, tzinfo=UTC)
"""When Berlin goes from 03:00 back to 02:00."""

HARD: dict[Type, list[Value]] = {
    Type.BIGINT: [-(2**63), 1 - 2**63, -65, -64, -1, 0, 1, 63, 64, 2**53, 2**53 + 1, 2**63 - 2, 2**63 - 1],
    Type.DOUBLE: [
        float("-inf"),
        -1e308,
        -0.1,
        -5e-324,
        0.0,
        5e-324,
        0.1,
        0.30000000000000004,
        2.0**53,
        float("inf"),
        NAN,
    ],
    Type.DECIMAL: [Decimal(n) for n in ("-99999999.99", "-0.01", "0.00", "0.01", "1.50", "2.00", "99999999.99")],
    Type.STRING: [
        "",
        " ",
        "a",
        "A",
        "é",
        "e\u0301",
        "ß",
        "İ",
        "\0",
        "a\0b",
        "\t",
        "\n",
        "\r\n",
        "\x0b\x0c\x1c\x1e",
        "\x1f\x7f\x80",
        "\u0085",
        "\u2028\u2029",
        "\u200d\u202e",
        "\ufeff",
        "\ufffd\uffff",
        "\ud7ff\ue000",
        "😀",
        "\U0010ffff",
        "\"'`",
        "\\",
        "\\u0041\\n",
        "$punct",
        '{"$punct": {}}',
        "null",
        "NULL",
        "*",
        "%_",
        "17",
    ],
    Type.BOOLEAN: [False, True],
    Type.DATE: [date.min, date(1582, 10, 4), date(1582, 10, 15), date(1969, 12, 31), date(1970, 1, 1), date.max],
    Type.TIMESTAMP: [
        datetime.min.replace(tzinfo=UTC),
        datetime(1582, 10, 15, tzinfo=UTC),
        datetime(1890, 1, 1, 0, 0, 1, tzinfo=UTC),
        datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
        datetime(1970, 1, 1, tzinfo=UTC),
        SPRING - _INSTANT,
        SPRING,
        SPRING + _INSTANT,
        AUTUMN - 1800 * _SECOND,
        AUTUMN,
        AUTUMN + 1800 * _SECOND,
        datetime.max.replace(tzinfo=UTC),
    ],
    Type.TIMESTAMP_NTZ: [
        datetime.min,
        datetime(1969, 12, 31, 23, 59, 59, 999_999),
        datetime(2026, 3, 29, 2, 30),
        datetime(2026, 10, 25, 2, 30),
        datetime(2026, 10, 25, 2, 30, 0, 1),
        datetime.max,
    ],
    Type.INTERVAL: [n * _INSTANT for n in (-(2**63), -90_061_500_000, -1, 0, 1, 3_600_000_000, 2**63 - 1)],
}
"""Of TIMESTAMP_NTZ, 02:30 on those two days is a time that Berlin does not have, and one that it has twice."""
