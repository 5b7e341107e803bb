"""Calls of every function of the table, and rows of values that are hard for them."""

import math
from datetime import UTC, date, datetime
from decimal import Decimal
from itertools import cycle, islice, product
from typing import Any

from punctum.algebra import NAN, Attribute, Schema, Type
from punctum.ir import Expression, Projection, StreamDef
from punctum.ir.functions import CHAPTERS, Scalar
from punctum.parse import parse_query

JSON = '{"a": {"b": [1.50, null, "x", {"é": true}]}, "c": "ü\\n", "d": -1e3, "a b": []}'
JSONS = [
    '{"s":"x","n":1,"d":1.5,"b":true,"l":[1,null],"o":{"n":3}}',
    '{"s":1e2,"n":1.0,"d":1,"b":"true","l":[1,null,"x",2.5],"o":{"n":"x"}}',
    '{"s":{"b": "x", "a": [1.50, null]},"n":"1","d":"NaN","b":1,"l":[],"o":{}}',
    '{"s":[true],"n":1e2,"d":"-INF","b":null,"l":[{"n":1},{"n":"y"}],"o":[]}',
    '{"s":true,"n":9223372036854775808,"d":1e400,"l":[1.0],"o":[{"n":1}]}',
    '{"s":-0.0,"n":-9223372036854775808,"d":12345678901234567890,"l":1,"o":""}',
    '{"s":"\\u00e9\\n","n":{"a":1},"d":NaN,"b":false,"l":[{"m":1},null]}',
    *("", "  ", "x", "null", "[]", '[{"n":1},{"n":2}]', '[{"n":"x"}]', "[1]", "1", '"s"', "{}", '{"N":1}', "[[1]]"),
    *(
        '{"n":1,"n":2}',
        '{"n":1} x',
        '{"n":1',
        '{"n":1,}',
        "{n:1}",
        '{"n":01}',
        '{"s":"a\tb"}',
        ' {"n":-0} ',
        '{"d":"1.5"}',
    ),
]
VALUES: dict[str, list[Any]] = {
    "s": [
        "",
        "a",
        "Ab c",
        " xX ",
        "äÖß😀é",
        "aXbXcX",
        "a,b,,c",
        "A\nb\r",
        "2024-02-29",
        "  spaced  out ",
        JSON,
        "[1,2]",
    ],
    "u": ["", "a", "X", ",", "😀", "b"],
    "f": ["2024-02-29 12:30:45", "1969-12-31 23:59:59", "2023-02-29 00:00:00", "2026-1-2 3:4:5", "", "x", "29/02/2024"],
    "n": [0, 1, -1, 7, -7, 20, 63, 64, 2**31, 2**53 + 1, 2**63 - 1, -(2**63)],
    "m": [0, 1, -1, 3, 64, 2**63 - 1, -(2**63)],
    "k": [-9, -1, 0, 1, 2, 3, 5],
    "x": [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 2.5, 3.7, 100.25, 1e300, -1e300, 1e-300, math.inf, -math.inf, NAN],
    "y": [0.0, 1.0, -1.0, 2.0, 0.5, -3.0, math.inf, -math.inf, NAN],
    "c": [Decimal("0.00"), Decimal("-1.25"), Decimal("2.50"), Decimal("99999999.99")],
    "b": [True, False],
    "d": [
        date(1970, 1, 1),
        date(1969, 12, 31),
        date(2024, 2, 29),
        date(2023, 2, 28),
        date(1, 1, 1),
        date(9999, 12, 31),
    ],
    "e": [date(2024, 1, 31), date(1900, 2, 28), date(2026, 11, 18)],
    "t": [
        datetime(1970, 1, 1, tzinfo=UTC),
        datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
        datetime(2024, 2, 29, 13, 5, 9, 120000, tzinfo=UTC),
        datetime(2026, 10, 25, 0, 30, tzinfo=UTC),
        datetime(1900, 1, 31, 1, 2, 3, tzinfo=UTC),
        datetime(9999, 12, 30, 1, tzinfo=UTC),
    ],
    "z": [
        datetime(2024, 3, 31, 2, 30),
        datetime(1969, 7, 20, 20, 17, 40, 5),
        datetime(2000, 12, 31, 23, 59, 59, 999999),
    ],
    "j": JSONS,
    "l": [[], ["a"], ["", "a", None], [None], ["😀", "X", ",", "b"]],
    "q": [True],
    "o": [
        {},
        {"n": -1, "l": []},
        {"n": 2**63 - 1, "l": [0.0, None, NAN]},
        {"l": [1.5, math.inf, -2.5], "p": [{"d": date(2024, 2, 29), "s": "é"}, None, {}]},
    ],
}
_TEXT = Attribute("element", Type.STRING)
_POINT = Attribute("element", Type.STRUCT, parts=(Attribute("d", Type.DATE), Attribute("s", Type.STRING)))
PARTS = {
    "l": (_TEXT,),
    "o": (
        Attribute("n", Type.BIGINT),
        Attribute("l", Type.ARRAY, parts=(Attribute("element", Type.DOUBLE),)),
        Attribute("p", Type.ARRAY, parts=(_POINT,)),
    ),
}
TYPES = {
    **dict.fromkeys("sufj", Type.STRING),
    **dict.fromkeys("nmk", Type.BIGINT),
    **dict.fromkeys("xy", Type.DOUBLE),
    "c": Type.DECIMAL,
    **dict.fromkeys("bq", Type.BOOLEAN),
    **dict.fromkeys("de", Type.DATE),
    "t": Type.TIMESTAMP,
    "z": Type.TIMESTAMP_NTZ,
    "l": Type.ARRAY,
    "o": Type.STRUCT,
}
DIGITS = {"c": (10, 2)}
SCHEMA = Schema(
    tuple(Attribute(name, TYPES[name], digits=DIGITS.get(name, (38, 18)), parts=PARTS.get(name, ())) for name in VALUES)
)
STREAM = {"r": StreamDef("r", SCHEMA)}
PAIRS = (("s", "u"), ("f", "k"), ("n", "m"), ("x", "y"), ("d", "e"), ("t", "z"), ("c", "b"), ("l", "o"), ("j", "q"))
"""Columns of which every pair of values is there; those behind others are NULL less often."""


def rows() -> list[tuple[Any, ...]]:
    """All pairs of each two columns, beside each other."""
    pairs = {pair: list(product([None, *VALUES[pair[0]]], [*VALUES[pair[1]], None])) for pair in PAIRS}
    most = max(map(len, pairs.values()))
    columns: dict[str, list[Any]] = {}
    for (one, other), values in pairs.items():
        # some of each pair stand beside others when they come again
        again = list(islice(cycle([*values, values[0]]), most))
        columns |= {one: [value[0] for value in again], other: [value[1] for value in again]}
    return list(zip(*(columns[name] for name in VALUES), strict=True))


BY_TYPE = {
    "STRING": ["s", "u", "s", "u"],
    "BIGINT": ["n", "m", "k"],
    "DOUBLE": ["x", "y", "c", "n"],
    "DATE": ["d", "e"],
    "TIMESTAMP": ["t"],
    "TIMESTAMP_NTZ": ["z"],
    "BOOLEAN": ["b"],
}
EITHER = {
    "NUMBER": ["n", "x", "c"],
    "TIME": ["d", "t", "z"],
    "CLOCK": ["t", "z"],
    "T": ["n", "s", "x", "c", "d", "t"],
    "STRING|BIGINT": ["s", "n"],
}
PATTERNS = ["a", "[A-Z]", "(X)(.)", "^ *", "c$", "b?", "\\\\d+-", "(a|b)\\\\W?", "ß.", "\\\\s+", "(?i)x"]
CALLS: dict[str, list[str]] = {
    "if": ["if(b, n, k)", "if(n > 0, s, u)"],
    "coalesce": ["coalesce(s, u)", "coalesce(n, k, 7)", "coalesce(x, n)"],
    "nvl": ["nvl(s, u)", "ifnull(n, 0)"],
    "nvl2": ["nvl2(s, n, k)"],
    "nullif": ["nullif(n, m)", "nullif(x, y)", "nullif(s, u)"],
    "decode": ["decode(n, 1, 'one', 7, 'seven', 'more')", "decode(s, 'a', 'x', NULL, 'y')", "decode(k, 1, 10, 20)"],
    "isnull": ["isnull(s)", "isnull(x)"],
    "isnotnull": ["isnotnull(n)"],
    "equal_null": ["equal_null(s, u)", "equal_null(x, y)", "equal_null(n, m)"],
    "greatest": ["greatest(n, m)", "greatest(s, u)", "greatest(x, y, 1.5e0)", "greatest(d, e)", "greatest(c, 1.25)"],
    "least": ["least(n, m)", "least(s, u)", "least(x, y, n)", "least(d, e)", "least(c, 1.25)"],
    "try_add": ["try_add(n, m)", "try_add(x, y)", "try_add(n, 1)"],
    "try_subtract": ["try_subtract(n, m)"],
    "try_multiply": ["try_multiply(n, m)", "try_multiply(n, k) + 1"],
    "try_divide": ["try_divide(n, m)", "try_divide(x, y)"],
    "try_mod": ["try_mod(n, k)"],
    "power": [*(f"power(x, {y})" for y in ("y", "0.5", "-0.5", "2", "3", "0", "1")), "power(2, y)", "pow(n, 0.5)"],
    "nanvl": ["nanvl(x, y)", "nanvl(x, 0)"],
    "pmod": ["pmod(n, k)", "pmod(n, 7)", "pmod(k, -3)", "pmod(x, 2.5e0)"],
    "mod": ["mod(n, k)", "mod(x, y)", "mod(k, 3)"],
    "round": ["round(x)", "round(x, 1)", "round(k, -1)", "round(c, 1)", "round(c)"],
    "bround": ["bround(x)", "bround(x, 1)", "bround(k, -1)", "bround(c, 1)", "bround(c)"],
    "repeat": ["repeat(s, k)", "repeat(u, 3)"],
    "space": ["space(k)"],
    "left": ["left(s, k)", "left(s, 3)"],
    "right": ["right(s, k)", "right(s, 3)"],
    "substring": [
        "substring(s, k)",
        "substring(s, k, 3)",
        "substring(s, 2, 3)",
        "substring(s FROM 3)",
        "substr(s, -3, 2)",
    ],
    "lpad": ["lpad(s, k, u)", "lpad(s, 4, '0')", "lpad(s, 7)", "lpad(s, 9, 'xyz')", "lpad(s, 4, '')"],
    "rpad": ["rpad(s, k, u)", "rpad(s, 4, '0')", "rpad(s, 7)", "rpad(s, 9, 'xyz')"],
    "trim": ["trim(s)", "btrim(s, u)", "btrim(s, 'aX ')", "TRIM(BOTH 'a' FROM s)", "trim(' ' FROM s)"],
    "ltrim": ["ltrim(s)", "TRIM(LEADING 'aX' FROM s)", "TRIM(LEADING u FROM s)"],
    "rtrim": ["rtrim(s)", "TRIM(TRAILING 'Xc' FROM s)"],
    "concat": ["concat(s, u)", "s || '-' || u", "concat(s, 'é', u, s)"],
    "concat_ws": ["concat_ws(',', s, u)", "concat_ws('', u, s, 'x')", "concat_ws(', ', s)", "concat_ws('x')"],
    "replace": [
        "replace(s, u)",
        "replace(s, 'X', '--')",
        "replace(s, u, 'zz')",
        "replace(s, 'aX')",
        "replace(s, '', 'q')",
    ],
    "translate": [
        "translate(s, 'aXß', 'bY')",
        "translate(s, u, 'q')",
        "translate(s, 'aa', 'xy')",
        "translate(s, '', 'a')",
    ],
    "split_part": ["split_part(s, 'X', 2)", "split_part(s, ',', -1)", "split_part(s, u, 1)", "split_part(s, 'X', 9)"],
    "substring_index": ["substring_index(s, u, k)", "substring_index(s, 'X', 2)", "substring_index(s, ',', -2)"],
    "instr": ["instr(s, u)", "instr(s, 'X')", "instr(s, '😀')", "instr(s, '')"],
    "locate": ["locate(u, s)", "locate(u, s, k)", "locate('X', s, 3)", "POSITION(u IN s)", "position('b', s)"],
    "find_in_set": ["find_in_set(u, s)", "find_in_set('c', 'a,b,c')"],
    "chr": ["chr(k)", "chr(k + 64)", "char(200)", "chr(n)"],
    "sha2": ["sha2(s, 256)", "sha2(s, 0)", "sha2(s, 224)", "sha2(s, 384)", "sha2(s, 512)", "sha2(s, 5)"],
    "like": ["s LIKE 'a%'", "s LIKE '%X_'", "s LIKE '_'", "s LIKE u", "s NOT LIKE '%b%'", "s LIKE '%/%%' ESCAPE '/'"],
    "ilike": ["s ILIKE 'A%'", "s ILIKE '%ö%'", "ilike(s, u)"],
    "rlike": [f"s RLIKE '{pattern}'" for pattern in PATTERNS] + ["regexp_like(s, 'b')", "regexp(s, '^a')"],
    "regexp_extract": [
        *(f"regexp_extract(s, '{pattern}', 0)" for pattern in PATTERNS),
        "regexp_extract(s, '(.)X(.)', 2)",
        "regexp_extract(s, '(a)|(b)', 2)",
        "regexp_extract(s, '([a-z]+)')",
    ],
    "regexp_substr": [f"regexp_substr(s, '{pattern}')" for pattern in PATTERNS],
    "regexp_replace": [
        *(f"regexp_replace(s, '{pattern}', '<>')" for pattern in PATTERNS),
        "regexp_replace(s, '(.)X(.)', '$2-$1')",
        "regexp_replace(s, 'a', '\\\\$')",
        "regexp_replace(s, 'x*', '-')",
    ],
    "regexp_count": [f"regexp_count(s, '{pattern}')" for pattern in PATTERNS],
    "regexp_instr": [f"regexp_instr(s, '{pattern}')" for pattern in PATTERNS],
    "split": [
        *("split(s, 'X')[0]", "split(s, ',')[2]", "split(s, '[X,]')[1]", "split(s, '')[1]", "split(s, ' +')[1]"),
        *("split(s, 'X')", "split(s, '')", "split(s, 'b?')", "split(s, ',')[k]"),
    ],
    "from_json": [
        f"from_json({column}, '{schema}')"
        for column, schema in (
            ("j", "s STRING, n BIGINT, d DOUBLE, b BOOLEAN, l ARRAY<BIGINT>, o STRUCT<n: BIGINT>"),
            ("j", "l ARRAY<STRUCT<n: BIGINT>>, o STRUCT<n: STRING>, n STRING"),
            ("j", "ARRAY<STRUCT<n: BIGINT>>"),
            ("j", "ARRAY<BIGINT>"),
            ("s", "STRUCT<a: STRUCT<b: ARRAY<STRING>>, c: STRING, d: DOUBLE>"),
        )
    ],
    "size": ["size(l)", "cardinality(o.l)", "size(o.p)"],
    "element_at": ["element_at(l, 1)", "element_at(l, -2)", "element_at(o.l, 3)", "element_at(o.p, 1)"],
    "array_contains": [
        "array_contains(l, 'a')",
        "array_contains(l, u)",
        "array_contains(o.l, x)",
        "array_contains(o.l, 0)",
    ],
    "get_json_object": [
        *(
            f"get_json_object(s, '{path}')"
            for path in ("$", "$.a", "$.a.b", "$.a.b[0]", "$.a.b[1]", "$.a.b[2]", "$.c", "$.d")
        ),
        "get_json_object(s, \"$['a b']\")",
        "get_json_object(s, '$[1]')",
        "get_json_object(s, '$.a.b[3].é')",
    ],
    "shiftleft": ["shiftleft(n, k)", "shiftleft(n, 3)", "shiftleft(n, 63)", "n << 65"],
    "shiftright": ["shiftright(n, k)", "shiftright(n, 3)", "shiftright(n, 63)", "n >> 1"],
    "shiftrightunsigned": ["shiftrightunsigned(n, k)", "shiftrightunsigned(n, 3)"],
    "getbit": ["getbit(n, 0)", "getbit(n, 63)", "bit_get(n, 5)"],
    "&": ["n & m"],
    "|": ["n | m"],
    "^": ["n ^ m"],
    "~": ["~n"],
    "factorial": ["factorial(k)", "factorial(k + 18)"],
    "width_bucket": ["width_bucket(x, 0, 100, 10)", "width_bucket(x, 5, y, 4)", "width_bucket(x, 3, -3, k)"],
    "log": ["log(x)", "log(y, x)", "log(2, x)"],
    "date_part": ["EXTRACT(YEAR FROM d)", "EXTRACT(WEEK FROM t)", "date_part('DOW', z)", "date_part('hour', t)"],
    "date_trunc": ["date_trunc('HOUR', t)", "date_trunc('quarter', t)", "date_trunc('MM', z)", "date_trunc('WEEK', z)"],
    "trunc": ["trunc(d, 'YEAR')", "trunc(d, 'MM')", "trunc(d, 'QUARTER')", "trunc(t, 'week')"],
    "next_day": ["next_day(e, 'MON')", "next_day(e, 'friday')", "next_day(t, 'SU')"],
    "date_add": ["date_add(e, k)", "date_add(d, 1)", "date_add(t, -3)", "e + k", "2 + e"],
    "date_sub": ["date_sub(e, k)", "date_sub(d, 1)", "e - k", "d - 1"],
    "add_months": ["add_months(e, k)", "add_months(d, 12)", "add_months(d, -1)"],
    "datediff": ["datediff(d, e)", "datediff(t, d)", "datediff(d, '2024-02-29')"],
    "months_between": ["months_between(d, e)", "months_between(t, e)", "months_between(z, e)", "months_between(e, e)"],
    "timestampdiff": [
        f"timestampdiff({unit}, z, t)"
        for unit in ("MICROSECOND", "SECOND", "HOUR", "DAY", "WEEK", "MONTH", "QUARTER", "YEAR")
    ],
    "make_date": ["make_date(2024, k, 29)", "make_date(2023, 2, 29)", "make_date(k + 2020, 12, k)"],
    "unix_timestamp": [
        "unix_timestamp(t)",
        "unix_timestamp(d)",
        "unix_timestamp(f)",
        "unix_timestamp(s, 'yyyy-MM-dd')",
    ],
    "date_from_unix_date": ["date_from_unix_date(k)", "date_from_unix_date(20000)"],
    "timestamp_seconds": ["timestamp_seconds(k)", "timestamp_seconds(1763449200)"],
    "timestamp_millis": ["timestamp_millis(k)", "timestamp_millis(1763449200123)"],
    "timestamp_micros": ["timestamp_micros(k)", "timestamp_micros(1763449200123456)"],
    "date_format": [
        "date_format(t, 'yyyy-MM-dd HH:mm:ss.SSS')",
        "date_format(d, 'd.M.yy EEEE')",
        "date_format(z, \"MMM d, yyyy 'at' h:mm a\")",
        "date_format(t, 'E MMMM D Q SSSSSS hh H s m')",
        "date_format(t, 'yyyyMMdd')",
        "date_format(d, 'DDD')",
        "date_format(t, 'HH')",
    ],
    "from_unixtime": ["from_unixtime(k)", "from_unixtime(1763449200, 'yyyy-MM-dd')", "from_unixtime(k * 86400)"],
    "to_date": [
        "to_date(f)",
        "to_date(s)",
        "to_date(f, 'yyyy-MM-dd HH:mm:ss')",
        "to_date(f, 'dd/MM/yyyy')",
        "to_date(t)",
        "to_date('2023-02-29')",
    ],
    "to_timestamp": [
        "to_timestamp(f)",
        "to_timestamp(f, 'yyyy-MM-dd HH:mm:ss')",
        "to_timestamp(f, 'yyyy-M-d H:m:s')",
        "to_timestamp(s, 'yyyy-MM-dd')",
        "to_timestamp('12:30 29.2.2024', 'HH:mm d.M.yyyy')",
        "to_timestamp(d)",
        "to_timestamp('x')",
    ],
}


def calls(entry: Scalar) -> list[str]:
    """The calls of a function, those that are listed, or what its signature says."""
    if entry.name in CALLS:
        return CALLS[entry.name]
    takes = [parameter.takes for parameter in entry.parameters if not parameter.optional]
    if choice := next((taken for taken in takes if taken in EITHER), None):
        return [f"{entry.name}({', '.join([column] * len(takes))})" for column in EITHER[choice]]
    return [f"{entry.name}({', '.join(BY_TYPE[taken][takes[:n].count(taken)] for n, taken in enumerate(takes))})"]


ALL = [(entry, sql) for chapter in CHAPTERS.values() for entry in chapter if entry.description for sql in calls(entry)]
"""Every function that scripts can call, with calls of it."""


def bound(sql: str, zone: str = "UTC") -> Expression:
    """The expression of a call."""
    query = parse_query(f"SELECT {sql} AS v, n AS other FROM r", STREAM, zone=zone)
    assert isinstance(query, Projection)
    return query.columns[0][1]
