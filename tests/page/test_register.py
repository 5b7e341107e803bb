"""The register as the editor asks it: what the command says, the places in the SQL, and advice that can be followed."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from page.serving import SCRIPTS
from punctum.cli import cli
from punctum.page.register import Answer, explained, verdicts

REFUSED = {
    "one line": "CREATE STREAM a (k BIGINT, x BIGINT) USING memory;",
    "lines": "CREATE STREAM a (\n  k BIGINT,\n  x BIGINT\n) USING memory;",
    "a comment last": "CREATE STREAM a (\n  k BIGINT, x BIGINT -- the last one\n) USING memory;",
    "brackets in types": "CREATE STREAM a (k DECIMAL(10, 2), x BIGINT) USING json OPTIONS (path ')');",
    "another case": "CREATE STREAM A (K BIGINT, x BIGINT) USING memory;",
    "quoted": "CREATE STREAM `a` (`k` BIGINT, `x)` BIGINT) USING memory;",
}
SINK = " CREATE SINK o USING console; INSERT INTO o SELECT DISTINCT k FROM a;"


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_verdict_is_that_of_the_command(name: str, tmp_path: Path) -> None:
    script = tmp_path / "script.sql"
    script.write_text(SCRIPTS[name])
    told = CliRunner().invoke(cli, ["check", "--json", str(script)])
    assert verdicts(SCRIPTS[name])["check"] == json.loads(told.output)


@pytest.mark.parametrize("name", SCRIPTS)
def test_each_state_has_its_place(name: str) -> None:
    """A place is within the text, and holds an operator's clause."""
    for query in verdicts(SCRIPTS[name])["queries"]:
        for start, end in filter(None, (state["place"] for state in query["states"])):
            assert 0 <= start < end <= len(SCRIPTS[name])
            assert "\n\n" not in SCRIPTS[name][start:end], "no more than a statement"


def test_there_are_thirty_scripts_of_both_kinds() -> None:
    answers = {name: verdicts(sql) for name, sql in SCRIPTS.items()}
    admitted = [all(query["admitted"] for query in answer["check"]["queries"]) for answer in answers.values()]
    assert len(admitted) >= 30 and set(admitted) == {True, False}


def followed(sql: str, edits: list[dict[str, object]]) -> str:
    """A script with what the editor puts into it, from the last place to the first."""
    for edit in sorted(edits, key=lambda edit: -int(str(edit["at"]))):
        at = int(str(edit["at"]))
        sql = sql[:at] + str(edit["insert"]) + sql[at:]
    return sql


def advised(answer: Answer) -> list[list[dict[str, object]]]:
    return [advice["edits"] for query in answer["queries"] for advice in query["advice"]]


@pytest.mark.parametrize("name", REFUSED)
def test_advice_that_is_followed_helps(name: str) -> None:
    sql = REFUSED[name] + SINK
    answers = advised(verdicts(sql))
    assert answers
    for edits in answers:
        after = verdicts(followed(sql, edits))
        assert after["check"]["queries"][0]["admitted"], followed(sql, edits)


def test_advice_for_two_streams_helps() -> None:
    sql = "".join(REFUSED["one line"].replace(" a ", f" {name} ") for name in "ab")
    sql += "CREATE SINK o USING console; INSERT INTO o SELECT a.k FROM a JOIN b ON a.k = b.k;"
    (edits,) = advised(verdicts(sql))
    assert len(edits) == 2 and verdicts(followed(sql, edits))["check"]["queries"][0]["admitted"]


def test_the_unreachable_stream_is_known() -> None:
    (graph,) = verdicts(SCRIPTS["forgotten"])["queries"][0]["graphs"]
    assert graph["streams"] == ["item", "bid"] and graph["unreachable"] == [[1], []]
    assert [(edge["known"], edge["to"], edge["scheme"]) for edge in graph["edges"]] == [([[1]], 0, "item(itemid)")]


def test_what_is_wrong_has_its_place() -> None:
    sql = "CREATE STREAM a (k BIGINT) USING memory; CREATE SINK o USING console; INSERT INTO o SELECT kk FROM a;"
    error = verdicts(sql)["error"]
    start, end = error["place"]
    assert (sql[start:end], error["hint"]) == ("kk", "did you mean k?")
    assert explained(sql)["error"] == error


@pytest.mark.parametrize("sql", ["", "  \n", ";", "\0", "CREATE", "-- nothing", "SELECT 1", "é" * 100, "(" * 500])
def test_any_text_has_an_answer(sql: str) -> None:
    """An answer that is JSON: verdicts, none of them, or an error."""
    answer = json.loads(json.dumps(verdicts(sql)))
    assert answer.get("check") == {"queries": []} or answer["error"]["what"]


def test_secrets_are_not_shown() -> None:
    sql = "CREATE STREAM a (k BIGINT, PUNCTUATED ON (k)) USING kafka OPTIONS (brokers 'b', topic 't', format 'json',"
    sql += " user 'me', password 'hunter2'); CREATE SINK o USING console; INSERT INTO o SELECT DISTINCT k FROM a;"
    answer = verdicts(sql)
    assert "error" not in answer and "hunter2" not in json.dumps(answer)
    assert len(answer["queries"][0]["picture"]["sql"]) == len(sql)


def test_plans_and_passes_are_those_of_explain(tmp_path: Path) -> None:
    script = tmp_path / "script.sql"
    script.write_text(SCRIPTS["triangle"])
    (query,) = explained(SCRIPTS["triangle"])["queries"]
    told = CliRunner().invoke(cli, ["explain", str(script)]).output
    for line in (*query["costs"], *query["stages"]):
        assert line in told
    assert [each["name"] for each in query["passes"]][:3] == ["bind", "infer promises", "plan joins"]
