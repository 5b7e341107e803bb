"""``punctum explain``: the plan of each query, its stages and exchanges, its verdicts and its punctuation graphs."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from punctum.commands.script import plan_options, registered

if TYPE_CHECKING:
    from punctum.analyse.safety.register import QueryAnalysis
    from punctum.plan.joins.choose import PlanOptions


@click.command()
@click.argument("script", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--graph",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where to write the punctuation graphs: a file that ends in .svg or .dot.",
)
@plan_options
@click.option(
    "--checkpoint",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Where an earlier run has measured what its streams are like.",
)
def explain(
    script: Path, graph: Path | None, objective: str | None, schemes: str, purge: str, checkpoint: Path | None
) -> None:
    """Show the plan of each query of a script, what it keeps, and how its streams' punctuations purge it."""
    from punctum.analyse.report.drawing import dot, svg  # here because the SQL parser takes a moment to import
    from punctum.plan.joins.choose import PlanOptions, Schemes
    from punctum.plan.joins.cost import Objective, Purge

    options = PlanOptions(None if objective is None else Objective(objective), Schemes(schemes), Purge(purge))
    if graph is not None and graph.suffix not in (".svg", ".dot"):
        raise click.BadParameter(f"{graph.name} ends neither in .svg nor in .dot", param_hint="--graph")
    queries, sql = registered(script)
    told = ("\n".join(_told(query, sql, _measured(options, query, checkpoint))) for query in queries)
    click.echo("\n\n".join(told) or "there are no queries")
    if graph is not None:
        joins = [join for query in queries for join in query.joins]
        graph.write_text((svg if graph.suffix == ".svg" else dot)(joins) + "\n")


def _measured(options: "PlanOptions", query: "QueryAnalysis", checkpoint: Path | None) -> "PlanOptions":
    """What an earlier run of a query has measured; a run keeps the place of each query in a directory of its name."""
    from punctum.plan.joins.measured import measured

    if checkpoint is None:
        return options
    own = checkpoint / query.query.name
    return replace(options, statistics=measured(own if own.is_dir() else checkpoint))


def _told(query: "QueryAnalysis", sql: str, options: "PlanOptions") -> list[str]:
    from punctum.analyse.report.drawing import lines
    from punctum.analyse.report.text import text
    from punctum.ir.definitions import writes_apart
    from punctum.ir.relations import show
    from punctum.plan.explain import costs
    from punctum.plan.explain import explain as stages_of
    from punctum.plan.physical.stages import stages

    relation, out_of_band = query.query.relation, writes_apart(query.query.sink)
    told = [text([query], sql, every=True), "  plan", *_indented(show(relation).splitlines())]
    planned = stages(
        relation, global_punctuations=query.says, out_of_band=out_of_band, options=options, updates=query.updates
    )
    told += ["  stages", *_indented(stages_of(planned))]
    if query.safe and not query.as_written:
        told.append("    the binary joins as written are not safe, so joins that are safe together run as one")
    told += [f"  {line}" for line in costs(query, options)]
    for join in query.joins:
        told += [f"  punctuation graph of the join of {', '.join(join.streams)}", *_indented(lines(join))]
    return told


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]
