"""Errors show the line of a script without what is secret in it, and the underline stays where it was."""

from pathlib import Path

import pytest

from punctum.analyse.report.text import admit
from punctum.analyse.safety.register import verdict
from punctum.compile import compile
from punctum.errors import PunctumError, QueryError, SqlError, masked
from punctum.ir.references import hidden, resolved
from punctum.parse import parse_script

HIDDEN = "hunter2"


@pytest.mark.parametrize(
    "written",
    [
        f"url 'postgresql://me:{HIDDEN}@db:5432/a'",
        f"url 'postgresql://me:{HIDDEN}@x@db/a?b=c'",
        f"url 'postgresql://db/a?user=me&password={HIDDEN}&x=1'",
        f"url 'host=db password={HIDDEN} user=me'",
        f"password '{HIDDEN}'",
        f'PASSWORD = "{HIDDEN}"',
        f"'fs.s3a.secret.key'   '{HIDDEN}'",
        f"`apiKey` '{HIDDEN}''s'",
        f"sslpassword '{HIDDEN}",
        f"token '{HIDDEN}\n{HIDDEN}'",
        f"kafka.sasl.password '{HIDDEN}'",
        f"kafka.security.protocol 'SASL_PLAINTEXT', kafka.ssl.key.password '{HIDDEN}'",
        f"kafka.sasl.jaas.config 'org.apache required password=\"{HIDDEN}\";'",
        f"'kafka.ssl.key.pem' '-----BEGIN\n{HIDDEN}'",
        f"password '${{env:A}}{HIDDEN}'",
    ],
)
def test_a_secret_is_not_shown(written: str) -> None:
    for rest in (") nonsense;", ", ;", " 'more');"):
        with pytest.raises(PunctumError) as caught:
            parse_script(f"CREATE SINK o USING postgres OPTIONS (table 'o', {written}{rest}")
        assert HIDDEN not in str(caught.value)
    assert len(masked(written)) == len(written) and masked(written).count("\n") == written.count("\n")


def test_a_secret_where_something_else_must_stand_is_not_shown() -> None:
    with pytest.raises(PunctumError) as caught:
        parse_script(f"CREATE SINK o USING 'postgresql://me:{HIDDEN}@db/a'")
    assert HIDDEN not in str(caught.value) and "postgresql" in str(caught.value)


def test_a_refused_query_shows_no_secret() -> None:
    sql = (
        "CREATE STREAM s (k BIGINT, token STRING) USING json OPTIONS (path 'in');CREATE SINK o USING postgres OPTIONS "
        f"(table 'o', url 'host=db password={HIDDEN}'); "
        f"INSERT INTO o SELECT DISTINCT k, token FROM s WHERE token = '{HIDDEN}';"
    )
    with pytest.raises(PunctumError) as caught:
        admit(verdict(parse_script(sql)), sql)
    lines = str(caught.value).splitlines()
    at = next(i for i, line in enumerate(lines) if line.strip().startswith("1 |"))
    assert HIDDEN not in lines[at] and "SELECT DISTINCT k" in lines[at]
    under = lines[at + 1]
    assert lines[at][under.index("^") : under.rindex("^") + 1].startswith("SELECT DISTINCT k")


@pytest.mark.parametrize("plain", ["key 'itemid'", "KEY (a, b)", "path 'in/item:7@x'", "SELECT passwords FROM users"])
def test_what_is_no_secret_is_shown(plain: str) -> None:
    assert masked(plain) == plain


SINK = "CREATE SINK o USING kafka OPTIONS (brokers 'b', topic 't', {});"
QUERY = "CREATE STREAM s (k BIGINT) USING memory; {} INSERT INTO o SELECT k FROM s;"


def test_what_a_value_refers_to(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SOME_PASSWORD", HIDDEN)
    for content in (f"{HIDDEN}\n", HIDDEN, f"{HIDDEN}\r\n"):
        (tmp_path / "p w").write_text(content, newline="")
        assert resolved(f"${{file:{tmp_path}/p w}}") == HIDDEN
    assert resolved("a${env:SOME_PASSWORD}b$${env:SOME_PASSWORD}") == f"a{HIDDEN}b${HIDDEN}"
    assert resolved("${SOME_PASSWORD} $a {env:SOME_PASSWORD}") == "${SOME_PASSWORD} $a {env:SOME_PASSWORD}"
    options = {"password": "${env:SOME_PASSWORD}", "kafka.sasl.jaas.config": "literal-one", "topic": "t"}
    assert hidden(f"{HIDDEN} literal-one t", options) == "${env:SOME_PASSWORD} *** t"


@pytest.mark.parametrize(
    ("option", "shown", "says"),
    [
        ("password '${env:NO_SUCH_NAME}'", "${env:NO_SUCH_NAME}", "the environment variable NO_SUCH_NAME is not set"),
        (
            "user 'me', password '${file:/no/such}'",
            "${file:/no/such}",
            "the file /no/such cannot be read: No such file",
        ),
        ("kafka.sasl.password 'a${env:NO_SUCH_NAME}'", "", "the environment variable NO_SUCH_NAME is not set"),
    ],
)
def test_what_is_not_there_is_told_with_its_place(option: str, shown: str, says: str) -> None:
    (query,) = compile(QUERY.format(SINK.format(option))).queries
    with pytest.raises(SqlError, match="of o cannot be resolved") as caught:
        query.check_references()
    assert says in caught.value.detail
    *_, text, carets = str(caught.value).splitlines()
    assert carets.count("^") == len(shown or "${env:NO_SUCH_NAME}")
    if shown:
        assert text[carets.index("^") :].startswith(shown)
    else:
        assert "NO_SUCH" not in text, "a value that is more than a reference is masked as a whole"
    with pytest.raises(QueryError, match="cannot be resolved"):
        resolved("${env:NO_SUCH_NAME}")


@pytest.mark.parametrize(
    ("option", "error"),
    [
        ("password '${vault:a/b}'", "${vault:…} in password of o is not a reference"),
        ("password '${env:A-B}'", "${env:…} in password of o is not a reference"),
        ("kafka.ssl.ca.location '${file:relative}'", "${file:…} in kafka.ssl.ca.location of o is not a reference"),
        ("key '${env:HOME}'", "key of o takes no reference"),
        ("kafka.transactional.id 'a'", "kafka.transactional.id of o cannot be set"),
        ("KAFKA.Group.ID 'a'", "of o cannot be set"),
        ("kafka.acks 0", "of o cannot be set"),
        ("format 'avro'", "format of o is 'avro'"),
        ("elements true", "the sink o has no option elements"),
    ],
)
def test_options_that_are_refused(option: str, error: str) -> None:
    with pytest.raises(SqlError) as caught:
        parse_script(SINK.format(option))
    assert error in caught.value.what
    with pytest.raises(SqlError, match="path of s takes no reference"):
        parse_script("CREATE STREAM s (k BIGINT) USING json OPTIONS (path '${env:HOME}/in');")


def test_options_of_librdkafka_are_passed_on() -> None:
    script = parse_script(SINK.format("Kafka.SASL.Mechanism 'PLAIN', 'kafka.ssl.key.location' '/k', kafka.linger.ms 5"))
    passed = {name: value for name, value in script.sinks["o"].options.items() if name.startswith("kafka.")}
    assert passed == {"kafka.sasl.mechanism": "PLAIN", "kafka.ssl.key.location": "/k", "kafka.linger.ms": "5"}
    assert "PLAIN" not in repr(script)
