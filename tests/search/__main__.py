"""``PYTHONPATH=tests python -m search FIRST LAST [PROCESSES]``: try scripts by their numbers, and say what is wrong.

Every fiftieth is also tried with rounds of fresh keys.
"""

import os

os.environ["POLARS_MAX_THREADS"] = "1"

import signal
import sys
import time
from collections import Counter
from multiprocessing import Pool

from search.rounds import look_at_rounds
from search.scripts import written
from search.search import Found, look_at

SECONDS = 60
"""A script that takes longer, of a processor's time, is told of as slow."""

ROUNDS = 50


class _Slow(BaseException):
    pass


def _alarm(*_: object) -> None:
    raise _Slow


def tried(number: int) -> Found:
    """What became of a script, within its time."""
    signal.signal(signal.SIGPROF, _alarm)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        found = look_at(number)
        return look_at_rounds(number) if number % ROUNDS == 0 and found.word == "admitted" else found
    except _Slow:
        return Found(number, "slow", f"takes more than {SECONDS} s")
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def main(first: int, last: int, processes: int) -> None:
    """Try scripts, and tell of each that is wrong at once, and of all again at the end, the shortest last."""
    began, words, wrong = time.time(), Counter[str](), list[Found]()
    with Pool(processes, maxtasksperchild=500) as pool:
        for n, found in enumerate(pool.imap_unordered(tried, range(first, last), chunksize=10), 1):
            words[found.word] += 1
            if found.wrong:
                wrong.append(found)
                print(found.number, found.word, found.wrong, flush=True)
            if n % 100 == 0:
                print(f"{n} of {last - first} in {time.time() - began:.0f} s: {dict(words)}", flush=True)
    for found in sorted(wrong, key=lambda f: -len(written(f.number).sql)):
        print(f"\n{found.number} {found.word} {found.wrong}\n{written(found.number).sql}")
    print(f"\n{last - first} scripts in {time.time() - began:.0f} s: {dict(words)}")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 2)
