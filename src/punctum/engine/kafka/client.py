"""librdkafka: its configuration for a stream or sink, and its errors as ours.

Secrets are resolved here, where a connection is made. What librdkafka says of a connection is shown without them.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from punctum.errors import MissingError, QueryError
from punctum.ir.references import hidden, resolved
from punctum.parse.ddl.options import CLIENT

if TYPE_CHECKING:
    from confluent_kafka import KafkaError

RESUME = "run the same command again to resume"
_LOGIN = "check the user, the password and kafka.sasl.mechanism"
_FENCED = (
    "stop the other process that runs the query with a copy of its checkpoint; "
    "if there is none, a batch took longer than kafka.transaction.timeout.ms"
)
_RIGHTS = "give the user this right"
_HINTS = {
    "_AUTHENTICATION": _LOGIN,
    "SASL_AUTHENTICATION_FAILED": _LOGIN,
    "_INVALID_ARG": f"check the options that begin with {CLIENT}",
    "_SSL": "check kafka.security.protocol and kafka.ssl.ca.location",
    "UNKNOWN_TOPIC_OR_PART": "create the topic",
    "_UNKNOWN_TOPIC": "create the topic",
    "TOPIC_AUTHORIZATION_FAILED": f"{_RIGHTS}: Write and Describe on the topic of a sink, Read on that of a stream",
    "GROUP_AUTHORIZATION_FAILED": f"{_RIGHTS}: Read on groups with the prefix punctum-",
    "TRANSACTIONAL_ID_AUTHORIZATION_FAILED": f"{_RIGHTS}: Write and Describe on transactional ids with punctum-",
    "CLUSTER_AUTHORIZATION_FAILED": _RIGHTS,
    **dict.fromkeys(("_FENCED", "PRODUCER_FENCED", "INVALID_PRODUCER_EPOCH"), _FENCED),
}


def check_library() -> None:
    """An error when there is no librdkafka."""
    try:
        import confluent_kafka  # noqa: F401  here because it comes with an extra of the package
    except ImportError:
        raise MissingError("Kafka needs confluent-kafka", "", "pip install 'punctum[kafka]'") from None


def configuration(options: Mapping[str, str]) -> dict[str, str]:
    """What librdkafka is given for a stream or sink, with its secrets: for a connection, and for nothing else.

    >>> configuration({"brokers": "here:9092", "topic": "bid", "kafka.compression.type": "lz4"})
    {'bootstrap.servers': 'here:9092', 'compression.type': 'lz4'}
    """
    given = {"bootstrap.servers": resolved(options["brokers"])}
    if "user" in options:
        given |= {"security.protocol": "SASL_SSL", "sasl.mechanism": "PLAIN"}
        given |= {"sasl.username": resolved(options["user"]), "sasl.password": resolved(options.get("password", ""))}
    passed = (name for name in options if name.startswith(CLIENT))
    return given | {name.removeprefix(CLIENT): resolved(options[name]) for name in passed}


def failure(what: str, error: "KafkaError", options: Mapping[str, str]) -> QueryError:
    """An error of librdkafka's as one of ours."""
    hint = hint_of(error) or "check the brokers"
    return QueryError(what, hidden(error.str(), options), f"{hint}, then {RESUME}")


def hint_of(error: "KafkaError") -> str | None:
    """What to do about an error of librdkafka's, if it is one that says so."""
    return _HINTS.get(error.name())
