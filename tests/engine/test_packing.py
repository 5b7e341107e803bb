"""Slices across the JVM: whatever the order in which parts arrive, rows are in that of their files."""

from random import Random

import pytest

from engine.simulate import planned
from punctum.engine.exchange import messages
from punctum.engine.exchange.messages import SplitPart, StreamSlice, decode, stream_slices, to_arrow
from punctum.engine.runtime import build
from punctum.operators.columns import ColumnarSlice, frame
from punctum.parse.script import parse_script
from punctum.plan.physical.pipes import Pipe

SCRIPT = """CREATE STREAM s (n BIGINT, PUNCTUATED ON (n)) USING json; CREATE SINK o USING console;
INSERT INTO o SELECT DISTINCT n FROM s ORDER BY n;"""


def test_parts_of_files_may_come_in_any_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(messages, "PART", 64)
    last = planned(parse_script(SCRIPT).queries[0].relation)
    while not isinstance(last.inputs[0].origin, Pipe):
        last = last.inputs[0].origin
    source, bucket = last.inputs[0], (5,)
    schema, to, sent = source.origin.schema, build.exchange(source, bucket), list[StreamSlice]()
    for number in range(3):
        rows = frame(schema, [(100 * number + n,) for n in range(20)])
        origin = SplitPart(number, 0, f"in/{9 - number} s.json")
        packed = to_arrow(stream_slices(to.split(ColumnarSlice(rows)), to.input, origin))
        assert packed.num_rows > 2
        sent += [m for _, m, _ in decode(packed.to_pydict()) if isinstance(m, StreamSlice)]
    Random(1).shuffle(sent)
    taken = build.running(last, bucket, 5).flow.inputs[0].take(sent)
    assert taken.rows["n"].to_list() == [100 * number + n for number in range(3) for n in range(20)]
