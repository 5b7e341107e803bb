"""A topic as a sink: each batch in one transaction, which also notes the batch's number.

Workers write the messages of a batch to files (``topic.py``), and the end of the batch sends them, file by file. The
transaction commits an offset of a consumer group that nobody else uses as well: the number of the batch after it, with
a token that the checkpoint has noted before. Group and transactional id have the query's id in their name. A new
producer of the same id has the transaction of the one before it, whatever has become of that process, committed or
aborted, and whatever it sends later refused. Then the group's offset says whether a batch that is done again is there.

A punctuation of the result goes to each partition of the topic, behind the rows of its file: who reads the topic reads
as many streams as it has partitions, and a punctuation holds when all of them have said it.
"""

import json
import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar
from uuid import uuid4
from warnings import catch_warnings

import polars as pl
from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition

from punctum.engine.kafka.client import configuration, failure
from punctum.engine.recovery.durable import read_sealed, write_sealed
from punctum.engine.sinks.topic import KEY, TO_ALL, VALUE, MessageFiles
from punctum.errors import QueryError, SchemaError
from punctum.ir.references import hidden
from punctum.parse.ddl.options import CLIENT
from punctum.storage.files import fetched
from punctum.storage.location import Location

NOTE = "kafka"
"""The file of a checkpoint that says which batch has been sent last, or would have been."""
PAUSES = (1.0, 3.0, 9.0)
"""Seconds until a batch is tried again when its transaction has failed."""
PATIENCE, _STEP = 60.0, 5.0
"""Seconds that brokers may take for an answer, and after which it is seen whether they have refused one."""
_QUIET = {"log_level": "0"}
"""What matters of librdkafka's log comes as an error."""
_DEFAULTS = {**_QUIET, "message.timeout.ms": "60000", "transaction.timeout.ms": "300000"}
_PIECE_ROWS, _PIECE_BYTES = 20_000, 16 << 20
"""How much waits in librdkafka at most, twice over."""
_NO_OFFSET = -1001
_LOG = logging.getLogger("punctum")
Answer = TypeVar("Answer")


class KafkaSink:
    """A topic that gets a query's results from files, batch by batch; to make one is to fence all before it."""

    stables: None = None

    def __init__(
        self,
        options: Mapping[str, str],
        files: MessageFiles,
        query: str,
        checkpoint: Location,
        pauses: Sequence[float] = PAUSES,
        patience: float = PATIENCE,
    ) -> None:
        self.files, self.topic = files, options["topic"]
        self._options, self._name = options, f"punctum-{query}"
        self._note_path, self._pauses, self._patience = checkpoint / "punctum" / NOTE, pauses, patience
        self._refusal: KafkaError | None = None
        self._producer = self._connected()
        try:
            self._fence()
            self._partitions()
            with self._consumer() as consumer:
                self._group = consumer.consumer_group_metadata()
        except KafkaException as error:
            raise self._failure(f"the topic {self.topic} cannot be written", error.args[0]) from None

    def _connected(self) -> Producer:
        given = {
            **_DEFAULTS,
            "partitioner": "murmur2" if self.files.key else "murmur2_random",  # with a key, NULL has its partition too
            **configuration(self._options),
            "transactional.id": self._name,
            "allow.auto.create.topics": False,
            "delivery.report.only.error": True,
            "queue.buffering.max.messages": 4 * _PIECE_ROWS,
            "queue.buffering.max.kbytes": (1 << 31) - 1,
            "error_cb": self._hear,
        }
        try:
            return Producer(given)
        except KafkaException as error:
            detail, hint = hidden(error.args[0].str(), self._options), f"check the options that begin with {CLIENT}"
            raise SchemaError(f"the topic {self.topic} cannot be written", detail, hint) from None

    def _fence(self) -> None:
        """End what another producer has left open, and let none of them send any more."""
        try:
            self._patiently(partial(self._producer.init_transactions, min(_STEP, self._patience)))
        except KafkaException:
            with catch_warnings(action="ignore"):
                self._producer.close()  # else it goes on trying, and fences a later one when the brokers are back
            raise

    def _patiently(self, call: Callable[[], Answer]) -> Answer:
        """What a call gives, which is tried again while that is of use."""
        until = time.monotonic() + self._patience
        while True:
            try:
                return call()
            except KafkaException as error:
                cause, passes = (
                    self._cause(error.args[0]),
                    error.args[0].retriable() or error.args[0].code() in _PASSING,
                )
                if not passes or cause.code() in _REFUSED or time.monotonic() > until:
                    raise KafkaException(cause) from None
                time.sleep(0.1)

    def _consumer(self) -> Consumer:
        """Whoever commits offsets for the query's group; it reads nothing."""
        given = {"group.id": self._name, "enable.auto.commit": False, "error_cb": self._hear}
        return Consumer({**_QUIET, **configuration(self._options), **given})

    def _hear(self, error: KafkaError) -> None:
        """Remember what the client says by itself: why an answer does not come."""
        if error.code() != KafkaError._ALL_BROKERS_DOWN or self._refusal is None:
            self._refusal = error

    def commit(self, batch: int, written: Iterable[tuple[int | str, str]], again: bool) -> None:
        """Send the files of a batch, by bucket, unless the topic has them; they are of no use after that."""
        files = [self.files.path(name) for _, name in written]
        try:
            if not (again and self._is_sent(batch)) and files:
                self._send(batch, files)
        except KafkaException as error:
            raise self._failure(f"batch {batch} was not written to the topic {self.topic}", error.args[0]) from None
        self.files.clear()

    def _send(self, batch: int, files: Sequence[Location]) -> None:
        """Send files in a transaction; when it fails, a new producer ends it and tells what has become of it."""
        token = uuid4().hex
        self._write_note(batch, token)
        for pause in (*self._pauses, None):
            try:
                self._transaction(files, batch + 1, token)
                return
            except KafkaException as error:
                cause = self._cause(error.args[0])
                if pause is None or error.args[0].fatal() or cause.code() in _REFUSED:
                    raise KafkaException(cause) from None
                shown = hidden(cause.str(), self._options)
                _LOG.warning("%s: %s; retrying batch %d in %g s", self.topic, shown, batch, pause)
                time.sleep(pause)
            self._producer = self._connected()
            self._fence()
            if self._is_sent(batch):
                return

    def _transaction(self, files: Iterable[Location], offset: int, token: str) -> None:
        """All files and the offset, or nothing."""
        self._refusal = None
        self._producer.begin_transaction()
        for file in files:
            with fetched(file) as local:
                self._produce(pl.read_ipc(local))
        at = TopicPartition(self.topic, 0, offset, token)
        self._answered(partial(self._producer.send_offsets_to_transaction, [at], self._group, self._patience))
        self._answered(partial(self._producer.commit_transaction, self._patience))

    def _answered(self, call: Callable[[], None]) -> None:
        """Call, and wait for the answer no longer than is meant: when a broker returns, librdkafka may miss it."""
        answer: Future[None] = Future()

        def made() -> None:
            try:
                call()
                answer.set_result(None)
            except KafkaException as error:
                answer.set_exception(error)

        threading.Thread(target=made, daemon=True).start()
        try:
            answer.result(self._patience + _STEP)
        except TimeoutError:
            raise KafkaException(KafkaError(KafkaError._TIMED_OUT, "there was no answer")) from None

    def _produce(self, messages: pl.DataFrame) -> None:
        rows, puncts = messages.filter(~pl.col(TO_ALL)), messages.filter(pl.col(TO_ALL)).select(VALUE)
        rows = rows.select(KEY, VALUE) if self.files.key else rows.select(VALUE)
        at_once = max(1, min(_PIECE_ROWS, _PIECE_BYTES * len(rows) // max(1, int(rows.estimated_size()))))
        for piece in rows.iter_slices(at_once):
            self._queue(piece.to_dicts())
        for partition in self._partitions() if puncts.height else ():
            for piece in puncts.iter_slices(_PIECE_ROWS):
                self._queue(piece.to_dicts(), partition)

    def _queue(self, messages: list[dict[str, Any]], partition: int = -1) -> None:
        """Give messages to the client when it has sent nearly all that it has got before."""
        while len(self._producer) > _PIECE_ROWS:
            self._producer.poll(0.05)
        if self._producer.produce_batch(self.topic, messages, partition) < len(messages):
            raise KafkaException(next(message["_error"] for message in messages if "_error" in message))

    def _partitions(self) -> Sequence[int]:
        """The partitions that the topic has now."""
        topic = self._producer.list_topics(self.topic, self._patience).topics[self.topic]
        if topic.error is not None:
            raise KafkaException(topic.error)
        return sorted(topic.partitions)

    def _is_sent(self, batch: int) -> bool:
        """Whether the topic has a batch that is done again, and an error when that cannot be told."""
        noted, token, topic = self._noted()
        with self._consumer() as consumer:
            (last,) = self._patiently(partial(consumer.committed, [TopicPartition(topic, 0)], _STEP))
        if last.error is not None:
            raise KafkaException(last.error)
        if last.offset > batch + 1 or (last.offset == batch + 1 and (noted, token) != (batch, last.metadata)):
            detail = f"the checkpoint is at batch {batch}, and batch {last.offset - 1} is in the topic {topic} already"
            hint = "use the newest checkpoint of the query, or start with a new checkpoint and a new topic"
            raise QueryError("another process has gone on with this query", detail, hint)
        if last.offset == _NO_OFFSET and noted != batch:
            self._transaction([], batch, "")
        elif last.offset == _NO_OFFSET:
            detail = f"the offset of the consumer group {self._name}, which would tell, is gone"
            hint = f"look into the topic; when batch {batch} is not there, delete {self._note_path}"
            hint += "; else start with a new checkpoint and a new topic"
            raise QueryError(f"it is not known whether batch {batch} is in the topic {topic}", detail, hint)
        return bool(last.offset == batch + 1)

    def _noted(self) -> tuple[int, str, str]:
        """The batch that has been sent last, or would have been, its token, and the topic."""
        if not self._note_path.exists():
            return -1, "", self.topic
        known = json.loads(read_sealed(self._note_path))
        return known["batch"], known["token"], known["topic"]

    def _write_note(self, batch: int, token: str) -> None:
        write_sealed(self._note_path, json.dumps({"batch": batch, "token": token, "topic": self.topic}))

    def _cause(self, error: KafkaError) -> KafkaError:
        """Why something has taken too long, when the client has said so."""
        with suppress(RuntimeError):  # it is closed
            self._producer.poll(0)
        return self._refusal if self._refusal is not None and error.code() in _TOO_LONG else error

    def _failure(self, what: str, error: KafkaError) -> QueryError:
        return failure(what, self._cause(error), self._options)


_PASSING = (
    KafkaError.NOT_COORDINATOR,
    KafkaError.COORDINATOR_NOT_AVAILABLE,
    KafkaError.COORDINATOR_LOAD_IN_PROGRESS,
    KafkaError.UNSTABLE_OFFSET_COMMIT,
    KafkaError._TIMED_OUT,
    KafkaError._TRANSPORT,
)
"""What a broker says that has just been started."""
_TOO_LONG = (KafkaError._TIMED_OUT, KafkaError._MSG_TIMED_OUT, KafkaError._TRANSPORT, KafkaError._STATE)
_REFUSED = (
    KafkaError._AUTHENTICATION,
    KafkaError._SSL,
    KafkaError.TOPIC_AUTHORIZATION_FAILED,
    KafkaError.GROUP_AUTHORIZATION_FAILED,
    KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
    KafkaError.CLUSTER_AUTHORIZATION_FAILED,
    KafkaError.UNKNOWN_TOPIC_OR_PART,
    KafkaError._UNKNOWN_TOPIC,
    KafkaError._UNKNOWN_PARTITION,
    KafkaError.MSG_SIZE_TOO_LARGE,
)
"""What is the same when it is tried again."""
