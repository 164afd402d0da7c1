"""The server itself: how many connections it has at most."""

import threading
import time
from contextlib import ExitStack, closing
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest
import uvicorn

from tiltless.web import server

MOST = 5


@pytest.fixture
def small_server(tmp_path, monkeypatch):
    """Host, port and path of a server in a thread that has few connections."""
    told, begun = [], []

    class Kept(uvicorn.Server):
        def __init__(self, config):
            super().__init__(config)
            begun.append(self)

    monkeypatch.setattr(server, "_MOST_CONNECTIONS", MOST)
    monkeypatch.setattr(uvicorn, "Server", Kept)
    options = {"port": 0, "ready": told.append, "warm": False, "watched": tmp_path}
    thread = threading.Thread(target=server.serve, args=(tmp_path,), kwargs=options)
    thread.start()
    while not (begun and begun[0].started):
        assert thread.is_alive()
        time.sleep(0.01)
    address = urlsplit(told[0])
    yield address.hostname, address.port, f"{address.path}?{address.query}"
    begun[0].should_exit = True
    thread.join(30)
    assert not thread.is_alive()


def asked(connection, path):
    connection.request("GET", path)
    answer = connection.getresponse()
    answer.read()
    return answer.status


def test_too_many_connections_are_refused_until_some_are_closed(small_server):
    host, port, path = small_server
    with ExitStack() as opened:

        def connect():
            return opened.enter_context(closing(HTTPConnection(host, port, timeout=30)))

        kept = [connect() for _ in range(MOST)]
        assert [asked(each, path) for each in kept] == [303] * MOST
        assert [asked(connect(), path) for _ in range(3)] == [503] * 3  # and it closes them
        kept[0].close()
        deadline = time.monotonic() + 30
        while (status := asked(connect(), path)) == 503:  # it hears of it a moment later
            assert time.monotonic() < deadline
        assert status == 303
        assert asked(kept[1], path) == 303
