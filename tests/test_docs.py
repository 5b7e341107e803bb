"""The documentation is true: programs print what the page shows, links lead somewhere, commands exist."""

import ast
import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner
from pyspark.sql import SparkSession

from punctum import Session
from punctum.algebra import Schema, from_json, from_xml, pattern_from_text, puncts, to_json, tups
from punctum.analyse.report import text as report
from punctum.analyse.safety.register import verdict
from punctum.cli import EXAMPLES, cli
from punctum.commands.running import INTERRUPTED
from punctum.engine import metrics
from punctum.engine.prometheus import Totals, samples
from punctum.operators.columns import ColumnarSlice, frame, to_rows
from punctum.parse import parse_script
from punctum.parse.ddl import options
from punctum.plan.joins.counts import PUNCTS_FROM, ROWS_FROM, STABLE_OF
from punctum.testing.simulate import run
from test_rooms import ROOMS, room_of

ROOT = Path(__file__).parent.parent
SQL, TUTORIAL = ROOT / "docs/sql.md", ROOT / "docs/tutorial/3-sessions.md"
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.md"), ROOT / "src/punctum/README.md"]


def blocks(page: Path, language: str) -> list[str]:
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE)
    return [text for tag, text in fenced if tag == language]


def test_the_readmes_script_gives_what_it_shows(tmp_path: Path) -> None:
    """Through the stages and buckets of the engine; tests/engine/test_spark.py holds those against Spark itself."""
    (script,) = blocks(ROOT / "README.md", "sql")
    bids = blocks(ROOT / "README.md", "json")[0].splitlines()
    parsed = parse_script(script)
    item, bid = (parsed.streams[name].schema for name in ("item", "bid"))
    items = re.findall(r"`(\{.*?\}+)`", (ROOT / "README.md").read_text())[:2]
    fed = {name: _columns(schema, lines) for name, schema, lines in (("item", item, items), ("bid", bid, bids))}
    (piece,) = run(parsed.queries[0].relation, [fed], buckets=2)
    written = [to_json(row, parsed.queries[0].relation.schema).replace(" ", "") for row in to_rows(piece.rows)]
    assert written == blocks(ROOT / "README.md", "")[0].splitlines()


def test_the_readme_shows_what_check_prints(tmp_path: Path) -> None:
    page = ROOT / "README.md"
    (script,) = blocks(page, "sql")
    (tmp_path / "auction.sql").write_text(script.replace("increase DOUBLE, PUNCTUATED ON (itemid)", "increase DOUBLE"))
    result = CliRunner().invoke(cli, ["check", str(tmp_path / "auction.sql")])
    assert (result.exit_code, result.output) in [(1, text) for text in blocks(page, "")]


def test_the_json_of_the_register_is_as_its_page_shows(tmp_path: Path) -> None:
    (script,) = blocks(ROOT / "README.md", "sql")
    (shown,) = (json.loads(text)["queries"] for text in blocks(ROOT / "docs/register.md", "json"))
    (tmp_path / "auction.sql").write_text(script.replace("increase DOUBLE, PUNCTUATED ON (itemid)", "increase DOUBLE"))
    result = CliRunner().invoke(cli, ["check", "--json", str(tmp_path / "auction.sql")])
    (query,) = json.loads(result.output)["queries"]
    query["state"] = [state for state in query["state"] if state in shown[0]["state"]]
    assert shown == [query]


def _columns(schema: Schema, lines: list[str]) -> ColumnarSlice:
    elements = [from_json(line, schema) for line in lines]
    return ColumnarSlice(frame(schema, tups(elements)), tuple(puncts(elements)))


def test_elements_are_written_as_the_page_shows() -> None:
    page = ROOT / "docs/elements.md"
    report = Schema.of(sid="STRING", hour="BIGINT", temp="DOUBLE")
    row, punctuation = (from_json(line, report) for line in blocks(page, "json")[0].splitlines())
    assert [from_xml(line, report, "tempdata") for line in blocks(page, "xml")[0].splitlines()] == [row, punctuation]
    by_name = {"range": "hour", "constant": "sid", "list": "hour", "empty": "hour", "every value but NULL": "hour"}
    table = re.findall(r"^\| ([a-z][\w ]+) \| (`.*`) \| (`.*`) \|$", page.read_text(), re.MULTILINE)
    assert {kind for kind, _, _ in table} >= set(by_name)
    for kind, texts, jsons in table:
        for text, written in zip(re.findall("`(.*?)`", texts), re.findall("`(.*?)`", jsons), strict=True):
            name = "temp" if "0.5" in text else "hour" if text == "17" else by_name[kind]
            pattern = pattern_from_text(text, report.attributes[report.index(name)])
            element = from_json(f'{{"$punct": {{"{name}": {written}}}}}', report)
            assert to_json(element, report) == to_json(type(element).of(report, {name: pattern}), report)  # type: ignore


def test_the_clauses_of_the_page_are_clauses() -> None:
    page = ROOT / "docs/elements.md"
    table, example = blocks(page, "sql")
    assert parse_script(example).streams["reading"].punctuates
    rows = [line for line in page.read_text().splitlines() if re.match(r"\| `(PUNCTUATE|UNIQUE|DOMAIN)", line)]
    clauses = [clause for line in rows for clause in re.findall("`(.*?)`", line.split(" | ")[0])]
    assert len(clauses) == 15
    columns = "itemid BIGINT, status STRING, ts TIMESTAMP, hour BIGINT, sid STRING"
    for clause in clauses:
        stream = parse_script(f"{table} CREATE STREAM a ({columns}, {clause}) USING json").streams["a"]
        assert stream.punctuates or stream.unique or clause.startswith("DOMAIN"), clause
        assert bool(stream.schemes) != clause.startswith("DOMAIN"), clause


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
        assert (page.parent / target).exists(), target


def test_make_targets_of_the_pages_exist() -> None:
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for page in PAGES:
        assert set(re.findall(r"`(?:\w+=\w+ )?make (\w+)`", page.read_text())) <= targets


def test_the_page_of_the_demo_names_what_it_takes() -> None:
    page = (ROOT / "docs/demo.md").read_text()
    options = [name for parameter in cli.commands["demo"].params for name in parameter.opts if name.startswith("--")]
    for name in (*EXAMPLES, *options, "demo-run/", f"exit code {INTERRUPTED}"):
        assert name in page, name


def test_the_first_page_lists_all_pages() -> None:
    listed = set(re.findall(r"\]\((?!\.\.)([^)]+)\)", (ROOT / "docs/index.md").read_text()))
    pages = {path.name for path in ROOT.glob("docs/*.md")} - {"index.md"}
    assert listed == pages | {"tutorial/README.md", "design/README.md"}


def test_the_page_of_bounded_memory_shows_what_check_prints() -> None:
    page = (ROOT / "docs/bounded-memory.md").read_text()
    shown = re.findall(r"```sql\n(.*?)```.*?```\n(.*?)```", page, re.DOTALL)
    assert len(shown) == 2
    for sql, text in shown:
        assert report.text(verdict(parse_script(sql)), sql) == text.rstrip()


def test_the_examples_of_the_sql_page_are_a_script() -> None:
    script = parse_script("".join(blocks(SQL, "sql")))
    made = ["large", "north", "south", "reading"]
    assert list(script.streams) == ["item", "bid", *made, "both", "best", "latest", "a", "b", "merged", "ordered"]
    assert [(known.query.name, known.admitted) for known in verdict(script)] == [("hourly", True), ("closing", True)]


def test_the_examples_of_the_page_of_windows_are_admitted() -> None:
    script = parse_script("".join(blocks(ROOT / "docs/windows.md", "sql")))
    known = {each.query.name: each.admitted for each in verdict(script)}
    assert known == dict.fromkeys(["highest", "counts", "visits", "sellers", "clicks"], True)


def test_the_tutorial_shows_what_check_prints(tmp_path: Path) -> None:
    script, clause = blocks(TUTORIAL, "sql")
    admitted, refused = blocks(TUTORIAL, "")[:2]
    promise = ",\n  PUNCTUATE (session) WHEN page = 'logout'"
    for sql, shown, code in (
        (script, admitted, 0),
        (script.replace(promise, ""), refused, 1),
        (script.replace(promise, f",\n{clause}"), admitted, 0),
    ):
        (tmp_path / "visits.sql").write_text(sql)
        result = CliRunner().invoke(cli, ["check", str(tmp_path / "visits.sql")])
        assert (result.exit_code, result.output) == (code, shown)


def test_the_tutorial_gives_what_it_shows(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "visits.sql").write_text(blocks(TUTORIAL, "sql")[0])
    (tmp_path / "in/click").mkdir(parents=True)
    *results, quarantine = blocks(TUTORIAL, "")[2:]
    for number, (rows, shown) in enumerate(zip(blocks(TUTORIAL, "json"), results, strict=True), 1):
        (tmp_path / f"in/click/{number}.json").write_text(rows)
        (visit,) = Session(spark).script(tmp_path / "visits.sql")
        visit.start(tmp_path / "state", available_now=True).wait()
        assert "".join(file.read_text() for file in sorted((tmp_path / "out/visit").glob("*.json"))) == shown
    assert CliRunner().invoke(cli, ["quarantine", str(tmp_path / "out/visit")]).output == quarantine


def test_the_page_of_options_is_the_table() -> None:
    """``python -c "from punctum.parse.ddl.options import page; print(page(), end='')" > docs/options.md`` writes it."""
    assert (ROOT / "docs" / "options.md").read_text() == options.page()


LIFE = ROOT / "docs" / "life-of-a-query.md"


def test_the_life_of_a_query_names_what_there_is() -> None:
    named = re.findall(r"`([\w/]+\.py):(\w+)`", LIFE.read_text())
    assert len(named) > 40
    for path, name in named:
        tree = ast.parse((ROOT / "src/punctum" / path).read_text())
        defined = {node.name for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef)}
        defined |= {target.id for node in ast.walk(tree) for target in _assigned(node)}
        assert name in defined, f"{path} has no {name}"


def _assigned(node: ast.AST) -> list[ast.Name]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [target for target in targets if isinstance(target, ast.Name)]


def test_the_life_of_a_query_goes_through_every_room() -> None:
    paths = [path.removesuffix(".py").replace("/", ".") for path in re.findall(r"`([\w/]+\.py)", LIFE.read_text())]
    assert {room for room in ROOMS if room != "__main__"} - {room_of(path) for path in paths} == set()


def test_the_life_of_a_query_shows_the_passes(tmp_path: Path) -> None:
    (tmp_path / "auction.sql").write_text(blocks(LIFE, "sql")[0])
    shown = CliRunner().invoke(cli, ["explain", "--passes", str(tmp_path / "auction.sql")])
    assert shown.output == blocks(LIFE, "")[0]
    assert blocks(LIFE, "sql") == blocks(ROOT / "README.md", "sql")[:1]
    ElementTree.fromstring((LIFE.with_suffix(".svg")).read_text())


def test_the_page_of_metrics_is_the_table() -> None:
    """``python -c "from punctum.engine.metrics import page; print(page(), end='')" > docs/metrics.md`` writes it."""
    assert (ROOT / "docs/metrics.md").read_text() == metrics.page()


def test_the_table_of_metrics_has_each_metric() -> None:
    """Those that the engine counts, by their names in its code, and no others."""
    table = ROOT / "src/punctum/engine/metrics.py"
    engine = [path for path in table.parent.rglob("*.py") if path != table]
    source = "".join(path.read_text() for path in engine)
    counted = {
        *re.findall(r'"((?:rows|puncts|values|bytes)_[a-z]+)"', source),
        *(f"{begin}…" for begin in (ROWS_FROM, PUNCTS_FROM, STABLE_OF)),
    }
    told = set[str]().union(metrics.ALWAYS, metrics.AT_TIMES, metrics.AFTER, metrics.OF_INPUTS)
    assert told - {"oldest", "due", "stable"} == counted
    assert all(re.search(f'"{name}"', source) for name in {*metrics.FIELDS, "oldest", "due", "stable"})


def test_the_page_of_operations_has_each_name_of_prometheus() -> None:
    told = set[str]().union(metrics.ALWAYS, metrics.AT_TIMES, metrics.AFTER, metrics.OF_INPUTS)
    counts: dict[str, Any] = {name.replace("…", "bid"): 1 for name in told}
    counts["oldest"] = [9.0, "bid(k=1)"]
    totals = Totals()
    totals.add({"batch": 1, "time": 9.0, "seconds": 1.0, "quarantined": 0, "operators": {"s1o0": counts}})
    totals.skipped["bid"] = 1
    page = (ROOT / "docs/operate.md").read_text()
    served = {f"punctum_{name}" for name, _, _, _ in samples("q", True, totals)}
    assert served == set(re.findall(r"punctum_[a-z_]+", page))


def test_the_errors_of_the_page_of_troubles_are_errors() -> None:
    """Each text of the first column, up to what depends on the case, is a text of the source."""
    source = "".join(path.read_text() for path in (ROOT / "src/punctum").rglob("*.py"))
    rows = re.findall(r"^\| `(.+?)` \|", (ROOT / "docs/troubleshooting.md").read_text(), re.MULTILINE)
    assert len(rows) > 20
    for text in rows:
        for part in text.split("…"):
            assert part.strip() in source, text


def test_the_index_of_the_design_notes_has_each_note() -> None:
    notes = {path.name for path in (ROOT / "docs/design").glob("20*.md")}
    listed = re.findall(r"\]\((20[^)]+)\)", (ROOT / "docs/design/README.md").read_text())
    assert sorted(listed) == sorted(notes)


def test_the_page_of_testing_is_a_test(tmp_path: Path) -> None:
    """Its first program passes, its second one has a golden file of what the first one's script gives."""
    page = ROOT / "docs/test-your-scripts.md"
    program, second = blocks(page, "python")
    known: dict[str, Any] = {"__file__": str(tmp_path / "test_it.py")}
    exec(program, known)
    tests = [name for name in known if name.startswith("test_")]
    assert len(tests) == 3
    for name in tests:
        known[name]()
    assert str(known["run"](known["SCRIPT"], known["DATA"])) + "\n" == blocks(page, "")[0]
    (tmp_path / "auction.sql").write_text(known["SCRIPT"])
    for name, slices in known["DATA"].items():
        (tmp_path / "in" / name).mkdir(parents=True)
        columns = parse_script(known["SCRIPT"]).streams[name].schema
        for n, piece in enumerate(slices):
            lines = (to_json(columns.row(*e), columns) if isinstance(e, tuple) else json.dumps(e) for e in piece)
            (tmp_path / "in" / name / f"{n}.json").write_text("\n".join(lines))
    exec(second, known)
    seen = list[str]()
    known["test_closing"](lambda outcome: seen.append(str(outcome)))
    told = (
        seen[0]
        .replace("bid, 1.json:2", "bid")
        .replace('{"itemid": 17, "increase": 1.0}', '{"itemid":17,"increase":1.0}')
    )
    assert told + "\n" == blocks(page, "")[0]  # of a file, it is known where a row stands, and how it is written
