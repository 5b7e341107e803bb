"""Server-sent events: what is new of all queries, to everybody who looks.

Each client has a queue with an end. Who does not take what is in it is let go, and a browser comes again by itself: so
nobody holds anybody up, least of all the queries. While nobody looks, nothing is looked for.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Iterator
from typing import Any

from punctum.page.watched import WatchedQuery
from punctum.page.work import MeasuredWork

ROOM = 64
"""So many events wait for a client at the most."""
EVERY = 0.4
"""So many seconds lie between two looks at the queries."""
_STATUS = 5
"""At each so many looks their status is asked for, too: a question to Spark."""
_ALIVE = 15.0
_GONE = None


class Events:
    """Looks for what is new, and tells it to all clients."""

    def __init__(self, queries: dict[str, WatchedQuery], work: MeasuredWork, room: int = ROOM) -> None:
        self._queries, self._work, self._room = queries, work, room
        self._clients: set[asyncio.Queue[str | None]] = set()
        self._seen: dict[str, tuple[float, int]] = {}
        self._sent: dict[str, dict[str, Any]] = {}
        self._stamps: dict[str, object] = {}
        self._looking: asyncio.Task[None] | None = None

    async def stream(self) -> AsyncIterator[str]:
        """What a client is told, from now on until it goes, or is too slow."""
        client: asyncio.Queue[str | None] = asyncio.Queue(self._room)
        self._clients.add(client)
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look())
        try:
            yield "retry: 1000\n\n"
            while True:
                try:
                    event = await asyncio.wait_for(client.get(), _ALIVE)
                except TimeoutError:
                    event = ": still here\n\n"
                if event is _GONE:
                    return
                yield event
        finally:
            self._clients.discard(client)

    def tell(self, events: Iterable[str]) -> None:
        """Put events into the queues; a client whose queue is full is let go."""
        for event in events:
            for client in list(self._clients):
                if client.full():
                    self._clients.discard(client)
                    client.get_nowait()
                    client.put_nowait(_GONE)
                else:
                    client.put_nowait(event)

    def close(self) -> None:
        """Let all clients go."""
        for client in list(self._clients):
            if client.full():
                client.get_nowait()
            client.put_nowait(_GONE)

    async def _look(self) -> None:
        look = 0
        while self._clients:
            for name, query in list(self._queries.items()):
                stamp = query.stamp()
                if look % _STATUS == 0 or stamp != self._stamps.get(name, self):
                    self._stamps[name] = stamp
                    self.tell(await self._work.run(self._news, name, query))
            look += 1
            await asyncio.sleep(EVERY)
        self._seen.clear()
        self._sent.clear()
        self._stamps.clear()

    def _news(self, name: str, query: WatchedQuery) -> list[str]:
        return list(self._new(name, query))

    def _new(self, name: str, query: WatchedQuery) -> Iterator[str]:
        """The batches of a query that nobody has been told of, and its status when it is another one."""
        batches = query.batches()
        seen = self._seen.get(name)
        new = [batch for batch in batches if seen is None or _stamp(batch) > seen]
        if batches:
            self._seen[name] = _stamp(batches[-1])
        if seen is None:  # who comes asks for all batches, and misses none of those from now on
            new = new[-1:]
        for batch in new:
            yield event("batch", {"query": name, "batch": batch})
        status = query.status()
        if self._sent.get(name) != status:
            self._sent[name] = status
            yield event("status", {"query": name} | status)


def _stamp(batch: dict[str, Any]) -> tuple[float, int]:
    return batch["time"], batch["batch"]


def event(kind: str, data: object) -> str:
    r"""An event as it is sent; JSON has no line breaks of its own.

    >>> event("status", {"query": "a\nb"})
    'event: status\ndata: {"query": "a\\nb"}\n\n'
    """
    return f"event: {kind}\ndata: {json.dumps(data)}\n\n"
