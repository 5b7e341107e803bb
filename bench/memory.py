"""How long it takes to decide whether bounded memory is enough for many streams, and how long with all orders.

The queries are bounded, so nothing ends the check early. Run: make bench
"""

import time

from punctum.algebra.pattern import between
from punctum.algebra.schema import Schema
from punctum.analyse.memory.bounded import failure
from punctum.analyse.memory.lto import TooManyOrdersError, bounded_in_every_order
from punctum.ir.conjunctive.orders import Comparison
from punctum.ir.conjunctive.spj import Occurrence, Spj

SIZES = ((2, 1), (2, 2), (4, 2), (12, 2), (12, 5), (50, 5))
LIMIT = 200_000


def bounded(streams: int, width: int) -> Spj:
    """Streams in pairs: all attributes of one lie below all of the other; a bounded attribute joins all streams."""
    schema = Schema.of(**{f"x{i}": "BIGINT" for i in range(width + 1)})
    made = tuple(Occurrence(f"s{i}", f"s{i}", schema) for i in range(streams))
    below = [((i, a), (i + 1, b)) for i in range(0, streams, 2) for a in range(width) for b in range(width)]
    compared = [Comparison(a, "<", b) for a, b in below]
    compared += [Comparison((i, width), "=", (i + 1, width)) for i in range(streams - 1)]
    within = {(i, width): between(0, 9) for i in range(streams)}
    return Spj(made, tuple(compared), within, ((0, width),), True)


def enumerated(query: Spj) -> str:
    """How long all orders take, unless there are too many."""
    start = time.perf_counter()
    try:
        assert bounded_in_every_order(query, LIMIT)
    except TooManyOrdersError:
        return "too many"
    return f"{time.perf_counter() - start:.3f}"


def main() -> None:
    """Print a line for each size."""
    print(f"{'streams':>8} {'predicates':>10} {'s, check':>9} {'s, all orders':>14}")
    for streams, width in SIZES:
        query = bounded(streams, width)
        start = time.perf_counter()
        assert failure(query) is None
        decided = time.perf_counter() - start
        predicates = len(query.compared) + len(query.within)
        print(f"{streams:>8} {predicates:>10} {decided:>9.3f} {enumerated(query):>14}")


if __name__ == "__main__":
    main()
