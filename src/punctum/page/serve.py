"""The page's server: in this process, in a thread of its own, on this machine only."""

import socket
import threading
import time
from collections.abc import Iterator
from itertools import count
from secrets import token_urlsafe
from types import TracebackType
from typing import Any

import uvicorn

from punctum.errors import QueryError
from punctum.page.api import PageAnswers, application
from punctum.page.guard import PageGuard
from punctum.page.watched import WatchedQuery

_LONGEST = 30.0


class LivePage:
    """A page that shows queries; others may be added while it is there."""

    def __init__(self, control: bool = False, port: int = 0) -> None:
        self._socket = _bound(port)
        self._token = token_urlsafe(24)
        self.queries: dict[str, WatchedQuery] = {}
        """What is shown, by name."""
        number: int = self._socket.getsockname()[1]
        self.address = f"http://127.0.0.1:{number}/{self._token}/"
        self._answers = PageAnswers(self.queries, control, self._measured)
        config = uvicorn.Config(
            PageGuard(application(self._answers), self._token, number),
            log_config=None,
            log_level="critical",
            access_log=False,
            lifespan="off",
            ws="none",
            http="h11",
            loop="asyncio",
            server_header=False,
            date_header=False,
            timeout_graceful_shutdown=1,
        )
        self._server = uvicorn.Server(config)
        self._clock: int | None = None
        self._thread = threading.Thread(target=self._run, name="punctum page", daemon=True)
        self._thread.start()
        until = time.monotonic() + _LONGEST
        while not self._server.started and self._thread.is_alive() and time.monotonic() < until:
            time.sleep(0.01)

    def _run(self) -> None:
        self._clock = time.pthread_getcpuclockid(threading.get_ident())
        self._server.run(sockets=[self._socket])

    def show(self, query: WatchedQuery) -> "LivePage":
        """Show one more query; the same one takes its own place, another one of its name gets a number."""
        name = next(n for n in _numbered(query.name) if self._is_free(n, query))
        self.queries.pop(name, None)
        self.queries[name] = query
        return self

    def _is_free(self, name: str, query: WatchedQuery) -> bool:
        return name not in self.queries or self.queries[name].checkpoint == query.checkpoint

    @property
    def open(self) -> bool:
        """Whether it is there."""
        return self._thread.is_alive() and not self._server.should_exit

    def wait(self) -> None:
        """Wait until it is closed."""
        while self._thread.is_alive():
            self._thread.join(0.2)

    def close(self) -> None:
        """Let all clients go, and end."""
        self._server.should_exit = True
        self._thread.join(_LONGEST)
        self._answers.work.close()
        self._socket.close()

    def __enter__(self) -> "LivePage":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<LivePage {self.address}>"

    def _repr_html_(self) -> str:
        """What a notebook shows: the address."""
        return f'<a href="{self.address}" target="_blank" rel="noopener">{self.address}</a>'

    def _measured(self) -> dict[str, Any]:
        """How much time of the processor the server's threads have taken, and this process in all, in seconds."""
        own = self._answers.work.seconds + (0.0 if self._clock is None else time.clock_gettime(self._clock))
        return {"server_seconds": round(own, 3), "process_seconds": round(time.process_time(), 3)}


def _numbered(name: str) -> Iterator[str]:
    """A name, and it with numbers."""
    yield name
    yield from (f"{name} {n}" for n in count(2))


def _bound(port: int) -> socket.socket:
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind(("127.0.0.1", port))
    except OSError as error:
        bound.close()
        raise QueryError(f"the page cannot have port {port}", str(error), "choose another one") from None
    return bound
