"""Messages across the JVM: each kind comes out as it went in, and rows are in the order of their files."""

from random import Random
from typing import get_args

from punctum.algebra import Schema
from punctum.engine.exchange.buckets import Buckets
from punctum.engine.exchange.kinds import DRIVER
from punctum.engine.exchange.messages import (
    Addressed,
    Clock,
    DriverMessage,
    ExpiredMessage,
    FeedbackMessage,
    Message,
    MetricsMessage,
    PackedSlice,
    PartitionsMessage,
    QuarantineMessage,
    SkippedMessage,
    SplitPart,
    StageSlice,
    StreamSlice,
    SweepMessage,
    TablesMessage,
    WrittenMessage,
    decode,
    decode_rows,
    stream_slices,
    to_arrow,
    to_pandas,
)
from punctum.engine.exchange.parts import PART
from punctum.engine.runtime import build
from punctum.lmerge.feedback import Signal
from punctum.operators.columns import ColumnarSlice, frame
from punctum.parse.script import parse_script
from punctum.plan.physical.pipes import Pipe
from punctum.testing.simulate import planned

SCRIPT = """CREATE STREAM s (n BIGINT, PUNCTUATED ON (n)) USING json; CREATE SINK o USING console;
INSERT INTO o SELECT DISTINCT n FROM s ORDER BY n;"""

PIECE = PackedSlice.of(ColumnarSlice(frame(Schema.of(n="BIGINT"), [(1,), (2,)])))
EVERY_KIND: list[Message] = [
    StreamSlice(PIECE),
    StreamSlice(PIECE, SplitPart(3, 2, "in/a b 4.json")),
    StageSlice(100, PackedSlice(puncts='{"$punct": {"n": 1}}', constants=b"x")),
    Clock(),
    Clock(1_700_000_000_000),
    FeedbackMessage(Signal("", 2**63 - 1)),
    SweepMessage(101, PackedSlice(), [["{}", "s", "it\nis late", "{}"]]),
    ExpiredMessage(102, PackedSlice(puncts="{}")),
    TablesMessage({"category": 2}),
    PartitionsMessage((0, 1, 2), (1,)),
    MetricsMessage(103, {"s1o0": {"rows_in": 4, "oldest": [1.5, "s(n=2)"]}}),
    QuarantineMessage(['{"a": "b\\n"}', "{}"]),
    WrittenMessage(104, "part 1.json"),
    SkippedMessage("a b", 3),
]


def test_every_kind_comes_out_as_it_went_in() -> None:
    assert {type(message) for message in EVERY_KIND} == set(get_args(Message))
    sent = [Addressed(n, message, n % 3) for n, message in enumerate(EVERY_KIND)]
    assert list(decode(to_arrow(sent).to_pydict())) == sent
    assert list(decode(to_pandas(sent))) == sent
    assert list(decode(to_arrow(sent).to_pandas())) == sent, "as Spark gives it to a stage"
    assert decode_rows(to_arrow(sent).to_pylist()) == EVERY_KIND
    assert to_arrow([]).num_rows == len(to_pandas([])) == 0


def test_what_is_for_the_driver_is_told_by_its_kind() -> None:
    kinds = to_arrow(Addressed(0, message) for message in EVERY_KIND)["kind"].to_pylist()
    for kind, message in zip(kinds, EVERY_KIND, strict=True):
        assert (kind in DRIVER) == isinstance(message, DriverMessage)


def test_parts_of_files_may_come_in_any_order() -> None:
    """Files of so many rows that each is packed into several parts."""
    many = 4 * PART // 8
    last = planned(parse_script(SCRIPT).queries[0].relation)
    while not isinstance(last.inputs[0].origin, Pipe):
        last = last.inputs[0].origin
    source, bucket = last.inputs[0], Buckets((5,))
    schema, to, sent = source.origin.schema, build.exchange(source, bucket), list[StreamSlice]()
    for number in range(3):
        rows = frame(schema, [(many * number + n,) for n in range(many)])
        origin = SplitPart(number, 0, f"in/{9 - number} s.json")
        packed = to_arrow(stream_slices(to.split(ColumnarSlice(rows)), to.input, origin))
        assert packed.num_rows > 2
        sent += [m for _, m, _ in decode(packed.to_pydict()) if isinstance(m, StreamSlice)]
    Random(1).shuffle(sent)
    taken = build.running(last, bucket, 5).flow.inputs[0].take(sent)
    assert taken.rows["n"].to_list() == list(range(3 * many))
