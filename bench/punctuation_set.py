"""How the cost of one more punctuation grows with the number that the set has heard.

Adds the constants 1…n in random order, for growing n, and looks up as many rows. At the end the set is one range.
Run: make bench
"""

import random
import time

from punctum.algebra.punctuation import Punctuation
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import Schema

SIZES = (1_000, 10_000, 100_000, 1_000_000)


def main() -> None:
    """Print a line for each size."""
    bid = Schema.of(itemid="BIGINT", bidder="BIGINT", increase="DOUBLE")
    print(f"{'constant_punctuations':>10} {'µs an add':>10} {'µs a match':>10} {'most members':>12} {'at the end':>14}")
    for size in SIZES:
        order = random.Random(size).sample(range(1, size + 1), size)
        punctuations = [Punctuation.of(bid, itemid=item) for item in order]
        said = PunctuationSet(bid)
        half = size // 2
        start = time.perf_counter()
        for punctuation in punctuations[:half]:
            said.add(punctuation)
        members = len(said)
        for punctuation in punctuations[half:]:
            said.add(punctuation)
        added = time.perf_counter()
        for item in order:
            said.matches((item, 1, 1.0))
        matched = time.perf_counter()
        add, match = (added - start) / size, (matched - added) / size
        print(f"{size:>10,} {add * 1e6:>10.2f} {match * 1e6:>10.2f} {members:>12,} {said!s:>14}")


if __name__ == "__main__":
    main()
