"""Which case a merge gets: the paper's six examples (section IV-G), what is declared, and what a plan lets infer."""

from itertools import product

import pytest

from punctum.analyse.safety.register import QueryAnalysis, verdict
from punctum.analyse.safety.verdicts import Verdict
from punctum.errors import SqlError
from punctum.lmerge.properties import Case, Properties, allows, choose
from punctum.parse import parse_script

SINK = "CREATE SINK o USING json OPTIONS (path 'out', elements 'true'); INSERT INTO o SELECT * FROM m;"
IN_ORDER = "CREATE STREAM s (ts BIGINT, machine STRING, PUNCTUATE (ts ASC)) USING json OPTIONS (path 'in/s');"
DISORDERED = "CREATE STREAM s (ts BIGINT, machine STRING, PUNCTUATED ON (ts)) USING json OPTIONS (path 'in/s');"


def temporal(name: str, properties: str) -> str:
    more = f", {properties}" if properties else ""
    return f"CREATE TEMPORAL STREAM {name} (p STRING, n BIGINT{more}) USING json OPTIONS (path 'in/{name}');"


def declared(*properties: str, options: str = "") -> str:
    streams = [temporal(name, given) for name, given in zip("abcd", properties, strict=False)]
    merge = f"CREATE STREAM m AS LMERGE ({', '.join('abcd'[: len(properties)])}) {options};"
    return "".join([*streams, merge, SINK])


def plan_joins(stream: str, query: str) -> str:
    """Two plans of one query, merged."""
    plans = "".join(f"CREATE TEMPORAL STREAM {name} AS {query};" for name in "ab")
    return f"{stream}{plans}CREATE STREAM m AS LMERGE (a, b); {SINK}"


def known(sql: str) -> QueryAnalysis:
    (query,) = verdict(parse_script(sql))
    return query


def case(sql: str) -> str:
    ((_, chosen),) = known(sql).cases
    return chosen.case


GROUPED = "SELECT ts DIV 60 AS _vs, machine, COUNT(*) AS n FROM s GROUP BY ts DIV 60, machine"
EXAMPLES = {
    "1, published properties": (declared("ORDERED, KEY (p), INSERT ONLY", "STRICTLY ORDERED, INSERT ONLY"), "R2"),
    "2, an operator that orders": (plan_joins(DISORDERED.replace("(ts)", "(ts ASC)"), f"{GROUPED} ORDER BY _vs"), "R2"),
    "3, an aggregate over a stream in order": (
        plan_joins(IN_ORDER, "SELECT ts DIV 60 AS _vs, COUNT(*) AS n FROM s GROUP BY ts DIV 60"),
        "R0",
    ),
    "4, ranks": (plan_joins(IN_ORDER, "SELECT ts AS _vs, machine FROM s ORDER BY _vs, machine"), "R1"),
    "5, groups over a stream in order": (plan_joins(IN_ORDER, GROUPED), "R2"),
    "6, groups over a disordered stream": (
        plan_joins(DISORDERED.replace("ts BIGINT", "ts BIGINT NOT NULL"), GROUPED.replace(" DIV 60", "")),
        "R3",
    ),
}


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_examples_of_the_paper(example: str) -> None:
    sql, wanted = EXAMPLES[example]
    assert case(sql) == wanted


NEEDS = {
    "R0": {"STRICTLY ORDERED", "INSERT ONLY"},
    "R1": {"ORDERED", "DETERMINISTIC TIES", "INSERT ONLY"},
    "R2": {"ORDERED", "KEY (p)", "INSERT ONLY"},
    "R3": {"KEY (p)"},
    "R4": set[str](),
}


def test_every_set_of_declared_properties() -> None:
    """The first case all of whose needs are met; a strict order is an order, a key, and ties that there are none of."""
    words = ("STRICTLY ORDERED", "ORDERED", "INSERT ONLY", "DETERMINISTIC TIES", "KEY (p)")
    for chosen in product([False, True], repeat=len(words)):
        given = [word for word, there in zip(words, chosen, strict=True) if there]
        has = set(given) | ({"ORDERED", "KEY (p)", "DETERMINISTIC TIES"} if "STRICTLY ORDERED" in given else set())
        wanted = next(name for name, needs in NEEDS.items() if needs <= has)
        assert case(declared(", ".join(given), "STRICTLY ORDERED, INSERT ONLY")) == wanted, given
        strict, ordered, insert_only, ties, key = chosen
        specified = Properties(ordered=ordered, strict=strict, ties=ties, key=key, insert_only=insert_only)
        assert choose(specified).case.value == wanted, given
        for forced, needs in NEEDS.items():
            sql = declared(", ".join(given), options=f"OPTIONS (case '{forced}')")
            if needs <= has:
                assert case(sql) == forced and allows(specified, Case(forced))
            else:
                assert not allows(specified, Case(forced))
                with pytest.raises(SqlError, match=f"the inputs do not allow case {forced}"):
                    known(sql)


@pytest.mark.parametrize("more", ["", "ORDERED", "STRICTLY ORDERED", "DETERMINISTIC TIES, ORDERED", "KEY (p)"])
def test_opens_and_closes_have_a_key_and_adjusts_whatever_their_order(more: str) -> None:
    """Merged with inserts in strict order, which would be R0 by themselves."""
    opens = ", ".join(["OPEN CLOSE", *([more] if more else [])])
    assert case(declared(opens, "STRICTLY ORDERED, INSERT ONLY")) == "R3"
    with pytest.raises(SqlError, match="the inputs do not allow case R2"):
        known(declared(opens, opens, options="OPTIONS (case 'R2')"))
    assert case(declared(opens, "")) == "R4"


def test_a_projection_of_opens_and_closes_loses_their_key() -> None:
    stream = temporal("s", "OPEN CLOSE")
    assert case(plan_joins(stream, "SELECT n, p FROM s WHERE n > 3")) == "R3"
    assert case(plan_joins(stream, "SELECT n FROM s")) == "R4"
    assert case(plan_joins(temporal("s", "OPEN CLOSE, KEY (n)"), "SELECT n FROM s")) == "R3"


def test_a_forced_case_that_is_not_allowed_says_who_lacks_what() -> None:
    with pytest.raises(SqlError) as error:
        known(declared("ORDERED, KEY (n)", "ORDERED", "", options="OPTIONS (case 'R2')"))
    assert (
        error.value.detail
        == "a lacks INSERT ONLY; b lacks INSERT ONLY and KEY; c lacks ORDERED and INSERT ONLY and KEY"
    )
    assert "LMERGE (a, b, c) OPTIONS (case 'R2')" in str(error.value)


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("SELECT p, n FROM s WHERE n > 3", "R2"),
        ("SELECT p, n + 1 AS m FROM s", "R2"),
        ("SELECT n FROM s", "R4"),
        ("SELECT upper(p) AS p, n FROM s", "R4"),
        ("SELECT p AS q FROM (SELECT n, p FROM s) WHERE _vs > 3".replace(", p FROM", ", p, _vs FROM"), "R2"),
    ],
)
def test_selections_keep_properties_and_projections_those_that_they_show(query: str, wanted: str) -> None:
    stream = temporal("s", "ORDERED, KEY (p), INSERT ONLY")
    assert case(plan_joins(stream, query)) == wanted


def test_one_input_that_promises_stables_is_enough() -> None:
    plain = (
        "CREATE STREAM s (ts BIGINT NOT NULL, p STRING, n BIGINT, PUNCTUATED ON (p)) USING json OPTIONS (path 'in/s');"
    )
    silent = "CREATE TEMPORAL STREAM q AS SELECT DISTINCT ts AS _vs, p, n FROM s;"
    merged = f"{plain}{silent}{temporal('a', 'KEY (p)')}CREATE STREAM m AS LMERGE (a, q);{SINK}"
    state = known(merged).states[-1]
    assert (state.operator, state.verdict, state.witness) == ("lmerge R3", Verdict.PURGEABLE, ("stables of a",))
    alone = known(f"{plain}{silent}CREATE STREAM m AS LMERGE (q);{SINK}")
    assert not alone.admitted
    assert [[str(scheme) for scheme in schemes] for schemes in alone.advice] == [["s(ts ASC)"]]


@pytest.mark.parametrize(
    ("properties", "states"),
    [
        ("STRICTLY ORDERED, INSERT ONLY", {"lmerge R0": Verdict.BOUNDED, "final": Verdict.STATELESS}),
        ("ORDERED, DETERMINISTIC TIES, INSERT ONLY", {"lmerge R1": Verdict.BOUNDED, "final": Verdict.STATELESS}),
        ("ORDERED, KEY (p), INSERT ONLY", {"lmerge R2": Verdict.PURGEABLE, "final": Verdict.STATELESS}),
        ("KEY (p)", {"lmerge R3": Verdict.PURGEABLE, "final": Verdict.PURGEABLE}),
        (
            "OPEN CLOSE",
            {"open-close": Verdict.PURGEABLE, "lmerge R3": Verdict.PURGEABLE, "final": Verdict.PURGEABLE},
        ),
        ("", {"lmerge R4": Verdict.PURGEABLE, "final": Verdict.PURGEABLE}),
    ],
)
def test_what_a_merge_keeps(properties: str, states: dict[str, Verdict]) -> None:
    sql = declared(properties, properties).replace(", elements 'true'", "")
    assert {state.operator: state.verdict for state in known(sql).states} == states


@pytest.mark.parametrize(("properties", "column", "admitted"), [
    ("KEY (p)", "_ve", True), ("KEY (p)", "_vs", False), ("INSERT ONLY", "_vs", True), ("INSERT ONLY", "_ve", True),
    ("KEY (p)", "p", False),
])  # fmt: skip
def test_final_events_are_closed_by_their_ends_and_inserts_by_their_starts(
    properties: str, column: str, admitted: bool
) -> None:
    sql = declared(properties, properties).partition("CREATE SINK")[0]
    sql += "CREATE SINK o USING json OPTIONS (path 'out');"
    assert known(f"{sql} INSERT INTO o SELECT {column}, COUNT(*) AS c FROM m GROUP BY {column};").admitted == admitted
