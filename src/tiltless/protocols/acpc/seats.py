"""Players at our ACPC dealer: programs behind sockets, and agents in this process.

The dealer listens on one port for each seat, lets the players in one after the other, and reads
their versions. Lines and memory are bounded whatever a player sends.
"""

import select
import socket
import time
from collections import deque
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Protocol

from tiltless.errors import OptionError
from tiltless.protocols.acpc.wire import LONGEST_LINE, version_problem
from tiltless.protocols.adapter import Adapter, Lines
from tiltless.validate import shortened

__all__ = ["AgentSeat", "DealerSeat", "SeatError", "SocketSeat", "listen", "seat_players"]

_SENDING = 60.0  # seconds until a player that does not read is given up


class SeatError(Exception):
    """A player is late or gone, which ends the match; it does not leave the dealer."""


class DealerSeat(Protocol):
    """Somebody who plays at the dealer."""

    def send(self, line: str) -> None:
        """Send a line, which comes without its end; `SeatError` if that is not possible."""
        ...

    def receive(self, seconds: float) -> str:
        """The next line, without its end; `SeatError` if none comes in time."""
        ...


class SocketSeat:
    """A program behind a socket."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._lines = Lines(LONGEST_LINE)
        self._waiting: deque[str] = deque()

    def send(self, line: str) -> None:
        """Send a line."""
        try:
            self._connection.settimeout(_SENDING)
            self._connection.sendall(line.encode() + b"\r\n")
        except OSError as problem:
            raise SeatError(f"could not send state: {problem.strerror or problem}") from None

    def receive(self, seconds: float) -> str:
        """The next line."""
        until = time.monotonic() + seconds
        while not self._waiting:
            left = until - time.monotonic()
            if left <= 0:
                raise SeatError(f"no answer within {seconds:.1f} s")
            try:
                self._connection.settimeout(left)
                data = self._connection.recv(65_536)
            except TimeoutError:
                continue
            except OSError as problem:
                raise SeatError(f"the connection is lost: {problem.strerror or problem}") from None
            if not data:
                raise SeatError("the connection was closed")
            self._waiting.extend(self._lines.feed(data))
        return self._waiting.popleft()


class AgentSeat:
    """An agent in this process, over the same lines."""

    def __init__(self, adapter: Adapter[str, str]) -> None:
        self.adapter = adapter
        self._answer: str | None = None

    def send(self, line: str) -> None:
        """Let the agent read a line, and answer it if it must."""
        self._answer = self.adapter.receive(line)

    def receive(self, seconds: float) -> str:
        """The answer to the last line."""
        answer, self._answer = self._answer, None
        if answer is None:
            raise SeatError("the agent has no answer")
        return answer


def listen(ports: Sequence[int], host: str, stack: ExitStack) -> list[socket.socket]:
    """A listening socket for each port, 0 for any free one; they are closed with the stack."""
    servers = []
    for port in ports:
        try:
            family = socket.AF_INET6 if ":" in host else socket.AF_INET
            server = socket.create_server((host, port), family=family)
        except (OSError, OverflowError, UnicodeError) as problem:
            why = getattr(problem, "strerror", None) or problem
            raise OptionError(
                f"cannot listen on {host} port {port}: {why}; choose another port, or 0"
            ) from None
        servers.append(stack.enter_context(server))
    return servers


def seat_players(
    servers: Sequence[socket.socket], stack: ExitStack, seconds: float | None = None
) -> list[SocketSeat]:
    """Let a player in at each socket, in their order, and read its version.

    seconds: for all of them together; None to wait for ever.  `SeatError` if a player does not come
    or speaks another version.
    """
    until = None if seconds is None else time.monotonic() + seconds
    seats = []
    for number, server in enumerate(servers, 1):
        if not select.select([server], [], [], _left(until))[0]:
            raise SeatError(f"timed out waiting for seat {number} to connect")
        connection, _ = server.accept()
        stack.enter_context(connection)
        server.close()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        seats.append(SocketSeat(connection))
    for number, seat in enumerate(seats, 1):
        left = _left(until)
        try:
            problem = version_problem(seat.receive(1e9 if left is None else left))
        except SeatError as gone:
            problem = f"could not read version string: {gone}"
        if problem:
            raise SeatError(f"seat {number}: {shortened(problem)}")
    return seats


def _left(until: float | None) -> float | None:
    return None if until is None else max(until - time.monotonic(), 0.0)
