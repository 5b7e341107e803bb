"""Scripts with the output of `punctum check`, word for word: those that are admitted and those that are refused."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from parse.golden import check, split
from punctum.cli import cli

HERE = Path(__file__).parent
ADMITTED = sorted((HERE / "admitted").glob("*.sql"))
REFUSED = sorted((HERE / "refused").glob("*.sql"))


@pytest.mark.parametrize("path", [*ADMITTED, *REFUSED], ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_checked(path: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.sql"
    script.write_text(split(path, "checked")[0])
    result = CliRunner().invoke(cli, ["check", str(script)])
    assert result.exit_code == (1 if path in REFUSED else 0), result.output
    check(path, "checked", result.output)
    as_json = CliRunner().invoke(cli, ["check", str(script), "--json"])
    assert as_json.exit_code == result.exit_code
    (query,) = json.loads(as_json.output)["queries"]
    assert set(query) == {"name", "admitted", "bounded_memory", "state", "advice"}
    assert query["admitted"] == (path in ADMITTED)
    for state in query["state"]:
        assert set(state) == {"operator", "input", "verdict", "witness"}
