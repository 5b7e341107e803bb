"""The register as an editor asks it: the text of a script in, its verdicts, graphs, advice, plans and passes out.

All of it is data for JSON. Places are pairs of characters of the text, from the first one up to before the last one.
"""

from typing import Any

from sqlglot.tokenizer_core import TokenType

from punctum.analyse.graphs import JoinQuery, transformed, unreachable
from punctum.analyse.promises import Declared
from punctum.analyse.report.drawing import arrows, pictures
from punctum.analyse.report.text import text, to_json
from punctum.compile import Compiled, CompiledQuery, Options, compile
from punctum.engine.sinks.check import check_sink
from punctum.errors import PunctumError, SqlError
from punctum.ir.definitions import StreamDef
from punctum.page.picture import picture, place_of, state_of
from punctum.parse.lexer.text import Text
from punctum.plan.explain import costs

Answer = dict[str, Any]
"""Data for JSON."""
LONGEST = 200_000
"""A script of more characters is not read."""


def verdicts(sql: str, zone: str = "UTC") -> Answer:
    """What ``punctum check --json`` says of a script, and beside it where that is and what can be done; or its error.

    >>> answer = verdicts('''
    ...     CREATE STREAM bid (itemid BIGINT, increase DOUBLE) USING json OPTIONS (path 'in');
    ...     CREATE SINK total USING json OPTIONS (path 'out');
    ...     INSERT INTO total SELECT itemid, SUM(increase) AS total FROM bid GROUP BY itemid;
    ... ''')
    >>> [(query["name"], query["admitted"], query["advice"]) for query in answer["check"]["queries"]]
    [('total', False, [['bid(itemid)']])]
    >>> answer["queries"][0]["advice"][0]["edits"][0]["insert"]
    ', PUNCTUATED ON (itemid)'
    >>> verdicts("CREATE STREAM bid")["error"]["what"]
    'expected ( in CREATE STREAM'
    """
    try:
        whole = _compiled(sql, zone)
        return {"check": to_json(whole.analyses), "queries": [_query(query, whole) for query in whole.queries]}
    except PunctumError as error:
        return {"error": _error(error)}


def explained(sql: str, zone: str = "UTC") -> Answer:
    """The plans of a script's queries with their costs, their stages, and the tree after each pass."""
    try:
        return {"queries": [_explained(query) for query in _compiled(sql, zone).queries]}
    except PunctumError as error:
        return {"error": _error(error)}


def _compiled(sql: str, zone: str) -> Compiled:
    if len(sql) > LONGEST:
        raise SqlError("the script is too long", f"it has {len(sql):,} characters", f"the page reads {LONGEST:,}")
    whole = compile(sql, Options(zone=zone))
    for query in whole.queries:
        check_sink(query.query.sink, query.query.relation.schema)
    return whole


def _error(error: PunctumError) -> Answer:
    place = place_of(error.place) if isinstance(error, SqlError) else None
    return {"what": error.what, "detail": error.detail, "hint": error.hint, "place": place}


def _query(query: CompiledQuery, whole: Compiled) -> Answer:
    known = query.analysis
    return {
        "name": known.query.name,
        "verdict": "safe" if known.safe else "allowed" if known.admitted else "refused",
        "place": place_of(known.query.place),
        "text": text([known], query.sql, every=True),
        "states": [state_of(state) for state in known.states],
        "graphs": [_graph(join) for join in known.joins],
        "advice": [_advice(schemes, whole) for schemes in known.advice],
        "rewrites": [form.change for form in known.rewrites],
        "picture": picture(query),
    }


def _graph(join: JoinQuery) -> Answer:
    """A punctuation graph: who asks whom, by which scheme, which parts purge each other, and who reaches whom not.

    Its pictures are those of ``punctum explain --graph``.
    """
    edges = [
        {"known": [list(streams) for streams in arrow.known], "to": arrow.target, "scheme": arrow.scheme}
        for arrow in arrows(join)
    ]
    parts = [sorted(node) for node in transformed(join).nodes]
    missing = [list(unreachable(join, start)) for start in range(len(join.streams))]
    across, down = (picture.data for picture in pictures(join))
    known = {"streams": list(join.streams), "edges": edges, "parts": parts, "unreachable": missing}
    return known | {"pictures": {"across": across, "down": down}}


def _advice(schemes: tuple[Declared, ...], whole: Compiled) -> Answer:
    """Schemes that would make a query safe, and where in the text their clauses go."""
    edits = [_edit(scheme, whole) for scheme in schemes]
    return {
        "schemes": [str(scheme) for scheme in schemes],
        "text": " and ".join(f"add {scheme.clause} to {scheme.stream}" for scheme in schemes),
        "edits": [edit for edit in edits if edit is not None] if None not in edits else [],
    }


def _edit(scheme: Declared, whole: Compiled) -> Answer | None:
    """Where a clause goes: behind the last one in a stream's brackets, on a line of its own if these have lines."""
    named = {name.lower(): stream for name, stream in whole.script.streams.items()}
    stream, sql = named.get(scheme.stream.lower()), whole.script.text
    end = None if stream is None or stream.relation is not None else _end(stream, sql)
    if end is None:
        return None
    last, closing = end
    lines = "\n" in sql[last:closing]
    return {"at": last, "insert": f",\n  {scheme.clause}" if lines else f", {scheme.clause}"}


def _end(stream: StreamDef, sql: str) -> tuple[int, int] | None:
    """Where the last token in the brackets of a stream ends, and where the bracket is that closes them."""
    depth, last = 0, 0
    for token in Text(sql).tokens:
        if stream.place.start <= token.start < stream.place.end:
            depth += {TokenType.L_PAREN: 1, TokenType.R_PAREN: -1}.get(token.token_type, 0)
            if not depth and token.token_type is TokenType.R_PAREN:
                return last, token.start
            last = token.end + 1
    return None


def _explained(query: CompiledQuery) -> Answer:
    return {
        "name": query.query.name,
        "costs": list(costs(query.analysis, query.options.plan)),
        "stages": query.explained,
        "passes": [{"name": name, "lines": lines} for name, lines in query.changes()],
    }
