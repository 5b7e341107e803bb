"""``punctum explain``: the plan of each query, its stages and exchanges, its verdicts and its punctuation graphs."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from punctum.commands.script import registered

if TYPE_CHECKING:
    from punctum.analyse.register import Registered


@click.command()
@click.argument("script", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--graph",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where to write the punctuation graphs: a file that ends in .svg or .dot.",
)
def explain(script: Path, graph: Path | None) -> None:
    """Show the plan of each query of a script, what it keeps, and how its streams' punctuations purge it."""
    from punctum.analyse.drawing import dot, svg  # here because the SQL parser takes a moment to import

    if graph is not None and graph.suffix not in (".svg", ".dot"):
        raise click.BadParameter(f"{graph.name} ends neither in .svg nor in .dot", param_hint="--graph")
    queries, sql = registered(script)
    click.echo("\n\n".join("\n".join(_told(query, sql)) for query in queries) or "there are no queries")
    if graph is not None:
        joins = [join for query in queries for join in query.joins]
        graph.write_text((svg if graph.suffix == ".svg" else dot)(joins) + "\n")


def _told(query: "Registered", sql: str) -> list[str]:
    from punctum.analyse.drawing import lines
    from punctum.analyse.report import text
    from punctum.parse.relations import show
    from punctum.plan.explain import explain as stages_of
    from punctum.plan.stages import stages

    relation = query.query.relation
    told = [text([query], sql, every=True), "  plan", *_indented(show(relation).splitlines())]
    told += ["  stages", *_indented(stages_of(stages(relation)))]
    if query.safe and not query.as_written:
        told.append("    these binary joins are not safe; the query is when it runs as one join of all its inputs")
    for join in query.joins:
        told += [f"  punctuation graph of the join of {', '.join(join.streams)}", *_indented(lines(join))]
    return told


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]
