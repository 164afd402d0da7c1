import asyncio
import json
import re
from contextlib import ExitStack
from random import SystemRandom

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from tiltless.cards.card import parse_card
from tiltless.errors import OptionError
from tiltless.files.folder_lock import FolderLock
from tiltless.web import table
from tiltless.web.app import make_app
from tiltless.web.guard import BODY_LIMIT, Guard
from tiltless.web.server import serve
from web.conftest import TOKEN, serving

EVENTS = "ws://127.0.0.1:8432/api/events"
PAGE = {"origin": "http://127.0.0.1:8432", "host": "127.0.0.1:8432"}


def test_foreign_names_are_refused(client):
    for host in ("evil.example", "127.0.0.1.evil.example", "", "[", "localhost.evil.example:8432"):
        assert client.get("/api/about", headers={"host": host}).status_code == 400
        with (
            pytest.raises(WebSocketDisconnect) as refused,
            client.websocket_connect("/api/events", headers={"host": host}),
        ):
            pass
        assert "name" in refused.value.reason


def test_other_pages_cannot_change_anything(client):
    del client.headers["x-tiltless-token"]
    client.get(f"/?token={TOKEN}")
    cookie = {"cookie": f"tiltless-8432={client.cookies['tiltless-8432']}"}
    body = {"opponents": ["fish"]}
    for headers in (
        {},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://["},
        {"x-tiltless-token": b"\xff"},
        {"sec-fetch-site": "cross-site"},
    ):
        assert client.post("/api/tables", json=body, headers=headers).status_code == 403
        for method in ("PUT", "PATCH", "DELETE"):
            answer = client.request(method, "/api/tables/0000000000000000", headers=headers)
            assert answer.status_code == 403
        with (
            pytest.raises(WebSocketDisconnect) as refused,
            client.websocket_connect(
                "/api/events", headers={**headers, **cookie, "host": PAGE["host"]}
            ),
        ):
            pass
        assert "other pages" in refused.value.reason
    with client.websocket_connect(EVENTS, headers={**PAGE, **cookie}) as socket:
        socket.send_json("ping")
        assert socket.receive_json() == {"kind": "pong"}
    assert client.post("/api/tables", json=body, headers=PAGE).status_code == 201
    headers = {**PAGE, "content-type": "text/plain"}
    assert client.post("/api/tables", content="{}", headers=headers).status_code == 415


def test_no_session_no_answer(client):
    del client.headers["x-tiltless-token"]
    assert client.get("/api/tables").status_code == 401
    wrong = client.get("/?token=wrong")
    assert wrong.status_code == 401
    assert wrong.headers["content-type"].startswith("text/html")  # for a person
    assert "set-cookie" not in wrong.headers
    client.cookies.set("tiltless-8432", "guess")
    assert client.get("/api/tables").status_code == 401
    with pytest.raises(WebSocketDisconnect), client.websocket_connect("/api/events", headers=PAGE):
        pass


def test_cookies_of_other_servers_do_not_matter(client):
    """They share the jar of this machine, and some of them are not even cookies."""
    del client.headers["x-tiltless-token"]
    client.get(f"/?token={TOKEN}")
    own = f"tiltless-8432={client.cookies['tiltless-8432']}"
    client.cookies.clear()
    headers = {"cookie": f'other={{"a": [1, 2]}}; a b; {own}'}
    assert client.get("/api/tables", headers=headers).status_code == 200


def test_the_cookie_is_for_the_server_only(client):
    answer = client.get(f"/?token={TOKEN}", follow_redirects=False)
    assert answer.headers["location"] == "/"
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    again = client.get("/play?token=earlier", follow_redirects=False)
    assert (again.status_code, again.headers["location"]) == (303, "/play")
    assert cookie_of(again) == cookie_of(answer)


def cookie_of(answer):
    return answer.headers["set-cookie"].partition(";")[0]


def test_pages_run_only_our_code(client):
    for path in ("/", "/play", "/static/main.js", "/api/about", "/nothing"):
        answer = client.get(path)
        policy = answer.headers["content-security-policy"]
        for part in (
            *("default-src 'none'", "script-src 'self'", "style-src 'self'", "base-uri 'none'"),
            *("form-action 'none'", "frame-ancestors 'none'", "connect-src 'self'"),
            *("require-trusted-types-for 'script'", "trusted-types 'none'"),
        ):
            assert part in policy.split("; ")
        assert "unsafe" not in policy
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cross-origin-opener-policy"] == "same-origin"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in answer.headers


def test_long_bodies_are_refused(client):
    headers = {"content-type": "application/json"}
    assert client.post("/api/tables", content=b" " * 70000, headers=headers).status_code == 413
    parts = (b" " * 10000 for _ in range(8))
    assert client.post("/api/tables", content=parts, headers=headers).status_code == 413


def test_a_session_has_a_rate(tmp_path):
    app = make_app(tmp_path, TOKEN, rate=10)
    with TestClient(app, base_url="http://127.0.0.1") as client:
        client.headers["x-tiltless-token"] = TOKEN
        _check_rate(client)


def _check_rate(client):
    answers = [client.get("/api/tables") for _ in range(150)]
    assert answers[0].status_code == 200
    late = next(answer for answer in answers if answer.status_code == 429)
    assert int(late.headers["retry-after"]) >= 1
    assert int(late.headers["content-length"]) == len(late.content)  # never in chunks


def test_what_takes_much_work_has_a_lower_rate(tmp_path):
    app = make_app(tmp_path, TOKEN, rate=1000)
    with TestClient(app, base_url="http://127.0.0.1") as client:
        client.headers["x-tiltless-token"] = TOKEN
        codes = [client.post("/api/spots", json={}).status_code for _ in range(60)]
        assert codes[:10] == [422] * 10  # a burst
        assert 429 in codes
        assert client.get("/api/spots").status_code == 200


def test_the_description_is_there_and_pages_that_load_from_outside_are_not(client):
    for path in ("/docs", "/redoc", "/api/docs"):
        assert client.get(path).status_code == 404
    assert client.get("/api/openapi.json").json()["paths"]


def test_a_request_that_is_cut_off_when_the_server_stops_is_told_so():
    async def cut_off(scope, receive, send):
        raise asyncio.CancelledError

    guard = Guard(cut_off, frozenset(["127.0.0.1"]), TOKEN, lambda _: True, rate=1e6)
    client = TestClient(guard, base_url="http://127.0.0.1:8432")
    answer = client.get("/api/about", headers={"x-tiltless-token": TOKEN})
    assert answer.status_code == 503  # the page sends it again when the server is back
    assert answer.json() == {"error": "the server is stopping", "remedy": "start it again"}


def test_a_session_has_a_few_sockets(client):
    with ExitStack() as stack:
        for _ in range(8):
            socket = stack.enter_context(client.websocket_connect("/api/events", headers=PAGE))
            socket.send_json("ping")
            assert socket.receive_json() == {"kind": "pong"}
        one_more = stack.enter_context(client.websocket_connect("/api/events", headers=PAGE))
        with pytest.raises(WebSocketDisconnect) as refused:
            one_more.receive_json()
        assert refused.value.code == 1013  # the page says what to do


@pytest.mark.parametrize(
    "path", ["/static/../app.py", "/static/%2e%2e/app.py", "/static//etc/passwd", "/etc/passwd"]
)
def test_files_outside_are_not_served(client, path):
    assert client.get(path).status_code == 404


def test_links_are_not_followed(client, tmp_path):
    outside = tmp_path / "outside"
    (outside / "run").mkdir(parents=True)
    (outside / "run" / "metrics.csv").write_text("walks\n")
    (outside / "one.spot").write_text("")
    (tmp_path / "spots").mkdir()
    (tmp_path / "spots" / "linked.spot").symlink_to(outside / "one.spot")
    hidden = tmp_path / ".hidden"
    outside.rename(hidden)
    (tmp_path / "runs").symlink_to(hidden)
    assert client.get("/api/spots").json() == []
    assert client.get("/api/spots/linked").status_code == 404
    assert client.get("/api/runs").json() == []
    assert client.get("/api/runs/runs~run").status_code == 404


def test_a_folder_has_one_server(tmp_path):
    lock = FolderLock(tmp_path)
    lock.take()
    with pytest.raises(OptionError):
        serve(tmp_path, port=0, ready=fail_if_called)
    lock.give_back()


def fail_if_called(address):
    raise AssertionError(f"a second server is at {address}")


def test_other_machines_are_let_in_by_name_only(tmp_path):
    with pytest.raises(OptionError, match="--allow-host"):
        serve(tmp_path, host="0.0.0.0", port=0, ready=fail_if_called)


def test_long_messages_end_a_socket_and_nothing_is_logged(tmp_path):
    with serving(tmp_path) as (address, server):
        host, token = re.fullmatch(r"http://(.*)/\?token=(.*)", address).groups()
        headers = {"x-tiltless-token": token}
        with connect(f"ws://{host}/api/events", additional_headers=headers) as socket:
            socket.send('"ping"')
            assert json.loads(socket.recv(60)) == {"kind": "pong"}
            socket.send(" " * BODY_LIMIT + '"ping"')
            with pytest.raises(ConnectionClosed) as closed:
                socket.recv(60)
        assert closed.value.rcvd.code == 1009  # too big
        server.terminate()
        said = server.stdout.read()
    assert token not in said
    assert "/api" not in said


def test_decks_come_from_the_randomness_of_the_system(client, monkeypatch):
    order = list(range(52))
    monkeypatch.setattr(table._SHUFFLE, "shuffle", lambda deck: deck.sort(reverse=True))
    made = client.post("/api/tables", json={"opponents": ["fish"], "position": 0}).json()
    shown = [parse_card(text) for text in made["table"]["seats"][0]["cards"]]
    assert isinstance(table._SHUFFLE, SystemRandom)
    assert set(shown) <= set(order[-4:])  # from the top of the deck that it made


def test_events_of_a_table(client):
    made = client.post("/api/tables", json={"opponents": ["fish"]}).json()
    topic = f"table:{made['id']}"
    with client.websocket_connect("/api/events", headers=PAGE) as socket:
        socket.send_json({"watch": {topic: None, "table:0000000000000000": None}})
        socket.send_json("ping")
        first = socket.receive_json()
        assert (first["topic"], first["data"]) == (topic, {"seq": made["seq"]})
        assert socket.receive_json() == {"kind": "pong"}
        action = "check" if made["table"]["actions"]["check"] else "call"
        body = {"seq": made["seq"], "action": action}
        client.post(f"/api/tables/{made['id']}/actions", json=body)
        assert socket.receive_json()["kind"] == "thinking"
        news = socket.receive_json()
        assert (news["topic"], news["data"]["seq"]) == (topic, made["seq"] + 1)
    with client.websocket_connect("/api/events", headers=PAGE) as socket:
        socket.send_json({"watch": {topic: first["seq"]}})
        assert [socket.receive_json()["kind"] for _ in range(2)] == ["thinking", "table"]
        for since in (0, first["seq"] + 2 + 1):  # too old; of a later or another start
            socket.send_json({"watch": {topic: since}})
            assert socket.receive_json()["kind"] == "resync"
    with client.websocket_connect("/api/events", headers=PAGE) as socket:
        socket.send_text("{")
        with pytest.raises(WebSocketDisconnect):
            socket.receive_json()
    with client.websocket_connect("/api/events", headers=PAGE) as socket:
        socket.send_bytes(b"{}")
        with pytest.raises(WebSocketDisconnect):
            socket.receive_json()
