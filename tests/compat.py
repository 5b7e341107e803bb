"""Versions of Python, Spark, Polars and Arrow that Punctum is tried with: ``make compat`` prints which of them work.

Each has an environment in build/compat. Of a library, only that one is installed there, and all else is what is
installed here, as constraints.txt has it; of a Python, all is installed anew. Then an example runs without Spark and on
Spark, in batches and as a DataFrame, and what comes out has to be the same.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
VERSIONS = (
    "python==3.12",
    "python==3.13",
    "pyspark==4.2.1",
    "pyspark==4.1.4",
    "pyspark==4.0.5",
    "polars==2.0.0",
    "polars==1.44.2",
    "pyarrow==20.0.0",
)
PROGRAM = """
import json, sys
from pathlib import Path
from punctum.testing import run, from_files
from punctum import Session
script = Path(sys.argv[1])
outcome = run(script, from_files(script), "reconciled")
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


def tried(version: str, room: Path) -> str:
    """Make an environment with a version, and say what comes of it."""
    name, _, number = version.partition("==")
    shutil.rmtree(room, ignore_errors=True)
    if name == "python":
        base = shutil.which(f"python{number}")
        if base is None:
            return "is not at hand"
        needs = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
        install = ["-c", str(ROOT / "constraints.txt"), *needs]
    else:
        base = sys.executable
        install = ["--no-deps", version, *([f"polars-runtime-32=={number}"] if name == "polars" else [])]
    python = str(room / "bin" / "python")
    commands = [[base, "-m", "venv", str(room)], [python, "-m", "pip", "install", "--quiet", *install]]
    for command in commands:
        if why := _failed(command):
            return f"cannot be installed: {why}"
    beside = sysconfig.get_path("purelib", vars={"base": str(room), "platbase": str(room)})
    lib = next((room / "lib").iterdir()) / "site-packages" if name == "python" else Path(beside)
    seen = [str(ROOT / "src"), *([] if name == "python" else [sysconfig.get_path("purelib")])]
    (lib / "beside.pth").write_text("\n".join(seen))
    shutil.copytree(ROOT / "examples/payments", room / "payments")
    why = _failed([python, "-c", PROGRAM, str(room / "payments/payments.sql")])
    return f"fails: {why}" if why else "works"


def _failed(command: list[str]) -> str:
    """The last line that a command says when it fails."""
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    lines = [line for line in done.stderr.strip().splitlines() if line.strip() and "[notice]" not in line]
    return "" if done.returncode == 0 else (lines or ["?"])[-1][:200]


if __name__ == "__main__":
    for version in sys.argv[1:] or VERSIONS:
        print(f"{version:20} {tried(version, ROOT / 'build/compat' / version)}", flush=True)
