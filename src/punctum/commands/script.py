"""A script as the commands read it: its queries with what is known of them, or an error for what is wrong with it."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from punctum.errors import SqlError

if TYPE_CHECKING:
    from punctum.analyse.safety.register import QueryAnalysis


def plan_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of plans."""
    objective = click.option(
        "--objective",
        type=click.Choice(["memory", "throughput"]),
        help="What the plans of joins are to be best in; without, joins run as written where that is safe.",
    )
    schemes = click.option(
        "--schemes",
        type=click.Choice(["all", "minimal"]),
        default="all",
        show_default=True,
        help="Which punctuations they take: of all schemes that are of use, or of as few as keep the query safe.",
    )
    purge = click.option(
        "--purge",
        type=click.Choice(["eager", "lazy"]),
        default="eager",
        show_default=True,
        help="When punctuations purge: in each batch, or in one of several.",
    )
    return objective(schemes(purge(command)))


def registered(path: Path) -> "tuple[tuple[QueryAnalysis, ...], str]":
    """The queries of a script, and its text."""
    from punctum.analyse.safety.register import verdict  # here because the SQL parser takes a moment to import
    from punctum.parse.script import parse_script

    try:
        script = parse_script(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise SqlError(f"{path.name} is no text in UTF-8", "", "save it as UTF-8") from None
    return verdict(script), script.text
