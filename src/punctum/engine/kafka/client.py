"""The configuration of a client of Kafka: the options of a stream or a sink in, those of librdkafka out."""

from collections.abc import Mapping

from punctum.parse.ddl.options import CLIENT


def configuration(options: Mapping[str, str]) -> dict[str, str]:
    """The configuration for the options of a stream or a sink.

    >>> configuration({"brokers": "localhost:9092", "topic": "bid", "kafka.security.protocol": "ssl"})
    {'bootstrap.servers': 'localhost:9092', 'security.protocol': 'ssl'}
    """
    passed = {name.removeprefix(CLIENT): value for name, value in options.items() if name.startswith(CLIENT)}
    return {"bootstrap.servers": options["brokers"]} | passed
