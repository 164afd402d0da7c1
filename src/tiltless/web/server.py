"""The server of `tiltless web`: one process, this machine only unless asked otherwise."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

import uvicorn

from tiltless.errors import OptionError
from tiltless.files.folder_lock import FolderLock
from tiltless.web.app import make_app
from tiltless.web.guard import BODY_LIMIT, new_secret

__all__ = ["DEFAULT_PORT", "serve"]

DEFAULT_PORT = 8432
_MOST_CONNECTIONS = 1000
"""Above it every request is answered with 503, until enough connections are closed."""
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def serve(
    folder: Path,
    host: str = "127.0.0.1",
    port: int = DEFAULT_PORT,
    allow_host: str = "",
    ready: Callable[[str], None] = print,
    warm: bool = True,
    watched: Path = Path(),
) -> None:
    """Serve until interrupted.

    folder: where tables are kept.  port: 0 for any free one.  allow_host: the name under which
    others reach this machine; needed for any host but the loopback.  ready: told the address to
    open, with the token in it, once the port listens.  warm, watched: see `make_app`.
    """
    if host not in _LOOPBACK and not allow_host:
        raise OptionError(
            f"host {host!r} lets other machines in; name this one with --allow-host NAME"
        )
    lock = FolderLock(folder)
    lock.take()
    listener = _listen(host, port)
    number = listener.getsockname()[1]
    token = new_secret()
    hosts = frozenset((allow_host.lower(),)) if allow_host else frozenset()
    app = make_app(folder, token, hosts, warm=warm, watched=watched)
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws_max_size=BODY_LIMIT,
        limit_concurrency=_MOST_CONNECTIONS + 1,  # it refuses from this number on
        timeout_graceful_shutdown=1,
    )
    name = allow_host or host
    ready(f"http://{f'[{name}]' if ':' in name else name}:{number}/?token={token}")
    try:
        uvicorn.Server(config).run(sockets=[listener])
    finally:
        lock.give_back()


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family)
    if os.name == "posix":  # on Windows it would let two servers share a port
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as problem:
        listener.close()
        raise OptionError(
            f"port {port} of {host} cannot be used ({problem.strerror}); choose another with --port"
        ) from problem
    listener.listen(1024)
    return listener
