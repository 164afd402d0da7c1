"""The other end of a connection in a test: a script that talks in a thread."""

import socket
import threading
from contextlib import contextmanager

LONG = 30.0  # seconds that nothing takes


@contextmanager
def peer(talk):
    """A connection whose other end is served by ``talk(file)`` in a thread."""
    ours, theirs = socket.socketpair()
    theirs.settimeout(LONG)
    problems = []

    def serve():
        try:
            with theirs, theirs.makefile("rwb") as file:
                talk(file)
        except (BrokenPipeError, ConnectionResetError):  # the player has gone
            pass
        except BaseException as problem:
            problems.append(problem)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield ours
    finally:
        ours.close()
        thread.join(LONG)
    assert not problems
