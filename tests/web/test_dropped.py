"""Connections lost in the middle of a request: the hand goes on, each action counts once.

Every fourth time the socket of the events is lost as well.
"""

import asyncio
import json
import random
import socket
import struct
from urllib.parse import urlsplit

import pytest

from tiltless.bench import web
from web.conftest import serving
from web.test_tables import run

_RESET = struct.pack("ii", 1, 0)


def request_bytes(host, cookie, path, body):
    data = json.dumps(body).encode()
    head = (
        f"POST {path} HTTP/1.1\r\nhost: {host}\r\norigin: http://{host}\r\ncookie: {cookie}\r\n"
        f"content-type: application/json\r\ncontent-length: {len(data)}\r\n\r\n"
    )
    return head.encode() + data


def drop(host, port, data, rng):
    """Send some of the bytes, or all and read some of the answer, and reset the connection."""
    with socket.create_connection((host, port), timeout=30) as plug:
        whole = rng.random() < 0.7
        plug.sendall(data if whole else data[: rng.randrange(1, len(data))])
        if whole and rng.random() < 0.5:
            plug.recv(rng.choice([1, 10, 200]))
        plug.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)


def drop_events(host, port, cookie, topic):
    """Watch a table, hear of it, and reset the connection."""
    head = (
        f"GET /api/events HTTP/1.1\r\nhost: {host}:{port}\r\norigin: http://{host}:{port}\r\n"
        f"cookie: {cookie}\r\nupgrade: websocket\r\nconnection: Upgrade\r\n"
        "sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    )
    text = json.dumps({"watch": {topic: None}}).encode()
    mask = bytes(4)  # a frame of text; the mask of a client may be anything
    with socket.create_connection((host, port), timeout=30) as plug:
        plug.sendall(head.encode())
        assert plug.recv(4096).startswith(b"HTTP/1.1 101 ")
        plug.sendall(bytes([0x81, 0x80 | len(text)]) + mask + text)
        assert topic.encode() in plug.recv(4096)
        plug.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)


async def lose(address, count, seed):
    """Drop connections in the middle of hands; the number of hands that were finished."""
    rng, parts = random.Random(seed), urlsplit(address)
    player = await web._entered(address)
    host = f"{parts.hostname}:{parts.port}"
    status, answer = await player.ask("POST", "/api/tables", {"opponents": ["fish"]})
    assert status == 201
    data, hands = json.loads(answer), 0
    for number in range(count):
        path, table = f"/api/tables/{data['id']}", data["table"]
        if table["over"]:
            hands += 1
            what, body = "next", {"seq": data["seq"]}
        else:
            what = "actions"
            body = {"seq": data["seq"], "action": "check" if table["actions"]["check"] else "call"}
        drop(
            parts.hostname,
            parts.port,
            request_bytes(host, player.cookie, f"{path}/{what}", body),
            rng,
        )
        if number % 4 == 0:
            await asyncio.to_thread(
                drop_events, parts.hostname, parts.port, player.cookie, f"table:{data['id']}"
            )
        if rng.random() < 0.2:
            player.close()
            player._writer = None
        await asyncio.sleep(3 / 40)  # a session has 40 requests a second
        between = await player.get(path)
        assert between["seq"] in (data["seq"], data["seq"] + 1), number
        cards = table["seats"][table["seat"]]["cards"]
        if what == "actions":
            now = between["table"]
            assert now["seats"][now["seat"]]["cards"] == cards
            assert now["board"][: len(table["board"])] == table["board"]
        status, answer = await player.ask("POST", f"{path}/{what}", body)  # as the page does
        assert status == 200, answer
        after = json.loads(answer)
        assert after["seq"] == data["seq"] + 1
        if between["seq"] == after["seq"]:
            assert between == after
        data = after
    player.close()
    return hands


def lose_and_listen(folder, count, seed):
    """The number of finished hands, and what the server said meanwhile."""
    with serving(folder) as (address, server):
        hands = run(lose(address, count, seed))
        server.terminate()
        return hands, server.stdout.read()


def test_a_lost_connection_loses_no_hand(tmp_path):
    hands, said = lose_and_listen(tmp_path, 12, 1)
    assert hands > 0
    assert "Traceback" not in said


@pytest.mark.slow
def test_a_thousand_lost_connections_lose_no_hand(tmp_path):
    hands, said = lose_and_listen(tmp_path, 1000, 2)
    assert hands > 100
    assert "Traceback" not in said
