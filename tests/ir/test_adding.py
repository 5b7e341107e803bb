"""What CONTRIBUTING.md says about adding an operator is true: its files are those that ask about every node."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
SECTION = (ROOT / "CONTRIBUTING.md").read_text().partition("## Adding an operator")[2].partition("\n## ")[0]
LISTED = set(re.findall(r"`((?:src|tests)/[^`]+)`", SECTION))


def test_each_file_of_the_list_is_about_the_operator() -> None:
    assert len(LISTED) > 20
    for name in LISTED:
        text = (ROOT / name).read_text()
        assert re.search(r"\bDistinct\b|Dupelim|DISTINCT|test_adding", text), name


def test_each_place_that_asks_about_every_kind_of_node_is_on_the_list() -> None:
    asking = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "src").rglob("*.py")
        if re.search(r"assert_never\((relation|node)\)", path.read_text())
    }
    assert asking and asking <= LISTED, asking - LISTED
