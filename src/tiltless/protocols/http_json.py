"""JSON over HTTP, for the protocols that are web interfaces: requests, and a small server."""

import contextlib
import io
import json
import os
import socket
import struct
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tiltless.errors import InputError, OptionError
from tiltless.validate import brief, shortened

__all__ = ["LostReplyError", "checked_address", "request_json", "serve_json"]

_LARGEST_REPLY = 1_000_000  # bytes
_LARGEST_REQUEST = 10_000
_SLOWEST = 30.0  # seconds in which a request must arrive, and a reply be taken
_MOST_CONNECTIONS = 200  # at once; more are closed
_RESET = struct.pack("hh" if os.name == "nt" else "ii", 1, 0)  # a peer may still be sending


class LostReplyError(InputError):
    """No reply came, or one that is none; whether the request was applied is not known.

    status: of HTTP, if there was one, else 0.
    """

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


def checked_address(url: str) -> str:
    """An address without a slash at its end; `OptionError` unless it is one of the web."""
    if not url.startswith(("http://", "https://")):
        raise OptionError(f"{brief(url)} is not a web address; write http:// or https://")
    return url.rstrip("/")


def request_json(
    url: str, body: Any, headers: Mapping[str, str], seconds: float, method: str = "POST"
) -> bytes:
    """The body of the reply; `LostReplyError` for a status that is not 2xx, or no whole reply.

    seconds: in which all of it must come, however slowly its bytes do.
    """
    data = None if method == "GET" else json.dumps(body).encode()
    request = urllib.request.Request(
        url, data, {"Content-Type": "application/json", **headers}, method=method
    )
    try:
        with _deadline(seconds) as opener, opener.open(request, timeout=seconds) as reply:
            found: bytes = reply.read(_LARGEST_REPLY + 1)
    except urllib.error.HTTPError as problem:
        with problem:
            raise LostReplyError(f"HTTP status {problem.code}", problem.code) from None
    except (OSError, ValueError, HTTPException) as problem:
        why = shortened(str(getattr(problem, "reason", problem)))
        raise LostReplyError(f"no reply: {why}") from None
    if len(found) <= _LARGEST_REPLY and reply.length:
        raise LostReplyError(f"no reply: {reply.length:,} bytes of it are missing")
    if len(found) > _LARGEST_REPLY:
        raise LostReplyError(f"a reply of more than {_LARGEST_REPLY:,} bytes")
    return found


@contextlib.contextmanager
def _deadline(seconds: float) -> Iterator[urllib.request.OpenerDirector]:
    """Opens addresses; its connections are shut down after some seconds.

    The time limit of a socket is for each part that arrives, so one byte now and then would hold a
    client forever.
    """
    sockets: list[socket.socket] = []
    late = threading.Event()

    def shut_down() -> None:
        late.set()
        for each in sockets:
            with contextlib.suppress(OSError):
                each.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
                each.shutdown(socket.SHUT_RDWR)

    class Plain(HTTPConnection):
        def connect(self) -> None:
            super().connect()
            sockets.append(self.sock)

    class Encrypted(HTTPSConnection):
        def connect(self) -> None:
            super().connect()
            sockets.append(self.sock)

    class Http(urllib.request.HTTPHandler):
        def http_open(self, req: urllib.request.Request) -> Any:
            return self.do_open(Plain, req)

    class Https(urllib.request.HTTPSHandler):
        def https_open(self, req: urllib.request.Request) -> Any:
            return self.do_open(Encrypted, req)

    timer = threading.Timer(seconds, shut_down)
    timer.start()
    try:
        yield urllib.request.build_opener(Http, Https)
        if late.is_set():
            raise TimeoutError(f"not complete after {seconds:g} s")
    finally:
        timer.cancel()
        timer.join()


Answer = Callable[[str, str, Mapping[str, str], Any], tuple[int, Any]]
"""Method, path, headers (lower case) and JSON of a request to status and JSON of the reply."""


def serve_json(answer: Answer, error: str, address: str = "127.0.0.1", port: int = 0) -> Any:
    """An HTTP server, not yet running: call ``serve_forever``, and ``server_close`` at the end.

    error: the key of messages about requests that are no JSON.  A request that is not complete in
    time, however slowly its bytes come, is dropped with its connection.
    """

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self) -> None:
            """Read through a `_TimedReader`."""
            super().setup()
            self.rfile.close()
            self.timed = _TimedReader(self.connection)
            self.rfile = io.BufferedReader(self.timed)

        def handle_one_request(self) -> None:
            """One request, and its time."""
            self.timed.begin(_SLOWEST)
            with contextlib.suppress(OSError):  # a client that is gone, which nobody need hear of
                super().handle_one_request()
                return
            self.close_connection = True

        def do_GET(self) -> None:
            """A request without a body."""
            self._send(*answer("GET", self.path, self._named(), {}))

        def do_POST(self) -> None:
            """A request with a JSON body of a bounded length."""
            try:
                length = int(self.headers.get("Content-Length", ""))
            except ValueError:
                length = -1
            if not 0 <= length <= _LARGEST_REQUEST:
                self.close_connection = True
                self._send(413, {error: f"send a body of at most {_LARGEST_REQUEST} bytes"})
                return
            try:
                body = json.loads(self.rfile.read(length) or b"{}")
            except (ValueError, RecursionError):
                self._send(400, {error: "the body is not JSON"})
                return
            self._send(*answer("POST", self.path, self._named(), body))

        def _named(self) -> dict[str, str]:
            return {name.lower(): value for name, value in self.headers.items()}

        def _send(self, status: int, reply: Any) -> None:
            data = json.dumps(reply).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  (its name there)
            """Nothing is written for each request."""

    return _Server((address, port), Handler)


class _TimedReader(io.RawIOBase):
    """Reads from a socket; `TimeoutError` after the time of a request, and not of each part."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._until = 0.0

    def begin(self, seconds: float) -> None:
        """A request begins."""
        self._until = time.monotonic() + seconds

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """At most as many bytes as fit; 0 at the end."""
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._connection.settimeout(left)
        return self._connection.recv_into(buffer)


class _Server(ThreadingHTTPServer):
    """A thread for each connection, of which there is a limit."""

    def __init__(self, *arguments: Any) -> None:
        self._room = threading.BoundedSemaphore(_MOST_CONNECTIONS)
        super().__init__(*arguments)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection, or close it if there are too many."""
        if self._room.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """In the thread of a connection."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._room.release()
