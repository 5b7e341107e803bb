"""What the register reports, for people and for programs.

The text of a query that is refused is the same wherever it is met; the JSON has the form of the command line's page.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from punctum.algebra.scheme import Order
from punctum.algebra.values import Row
from punctum.analyse.memory.growth import growing
from punctum.analyse.safety.register import QueryAnalysis
from punctum.analyse.safety.states import AT_THE_END
from punctum.analyse.safety.updates import Changing, changing
from punctum.analyse.safety.verdicts import OperatorState, Verdict
from punctum.errors import RefusedError, underlined
from punctum.ir.conjunctive.spj import Occurrence
from punctum.ir.ranking import Ranked

_SHOWN = 10
"""So many sets of schemes are shown to a person."""
_NOT_IN = "compare columns by = in NOT EXISTS; in NOT IN, declare both NOT NULL, for one NULL decides on all rows"

_ENDED = "emits its groups when all streams have ended"


def text(queries: Sequence[QueryAnalysis], sql: str, every: bool = False) -> str:
    """The report on queries, one after the other; of an unsafe one every state, or those that are unbounded."""
    return "\n".join(_query(query, sql, every) for query in queries)


def to_json(queries: Sequence[QueryAnalysis]) -> dict[str, Any]:
    """The same for programs."""
    return {"queries": [_object(query) for query in queries]}


def admit(queries: Sequence[QueryAnalysis], sql: str) -> str:
    """Refuse queries of which one must not run, with the text that says why; or the text of those that are allowed."""
    refused = [query for query in queries if not query.admitted]
    if refused:
        raise RefusedError(text(refused, sql))
    return text([query for query in queries if not query.safe], sql)


def _object(query: QueryAnalysis) -> dict[str, Any]:
    states = [
        {"operator": s.operator, "input": s.input, "verdict": s.verdict.value, "witness": list(s.witness)}
        for s in query.states
    ]
    advice = [[str(scheme) for scheme in schemes] for schemes in query.advice]
    return {
        "name": query.query.name,
        "admitted": query.admitted,
        "bounded_memory": query.bounded_memory,
        "state": states,
        "advice": advice,
    }


def _query(query: QueryAnalysis, sql: str, every: bool) -> str:
    lines = [f"{query.query.name}: {_word(query)}"]
    states = query.states if query.safe or every else query.unbounded
    kept = [state for state in states if state.verdict is not Verdict.STATELESS]
    again = changing(query.query.relation)
    lines += [f"  {_in_words(state, again)}" for state in kept] or ["  keeps no state"]
    lines += [f"  {kept_keys}" for kept_keys in query.remembered if query.safe]
    lines += [f"  merges {', '.join(merge.names)} by case {case.case}: {case.why}" for merge, case in query.cases]
    unsure = dict.fromkeys(reason for state in query.unbounded for reason in state.undecided)
    lines += [f"  not decided: {reason}" for reason in unsure]
    if kept:
        lines.append(f"  {_memory(query)}")
        lines += [f"  {line}" for line in _forced(query)]
    if query.admitted and query.updates:
        lines.append(f"  emits each {'rank' if isinstance(again, Ranked) else 'group'} again when it changes")
    elif query.safe and query.endless:
        ended = _ENDED.replace("groups", "ranks") if isinstance(again, Ranked) else _ENDED
        lines.append(f"  {ended}; with updates 'true' in its sink, when they change")
    if query.unbounded:
        lines += underlined(sql, query.unbounded[0].place)
        lines += [f"  {line}" for line in _advice(query)]
    elif query.useless:
        lines.append(f"  unused punctuation schemes: {', '.join(map(str, query.useless))}")
    return "\n".join(lines)


def _in_words(state: OperatorState, again: Changing | None) -> str:
    """A state, without when its rows come out if a line below says it."""
    sentence_text = sentence(state)
    ranks = isinstance(again, Ranked) and state.place == again.place
    return sentence_text.removesuffix(f", {AT_THE_END}") if ranks else sentence_text


def _memory(query: QueryAnalysis) -> str:
    """Whether bounded memory would do without punctuations, in one sentence."""
    if not query.bounded_memory:
        return f"without punctuations, memory is unbounded: {query.memory.reason}"
    if not query.memory.bounded:
        return "without punctuations, memory is bounded, as the lines above say"
    runs = "" if query.safe else "; but it groups by a computed column, so no synopsis is used: group by plain columns"
    return f"without punctuations, memory is bounded: {query.memory.reason}{runs}"


def _forced(query: QueryAnalysis) -> Iterator[str]:
    """Rows that nobody can forget, of a query that is refused and that no bounded memory is enough for."""
    failure = query.memory.failure
    given = None if query.safe or failure is None or query.ordered else growing(failure, 3)
    if failure is None or given is None:
        return
    streams, (stream, before, after) = failure.query.streams, given
    later = " and ".join(_rows(streams[n], [row]) for n, row in after[0])
    example = f" such as {later}" if later else ""
    rows = _rows(streams[stream], before)
    yield f"counterexample: all of {rows}, … must be kept, because later rows{example} would tell them apart"


def _rows(stream: Occurrence, rows: Sequence[Row]) -> str:
    """Rows in the columns that matter to them."""
    at = [n for n in range(len(stream.schema)) if any(row[n] is not None for row in rows)]
    values = (", ".join(f"'{row[n]}'" if isinstance(row[n], str) else str(row[n]) for n in at) for row in rows)
    return f"{stream.name}({', '.join(stream.schema.names[n] for n in at)}) = {', '.join(f'({v})' for v in values)}"


def _word(query: QueryAnalysis) -> str:
    if query.safe:
        return "admitted"
    return "admitted with unbounded state (ALLOW UNBOUNDED)" if query.admitted else "refused"


def sentence(state: OperatorState) -> str:
    """What becomes of a state, in a few words."""
    kept = f"{state.operator} of {state.input}" if state.operator != "join" else f"join keeps {state.input}"
    match state.operator, state.verdict:
        case _, Verdict.BOUNDED if state.witness[0].startswith("the last"):
            return f"{kept}: {state.witness[0]}"
        case _, Verdict.BOUNDED:
            return f"{kept}: at most {state.witness[0]}"
        case "join", Verdict.PURGEABLE:
            return f"{kept}: purged by {', then '.join(state.witness)}"
        case _, Verdict.PURGEABLE:
            return f"{kept}: purged by {' and '.join(state.witness) or 'the time of the batch'}"
        case "join", _:
            return f"{kept}: state grows without bound: {_unreached(state)}"
        case _:
            return f"{kept}: state grows without bound: {' and '.join(state.witness)}"


def _unreached(state: OperatorState) -> str:
    """Why rows of a join's input are kept: what the inputs that no chain of punctuations reaches do not promise."""
    others = ", ".join(f"({name})" if ", " in name else name for name in state.witness)
    if not state.wants:
        return f"no equality joins it with {others}"
    if len(state.witness) == 1:
        return f"{others} promises no punctuation {' or '.join(_wanted(state))}"
    return f"none of {others} promises punctuations on the keys that join it with the other inputs"


def _wanted(state: OperatorState) -> Iterator[str]:
    """On what punctuations of an input would purge a state: the key, or columns in order that a comparison bounds."""
    equal = {(id(want.relation), want.column) for want in state.wants if want.order is Order.EQUALITY}
    bounded = [want for want in state.wants if (id(want.relation), want.column) not in equal]
    if equal:
        yield "on the join key"
    if bounded:
        terms = dict.fromkeys(f"{w.relation.schema.names[w.column]} {w.order.value}" for w in bounded)
        yield f"in order of {' or '.join(terms)}"


def _advice(query: QueryAnalysis) -> list[str]:
    """What would make a query safe, one way a line."""
    lines = [f"add {' and '.join(f'{s.clause} to {s.stream}' for s in schemes)}" for schemes in query.advice[:_SHOWN]]
    more = len(query.advice) - _SHOWN
    lines += [f"add one of {more} other sets of PUNCTUATED ON clauses"] if more > 0 else []
    lines += [form.change for form in query.rewrites]
    lines += ["join every stream by an equality: ON a.x = b.y"] if query.crosses else []
    lines += [_NOT_IN] if any(s.operator == "anti join" and not s.wants for s in query.unbounded) else []
    lines = [line if i == 0 else f"or {line}" for i, line in enumerate(lines)]
    lines = [f"hint: {line}" if i == 0 else f"      {line}" for i, line in enumerate(lines)]
    if not lines:
        lines = ["hint: no further PUNCTUATED ON clause would help"]
    return lines if query.query.allow_unbounded else [*lines, "      or write ALLOW UNBOUNDED after the query"]
