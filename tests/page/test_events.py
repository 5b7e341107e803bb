"""Events: what is new comes to everybody, and who is slow holds nobody up."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from page.serving import batch, checkpoint, write_metrics
from page.test_watched import SQL, some
from punctum.page.events import Events, event
from punctum.page.watched import WatchedQuery
from punctum.page.work import MeasuredWork


def data(text: str) -> Any:
    return json.loads(text.partition("data: ")[2])


async def until(events: AsyncIterator[str], kind: str) -> Any:
    async for text in events:
        if text.startswith(f"event: {kind}\n"):
            return data(text)
    raise AssertionError("the stream has ended")


def test_new_batches_come_to_everybody(tmp_path: Path) -> None:
    path = checkpoint(tmp_path, SQL, some(0, 2))

    async def run() -> None:
        events = Events({"closing": WatchedQuery(path)}, MeasuredWork())
        one, other = events.stream(), events.stream()
        assert (await until(one, "batch"))["batch"]["batch"] == 1, "the last one: nothing is missed from then on"
        await anext(other)
        write_metrics(path, some(0, 4))
        for stream in (one, other):
            assert [(await until(stream, "batch"))["batch"]["batch"] for _ in range(2)] == [2, 3]
        await one.aclose()  # type: ignore[attr-defined]
        await other.aclose()  # type: ignore[attr-defined]

    asyncio.run(run())


def test_who_is_slow_is_let_go_and_others_are_not() -> None:
    async def run() -> None:
        events = Events({}, MeasuredWork(), room=4)
        slow, quick = events.stream(), events.stream()
        for stream in (slow, quick):
            await anext(stream)
            waiting = asyncio.ensure_future(anext(stream))
            await asyncio.sleep(0)
            events.tell([": begin\n\n"])
            await waiting
        told = list[str]()
        for n in range(20):
            events.tell([event("batch", n)])
            told.append(await anext(quick))
        assert [data(text) for text in told if "data" in text][-1] >= 18, "who is quick has nearly all of them"
        left = [text async for text in slow]
        assert len(left) < 8, "who is slow had only what was in its queue, and then the end"

    asyncio.run(run())


def test_events_are_one_line_each() -> None:
    told = event("batch", batch(0, 1.0, {"a\nb": {"\r\n\n": 1}}))
    assert told.count("\n") == 3 and told.endswith("\n\n")
    assert data(told)["operators"] == {"a\nb": {"\r\n\n": 1}}
