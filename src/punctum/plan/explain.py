"""A query's plan as text.

Its stages: what each reads, by which columns it is exchanged, and which operators run in it. And its joins: their best
plans with what these cost at a guess, and what the options of a plan would change.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import product

from punctum.analyse.safety.register import QueryAnalysis
from punctum.analyse.safety.useful import minimal
from punctum.ir.by_node import ByNode
from punctum.plan.joins.choose import Joined, PlanOptions, Schemes, inference, joined, to_run, total
from punctum.plan.joins.cost import Cost, Purge
from punctum.plan.joins.trees import Tree
from punctum.plan.passes.windows import windows
from punctum.plan.physical.pipes import Pipe
from punctum.plan.physical.stages import Input, Op, Stage, all_stages


def explain(last: Stage) -> list[str]:
    """A query's stages, each after those that it reads."""
    return [line for stage in all_stages(last) for line in _stage(stage)]


def _stage(stage: Stage) -> Iterator[str]:
    yield f"stage {stage.number}"
    yield from _lines(stage.root, 1, ByNode())


def _lines(node: Op | Input, depth: int, shown: ByNode[str]) -> Iterator[str]:
    indent = "  " * depth
    if node in shown:
        yield f"{indent}the same {shown[node]}"
        return
    if isinstance(node, Op):
        shown[node] = node.relation.label
        yield indent + node.relation.label
        for i, window, above in windows(node.relation):
            yield f"{indent}  {', '.join([f'{window.label} of input {i}', *(step.label for step in above)])}"
        for below in node.inputs:
            yield from _lines(below, depth + 1, shown)
        return
    origin = node.origin
    by = f"by {node.by}" if node.by else "into one bucket"
    shown[node] = f"exchange {origin.stream.name if isinstance(origin, Pipe) else f'stage {origin.number}'} {by}"
    if isinstance(origin, Pipe):
        yield f"{indent}exchange {origin.stream.name} {by}"
        yield from (f"{indent}  {step.label}" for step in reversed(origin.steps))
    else:
        yield f"{indent}exchange stage {origin.number} {by}"


def costs(query: QueryAnalysis, options: PlanOptions) -> Iterator[str]:
    """The best plans of each join of a query, and the costs of all joins with other options."""
    known = inference(query, query.emits_punctuations, options.schemes)
    for relation in query.ends:
        runs = to_run(relation, known, options) if query.safe else None
        yield from _join(joined(relation, known, options), options, runs)
    if query.ends and query.safe:
        yield "costs by plan options: which schemes are used, and when state is purged"
        others = [replace(options, schemes=schemes, purge=purge) for schemes, purge in product(Schemes, Purge)]
        names = [f"{other.schemes.value}, {other.purge.value}" for other in others]
        yield from _table(zip(names, (total(query, other) for other in others), strict=True))
        kept = minimal(query.query.relation, query.emits_punctuations)
        yield f"  minimal: {', '.join(str(scheme) for scheme in query.declared if scheme in kept)}"


def _join(join: Joined, options: PlanOptions, runs: Tree | None) -> Iterator[str]:
    """The best plans of a join, and the one that runs when it is not the first."""
    yield f"plans of the join of {', '.join(join.query.streams)}, the best for {options.by.value} first"
    written, plans = join.as_written, list(join.plans.ranked)
    names = [join.text(plan.tree) for plan in plans]
    if join.text(written.tree) not in names:
        plans.append(written)
        names.append(f"{join.text(written.tree)}, as written")
    yield from _table(zip(names, (plan.cost for plan in plans), strict=True))
    if runs not in (None, plans[0].tree):
        yield f"  runs as written: {join.text(runs)}; --objective {options.by.value} runs the first plan"
    if join.plans.because:
        yield f"  not split into smaller joins: {join.plans.because}"


def _table(rows: Iterable[tuple[str, Cost | None]]) -> Iterator[str]:
    """Names with costs, which stand under each other."""
    cells = [(name, *(("not safe", "") if cost is None else _cells(cost))) for name, cost in rows]
    width, kept, work = (max(map(len, column)) for column in zip(*cells, strict=True))
    for name, memory, steps in cells:
        yield f"  {name:<{width}}  {memory:>{kept}}  {steps:>{work}}".rstrip()


def _cells(cost: Cost) -> tuple[str, str]:
    return f"keeps {_short(cost.memory)} rows", f"{_short(cost.work)} steps/s"


def _short(number: float) -> str:
    """A number in three digits, for an estimate has no more.

    >>> _short(48_650.0), _short(7.0), _short(18_977_616_597.0)
    ('48.6k', '7', '19G')
    """
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if size <= number < 1e12:
            return f"{number / size:.3g}{unit}"
    return f"{number:.3g}"
