"""``punctum check``: whether each query of a script is admitted, as text or as JSON."""

import json
import sys
from pathlib import Path

import click

from punctum.commands.script import compiled, zone_option

REFUSED = 1
"""The exit code when a query is refused."""


@click.command()
@click.argument("script", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print the verdicts as JSON.")
@zone_option
def check(script: Path, as_json: bool, zone: str) -> None:
    """Check that the state of each query in a script stays bounded; exit with 1 when one is refused."""
    from punctum.analyse.report.text import text, to_json  # here because the SQL parser takes a moment to import
    from punctum.compile import Options

    whole = compiled(script, Options(zone=zone))
    queries, sql = whole.analyses, whole.script.text
    click.echo(json.dumps(to_json(queries), indent=2) if as_json else text(queries, sql) or "the script has no queries")
    if not all(query.admitted for query in queries):
        sys.exit(REFUSED)
