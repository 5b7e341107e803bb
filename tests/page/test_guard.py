"""Who may ask the page, and what it tells browsers."""

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from page.serving import ask
from punctum.page.serve import LivePage


@pytest.fixture(scope="module")
def shown() -> Iterator[LivePage]:
    with LivePage() as page:
        yield page


def test_whoever_has_the_address_is_answered(shown: LivePage) -> None:
    host = urlsplit(shown.address).netloc
    assert host.startswith("127.0.0.1:")
    assert ask(shown, "api")[0] == 200
    assert ask(shown, "api", {"Host": host.replace("127.0.0.1", "localhost")})[0] == 200
    assert ask(shown, "api", {"Host": host, "Origin": f"http://{host}", "Sec-Fetch-Site": "same-origin"})[0] == 200


@pytest.mark.parametrize("token", ["", "x", "x" * 32, "api", "%00", "%C3%A9"])
def test_another_token_is_refused(shown: LivePage, token: str) -> None:
    status, told, _ = ask(shown, "api", token=token)
    assert (status, "token" in told) == (403, True)


def test_another_token_of_the_same_beginning_is_refused(shown: LivePage) -> None:
    token = urlsplit(shown.address).path.strip("/")
    assert ask(shown, "api", token=token)[0] == 200
    for other in (token[:-1], token + "x", token[:-1] + ("a" if token[-1] != "a" else "b")):
        assert ask(shown, "api", token=other)[0] == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "evil.example:{port}"},
        {"Host": "127.0.0.1"},
        {"Host": "127.0.0.1:1"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "https://127.0.0.1:{port}"},
        {"Origin": "http://127.0.0.1:{port}.evil.example"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"},
    ],
)
def test_another_site_is_refused(shown: LivePage, headers: dict[str, str]) -> None:
    """A name elsewhere that leads to this machine, and a site that makes a browser ask."""
    port = str(urlsplit(shown.address).port)
    given = {name: value.replace("{port}", port) for name, value in headers.items()}
    for path in ("", "api", "api/events", "web/page.js"):
        assert ask(shown, path, given)[0] == 403, path


def test_browsers_run_and_load_nothing_else(shown: LivePage) -> None:
    for path in ("", "api", "web/page.js", "nothing"):
        _, _, headers = ask(shown, path)
        policy = {part.split()[0]: part.split()[1:] for part in headers["content-security-policy"].split(";")}
        assert policy["default-src"] == ["'none'"] and policy["script-src"] == ["'self'"]
        assert policy["frame-ancestors"] == ["'none'"] and policy["base-uri"] == ["'none'"]
        assert headers["x-content-type-options"] == "nosniff" and headers["referrer-policy"] == "no-referrer"
        assert "access-control-allow-origin" not in headers and headers["cache-control"] == "no-store"


def test_the_page_has_no_script_of_its_own(shown: LivePage) -> None:
    """Neither between tags nor in attributes; its style sheets may only be made with a nonce that changes."""
    pages = [ask(shown, "")[1] for _ in range(2)]
    assert pages[0].count("<script") == 1 and "<style" not in pages[0] and " on" not in pages[0].split("<body>")[1]
    nonces = [page.split('name="nonce" content="')[1].split('"')[0] for page in pages]
    assert nonces[0] != nonces[1] and len(nonces[0]) > 16


@pytest.mark.parametrize(
    "path", ["web/..%2Fserve.py", "web/%2e%2e/serve.py", "web/.hidden", "web/none.js", "web/../serve.py"]
)
def test_only_the_files_of_the_page_are_served(shown: LivePage, path: str) -> None:
    assert ask(shown, f"web/{path}")[0] == 404
