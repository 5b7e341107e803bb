"""CLEANSE in SQL without Spark: in any number of buckets, stopped at every slice or not, alone and below a merge."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanes import examples
from lmerge.running import SCHEMA
from lmerge.streams import presentation, reference, sliced
from punctum.analyse.safety.inference import Inference
from punctum.analyse.safety.states import states
from punctum.analyse.safety.temporal import chosen, merges
from punctum.ir import Relation
from punctum.lmerge.cleanse import cleansed
from punctum.lmerge.elements import INF, Adjust, Element, Insert, Stable, from_columns, to_columns
from punctum.lmerge.final import NEVER_INSERTED
from punctum.lmerge.properties import Case
from punctum.lmerge.tdb import Tdb, tdb, view
from punctum.operators.columns import to_rows
from punctum.parse import parse_script
from punctum.testing.simulate import Simulation

PAYLOAD = ", ".join(f"{a.name} {a.type.value}" for a in SCHEMA.attributes[:-5])
NAMES = "abc"
SCRIPT = "".join(
    f"CREATE TEMPORAL STREAM {name} ({PAYLOAD}) USING json OPTIONS (path '{name}');"
    f"CREATE STREAM ordered_{name} AS CLEANSE ({name});"
    for name in NAMES
)
SCRIPT += "CREATE STREAM m AS LMERGE (ordered_a, ordered_b, ordered_c);"


def relation(sql: str, elements: bool = True) -> Relation:
    sink = f"CREATE SINK o USING json OPTIONS (path 'out', elements '{str(elements).lower()}'); INSERT INTO o {sql};"
    return parse_script(SCRIPT + sink).queries[0].relation


@given(st.integers(0, 2**32), st.sampled_from([Case.R3, Case.R4]), st.integers(1, 3), st.booleans())
@examples(15)
def test_a_stream_in_order(seed: int, case: Case, buckets: int, restart: bool) -> None:
    rng = Random(seed)
    stream = presentation(rng, reference(rng, case, 15), case)
    running = Simulation(relation("SELECT * FROM ordered_a"), buckets, restart, global_punctuations=True)
    read, out = list[Element](), list[Element]()
    for piece in sliced(rng, stream, 5):
        read += piece
        out += from_columns(running.feed({"a": to_columns(piece, SCHEMA)}), SCHEMA)
        wanted = cleansed(read)
        assert [e for e in out if isinstance(e, Insert)] == [e for e in wanted if isinstance(e, Insert)]
        assert view(out).last == max([view(out).last, *(e.t for e in wanted if isinstance(e, Stable))])
    assert not running.records and running.kept() == 0


@given(st.integers(0, 2**32), st.sampled_from([Case.R3, Case.R4]), st.booleans())
@examples(15)
def test_replicas_in_order_are_merged_by_the_simplest_case_that_takes_ties(
    seed: int, case: Case, restart: bool
) -> None:
    """The paper's C+LM."""
    rng, wanted = Random(seed), relation("SELECT * FROM m")
    (merge,) = merges(wanted)
    assert chosen(merge, Inference()).case == "R1"
    events = reference(rng, case, 15)
    replicas = {name: sliced(rng, presentation(rng, events, case), 5) for name in NAMES}
    running, out = Simulation(wanted, 3, restart, global_punctuations=True), list[Element]()
    for n in range(5):
        given_ = running.feed({name: to_columns(pieces[n], SCHEMA) for name, pieces in replicas.items()})
        out += from_columns(given_, SCHEMA)
        assert not running.records
    assert tdb(out) == Tdb(events)


def test_ties_in_order_are_not_those_that_another_stream_declares() -> None:
    declared = "CREATE TEMPORAL STREAM {} (p STRING{}, ORDERED, DETERMINISTIC TIES, INSERT ONLY) USING json;"
    sink = "CREATE SINK o USING json OPTIONS (path 'out', elements 'true'); INSERT INTO o SELECT * FROM m;"
    made = "CREATE STREAM o AS CLEANSE (s); CREATE STREAM m AS LMERGE (t, o);"
    found = [parse_script(declared.format("s", k) + declared.format("t", k) + made + sink) for k in ("", ", KEY (p)")]
    cases = [chosen(merge, Inference()).case for each in found for merge in merges(each.queries[0].relation)]
    assert cases == ["R4", "R2"]
    running, out = Simulation(found[0].queries[0].relation, 2), list[Element]()
    tied: list[Element] = [Insert(("B",), 1, 2), Insert(("A",), 1, 2)]
    end: list[Element] = [Stable(INF)]
    for pieces in ([tied[:1], [*tied, Stable(2)]], [tied[1:] + end, end]):
        fed = {name: to_columns(piece, SCHEMA) for name, piece in zip("ts", pieces, strict=True)}
        out += from_columns(running.feed(fed), SCHEMA)
    assert tdb([e for e in out if not isinstance(e, Stable)]) == Tdb([(("A",), 1, 2), (("B",), 1, 2)])


def test_what_was_never_inserted_is_in_the_quarantine() -> None:
    payload = reference(Random(1), Case.R3, 1)[0][0]
    running = Simulation(relation("SELECT * FROM ordered_a", elements=False), 2)
    given_ = running.feed({"a": to_columns([Insert(payload, 1, 5), Adjust(payload, 1, 9, 3), Stable(6)], SCHEMA)})
    assert to_rows(given_.rows) == [(*payload, 1, 5)]
    assert [record.reason for record in running.records] == [NEVER_INSERTED]


@pytest.mark.parametrize("of", ["ordered_a", "m"])
def test_the_register_admits_it(of: str) -> None:
    found = relation(f"SELECT * FROM {of}")
    told = {state.operator: state.verdict.value for state in states(found, Inference())}
    assert told["cleanse"] == "purgeable", told
