"""``punctum explain``: the plan of each query, its stages and exchanges, its verdicts and its punctuation graphs."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from punctum.commands.running import LocalPath
from punctum.commands.script import compiled, plan_options, planned, zone_option

if TYPE_CHECKING:
    from punctum.compile import CompiledQuery


@click.command()
@click.argument("script", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--graph",
    type=LocalPath(dir_okay=False, path_type=Path),
    help="Write the punctuation graphs to this .svg or .dot file.",
)
@click.option("--passes", is_flag=True, help="Show the tree of each query after each pass of the compiler.")
@plan_options
@zone_option
@click.option(
    "--checkpoint",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Use the stream statistics that an earlier run has measured in this checkpoint directory.",
)
def explain(
    script: Path,
    graph: Path | None,
    passes: bool,
    objective: str | None,
    schemes: str,
    purge: str,
    zone: str,
    checkpoint: Path | None,
) -> None:
    """Show each query's plan and stages, the state that it keeps, and the punctuations that purge it."""
    from punctum.analyse.report.drawing import dot, svg  # here because the SQL parser takes a moment to import
    from punctum.compile import Options

    if graph is not None and graph.suffix not in (".svg", ".dot"):
        raise click.BadParameter(f"{graph.name} does not end in .svg or .dot", param_hint="--graph")
    options = Options(planned(objective, schemes, purge), zone=zone)
    queries = [_measured(query, checkpoint) for query in compiled(script, options).queries]
    shown = ("\n".join(_passes(query) if passes else _explained(query)) for query in queries)
    click.echo("\n\n".join(shown) or "the script has no queries")
    if graph is not None:
        joins = [join for query in queries for join in query.analysis.joins]
        graph.write_text((svg if graph.suffix == ".svg" else dot)(joins) + "\n")


def _measured(query: "CompiledQuery", checkpoint: Path | None) -> "CompiledQuery":
    """A query planned by what an earlier run has measured; a run has a directory of its name for each query."""
    from punctum.plan.joins.measured import measured

    if checkpoint is None:
        return query
    own = checkpoint / query.query.name
    statistics = measured(own if own.is_dir() else checkpoint)
    return query.again(replace(query.options, plan=replace(query.options.plan, statistics=statistics)))


def _passes(query: "CompiledQuery") -> Iterator[str]:
    """The tree after each pass; "no change" where it stays as it is, and what relations promise after inference."""
    yield query.query.name
    for name, shown in query.changes():
        yield f"  {name}" + ("" if shown else ": no change")
        yield from _indented(shown)


def _explained(query: "CompiledQuery") -> Iterator[str]:
    from punctum.analyse.report.drawing import lines
    from punctum.analyse.report.text import text
    from punctum.ir.tree import show
    from punctum.plan.explain import costs

    known = query.analysis
    yield text([known], query.sql, every=True)
    yield "  plan"
    yield from _indented(show(known.query.relation).splitlines())
    yield "  stages"
    yield from _indented(query.explained)
    if known.safe and not known.as_written and any(len(join.streams) > 2 for join in known.joins):
        yield "    the joins as written are not safe one by one, so they run as one join of many inputs"
    yield from (f"  {line}" for line in costs(known, query.options.plan))
    for join in known.joins:
        yield f"  which punctuations purge which input of the join of {', '.join(join.streams)} (punctuation graph)"
        yield from _indented(lines(join))


def _indented(lines: Iterable[str]) -> Iterator[str]:
    return (f"    {line}" for line in lines)
