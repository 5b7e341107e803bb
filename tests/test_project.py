"""Options of run: from the command line, from the project's punctum.toml, or neither, in this order."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import click
import pytest
from click.testing import CliRunner

from engine.kills import below
from engine.test_processes import listening
from lanes import PATIENCE, long
from punctum.cli import cli, run
from punctum.errors import QueryError

TOML = """
[run]
checkpoint = "state"
master = "spark://there:7077"
max-files = 3
trigger = "10 seconds"
ui = true
objective = "memory"

[run.conf]
"spark.executor.memory" = "4g"
"spark.speculation" = false
"spark.task.cpus" = 1
"""


def options(script: Path, *flags: str) -> dict[str, Any]:
    """What a run is told."""
    return run.make_context("run", [str(script), *flags]).params


@pytest.fixture
def script(tmp_path: Path) -> Path:
    (tmp_path / "queries").mkdir()
    (tmp_path / "queries/a.sql").write_text("")
    return tmp_path / "queries/a.sql"


def test_flags_count_more_than_the_file_and_the_file_more_than_defaults(script: Path, tmp_path: Path) -> None:
    (tmp_path / "punctum.toml").write_text(TOML)
    told = options(script, "--max-files", "5", "--conf", "spark.task.cpus=2", "--conf", "spark.x=a=b")
    expected = {"checkpoint": tmp_path / "state", "master": "spark://there:7077", "max_files": 5, "ui": True}
    expected |= {"trigger": "10000000 microseconds", "objective": "memory", "schemes": "all", "quiet": False}
    assert {name: told[name] for name in expected} | {"trigger": expected["trigger"]} == expected
    assert told["trigger"] == options(script, "--trigger", "10 seconds")["trigger"]
    conf = {"spark.executor.memory": "4g", "spark.speculation": "false", "spark.task.cpus": "2", "spark.x": "a=b"}
    assert told["conf"] == conf
    (tmp_path / "queries/punctum.toml").write_text("[run]\ncheckpoint = 's3://bucket/state'\n")  # the nearest counts
    told = options(script)
    assert (str(told["checkpoint"]).replace("//", "/"), told["master"]) == ("s3:/bucket/state", None)


def test_help_and_a_run_without_a_script_need_no_file(script: Path, tmp_path: Path) -> None:
    (tmp_path / "punctum.toml").write_text("[run")
    for flags in (["--help"], [str(script), "--help"]):
        asked = CliRunner().invoke(cli, ["run", *flags])
        assert (asked.exit_code, "--max-files" in asked.output) == (0, True), asked.output
    asked = CliRunner().invoke(cli, ["run"])
    assert (asked.exit_code, "Missing argument 'SCRIPT'" in asked.output) == (2, True)


def test_without_a_file_a_checkpoint_has_to_be_named(script: Path) -> None:
    with pytest.raises(click.MissingParameter):
        options(script)


@pytest.mark.parametrize(
    ("toml", "detail", "hint"),
    [
        ("[run]\nbukets = 4", "there is no option bukets", "did you mean buckets?"),
        ("[run]\nbuckets = 0", "buckets: 0 is not in the range x>=1.", ""),
        ("[run]\nbuckets = [4]", "buckets is [4]", "write a text or a number"),
        ("[run]\nui = 'yes'", "ui is 'yes'", "write true or false"),
        ("[run]\ntrigger = '5 sek'", "trigger: '5 sek' is not a duration such as '10 seconds'", ""),
        ("[rnu]", "there is no section rnu", "did you mean run?"),
        ("checkpoint = 'a'", "there is no section checkpoint", "write [run]"),
        ("run = 1", "run is not a section", "write [run], and the options below it"),
        ("[run]\nconf = 1", "conf is not a section", 'write [run.conf], and below it "spark.…" = "…"'),
        (
            "[run.conf]\nspark.executor.memory = '4g'",
            "the setting spark is in parts",
            'write its name in quotes: "spark.executor.memory"',
        ),
        ("[run", "Expected ']' at the end of a table declaration (at end of document)", ""),
    ],
)
def test_what_is_wrong_with_a_file(script: Path, tmp_path: Path, toml: str, detail: str, hint: str) -> None:
    (tmp_path / "punctum.toml").write_text(toml)
    with pytest.raises(QueryError) as caught:
        options(script, "--checkpoint", "state")
    error = caught.value
    assert (error.what, error.detail, error.hint) == (f"{tmp_path / 'punctum.toml'} is wrong", detail, hint)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("spark.x", "'spark.x' is not NAME=VALUE"),
        ("sprk.x=1", "'sprk.x' is no setting of Spark's: they begin with spark."),
        ("fs.s3a.endpoint=a", "a setting of Hadoop's is spark.hadoop.fs.s3a.endpoint"),
        ("spark.master=local", "'spark.master' has an option of its own: --master"),
    ],
)
def test_what_is_no_setting(script: Path, setting: str, message: str) -> None:
    with pytest.raises(click.BadParameter) as caught:
        options(script, "--checkpoint", "state", "--conf", setting)
    assert message in caught.value.message


@long
@pytest.mark.command
def test_a_run_with_the_options_of_a_project(auction: Path) -> None:
    """Each batch has one file, Spark's pages are there, on this machine alone, and know its name and settings."""
    toml = "[run]\ncheckpoint = 'state'\nmaster = 'local[2]'\nmax-files = 1\nui = true\nname = 'an auction'\n"
    (auction / "punctum.toml").write_text(toml + "[run.conf]\n'spark.ui.port' = '0'\n'spark.x' = 'y'\n")
    for stream in ("item", "bid"):
        (file,) = (auction / "in" / stream).glob("*.json")
        first, *others = file.read_text().splitlines(keepends=True)
        file.write_text(first)
        (file.parent / "z.json").write_text("".join(others))
    command = [sys.executable, "-m", "punctum", "run", str(auction / "auction.sql")]
    ended = ""
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr is not None
        address = ""
        for line in running.stderr:
            ended += line
            if "Spark's pages" in line:
                address = line.split()[-1]
            if "batch 1" in line:
                with urlopen(f"{address}/api/v1/applications", timeout=PATIENCE) as answer:
                    (application,) = json.load(answer)
                with urlopen(f"{address}/api/v1/applications/{application['id']}/environment") as answer:
                    settings = dict(json.load(answer)["sparkProperties"])
                (spark,) = below(running.pid, "SparkSubmit")
                assert listening(spark) <= {"127.0.0.1", "::1"}
                running.terminate()
    assert running.returncode == 0, ended
    assert (application["name"], settings["spark.x"]) == ("an auction", "y")
    assert address.startswith("http://127.0.0.1:")
