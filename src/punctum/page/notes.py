"""What a query that starts writes down for pages that look at its checkpoint: its picture, and where its files lie."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from punctum.compile import CompiledQuery
from punctum.engine.recovery.durable import replace_text
from punctum.engine.runtime.stored import KeptState
from punctum.engine.sources.directories import directory_of
from punctum.page.feedback import feedback_files
from punctum.page.picture import Picture, picture
from punctum.storage.location import Location

_FILE = "page.json"


@dataclass(frozen=True)
class Notes:
    """The picture of a query, the directory of its quarantine, and those of its streams that are files."""

    picture: Picture
    quarantine: str
    streams: Mapping[str, str] = field(default_factory=dict)


def notes(compiled: CompiledQuery, directory: Location, quarantine: Location) -> Notes:
    """The notes of a query whose relative paths begin in a directory."""
    paths = {stream.name: directory_of(stream, directory) for stream in compiled.analysis.streams}
    known = {name: str(path.resolve()) for name, path in paths.items() if path is not None}
    drawn = picture(compiled) | {"feedback": feedback_files(compiled, directory)}
    return Notes(drawn, str(quarantine.resolve()), known)


def write_notes(checkpoint: Location, noted: Notes) -> None:
    """Write them into a checkpoint."""
    content = {"picture": noted.picture, "quarantine": noted.quarantine, "streams": dict(noted.streams)}
    replace_text(checkpoint / "punctum" / _FILE, json.dumps(content))


def read_notes(checkpoint: Location) -> Notes | None:
    """Those of a checkpoint; nothing when they cannot be read, for whoever only looks should not fail by that."""
    try:
        content: dict[str, Any] = json.loads((checkpoint / "punctum" / _FILE).read_text("utf-8"))
        return Notes(content["picture"], content["quarantine"], content["streams"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def unconnected(state: KeptState) -> Notes:
    """What is known of a query without notes: its operators, and nothing of what flows between them."""
    nodes: list[Picture] = []
    for operator in state.operators:
        known = {"id": operator.name, "kind": "operator", "label": operator.label, "detail": "", "reads": ""}
        stage = int(operator.name[1:].partition("o")[0])
        nodes.append(known | {"states": [], "stage": stage, "verdict": "unknown", "place": None})
    name = state.checkpoint.name
    empty = {"sql": "", "verdict": "unknown", "edges": [], "states": [], "merges": []}
    return Notes({"name": name, "nodes": nodes} | empty, str(state.checkpoint / "quarantine"))
