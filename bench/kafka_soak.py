"""Hours of topics: rows at a fixed rate into two topics, joined and summed, into a third one, and the memory it takes.

A broker, the command ``punctum run`` and a producer run on this machine. An item is in one of two partitions; its 32
bids come one a quarter of a second, to both in turn; then both partitions of both topics have a punctuation for it. The
producer keeps to the clock: when the query is slow, it lags. Every ten seconds: the memory (RSS) of every process, how
many messages have not been read by a batch that is committed, and the seconds of each batch. When the producer has
ended and the query has caught up, all that is committed is read: each item has to be there once, with count and sum.

    python bench/kafka_soak.py --minutes 120 --plot docs/kafka-soak.svg [--rate 20000] [--samples samples.jsonl]
    python bench/kafka_soak.py --draw samples.jsonl --plot docs/kafka-soak.svg
"""

import argparse
import json
import multiprocessing
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))  # its kafka, and not the bench beside this file
from kafka.broker import Broker

SCRIPT = """
CREATE STREAM item (itemid BIGINT, sellerid BIGINT, PUNCTUATED ON (itemid))
  USING kafka OPTIONS (brokers '{brokers}', topic 'item', maxOffsetsPerTrigger 1000000);
CREATE STREAM bid (itemid BIGINT, bidderid BIGINT, increase DOUBLE, PUNCTUATED ON (itemid))
  USING kafka OPTIONS (brokers '{brokers}', topic 'bid', maxOffsetsPerTrigger 1000000);
CREATE SINK closing USING kafka OPTIONS (brokers '{brokers}', topic 'closing', key 'itemid', punctuations true);
INSERT INTO closing
SELECT i.itemid, COUNT(*) AS bids, SUM(b.increase) AS total
FROM item i JOIN bid b ON i.itemid = b.itemid GROUP BY i.itemid;
"""
PARTITIONS, BIDS, TICK = 2, 32, 0.25
"""How many partitions a topic has, how many bids an item gets, one a tick, and the seconds of a tick."""
EVERY = 10.0
"""Seconds between samples."""
KEPT = {"retention.ms": "2400000", "segment.bytes": "67108864"}
"""What is sent is deleted after 40 minutes: the disk need not hold all of it."""
PATIENCE = 600
Ints = np.typing.NDArray[np.int64]
Sample = dict[str, Any]


def items_a_tick(rate: int) -> int:
    """How many items begin in a tick, so that there are at least so many rows a second."""
    return -int(-rate * TICK // (BIDS + 1))


def increases(items: Ints, bid: Ints) -> np.typing.NDArray[np.float64]:
    """What the bids of these numbers on these items are: sums of them are exact."""
    return (7 * bid + items) % 64 / 2


def produce(brokers: str, rate: int, ticks: int, sent: Any) -> None:
    """Send rows and punctuations by the clock, and let ``sent`` tell how many rows there were."""
    producer = Producer({"bootstrap.servers": brokers, "enable.idempotence": True, "linger.ms": 50})
    begun, size = time.monotonic(), items_a_tick(rate)
    numbers = np.arange(BIDS)
    for tick in range(ticks + BIDS + 1):
        time.sleep(max(0.0, begun + tick * TICK - time.monotonic()))
        new = np.arange(tick * size, (tick + 1) * size if tick < ticks else tick * size)
        _send(producer, "item", new, f'{{"itemid": {{}}, "sellerid": {tick % 997}}}')
        _close(producer, "item", new)
        started = tick - numbers
        at = numbers[(started >= 0) & (started < ticks)]
        bid = np.repeat(at, size)
        items = (np.repeat((tick - at) * size, size)) + np.tile(np.arange(size), len(at))
        for partition in range(PARTITIONS):
            here = (items + bid) % PARTITIONS == partition
            texts = _texts(
                items[here], '{"itemid": {}, "bidderid": 17, "increase": {}}', increases(items[here], bid[here])
            )
            _queue(producer, "bid", texts, partition)
        over = tick - BIDS
        if over >= 0:
            _close(producer, "bid", np.arange(over * size, (over + 1) * size))
        sent.value += len(new) + len(items)
    producer.flush()


def _texts(items: Ints, form: str, *more: np.typing.NDArray[np.float64]) -> list[str]:
    """A text for each item, with the item and whatever else in the place of ``{}``."""
    parts = [pl.lit(part) for part in form.split("{}")]
    values = [pl.Series(str(n), column) for n, column in enumerate((items, *more))]
    row = [parts[0], *(each for n, part in enumerate(parts[1:]) for each in (pl.col(str(n)), part))]
    return pl.DataFrame(values).select(pl.concat_str(row)).to_series().to_list()


def _send(producer: Producer, topic: str, items: Ints, form: str) -> None:
    for partition in range(PARTITIONS):
        _queue(producer, topic, _texts(items[items % PARTITIONS == partition], form), partition)


def _close(producer: Producer, topic: str, items: Ints) -> None:
    """A punctuation of each item, in all partitions."""
    texts = _texts(items, '{"$punct": {"itemid": {}}}')
    for partition in range(PARTITIONS):
        _queue(producer, topic, texts, partition)


def _queue(producer: Producer, topic: str, texts: Sequence[str], partition: int) -> None:
    while len(producer) > 50_000:
        producer.poll(0.05)
    if producer.produce_batch(topic, [{"value": text} for text in texts], partition) < len(texts):
        raise BufferError("the producer's queue is full")
    producer.poll(0)


class Watched:
    """The processes of a run, sampled."""

    def __init__(self, run: int, others: Mapping[str, int], checkpoint: Path, brokers: str) -> None:
        self._run, self._others, self._checkpoint = run, others, checkpoint
        self._consumer = Consumer({"bootstrap.servers": brokers, "group.id": "soak", "log_level": 0})
        self._seen = 0

    def sample(self, minute: float, sent: int) -> Sample:
        """How everything is now."""
        memory, processes = defaultdict[str, float](float), defaultdict[str, int](int)
        for role, pid in [*self._others.items(), *descendants(self._run)]:
            if size := _rss(pid):
                memory[role] += size
                processes[role] += 1
        return {
            "minute": minute,
            "sent": sent,
            "rss": dict(memory),
            "processes": dict(processes),
            "lag": self._lag(),
            "batches": self._batches(),
        }

    def _lag(self) -> int | None:
        """Messages that no committed batch has read."""
        numbers = sorted((int(p.name) for p in (self._checkpoint / "commits").glob("[0-9]*")), reverse=True)
        for number in numbers[:1]:
            with suppress(OSError):
                offset = json.loads((self._checkpoint / "offsets" / str(number)).read_text().splitlines()[2])
                read = sum(int(at) for topic in offset["topics"].values() for at in topic["next"].values())
                return self._ends() - read
        return None

    def _ends(self) -> int:
        places = [TopicPartition(topic, p) for topic in ("item", "bid") for p in range(PARTITIONS)]
        return sum(self._consumer.get_watermark_offsets(place, timeout=30)[1] for place in places)

    def _batches(self) -> list[tuple[int, float]]:
        """The number and the seconds of each batch that was committed since the last sample."""
        path = self._checkpoint / "punctum/metrics.jsonl"
        with suppress(OSError), path.open("rb") as lines:
            lines.seek(self._seen)
            text = lines.read()
            whole = text[: text.rfind(b"\n") + 1]
            self._seen += len(whole)
            return [(each["batch"], each["seconds"]) for each in map(json.loads, whole.splitlines())]
        return []


def descendants(run: int) -> Iterator[tuple[str, int]]:
    """The processes of a run, with what they are."""
    children = defaultdict[int, list[int]](list)
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parent = int((path / "stat").read_text().rpartition(")")[2].split()[1])
            children[parent].append(int(path.name))
    left = [run]
    while left:
        pid = left.pop()
        left += children[pid]
        with suppress(OSError):
            command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            yield _role(command), pid


def _role(command: str) -> str:
    if "java" in command.partition(" ")[0]:
        return "driver JVM"
    if "python_streaming_source_runner" in command:
        return "source in Python"
    return "Python workers" if "pyspark" in command else "Python driver"


def _rss(pid: int) -> float:
    """The memory of a process, in megabytes."""
    with suppress(OSError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    return 0.0


def soaked(directory: Path, minutes: float, rate: int, samples: Path) -> bool:
    """Run all of it, write samples, and say whether what came out is right."""
    broker = Broker(directory / "broker").start()
    ticks = int(minutes * 60 / TICK)
    try:
        admin = AdminClient({"bootstrap.servers": broker.address})
        topics = [
            NewTopic(name, PARTITIONS, 1, config=KEPT if name != "closing" else {})
            for name in ("item", "bid", "closing")
        ]
        for made in admin.create_topics(topics).values():
            made.result()
        (directory / "soak.sql").write_text(SCRIPT.format(brokers=broker.address))
        context = multiprocessing.get_context("spawn")
        sent = context.Value("q", 0)
        producer = context.Process(target=produce, args=(broker.address, rate, ticks, sent))
        command = [
            sys.executable,
            "-m",
            "punctum",
            "run",
            "soak.sql",
            "--checkpoint",
            "state",
            "--trigger",
            "5 seconds",
        ]
        with (directory / "run.log").open("wb") as log:
            run = subprocess.Popen(command, cwd=directory, stdout=log, stderr=log)
        begun = time.monotonic()
        producer.start()
        assert producer.pid is not None and broker.pid is not None
        others = {"broker": broker.pid, "producer": producer.pid}
        watched = Watched(run.pid, others, directory / "state/closing", broker.address)
        ended: float | None = None
        with samples.open("w") as out:
            while run.poll() is None:
                time.sleep(EVERY - (time.monotonic() - begun) % EVERY)
                seen = watched.sample((time.monotonic() - begun) / 60, sent.value)
                out.write(json.dumps(seen) + "\n")
                out.flush()
                if producer.is_alive():
                    continue
                ended = ended or time.monotonic()
                if seen["lag"] == 0 or time.monotonic() > ended + PATIENCE:
                    break
        print(f"{sent.value:,} rows sent in {(ended or time.monotonic()) - begun:,.0f} s")
        if run.poll() is not None:
            print(f"the query ended by itself: {(directory / 'run.log').read_text()[-2000:]}")
            producer.kill()
        run.send_signal(signal.SIGINT)
        run.wait()
        return check(broker.address, ticks * items_a_tick(rate))
    finally:
        broker.stop()


def check(brokers: str, items: int) -> bool:
    """Whether each item has been committed once, with its count and its sum."""
    times, bids, totals = np.zeros(items, np.int64), np.zeros(items, np.int64), np.zeros(items)
    shape = pl.Struct({"itemid": pl.Int64, "bids": pl.Int64, "total": pl.Float64})
    puncts = 0
    for values in _committed(brokers, "closing"):
        rows = [value.decode() for value in values if not value.startswith(b'{"$punct"')]
        puncts += len(values) - len(rows)
        found = pl.Series(rows, dtype=pl.String).str.json_decode(shape).struct.unnest()
        np.add.at(times, found["itemid"].to_numpy(), 1)
        np.add.at(bids, found["itemid"].to_numpy(), found["bids"].to_numpy())
        np.add.at(totals, found["itemid"].to_numpy(), found["total"].to_numpy())
    numbers, expected = np.arange(items), np.zeros(items)
    for bid in range(BIDS):
        expected += increases(numbers, np.full(items, bid))
    once, right = times == 1, (bids == BIDS) & (totals == expected)
    print(
        f"{items:,} items: {int((times == 0).sum()):,} missing, {int((times > 1).sum()):,} more than once, "
        f"{int((once & ~right).sum()):,} with a wrong count or sum; {puncts:,} punctuations; "
        f"{int(bids.sum()):,} bids, {totals.sum():,.1f} in all (expected {BIDS * items:,} and {expected.sum():,.1f})"
    )
    return bool((once & right).all())


def _committed(brokers: str, topic: str) -> Iterator[list[bytes]]:
    """All values of a topic that are committed, some at a time."""
    given = {"bootstrap.servers": brokers, "group.id": "check", "enable.auto.commit": False}
    with Consumer({**given, "isolation.level": "read_committed", "enable.partition.eof": True}) as consumer:
        for partition in range(PARTITIONS):
            consumer.assign([TopicPartition(topic, partition, 0)])
            over = False
            while not over:
                values = list[bytes]()
                for message in consumer.consume(100_000, 1):
                    error = message.error()
                    if error is None:
                        values.append(message.value() or b"")
                    elif error.code() == KafkaError._PARTITION_EOF:
                        over = True
                    else:
                        raise KafkaException(error)
                yield values


def figures(samples: Sequence[Sample]) -> str:
    """The samples in a few lines: memory by process, lag, and seconds of batches."""
    later = samples[len(samples) // 12 :]
    minutes = np.array([s["minute"] for s in later])
    lines = [
        "| process | after a twelfth | in the middle | at the end | most | megabytes more an hour |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for role in sorted({role for s in samples for role in s["rss"]}):
        sizes = np.array([s["rss"].get(role, np.nan) for s in later])
        known = ~np.isnan(sizes)
        around = [np.nanmedian(sizes[at : at + 6]) for at in (0, len(sizes) // 2, max(0, len(sizes) - 12))]
        slope = 60 * np.polyfit(minutes[known], sizes[known], 1)[0] if known.sum() > 2 else float("nan")
        lines.append(f"| {role} | " + " | ".join(f"{v:,.0f}" for v in (*around, np.nanmax(sizes), slope)) + " |")
    seconds = [each for s in later for _, each in s["batches"]]
    lags = [s["lag"] for s in later if s["lag"] is not None]
    if seconds and lags:
        lines += [
            "",
            f"batches: {len(seconds):,}, median {statistics.median(seconds):.1f} s, 99 of 100 within "
            f"{np.quantile(seconds, 0.99):.1f} s, most {max(seconds):.1f} s",
            f"lag: median {statistics.median(lags):,.0f} messages, 99 of 100 samples below "
            f"{np.quantile(lags, 0.99):,.0f}, most {max(lags):,}",
            f"rows: {samples[-1]['sent']:,} in {samples[-1]['minute']:.0f} minutes",
        ]
    return "\n".join(lines)


def draw(samples: Sequence[Sample], path: Path) -> None:
    """Memory, lag and batches over time, as a small SVG."""
    import matplotlib as mpl  # here because it takes a second

    mpl.use("svg")
    mpl.rcParams |= {"svg.hashsalt": "punctum", "svg.fonttype": "none", "font.size": 8}
    from matplotlib import pyplot as plt

    step = max(1, len(samples) // 180)
    minutes = [s["minute"] for s in samples[::step]]
    figure, (memory, lag, batch) = plt.subplots(
        3, sharex=True, figsize=(8, 6), layout="constrained", height_ratios=(3, 1, 1)
    )
    for role in sorted({role for s in samples for role in s["rss"]}):
        memory.plot(minutes, [s["rss"].get(role, float("nan")) for s in samples[::step]], label=role, lw=1)
    memory.set(ylabel="RSS, MB", ylim=(0, None))
    memory.legend(ncols=3, frameon=False)
    lag.plot(minutes, [_most(s["lag"] or 0 for s in samples[n : n + step]) for n in range(0, len(samples), step)], lw=1)
    lag.set(ylabel="lag, messages", ylim=(0, None))
    lag.yaxis.set_major_formatter("{x:,.0f}")
    times = [[each for s in samples[n : n + step] for _, each in s["batches"]] for n in range(0, len(samples), step)]
    batch.plot(minutes, [max(each, default=float("nan")) for each in times], lw=1)
    batch.set(ylabel="longest batch, s", xlabel="minutes", ylim=(0, None))
    for axes in (memory, lag, batch):
        axes.grid(alpha=0.3)
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def _most(values: Iterator[int]) -> int:
    return max(values, default=0)


def main() -> None:
    """Soak, or draw what was sampled before."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=120)
    parser.add_argument("--rate", type=int, default=20_000, help="rows a second, punctuations not counted")
    parser.add_argument("--samples", type=Path, help="where the samples go, a line of JSON each")
    parser.add_argument("--plot", type=Path, help="where the plot goes (SVG)")
    parser.add_argument("--draw", type=Path, help="only draw these samples")
    given = parser.parse_args()
    directory = Path(tempfile.mkdtemp(prefix="soak-"))
    try:
        path, right = given.draw, True
        if path is None:
            path = given.samples or directory / "samples.jsonl"
            right = soaked(directory, given.minutes, given.rate, path.absolute())
        samples = [json.loads(line) for line in path.read_text().splitlines()]
        print(figures(samples))
        if given.plot is not None:
            draw(samples, given.plot)
        sys.exit(0 if right else 1)
    finally:
        shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    main()
