"""A page of the tutorial as what it is: files to write, and what commands print, in their order."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from click.testing import CliRunner

from punctum.cli import cli
from punctum.engine.exchange.quarantine import format_records, in_order
from punctum.testing import from_files, run

_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_QUOTED = re.compile(r"`([^`]+)`")


@dataclass(frozen=True)
class Shown:
    """A block that shows what something prints: the command, or the sink's directory, and what stands there."""

    what: str
    text: str
    start: int
    end: int


def steps(page: Path, directory: Path) -> Iterator[Shown]:
    """Go through a page: files come into being in a directory, and each output is given when it is its turn."""
    text, at = page.read_text(), 0
    for block in _BLOCK.finditer(text):
        named = [name for name in _QUOTED.findall(text[at : block.start()]) if not re.search(r"[,;()]", name)]
        kind, content = block.groups()
        if kind in ("sql", "json", "python"):
            ending = {"sql": ".sql", "json": ".json", "python": ".py"}[kind]
            path = directory / next(name for name in reversed(named) if name.endswith(ending))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        elif kind == "":
            known = [name for name in named if name.startswith(("out/", "punctum check", "punctum quarantine"))]
            yield Shown(known[-1], content, block.start(2), block.end(2))
        at = block.end()


def given(what: str, directory: Path) -> str:
    """What a block should show now: without Spark, of the files that there are."""
    (script,) = directory.glob("*.sql")
    if what.startswith("punctum check"):
        result = CliRunner().invoke(cli, ["check", str(directory / what.split()[2])])
        return result.output
    outcome = run(script, from_files(script))
    if what.startswith("punctum quarantine"):
        lines = [line for piece in outcome.slices for line in in_order(json.dumps(vars(r)) for r in piece.records)]
        return "".join(f"{line}\n" for line in format_records(map(json.loads, lines), 3))
    return "".join(f"{line}\n" for piece in outcome.slices for line in piece.lines)
