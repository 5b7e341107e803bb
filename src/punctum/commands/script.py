"""A script as the commands read it: compiled, or an error for what is wrong with it."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from punctum.compile import Compiled, Options
    from punctum.plan.joins.choose import PlanOptions


def plan_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of plans."""
    objective = click.option(
        "--objective",
        type=click.Choice(["memory", "throughput"]),
        help="What join plans are optimised for. Without it, joins run as written where that is safe.",
    )
    schemes = click.option(
        "--schemes",
        type=click.Choice(["all", "minimal"]),
        default="all",
        show_default=True,
        help="Which punctuation schemes are used: all useful ones, or as few as keep state bounded.",
    )
    purge = click.option(
        "--purge",
        type=click.Choice(["eager", "lazy"]),
        default="eager",
        show_default=True,
        help="When state is purged: in each batch, or once in several batches.",
    )
    return objective(schemes(purge(command)))


def zone_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the time zone."""
    return click.option(
        "--time-zone",
        "zone",
        default="UTC",
        show_default=True,
        help="The time zone of local times: HOUR, DATE_TRUNC, casts between times and strings.",
    )(command)


def compiled(script: Path, options: "Options | None" = None) -> "Compiled":
    """The script of a file, compiled, with sinks that can take what its queries give."""
    from punctum.compile import Options, compile, read_script  # here because the SQL parser takes a moment to import
    from punctum.engine.sinks.check import check_sink

    whole = compile(read_script(script), options or Options())
    for query in whole.queries:
        check_sink(query.query.sink, query.query.relation.schema)
    return whole


def planned(objective: str | None, schemes: str, purge: str) -> "PlanOptions":
    """The options of plans as values."""
    from punctum.plan.joins.choose import PlanOptions, Schemes
    from punctum.plan.joins.cost import Objective, Purge

    return PlanOptions(None if objective is None else Objective(objective), Schemes(schemes), Purge(purge))
