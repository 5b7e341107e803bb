"""``PYTHONPATH=tests python -m search.mangled FIRST LAST``: scripts with words cut, doubled, changed and swapped.

Whatever the text, ``check`` and ``explain`` show a verdict or an error of ours. Scripts are those of the search, what
tests bind and refuse, and queries of NEXMark; a number is a script and what is done to it.
"""

import random
import sys
import traceback
from collections import Counter
from pathlib import Path

import punctum.nexmark.queries
from punctum.analyse.report.text import text, to_json
from punctum.commands.explain import _explained, _passes
from punctum.compile import Options, compile
from punctum.engine.sinks.check import check_sink
from punctum.errors import PunctumError
from punctum.parse.lexer.text import tokens
from search.scripts import TIMED, written

HERE = Path(__file__).parents[1]
FILES = [
    *sorted((HERE / "parse").glob("*/*.sql")),
    *sorted((HERE / "analyse").glob("*/*.sql")),
    *sorted(Path(punctum.nexmark.queries.__file__).parent.glob("*.sql")),
]
CLAUSES = ("SELECT", "FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "WINDOW", "QUALIFY", "JOIN", "ON", "UNION")
"""With these words pieces begin that are cut or swapped as a whole."""
WORDS = (
    *(
        "(",
        ")",
        ",",
        ".",
        "*",
        "=",
        "<",
        "-",
        "+",
        "NULL",
        "0",
        "-1",
        "1e400",
        "9223372036854775808",
        "''",
        "'a'",
        "k",
        "ts",
    ),
    *("NOT", "AND", "OR", "DISTINCT", "INTERVAL", "INTERVAL 1 HOUR", "CAST", "AS", "OVER", "OVER ()", "PARTITION BY k"),
    *("ORDER BY k", "LIMIT 0", "LIMIT -1", "LIMIT ALL", "ROWS", "RANGE", "UNBOUNDED", "PRECEDING", "CURRENT ROW", "w"),
    *("COUNT(*)", "SUM(k)", "LEAD(k)", "collect_list(k)", "from_json(s, 'a BIGINT')", "current_timestamp()", "EXISTS"),
    *("IN (SELECT k FROM s0)", "window(ts, '1 hour')", "session_window(ts, '1 hour')", "window.start", "UNION ALL"),
    *(
        "LEFT JOIN",
        "FULL JOIN s1 USING (k)",
        "CROSS JOIN",
        "LATERAL",
        "TABLE(HOP(TABLE s0, DESCRIPTOR(ts)",
        "PUNCTUATE",
    ),
    *(
        "EXPECT WITHIN '1 day'",
        "LIFESPAN '1 hour'",
        "WHEN ALL k IN (1)",
        "DELAY '1 hour'",
        "UNIQUE (k)",
        "DOMAIN k IN (1)",
    ),
)


def mangled(number: int) -> str:
    """The text of a number."""
    rng = random.Random(number)
    whole = written(TIMED + rng.randrange(100_000)).sql if rng.random() < 0.6 else rng.choice(FILES).read_text()
    pieces = whole.split(" ")
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        rng.choice([_cut, _double, _change, _change, _swap, _rename, _rename, _rename, _clauses, _clauses])(pieces, rng)
    return " ".join(pieces)


def _cut(pieces: list[str], rng: random.Random) -> None:
    at = rng.randrange(len(pieces) + 1)
    del pieces[at : at + rng.choice([1, 1, 2, 5])]


def _double(pieces: list[str], rng: random.Random) -> None:
    at = rng.randrange(len(pieces) + 1)
    pieces[at:at] = pieces[at : at + rng.choice([1, 2, 6])]


def _change(pieces: list[str], rng: random.Random) -> None:
    at = rng.randrange(len(pieces) + 1)
    pieces[at : at + rng.choice([0, 1])] = [rng.choice([*WORDS, *(pieces or [""])])]


def _rename(pieces: list[str], rng: random.Random) -> None:
    """Let a word be another one of the same shape."""
    shapes = {n: (word.count("."), word.endswith(","), word.isupper()) for n, word in enumerate(pieces)}
    if shapes:
        at = rng.choice(list(shapes))
        pieces[at] = rng.choice([pieces[n] for n, shape in shapes.items() if shape == shapes[at]])


def _swap(pieces: list[str], rng: random.Random) -> None:
    if pieces:
        a, b = (rng.randrange(len(pieces)) for _ in range(2))
        pieces[a], pieces[b] = pieces[b], pieces[a]


def _clauses(pieces: list[str], rng: random.Random) -> None:
    """Cut a clause, or let it change places with the one behind it."""
    starts = [n for n, word in enumerate(pieces) if word.lstrip("(") in CLAUSES]
    if len(starts) > 2:
        n = rng.randrange(len(starts) - 2)
        a, b, c = starts[n : n + 3]
        pieces[a:c] = pieces[b:c] if rng.random() < 0.4 else [*pieces[b:c], *pieces[a:b]]


def shown(sql: str) -> str:
    """What ``check`` and ``explain`` say of a script: a word for it."""
    try:
        list(tokens(sql))
        whole = compile(sql, Options())
        for query in whole.queries:
            check_sink(query.query.sink, query.query.relation.schema)
        assert not whole.queries or (text(whole.analyses, whole.script.text) and to_json(whole.analyses))
        for query in whole.queries:
            assert list(_explained(query)) and list(_passes(query))
    except PunctumError as error:
        assert str(error)
        return "error"
    return "shown"


def main(first: int, last: int) -> None:
    """Try numbers, and tell of each text that an error of Python's comes out for."""
    words = Counter[str]()
    for number in range(first, last):
        try:
            words[shown(mangled(number))] += 1
        except Exception as error:
            words["wrong"] += 1
            where = traceback.extract_tb(error.__traceback__)[-1]
            print(number, f"{type(error).__name__} {error} in {where.filename}:{where.lineno}", flush=True)
        if number % 1000 == 999:
            print(number, dict(words), flush=True)
    print(dict(words))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
