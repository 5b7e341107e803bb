"""Table I of the memory paper through the command line: seven queries in both forms, fourteen verdicts."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from punctum.cli import cli

STREAMS = """
CREATE STREAM s (a BIGINT, b BIGINT, c BIGINT) USING json OPTIONS (path 's');
CREATE STREAM t (d BIGINT, e BIGINT) USING json OPTIONS (path 't');
CREATE SINK q USING json OPTIONS (path 'q');
"""
TABLE = {
    "FROM s WHERE a > 10": (True, False),
    "FROM s, t WHERE a = d": (False, False),
    "FROM s, t WHERE a = d AND a > 10 AND d < 20": (True, True),
    "FROM s, t WHERE b < d AND a = 10": (False, True),
    "FROM s JOIN t ON b < d AND c < e WHERE a = 10": (False, False),
    "FROM s CROSS JOIN t WHERE b < d AND c < e AND b < e AND c < d AND a = 10": (False, True),
    "FROM s JOIN t ON b < d WHERE d > 10 AND b < 20 AND a = 10": (True, True),
}
"""For each query whether it is in bounded memory, preserving and eliminating duplicates."""


@pytest.mark.parametrize("query", TABLE)
@pytest.mark.parametrize("eliminating", [False, True])
def test_table_i(query: str, eliminating: bool, tmp_path: Path) -> None:
    script = tmp_path / "script.sql"
    script.write_text(f"{STREAMS} INSERT INTO q SELECT {'DISTINCT ' * eliminating}a {query};")
    result = CliRunner().invoke(cli, ["check", "--json", str(script)])
    (report,) = json.loads(result.output)["queries"]
    bounded = TABLE[query][eliminating]
    assert (result.exit_code, report["admitted"], report["bounded_memory"]) == (int(not bounded), bounded, bounded)
    verdicts = {state["verdict"] for state in report["state"]}
    assert ("unbounded" in verdicts) == (not bounded)
