"""``punctum sql``: a query over files, or a prompt."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from punctum.commands.running import INTERRUPTED, LocalPath, interruption
from punctum.commands.script import zone_option
from punctum.errors import RefusedError

if TYPE_CHECKING:
    from punctum.compile import CompiledQuery
    from punctum.shell.answer import Answer
    from punctum.shell.known import Known
    from punctum.shell.output import Output

FORMATS = ("table", "json", "csv")


@click.command()
@click.argument("query", nargs=-1)
@click.option(
    "--format",
    "format_",
    type=click.Choice(FORMATS),
    help="How rows are printed: as a table, or as lines of JSON or CSV. A table on a terminal, JSON elsewhere.",
)
@click.option(
    "--rows",
    type=click.IntRange(min=0),
    default=1000,
    show_default=True,
    help="How many rows a table shows; 0 for all.",
)
@click.option(
    "--once/--follow",
    default=True,
    help="Read what is there, to its end, where all is final; or go on as files come, until Ctrl-C.  [default: once]",
)
@click.option(
    "--save",
    type=LocalPath(dir_okay=False, path_type=Path),
    help="Write the query as a script for punctum run, instead of running it.",
)
@click.option("--quiet", is_flag=True, help="Print rows and errors, and nothing about them.")
@zone_option
def sql(
    query: tuple[str, ...], format_: str | None, rows: int, once: bool, save: Path | None, quiet: bool, zone: str
) -> None:
    """Run a SELECT over files, or over the streams of a script; without a SELECT, be a prompt.

    QUERY is a SELECT, or the path of a script (….sql) whose streams it may name, or both. Files are named in FROM:
    punctum sql "SELECT itemid, COUNT(*) FROM 'in/bid/*.json' GROUP BY itemid". Their columns are inferred. It runs in
    this process, without Spark; punctum run is for what lasts.
    """
    from punctum.compile import as_path  # here because the SQL parser takes a moment to import
    from punctum.shell.known import Known

    known = Known(Path(), zone)
    asked = []
    for argument in query:
        path = as_path(argument)
        if path is None:
            asked.append(argument)
        else:
            known.read(path)
    if not asked and not sys.stdin.isatty():
        asked = [sys.stdin.read()]
    if len(asked) > 1:
        raise click.UsageError("one query at a time: put it in quotes")
    format_ = format_ or ("table" if sys.stdout.isatty() else "json")
    if not asked:
        from punctum.shell.prompt import prompt

        prompt(known, format_, rows)
    elif save is not None:
        _save(known, asked[0], save)
    else:
        _run(known, asked[0], once, format_, rows, quiet)


def _save(known: "Known", query: str, path: Path) -> None:
    from punctum.shell.saved import save, script_of

    analysis = known.compiled(query).analysis
    save(script_of(known, query, path.parent), path)
    click.echo(f"wrote {path}; run it with: punctum run {path} --checkpoint checkpoint", err=True)
    if not analysis.safe:
        click.echo(f"it needs a promise first: punctum check {path} says which", err=True)


def _run(known: "Known", asked: str, once: bool, format_: str, rows: int, quiet: bool) -> None:
    from punctum.shell import answer
    from punctum.shell.output import output

    query = known.ask(asked, follow=not once)
    if not once:
        _admit(query)
    out: Output = output(format_, query.query.relation.schema, click.echo, rows)
    if once:
        try:
            _notes(known, answer.once(known, query, out), quiet)
        except KeyboardInterrupt:
            click.echo("stopped: not all has been read", err=True)
            sys.exit(INTERRUPTED)
        return
    interrupted = interruption()
    if not quiet:
        click.echo("following; press Ctrl-C to stop", err=True)
    _notes(known, answer.follow(known, query, out, interrupted.is_set), quiet)


def _admit(query: "CompiledQuery") -> None:
    """Refuse to follow files with a query whose state may grow without bound."""
    try:
        query.admit()
    except RefusedError as error:
        hint = "      or leave out --follow: what is there is read once, and is final at its end"
        raise RefusedError(f"{error}\n{hint}") from None


def _notes(known: "Known", given: "Answer", quiet: bool) -> None:
    """What is to be said behind the rows, on standard error."""
    for line in given.quarantine():
        click.echo(line, err=True)
    if quiet:
        return
    from punctum.shell.answer import notes

    for line in notes(known, given):
        click.echo(line, err=True)
