"""A process that writes batches to a topic and is killed at a moment of its second one."""

import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from punctum.algebra.schema import Schema
from punctum.engine.sinks.kafka import KafkaSink
from punctum.engine.sinks.topic import MessageFiles
from punctum.ir.definitions import SinkDef
from punctum.operators.columns import ColumnarSlice, frame

MOMENTS = ("noted", "begun", "sent half", "sent", "offset sent", "committing", "committed")
_SCHEMA = Schema.of(itemid="BIGINT", name="STRING")


class _Dying:
    """A producer that is killed before or behind a call."""

    def __init__(self, producer: Any, moment: str) -> None:
        self._producer, self._moment, self.armed = producer, moment, False

    def __len__(self) -> int:
        return len(self._producer)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        call = getattr(self._producer, name)

        def made(*arguments: Any) -> Any:
            self._die(("before", name))
            if self.armed and self._moment == "sent half" and name == "produce_batch":
                call(arguments[0], arguments[1][: len(arguments[1]) // 2])
                self._producer.flush()
                os.kill(os.getpid(), signal.SIGKILL)
            given = call(*arguments)
            if name == "produce_batch":
                self._producer.flush()
            self._die(("behind", name))
            return given

        return made

    def _die(self, at: tuple[str, str]) -> None:
        when = {
            "noted": ("before", "begin_transaction"),
            "begun": ("behind", "begin_transaction"),
            "sent": ("behind", "produce_batch"),
            "offset sent": ("behind", "send_offsets_to_transaction"),
            "committed": ("behind", "commit_transaction"),
        }
        if self.armed and when.get(self._moment) == at:
            os.kill(os.getpid(), signal.SIGKILL)
        if self.armed and self._moment == "committing" and at == ("before", "commit_transaction"):
            threading.Timer(0.002, os.kill, (os.getpid(), signal.SIGKILL)).start()
            self._producer.commit_transaction()
            os.kill(os.getpid(), signal.SIGKILL)


def killed_at(moment: str, brokers: str, topic: str, checkpoint: str, query: str) -> None:
    """Write a row as batch 0, and a thousand as batch 1 until the moment has come."""
    options = {"brokers": brokers, "topic": topic}
    files = MessageFiles.of(SinkDef("s", "kafka", options), _SCHEMA, f"{checkpoint}/messages")
    files.clear()
    to = KafkaSink(options, files, query, Path(checkpoint))
    to._producer = dying = _Dying(to._producer, moment)  # type: ignore[assignment]
    for batch, rows in enumerate(([(1, "first")], [(n, "second") for n in range(1000)])):
        name, _ = files.write(ColumnarSlice(frame(_SCHEMA, rows)))
        assert name is not None
        dying.armed = batch == 1
        to.commit(batch, [(0, name)], again=batch == 0)
