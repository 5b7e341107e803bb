"""What is proposed for files holds for them, by the engine's own guard; and what was planted in them is proposed."""

import json
import os
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanes import examples
from punctum.engine.infer.inferred import inferred
from punctum.parse.script import parse_script
from punctum.shell.answer import once
from punctum.shell.evidence import evidence
from punctum.shell.known import Known
from punctum.shell.promises import Proposal, proposals
from punctum.shell.saved import created

Elements = list[dict[str, Any]]


class Nothing:
    """Takes rows, and keeps none."""

    def rows(self, rows: Any) -> None:
        pass

    def end(self) -> None:
        pass


def put(base: Path, elements: Elements, files: int = 3) -> None:
    """Elements in some files, one behind the other."""
    path = base / "in"
    path.mkdir(parents=True, exist_ok=True)
    for old in path.iterdir():
        old.unlink()
    size = -(-len(elements) // files)
    for n in range(files):
        name = path / f"{n}.json"
        name.write_text("".join(json.dumps(element) + "\n" for element in elements[n * size : (n + 1) * size]))
        os.utime(name, (1000 + n, 1000 + n))


def proposed(base: Path) -> list[Proposal]:
    return proposals(evidence(inferred("in", base)))


def holds(base: Path, given: list[Proposal]) -> None:
    """The stream that is proposed takes all of its files: the engine's guard and clauses find nothing wrong.

    But for rows behind punctuations that stand in the files: they break what the files say, whatever is proposed.
    """
    known = Known(base)
    found = inferred("in", base)
    late = {(Path(str(record.file)).name, record.position) for record in evidence(found).late()}
    sql = created(found, "proposed", [proposal.commented for proposal in given])
    known.define(sql)
    answer = once(known, known.ask("SELECT * FROM proposed"), Nothing())
    assert {(record.file, record.position) for record in answer.records} == late, sql
    assert answer.rows == evidence(found).rows.height - len(late)


def time(seconds: float) -> str:
    return f"2026-11-19T{int(seconds) // 3600:02}:{int(seconds) // 60 % 60:02}:{int(seconds) % 60:02}Z"


ROWS = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 60), st.sampled_from(["open", "bid", "closed"]), st.booleans()),
    min_size=20,
    max_size=80,
)


@given(rows=ROWS, ordered=st.booleans(), closing=st.booleans(), said=st.booleans(), null=st.booleans())
@examples(100)
def test_what_is_proposed_holds(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[tuple[int, int, str, bool]],
    ordered: bool,
    closing: bool,
    said: bool,
    null: bool,
) -> None:
    """Rows by chance, some of them made to keep a promise or nearly to: whatever is found, the engine agrees."""
    base = tmp_path_factory.getbasetemp() / "holds"
    if ordered:
        rows = sorted(rows, key=lambda row: row[1])
    elements: Elements = []
    for n, (k, t, s, flag) in enumerate(rows):
        last = closing and all(later[0] != k for later in rows[n + 1 :])
        row = {"n": n, "k": k, "t": t, "at": time(t), "s": "closed" if last else s, "flag": flag}
        elements.append(row | ({"k": None} if null and flag else {}))
        if said and (last or (t == 7 and flag)):
            elements.append({"$punct": {"k": k}})
    put(base, elements)
    holds(base, [proposal for proposal in proposed(base) if proposal.holds])


def auctions(seed: int, late: bool = False, broken: bool = False) -> Elements:
    """Auctions of which each is closed by an event and a punctuation, in order of time, with a number for each bid."""
    chance = random.Random(seed)
    elements: Elements = []
    open_ = list[int]()
    item = 0
    for n in range(400):
        if len(open_) < 5:
            item += 1
            open_.append(item)
        k = chance.choice(open_)
        last = chance.random() < 0.2
        seconds = 10 * n - (7 if late and n % 20 == 7 else 0)
        elements.append({"bid": n, "item": k, "at": time(seconds), "s": "closed" if last else "open", "sensor": n % 3})
        if last:
            open_.remove(k)
            elements.append({"$punct": {"item": k}})
    if broken:
        first = next(element for element in elements if element.get("s") == "closed")
        elements.append(elements[-1 if "bid" in elements[-1] else -2] | {"bid": 3, "item": first["item"], "s": "open"})
    return elements


@pytest.mark.parametrize("seed", range(3))
def test_what_holds_is_proposed(tmp_path: Path, seed: int) -> None:
    put(tmp_path, auctions(seed))
    given = proposed(tmp_path)
    clauses = [proposal.clause for proposal in given if proposal.holds]
    planted = ["PUNCTUATED ON (item)", "UNIQUE (bid)", "PUNCTUATE (at ASC)", "PUNCTUATE (item) WHEN s = 'closed'"]
    assert [clause for clause in planted if clause not in clauses] == []
    assert "PUNCTUATE (item ASC)" not in clauses and "UNIQUE (item)" not in clauses
    assert all("400 rows of 3 files" in proposal.evidence for proposal in given)
    holds(tmp_path, [proposal for proposal in given if proposal.holds])


def test_times_that_come_late(tmp_path: Path) -> None:
    put(tmp_path, auctions(1, late=True))
    (given,) = [proposal for proposal in proposed(tmp_path) if proposal.clause.startswith("PUNCTUATE (at")]
    assert given.clause == "PUNCTUATE (at ASC)"  # 7 seconds early is no earlier than the row 10 seconds before
    late = [e | {"at": time(10 * e["bid"] - 25)} if e.get("bid", 0) % 50 == 49 else e for e in auctions(1)]
    put(tmp_path, late)
    (given,) = [proposal for proposal in proposed(tmp_path) if proposal.clause.startswith("PUNCTUATE (at")]
    assert given.clause == "PUNCTUATE (at ASC) DELAY '15 seconds'"
    assert given.evidence.startswith("8 of 400 rows of 3 files come late, none by more: ")
    holds(tmp_path, [proposal for proposal in proposed(tmp_path) if proposal.holds])


def test_what_nearly_holds_is_a_comment_with_what_breaks_it(tmp_path: Path) -> None:
    put(tmp_path, auctions(2, broken=True))
    found = {proposal.clause: proposal for proposal in proposed(tmp_path)}
    closed, unique = found["PUNCTUATE (item) WHEN s = 'closed'"], found["UNIQUE (bid)"]
    assert not closed.holds and closed.broken.startswith("behind in/0.json:") and "in/2.json:" in closed.broken
    assert unique.broken.startswith("1 row repeats a value: 3 in in/0.json:")
    assert "1 row stands behind a punctuation" in found["PUNCTUATED ON (item)"].broken
    sql = created(inferred("in", tmp_path), "bid", [proposal.commented for proposal in found.values()])
    assert "-- not kept: UNIQUE (bid): " in sql
    assert [clause for clause in ("UNIQUE (bid)", "PUNCTUATED ON (item)") if f"\n  {clause}" in sql] == []
    parse_script(sql)


def test_orders_of_each_key(tmp_path: Path) -> None:
    chance = random.Random(5)
    clocks = [0, 0, 0]
    rows: Elements = []
    for _ in range(120):
        sensor = chance.randrange(3)
        clocks[sensor] += chance.randrange(1, 9)
        rows.append({"sensor": f"S{sensor}", "ts": time(clocks[sensor] + 1000 * sensor), "temp": chance.random()})
    put(tmp_path, rows)
    given = proposed(tmp_path)
    assert "PUNCTUATE (sensor, ts ASC)" in [proposal.clause for proposal in given if proposal.holds]
    assert not any(proposal.clause.startswith("PUNCTUATE (ts ASC)") for proposal in given)
    holds(tmp_path, [proposal for proposal in given if proposal.holds])


def test_pairs_are_unique_only_when_that_says_something(tmp_path: Path) -> None:
    chance = random.Random(1)
    put(tmp_path, [{"a": n // 10, "b": n % 10, "c": chance.randrange(40)} for n in range(100)])
    clauses = [proposal.clause for proposal in proposed(tmp_path) if proposal.holds]
    assert "UNIQUE (a, b)" in clauses
    assert not any("c" in clause for clause in clauses if clause.startswith("UNIQUE"))


def test_few_rows_prove_nothing(tmp_path: Path) -> None:
    put(tmp_path, [{"n": n, "t": n} for n in range(10)])
    assert proposed(tmp_path) == []
    put(tmp_path, [{"$punct": {}}, {"n": 1}], files=1)
    assert proposed(tmp_path) == []
