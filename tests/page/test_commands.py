"""The commands of the page: what is wrong is said before it is there, and it needs its extra."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from punctum.cli import cli
from punctum.commands import page as command
from punctum.errors import MissingError, QueryError
from punctum.page import extra
from punctum.page.serve import LivePage


def test_what_is_no_checkpoint_is_an_error(tmp_path: Path) -> None:
    told = CliRunner().invoke(cli, ["page", str(tmp_path)])
    assert isinstance(told.exception, QueryError) and "is not the checkpoint of a query" in str(told.exception)
    assert "page:" not in told.output


def test_without_its_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The demo, which does not need it, goes on without."""
    monkeypatch.setattr(extra, "find_spec", lambda name: None)
    told = CliRunner().invoke(cli, ["page"])
    assert isinstance(told.exception, MissingError) and "punctum[page]" in str(told.exception)
    with command.opened_page(True, False, 0, needed=False) as shown:
        assert shown is None
    with pytest.raises(MissingError), command.opened_page(True, False, 0):
        pass


def test_a_port_that_is_taken_is_an_error() -> None:
    with LivePage() as page:
        port = int(page.address.split(":")[2].split("/")[0])
        with pytest.raises(QueryError, match=f"cannot have port {port}"):
            LivePage(port=port)
    assert not page.open


def test_options_of_a_page_need_one(tmp_path: Path) -> None:
    script = tmp_path / "script.sql"
    script.write_text("CREATE STREAM a (k BIGINT, PUNCTUATED ON (k)) USING json OPTIONS (path 'a');")
    (tmp_path / "a").mkdir()
    for option in (["--control"], ["--page-port", "8080"]):
        told = CliRunner().invoke(cli, ["run", str(script), "--checkpoint", str(tmp_path / "c"), *option])
        assert told.exit_code == 2 and "add --page" in told.output


def test_no_page_is_served_when_none_is_wanted() -> None:
    with command.opened_page(False, False, 0) as shown:
        assert shown is None


def test_the_address_is_told_and_new_each_time(capsys: pytest.CaptureFixture[str]) -> None:
    addresses = []
    for _ in range(2):
        with command.opened_page(True, False, 0) as shown:
            assert shown is not None
            addresses.append(shown.address)
            assert capsys.readouterr().out == f"page: {shown.address}\n"
    assert addresses[0].split("/")[3] != addresses[1].split("/")[3]
