"""Functions that look for patterns in texts: LIKE, regular expressions, and paths in JSON."""

from __future__ import annotations  # Polars is not loaded where a script is only compiled

import re
from collections.abc import Callable

from punctum.algebra.values import Type
from punctum.errors import Place, SqlError
from punctum.ir.expressions import Call, Expression, kind
from punctum.ir.functions import regex
from punctum.ir.functions.define import Args, Scalar, constant
from punctum.ir.functions.json import at_path, length_of, path_of
from punctum.ir.functions.later import pl


def _bound(name: str) -> Callable[[Args, Place], Expression]:
    """A call of a regular expression, which is looked at first."""

    def rule(args: Args, place: Place) -> Expression:
        regex.checked(constant(args[1]), args[1].place)
        if name == "regexp_extract":
            _check_group(constant(args[1]), constant(args[2]) if len(args) > 2 else 1, args[-1].place)
        if name == "regexp_replace":
            _check_replacement(constant(args[1]), constant(args[2]), args[2].place)
        nullable = any(arg.nullable for arg in args) or _ENTRIES[name].maybe
        if name == "split":
            return _ENTRIES[name].made(args, place)
        return Call(name, args, kind(Type(_ENTRIES[name].gives), nullable), place)

    return rule


def _check_group(pattern: str, group: int, place: Place) -> None:
    groups = regex.java(pattern).python.groups
    if not 0 <= group <= groups:
        raise SqlError(f"{pattern!r} has no group {group}", f"it has {groups}", "0 is all of it", place)


def _check_replacement(pattern: str, by: str, place: Place) -> None:
    try:
        _parts(pattern, by)
    except (ValueError, IndexError):
        hint = "$1 is the first group, \\$ a dollar"
        raise SqlError(f"{by!r} is not a replacement for {pattern!r}", "", hint, place) from None


def _parts(pattern: str, by: str) -> list[str | int]:
    """A replacement as texts and numbers of groups; a number is as long as there is such a group."""
    groups, at = regex.java(pattern).python.groups, 0
    made: list[str | int] = []
    while at < len(by):
        if by[at] == "\\":
            made.append(by[at + 1])
            at += 2
        elif by[at] == "$":
            number, at = int(by[at + 1]), at + 2
            while by[at : at + 1].isdigit() and number * 10 + int(by[at]) <= groups:
                number, at = number * 10 + int(by[at]), at + 1
            if number > groups:
                raise ValueError(by)
            made.append(number)
        else:
            made.append(by[at])
            at += 1
    return made


def _replace(text: str, pattern: str, by: str) -> str:
    parts = _parts(pattern, by)

    def replaced(match: re.Match[str]) -> str:
        return "".join(part if isinstance(part, str) else match[part] or "" for part in parts)

    return regex.java(pattern).python.sub(replaced, text)


def _replace_kernel(text: pl.Expr, pattern: str, by: str) -> pl.Expr | None:
    polars = regex.java(pattern).polars
    if polars is None or not regex.never_empty(pattern):
        return None
    value = "".join(
        f"${{{part}}}" if isinstance(part, int) else part.replace("$", "$$") for part in _parts(pattern, by)
    )
    return text.str.replace_all(polars, value)


def _extract(text: str, pattern: str, group: int = 1) -> str:
    match = regex.java(pattern).python.search(text)
    return (match[group] or "") if match else ""


def _extract_kernel(text: pl.Expr, pattern: str, group: int = 1) -> pl.Expr | None:
    polars = regex.java(pattern).polars
    if polars is None:
        return None
    return pl.when(text.is_not_null()).then(text.str.extract(polars, group).fill_null(""))


def _matches(text: str, pattern: str) -> bool:
    return regex.java(pattern).python.search(text) is not None


def _found_kernel(text: pl.Expr, pattern: str) -> pl.Expr | None:
    polars = regex.java(pattern).polars
    return None if polars is None else text.str.contains(polars)


def _count(text: str, pattern: str) -> int:
    return sum(1 for _ in regex.java(pattern).python.finditer(text))


def _count_kernel(text: pl.Expr, pattern: str) -> pl.Expr | None:
    polars = regex.java(pattern).polars
    return None if polars is None or not regex.never_empty(pattern) else text.str.count_matches(polars)


def _part(text: str, pattern: str) -> str | None:
    match = regex.java(pattern).python.search(text)
    return match[0] or None if match else None


def _part_kernel(text: pl.Expr, pattern: str) -> pl.Expr | None:
    polars = regex.java(pattern).polars
    if polars is None:
        return None
    part = text.str.extract(polars, 0)
    return pl.when(part != "").then(part)


def _begins(text: str, pattern: str) -> int:
    match = regex.java(pattern).python.search(text)
    return match.start() + 1 if match else 0


def _like_kernel(text: pl.Expr, pattern: str, escape: str = "\\") -> pl.Expr:
    return text.str.contains(regex.like_for_polars(pattern, escape))


def _split_at(text: str, pattern: str, at: int) -> str | None:
    parts = _split(text, pattern)
    return parts[at] if 0 <= at < len(parts) else None


def _split(text: str, pattern: str) -> list[str]:
    """The parts between matches, as Java has them: an empty match at the beginning parts nothing."""
    if not pattern:
        return list(text) or [""]
    parts, begin = [], 0
    for match in regex.java(pattern).python.finditer(text):
        if match.end() == 0:
            continue
        parts.append(text[begin : match.start()])
        begin = match.end()
    return [*parts, text[begin:]]


def _parts_kernel(text: pl.Expr, pattern: str) -> pl.Expr | None:
    if not pattern or not pattern.isascii() or set(pattern) & set("\\^$.|?*+()[]{}"):
        return None
    return text.str.split(pattern)


def _split_kernel(text: pl.Expr, pattern: str, at: int) -> pl.Expr | None:
    parts = _parts_kernel(text, pattern) if 0 <= at < 2**31 else None
    return None if parts is None else parts.list.get(at, null_on_oob=True)


def _unread(args: Args, place: Place) -> Expression:
    """FROM_JSON is bound where types are read."""
    raise SqlError("FROM_JSON takes a schema", "", "write it as a text: from_json(text, 'a BIGINT')", place)


def _json_bound(args: Args, place: Place) -> Expression:
    path_of(constant(args[1]), args[1].place)
    return Call("get_json_object", args, kind(Type.STRING, True), place)


_SQL_PATTERN = "pattern STRING CONSTANT"
PATTERNS = (
    Scalar(
        "like(text STRING, pattern STRING, [escape STRING CONSTANT]) -> BOOLEAN",
        "whether all of it is like a pattern, in which `%` is any text and `_` one character",
        lambda text, pattern, escape="\\": regex.like(pattern, escape).fullmatch(text) is not None,
        _like_kernel,
        plain=(1,),
    ),
    Scalar(
        "ilike(text STRING, pattern STRING) -> BOOLEAN",
        "the same, whatever letters are capitals",
        lambda text, pattern: regex.like(pattern.lower()).fullmatch(text.lower()) is not None,
    ),
    Scalar(
        f"rlike(text STRING, {_SQL_PATTERN}) -> BOOLEAN",
        "whether some part matches a regular expression",
        _matches,
        _found_kernel,
        also=("regexp", "regexp_like"),
        rule=_bound("rlike"),
    ),
    Scalar(
        f"regexp_extract(text STRING, {_SQL_PATTERN}, [group BIGINT CONSTANT]) -> STRING",
        "a group, the first unless it is said, of the first match; empty when there is none",
        _extract,
        _extract_kernel,
        rule=_bound("regexp_extract"),
    ),
    Scalar(
        f"regexp_substr(text STRING, {_SQL_PATTERN}) -> STRING",
        "the first match; NULL when there is none, or it is empty",
        _part,
        _part_kernel,
        maybe=True,
        rule=_bound("regexp_substr"),
    ),
    Scalar(
        f"regexp_replace(text STRING, {_SQL_PATTERN}, by STRING CONSTANT) -> STRING",
        "all matches replaced; `$1` is the first group",
        _replace,
        _replace_kernel,
        rule=_bound("regexp_replace"),
    ),
    Scalar(
        f"regexp_count(text STRING, {_SQL_PATTERN}) -> BIGINT",
        "the number of matches",
        _count,
        _count_kernel,
        rule=_bound("regexp_count"),
    ),
    Scalar(
        f"regexp_instr(text STRING, {_SQL_PATTERN}) -> BIGINT",
        "where the first match begins; 0 when there is none",
        _begins,
        rule=_bound("regexp_instr"),
    ),
    Scalar(
        f"split(text STRING, {_SQL_PATTERN}) -> ARRAY<STRING>",
        "the parts between matches; `split(text, pattern)[0]` is the first",
        lambda text, pattern: tuple(_split(text, pattern)),
        _parts_kernel,
        rule=_bound("split"),
    ),
    Scalar(
        f"split at(text STRING, {_SQL_PATTERN}, at BIGINT CONSTANT) -> STRING",
        "",
        _split_at,
        _split_kernel,
        maybe=True,
        rule=_bound("split at"),
    ),
    Scalar(
        "get_json_object(text STRING, path STRING CONSTANT) -> STRING",
        "what is at a path such as `$.a.b[0]` of a JSON text, a text without its quotes; NULL when it is not there",
        at_path,
        maybe=True,
        rule=_json_bound,
    ),
    Scalar(
        "from_json(text STRING, schema STRING CONSTANT) -> STRUCT",
        "a JSON text as a STRUCT of columns, `'a BIGINT, b STRING'`, or as an ARRAY; NULL where it is something else",
        rule=_unread,
    ),
    Scalar(
        "json_array_length(text STRING) -> BIGINT",
        "the number of elements; NULL when it is no JSON array",
        length_of,
        maybe=True,
    ),
)
_ENTRIES = {entry.name: entry for entry in PATTERNS}
