"""``punctum infer``: a CREATE STREAM from files, with the promises that their rows keep."""

from pathlib import Path

import click


@click.command()
@click.argument("files")
@click.option("--name", help="The name of the stream; that of the directory, or of the file, unless it is given.")
@click.option(
    "--rows",
    type=click.IntRange(min=1),
    default=5_000_000,
    show_default=True,
    help="How many rows promises are held against: files are read in their order until there are so many.",
)
@click.option("--columns", is_flag=True, help="Infer columns alone, from a sample, and no promises.")
def infer(files: str, name: str | None, rows: int, columns: bool) -> None:
    """Write a CREATE STREAM for files: their columns, and the promises that their rows keep, each with its evidence.

    FILES is a directory, a file or a glob ('in/bid/*.json'). A promise that all rows keep is a clause; one that few
    rows break is a comment, with the first of them. What held so far need not hold later: check what you promise.
    """
    from punctum.engine.infer.inferred import inferred  # here because Polars takes a while to import
    from punctum.shell.evidence import evidence
    from punctum.shell.promises import proposals
    from punctum.shell.saved import created, stream_name

    stream = inferred(files, Path())
    if columns:
        click.echo(created(stream, name or stream_name(files)))
        return
    given = evidence(stream, rows)
    if given.broken:
        many = "1 line is no row" if given.broken == 1 else f"{given.broken:,} lines are no rows"
        click.echo(f"note: {many} of these columns; punctum sql shows why", err=True)
    clauses = [proposal.commented for proposal in proposals(given)]
    if not clauses:
        seen = "1 row" if given.rows.height == 1 else f"{given.rows.height:,} rows"
        click.echo(f"note: no promise was found in {seen}; most show in 20 or more", err=True)
    click.echo(created(stream, name or stream_name(files), clauses))
