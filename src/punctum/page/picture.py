"""A query's plan as a picture: streams, operators and the sink as nodes, what flows between them as edges.

In: a query that is compiled. Out: data for JSON, in which nodes know their place in the SQL and the verdicts of their
states, and edges know which of the metrics say what has flowed along them.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from punctum.analyse.report.text import sentence
from punctum.analyse.safety.verdicts import OperatorState, Verdict
from punctum.compile import CompiledQuery
from punctum.errors import Place, masked
from punctum.ir.definitions import NOWHERE, SinkDef, StreamDef
from punctum.ir.tree import Relation, title
from punctum.page.spared import spared
from punctum.plan.joins.counts import ROWS_FROM
from punctum.plan.physical.pipes import Pipe
from punctum.plan.physical.stages import Input, Op, Stage, all_stages, operators

Picture = dict[str, Any]
"""Data for JSON."""
_WORST = (Verdict.STATELESS, Verdict.BOUNDED, Verdict.PURGEABLE, Verdict.UNBOUNDED)


def picture(compiled: CompiledQuery) -> Picture:
    """The nodes and edges of a query; what is secret in its SQL is masked, in as many characters.

    >>> from punctum.compile import compile
    >>> (totals,) = compile('''
    ...     CREATE STREAM bid (itemid BIGINT, increase DOUBLE, PUNCTUATED ON (itemid)) USING json OPTIONS (path 'in');
    ...     CREATE SINK total USING json OPTIONS (path 'out');
    ...     INSERT INTO total SELECT itemid, SUM(increase) AS total FROM bid GROUP BY itemid;
    ... ''').queries
    >>> [node["id"] for node in picture(totals)["nodes"]]
    ['stream bid', 's1o0', 'sink total']
    >>> [(edge["from"], edge["to"], edge["counts"]) for edge in picture(totals)["edges"]]
    [('stream bid', 's1o0', ['s1o0', 'rows_from bid']), ('s1o0', 'sink total', ['s1o0', 'rows_out'])]
    """
    known, last = compiled.analysis, compiled.last
    planned = all_stages(last)
    streams = {i.origin.stream.name: i.origin for stage in planned for i in stage.inputs if isinstance(i.origin, Pipe)}
    states = _states_of(planned, known.states)
    nodes = [_stream(pipe.stream) for pipe in streams.values()]
    nodes += [node for stage in planned for node in _stage(stage, states)]
    sink = [_sink(known.query.sink)] if known.query.sink.format else []
    edges = [edge for stage in planned for edge in _edges(stage)]
    edges += [_edge(output(last), node["id"], _given(last)) for node in sink]
    return {
        "name": known.query.name,
        "sql": masked(compiled.sql),
        "verdict": "safe" if known.safe else "allowed" if known.admitted else "refused",
        "nodes": [*nodes, *sink],
        "edges": edges,
        "states": [state_of(state) for state in known.states],
        "merges": [list(merge.names) for merge, _ in known.cases if merge.control is not None],
    }


def state_of(state: OperatorState) -> dict[str, Any]:
    """A state with its verdict, its witness, the sentence of the report, and its place."""
    return {
        "operator": state.operator,
        "input": state.input,
        "verdict": state.verdict.value,
        "witness": list(state.witness),
        "sentence": "keeps no rows" if state.verdict is Verdict.STATELESS else sentence(state),
        "place": place_of(state.place),
    }


def place_of(place: Place | None) -> list[int] | None:
    """A place as data; nothing when it is not known."""
    return None if place is None or place == NOWHERE else [place.start, place.end]


def output(stage: Stage) -> str:
    """The id of the node that gives what a stage gives."""
    return (
        f"s{stage.number}" if isinstance(stage.root, Input) else f"s{stage.number}o{_numbered(stage).index(stage.root)}"
    )


def _given(stage: Stage) -> list[str] | None:
    """Which count says how many rows a stage gives; nothing where it only brings them together."""
    return None if isinstance(stage.root, Input) else [output(stage), "rows_out"]


def _numbered(stage: Stage) -> list[Op]:
    """The operators of a stage: metrics name them by their positions."""
    return list(operators(stage.root))


def _source(source: Input) -> str:
    return f"stream {source.origin.stream.name}" if isinstance(source.origin, Pipe) else output(source.origin)


def _stream(stream: StreamDef) -> dict[str, Any]:
    schemes = [f"PUNCTUATED {scheme}" for scheme in stream.schemes]
    columns = [{"name": a.name, "type": str(a.type.value)} for a in stream.schema.attributes]
    return {
        "id": f"stream {stream.name}",
        "kind": "stream",
        "label": stream.name,
        "detail": stream.format or "DataFrame",
        "columns": columns,
        "schemes": schemes,
        "place": place_of(stream.place),
    }


def _sink(sink: SinkDef) -> dict[str, Any]:
    place = place_of(sink.place)
    return {"id": f"sink {sink.name}", "kind": "sink", "label": sink.name, "detail": sink.format, "place": place}


def _stage(stage: Stage, states: dict[tuple[int, int], list[OperatorState]]) -> Iterator[dict[str, Any]]:
    if isinstance(stage.root, Input):
        label = "one bucket" if not stage.root.key else f"by {stage.root.by}"
        yield {"id": f"s{stage.number}", "kind": "gather", "label": label, "detail": "exchange", "stage": stage.number}
    for n, op in enumerate(_numbered(stage)):
        own = states.get((stage.number, n), [])
        worst = max((state.verdict for state in own), key=_WORST.index, default=Verdict.STATELESS)
        yield {
            "id": f"s{stage.number}o{n}",
            "kind": "operator",
            "label": op.relation.OPERATOR,
            "detail": _detail(op.relation),
            "reads": title(op.relation),
            "stage": stage.number,
            "verdict": worst.value,
            "states": [state_of(state) for state in own],
            "spared": spared(op.relation),
            "place": place_of(getattr(op.relation, "place", None)),
        }


def _detail(relation: Relation) -> str:
    """What an operator does, without the name of its class."""
    _, _, rest = relation.label.partition(" ")
    return rest


def _edges(stage: Stage) -> Iterator[dict[str, Any]]:
    if isinstance(stage.root, Input):
        yield _edge(_source(stage.root), output(stage), _counts(stage.root, None), _exchange(stage.root))
    numbered = _numbered(stage)
    for n, op in enumerate(numbered):
        to = f"s{stage.number}o{n}"
        for below in op.inputs:
            if isinstance(below, Op):
                name = f"s{stage.number}o{numbered.index(below)}"
                yield _edge(name, to, [name, "rows_out"])
            else:
                yield _edge(_source(below), to, _counts(below, to), _exchange(below))


def _counts(source: Input, to: str | None) -> list[str] | None:
    """Which count says how many rows an input has brought to an operator."""
    if isinstance(source.origin, Stage):
        return _given(source.origin)
    return None if to is None else [to, ROWS_FROM + source.origin.stream.name]


def _exchange(source: Input) -> dict[str, Any]:
    steps = [step.label for step in source.origin.steps] if isinstance(source.origin, Pipe) else []
    return {"by": source.by or "one bucket", "steps": steps}


def _edge(start: str, end: str, counts: list[str] | None, exchange: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"from": start, "to": end, "counts": counts, "exchange": exchange}


def _states_of(planned: Sequence[Stage], states: Sequence[OperatorState]) -> dict[tuple[int, int], list[OperatorState]]:
    """The states of each operator: of those that are called alike, the one that reads what the state is of."""
    by_operator: dict[tuple[int, int], list[OperatorState]] = {}
    ops = [((stage.number, n), op.relation) for stage in planned for n, op in enumerate(_numbered(stage))]
    for state in states:
        alike = [(_nearness(relation, state), at) for at, relation in ops if _called(relation, state.operator)]
        if alike:
            _, at = max(alike, key=lambda pair: pair[0])
            by_operator.setdefault(at, []).append(state)
    return by_operator


def _called(relation: Relation, name: str) -> bool:
    own = relation.OPERATOR
    return (
        name.startswith(own)
        or (own.endswith("join") and name.endswith("join"))
        or (own == "ranking" and name.startswith("top "))
    )


def _nearness(relation: Relation, state: OperatorState) -> tuple[bool, bool]:
    """Whether an operator reads what a state is of, and whether both stand at the same place."""
    reads = {title(below) for below in relation.inputs} | {title(relation)}
    return state.input in reads, getattr(relation, "place", NOWHERE) == state.place
