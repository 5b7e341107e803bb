"""The command line."""

import sys

import click

from punctum.demo.auction import AUCTION
from punctum.demo.example import show
from punctum.demo.outage import OUTAGE
from punctum.demo.warehouse import WAREHOUSE
from punctum.errors import PunctumError

EXAMPLES = {example.name: example for example in (AUCTION, WAREHOUSE, OUTAGE)}


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="punctum")
def cli() -> None:
    """Continuous SQL over punctuated streams."""


@cli.command()
@click.argument("example", required=False, type=click.Choice(list(EXAMPLES)))
def demo(example: str | None) -> None:
    """Run the papers' examples, slice by slice: all of them, or the one that is named."""
    for number, name in enumerate([example] if example else EXAMPLES):
        click.echo("\n" if number else "", nl=False)
        for line in show(EXAMPLES[name]):
            click.echo(line)


def main() -> None:
    """Run the command; a user's mistake is an error message, not a traceback."""
    try:
        cli()
    except PunctumError as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(2)
