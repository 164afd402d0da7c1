"""Connections to tables of other programs; nothing heavy is imported here.

A player that connects first and loads its agent afterwards is never too late for its table.
"""

import socket
import time
from collections.abc import Callable

from tiltless.errors import OptionError

__all__ = ["STARTING", "connect"]

STARTING = 15.0
"""Seconds that a table may take until it listens, if it is started together with its players."""
_AGAIN = 0.1


def connect(
    host: str,
    port: int,
    seconds: float = 10.0,
    *,
    starting: float = 0.0,
    say: Callable[[str], None] | None = None,
) -> socket.socket:
    """A connection to a table; `OptionError` in one line if there is none.

    starting: seconds for which a refused connection is tried again.  say: called once, with a line
    that says so, when the first try is refused.
    """
    if not 0 < port < 65_536:
        raise OptionError(f"port {port} is not possible; choose 1 to 65535")
    until = time.monotonic() + starting
    try:
        while True:
            try:
                connection = socket.create_connection((host, port), timeout=seconds)
                break
            except ConnectionRefusedError:
                if time.monotonic() >= until:
                    raise
                if say is not None:
                    say(f"waiting up to {starting:g} s for a table at {host} port {port}")
                    say = None
                time.sleep(_AGAIN)
    except (OSError, UnicodeError) as problem:  # UnicodeError: a host that cannot be a name
        why = getattr(problem, "strerror", None) or problem
        raise OptionError(
            f"cannot connect to {host} port {port}: {why}; start the table first"
        ) from None
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection
