"""The prompt: statements and commands as they are typed, through prompt_toolkit's own input."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from punctum.errors import SqlError
from punctum.shell.completion import Completions, Highlighted
from punctum.shell.known import Known
from punctum.shell.prompt import Prompt, TypedVerdict, session

BIDS = [{"itemid": n // 3, "price": n / 2, "status": "open"} for n in range(12)]


@pytest.fixture
def known(tmp_path: Path) -> Known:
    """Files of bids, of which punctuations close items, and of items without any."""
    for name in ("bid", "item"):
        (tmp_path / "in" / name).mkdir(parents=True)
    lines = [json.dumps(bid) for bid in BIDS] + [json.dumps({"$punct": {"itemid": n}}) for n in range(3)]
    (tmp_path / "in" / "bid" / "1.json").write_text("\n".join(lines))
    (tmp_path / "in" / "item" / "1.csv").write_text("itemid,name\n" + "".join(f"{n},item {n}\n" for n in range(4)))
    return Known(tmp_path)


@pytest.fixture
def said() -> list[str]:
    """What the prompt has printed."""
    return []


@pytest.fixture
def take(known: Known, said: list[str]) -> Callable[[str], str]:
    """Runs a statement, and gives what it prints."""
    prompt = Prompt(known, "table", 100, said.append)

    def run(text: str) -> str:
        said.clear()
        assert prompt.take(text)
        return "\n".join(said)

    return run


def test_a_query_prints_its_rows_and_what_is_known_of_it(take: Callable[[str], str]) -> None:
    shown = take("SELECT itemid, COUNT(*) AS n FROM 'in/bid/*.json' GROUP BY itemid;")
    assert shown.splitlines() == [
        " itemid │ n",
        "────────┼───",
        "      0 │ 3",
        "      1 │ 3",
        "      2 │ 3",
        "      3 │ 3",
        "(4 rows)",
    ]
    assert take("\\s").splitlines()[0].split()[:2] == ["1", "rows"]  # item 3 was open when the files ended
    assert "purged by" in take("\\p")


def test_looks(take: Callable[[str], str], tmp_path: Path) -> None:
    assert "nothing is known yet" in take("\\d")
    assert "promises nothing" in take("\\d in/item")
    assert (
        take("CREATE STREAM bid (itemid BIGINT, PUNCTUATED ON (itemid)) USING json OPTIONS (path 'in/bid');")
        == "defined bid"
    )
    assert take("\\d bid").splitlines() == ["itemid  BIGINT", "PUNCTUATED ON (itemid)"]
    assert take("\\d bif").splitlines()[-1] == "  hint: did you mean bid?"
    assert take("\\d").splitlines() == [
        f"bid        stream, json {(tmp_path / 'in' / 'bid').resolve()}",
        "'in/item'  all 4 rows of 1 file",
    ]
    assert "there is no command \\x" in take("\\x")
    assert "no query has run" in take("\\s")
    assert "there is no query yet" in take("\\p")
    assert "\\d NAME" in take("\\?")


def test_what_is_defined_can_be_asked(take: Callable[[str], str]) -> None:
    take("CREATE STREAM bid (itemid BIGINT, price DOUBLE) USING json OPTIONS (path 'in/bid')")
    take("CREATE TABLE item (itemid BIGINT, name STRING) USING csv OPTIONS (path 'in/item', header 'true')")
    shown = take("SELECT name, MAX(price) AS most FROM bid JOIN item USING (itemid) GROUP BY name;")
    assert sorted(shown.splitlines()[2:6])[0].split("│")[0].strip() == "item 0"


def test_a_query_becomes_a_script(take: Callable[[str], str], tmp_path: Path) -> None:
    take("SELECT itemid, COUNT(*) AS n FROM 'in/bid' GROUP BY itemid")
    assert "punctum run" in take(f"\\w {tmp_path / 'q.sql'}")
    text = (tmp_path / "q.sql").read_text()
    assert "FROM bid GROUP BY itemid" in text and "PUNCTUATED ON (itemid)" in text
    assert "exists already" in take(f"\\w {tmp_path / 'q.sql'}")


def test_errors_leave_the_prompt(take: Callable[[str], str]) -> None:
    assert "did you mean itemid?" in take("SELECT itmid FROM 'in/bid'")
    assert "there are no files" in take("SELECT a FROM 'in/bids/*'")
    assert "INSERT INTO are for scripts" in take("INSERT INTO x SELECT 1")
    assert "hint" in take("DELETE FROM bid")


def test_the_verdict_while_a_query_is_typed(known: Known) -> None:
    verdict = TypedVerdict(known)
    assert "\\?" in verdict("")
    assert verdict("SELECT itemid, COUNT(*) FROM 'in/bid' GROUP BY itemid").startswith("safe")
    assert verdict("SELECT price, COUNT(*) FROM 'in/bid' GROUP BY price") == (
        "unbounded state, final when the files end; to follow files, add PUNCTUATED ON (price) to in/bid"
    )
    assert verdict("SELECT itmid FROM 'in/bid'") == "… there is no column itmid (did you mean itemid?)"
    assert verdict("SELECT itemid FROM 'in/b").startswith("…")


def completed(known: Known, text: str) -> list[str]:
    return [c.text for c in Completions(known).get_completions(Document(text), CompleteEvent())]


def test_completion(known: Known) -> None:
    known.define("CREATE STREAM bids (itemid BIGINT, `a b` DOUBLE) USING json OPTIONS (path 'in/bid')")
    assert completed(known, "\\") == ["\\d", "\\p", "\\s", "\\w", "\\?", "\\q"]
    assert completed(known, "SELECT a FROM 'in/") == ["bid/", "item/"]
    assert completed(known, "SELECT a FROM 'in/bid/") == ["1.json"]
    assert completed(known, "SELECT a FROM b") == ["bids"]
    assert completed(known, "\\d b") == ["bids"]
    assert "price" in completed(known, "SELECT * FROM 'in/bid' WHERE pr")
    assert completed(known, "SELECT itemid, x FROM bids WHERE ite") == ["itemid"]
    assert {"SELECT"} <= set(completed(known, "SEL")) and "select" in completed(known, "sel")
    assert "sum" in completed(known, "SELECT su")


def test_pieces_of_a_line_are_the_line() -> None:
    line = "SELECT 'a b', \"c\", `d e` FROM x -- SELECT 'all'"
    pieces = Highlighted().lex_document(Document(line))(0)
    assert "".join(piece for _, piece, *_ in pieces) == line
    assert ("bold ansiblue", "SELECT") in pieces and ("ansigreen", "'a b'") in pieces


def test_what_is_typed(known: Known) -> None:
    """Enter goes on until there is a semicolon, an empty line ends a statement too, and what was asked comes back."""
    history = InMemoryHistory()
    with create_pipe_input() as typed, create_app_session(input=typed, output=DummyOutput()):
        reading = session(known, history)
        typed.send_text("SELECT a\rFROM b;\r")
        assert reading.prompt() == "SELECT a\nFROM b;"
        typed.send_text("SELECT b\r\r")
        assert reading.prompt() == "SELECT b\n"
        typed.send_text("\\d\r")
        assert reading.prompt() == "\\d"
        typed.send_text("\x1b[A\x1b[A\r")  # up, up: into the statement before
        assert reading.prompt() in ("SELECT b\n", "SELECT a\nFROM b;")
        typed.send_text("\x04")
        with pytest.raises(EOFError):
            reading.prompt()
    assert list(history.load_history_strings())[-1] == "SELECT a\nFROM b;"


def test_the_end(known: Known, said: list[str]) -> None:
    assert [Prompt(known, "table", 9, said.append).take(text) for text in ("\\q", "exit", "", ";")] == [
        False,
        False,
        True,
        True,
    ]


def test_two_names_that_differ_in_case(known: Known) -> None:
    (known.base / "in" / "BID").mkdir()
    with pytest.raises(SqlError, match="differ in case"):
        known.compiled("SELECT 1 AS a FROM 'in/bid', 'in/BID'")
