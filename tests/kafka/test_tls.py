"""Brokers that want TLS, a user and a password: right options are enough, and of wrong ones it is said why."""

import shutil
import subprocess
from collections.abc import Iterator, Mapping

import pytest

from kafka.broker import Broker
from kafka.topics import new_topic, send
from lanes import long
from punctum.algebra.schema import Schema
from punctum.engine.kafka.broker import Brokers
from punctum.engine.kafka.read import read_range
from punctum.engine.kafka.topics import OffsetRange
from punctum.errors import MissingError
from punctum.operators.columns import to_rows

pytestmark = [
    long,
    pytest.mark.skipif(shutil.which("keytool") is None, reason="keytool, which comes with Java, makes certificates"),
]
RIGHT = "right-password"
_LISTENERS = """
listeners=PLAINTEXT://127.0.0.1:{plain},SSL://127.0.0.1:{ssl},SASL_SSL://127.0.0.1:{sasl},CONTROLLER://127.0.0.1:{control}
advertised.listeners=PLAINTEXT://127.0.0.1:{plain},SSL://127.0.0.1:{ssl},SASL_SSL://127.0.0.1:{sasl}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SSL:SSL,SASL_SSL:SASL_SSL
inter.broker.listener.name=PLAINTEXT
ssl.keystore.location={keystore}
ssl.keystore.password={right}
ssl.keystore.type=PKCS12
sasl.enabled.mechanisms=PLAIN
listener.name.sasl_ssl.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required \\
  user_me="{right}";
"""
Options = dict[str, str]


@pytest.fixture(scope="module")
def options(broker: Broker, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, Options]]:
    """The right options for each way to a broker, and a topic with two numbers."""
    directory = tmp_path_factory.mktemp("tls")
    guarded, (ssl, sasl) = Broker(directory / "broker"), (Broker(directory).address for _ in range(2))
    guarded.start()
    guarded.stop()
    keystore, certificate = directory / "keys.p12", directory / "broker.pem"
    keytool = ["keytool", "-alias", "b", "-keystore", str(keystore), "-storetype", "PKCS12", "-storepass", RIGHT]
    names = ["-dname", "CN=localhost", "-ext", "SAN=dns:localhost,ip:127.0.0.1", "-validity", "30"]
    subprocess.run([*keytool, "-genkeypair", "-keyalg", "EC", *names], check=True, capture_output=True)
    subprocess.run([*keytool, "-exportcert", "-rfc", "-file", str(certificate)], check=True, capture_output=True)
    ports = {"ssl": ssl.rpartition(":")[2], "sasl": sasl.rpartition(":")[2], "plain": guarded.port}
    with (directory / "broker/server.properties").open("a") as properties:
        properties.write(_LISTENERS.format(control=guarded._controller, keystore=keystore, right=RIGHT, **ports))
    guarded.start()
    topic = new_topic(guarded)
    send(guarded, topic, [{"n": 1}, {"n": 2}])
    trusted = {"topic": topic, "kafka.ssl.ca.location": str(certificate)}
    yield {
        "plain": {"topic": topic, "brokers": guarded.address},
        "ssl": {**trusted, "brokers": ssl, "kafka.security.protocol": "SSL"},
        "sasl": {**trusted, "brokers": sasl, "user": "me", "password": RIGHT},
    }
    guarded.stop()


@pytest.mark.parametrize("way", ["plain", "ssl", "sasl"])
def test_the_right_options(options: Mapping[str, Options], way: str) -> None:
    given = options[way]
    assert Brokers("s", given).ends() == {0: (0, 2)}
    pieces = read_range("s", given, Schema.of(n="BIGINT"), OffsetRange(given["topic"], 0, 0, 2))
    assert [row for _, read in pieces for row in to_rows(read.piece.rows)] == [(1,), (2,)]


@pytest.mark.parametrize(
    ("way", "wrong", "detail", "hint"),
    [
        ("ssl", {"kafka.ssl.ca.location": None}, "certificate", "kafka.ssl.ca.location"),
        ("ssl", {"kafka.ssl.ca.location": "/nowhere.pem"}, "ssl.ca.location failed", "begin with kafka."),
        ("sasl", {"password": "wrong-password"}, "Authentication failed", "check the user, the password"),
        ("sasl", {"kafka.sasl.mechanism": "SCRAM-SHA-512"}, "mechanism", "check the user, the password"),
        ("sasl", {"kafka.nosuch": "1"}, "nosuch", "begin with kafka."),
    ],
)
def test_wrong_options_are_told(
    options: Mapping[str, Options], way: str, wrong: Mapping[str, str | None], detail: str, hint: str
) -> None:
    given = {name: value for name, value in {**options[way], **wrong}.items() if value is not None}
    with pytest.raises(MissingError, match="cannot be read") as raised:
        Brokers("s", given, patience=30).ends()
    assert detail in raised.value.detail and hint in raised.value.hint
    assert RIGHT not in str(raised.value) and "wrong-password" not in str(raised.value)
