"""How long it takes to decide whether a join of many streams is safe.

Each stream is reached by all before it together, so the transformed graph merges one stream a round: the slowest kind.
Run: make bench
"""

import time

from punctum.analyse.graphs import Attr, JoinQuery, On, chain, safe

SIZES = (25, 50, 100, 200, 400)


def ladder(streams: int) -> JoinQuery:
    """A safe join of streams with five predicates and five schemes each."""
    equal, schemes = [(Attr(0, "x1"), Attr(1, "x1"))], [On(0, ("x1",)), On(1, ("x1",))]
    for i in range(2, streams):
        for n, j in enumerate((i - 1, i - 2, i // 2, i // 3, 0)):
            equal.append((Attr(i, f"x{i}_{n}"), Attr(j, f"x{i}_{n}")))
        schemes += [On(i, (f"x{i}_0", f"x{i}_{n}")) for n in range(1, 5)] + [On(i - 1, (f"x{i}_0",))]
    return JoinQuery(tuple(f"s{i}" for i in range(streams)), tuple(equal), tuple(schemes))


def main() -> None:
    """Print a line for each size."""
    print(f"{'streams':>8} {'predicates':>10} {'schemes':>8} {'s, verdict':>11} {'s, all witnesses':>17}")
    for size in SIZES:
        query = ladder(size)
        start = time.perf_counter()
        assert safe(query)
        decided = time.perf_counter()
        assert all(len(chain(query, i)) == size - 1 for i in range(size))
        end = time.perf_counter()
        counts = f"{size:>8} {len(query.equal):>10} {len(query.schemes):>8}"
        print(f"{counts} {decided - start:>11.3f} {end - decided:>17.3f}")


if __name__ == "__main__":
    main()
