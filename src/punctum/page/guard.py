"""Who may ask the page: whoever knows the token of its address, from a browser that was sent to this address.

A site elsewhere can make a browser ask for addresses of this machine, or let its own name lead to it (DNS rebinding).
So the token is the first part of every path, and the Host has to be that of the address, as an Origin has, if there is
one.
"""

from hmac import compare_digest
from secrets import token_urlsafe

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HOSTS = ("127.0.0.1", "localhost")
_SAME = ("same-origin", "none")
POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self' 'nonce-{nonce}'",
    "img-src": "'self'",
    "connect-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
}
"""The Content Security Policy; the nonce is for the style sheets that the editor makes as it goes."""


class PageGuard:
    """Lets requests through that are allowed, without the token in their path, and adds what browsers are to know."""

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        self._app, self._token = app, token
        self._hosts = {f"{host}:{port}" for host in HOSTS}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            return
        nonce = token_urlsafe(16)

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *_headers(nonce)]
            await send(message)

        raw = scope["raw_path"].decode("latin-1")  # as it is written: a name may have a slash
        token, _, path = raw.removeprefix("/").partition("/")
        if refused := self._refused(Headers(scope=scope), token):
            await PlainTextResponse(refused, 403)(scope, receive, sent)
            return
        inside = dict(scope) | {
            "path": f"/{path}",
            "raw_path": f"/{path}".encode(),
            "root_path": "",
            "state": {"nonce": nonce},
        }
        await self._app(inside, receive, sent)

    def _refused(self, headers: Headers, token: str) -> str:
        """Why a request is not allowed; nothing when it is."""
        if headers.get("host", "").lower() not in self._hosts:
            return "this page has another host"
        if (origin := headers.get("origin")) is not None and origin.removeprefix("http://").lower() not in self._hosts:
            return "another site may not ask this page"
        if headers.get("sec-fetch-site", "none") not in _SAME and headers.get("sec-fetch-mode") != "navigate":
            return "another site may not ask this page"
        if not compare_digest(token.encode(), self._token.encode()):
            return "the address is not complete: it ends with a token, as the command has printed it"
        return ""


def _headers(nonce: str) -> list[tuple[bytes, bytes]]:
    policy = "; ".join(f"{name} {value}" for name, value in POLICY.items()).format(nonce=nonce)
    headers = {
        "content-security-policy": policy,
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-resource-policy": "same-origin",
        "cross-origin-opener-policy": "same-origin",
        "cache-control": "no-store",
    }
    return [(name.encode(), value.encode()) for name, value in headers.items()]
