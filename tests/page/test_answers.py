"""Whatever is asked, the page answers, and goes on."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from page.serving import ask
from punctum.page.register import LONGEST
from punctum.page.serve import LivePage
from punctum.page.stories import STORIES, story

SQL = story("auction").sql


@pytest.fixture(scope="module")
def shown() -> Iterator[LivePage]:
    with LivePage() as page:
        yield page


@pytest.mark.parametrize("path", ["check", "explain"])
def test_odd_texts_have_an_answer(shown: LivePage, path: str) -> None:
    for body in ("", "\0", "ÿ", "SELECT", SQL[:-30], SQL * 2, "x" * (LONGEST + 1), "(" * 2000):
        status, told, _ = ask(shown, f"api/{path}", body=body)
        assert status == 200 and ("error" in told or told["queries"] == []), body[:20]
    assert ask(shown, f"api/{path}", body="x" * (5 * LONGEST))[0] == 413
    assert ask(shown, f"api/{path}")[0] == 405


def test_an_unknown_zone_is_told(shown: LivePage) -> None:
    assert "zone" in ask(shown, "api/check?zone=Nowhere", body=SQL)[1]["error"]["what"]
    assert ask(shown, "api/check?zone=Asia/Tokyo", body=SQL)[1]["queries"]


def test_stories_are_answered(shown: LivePage) -> None:
    told = ask(shown, "api/stories")[1]
    assert [each["name"] for each in told] == [each.name for each in STORIES]
    for each in told:
        assert ask(shown, f"api/stories/{each['name']}")[1]["sql"]
        assert len(ask(shown, f"api/stories/{each['name']}/steps")[1]) == each["slices"]
    status, error, _ = ask(shown, "api/stories/aucton")
    assert (status, error["hint"]) == (409, "did you mean auction?")


def test_the_index_names_all_paths(shown: LivePage) -> None:
    told = ask(shown, "api")[1]
    assert told["control"] is False and "/api/check" in told["paths"]
    assert not any("control" in path for path in told["paths"])
    assert set(ask(shown, "api/server")[1]) == {"server_seconds", "process_seconds"}
    assert ask(shown, "api/nothing")[0] == 404


def test_a_script_opens_nothing(shown: LivePage, tmp_path: Path) -> None:
    """References are not resolved."""
    (tmp_path / "secret").write_text("hunter2")
    sql = "CREATE STREAM a (k BIGINT, PUNCTUATED ON (k)) USING kafka OPTIONS (brokers 'b', topic 't', format 'json',"
    sql += f" user 'me', password '${{file:{tmp_path}/secret}}'); CREATE SINK o USING console;"
    told = ask(shown, "api/check", body=f"{sql} INSERT INTO o SELECT DISTINCT k FROM a;")[1]
    assert told["check"]["queries"][0]["admitted"] and "hunter2" not in json.dumps(told)
