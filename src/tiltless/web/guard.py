"""Guard: who may talk to the server, how much, and what pages may do.

The server is for the browser of the person who started it. Other pages in that browser can send
requests to it too, so every request is checked (docs/web.md lists the checks):

* the ``Host`` must be ours, which stops a foreign name that resolves to this machine;
* a request that changes something, and the socket, must come from our own pages (``Origin`` or
  ``Sec-Fetch-Site``), or carry the token in a header;
* the session's cookie, which scripts of pages cannot read, or the token in a header;
* bodies are JSON of at most 64 KiB, and each session has a rate, and a lower one for requests that
  take much work.

Answers carry a policy under which a page runs no inline code, loads nothing from elsewhere and is
shown in no frame.
"""

import asyncio
import hashlib
import json
import secrets
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["BODY_LIMIT", "POLICY", "Guard", "cookie_name", "digest", "new_secret"]

BODY_LIMIT = 65536
"""The longest body of a request, in bytes."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
"""The content security policy of every answer."""
_HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
_DEAR = {
    "/api/tables": 1 / 8,
    "/api/drills": 1 / 8,
    "/api/spots": 1 / 80,
    "/api/spots/estimate": 1 / 8,
}
"""POST requests that take much work, with their share of a session's rate."""
_BURST = 10  # of these, at least
_SAFE = frozenset(("GET", "HEAD"))
_TOKEN_HEADER = "x-tiltless-token"
_SCRIPTS = "scripts"  # the owner of what is done by token, which is a new one at each start


def new_secret() -> str:
    """128 random bits as text."""
    return secrets.token_urlsafe(16)


def digest(secret: str) -> str:
    """What is stored instead of a secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


class _Bucket:
    """A token bucket: so many requests a second, after a burst."""

    __slots__ = ("left", "seen")

    def __init__(self, most: float) -> None:
        self.left, self.seen = most, time.monotonic()

    def take(self, rate: float, most: float) -> bool:
        now = time.monotonic()
        self.left = min(most, self.left + (now - self.seen) * rate)
        self.seen = now
        if self.left < 1:
            return False
        self.left -= 1
        return True


class Guard:
    """ASGI middleware with the checks above.

    hosts: allowed names of this server, without port.  token: what the printed address carries.
    known: whether a session, given by its digest, exists.  rate: requests a second of a session,
    after a burst of twice as many.
    The session's digest is left in ``scope["state"]["owner"]``.
    """

    def __init__(
        self,
        app: ASGIApp,
        hosts: frozenset[str],
        token: str,
        known: Callable[[str], bool],
        rate: float,
    ) -> None:
        self.app, self.hosts, self.token, self.known, self.rate = app, hosts, token, known, rate
        self._buckets: dict[str, _Bucket] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request and pass it on, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refused = self._refusal(scope, headers)
        if refused is not None:
            await _refuse(scope, receive, send, *refused)
            return

        begun = scope["type"] == "websocket"

        async def send_with_headers(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                own = MutableHeaders(raw=message["headers"])
                for name, value in _HEADERS.items():
                    own[name] = value
                own.setdefault("cache-control", "no-store")
            await send(message)

        try:
            await self.app(scope, receive, send_with_headers)
        except asyncio.CancelledError:  # the server stops, and this took too long
            if begun:
                raise
            await _refuse(scope, receive, send, 503, "the server is stopping", "start it again")

    def _refusal(self, scope: Scope, headers: Headers) -> tuple[int, str, str] | None:
        """Status, error and remedy if the request is refused; the owner is noted otherwise."""
        host = headers.get("host", "")
        try:
            name = urlsplit(f"//{host}").hostname
        except ValueError:
            name = None
        if name not in self.hosts:
            return 400, "this server does not go by that name", "use the printed address"
        path = scope["path"]
        socket = scope["type"] == "websocket"
        given = headers.get(_TOKEN_HEADER, "")
        by_token = secrets.compare_digest(given.encode(), self.token.encode())
        changes = socket or scope["method"] not in _SAFE
        if changes and not by_token and not _same_origin(headers, host):
            return 403, "requests from other pages are refused", "use the page of this server"
        if not path.startswith("/api"):
            return None
        owner = _SCRIPTS if by_token else self._session(scope, headers)
        if not owner:
            return 401, "no session", "open the address that tiltless web printed"
        if not self._may(owner, self.rate, 2 * self.rate):
            return 429, "too many requests", "wait a second"
        if not socket and scope["method"] == "POST" and path in _DEAR:
            rate = _DEAR[path] * self.rate
            if not self._may(f"{owner} {path}", rate, max(2 * rate, _BURST)):
                return 429, "too many requests of this kind", "wait a few seconds"
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit() and int(length[:9]) <= BODY_LIMIT):
            return 413, "the body is too long", f"send at most {BODY_LIMIT} bytes"
        if changes and not socket and scope["method"] != "DELETE":
            kind = headers.get("content-type", "").partition(";")[0].strip()
            if kind != "application/json":
                return 415, "the body is not JSON", "send application/json"
        scope.setdefault("state", {})["owner"] = owner
        return None

    def _may(self, key: str, rate: float, most: float) -> bool:
        """Whether one more request fits: so many a second after a burst of ``most``."""
        return self._buckets.setdefault(key, _Bucket(most)).take(rate, most)

    def _session(self, scope: Scope, headers: Headers) -> str:
        """The digest of the session's secret; empty if there is none."""
        secret = cookie_parser(headers.get("cookie", "")).get(cookie_name(scope), "")
        owner = digest(secret) if secret else ""
        return owner if owner and self.known(owner) else ""


def cookie_name(scope: Scope) -> str:
    """The session's cookie; servers on other ports of this machine share the jar."""
    return f"tiltless-{scope['server'][1]}"


def _same_origin(headers: Headers, host: str) -> bool:
    origin = headers.get("origin")
    if origin is not None:
        try:
            return urlsplit(origin).netloc == host
        except ValueError:
            return False
    return headers.get("sec-fetch-site") == "same-origin"


async def _refuse(
    scope: Scope, receive: Receive, send: Send, status: int, error: str, remedy: str
) -> None:
    """Answer a request without the application."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008, "reason": error})
        return
    body = json.dumps({"error": error, "remedy": remedy}).encode()
    kind, length = "application/json", str(len(body))
    headers: dict[str, Any] = {"content-type": kind, "content-length": length, **_HEADERS}
    if status == 429:
        headers["retry-after"] = "1"
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": raw})
    await send({"type": "http.response.body", "body": body})
