"""Windows of time in FROM: ``TABLE(TUMBLE(TABLE bid, DESCRIPTOR(ts), INTERVAL '10' SECOND))``, as Flink has them.

Spark's SQL does not, so they are taken out of the tokens before these are parsed: of the function its table is left.
``window`` is a word of Spark's SQL too, which is a name unless it begins a WINDOW clause.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from sqlglot.tokenizer_core import Token, TokenType

from punctum.errors import Place, SqlError, nearest

_LENGTHS = {"TUMBLE": ("SIZE", "OFFSET"), "HOP": ("SLIDE", "SIZE", "OFFSET"), "SESSION": ("GAP",)}
_HINTS = {
    "TUMBLE": "write TABLE(TUMBLE(TABLE bid, DESCRIPTOR(ts), INTERVAL '10' SECOND))",
    "HOP": "write TABLE(HOP(TABLE bid, DESCRIPTOR(ts), INTERVAL '2' SECOND, INTERVAL '10' SECOND))",
    "SESSION": "write TABLE(SESSION(TABLE bid PARTITION BY k, DESCRIPTOR(ts), INTERVAL '10' SECOND))",
}
_BEFORE = ("FROM", "JOIN", ",")


class TimeClause(NamedTuple):
    """A function, the column of times, the keys of sessions, durations as they are written, and where it stands."""

    function: str
    time: str
    by: tuple[str, ...]
    lengths: Mapping[str, str]
    place: Place

    @property
    def hint(self) -> str:
        """How such a function is written."""
        return _HINTS[self.function]


def without_functions(tokens: list[Token]) -> tuple[list[Token], dict[int, TimeClause]]:
    """The tokens with tables in the place of such functions, and these by where their table starts in the text.

    Of a query in brackets, that is where its closing bracket stands.
    """
    left: list[Token] = []
    clauses: dict[int, TimeClause] = {}
    closing = _closing(tokens)
    i = 0
    while i < len(tokens):
        opened = _begins(tokens, i) if left and left[-1].text.upper() in _BEFORE else None
        if opened is None:
            left.append(_name(tokens, i))
            i += 1
            continue
        last, end = closing.get(opened), closing.get(i + 1)
        if last is None or end is None or end - last != (opened > i + 1):
            raise SqlError("a table function is not closed with )", "", "", _place(tokens[i : opened + 1]))
        table, clause = _read(tokens[i : end + 1], tokens[opened - 1].text.upper(), tokens[opened + 1 : last])
        left += [_name(table, n) for n in range(len(table))]
        clauses[(table[-1] if table[0].text == "(" else table[0]).start] = clause
        i = end + 1
    return left, clauses


def _begins(tokens: list[Token], i: int) -> int | None:
    """Where the bracket of a function opens that begins here, alone or in TABLE(…)."""
    words = _words(tokens[i : i + 4])
    if words[:2] == ["TABLE", "("] and words[3:] == ["("]:
        if words[2] not in _LENGTHS:
            hint = nearest(words[2], list(_LENGTHS)) or f"supported: {', '.join(_LENGTHS)}"
            raise SqlError(f"the table function {words[2]} is not supported", "", hint, _place(tokens[i + 2 : i + 3]))
        return i + 3
    return i + 1 if words and words[0] in _LENGTHS and words[1:2] == ["("] else None


def _name(tokens: list[Token], i: int) -> Token:
    """A token, as a name where it is the word ``window`` and no clause begins with it."""
    token = tokens[i]
    if token.token_type is not TokenType.WINDOW or [t.text.upper() for t in tokens[i + 2 : i + 3]] == ["AS"]:
        return token
    return Token(TokenType.VAR, token.text, token.line, token.col, token.start, token.end, token.comments)


def _closing(tokens: list[Token]) -> dict[int, int]:
    opened: list[int] = []
    pairs: dict[int, int] = {}
    for i, token in enumerate(tokens):
        if token.token_type is TokenType.L_PAREN:
            opened.append(i)
        elif token.token_type is TokenType.R_PAREN and opened:
            pairs[opened.pop()] = i
    return pairs


def _read(whole: list[Token], function: str, inside: list[Token]) -> tuple[list[Token], TimeClause]:
    """The table of a function, and all else."""
    place, arguments = _place(whole), [_named(argument) for argument in _arguments(inside)]
    at = next((n for n, (_, given) in enumerate(arguments) if _words(given[:1]) == ["DESCRIPTOR"]), 0)
    described = [token.text for token in arguments[at][1]] if arguments else []
    if not at or described[1:2] + described[3:] != ["(", ")"]:
        detail = "its arguments are a table, DESCRIPTOR with a column of times, and durations"
        raise SqlError(f"{function} cannot be read", detail, _HINTS[function], place)
    table, by = _table([token for _, given in arguments[:at] for token in given])
    if not table or (by and function != "SESSION"):
        what = f"{function} has PARTITION BY" if table else f"{function} has no table"
        raise SqlError(what, "", _HINTS[function], place)
    known, lengths = _LENGTHS[function], dict[str, str]()
    for n, (name, given) in enumerate(arguments[at + 1 :]):
        key = name or (known[n] if n < len(known) else "")
        if key not in known or key in lengths or _words(given[:1]) != ["INTERVAL"]:
            shown = " ".join(token.text for token in given) or "nothing"
            raise SqlError(f"{function} does not take {shown} here", "", _HINTS[function], place)
        lengths[key] = " ".join(token.text for token in given[1:])
    if missing := [key for key in known if key not in lengths and key != "OFFSET"]:
        raise SqlError(f"{function} needs a {missing[0].lower()}", "", _HINTS[function], place)
    return table, TimeClause(function, described[2], by, lengths, place)


def _arguments(tokens: list[Token]) -> Iterator[list[Token]]:
    """What stands between commas, those in brackets aside."""
    depth, taken = 0, list[Token]()
    for token in tokens:
        depth += (token.token_type is TokenType.L_PAREN) - (token.token_type is TokenType.R_PAREN)
        if token.token_type is TokenType.COMMA and not depth:
            yield taken
            taken = []
        else:
            taken.append(token)
    yield taken


def _named(argument: list[Token]) -> tuple[str, list[Token]]:
    """An argument with its name, if it has one: ``SIZE => INTERVAL '10' SECOND``."""
    return (argument[0].text.upper(), argument[2:]) if _words(argument[1:2]) == ["=>"] else ("", argument)


def _table(tokens: list[Token]) -> tuple[list[Token], tuple[str, ...]]:
    """A table without the word before it, and the keys behind it."""
    words = _words(tokens)
    at = words.index("PARTITION BY") if "PARTITION BY" in words else len(words)
    keys = tuple(token.text for token in tokens[at + 1 :])
    return tokens[words[:1] == ["TABLE"] : at], keys


def _words(tokens: list[Token]) -> list[str]:
    return [token.text.upper() for token in tokens]


def _place(tokens: list[Token]) -> Place:
    return Place(tokens[0].start, tokens[-1].end + 1)
