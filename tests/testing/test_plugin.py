"""The pytest plugin, tried by pytest in a process of its own: golden files are compared, and written when asked."""

import subprocess
import sys
from pathlib import Path

import pytest

from punctum.testing.plugin import golden_file

MODULE = """
import pytest

def test_a(golden):
    golden("one\\ntwo")
    golden("three", "more")

@pytest.mark.parametrize("name", ["a/b", "a_b"])
def test_b(golden, name):
    golden(name)
"""


def pytest_in(directory: Path, *args: str) -> tuple[int, str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "pytest.ini", *args]
    process = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    return process.returncode, process.stdout + process.stderr


def test_golden_files_are_compared_and_written(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "test_it.py").write_text(MODULE)
    code, text = pytest_in(tmp_path)
    assert code == 1
    assert text.partition("short test summary")[0].count("pytest --update-golden writes it") == 3
    assert pytest_in(tmp_path, "--update-golden")[0] == 0
    room = tmp_path / "golden/test_it"
    names = ["test_a-more.txt", "test_a.txt", "test_b[a%2Fb].txt", "test_b[a_b].txt"]
    assert sorted(path.name for path in room.iterdir()) == names
    assert (room / "test_a.txt").read_text() == "one\ntwo\n"
    assert pytest_in(tmp_path)[0] == 0
    (room / "test_a.txt").write_text("one\n2\n")
    code, text = pytest_in(tmp_path)
    assert code == 1
    assert "-2\n+two" in text


def test_the_plugin_does_not_wait_for_the_engine() -> None:
    heavy = ("polars", "pyarrow", "pyspark", "sqlglot", "duckdb", "pandas")
    code = f"import sys, punctum.testing.plugin; print(*sorted({{*{heavy!r}}} & set(sys.modules)))"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert process.stdout.split() == []


def test_a_test_has_its_golden_file(request: pytest.FixtureRequest) -> None:
    wanted = Path(__file__).parent / "golden/test_plugin/test_a_test_has_its_golden_file-x.txt"
    assert golden_file(request.node, "x") == wanted
