"""What brokers say of a topic: its partitions, and where each begins and ends. They may be gone for a while."""

import time
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any

from punctum.errors import MissingError, QueryError
from punctum.ir.references import hidden

if TYPE_CHECKING:
    from confluent_kafka.admin import AdminClient

PATIENCE = 60.0
"""So many seconds brokers may be gone before a query fails."""
FIRST = 10.0
"""So many seconds it may take to reach them when a new query starts."""
SURE = 3.0
"""So many seconds a broker may not know a topic: one that has just started knows none."""
_REFRESH = 5.0
_PAUSE = 0.05
_ASKED = 10.0
_LISTEN = 0.2

Ends = dict[int, tuple[int, int]]
"""Where each partition begins, and where it ends: behind the last message that is committed."""


def confluent() -> Any:
    """The package of Kafka's client, or an error that says how to have it."""
    try:
        import confluent_kafka
        import confluent_kafka.admin
    except ImportError as error:
        hint = "pip install 'punctum[kafka]'"
        raise QueryError("the package confluent-kafka is missing", f"topics are read with it: {error}", hint) from None
    return confluent_kafka


def silent(_: object) -> None:
    """What a client does with what it would log: its errors are raised where they matter."""


class Brokers:
    """The brokers of one topic."""

    identity = ""
    """What tells the topic from another of the same name, once its brokers have been asked."""

    def __init__(self, stream: str, options: Mapping[str, str], patience: float = PATIENCE) -> None:
        self._stream, self._options, self._patience = stream, options, patience
        self._partitions: tuple[float, list[int]] = 0.0, []
        self._last: tuple[float, Ends] = 0.0, {}
        self._refusal: Any = None

    def ends(self) -> Ends:
        """Where each partition begins and ends by now, or was a moment ago."""
        asked, known = self._last
        if not known or time.monotonic() > asked + _PAUSE:
            known = self._patiently()
            self._last = time.monotonic(), known
        return known

    def _patiently(self) -> Ends:
        """Ask, and ask again when brokers are gone or about to change their minds."""
        kafka, begun = confluent(), time.monotonic()
        while True:
            self._refusal = None
            try:
                return self._ask()
            except kafka.KafkaException as error:
                self._partitions = 0.0, []
                cause, waited = self._cause(error.args[0]), time.monotonic() - begun
                sure = cause.code() in {*unknown(), kafka.KafkaError._SSL}
                limit = 0.0 if cause.code() in final() else SURE if sure else self._patience
                if waited >= min(limit, self._patience):
                    raise unreachable(self._stream, self._options, cause) from None
            time.sleep(_PAUSE)

    def _hear(self, error: Any) -> None:
        """Remember what the client says by itself: why an answer does not come."""
        if self._refusal is None or error.code() != confluent().KafkaError._ALL_BROKERS_DOWN:
            self._refusal = error

    def _cause(self, error: Any) -> Any:
        known = confluent().KafkaError
        return (
            self._refusal
            if self._refusal is not None and error.code() in (known._TIMED_OUT, known._TRANSPORT)
            else error
        )

    def _answer(self, asked: "Future[Any]") -> Any:
        """What comes of a question; one is not waited for when a broker has refused to talk and no other answers."""
        refused, begun = {*final(), confluent().KafkaError._SSL}, time.monotonic()
        while True:
            with suppress(TimeoutError):
                return asked.result(_LISTEN)
            self._admin.poll(0)
            if self._refusal is not None and self._refusal.code() in refused and time.monotonic() > begun + SURE:
                raise confluent().KafkaException(self._refusal)

    def _ask(self) -> Ends:
        kafka, topic = confluent(), self._options["topic"]
        places = [kafka.TopicPartition(topic, p) for p in self._known_partitions()]
        committed = kafka.IsolationLevel.READ_COMMITTED
        lows, highs = (
            self._admin.list_offsets(dict.fromkeys(places, spec), isolation_level=committed, request_timeout=_ASKED)
            for spec in (kafka.admin.OffsetSpec.earliest(), kafka.admin.OffsetSpec.latest())
        )
        asked = {p.partition: (self._answer(lows[p]), self._answer(highs[p])) for p in places}
        return {partition: (low.offset, high.offset) for partition, (low, high) in asked.items()}

    def _known_partitions(self) -> list[int]:
        """The partitions of the topic; new ones are found some seconds later."""
        asked, known = self._partitions
        if not known or time.monotonic() > asked + _REFRESH:
            topic = self._options["topic"]
            wanted = confluent().TopicCollection([topic])
            answer = self._answer(self._admin.describe_topics(wanted, request_timeout=_ASKED)[topic])
            known, self.identity = sorted(partition.id for partition in answer.partitions), str(answer.topic_id)
            self._partitions = time.monotonic(), known
        return known

    @cached_property
    def _admin(self) -> "AdminClient":
        from punctum.engine.kafka.client import configuration  # here: who reads no topic need not wait for it

        admin: AdminClient = confluent().admin.AdminClient(
            {"log_level": 0, **configuration(self._options), "error_cb": self._hear}
        )
        return admin


def final() -> set[int]:
    """The errors that do not pass by themselves, as those of brokers that are gone do."""
    error = confluent().KafkaError
    refused = {error.TOPIC_AUTHORIZATION_FAILED, error.CLUSTER_AUTHORIZATION_FAILED, error.SASL_AUTHENTICATION_FAILED}
    return {*refused, error._AUTHENTICATION, error._INVALID_ARG, error._UNSUPPORTED_FEATURE}


def unknown() -> set[int]:
    """The errors of topics that are not there."""
    error = confluent().KafkaError
    return {error.UNKNOWN_TOPIC_OR_PART, error._UNKNOWN_TOPIC, error._UNKNOWN_PARTITION}


def unreachable(stream: str, options: Mapping[str, str], cause: Any) -> MissingError:
    """The error for what brokers, or their absence, have to say."""
    topic = options["topic"]
    if cause.code() in unknown():
        hint = "create it, or fix the name; after it was deleted, start with a new checkpoint"
        return MissingError(f"the topic {topic} of {stream} does not exist", cause.str(), hint)
    from punctum.engine.kafka.client import hint_of  # here: who reads no topic need not wait for it

    detail = f"{options['brokers']}: {hidden(cause.str(), options)}"
    hint = hint_of(cause) or "look whether the brokers run, and whether they let you in"
    return MissingError(f"the topic {topic} of {stream} cannot be read", detail, hint)
