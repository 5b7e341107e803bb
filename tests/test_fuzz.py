"""Mutations of valid input: whatever comes in, nothing but an error of ours comes out.

Longer than the tests do: .venv/bin/python tests/test_fuzz.py 600 [target …]
"""

import io
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import partial

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.reading import elements, mutated
from parse.test_robust import SCRIPTS, survives
from punctum.algebra import Element, Punctuation, Schema, from_json, from_xml, pattern_from_text, punctuation_from_text
from punctum.engine.formats.csv import read_csv, read_puncts_csv
from punctum.engine.formats.json import read_json, read_puncts_json
from punctum.engine.formats.parquet import read_parquet, read_puncts_parquet
from punctum.engine.formats.read import Read
from punctum.engine.formats.xml import read_xml
from punctum.errors import PunctumError

EVERY = Schema.of(
    n="BIGINT", x="DOUBLE", price="DECIMAL", s="STRING", ok="BOOLEAN", day="DATE", ts="TIMESTAMP", at="TIMESTAMP_NTZ"
)
LINE = (
    '{"n": 17, "x": 0.5, "price": "1.50", "s": "a\\u00e9", "ok": true, "day": "2026-11-15",'
    ' "ts": "2026-11-15T12:00:00.5+02:00", "at": "2026-11-15T12:00:00"}'
)
PUNCTS = [
    '{"$punct": {"n": 17}}',
    '{"$punct": {"s": "a"}}',
    '{"$punct": {"n": {"in": [1, 5]}, "x": {"ge": 0.5, "lt": 20}, "price": {"le": "1.5"}, "s": null}}',
    '{"$punct": {"day": {"gt": "2026-11-15"}, "ts": {"gt": null}, "at": {"none": true}, "ok": false}}',
]
PATTERNS = [
    "*",
    "17",
    "[17,20)",
    "(,5]",
    "{1,5}",
    "{}",
    "NULL",
    '"a, b"',
    "(0.5,)",
    "[2026-11-15,2026-11-16)",
    "{1.5,2}",
]
TEXTS = [
    "<*, 17, *, *, *, *, *, *>",
    '<{1,5}, [0.5,20), (,1.50], "a, b", true, (2026-11-15,), [2026-11-15T12:00:00Z,), NULL>',
]
XML = (
    "<t><n>17</n><x>0.5</x><price>1.50</price><s>a&amp;b</s><ok>true</ok><day>2026-11-15</day>"
    '<ts>2026-11-15T12:00:00Z</ts><at xsi:nil="true"/></t>'
)
XML_SAID = "<punct:t><n>[17,20)</n><x>{0.5,1}</x><s>&quot;a, b&quot;</s><day>(,2026-11-15]</day></punct:t>"
CSV = '17,0.5,1.50,"a, ""b""\nc",true,2026-11-15,2026-11-15T12:00:00Z,,\n'
PLAIN_CSV = "17,0.5,1.50,a,true,2026-11-15,2026-11-15T12:00:00Z,,\n"
CSV_PUNCTS = ',,,,,,,,"{""$punct"": {""n"": {""ge"": 5}}}"\n'
HEADER = "n,x,price,s,ok,day,ts,at,_punct\n"


def parquet_file() -> bytes:
    instant = datetime(2026, 11, 15, 12, tzinfo=UTC)
    row = (17, 0.5, Decimal("1.50"), "é", True, date(2026, 11, 15), instant, datetime(2026, 11, 15), None)
    rows = [row] * 20 + [(None,) * 8 + (PUNCTS[2],)]
    out = io.BytesIO()
    pl.DataFrame(rows, schema=[*EVERY.names, "_punct"], orient="row").write_parquet(out, compression="uncompressed")
    return out.getvalue()


Reader = Callable[[bytes, Schema, Mapping[str, str]], Read]


def reading(read: Reader, **options: str) -> Callable[[bytes], Counter[Element]]:
    """What a reader finds in a file."""

    def run(data: bytes) -> Counter[Element]:
        return elements(read(data, EVERY, options), EVERY)

    return run


def hearing(hear: Reader, read: Reader, **options: str) -> Callable[[bytes], None]:
    """Reads a file's punctuations, which have to be those that are found with its rows."""

    def run(data: bytes) -> None:
        heard, found = (elements(reader(data, EVERY, options), EVERY) for reader in (hear, read))
        assert {e for e in heard if isinstance(e, Punctuation)} == {e for e in found if isinstance(e, Punctuation)}

    return run


def text(data: bytes) -> str:
    return data.decode(errors="replace")


def encoded(*texts: str) -> list[bytes]:
    return [text.encode() for text in texts]


DOCUMENT = f'<?xml version="1.0"?>\n<all xmlns:p="punct">{XML}\n{XML_SAID}{XML}</all>'
TARGETS: dict[str, tuple[Callable[[bytes], object], list[bytes]]] = {
    "json": (lambda data: from_json(data, EVERY), encoded(LINE, *PUNCTS)),
    "json text": (lambda data: from_json(text(data), EVERY), encoded(LINE, *PUNCTS)),
    "text": (lambda data: punctuation_from_text(text(data), EVERY), encoded(*TEXTS)),
    "pattern": (lambda data: [pattern_from_text(text(data), a) for a in EVERY.attributes], encoded(*PATTERNS)),
    "xml": (lambda data: from_xml(text(data), EVERY, "t"), encoded(XML, XML_SAID)),
    "json file": (reading(partial(read_json, few=1)), encoded("\n".join([LINE, LINE, *PUNCTS, LINE]))),
    "csv file": (reading(read_csv), encoded(CSV + CSV_PUNCTS + CSV)),
    "csv file with header": (reading(read_csv, header="true"), encoded(HEADER + CSV + CSV_PUNCTS + CSV)),
    "xml file": (reading(read_xml, rowTag="t"), encoded(DOCUMENT, XML + XML_SAID)),
    "parquet file": (reading(read_parquet), [parquet_file()]),
    "json file, heard": (hearing(read_puncts_json, read_json), encoded("\n".join([LINE, LINE, *PUNCTS, LINE]))),
    "csv file, heard": (
        hearing(read_puncts_csv, read_csv),
        encoded(CSV + CSV_PUNCTS + CSV, PLAIN_CSV + CSV_PUNCTS + PLAIN_CSV),
    ),
    "csv file with header, heard": (
        hearing(read_puncts_csv, read_csv, header="true"),
        encoded(HEADER + CSV + CSV_PUNCTS + CSV, HEADER + PLAIN_CSV + CSV_PUNCTS + PLAIN_CSV),
    ),
    "parquet file, heard": (hearing(read_puncts_parquet, read_parquet), [parquet_file()]),
    "sql": (lambda data: survives(text(data)), encoded(*SCRIPTS)),
}


def attack(target: str, seed: int) -> None:
    run, inputs = TARGETS[target]
    chance = random.Random(seed)
    data = mutated(chance.choice(inputs), chance, times=chance.choice([1, 3, 10]))
    try:
        run(data)
    except PunctumError as error:
        str(error).encode(errors="backslashreplace")
        assert error.what


@pytest.mark.parametrize("target", TARGETS)
def test_only_our_errors_come_out(target: str) -> None:
    @given(st.integers(0, 2**64))
    def attacked(seed: int) -> None:
        attack(target, seed)

    attacked()


def main() -> None:
    """Attack the targets in turn for some seconds; the first failure ends it, with the seed that makes it again."""
    seconds, targets = float(sys.argv[1]), sys.argv[2:] or list(TARGETS)
    chance, tried, end = random.Random(), Counter[str](), time.process_time() + seconds
    while time.process_time() < end:
        for target in targets:
            seed = chance.getrandbits(64)
            try:
                attack(target, seed)
            except BaseException:
                print(f"attack({target!r}, {seed})", flush=True)
                raise
            tried[target] += 1
    print(", ".join(f"{target}: {count:,}" for target, count in tried.items()))


if __name__ == "__main__":
    main()
