"""Secrets of connections: used, and in nothing that a run leaves behind, whatever it says of a failure."""

import base64
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from pgserver import get_server  # type: ignore[attr-defined]

from kafka.broker import Broker
from kafka.topics import new_topic, send, sent
from lanes import PATIENCE, long

RIGHT, LITERAL, OTHER, WRONG = "s3cr3t-of-env", "lit3ral-of-script", "s3cr3t-of-file", "wr0ng-s3cr3t"
SCRIPT = """
CREATE STREAM bid (itemid BIGINT, increase DOUBLE, PUNCTUATED ON (itemid)) USING kafka OPTIONS (
  brokers '{brokers}', topic '{bids}', user 'me', password '${{env:KAFKA_SECRET}}',
  kafka.security.protocol 'SASL_PLAINTEXT', kafka.ssl.key.password '{literal}'
);
CREATE SINK closing USING kafka OPTIONS (
  brokers '{brokers}', topic '{topic}', user 'me', password '${{env:KAFKA_SECRET}}',
  kafka.security.protocol 'SASL_PLAINTEXT', kafka.ssl.key.password '{literal}'
);
CREATE SINK total USING postgres OPTIONS (url '{url}', table 'total', password '${{file:{file}}}');
CREATE SINK other USING postgres OPTIONS (url '{url}', table 'other', password '{literal}');
INSERT INTO closing SELECT itemid, SUM(increase) AS total FROM bid GROUP BY itemid;
INSERT INTO total SELECT itemid, SUM(increase) AS total FROM bid GROUP BY itemid;
INSERT INTO other SELECT itemid, increase FROM bid;
"""
_LISTENER = """
listeners=PLAINTEXT://127.0.0.1:{port},SASL_PLAINTEXT://127.0.0.1:{sasl},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{port},SASL_PLAINTEXT://127.0.0.1:{sasl}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT
inter.broker.listener.name=PLAINTEXT
sasl.enabled.mechanisms=PLAIN
listener.name.sasl_plaintext.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required \\
  user_me="{right}" user_guest="{right}";
authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
super.users=User:ANONYMOUS;User:me
"""


@pytest.fixture(scope="module")
def guarded(broker: Broker, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Broker, str]]:
    """A broker that asks for a password at a second address."""
    directory, helper = tmp_path_factory.mktemp("guarded"), Broker(tmp_path_factory.mktemp("none"))
    guarded = Broker(directory).start()
    guarded.stop()
    ports = {"port": guarded.port, "sasl": helper.port, "controller": guarded._controller}
    with (directory / "server.properties").open("a") as properties:
        properties.write(_LISTENER.format(right=RIGHT, **ports))
    guarded.start()
    yield guarded, helper.address
    guarded.stop()


def forms(secret: str) -> list[bytes]:
    """A secret as it may stand in a file: as it is, in base64 wherever it begins, in hexadecimal digits, and wide."""
    inside = []
    for before in range(3):
        code = base64.b64encode(b"\0" * before + secret.encode() + b"\0\0")
        inside.append(code[4 if before else 0 : -8])
    return [secret.encode(), *inside, secret.encode().hex().encode(), secret.encode("utf-16-le")]


def leaks(content: bytes) -> list[str]:
    return [secret for secret in (RIGHT, LITERAL, OTHER, WRONG) if any(form in content for form in forms(secret))]


def command(directory: Path, *arguments: str, secret: str | None = RIGHT) -> "subprocess.CompletedProcess[bytes]":
    environment = {name: value for name, value in os.environ.items() if name != "KAFKA_SECRET"}
    environment |= {} if secret is None else {"KAFKA_SECRET": secret}
    done = subprocess.run(
        [sys.executable, "-m", "punctum", *arguments],
        cwd=directory,
        env=environment,
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    assert leaks(done.stdout + done.stderr) == []
    return done


@long
@pytest.mark.command
def test_no_secret_is_in_what_a_run_leaves(
    guarded: tuple[Broker, str], tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    broker, address = guarded
    topic, kept = new_topic(broker), tmp_path_factory.mktemp("kept")
    server = get_server(tmp_path_factory.mktemp("postgres"))
    (kept / "secret").write_text(OTHER + "\n")
    bids = new_topic(broker)
    send(broker, bids, [{"itemid": 17, "increase": 7}, {"$punct": {"itemid": 17}}, b"not a row"])
    named = {"brokers": address, "topic": topic, "bids": bids, "literal": LITERAL}
    named |= {"file": str(kept / "secret"), "url": server.get_uri()}
    script = SCRIPT.format(**named)
    assert leaks(script.encode()) == [LITERAL] and leaks(base64.b64encode(b"x" + RIGHT.encode() + b"yz")) == [RIGHT]
    (tmp_path / "a.sql").write_text(script)
    for arguments in (["check"], ["check", "--json"], ["explain"], ["explain", "--passes"]):
        assert command(tmp_path, *arguments, "a.sql", secret=None).returncode == 0
    running = ["run", "a.sql", "--checkpoint", "state", "--available-now", "--master", "local[1]"]
    missing = command(tmp_path, *running, secret=None)
    assert missing.returncode == 2 and b"the environment variable KAFKA_SECRET is not set" in missing.stderr
    assert b"password '${env:KAFKA_SECRET}'" in missing.stderr and not (tmp_path / "state").exists()
    refused = command(tmp_path, *running, secret=WRONG)
    assert refused.returncode == 2 and b"check the user, the password" in refused.stderr
    done = command(tmp_path, *running)
    assert done.returncode == 0, done.stderr.decode()
    assert [value for _, _, value in sent(broker, topic)] == ['{"itemid":17,"total":7.0}']
    with psycopg.connect(server.get_uri()) as connection:
        assert connection.execute("SELECT * FROM total").fetchall() == [(17, 7.0)]
    for query in ("closing", "total", "other"):
        command(tmp_path, "state", f"state/{query}")
        command(tmp_path, "quarantine", f"state/{query}")
    (tmp_path / "a.sql").unlink()
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any(path.name == "spark.log" for path in files) and len(files) > 30
    assert {str(path): found for path in files if (found := leaks(path.read_bytes()))} == {}
    server.cleanup()
