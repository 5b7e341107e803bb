"""Scripts of ``plain/``: SQL, the rows of its tables, and slice by slice what comes in and what is released.

::

    -- table                                     -- slice: a remark
    -- monitors: {"sid": "M1"}                   -- bid: {"itemid": 17, "increase": 5}
                                                 -- => {"itemid": 17, "total": 5}
                                                 -- late bid: {"itemid": 18, "increase": 5}
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Rows = dict[str, list[dict[str, Any]]]
"""Rows by the name of a stream or table; released ones have none."""
RELEASED = ""


@dataclass(frozen=True)
class Example:
    """A script, its tables, its slices, and the rows that break what their streams have said."""

    name: str
    sql: str
    tables: Rows
    slices: list[Rows]
    late: list[tuple[str, dict[str, Any]]]

    @property
    def released(self) -> list[dict[str, Any]]:
        """All rows that are released."""
        return [row for piece in self.slices for row in piece.get(RELEASED, [])]

    def write(self, directory: Path, start: int = 0) -> None:
        """The tables and streams as files, a file for each slice, numbered from the start."""
        for name, rows in self.tables.items():
            (directory / f"{name}.json").write_text(lines(rows))
        streams = {name for piece in self.slices for name in piece if name != RELEASED}
        for name in streams:
            (directory / "in" / name).mkdir(parents=True, exist_ok=True)
            for n, piece in enumerate(self.slices, start):
                (directory / "in" / name / f"{n}.json").write_text(lines(piece.get(name, [])))


def lines(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def read(path: Path) -> Example:
    """The example in a file."""
    sql, tables, slices, late = [], Rows(), list[Rows](), list[tuple[str, dict[str, Any]]]()
    here: Rows | None = None
    for line in path.read_text().splitlines():
        if line == "-- table":
            here = tables
        elif line == "-- slice" or line.startswith("-- slice:"):
            here = Rows()
            slices.append(here)
        elif here is None:
            sql.append(line)
        elif line:
            found = re.fullmatch(r"-- (?:=>|(late )?(\w+):) (\{.*\})", line)
            assert found is not None, line
            row = json.loads(found.group(3))
            here.setdefault(found.group(2) or RELEASED, []).append(row)
            late += [(found.group(2), row)] if found.group(1) else []
    return Example(path.stem, "\n".join(sql), tables, slices, late)


EXAMPLES = [read(path) for path in sorted((Path(__file__).parent / "plain").glob("*.sql"))]
