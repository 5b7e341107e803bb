"""The text of a script: its tokens, its statements, and where in it a piece of syntax stands.

sqlglot knows where names, literals and some functions stand; the rest follows from the tokens around them.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping
from typing import ClassVar

from sqlglot import exp
from sqlglot.dialects.spark import Spark
from sqlglot.errors import ParseError, SqlglotError, TokenError
from sqlglot.parser import Parser
from sqlglot.tokenizer_core import Token, TokenType

from punctum.errors import Place, SqlError
from punctum.ir.applied import UserFunction
from punctum.ir.functions import NAMES
from punctum.ir.functions.aggregates import AGGREGATES
from punctum.parse.lexer.brackets import WindowClause, parted
from punctum.parse.lexer.files import is_file, named_by_files
from punctum.parse.lexer.timed import TimeClause, without_functions

QUOTED = (TokenType.STRING, TokenType.IDENTIFIER)
_SPARK = Spark().parser()
_KEPT = {"TRIM", "SUBSTRING", "SUBSTR", "POSITION", "COUNT", "SUM", "MIN", "MAX", "AVG", "MEDIAN"}
_KEPT |= {"FIRST_VALUE", "LAST_VALUE"}
"""Functions with words between their arguments, and those that sqlglot reads as they are."""
_OWN = {*NAMES, *AGGREGATES}
_OWN = {name.upper() for name in _OWN} - _KEPT


class _Plain(Spark):
    """Spark's dialect, in which functions of the table keep the arguments that the script gives them."""

    class Parser(type(_SPARK)):  # type: ignore[misc]
        """Reads a call of them as a name and arguments; those with words between these keep their own syntax."""

        FUNCTIONS: ClassVar = {n: made for n, made in _SPARK.FUNCTIONS.items() if n not in _OWN}
        FUNCTION_PARSERS: ClassVar = {n: made for n, made in _SPARK.FUNCTION_PARSERS.items() if n not in _OWN}


_DIALECT = _Plain()
_UNITS = ("YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND", "MILLISECOND", "MICROSECOND")


_NOTHING: Mapping[str, UserFunction] = {}


class Text:
    """A script and its tokens, and the functions that it may call beside those of the language."""

    def __init__(self, sql: str, functions: Mapping[str, UserFunction] = _NOTHING) -> None:
        self.sql, self.functions = sql, functions
        left, self.timed = without_functions(named_by_files(tokens(sql)))
        self.tokens, self.windows = parted(left)
        self._taken = set[int]()
        self.starts = [token.start for token in self.tokens]
        self.closing = dict(self._pairs())

    def _pairs(self) -> Iterator[tuple[int, int]]:
        opened: list[int] = []
        for i, token in enumerate(self.tokens):
            if token.token_type is TokenType.L_PAREN:
                opened.append(i)
            elif token.token_type is TokenType.R_PAREN and opened:
                yield opened.pop(), i

    @property
    def files(self) -> list[tuple[str, Place]]:
        """The strings that name files in FROM, and where each of them stands."""
        named = (token for token in self.tokens if is_file(token, self.sql))
        return [(token.text, Place(token.start, token.end + 1)) for token in named]

    def window(self, node: exp.Expr) -> WindowClause | None:
        """The window behind an item of FROM: a name, or a query in brackets."""
        at = self._last(node) if self.windows else None
        if at is None:
            return None
        self._taken.add(at)
        return self.windows.get(at)

    def time_window(self, node: exp.Expr) -> TimeClause | None:
        """The window of time that an item of FROM is the table of: a name, or a query in brackets."""
        at = self._last(node) if self.timed else None
        return None if at is None else self.timed.get(self.tokens[at].start)

    def _last(self, node: exp.Expr) -> int | None:
        """The token of a name, or the bracket behind a query, of an item of FROM."""
        metas = [part.meta["start"] for part in node.this.walk() if "start" in part.meta]
        if not metas:
            return None
        at = bisect_right(self.starts, min(metas)) - 1
        if isinstance(node, exp.Subquery):
            last = bisect_right(self.starts, max(metas)) - 1
            at = min((end for start, end in self.closing.items() if start < at and end > last), default=at)
        return at

    def all_taken(self) -> None:
        """Refuse a window that stands behind nothing that can have one."""
        for at in self.windows.keys() - self._taken:
            hint = "a window follows a stream in FROM, before AS: FROM s [ROWS 100] AS x"
            raise SqlError("a window is not expected here", "", hint, self.windows[at].place)

    def statements(self) -> Iterator[tuple[int, int]]:
        """The token ranges of the statements; a semicolon ends each."""
        start = 0
        for i, token in enumerate(self.tokens):
            if token.token_type is TokenType.SEMICOLON:
                if i > start:
                    yield start, i
                start = i + 1
        if start < len(self.tokens):
            yield start, len(self.tokens)

    def word(self, i: int) -> str:
        """The keyword at a token, in capitals, or nothing for what is quoted."""
        quoted = self.tokens[i].token_type in QUOTED
        return "" if quoted else self.tokens[i].text.upper()

    def at(self, first: int, last: int) -> Place:
        """The place of the tokens from one to another, both included."""
        return Place(self.tokens[first].start, self.tokens[last].end + 1)

    def query(self, start: int, end: int) -> exp.Expr:
        """The query that the tokens from start to before end spell."""
        return self._read(start, end, lambda parser, tokens: parser.parse(tokens, self.sql))

    def expression(self, start: int, end: int) -> exp.Expr:
        """The expression that the tokens from start to before end spell."""
        return self._read(start, end, lambda parser, tokens: parser.parse_into(exp.Condition, tokens, self.sql))

    def _read(self, start: int, end: int, parse: Callable[[Parser, list[Token]], list[exp.Expr | None]]) -> exp.Expr:
        for i in range(start, end - 1):  # sqlglot lets these pass
            if self.word(i) == "," and self.word(i + 1) in (",", ")", "FROM"):
                detail = f"{self.tokens[i + 1].text} is not expected after a comma"
                raise SqlError("the SQL cannot be parsed", detail, "", self.at(i, i + 1))
        try:
            trees = parse(_DIALECT.parser(), self.tokens[start:end])
        except ParseError as error:
            raise self._unreadable(error, start, end) from None
        except SqlglotError as error:
            raise SqlError("the SQL cannot be parsed", _plain(str(error)), place=self.at(start, end - 1)) from None
        except (ValueError, TypeError, AttributeError, IndexError, KeyError) as error:  # sqlglot's own slips
            raise SqlError("the SQL cannot be parsed", _plain(str(error)), place=self.at(start, end - 1)) from None
        if len(trees) != 1 or not isinstance(trees[0], exp.Expr):
            raise SqlError("the SQL cannot be parsed", "one query is expected", place=self.at(start, end - 1))
        return trees[0]

    def _unreadable(self, error: ParseError, start: int, end: int) -> SqlError:
        first = error.errors[0] if error.errors else {}
        line, column, near = first.get("line") or 1, first.get("col") or 0, first.get("highlight") or ""
        head = sum(len(above) + 1 for above in self.sql.split("\n")[: line - 1])
        place = Place(max(head + column - len(near), 0), head + column)
        if not self.tokens[start].start <= place.start <= self.tokens[end - 1].end:
            place = self.at(end - 1, end - 1)
        detail = _plain(str(first.get("description", "")))
        if "Unexpected token" in detail:
            detail = f"{near} is not expected here"
        elif detail.startswith(("Expected", "Expecting")):
            detail = detail.split(" but got")[0].lower()
        elif detail.startswith("The number"):
            detail = "there are too many arguments"
        else:
            detail = f"something is missing near {near}"
        return SqlError("the SQL cannot be parsed", detail, place=place)

    def place(self, node: exp.Expr) -> Place | None:
        """Where a node of the syntax stands, or nothing when no token of it is known."""
        metas = [part.meta for part in node.walk() if "start" in part.meta]
        if not metas:
            return None
        first = bisect_right(self.starts, min(meta["start"] for meta in metas)) - 1
        last = bisect_right(self.starts, max(meta["end"] for meta in metas)) - 1
        first, last = self._wider(node, max(first, 0), max(last, 0))
        return self.at(first, last)

    def _wider(self, node: exp.Expr, first: int, last: int) -> tuple[int, int]:
        """The tokens of a node with the brackets and keywords around what is known of it."""
        if isinstance(node, exp.Paren) and first and self.closing.get(first - 1) == last + 1:
            return first - 1, last + 1
        if isinstance(node, exp.Case):
            return self._back(first, "CASE"), self._forth(last, "END")
        if isinstance(node, exp.Interval):
            known = last + 1 < len(self.tokens) and self.word(last + 1).removesuffix("S") in _UNITS
            return self._back(first, "INTERVAL"), last + known
        if isinstance(node, exp.Query):
            first = self._back(first, "SELECT")
            return (first - 1 if self.closing.get(first - 1, -1) > last else first), last
        if isinstance(node, exp.Not):
            return self._back(first, "NOT"), last
        if isinstance(node, exp.Neg):
            return max(first - 1, 0), last
        if isinstance(node, exp.Func) and not isinstance(node, exp.And | exp.Or):
            return self._call(node, first, last)
        return first, last

    def _call(self, node: exp.Func, first: int, last: int) -> tuple[int, int]:
        if isinstance(node, exp.Cast) and last + 2 < len(self.tokens) and self.word(last + 1) == "::":
            return first, last + 2
        if "start" in node.meta:
            return first, max(last, self.closing.get(first + 1, last))
        opened = next((i for i in range(first - 1, max(first - 8, 0), -1) if self.closing.get(i, -1) > last), 0)
        if not opened or not self.word(opened - 1).isidentifier() or isinstance(node, exp.Binary):
            return first, last
        if isinstance(node, exp.Cast) and not self.word(opened - 1).endswith("CAST"):
            return first, last
        return opened - 1, self.closing[opened]

    def _back(self, first: int, word: str) -> int:
        return next((i for i in range(first, max(first - 8, -1), -1) if self.word(i).split(" ")[0] == word), first)

    def _forth(self, last: int, word: str) -> int:
        return next((i for i in range(last, min(last + 8, len(self.tokens))) if self.word(i) == word), last)

    def clause(self, word: str, start: int) -> Place:
        """The first clause of that keyword from a position on: the keyword and what stands next to it."""
        i = next((i for i in range(bisect_left(self.starts, start), len(self.tokens)) if self.word(i) == word), 0)
        return self.at(i, min(i + 1, len(self.tokens) - 1))

    def after(self, word: str, place: Place) -> Place:
        """A place, begun at the keyword before it if that is near."""
        i = max(bisect_left(self.starts, place.start), 0)
        first = self._back(min(i, len(self.tokens) - 1), word)
        return Place(min(self.tokens[first].start, place.start), place.end)


def tokens(sql: str) -> list[Token]:
    """The words and signs of a script."""
    try:
        return list(_doubled(_DIALECT.tokenize(sql), sql))
    except (SqlglotError, ValueError, IndexError) as error:
        place = Place(max(len(sql.rstrip()) - 1, 0), len(sql.rstrip()))
        hint = "a string ends with ', a quoted name with `, a comment with */"
        detail = "a quote or a comment is not closed" if isinstance(error, TokenError) else _plain(str(error))
        raise SqlError("the SQL cannot be parsed", detail, hint, place) from None


def _doubled(every: list[Token], sql: str) -> Iterator[Token]:
    """Tokens, where two strings without a space between them are one: a quote in a string is written twice."""
    before: Token | None = None
    for token in every:
        if before is not None and _continues(before, token, sql):
            text = before.text + sql[token.start] + token.text
            token = Token(before.token_type, text, before.line, before.col, before.start, token.end, token.comments)
        elif before is not None:
            yield before
        before = token
    if before is not None:
        yield before


def _continues(one: Token, other: Token, sql: str) -> bool:
    strings = one.token_type is TokenType.STRING and other.token_type is TokenType.STRING
    return strings and other.start == one.end + 1 and sql[one.end] == sql[other.start]


def _plain(message: str) -> str:
    """A message of sqlglot's, on one line and without its own terms."""
    return message.split("\n")[0].split("<")[0].strip()
