"""The stages of a query as text: what each reads, by which columns it is exchanged, and which operators run in it."""

from collections.abc import Iterator

from punctum.plan.stages import Input, Op, Pipe, Stage, all_stages


def explain(last: Stage) -> list[str]:
    """A query's stages, each after those that it reads."""
    return [line for stage in all_stages(last) for line in _stage(stage)]


def _stage(stage: Stage) -> Iterator[str]:
    yield f"stage {stage.number}"
    yield from _lines(stage.root, 1)


def _lines(node: Op | Input, depth: int) -> Iterator[str]:
    indent = "  " * depth
    if isinstance(node, Op):
        yield indent + node.relation.label
        for below in node.inputs:
            yield from _lines(below, depth + 1)
        return
    origin = node.origin
    names = [origin.schema.names[i] for i in node.key]
    by = f"by {', '.join(names)}" if names else "into one bucket"
    if isinstance(origin, Pipe):
        yield f"{indent}exchange {origin.stream.name} {by}"
        yield from (f"{indent}  {step.label}" for step in reversed(origin.steps))
    else:
        yield f"{indent}exchange stage {origin.number} {by}"
