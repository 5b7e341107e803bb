"""What a notebook shows of a query: well-formed, in the words of the command line, and no SQL becomes markup."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from analyse.test_golden import HERE
from parse.golden import split
from punctum.analyse.report.notebook import html
from punctum.analyse.report.text import text
from punctum.analyse.safety.register import verdict
from punctum.parse import parse_script

SCRIPTS = sorted(path for kind in ("admitted", "refused") for path in (HERE / kind).glob("*.sql"))
TEXT = ".//{http://www.w3.org/2000/svg}text"


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_the_verdict_and_the_graphs(path: Path) -> None:
    sql = split(path, "checked")[0]
    for query in verdict(parse_script(sql)):
        page = ElementTree.fromstring(html(query, sql))
        assert page.findtext("pre") == text([query], sql, every=True)
        drawn = [label.text for label in page.findall(TEXT)]
        assert {name for join in query.joins for name in join.streams} <= set(drawn)
        assert bool(drawn) == bool(query.joins)


def test_nothing_of_the_sql_is_markup() -> None:
    sql = """
        CREATE STREAM `<b>&` (`<i>` BIGINT, PUNCTUATED ON (`<i>`)) USING memory;
        CREATE SINK o USING json OPTIONS (path 'o');
        INSERT INTO o SELECT x.`<i>` FROM `<b>&` x JOIN `<b>&` y ON x.`<i>` = y.`<i>` AND '<script>' <> 'a';
    """
    (query,) = verdict(parse_script(sql))
    page = html(query, sql)
    assert "&lt;b&gt;&amp;(&lt;i&gt;)" in page
    tags = {element.tag.rpartition("}")[2] for element in ElementTree.fromstring(page).iter()}
    assert tags.isdisjoint({"b", "i", "script"})
