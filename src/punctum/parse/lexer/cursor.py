"""A cursor over the tokens of a statement, for the clauses that are not Spark's."""

from sqlglot.tokenizer_core import Token, TokenType

from punctum.errors import Place, SqlError, masked
from punctum.parse.lexer.text import Text


class Cursor:
    """Where one stands among the tokens from start to before end."""

    def __init__(self, text: Text, start: int, end: int) -> None:
        self.text, self.start, self.end, self.at = text, start, end, start

    @property
    def done(self) -> bool:
        """Whether nothing follows."""
        return self.at >= self.end

    @property
    def token(self) -> Token | None:
        """What follows."""
        return None if self.done else self.text.tokens[self.at]

    @property
    def place(self) -> Place:
        """Where what follows stands, or the last token when nothing does."""
        i = min(self.at, self.end - 1)
        return self.text.at(i, i)

    def since(self, first: int) -> Place:
        """The place from a token up to the one just read."""
        return self.text.at(first, max(self.at - 1, first))

    @property
    def whole(self) -> Place:
        """The place of the statement."""
        return self.text.at(self.start, self.end - 1)

    def sees(self, *words: str) -> bool:
        """Whether these words follow."""
        ahead = range(self.at, self.at + len(words))
        return all(i < self.end and self.text.word(i) == word for i, word in zip(ahead, words, strict=True))

    def accept(self, *words: str) -> bool:
        """Step over these words if they follow."""
        if self.sees(*words):
            self.at += len(words)
            return True
        return False

    def expect(self, word: str, where: str) -> None:
        """Step over a word that must follow."""
        if not self.accept(word):
            raise self.unexpected(word, where)

    def unexpected(self, expected: str, where: str) -> SqlError:
        """The error for something else than what must follow."""
        token = "nothing" if self.token is None else masked(self.text.sql)[self.place.start : self.place.end]
        return SqlError(f"expected {expected} in {where}", f"found {token}", "", self.place)

    def name(self, what: str, where: str) -> str:
        """A name, quoted or not."""
        token = self.token
        plain = token is not None and token.text.isidentifier() and token.token_type is not TokenType.STRING
        if token is None or not (plain or token.token_type is TokenType.IDENTIFIER) or not token.text:
            raise self.unexpected(what, where)
        self.at += 1
        return token.text

    def names(self, what: str, where: str) -> list[str]:
        """Names in brackets."""
        self.expect("(", where)
        names = [self.name(what, where)]
        while self.accept(","):
            names.append(self.name(what, where))
        self.expect(")", where)
        return names

    def string(self, where: str) -> str:
        """A quoted text."""
        token = self.token
        if token is None or token.token_type is not TokenType.STRING:
            raise self.unexpected("a quoted string", where)
        self.at += 1
        return token.text

    def of_type(self, stops: tuple[str, ...]) -> tuple[int, int]:
        """Step over a type, whose parts stand between < and >; the tokens passed."""
        first, depth = self.at, 0
        while not self.done and (depth > 0 or self.text.word(self.at) not in stops):
            word = self.text.word(self.at)
            depth += word.count("<") - word.count(">")
            self.at = min(self.text.closing.get(self.at, self.at) + 1, self.end)
        return first, self.at

    def balanced(self, stops: tuple[str, ...]) -> tuple[int, int]:
        """Step to the first of some words that is not inside brackets; the tokens passed."""
        first = self.at
        while not self.done and self.text.word(self.at) not in stops:
            closing = self.text.closing.get(self.at, self.at)
            self.at = min(closing + 1, self.end)
        return first, self.at
