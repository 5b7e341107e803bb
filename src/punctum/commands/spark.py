"""The options of Spark's that ``punctum run`` takes: its master, its settings, its name and its pages."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click

OURS = {
    "spark.master": "--master",
    "spark.app.name": "--name",
    "spark.sql.session.timeZone": "--time-zone",
    "spark.punctum.buckets": "--buckets",
    "spark.punctum.state.memory": "--state-memory",
    "spark.punctum.max.files": "--max-files",
}
"""Settings that have an option."""
UNPACKED = "punctum"
"""Where executors unpack an archive, in the directory in which they work."""
PACKAGED = {"spark.executorEnv.PYTHONPATH": UNPACKED, "spark.pyspark.python": "python3"}
"""The settings of a run whose workers have Punctum from an archive."""
NAME, UI = "spark.app.name", "spark.ui.enabled"


def _settings(_: click.Context, __: click.Parameter, given: Iterable[str]) -> dict[str, str]:
    """Settings by their names; of one that is given twice the last value counts."""
    settings = dict[str, str]()
    for text in given:
        name, equals, value = text.partition("=")
        name = name.strip()
        if not equals:
            raise click.BadParameter(f"{text!r} is not NAME=VALUE")
        if not name.startswith("spark."):
            hint = f"; a setting of Hadoop's is spark.hadoop.{name}" if name.startswith("fs.") else ""
            raise click.BadParameter(f"{name!r} is no setting of Spark's: they begin with spark.{hint}")
        if name in OURS:
            raise click.BadParameter(f"{name!r} has an option of its own: {OURS[name]}")
        settings[name] = value.strip()
    return settings


def spark_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of Spark."""
    master = click.option(
        "--master", help="The URL of the Spark master; local[*], or that of spark-submit, unless it is given."
    )
    conf = click.option(
        "--conf", metavar="NAME=VALUE", multiple=True, callback=_settings, help="A setting of Spark's; may be repeated."
    )
    name = click.option("--name", help="What Spark's pages and the cluster call the run; punctum unless it is given.")
    ui = click.option("--ui", is_flag=True, help="Have Spark's own pages, and print their address.")
    package = click.option(
        "--package",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="The archive that punctum package has made: the machines of a cluster get it, and need Python alone.",
    )
    return master(package(conf(name(ui(command)))))


def run_settings(conf: dict[str, str], name: str | None, ui: bool, package: Path | None) -> dict[str, str]:
    """The settings that these options stand for."""
    there = {} if package is None else PACKAGED | {"spark.archives": f"{package.resolve()}#{UNPACKED}"}
    return there | conf | ({NAME: name} if name else {}) | ({UI: "true"} if ui else {})
