"""What the pages show is so: each script of theirs is read, and those with data are run; commands and options exist."""

import re
import runpy
from pathlib import Path
from typing import Any

import pytest
from click import Command, Group

from punctum.cli import cli
from punctum.compile import Options, compile
from punctum.engine import prometheus
from punctum.parse.script import parse_function
from punctum.testing import run_all
from test_docs import PAGES, ROOT, blocks

DOCS = ROOT / "docs"
ELSEWHERE = {"README.md", "elements.md", "sql.md", "bounded-memory.md", "life-of-a-query.md", "start.md"}
"""Pages whose SQL other tests run: ``test_docs.py`` and ``test_tutorial.py``."""
POSTGRES = "CREATE SCHEMA punctum"
"""The SQL that a database of Postgres takes."""
STREAMS = """
CREATE STREAM a (id BIGINT, ts TIMESTAMP, PUNCTUATE (ts ASC)) USING json OPTIONS (path 'in/a');
CREATE STREAM b (id BIGINT, ts TIMESTAMP, y BIGINT, PUNCTUATE (ts ASC)) USING json OPTIONS (path 'in/b');
CREATE STREAM item (itemid BIGINT, UNIQUE (itemid)) USING json OPTIONS (path 'in/item');
CREATE STREAM bid (itemid BIGINT, increase DOUBLE, PUNCTUATED ON (itemid)) USING json OPTIONS (path 'in/bid');
CREATE SINK o USING json OPTIONS (path 'out/o');
INSERT INTO o
"""
"""What a page speaks of that shows a SELECT alone."""
LOOK = Options(functions={"look": parse_function("look", lambda ids: ids, ["BIGINT"], "BIGINT")})
SCRIPTS = [
    pytest.param(text, id=f"{page.relative_to(ROOT)}-{number}")
    for page in PAGES
    if page.name not in ELSEWHERE and "tutorial" not in page.parts
    for number, text in enumerate(blocks(page, "sql"))
    if POSTGRES not in text
]


def test_there_are_scripts() -> None:
    assert len(SCRIPTS) > 15


@pytest.mark.parametrize("sql", SCRIPTS)
def test_a_script_of_a_page_is_one(sql: str) -> None:
    """Whoever copies it has a script, whose queries are admitted."""
    compiled = compile(STREAMS + sql if sql.startswith("SELECT") else sql, LOOK)
    assert [each.query.name for each in compiled.queries if not each.analysis.safe] == []
    assert compiled.queries or compiled.script.streams or compiled.script.sinks


def test_pages_have_the_programs_of_the_readme() -> None:
    assert blocks(DOCS / "index.md", "sql") == blocks(ROOT / "README.md", "sql") != []
    assert blocks(DOCS / "python.md", "python") == blocks(ROOT / "README.md", "python") != []


def test_the_page_of_windows_shows_what_comes_out() -> None:
    page = DOCS / "windows.md"
    script, bids = blocks(page, "sql")[0], blocks(page, "json")[0].splitlines()
    highest, counts, visits = (outcome.slices[0].lines for outcome in run_all(script, {"bid": bids}).values())
    assert len(counts) == 11
    shown = [list(lines) for lines in (highest, counts[:4], visits)]
    assert shown == [text.splitlines() for text in blocks(page, "")]


def test_the_page_of_tables_shows_what_comes_out(tmp_path: Path) -> None:
    page = DOCS / "tables.md"
    table, result = blocks(page, "")
    (tmp_path / "category.csv").write_text(table)
    outcome = run_all(blocks(page, "sql")[0], {"bid": blocks(page, "json")[0].splitlines()}, directory=tmp_path)
    assert "".join(f"{line}\n" for line in outcome["total"].slices[0].lines) == result


def test_the_program_of_the_page_of_examples_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (program,) = blocks(ROOT / "examples/README.md", "python")
    (tmp_path / "program.py").write_text(program)
    monkeypatch.chdir(ROOT)
    runpy.run_path(str(tmp_path / "program.py"))
    printed = capsys.readouterr().out
    assert printed.startswith("reconciled\n")
    shown = blocks(ROOT / "examples/payments/README.md", "")
    assert [text for text in shown if text not in printed] == []


def test_the_program_of_the_page_of_operation_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """It serves at the port that is named; here at any that is free."""
    served = list[Any]()
    serve = prometheus.serve
    monkeypatch.setattr(prometheus, "serve", lambda text, port: served.append((serve(text, 0), port)))
    exec(blocks(DOCS / "operate.md", "python")[0], {"queries": []})
    ((server, port),) = served
    with server:
        assert port == 9108
        server.shutdown()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_of_a_page_exist(page: Path) -> None:
    """With their options; and so do the programs and the make targets that it names."""
    text = re.sub(r"\\\n\s+", "", page.read_text())
    fenced = [
        line
        for _, body in re.findall(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
        for line in body.splitlines()
    ]
    spans = re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE))
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for shown in (*fenced, *spans):
        if (given := re.match(r"(?:\$ |\.venv/bin/)?punctum ([a-z]+)(?= |$)(.*)", shown)) is not None:
            command = cli.commands.get(given[1])
            assert command is not None, shown
            named = re.findall(r"(?<=[ \[|])--[a-z][a-z-]*", re.sub(r"\"[^\"]*\"|'[^']*'", "", given[2]))
            assert set(named) <= _options(command), shown
        elif (program := re.match(r"(?:\.venv/bin/)?python ([\w/]+\.py)", shown)) is not None:
            assert (ROOT / program[1]).exists(), shown
        elif (target := re.match(r"(?:[A-Z]+=\S+ )?make ([\w-]+)", shown)) is not None and "new" not in page.stem:
            assert target[1] in targets, shown


def _options(command: Command) -> set[str]:
    """Those of a command; of several in a group, those of all of them."""
    own = {"--help", *(name for each in command.params for name in (*each.opts, *each.secondary_opts))}
    return own.union(*map(_options, command.commands.values())) if isinstance(command, Group) else own
