"""Every row that is read has a place: the text that stands there, read alone, is the row."""

import random
from collections.abc import Callable, Mapping
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.reading import mutated
from punctum.algebra.schema import Schema
from punctum.engine.formats.csv import read_csv
from punctum.engine.formats.json import read_json
from punctum.engine.formats.parquet import read_parquet
from punctum.engine.formats.read import Read
from punctum.engine.formats.xml import read_xml
from punctum.operators.columns import to_rows
from test_fuzz import CSV, CSV_PUNCTS, DOCUMENT, EVERY, LINE, PUNCTS, parquet_file

Reader = Callable[[bytes, Schema, Mapping[str, str]], Read]
FILES: dict[str, tuple[Reader, bytes]] = {
    "json": (read_json, "\n".join([LINE, *PUNCTS, LINE, "", LINE]).encode()),
    "json by shape": (partial(read_json, few=1), "\n".join([LINE, *PUNCTS, LINE, "", LINE]).encode()),
    "csv": (read_csv, (CSV + CSV_PUNCTS + CSV + CSV).encode()),
    "xml": (read_xml, DOCUMENT.encode()),
}


@pytest.mark.parametrize("form", FILES)
def test_what_stands_there(form: str) -> None:
    reader, whole = FILES[form]

    @given(st.integers(0, 2**64))
    def holds(seed: int) -> None:
        chance = random.Random(seed)
        data = mutated(whole, chance, times=chance.choice([0, 1, 3]) + 1) if seed else whole
        read = reader(data, EVERY, {"rowTag": "t"})
        lines = data.split(b"\n")
        for n, row in enumerate(to_rows(read.piece.rows)):
            position, text = read.place(n)
            assert isinstance(text, bytes)
            assert text.split(b"\n")[0].rstrip(b"\r") in lines[position - 1]
            alone = reader(text, EVERY, {"rowTag": "t"})
            assert to_rows(alone.piece.rows) == [row]

    holds()


def test_parquet_has_positions_and_no_texts() -> None:
    read = read_parquet(parquet_file(), EVERY, {})
    assert [read.place(n) for n in range(20)] == [(n + 1, None) for n in range(20)]
