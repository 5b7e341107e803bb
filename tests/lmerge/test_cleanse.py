"""Cleanse against its specification, and merging what it has put in order."""

import json
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from lanes import examples
from punctum.lmerge.cleanse import Cleanse, cleansed
from punctum.lmerge.elements import Element, Insert, Stable, from_columns, to_columns
from punctum.lmerge.merge import LMerge
from punctum.lmerge.properties import Case
from punctum.lmerge.tdb import Tdb, tdb, view
from punctum.operators.columns import empty
from punctum.operators.table import Table

from .running import SCHEMA
from .streams import presentation, reference, sliced

CASES = st.sampled_from([Case.R3, Case.R4])


@given(st.integers(0, 2**32), CASES)
@examples(60)
def test_what_has_come_out_is_what_is_specified(seed: int, case: Case) -> None:
    rng = Random(seed)
    stream = presentation(rng, reference(rng, case, 20), case)
    cleanse, read, out = Cleanse(SCHEMA), list[Element](), list[Element]()
    for piece in sliced(rng, stream, 6):
        read += piece
        out += from_columns(cleanse.feed(to_columns(piece, SCHEMA)), SCHEMA)
        inserts = [e for e in out if not isinstance(e, Stable)]
        wanted = cleansed(read)
        assert inserts == [e for e in wanted if isinstance(e, Insert)]
        assert view(out).last == max([view(out).last, *(e.t for e in wanted if isinstance(e, Stable))])
        kept = Cleanse(SCHEMA)
        kept.restore_tables({name: Table(t.frame(), {0: t.frame()}) for name, t in cleanse.tables().items()})
        kept.restore_metadata(json.loads(json.dumps(cleanse.metadata())))
        cleanse = kept
    assert cleanse.size().rows == 0


@given(st.integers(0, 2**32), CASES)
@examples(40)
def test_cleansed_replicas_merge_as_case_1(seed: int, case: Case) -> None:
    """The paper's C+LM: order is enforced before the simplest merge that takes ties."""
    rng = Random(seed)
    events = reference(rng, case, 20)
    replicas = [sliced(rng, presentation(rng, events, case), 6) for _ in range(3)]
    cleanses, merge, out = [Cleanse(SCHEMA) for _ in replicas], LMerge([SCHEMA] * 3, Case.R1), list[Element]()
    for n in range(6):
        slices = [cleanse.feed(to_columns(r[n], SCHEMA)) for cleanse, r in zip(cleanses, replicas, strict=True)]
        out += from_columns(merge.feed(*slices), SCHEMA)
        assert merge.bad == []
    assert tdb(out) == Tdb(events)
    assert empty(SCHEMA).height == merge.size().rows
