"""Frames: what stands behind the ORDER BY of a window, as so many rows, or so much time, before a row and up to it."""

from collections.abc import Sequence
from datetime import timedelta

from sqlglot import exp

from punctum.algebra.frames import Frame, UpTo
from punctum.algebra.values import Type
from punctum.errors import Place, SqlError
from punctum.ir.expressions import Expression, Literal, mismatch
from punctum.parse.binder.bind import Binder

Key = tuple[Expression, bool, bool | None]
TIMES = (Type.TIMESTAMP, Type.TIMESTAMP_NTZ)
_TICK = timedelta(microseconds=1)
_SUPPORTED = "supported: ROWS or RANGE BETWEEN … PRECEDING or UNBOUNDED PRECEDING AND CURRENT ROW, and whole partitions"


def frame(node: exp.Window, keys: Sequence[Key], binder: Binder) -> Frame:
    """The frame of a window: without ORDER BY, the whole partition; without a frame, all before and all peers."""
    spec = node.args.get("spec")
    if spec is None:
        return Frame(None, UpTo.PEERS if keys else UpTo.WHOLE)
    kind, start, end = (str(spec.args.get(key) or "").upper() for key in ("kind", "start", "end"))
    sides = [str(spec.args.get(key) or "").upper() for key in ("start_side", "end_side")]
    ends = end in ("", "CURRENT ROW") and kind in ("ROWS", "RANGE")
    if start == "UNBOUNDED" and sides[0] == "PRECEDING" and (ends or (end, sides[1]) == ("UNBOUNDED", "FOLLOWING")):
        if end == "UNBOUNDED" or not keys:
            return Frame(None, UpTo.WHOLE)
        return Frame(None, UpTo.ROW if kind == "ROWS" else UpTo.PEERS)
    if not keys:
        raise unordered("a frame", binder.place(node))
    if kind == "ROWS" and ends and start == "CURRENT ROW":
        return Frame(0)
    if not ends or sides[0] != "PRECEDING":
        raise binder.refuse("this frame is", node, _SUPPORTED)
    if kind == "RANGE":
        return Frame(None, UpTo.PEERS, _steps(spec.args["start"], keys, binder, node))
    return Frame(whole_number(spec.args["start"], 0, binder, node))


def _steps(node: object, keys: Sequence[Key], binder: Binder, around: exp.Window) -> int:
    """How many steps before a row the first one of its frame may be: microseconds of times, or whole numbers."""
    value, place = keys[0][0], binder.place(around)
    if len(keys) > 1:
        raise SqlError("RANGE needs one column in ORDER BY", "", "remove the others, or write ROWS", place)
    if value.type is Type.BIGINT:
        return whole_number(node, 0, binder, around)
    if value.type not in TIMES:
        hint = "RANGE goes by a time and an INTERVAL, or by a BIGINT and a whole number"
        raise mismatch("RANGE does not take this type", place, hint, value)
    length = binder.bind(node) if isinstance(node, exp.Interval) else None
    if not isinstance(length, Literal) or not isinstance(length.value, timedelta) or length.value < timedelta():
        raise binder.refuse(
            "this frame is", around, "write RANGE BETWEEN INTERVAL '10' SECOND PRECEDING AND CURRENT ROW"
        )
    return length.value // _TICK


def unordered(what: str, place: Place) -> SqlError:
    """The error for a window without ORDER BY."""
    return SqlError(f"{what} needs an order", "", "add ORDER BY after OVER (", place)


def whole_number(node: object, least: int, binder: Binder, around: exp.Expr) -> int:
    """A number of rows, or of steps; one where none is given."""
    if node is None:
        return 1
    written = str(node.this) if isinstance(node, exp.Literal) and not node.is_string else ""
    if not written.isdecimal() or len(written) > 9 or int(written) < least:
        raise binder.refuse("this number is", around, f"write a whole number from {least} on")
    return int(written)
