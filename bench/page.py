"""What the live page costs the driver: seconds of the processor that its threads take, beside those of the driver.

A query takes a batch after the other while clients do what a browser does on the plan and over time: they hear events,
and ask for state, waiting files and the quarantine now and then. The driver is the process of Python's and Spark's.
What Polars does in threads of its own, to read state, is in Python's time, but not in the page's: with 0 clients there
is none of it.

    python bench/page.py [SECONDS] [CLIENTS]
"""

import json
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.request import urlopen

import psutil  # type: ignore[import-untyped]

from punctum.demo.auction import AUCTION
from punctum.session import Session

ASKED = {"state?show=5": 5.0, "waiting": 2.0, "quarantine": 2.0}
"""What is asked, and how many seconds lie between two times, at least."""


def client(address: str) -> None:
    """Hear events, and ask for the rest no more often than a browser does."""
    due = dict.fromkeys(ASKED, 0.0)
    with urlopen(f"{address}api/events") as events:
        for line in events:
            now = time.monotonic()
            for what in (what for what in ASKED if line.startswith(b"event: batch") and now > due[what]):
                due[what] = now + ASKED[what]
                with urlopen(f"{address}api/queries/closing/{what}") as answer:
                    answer.read()


def used(process: psutil.Process) -> float:
    """Seconds of the processor that a process has taken, without its children."""
    times = process.cpu_times()
    return float(times.user + times.system)


def feed(directory: Path, number: int) -> None:
    """The streams' elements of a slice, with ids of its own."""
    shift = 1000 * number
    sends: dict[str, list[dict[str, Any]]] = next(iter(AUCTION.steps()))
    for stream, elements in sends.items():
        rows = [element | {"itemid": element["itemid"] + shift} for element in elements if "$punct" not in element]
        closed = [{"$punct": {"itemid": row["itemid"]}} for row in sends["item"][:20] if "$punct" not in row]
        puncts = [{"$punct": {"itemid": p["$punct"]["itemid"] + shift}} for p in closed] if stream == "bid" else []
        text = "".join(json.dumps(element) + "\n" for element in [*rows, *puncts])
        part = directory / "in" / stream / f".{number}"
        part.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(text)
        part.replace(part.with_name(f"{number:06}.json"))


def main(seconds: float, clients: int) -> None:
    """Run, and print what was taken."""
    with TemporaryDirectory() as name:
        directory = Path(name)
        feed(directory, 0)
        (query,) = Session().script(AUCTION.script, directory)
        query.start(directory / "checkpoint")
        query.catch_up()
        driver = psutil.Process()
        spark = next(each for each in driver.children(recursive=True) if "java" in each.name())
        with query.page() as page:
            command = [sys.executable, __file__, "--client", page.address]
            watching = [subprocess.Popen(command) for _ in range(clients)]
            begun, before, batches = (
                time.monotonic(),
                (used(driver), used(spark), served(page.address)),
                len(query.metrics()),
            )
            number = 0
            while time.monotonic() - begun < seconds:
                number += 1
                feed(directory, number)
                query.catch_up()
            after = used(driver), used(spark), served(page.address)
            python, java, server = (b - a for a, b in zip(before, after, strict=True))
            took, done = time.monotonic() - begun, len(query.metrics()) - batches
            for each in watching:
                each.terminate()
        query.stop()
    share = server / (python + java)
    print(
        f"{done} batches in {took:.0f} s, {clients} clients: "
        f"the driver took {python:.2f} s in Python and {java:.1f} s in Java"
    )
    print(f"the page took {server:.2f} s of them: {share:.1%} of the driver's time, {server / took:.2%} of a core")


def served(address: str) -> float:
    """What the server says that it has taken."""
    with urlopen(f"{address}api/server") as answer:
        return float(json.load(answer)["server_seconds"])


if __name__ == "__main__":
    if sys.argv[1:2] == ["--client"]:
        client(sys.argv[2])
    else:
        main(float(sys.argv[1]) if sys.argv[1:] else 60.0, int(sys.argv[2]) if sys.argv[2:] else 1)
