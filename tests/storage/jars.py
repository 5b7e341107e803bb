"""What Spark needs beside itself, fetched by Maven: each file beside this one names what a test needs."""

import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]


class NoJarsError(Exception):
    """They cannot be had here, and why."""


def fetched(pom: Path) -> list[Path]:
    """The packages that a file names, with what these need; those that are not there are fetched."""
    jars = ROOT / "build" / pom.stem / "jars"
    if not (jars / "fetched").exists():
        maven = shutil.which("mvn")
        if maven is None:
            raise NoJarsError("there is no Maven: install it (on Debian: apt-get install maven)")
        command = [maven, "--batch-mode", "--quiet", "--file", str(pom), "dependency:copy-dependencies"]
        command += ["-DincludeScope=runtime", f"-DoutputDirectory={jars}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise NoJarsError(f"Maven could not fetch what {pom.name} names: {done.stdout[-2000:]}")
        (jars / "fetched").touch()
    return sorted(jars.glob("*.jar"))


def submit_arguments(*poms: Path) -> str:
    """What PYSPARK_SUBMIT_ARGS is to be, so that a Spark that starts has these packages."""
    return f"--jars {','.join(str(jar) for pom in poms for jar in fetched(pom))} pyspark-shell"
