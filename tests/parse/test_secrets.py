"""Errors show the line of a script without what is secret in it, and the underline stays where it was."""

import pytest

from punctum.analyse.report.text import admit
from punctum.analyse.safety.register import verdict
from punctum.errors import PunctumError, masked
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
