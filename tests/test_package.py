"""What ``punctum package`` packs: Punctum, and all that it imports, but for what Spark brings."""

import subprocess
import sys
import zipfile
from importlib.metadata import distribution, version
from pathlib import Path

import pytest

from punctum.commands.package import PURE, files_of, needs, write_pure
from punctum.errors import MissingError


def test_all_that_is_needed_is_packed_and_nothing_that_spark_brings() -> None:
    names = {found.name.lower() for found in needs(["punctum"])}
    assert names >= {
        "punctum",
        "polars",
        "polars-runtime-32",
        "pyarrow",
        "numpy",
        "pandas",
        "protobuf",
        "psycopg-binary",
    }
    assert not names & {"pyspark", "py4j", "matplotlib", "pytest", "mypy"}
    assert "duckdb" in {found.name for found in needs(["punctum", "duckdb"])}
    with pytest.raises(MissingError, match="the package polaris is not installed"):
        needs(["punctum", "polaris"])


def test_punctum_runs_from_its_archive(tmp_path: Path) -> None:
    content = files_of(distribution("punctum"))
    assert {"punctum/cli.py", "punctum/nexmark/queries/q00.sql", "punctum/engine/python.sh"} <= set(content)
    assert not [name for name in content if "__pycache__" in name or name.startswith(("/", ".."))]
    for _ in range(2):  # the second one takes the place of the first
        write_pure(tmp_path)
    with zipfile.ZipFile(tmp_path / PURE) as archive:
        assert sorted(archive.namelist()) == sorted(content)
    program = "import punctum; from importlib.metadata import version; print(punctum.__file__, version('punctum'))"
    environment = {"PYTHONPATH": str(tmp_path / PURE)}
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)
    assert ran.stdout.split() == [str(tmp_path / PURE / "punctum/__init__.py"), version("punctum")]
