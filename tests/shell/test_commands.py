"""``punctum sql``, ``infer`` and ``new`` as commands; the page of the prompt shows what they print."""

import json
import os
import pty
import re
import select
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from lanes import PATIENCE, long
from punctum.cli import cli
from punctum.commands.check import REFUSED
from punctum.compile import compile
from punctum.errors import PunctumError, RefusedError

PAGE = Path(__file__).parent.parent.parent / "docs" / "prompt.md"


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A new project, in which the test is."""
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(cli, ["new", "shop"]).exit_code == 0
    for name in ("orders", "payment"):
        os.utime(tmp_path / "shop" / "in" / name / "1.json", (1, 1))
    monkeypatch.chdir(tmp_path / "shop")
    return tmp_path / "shop"


def command(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments)


def test_the_page_shows_what_the_commands_print(shop: Path) -> None:
    shown = re.findall(r"^```console\n\$ punctum (.*?)\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    assert len(shown) == 3
    for line, printed in shown:
        result = command(*shlex.split(line))
        assert (result.exit_code, result.stdout + result.stderr) == (0, printed)


def test_the_project_runs_as_it_is(shop: Path) -> None:
    assert command("check", "settled.sql").exit_code == 0
    assert (shop / "README.md").read_text().startswith("# shop\n")
    assert {path.name for path in shop.iterdir()} == {
        "Makefile",
        "README.md",
        ".gitignore",
        "in",
        "settled.sql",
        "test_settled.py",
    }
    passed = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"], capture_output=True, text=True
    )
    assert passed.returncode == 0 and "3 passed" in passed.stdout, passed.stdout
    with pytest.raises(PunctumError, match="exists already"):
        CliRunner().invoke(cli, ["new", str(shop)], catch_exceptions=False)


@long
@pytest.mark.command
def test_the_makefile_of_the_project(shop: Path) -> None:
    made = {"PUNCTUM": f"{sys.executable} -m punctum", "PYTHON": sys.executable}
    for target in ("check", "test", "try", "run"):
        done = subprocess.run(["make", target], env={**os.environ, **made}, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    rows = [
        json.loads(line) for path in (shop / "out/settled").glob("*.json") for line in path.read_text().splitlines()
    ]
    assert sorted(row["orderid"] for row in rows) == [1, 2]


def test_a_saved_query_is_the_same_query(shop: Path) -> None:
    query = "SELECT o.customer, p.paid FROM 'in/orders' AS o JOIN 'in/payment/*.json' p ON o.orderid = p.orderid"
    saved = command("sql", query, "--save", "query.sql")
    assert saved.exit_code == 0 and "it needs a promise first" in saved.stderr
    text = (shop / "query.sql").read_text()
    assert "FROM orders AS o JOIN payment p ON" in text and "all 3 rows of 1 file" in text
    compiled = compile(text)
    assert [str(stream.schema) for stream in compiled.script.streams.values()] == [
        "orderid BIGINT, customer STRING, amount DOUBLE",
        "orderid BIGINT, paid DOUBLE, kind STRING",
    ]
    assert len(command("sql", query).stdout.splitlines()) == 4
    (shop / "sub").mkdir()
    assert command("sql", query, "--save", "sub/query.sql").exit_code == 0
    assert "path '../in/orders'" in (shop / "sub/query.sql").read_text()
    with pytest.raises(PunctumError, match="which a script defines"):
        CliRunner().invoke(
            cli, ["sql", "settled.sql", "SELECT paid FROM payment", "--save", "q.sql"], catch_exceptions=False
        )


def test_what_is_refused(shop: Path) -> None:
    with pytest.raises(RefusedError, match="leave out --follow") as error:
        CliRunner().invoke(
            cli, ["sql", "--follow", "SELECT kind, COUNT(*) FROM 'in/payment' GROUP BY kind"], catch_exceptions=False
        )
    assert "ALLOW UNBOUNDED" in str(error.value) and REFUSED == 1
    assert "one query at a time" in command("sql", "SELECT", "a").stderr
    with pytest.raises(PunctumError, match=r"nosuch\.sql"):
        CliRunner().invoke(cli, ["sql", "nosuch.sql"], catch_exceptions=False)
    (shop / "topic.sql").write_text(
        "CREATE STREAM t (k BIGINT) USING kafka OPTIONS (brokers 'localhost:1', topic 't');"
    )
    with pytest.raises(PunctumError, match="is read from kafka"):
        CliRunner().invoke(cli, ["sql", "topic.sql", "SELECT k FROM t"], catch_exceptions=False)


def test_a_query_on_standard_input(shop: Path) -> None:
    result = CliRunner().invoke(cli, ["sql", "--format", "csv"], input="SELECT COUNT(*) AS n FROM 'in/payment'")
    assert (result.exit_code, result.stdout) == (0, "n\n4\n")


def test_the_prompt_in_a_terminal(shop: Path) -> None:
    ours, theirs = pty.openpty()
    code = "from punctum.cli import main; main()"
    environment = {**os.environ, "TERM": "xterm", "PUNCTUM_HISTORY": str(shop / "history")}
    process = subprocess.Popen(
        [sys.executable, "-c", code, "sql"], stdin=theirs, stdout=theirs, stderr=theirs, env=environment
    )
    os.close(theirs)
    said = b""

    def wait_for(text: bytes) -> None:
        nonlocal said
        while text not in said:
            assert select.select([ours], [], [], PATIENCE)[0], said
            said += os.read(ours, 65536)

    try:
        wait_for(b"punctum>")
        os.write(ours, b"SELECT COUNT(*) AS n FROM 'in/payment';\r")
        wait_for(b"(1 row)")
        os.write(ours, b"\\q\r")
        assert process.wait(PATIENCE) == 0
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    assert "SELECT COUNT(*) AS n" in (shop / "history").read_text()


def test_following_files(shop: Path) -> None:
    """Rows come while files do: the process prints the second file's before it is stopped."""
    code = "from punctum.cli import main; main()"
    query = "SELECT orderid, paid FROM 'in/payment' WHERE paid > 15"
    following = subprocess.Popen(
        [sys.executable, "-c", code, "sql", "--follow", query],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert following.stdout is not None
        lines = [following.stdout.readline(), following.stdout.readline()]
        (shop / "in/payment/.2").write_text('{"orderid": 3, "paid": 49.0, "kind": "last"}\n')
        (shop / "in/payment/.2").rename(shop / "in/payment/2.json")
        lines.append(following.stdout.readline())
        following.terminate()
        assert following.wait() == 0
    finally:
        following.kill()
        following.communicate()
    assert [json.loads(line)["paid"] for line in lines] == [50.0, 20.0, 49.0]


def test_infer_writes_a_stream(shop: Path) -> None:
    result = command("infer", "in/orders", "--name", "sold")
    assert result.exit_code == 0 and "CREATE STREAM sold (" in result.stdout
    assert "no promise was found in 3 rows" in result.stderr
    (shop / "in/orders/1.json").write_text("broken\n" + (shop / "in/orders/1.json").read_text())
    assert "1 line is no row" in command("infer", "in/orders").stderr
    assert "-- columns from" in command("infer", "in/orders", "--columns").stdout
