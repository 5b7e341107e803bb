"""Functions of texts. Positions count characters (code points) from 1, as in Spark."""

from __future__ import annotations  # Polars is not loaded where a script is only compiled

from collections.abc import Callable

from punctum.algebra.trends import Trend
from punctum.ir.expressions import Call, Literal
from punctum.ir.functions.define import APART, NEITHER, RISING, Scalar, Step
from punctum.ir.functions.later import pl

_LONGEST = 2**31 - 1
"""So long is a text of Java's at most."""


def _concat(call: Call, at: int) -> Step:
    following = any(isinstance(arg, Literal) and arg.value for arg in call.args[at + 1 :])
    return True, Trend.NEITHER if following else Trend.INCREASING


def _substring(value: str, start: int, length: int | None = None) -> str:
    """The part of a text from a position that counts from the end when it is negative.

    >>> _substring("punctum", 2, 3), _substring("punctum", -2), _substring("punctum", -9, 4)
    ('unc', 'um', 'pu')
    """
    first = start - 1 if start > 0 else len(value) + start if start < 0 else 0
    last = len(value) if length is None else first + length
    return value[max(first, 0) : max(last, 0)]


def _substring_kernel(text: pl.Expr, start: int, length: int | None = None) -> pl.Expr | None:
    if start < 0 or abs(start) >= 2**32 or (length is not None and length >= 2**32):
        return None  # before the first character, counted from the end, positions count too
    return text.str.slice(max(start - 1, 0), None if length is None else max(length, 0))


def _substring_step(call: Call, at: int) -> Step:
    start = call.args[1]
    return RISING if at == 0 and isinstance(start, Literal) and start.value in (0, 1) else NEITHER


def _concat_ws(separator: str, *texts: str | None) -> str:
    return separator.join(text for text in texts if text is not None)


def _initcap(text: str) -> str:
    return " ".join(word[:1].title() + word[1:] for word in text.lower().split(" "))


def _lower_kernel(text: pl.Expr) -> pl.Expr:
    return text.map_batches(
        lambda texts: _cased(texts, texts.str.to_lowercase(), str.lower), pl.String(), is_elementwise=True
    )


def _upper_kernel(text: pl.Expr) -> pl.Expr:
    return text.map_batches(
        lambda texts: _cased(texts, texts.str.to_uppercase(), str.upper), pl.String(), is_elementwise=True
    )


def _cased(texts: pl.Series, made: pl.Series, exactly: Callable[[str], str]) -> pl.Series:
    """Texts as Polars has made them, but for those with letters that are not ASCII."""
    strange = (texts.str.len_bytes() != texts.str.len_chars()).fill_null(False)
    if not strange.any():
        return made
    return made.scatter(strange.arg_true(), [exactly(text) for text in texts.filter(strange)])


def _instr_kernel(text: pl.Expr, part: str) -> pl.Expr:
    if not part:
        return pl.when(text.is_not_null()).then(1)
    before = text.str.splitn(part, 2).struct.field("field_0").str.len_chars().cast(pl.Int64())
    holds = text.str.contains(part, literal=True)
    return pl.when(holds).then(before + 1).when(holds.is_not_null()).then(0)


def _locate(part: str | None, text: str | None, start: int | None = 1) -> int | None:
    if start is None:
        return 0
    if part is None or text is None:
        return None
    if start < 1:
        return 0
    return text.find(part, start - 1) + 1 if part else 1


def _repeated(text: str, times: int) -> str:
    if len(text) * times > _LONGEST:
        raise OverflowError(times)
    return text * times


def _padded(text: str, length: int, pad: str, left: bool) -> str:
    if length > _LONGEST:
        raise OverflowError(length)
    if len(text) >= length or not pad:
        return text[: max(length, 0)]
    more = (pad * (length // len(pad) + 1))[: length - len(text)]
    return more + text if left else text + more


def _pad_kernel(text: pl.Expr, length: int, pad: str, left: bool) -> pl.Expr | None:
    if len(pad) != 1 or not 0 <= length < 2**31:
        return None
    cut = text.str.head(length)
    return cut.str.pad_start(length, pad) if left else cut.str.pad_end(length, pad)


def _split_part(text: str, separator: str, number: int) -> str:
    parts = text.split(separator) if separator else [text]
    if number == 0:
        raise ValueError("parts count from 1")
    at = number - 1 if number > 0 else len(parts) + number
    return parts[at] if 0 <= at < len(parts) else ""


def _split_part_kernel(text: pl.Expr, separator: str, number: int) -> pl.Expr | None:
    if not separator or not 0 < abs(number) < 2**31:
        return None
    part = text.str.split(separator).list.get(number - (number > 0), null_on_oob=True)
    return pl.when(text.is_not_null()).then(part.fill_null(""))


def _substring_index(text: str, separator: str, count: int) -> str:
    if not separator or not count:
        return ""
    parts = text.split(separator) if count > 0 else _split_from_the_end(text, separator)
    return separator.join(parts[:count] if count > 0 else parts[count:])


def _split_from_the_end(text: str, separator: str) -> list[str]:
    return [part[::-1] for part in text[::-1].split(separator[::-1])][::-1]


def _translated(text: str, of: str, to: str) -> str:
    return text.translate(_table(of, to))


def _table(of: str, to: str) -> dict[int, str | None]:
    made: dict[int, str | None] = {}
    for n, character in enumerate(of):
        made.setdefault(ord(character), to[n] if n < len(to) else None)
    return made


def _translate_kernel(text: pl.Expr, of: str, to: str) -> pl.Expr:
    table = _table(of, to)
    return text.str.replace_many([chr(c) for c in table], [c or "" for c in table.values()]) if table else text


def _replace_kernel(text: pl.Expr, search: str, by: str = "") -> pl.Expr:
    return text.str.replace_all(search, by, literal=True) if search else text


def _levenshtein(one: str, other: str) -> int:
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        before, row[0] = row[0], i
        for j, b in enumerate(other, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (a != b))
    return row[-1]


def _find_in_set(text: str, listed: str) -> int:
    parts = listed.split(",")
    return parts.index(text) + 1 if "," not in text and text in parts else 0


STRINGS = (
    Scalar("lower(text STRING) -> STRING", "in small letters", str.lower, _lower_kernel, also=("lcase",)),
    Scalar("upper(text STRING) -> STRING", "in capitals", str.upper, _upper_kernel, also=("ucase",)),
    Scalar("initcap(text STRING) -> STRING", "each word with a capital, words being parted by spaces", _initcap),
    Scalar(
        "length(text STRING) -> BIGINT",
        "the number of characters",
        len,
        lambda text: text.str.len_chars(),
        also=("char_length", "character_length", "len"),
    ),
    Scalar(
        "octet_length(text STRING) -> BIGINT",
        "the number of bytes in UTF-8",
        lambda text: len(text.encode()),
        lambda text: text.str.len_bytes(),
    ),
    Scalar(
        "bit_length(text STRING) -> BIGINT",
        "the number of bits in UTF-8",
        lambda text: 8 * len(text.encode()),
        lambda text: text.str.len_bytes().cast(pl.Int64()) * 8,
    ),
    Scalar(
        "trim(text STRING, [characters STRING]) -> STRING",
        "without spaces, or these characters, at both ends",
        lambda text, characters=" ": text.strip(characters) if characters else text,
        lambda text, characters=" ": text.str.strip_chars(characters) if characters else text,
        also=("btrim",),
        plain=(1,),
    ),
    Scalar(
        "ltrim(text STRING, [characters STRING]) -> STRING",
        "without spaces at its beginning",
        lambda text, characters=" ": text.lstrip(characters) if characters else text,
        lambda text, characters=" ": text.str.strip_chars_start(characters) if characters else text,
        plain=(1,),
    ),
    Scalar(
        "rtrim(text STRING, [characters STRING]) -> STRING",
        "without spaces at its end",
        lambda text, characters=" ": text.rstrip(characters) if characters else text,
        lambda text, characters=" ": text.str.strip_chars_end(characters) if characters else text,
        plain=(1,),
    ),
    Scalar(
        "substring(text STRING, start BIGINT, [length BIGINT]) -> STRING",
        "the part from a position, which counts from the end when it is negative",
        _substring,
        _substring_kernel,
        also=("substr",),
        plain=(1, 2),
        step=_substring_step,
    ),
    Scalar(
        "left(text STRING, length BIGINT) -> STRING",
        "the first characters",
        lambda text, length: text[: max(length, 0)],
        lambda text, length: text.str.head(length.clip(lower_bound=0)),
        step=RISING,
    ),
    Scalar(
        "right(text STRING, length BIGINT) -> STRING",
        "the last characters",
        lambda text, length: text[-length:] if length > 0 else "",
        lambda text, length: text.str.tail(length.clip(lower_bound=0)),
    ),
    Scalar(
        "concat(text STRING, …) -> STRING",
        "one after the other; also `a || b`",
        lambda *texts: "".join(texts),
        lambda *texts: pl.concat_str(texts, ignore_nulls=False),
        step=_concat,
    ),
    Scalar(
        "concat_ws(separator STRING CONSTANT, [text STRING], …) -> STRING",
        "those that are not NULL, with a separator between them",
        _concat_ws,
        lambda separator, *texts: (
            pl.concat_str(texts, separator=separator, ignore_nulls=True).fill_null("") if texts else pl.lit("")
        ),
        total=True,
    ),
    Scalar(
        "repeat(text STRING, times BIGINT) -> STRING",
        "so many times",
        _repeated,
        lambda text, times: pl.concat_str([text] * times) if 1 <= times < 100 else None,
        plain=(1,),
        fails=True,
    ),
    Scalar("space(length BIGINT) -> STRING", "so many spaces", lambda length: _repeated(" ", length), fails=True),
    Scalar(
        "reverse(text STRING) -> STRING",
        "the characters from the last to the first",
        lambda text: text[::-1],
        step=APART,
    ),
    Scalar(
        "lpad(text STRING, length BIGINT, [pad STRING]) -> STRING",
        "filled up, or cut, to a length; spaces or `pad` come first",
        lambda text, length, pad=" ": _padded(text, length, pad, True),
        lambda text, length, pad=" ": _pad_kernel(text, length, pad, True),
        plain=(1, 2),
        fails=True,
    ),
    Scalar(
        "rpad(text STRING, length BIGINT, [pad STRING]) -> STRING",
        "filled up, or cut, to a length; spaces or `pad` come last",
        lambda text, length, pad=" ": _padded(text, length, pad, False),
        lambda text, length, pad=" ": _pad_kernel(text, length, pad, False),
        plain=(1, 2),
        fails=True,
    ),
    Scalar(
        "replace(text STRING, search STRING, [by STRING]) -> STRING",
        "every occurrence replaced, or taken out",
        lambda text, search, by="": text.replace(search, by) if search else text,
        _replace_kernel,
        plain=(1, 2),
    ),
    Scalar(
        "translate(text STRING, of STRING, to STRING) -> STRING",
        "each character of one list replaced by that at its place in the other, or taken out",
        _translated,
        _translate_kernel,
        plain=(1, 2),
    ),
    Scalar(
        "split_part(text STRING, separator STRING, number BIGINT) -> STRING",
        "the part at a number, which counts from the end when it is negative; empty beyond; no value for 0",
        _split_part,
        _split_part_kernel,
        plain=(1, 2),
        fails=True,
    ),
    Scalar(
        "substring_index(text STRING, separator STRING, count BIGINT) -> STRING",
        "all before so many separators, or behind them from the end when it is negative",
        _substring_index,
    ),
    Scalar(
        "instr(text STRING, part STRING) -> BIGINT",
        "where a part begins first; 0 when it is not there",
        lambda text, part: text.find(part) + 1,
        _instr_kernel,
        plain=(1,),
    ),
    Scalar(
        "locate(part STRING, text STRING, [start BIGINT]) -> BIGINT",
        "where a part begins first, from a position on; 0 when it is not there",
        _locate,
        also=("position", "charindex"),
        total=True,
        maybe=True,
    ),
    Scalar(
        "contains(text STRING, part STRING) -> BOOLEAN",
        "whether a part is there",
        lambda text, part: part in text,
        lambda text, part: text.str.contains(part, literal=True),
    ),
    Scalar(
        "startswith(text STRING, part STRING) -> BOOLEAN",
        "whether it begins with a part",
        str.startswith,
        lambda text, part: text.str.starts_with(part),
    ),
    Scalar(
        "endswith(text STRING, part STRING) -> BOOLEAN",
        "whether it ends with a part",
        str.endswith,
        lambda text, part: text.str.ends_with(part),
    ),
    Scalar(
        "find_in_set(text STRING, list STRING) -> BIGINT",
        "its place in a list with commas; 0 when it is not there",
        _find_in_set,
    ),
    Scalar(
        "levenshtein(a STRING, b STRING) -> BIGINT",
        "how many characters have to change, come or go",
        _levenshtein,
    ),
    Scalar(
        "ascii(text STRING) -> BIGINT",
        "the code point of the first character; 0 when there is none",
        lambda text: ord(text[0]) if text else 0,
    ),
    Scalar(
        "chr(code BIGINT) -> STRING",
        "the character of a code point modulo 256; none for a negative one",
        lambda code: chr(code % 256) if code >= 0 else "",
        also=("char",),
    ),
)
