"""Replicas of a temporal stream as files for Spark, slice by slice, and the elements that a merge of them has given."""

import json
import os
from pathlib import Path
from typing import Any

from lmerge.streams import Life
from punctum.lmerge.elements import INF, Adjust, Element, Insert, Stable, Time
from punctum.lmerge.openclose import Close, Open

NAMES = ("a", "b", "c")


def line(element: Element | Open | Close) -> str:
    """An element of a payload of one string as JSON."""
    if isinstance(element, Stable):
        return json.dumps({"$stable": _time(element.t)})
    if isinstance(element, Open):
        return json.dumps({"p": element.payload[0], "_vs": _time(element.vs)})
    if isinstance(element, Close):
        return json.dumps({"p": element.payload[0], "_ve": _time(element.ve)})
    found: dict[str, Any] = {"p": element.payload[0], "_vs": _time(element.vs)}
    if isinstance(element, Adjust):
        found["_vold"] = _time(element.vold)
    return json.dumps(found | {"_ve": _time(element.ve)})


def element(found: dict[str, Any]) -> Element:
    """The element that an object of JSON is."""
    if "$stable" in found:
        return Stable(_read(found["$stable"]))
    payload, start, end = (found["p"],), _read(found["_vs"]), _read(found["_ve"])
    return Adjust(payload, start, _read(found["_vold"]), end) if "_vold" in found else Insert(payload, start, end)


def write(directory: Path, inputs: list[Life]) -> None:
    """A file for each slice of each input, and one of the control."""
    for name, life in zip(NAMES, inputs, strict=False):
        for n, piece in enumerate(life.pieces):
            _put(directory / "in" / name, n, [line(each) for each in piece])
    for n in range(len(inputs[0].pieces)):
        told: list[dict[str, Any]] = [
            {"input": i, "change": "detach", "since": None}
            for i, life in zip(NAMES, inputs, strict=False)
            if n in life.detach
        ]
        for name, life in zip(NAMES, inputs, strict=False):
            if n in life.attach:
                since = life.attach[n]
                told.append({"input": name, "change": "attach", "since": None if since == -INF else since})
        _put(directory / "control", n, [json.dumps(each) for each in told])


def batches(directory: Path, count: int) -> list[list[Element]]:
    """What a sink of elements has got in each batch: rows, then stables."""
    found: list[list[Element]] = [[] for _ in range(count)]
    for path in sorted(directory.glob("part-*")):
        found[int(path.name.split("-")[2])] += [element(json.loads(text)) for text in path.read_text().splitlines()]
    return found


def _put(directory: Path, n: int, lines: list[str]) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"{n:03}.json"
    path.write_text("".join(f"{each}\n" for each in lines))
    os.utime(path, (n + 1, n + 1))


def _time(t: Time) -> int | None:
    return None if t == INF else int(t)


def _read(t: int | None) -> Time:
    return INF if t is None else t
