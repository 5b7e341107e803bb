"""Windows: ``[ROWS n]`` behind a stream, which SQL does not have, is taken out of the tokens before they are parsed."""

from typing import NamedTuple

from sqlglot.tokenizer_core import Token, TokenType

from punctum.errors import Place, SqlError

MOST = 10**9
"""No window has more rows."""
_HINT = "write [ROWS 100] for the last 100 rows"


class WindowClause(NamedTuple):
    """The last so many rows, and where that is written."""

    rows: int
    place: Place


def parted(tokens: list[Token]) -> tuple[list[Token], dict[int, WindowClause]]:
    """The tokens without windows, and the windows by the number of the token that each stands behind."""
    left: list[Token] = []
    windows: dict[int, WindowClause] = {}
    i = 0
    while i < len(tokens):
        if not _begins(tokens, i):
            left.append(tokens[i])
            i += 1
            continue
        end = next((k for k in range(i, len(tokens)) if tokens[k].token_type is TokenType.R_BRACKET), None)
        if end is None:
            raise SqlError("a window is not closed with ]", "", _HINT, _place(tokens, i, min(i + 2, len(tokens) - 1)))
        window = WindowClause(_rows(tokens, i, end), _place(tokens, i, end))
        if len(left) - 1 in windows:
            raise SqlError("a stream has two windows", "", "remove one of them", window.place)
        windows[len(left) - 1] = window
        i = end + 1
    return left, windows


def _begins(tokens: list[Token], i: int) -> bool:
    word = tokens[i + 1].text.upper() if i + 1 < len(tokens) else ""
    return tokens[i].token_type is TokenType.L_BRACKET and word in ("ROWS", "RANGE")


def _rows(tokens: list[Token], start: int, end: int) -> int:
    place = _place(tokens, start, end)
    if tokens[start + 1].text.upper() == "RANGE":
        detail = "the number of rows in a time span is unknown, so the window would not be bounded"
        raise SqlError("time windows are not supported", detail, _HINT, place)
    words = [token.text for token in tokens[start + 2 : end]]
    if len(words) != 1 or not (words[0].isascii() and words[0].isdecimal() and len(words[0]) < 12):
        shown = " ".join(words).replace("- ", "-") or "]"
        raise SqlError("a window needs a number of rows", f"found {shown}", _HINT, place)
    if not 0 < int(words[0]) <= MOST:
        raise SqlError(f"a window has 1 to {MOST} rows", f"not {words[0]}", _HINT, place)
    return int(words[0])


def _place(tokens: list[Token], first: int, last: int) -> Place:
    return Place(tokens[first].start, tokens[last].end + 1)
