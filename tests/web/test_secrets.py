"""No byte that is sent to a client in the middle of a hand names a card that he must not know.

The player is told his own cards and the board. Another session, which has the id of the table and
asks for everything of it, is told no card at all.
"""

import random
import re
import sqlite3

import pytest
from starlette.testclient import TestClient

from tiltless.cards.card import card_text
from tiltless.games import load
from tiltless.games.holdem.record import parse_hand
from tiltless.web import app as web_app
from tiltless.web import remote_agent
from tiltless.web.app import make_app
from tiltless.web.workers import WorkerPool
from web.conftest import TOKEN
from web.test_guard import EVENTS, PAGE

_CARDS = re.compile(rb"(?<![A-Za-z0-9])(?:[2-9TJQKA][shdc])+(?![A-Za-z0-9])")
_SECRET = re.compile(rb"(?<=^tiltless-)[0-9]+=[A-Za-z0-9_-]{22}(?=;)")
"""The name's port and the secret of a session's cookie, random bits that may read like a card."""
_TABLES = (("fish",), ("rules",), ("uniform",), ("blueprint",), ("fish", "rules"), ("uniform",) * 5)
_THINKERS = (("search",), ("monte-carlo",))
"""Tables that take longer: one thinks in a process of its own, the other deals cards at random."""
_EXPORTED = 3
"""Hands of a table after which all are downloaded, which takes longer each time."""
_QUICK = {"search": "search:iterations=10"}


class Tap:
    """The application, with everything that it sends written down.

    sent: to the player, whose requests carry the token.  foreign: to everybody else.
    thinking: how many of the events that were searched say that an agent thinks for long.
    """

    def __init__(self, app):
        self.app, self.sent, self.foreign, self.thinking = app, [], [], 0

    async def __call__(self, scope, receive, send):
        token = dict(scope.get("headers", ())).get(b"x-tiltless-token")
        written = self.sent if token == TOKEN.encode() else self.foreign

        async def tapped(message):
            for name, value in message.get("headers", ()):
                if name == b"set-cookie":
                    value = _SECRET.sub(b"", value)
                written.append(name + b": " + value)
            for part in ("body", "bytes", "text", "reason"):
                value = message.get(part)
                if value:
                    written.append(value.encode() if isinstance(value, str) else value)
            await send(message)

        await self.app(scope, receive, tapped)

    def cards(self, ids):
        """The cards in what the player was sent since the last call.

        ids: texts that are left out: hexadecimal numbers, which may read like cards.
        """
        self.thinking += sum(b'"slow": true' in text for text in self.sent)
        return self._cards(self.sent, ids)

    def foreign_cards(self, ids):
        """The same for everybody else."""
        return self._cards(self.foreign, ids)

    @staticmethod
    def _cards(written, ids):
        whole = b"\n".join(written)
        written.clear()
        for number in ids:
            whole = whole.replace(number.encode(), b"")
        found = b"".join(_CARDS.findall(whole)).decode()
        return {found[n : n + 2] for n in range(0, len(found), 2)}


def play_and_search(folder, hands, thought, seed):
    """Play hands in many ways; the number of answers that were searched, and of slow thoughts.

    hands: at the quick tables together.  thought: at each table of `_THINKERS`.
    """
    tap, rng, searched = Tap(make_app(folder, TOKEN, rate=1e9)), random.Random(seed), 0
    headers = {"x-tiltless-token": TOKEN, "accept-encoding": "identity"}
    plan = [(table, hands // len(_TABLES) + 1) for table in _TABLES]
    plan += [(table, thought) for table in _THINKERS]
    with (
        TestClient(tap, base_url="http://127.0.0.1:8432", headers=headers) as client,
        client.websocket_connect("/api/events", headers=PAGE) as socket,
        client.websocket_connect(EVENTS, headers=stranger(client)) as foreign,
        sqlite3.connect(folder / "tables.sqlite") as file,
    ):
        for opponents, count in plan:
            game = load("nlhe", seats=len(opponents) + 1, stack="20bb")
            tap.sent.clear()
            data = client.post("/api/tables", json={"opponents": opponents, "stack": 20}).json()
            path = f"/api/tables/{data['id']}"
            for each in (socket, foreign):
                each.send_json({"watch": {f"table:{data['id']}": None}})
            ids = [data["id"], ""]  # and the download of finished hands, once it was looked at
            for number in range(1, count + 1):
                steps = []
                while True:  # cards of each answer, and how much of the board was there
                    table = data["table"]
                    if table["over"]:
                        tap.sent.clear()
                        break
                    steps.append((len(table["board"]), tap.cards(ids)))
                    if rng.random() < 0.1:
                        listen(client, data, number)
                    if len(steps) == 1 or rng.random() < 0.1:
                        look_ahead(client, data, number, ids[1])
                    data = ask(client, data, rng, 0.5 if opponents in _THINKERS else 0.1)
                assert not tap.foreign_cards(ids)
                line = file.execute(
                    "SELECT line FROM hands WHERE game = ? AND number = ?", (data["id"], number)
                ).fetchone()[0]
                final = parse_hand(line, game).final
                own = {card_text(card) for card in final.hole[0]}
                board = [card_text(card) for card in final.board]
                for dealt, cards in steps:
                    assert cards <= own | set(board[:dealt]), (line, dealt, cards)
                    assert own <= cards
                searched += len(steps)
                shown = own | set(board) | {card_text(c) for _, hand in final.shown for c in hand}
                client.get(f"{path}/hands/{number}")
                client.get(f"{path}/hands")
                new = client.get(f"{path}/hands.phh").text if number <= _EXPORTED else ids[1]
                assert tap.cards(ids) <= shown
                ids[1] = new
                data = client.post(f"{path}/next", json={"seq": data["seq"]}).json()
    return searched, tap.thinking


def look_ahead(client, data, number, finished):
    """The player asks for the hand that is still played as if it were over.

    finished: the download as it was before this hand.
    """
    path = f"/api/tables/{data['id']}/hands"
    for rest in ("", "/review"):
        assert client.get(f"{path}/{number}{rest}").status_code == 404
    if number <= _EXPORTED + 1:
        assert client.get(f"{path}.phh").text == finished


def stranger(client):
    """Headers of another session of the same browser's page."""
    plain = {**PAGE, "x-tiltless-token": ""}
    answer = client.get(f"/?token={TOKEN}", headers=plain, follow_redirects=False)
    client.cookies.clear()
    return {**plain, "cookie": answer.headers["set-cookie"].partition(";")[0]}


def listen(client, data, number):
    """Another session asks for everything of a table, also of the hand that is played."""
    path, headers = f"/api/tables/{data['id']}", stranger(client)
    of_hands = [f"/hands/{n}{rest}" for n in {1, number} for rest in ("", "/review")]
    for rest in ("", "/hint", "/hands", "/hands.phh", *of_hands):
        assert client.get(path + rest, headers=headers).status_code == 404
    for rest in ("/actions", "/next"):
        body = {"seq": data["seq"]} | ({"action": "call"} if rest == "/actions" else {})
        assert client.post(path + rest, json=body, headers=headers).status_code == 404
    assert client.delete(path, headers=headers).status_code == 404
    assert client.get("/api/tables", headers=headers).json() == []


def ask(client, data, rng, hints):
    """One action of any kind; sometimes a wrong one, a hint or a look before it.

    hints: how often one is asked for.
    """
    path, actions, seq = f"/api/tables/{data['id']}", data["table"]["actions"], data["seq"]
    if rng.random() < 0.2:
        client.get(path)
        client.get("/api/tables")
        client.post(f"{path}/actions", json={"seq": seq + 1, "action": "fold"})
        client.post(f"{path}/actions", json={"seq": seq, "action": "raise", "to": 10**8})
        client.post(f"{path}/next", json={"seq": seq})
        client.get(f"{path}/hands/999999")
    if rng.random() < hints:
        assert client.get(f"{path}/hint").status_code == 200
    choices = [{"action": "check" if actions["check"] else "call"}]
    if actions["fold"] and rng.random() < 0.3:
        choices.append({"action": "fold"})
    if actions["max"] and rng.random() < 0.4:
        choices = [{"action": "raise", "to": rng.randint(actions["min"], actions["max"])}]
    answer = client.post(f"{path}/actions", json={"seq": seq, **rng.choice(choices)})
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.fixture
def quick(monkeypatch):
    """Agents that think in another process take no seconds; one process, as each takes one."""
    made = remote_agent.RemoteAgent
    monkeypatch.setattr(
        remote_agent, "RemoteAgent", lambda pool, text, key: made(pool, _QUICK[text], key)
    )
    monkeypatch.setattr(web_app, "WorkerPool", lambda _, **options: WorkerPool(1, **options))


def test_hidden_cards_stay_hidden(tmp_path, quick):
    searched, thinking = play_and_search(tmp_path, 30, 3, seed=1)
    assert searched > 66
    assert thinking > 2


@pytest.mark.slow
def test_hidden_cards_stay_hidden_over_ten_thousand_hands(tmp_path, quick):
    searched, thinking = play_and_search(tmp_path, 10_000, 300, seed=2)
    assert searched > 10_000
    assert thinking > 300


def test_the_search_finds_what_it_looks_for():
    tap = Tap(None)
    tap.sent = [b'{"id": "7c00", "cards": ["Ah", "2c"], "text": "KdQs|9h"}', b"x: 3s"]
    assert tap.cards(["7c00"]) == {"Ah", "2c", "Kd", "Qs", "9h", "3s"}
    assert not tap.cards([])
    tap.foreign = [b'["Td"]']
    assert tap.foreign_cards([]) == {"Td"}
    assert _SECRET.sub(b"", b"tiltless-8432=0123456789_-8h-abcdefg; Ah") == b"tiltless-; Ah"
