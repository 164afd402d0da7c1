"""Web clients that misbehave at our servers: whoever plays there notices nothing.

Each kind once in each seat here, 100 times in `make test-slow`. A twin of the server that nobody
disturbs gives the same replies.
"""

import json
import socket
import struct
import threading
import time
from contextlib import contextmanager, suppress

import pytest

from tiltless.agents.registry import make_agent
from tiltless.protocols import http_json
from tiltless.protocols.gtowizard.server import GtoWizardHost, serve_gtowizard
from tiltless.protocols.http_json import LostReplyError, request_json
from tiltless.protocols.slumbot.server import SlumbotHost, serve_slumbot

PATIENCE = 0.05  # seconds in which the server must have a bad client's request
LONG = 20.0
HANDS = 2  # one in each seat


class SlumbotTable:
    """Plays calls; ``answer`` sends a request and returns the reply."""

    path = "/api/act"

    def __init__(self, answer):
        self.answer, self.token = answer, ""
        self.replies = []

    @staticmethod
    def server():
        return serve_slumbot(SlumbotHost(lambda: make_agent("uniform"), 5))

    @staticmethod
    def is_first(reply):
        return "token" in reply

    def bad_bodies(self, hand):
        """Requests that are illegal, and such with NaN, all for the hand in play."""
        token = self.token
        illegal = ["b1", "b99999", "kk", "q", "", None, [], {"k": 1}, "f/f", "x" * 5000]
        nan = ["bNaN", float("nan"), float("inf"), "b1e400", "b-5"]
        return (
            [("POST", self.path, {"token": token, "incr": each}) for each in illegal],
            [("POST", self.path, {"token": token, "incr": each}) for each in nan],
        )

    def play(self, disturb):
        for _ in range(HANDS):
            body = {"token": self.token} if self.token else {}
            reply = self.answer("POST", "/api/new_hand", body)
            self.token = reply.get("token", self.token)
            self.replies.append(reply)
            while "winnings" not in reply:
                disturb(self, None)
                streets = reply["action"].split("/")
                facing = streets[-1][-1:].isdigit() or reply["action"] == ""
                action = {"token": self.token, "incr": "c" if facing else "k"}
                reply = self.answer("POST", self.path, action)
                self.replies.append(reply)


class GtoTable:
    """The same at the server of the benchmark."""

    path = "/hands/1/act"

    def __init__(self, answer):
        self.answer, self.replies = answer, []

    @staticmethod
    def server():
        return serve_gtowizard(GtoWizardHost(lambda: make_agent("uniform"), 5, aivat=False))

    def is_first(self, reply):
        return reply["hand_id"] not in [
            each["hand_id"] for each in self.replies[: self.replies.index(reply)]
        ]

    def bad_bodies(self, hand):
        path = f"/hands/{hand}/act"
        illegal = [
            {"action": "b", "amount": 1},
            {"action": "b", "amount": 10**6},
            {"action": "z"},
            {"action": ["f"]},
            {"amount": 300},
            [],
            "f",
        ]
        nan = [
            {"action": "b", "amount": float("nan")},
            {"action": float("nan")},
            {"action": "b", "amount": float("inf")},
            {"action": "b", "amount": "NaN"},
        ]
        return (
            [("POST", path, each) for each in illegal]
            + [("POST", "/hands/nobody/act", {"action": "f"}), ("GET", "/nothing", {})],
            [("POST", path, each) for each in nan] + [("POST", "/hands/NaN/act", {"action": "f"})],
        )

    def play(self, disturb):
        for _ in range(HANDS):
            reply = self.answer("POST", "/hands", {"game_name": "HUNL 200BB"})
            self.replies.append(reply)
            while not reply["game_state"]["is_hand_over"]:
                disturb(self, reply["hand_id"])
                legal = reply["game_state"]["legal_actions"]
                action = {"action": "k" if "k" in legal else "c"}
                reply = self.answer("POST", f"/hands/{reply['hand_id']}/act", action)
                self.replies.append(reply)


@contextmanager
def running(table):
    with table.server() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.005,))
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join(LONG)


def to(port):
    """Sends a request and reads the reply."""

    def answer(method, path, body):
        found = request_json(f"http://127.0.0.1:{port}{path}", body, {}, LONG, method)
        return json.loads(found)

    return answer


def raw(port, *parts, reset=False):
    """Sends bytes; returns all that comes back until the server has closed the connection."""
    said = b""
    with (
        socket.create_connection(("127.0.0.1", port), timeout=LONG) as connection,
        suppress(BrokenPipeError, ConnectionResetError),
    ):
        for part in parts:
            connection.sendall(part)
        if reset:
            linger = struct.pack("ii", 1, 0)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            return said
        while data := connection.recv(65_536):
            said += data
    return said


HEAD = "POST {} HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n"


def crash(port, table, hand):
    raw(port, HEAD.format(table.path, 400).encode(), b'{"tok', reset=True)


def hang(port, table, hand):
    assert raw(port, HEAD.format(table.path, 400).encode(), b'{"tok') == b""


def flood(port, table, hand):
    raw(port, HEAD.format(table.path, 10_000_000).encode(), b"x" * 10_000_000)
    raw(port, b"y" * 10_000_000)


def slow_loris(port, table, hand):
    sent = 0
    with socket.create_connection(("127.0.0.1", port), timeout=LONG) as connection:
        connection.sendall(f"POST {table.path} HTTP/1.1\r\nX-Slow: ".encode())
        with suppress(BrokenPipeError, ConnectionResetError):
            while sent < 1000:
                connection.sendall(b"x")
                sent += 1
                time.sleep(PATIENCE / 20)
    assert sent < 1000  # it was not waited for


def _each(port, bodies):
    for method, path, body in bodies:
        try:
            reply, status = to(port)(method, path, body), 200
        except LostReplyError as problem:
            reply, status = {}, problem.status
        assert 400 <= status < 500 or list(reply) == ["error_msg"]


def illegal(port, table, hand):
    _each(port, table.bad_bodies(hand)[0])


def nan(port, table, hand):
    _each(port, table.bad_bodies(hand)[1])


BAD = [crash, hang, flood, slow_loris, illegal, nan]
TABLES = [SlumbotTable, GtoTable]


def misbehaves(table, bad, calm, monkeypatch, capsys):
    before, done = threading.active_count(), []

    def disturb(player, hand):
        new = sum(map(player.is_first, player.replies))
        if len(done) < new:  # once in each hand
            done.append(hand)
            with monkeypatch.context() as patient:  # whole requests need longer on a busy machine
                if bad in (hang, slow_loris):
                    patient.setattr(http_json, "_SLOWEST", PATIENCE)
                bad(port, player, hand)

    with running(table) as port:
        player = table(to(port))
        player.play(disturb)
        until = time.monotonic() + LONG
        while threading.active_count() > before + 1 and time.monotonic() < until:
            time.sleep(0.005)
    assert len(done) == HANDS
    assert player.replies == calm.replies
    assert threading.active_count() == before
    assert capsys.readouterr().err == ""  # no traceback of a connection that is gone


@pytest.fixture(scope="module", params=TABLES, ids=lambda table: table.__name__)
def calm(request):
    """A session that nobody disturbs."""
    with running(request.param) as port:
        player = request.param(to(port))
        player.play(lambda table, hand: None)
    assert len(player.replies) > 4
    return player


@pytest.mark.parametrize("bad", BAD)
def test_a_bad_client_disturbs_nobody(calm, bad, monkeypatch, capsys):
    misbehaves(type(calm), bad, calm, monkeypatch, capsys)


@pytest.mark.slow
@pytest.mark.parametrize("bad", BAD)
def test_a_hundred_bad_clients(calm, bad, monkeypatch, capsys):
    for _ in range(100):
        misbehaves(type(calm), bad, calm, monkeypatch, capsys)


def test_more_connections_than_there_is_room_for_are_closed(monkeypatch):
    monkeypatch.setattr(http_json, "_MOST_CONNECTIONS", 2)
    with running(SlumbotTable) as port:
        held = [socket.create_connection(("127.0.0.1", port), timeout=LONG) for _ in range(3)]
        assert held[2].recv(1) == b""
        for each in held:
            each.close()
        until = time.monotonic() + LONG
        while True:
            try:
                assert "token" in to(port)("POST", "/api/new_hand", {})
                return
            except LostReplyError:  # until the server has seen that they are gone
                assert time.monotonic() < until
