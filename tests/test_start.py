"""`punctum run` prints at once what it does, before anything slow is imported, and on standard error alone."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from punctum.commands.running import STARTING

FIRST_WORD = f"""
import sys, click
from punctum import cli

def echo(text, err=False):
    assert (text, err) == ({STARTING!r}, True), text
    print(*sorted({{"pyspark", "polars", "pandas", "pyarrow", "numpy"}} & set(sys.modules)))
    sys.exit(0)

click.echo = echo
cli.main()
"""


def run(program: list[str], directory: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """A run of the README's script where there is no Java."""
    environment = {name: value for name, value in os.environ.items() if name not in ("JAVA_HOME", "PATH")}
    command = [sys.executable, *program, "run", "auction.sql", "--checkpoint", "state", *options]
    return subprocess.run(command, cwd=directory, capture_output=True, text=True, env=environment | {"PATH": ""})


def test_the_first_word_waits_for_nothing_that_is_slow(auction: Path) -> None:
    assert run(["-c", FIRST_WORD], auction).stdout == "\n"


@pytest.mark.parametrize("options", [[], ["--quiet"]])
def test_what_is_printed_at_a_start(auction: Path, options: list[str]) -> None:
    ended = run(["-m", "punctum"], auction, *options)
    first, *rest = ended.stderr.splitlines() if not options else [STARTING, *ended.stderr.splitlines()]
    assert first == STARTING and rest[0].startswith("error: Spark needs Java 17")
    assert (ended.returncode, ended.stdout) == (2, "")


def test_a_script_that_is_refused_starts_nothing(auction: Path) -> None:
    script = (auction / "auction.sql").read_text().replace("increase DOUBLE, PUNCTUATED ON (itemid)", "increase DOUBLE")
    (auction / "auction.sql").write_text(script)
    ended = run(["-m", "punctum"], auction)
    assert ended.returncode == 1 and STARTING not in ended.stderr and ended.stderr.startswith("closing: refused")
    assert not (auction / "state").exists()
