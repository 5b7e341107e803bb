"""The demo on Spark: interrupted as by Ctrl-C and gone on, it prints and gives what an undisturbed one would."""

import os
import re
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from demo.batch import answer, kept_without
from demo.test_examples import simulated
from lanes import PATIENCE, long
from punctum.cli import EXAMPLES
from punctum.commands.running import INTERRUPTED
from punctum.demo.directory import RunDirectory, rows_of
from punctum.demo.example import STEPS

PAGE = Path(__file__).parent.parent.parent / "docs/demo.md"


def steps(output: str) -> list[str]:
    """The lines of steps in what the demo prints."""
    return re.findall(r"^ +\d+ +\d.*$", output, re.MULTILINE)


@long
@pytest.mark.command
def test_a_demo_that_is_interrupted_goes_on_where_it_stopped(tmp_path: Path) -> None:
    run = RunDirectory(EXAMPLES["auction"], tmp_path / "auction")
    command = [sys.executable, "-m", "punctum", "demo", "auction", "--directory", str(tmp_path)]
    printed = ""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as running:
        assert running.stdout is not None
        for line in running.stdout:
            printed += line
            if len(steps(printed)) == 3 and line.rstrip("\n") in steps(printed):
                os.killpg(running.pid, signal.SIGINT)  # to the whole group, as a terminal does
        assert running.wait(PATIENCE) == INTERRUPTED
    stopped = len(steps(printed))
    assert stopped < STEPS
    end = f"  stopped after step {stopped} of {STEPS}; run the same command again to resume"
    assert printed.splitlines()[-1] == end
    more = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, timeout=PATIENCE).stdout
    assert f"(resumes after step {stopped})" in more

    lines = steps(printed + more)
    numbers = [[int(n.replace(",", "")) for n in line.split()[:6]] for line in lines]
    assert [line[0] for line in numbers] == list(range(1, STEPS + 1))
    released, kept = simulated(run)
    assert [line[3] for line in numbers] == list(map(len, released))
    assert [line[4] for line in numbers] == kept
    assert [line[5] for line in numbers] == list(kept_without(run.example, run.path))
    wanted = answer(run.example, run.path)
    assert Counter(tuple(row.values()) for row in rows_of(run.results())) == Counter(wanted)
    assert f"{len(wanted)} rows are in {run.path / 'out'}" in more
    assert run.finished
    documented = steps(PAGE.read_text())
    assert documented and set(documented) <= set(lines)
