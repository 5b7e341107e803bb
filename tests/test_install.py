"""What is built can be installed: a wheel and an sdist with everything in them, tried in a clean environment."""

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from click.testing import CliRunner

from lanes import long
from punctum.cli import cli
from punctum.errors import MissingError
from punctum.testing import assert_equal_to_batch

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_the_version_is_told_once() -> None:
    """The changelog, in the form of Keep a Changelog, has what is not released, and begins with this version."""
    text = (ROOT / "CHANGELOG.md").read_text()
    releases = re.findall(r"^## \[(.+?)\](?: - (\d{4}-\d\d-\d\d))?$", text, re.MULTILINE)
    assert releases[0][0] in ("Unreleased", PROJECT["version"])
    assert PROJECT["version"] in [version for version, _ in releases]
    kinds = set(re.findall(r"^### (.*)$", text, re.MULTILINE))
    assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    assert "Added" in kinds


def test_the_page_names_each_extra() -> None:
    page = (ROOT / "docs/install.md").read_text()
    for extra in PROJECT["optional-dependencies"]:
        assert f"`{extra}`" in page, extra


def test_the_page_names_the_versions_that_are_tried() -> None:
    """The oldest that are allowed, and those of every commit."""
    page = (ROOT / "docs/install.md").read_text()
    rows = re.findall(
        r"^\| (?:\w+ \()?([\w-]+)\)?(?: \(`\w+`\))? \| ([\d.]+) \| ([\d.]+) \| [\d.]+ \|$", page, re.MULTILINE
    )
    shown = {name.lower(): (oldest, every) for name, oldest, every in rows}
    assert PROJECT["requires-python"] == f">={shown.pop('python')[0]}" and shown.pop("java") == ("17", "17")
    needs = [
        *PROJECT["dependencies"],
        *PROJECT["optional-dependencies"]["kafka"],
        *PROJECT["optional-dependencies"]["testing"],
    ]
    oldest = dict(re.fullmatch(r"([\w-]+)(?:\[\w+\])?>=([\d.]+)(?:,.*)?", need).groups() for need in needs)  # type: ignore
    every = dict(line.split("==") for line in (ROOT / "constraints.txt").read_text().splitlines())
    assert {"pyspark", "polars", "pyarrow", "pandas", "numpy", "duckdb"} <= set(shown)
    for name, (old, new) in shown.items():
        assert re.fullmatch(rf"{re.escape(oldest[name])}(\.0)*", old) and new == every[name], name


def test_pytest_finds_the_plugin() -> None:
    assert "punctum.testing.plugin" in [entry.value for entry in entry_points(group="pytest11")]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the wheel and the sdist, built from a copy, since a build leaves files beside the source."""
    room = tmp_path_factory.mktemp("dist")
    source = room / "source"
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )
    for name in filter(None, listed):
        path = ROOT / name
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        if path.is_symlink():
            (source / name).symlink_to(path.readlink())
        else:
            (source / name).write_bytes(path.read_bytes())
    build = "from setuptools import build_meta as b; b.build_sdist('..'); b.build_wheel('..')"
    subprocess.run([sys.executable, "-c", build], cwd=source, check=True, capture_output=True)
    return room


@long
def test_all_of_the_package_is_in_both(built: Path) -> None:
    """Whatever stands in the package's directory, and the tests and pages in the sdist."""
    (wheel,), (sdist,) = built.glob("*.whl"), built.glob("*.tar.gz")
    inside = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("punctum/")}
    package = built / "source/src"
    wanted = {path.relative_to(package).as_posix() for path in (package / "punctum").rglob("*") if path.is_file()}
    wanted = {name for name in wanted if "__pycache__" not in name and ".egg-info" not in name}
    assert wanted - inside == set()
    with tarfile.open(sdist) as tar:
        names = {name.partition("/")[2] for name in tar.getnames()}
    assert {f"src/{name}" for name in wanted} - names == set()
    assert {"Makefile", "docs/sql.md", "tests/test_install.py", "examples/payments/payments.sql", "LICENSE"} <= names


@long
def test_the_wheel_works_in_a_clean_environment(built: Path, tmp_path: Path) -> None:
    """Its dependencies are taken from here; the command, the plugin and a run on Spark are the wheel's."""
    (wheel,) = built.glob("*.whl")
    alone = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}

    def ran(*command: str | Path) -> str:
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, env=alone)
        assert done.returncode == 0, done.stderr
        return done.stdout

    ran(sys.executable, "-m", "venv", tmp_path / "venv")
    python, command = tmp_path / "venv/bin/python", tmp_path / "venv/bin/punctum"
    ran(python, "-m", "pip", "install", "-q", "--no-deps", "--no-index", wheel)
    site = ran(python, "-c", "import site; print(site.getsitepackages()[0])").strip()
    (Path(site) / "dependencies.pth").write_text(f"{Path(pytest.__file__).parent.parent}\n")
    assert ran(python, "-c", "import punctum; print(punctum.__file__)").startswith(str(tmp_path))
    assert PROJECT["version"] in ran(command, "--version")
    for path in ("in/shop", "in/provider", "in/bank"):
        (tmp_path / path).mkdir(parents=True)
        for file in (ROOT / "examples/payments" / path).iterdir():
            (tmp_path / path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "payments.sql").write_bytes((ROOT / "examples/payments/payments.sql").read_bytes())
    ran(command, "run", "payments.sql", "--checkpoint", "state", "--available-now")
    assert len([line for file in (tmp_path / "out/reconciled").glob("*.json") for line in file.open()]) == 3


TOPIC = "kafka OPTIONS (brokers 'localhost:9', topic 'b')"
FILES, RESULTS = "json OPTIONS (path 'in')", "json OPTIONS (path 'out')"
SCRIPT = """CREATE STREAM bid (itemid BIGINT, PUNCTUATED ON (itemid)) USING {};
CREATE SINK o USING {};
INSERT INTO o SELECT DISTINCT itemid FROM bid;
"""


@pytest.mark.parametrize(
    ("missing", "script", "arguments", "extra"),
    [
        ("confluent_kafka", SCRIPT.format(TOPIC, RESULTS), "run script.sql --checkpoint state", "kafka"),
        ("confluent_kafka", SCRIPT.format(FILES, TOPIC), "run script.sql --checkpoint state", "kafka"),
        ("confluent_kafka", "", "demo kafka --no-page --directory demo", "kafka"),
        ("matplotlib", "", "demo auction --no-page --directory demo", "plots"),
        ("starlette", "", "page", "page"),
        ("uvicorn", SCRIPT.format(FILES, RESULTS), "run script.sql --checkpoint state --page", "page"),
    ],
)
def test_a_missing_extra_is_named_before_spark_starts(
    missing: str, script: str, arguments: str, extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").mkdir()
    (tmp_path / "script.sql").write_text(script)
    result = CliRunner().invoke(cli, arguments.split())
    assert isinstance(result.exception, MissingError), result.output
    assert result.exception.hint == f"pip install 'punctum[{extra}]'"
    assert not (tmp_path / "state").exists()


def test_a_database_that_is_missing_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(MissingError) as caught:
        assert_equal_to_batch(SCRIPT.format(FILES, RESULTS), {"bid": [{"itemid": 1}]})
    assert caught.value.hint == "pip install 'punctum[testing]'"
