"""Whatever the text, there is a script or an error of ours, and the error can be shown."""

import random

from hypothesis import given
from hypothesis import strategies as st

from parse.golden import BID, CATALOG, HERE, dump, split
from punctum.errors import PunctumError
from punctum.ir import Relation
from punctum.parse import parse_query, parse_script, parse_stream
from punctum.parse.lexer.text import tokens

SCRIPTS = [split(path, path.parent.name)[0] for path in sorted(HERE.glob("*/*.sql")) if path.stem != "deep"]
PIECES = [[sql[token.start : token.end + 1] for token in tokens(sql)] for sql in SCRIPTS if "'abc" not in sql]
WORDS = sorted({piece for pieces in PIECES for piece in pieces})


def survives(sql: str) -> None:
    for read in (parse_script, parse_query):
        try:
            result = read(sql, CATALOG)
            assert isinstance(result, Relation) or result.text == sql
            dump(result)
        except PunctumError as error:
            assert str(error)
    try:
        assert parse_stream("a", BID, sql).name == "a"
    except PunctumError as error:
        assert str(error)


@given(st.lists(st.sampled_from(WORDS), max_size=30), st.sampled_from(["", "SELECT ", "SELECT * FROM bid ", "CREATE "]))
def test_token_soup(words: list[str], head: str) -> None:
    survives(head + " ".join(words))


@given(st.sampled_from(PIECES), st.integers(0, 2**32))
def test_mutated_scripts(pieces: list[str], seed: int) -> None:
    chance, changed = random.Random(seed), list(pieces)
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(changed) + 1)
        match chance.randrange(4):
            case 0 if changed:
                del changed[min(at, len(changed) - 1)]
            case 1:
                changed.insert(at, chance.choice(WORDS))
            case 2 if changed:
                changed[min(at, len(changed) - 1)] = chance.choice(WORDS)
            case _ if len(changed) > 1:
                i, j = chance.randrange(len(changed)), chance.randrange(len(changed))
                changed[i], changed[j] = changed[j], changed[i]
    survives(" ".join(changed))


@given(st.text())
def test_any_text(text: str) -> None:
    survives(text)
    survives(f"SELECT {text} FROM bid")
    survives(f"CREATE STREAM a (x INT, {text}) USING json")
    survives(f"CREATE STREAM a (x INT, PUNCTUATE (x) WHEN {text}) USING json")


def test_deep_and_long_texts() -> None:
    survives("SELECT " + "(" * 5_000 + "1" + ")" * 5_000 + " FROM bid")
    survives("SELECT " + "-" * 5_000 + "1 FROM bid")
    survives("SELECT " + "NOT " * 2_000 + "TRUE FROM bid")
    survives("SELECT " + "CASE WHEN TRUE THEN " * 500 + "1" + " END" * 500 + " AS x FROM bid")
    survives("SELECT x FROM " + "(SELECT * FROM " * 300 + "bid" + ")" * 300)
    survives("SELECT itemid FROM bid" + " UNION SELECT itemid FROM bid" * 300)
    long = "SELECT itemid FROM bid WHERE " + " OR ".join(f"itemid = {i}" for i in range(1_000))
    assert len(dump(parse_query(long, CATALOG))) > 1_000
    many = "SELECT itemid FROM bid WHERE itemid IN (" + ", ".join(map(str, range(5_000))) + ")"
    assert len(dump(parse_query(many, CATALOG))) > 5_000
