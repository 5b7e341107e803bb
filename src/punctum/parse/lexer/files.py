"""Files in FROM: ``FROM 'in/bid/*.json'``, where a string stands in the place of a stream's name.

sqlglot would take such a string as a name too, but without its place, by which windows and errors are found. So it
becomes a quoted name among the tokens where a stream can stand, and nowhere else: ``TRIM('x' FROM 'y')`` keeps its
strings.
"""

from collections.abc import Iterator

from sqlglot.tokenizer_core import Token, TokenType

_QUOTES = ("'", '"')
_ENDS = ("SELECT", "WHERE", "GROUP BY", "HAVING", "ORDER BY", "QUALIFY", "LIMIT", "ON", "USING", "UNION", "WINDOW", ";")
"""What ends the items of FROM."""
_FUNCTIONS = ("TUMBLE", "HOP", "SESSION")


def named_by_files(tokens: list[Token]) -> list[Token]:
    """The tokens with names in the place of strings in FROM."""
    files = set(_places(tokens))
    return [_name(token) if at in files else token for at, token in enumerate(tokens)]


def is_file(token: Token, sql: str) -> bool:
    """Whether a name is that of files: it is written as a string.

    >>> from punctum.parse.lexer.text import Text
    >>> text = Text("SELECT TRIM('x' FROM a) FROM 'in/*.json' AS a, `b`, 'c' WHERE a.n = 'x'")
    >>> [token.text for token in text.tokens if is_file(token, text.sql)]
    ['in/*.json', 'c']
    """
    return token.token_type is TokenType.IDENTIFIER and sql[token.start : token.start + 1] in _QUOTES


def _name(token: Token) -> Token:
    return Token(TokenType.IDENTIFIER, token.text, token.line, token.col, token.start, token.end, token.comments)


def _places(tokens: list[Token]) -> Iterator[int]:
    """Which strings stand where a stream can: behind FROM, JOIN, or a comma in FROM, of a SELECT in these brackets."""
    selects, items = [False], [False]  # for each bracket that is open: whether it has a SELECT, and is in FROM
    for at, token in enumerate(tokens):
        word = "" if token.token_type in (TokenType.STRING, TokenType.IDENTIFIER) else token.text.upper()
        before = tokens[at - 1].text.upper() if at else ""
        if word == "(":
            selects.append(False)
            items.append(False)
        elif word == ")" and len(items) > 1:
            selects.pop()
            items.pop()
        elif word == "FROM":
            items[-1] = selects[-1] and before != "DISTINCT"
        elif word in _ENDS:
            selects[-1] |= word == "SELECT"
            items[-1] = False
        elif word == "JOIN":
            items[-1] = selects[-1]
        elif token.token_type is TokenType.STRING:
            item = items[-1] and (before in ("FROM", ",") or before.endswith("JOIN"))
            described = before == "TABLE" and [t.text.upper() for t in tokens[max(at - 3, 0) : at - 1]]
            if item or (described and described[0] in _FUNCTIONS and described[1] == "("):
                yield at
