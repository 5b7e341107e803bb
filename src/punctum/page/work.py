"""What takes a moment, in threads of its own: the server goes on, and what it has cost is known."""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
_THREADS = 2


class MeasuredWork:
    """Runs functions in a few threads, and adds up how much time of the processor they take."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="punctum page")
        self._adding = Lock()
        self.seconds = 0.0

    async def run(self, do: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a function, and wait for it."""

        def measured() -> T:
            begun = time.thread_time()
            try:
                return do(*args, **kwargs)
            finally:
                with self._adding:
                    self.seconds += time.thread_time() - begun

        return await asyncio.get_running_loop().run_in_executor(self._threads, measured)

    def close(self) -> None:
        """Begin nothing more."""
        self._threads.shutdown(wait=False, cancel_futures=True)
