"""Versions that Punctum is tried with: ``make compat`` prints which of them work.

Each trial has an environment of its own in build/compat. ``oldest`` has every library as old as pyproject.toml allows,
and ``newest`` as new as pip finds, whatever constraints.txt says. A Python, such as ``python==3.13``, has the libraries
of constraints.txt. Of a library, such as ``polars==2.0.0``, that one alone is installed, and all else is what is here.
Then an example runs without Spark and on Spark, in batches and as a DataFrame, and what comes out has to be the same.

    python tests/compat.py oldest polars==2.0.0 --tests tests/operators tests/testing

also runs these tests there. docs/install.md names what was tried so.
"""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
PLACE = ROOT / "build/compat"
VERSIONS = ("oldest", "newest", "python==3.12", "python==3.13", "python==3.14", "pyspark==4.2.1", "polars==1.44.2")
EXTRAS = ("kafka", "page", "testing")
"""Extras whose libraries are tried too, where all libraries are."""
TOOLS = ("hypothesis", "setuptools")
"""What tests need beside the libraries."""
PROGRAM = """
import json, sys
from pathlib import Path
from punctum.testing import assert_equal_to_batch, run, from_files
from punctum import Session
script = Path(sys.argv[1])
outcome = run(script, from_files(script), "reconciled")
assert_equal_to_batch(script, from_files(script))
session = Session()
query, _ = session.script(script)
query.start(script.parent / "state", available_now=True).wait()
files = (script.parent / "out/reconciled").glob("*.json")
rows = [json.loads(line) for file in files for line in file.read_text().splitlines()]
assert len(rows) == 3 and sorted(map(str, rows)) == sorted(map(str, outcome.rows)), rows
bid = session.memory("bid", "itemid BIGINT, increase DOUBLE, PUNCTUATED ON (itemid)")
bid.add((17, 5.0), (18, 2.0), {"$punct": {"itemid": 17}})
frame = session.query("SELECT itemid, SUM(increase) AS total FROM bid GROUP BY itemid").dataframe()
frame.writeStream.format("memory").queryName("total").trigger(availableNow=True).start().awaitTermination()
assert [tuple(row) for row in session.spark.table("total").collect()] == [(17, 5.0)]
print("works")
"""


def tried(version: str, room: Path, tests: list[str]) -> str:
    """Make an environment with a version, and say what comes of it."""
    name, _, number = version.partition("==")
    alone = bool(number) and name != "python"
    base = python_of(number) if name == "python" else sys.executable
    if base is None:
        return "is not at hand"
    shutil.rmtree(room, ignore_errors=True)
    python = str(room / "bin" / "python")
    install = [python, "-m", "pip", "install", "--quiet", *chosen(name, number)]
    for command in ([base, "-m", "venv", str(room)], install):
        if why := _failed(command):
            return f"cannot be installed: {why}"
    (lib,) = room.glob("lib/*/site-packages")
    if alone:
        (lib / "beside.pth").write_text(f"{ROOT / 'src'}\n{sysconfig.get_path('purelib')}")
    shutil.copytree(ROOT / "examples/payments", room / "payments", ignore=shutil.ignore_patterns("out", "state"))
    why = _failed([python, "-c", PROGRAM, str(room / "payments/payments.sql")])
    if not why and tests:
        why = _failed([python, "-m", "pytest", "-p", "punctum.testing.plugin", "--no-header", "--tb=line", *tests])
    return f"fails: {why}" if why else "works"


def python_of(number: str) -> str | None:
    """A Python of that number: one of pyenv's, or the one that is found by its name."""
    known = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    return max((str(path) for path in known.glob(f"{number}.*/bin/python")), default=shutil.which(f"python{number}"))


def chosen(name: str, number: str) -> list[str]:
    """What pip has to install.

    >>> chosen("polars", "2.0.0")
    ['--no-deps', 'polars==2.0.0', 'polars-runtime-32==2.0.0']
    """
    if number and name != "python":
        return ["--no-deps", f"{name}=={number}", *([f"polars-runtime-32=={number}"] if name == "polars" else [])]
    pins = ROOT / "constraints.txt"
    if name == "oldest":
        pins = PLACE / "oldest.txt"
        pins.write_text("\n".join(map(lowest, needs())))
    pinned = [] if name == "newest" else ["--constraint", str(pins)]
    return [*pinned, "--editable", f"{ROOT}[{','.join(EXTRAS)}]", *TOOLS]


def needs() -> list[str]:
    """What the base and the extras need."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    return [*project["dependencies"], *(need for extra in EXTRAS for need in extras[extra])]


def lowest(need: str) -> str:
    """The oldest version that a dependency allows, as a line of pip's constraints.

    >>> lowest("pandas>=2.2,<3"), lowest("psycopg[binary]>=3.2.1")
    ('pandas==2.2', 'psycopg==3.2.1')
    """
    found = re.match(r"([\w-]+)(?:\[\w+\])?>=([\d.]+)", need)
    assert found is not None, need
    return "==".join(found.groups())


def _failed(command: list[str]) -> str:
    """The last line that a command says when it fails; all of it is in build/compat/log."""
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=environment)
    (PLACE / "log").open("a").write(f"{command}\n{done.stdout}\n{done.stderr}\n")
    lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip() and "[notice]" not in line]
    return "" if done.returncode == 0 else (lines or ["?"])[-1][:200]


if __name__ == "__main__":
    versions, _, tests = " ".join(sys.argv[1:]).partition("--tests")
    PLACE.mkdir(parents=True, exist_ok=True)
    for version in versions.split() or VERSIONS:
        print(f"{version:20} {tried(version, PLACE / version, tests.split())}", flush=True)
