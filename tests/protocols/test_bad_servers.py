"""Web servers that misbehave, in the middle of a session: hands are dropped, the next is played.

Each kind once for each seat of ours here, 100 times in `make test-slow`. Players that misbehave at
our dealers have theirs in `acpc/test_dealer.py` and `mit/test_engine_bots.py`.
"""

import contextlib
import json
import socket
import threading
import time
from itertools import count

import pytest

from tiltless.agents.registry import make_agent
from tiltless.protocols.gtowizard.client import key_transport, play_gtowizard
from tiltless.protocols.gtowizard.server import GtoWizardHost
from tiltless.protocols.slumbot.client import play_slumbot, web_transport
from tiltless.protocols.slumbot.server import SlumbotHost

PATIENCE = 0.1  # seconds that the client waits for the bad reply
LONG = 20.0  # and for the others: the machine may be busy
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
GARBAGE = b'{"hand_id": NaN, "game_state": NaN, "action": NaN, "client_pos": NaN}'
ILLEGAL = b'{"hand_id": 1, "game_state": {}, "action": "b9", "client_pos": 7}'


def _loris(connection):
    """A byte now and then, until the client has enough."""
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    for _ in range(500):
        connection.sendall(b"X")
        time.sleep(PATIENCE / 10)
    waited_for.append(connection)


waited_for = []  # what a client has read to its end, and must not


BAD = {
    "crash": lambda connection: connection.close(),
    "hang": lambda connection: connection.recv(1),
    "flood": lambda connection: connection.sendall(HEAD % 10_000_000 + b"x" * 10_000_000),
    "slow loris": _loris,
    "illegal": lambda connection: connection.sendall(HEAD % len(ILLEGAL) + ILLEGAL),
    "NaN": lambda connection: connection.sendall(HEAD % len(GARBAGE) + GARBAGE),
}


class Misbehaving:
    """A server whose n-th request is answered badly, once; the rest as ``answer`` does."""

    def __init__(self, answer, bad, nth):
        self.answer, self.bad, self.nth, self.seen = answer, bad, nth, 0
        self.server = socket.create_server(("127.0.0.1", 0))
        self.thread = threading.Thread(target=self._serve)
        self.thread.start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.getsockname()[1]}"

    def _serve(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.server.accept()
                with connection, contextlib.suppress(OSError):
                    connection.settimeout(LONG)
                    self._one(connection)

    def _one(self, connection):
        self.seen += 1
        length = 0
        with connection.makefile("rb") as file:
            first = file.readline().decode()
            while (line := file.readline()) not in (b"\r\n", b""):
                name, _, value = line.partition(b":")
                length = int(value) if name.lower() == b"content-length" else length
            body = file.read(length)
        if self.seen == self.nth:
            self.bad(connection)
            return
        if len(body) < length or not first:  # a client that gave up before it had sent all
            return
        method, path, _ = first.split(" ")
        status, reply = self.answer(method, path, json.loads(body or b"{}"))
        data = json.dumps(reply).encode()
        connection.sendall(
            b"HTTP/1.1 %d x\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s"
            % (status, len(data), data)
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown(socket.SHUT_RDWR)
        self.server.close()
        self.thread.join(10.0)
        assert not self.thread.is_alive()


def hasty(transports, nth):
    """A transport without patience for the n-th request."""
    short, long = transports
    number = count(1)
    return lambda *request: (short if next(number) == nth else long)(*request)


def gtowizard(bad, nth):
    host = GtoWizardHost(lambda: make_agent("fish"), 3, aivat=False)

    def answer(method, path, body):
        return host.answer(method, path, {}, body)

    with Misbehaving(answer, bad, nth) as site:
        send = hasty([key_transport("k", site.url, each) for each in (PATIENCE, LONG)], nth)
        report = play_gtowizard(send, "fish", 3, seed=1, pause=lambda seconds: None)
    assert site.seen > nth
    return report


def slumbot(bad, nth):
    host = SlumbotHost(lambda: make_agent("fish"), 3)

    def answer(method, path, body):
        return host.answer(path.removeprefix("/api/"), body)

    with Misbehaving(answer, bad, nth) as site:
        post = hasty([web_transport(site.url, each) for each in (PATIENCE, LONG)], nth)
        report = play_slumbot(post, "fish", 3, seed=1, pause=lambda seconds: None)
    assert site.seen > nth
    return report


def check(client, kind, nth):
    before = threading.active_count()
    report = client(BAD[kind], nth)
    assert (report.hands, report.broken) == (3, "")
    assert report.lost <= 1
    assert not waited_for
    assert threading.active_count() == before


# a hand of two callers has four or five requests; the second is played from the other seat
CASES = [(client, nth) for client in (gtowizard, slumbot) for nth in (1, 3, 8)]


@pytest.mark.parametrize("kind", BAD)
@pytest.mark.parametrize(("client", "nth"), CASES)
def test_a_bad_reply_costs_at_most_its_hand(client, nth, kind):
    check(client, kind, nth)


@pytest.mark.slow
@pytest.mark.parametrize("kind", BAD)
@pytest.mark.parametrize(("client", "nth"), CASES)
def test_a_hundred_bad_replies(client, nth, kind):
    for _ in range(100):
        check(client, kind, nth)
