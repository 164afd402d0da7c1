import asyncio
import json
import re
import time

import pytest
from starlette.testclient import TestClient

from tiltless.errors import WriteError
from tiltless.viz.strategy_grid import PALETTES
from tiltless.web.app import make_app
from tiltless.web.hub import Hub
from tiltless.web.table import TableChoice, WebTable
from tiltless.web.table_store import TableStore
from tiltless.web.tables import OpenTables
from tiltless.web.workers import WorkerPool
from web.conftest import TOKEN, run

FISH = {"opponents": ["fish"]}


def opened(client, **more):
    answer = client.post("/api/tables", json={**FISH, **more})
    assert answer.status_code == 201
    return answer.json()


def act(client, data, action, **more):
    body = {"seq": data["seq"], "action": action, **more}
    return client.post(f"/api/tables/{data['id']}/actions", json=body)


def passive(data):
    return "check" if data["table"]["actions"]["check"] else "call"


def to_the_end(client, data):
    while not data["table"]["over"]:
        data = act(client, data, passive(data)).json()
    return data


def test_a_hand_is_played_to_its_end(client):
    data = to_the_end(client, opened(client))
    table = data["table"]
    assert len(table["board"]) == 5
    assert sum(seat["payoff"] for seat in table["seats"]) == 0
    assert all(seat["cards"] for seat in table["seats"])  # a showdown
    assert data["result"]["hands"] == 1
    after = client.post(f"/api/tables/{data['id']}/next", json={"seq": data["seq"]}).json()
    assert after["hand"] == 2
    assert after["table"]["button"] != table["button"]


def test_a_full_disk_is_told_in_one_line(tmp_path):
    store = TableStore(tmp_path / "tables.sqlite")
    store._file.execute("PRAGMA max_page_count = 1")  # from now on the file must not grow
    choice = TableChoice("nlhe", {"seats": 2, "stack": "100bb"}, ("fish",))
    long = "0" * 10_000
    table = WebTable.open("me", choice, long, None)
    with pytest.raises(WriteError, match="disk is full; free some disk space"):
        store.save(table)
    store.close()


def test_an_action_sent_twice_counts_once(client):
    data = opened(client)
    body = {"seq": data["seq"], "action": passive(data)}
    path = f"/api/tables/{data['id']}/actions"
    first, again = client.post(path, json=body), client.post(path, json=body)
    assert first.json() == again.json()
    assert first.json()["seq"] == data["seq"] + 1
    late = client.post(path, json={"seq": data["seq"], "action": "fold"})
    assert late.status_code == 409
    assert late.json()["table"]["seq"] == data["seq"] + 1


CHOICE = TableChoice("nlhe", {"seats": 2, "stack": "100bb"}, ("fish",), 0)


@pytest.fixture
def store(tmp_path):
    store = TableStore(tmp_path / "tables.sqlite")
    yield store
    store.close()


TRIGGER = """CREATE TEMP TRIGGER full BEFORE UPDATE ON tables
BEGIN SELECT RAISE(ABORT, 'broken'); END"""


@pytest.mark.parametrize("disk", [False, True])
def test_a_failure_in_the_middle_changes_nothing(store, monkeypatch, disk):
    async def story():
        tables = OpenTables(store, Hub(), WorkerPool(1))
        table = await tables.open("me", CHOICE)
        before = table.as_json()
        with monkeypatch.context() as patch:
            if disk:
                store._file.execute(TRIGGER)
            else:
                patch.setattr(WebTable, "_go_on", fail)
            with pytest.raises(Exception, match="broken"):
                await tables.apply("me", table.number, 1, "call")
        store._file.execute("DROP TRIGGER IF EXISTS full")
        assert (await tables.find("me", table.number)).as_json() == before
        after = await tables.apply("me", table.number, 1, "call")
        assert after.seq == 2
        assert store.load(table.number, "me").as_json() == after.as_json()

    run(story())


def fail(*_):
    raise RuntimeError("broken")


def test_a_reader_sees_all_of_a_request_or_nothing(store, monkeypatch):
    table = WebTable.open("me", CHOICE, "0" * 16, None)
    table.apply(0, "next")
    before, seen = table.as_json(), []
    keep = WebTable._keep
    monkeypatch.setattr(
        WebTable, "_keep", lambda *given: seen.append(table.as_json()) or keep(*given)
    )
    table.apply(1, "call")
    assert seen == [before]
    assert table.as_json()["seq"] == 2


def test_a_table_that_is_deleted_while_agents_think_stays_deleted(store, monkeypatch):
    apply = WebTable.apply

    def slow(*given):
        time.sleep(0.2)
        return apply(*given)

    async def story():
        tables = OpenTables(store, Hub(), WorkerPool(1))
        table = await tables.open("me", CHOICE)
        monkeypatch.setattr(WebTable, "apply", slow)
        acting = asyncio.create_task(tables.apply("me", table.number, 1, "call"))
        await asyncio.sleep(0.05)
        assert await tables.delete("me", table.number)
        assert (await acting).seq == 2
        assert await tables.find("me", table.number) is None
        assert store.tables("me") == []

    run(story())


def test_an_idle_table_leaves_memory_and_goes_on_from_the_store(store):
    async def story():
        tables = OpenTables(store, Hub(), WorkerPool(1))
        first, second = [await tables.open("me", CHOICE) for _ in range(2)]
        await tables.apply("me", first.number, 1, "call")
        before = first.as_json()
        assert tables.drop_idle() == 0  # an hour has not passed
        async with tables._locked("me", second.number):  # it is being used
            assert tables.drop_idle(0) == 1
        again = await tables.find("me", first.number)
        assert again is not first
        assert again.as_json() == before
        assert (await tables.apply("me", first.number, 2, "check")).seq == 3
        assert await tables.find("me", second.number) is second
        tables.close()

    run(story())


def test_a_restart_continues_the_hand(tmp_path):
    def started(token):
        headers = {"x-tiltless-token": token}  # a new one at each start
        return TestClient(make_app(tmp_path, token), base_url="http://127.0.0.1", headers=headers)

    with started("1") as one:
        data = opened(one)
        data = act(one, data, passive(data)).json()
        data = act(one, data, passive(data)).json()
    with started("2") as two:
        again = two.get(f"/api/tables/{data['id']}").json()
        assert again == data
        done = to_the_end(two, again)
    with started("3") as three:
        assert three.get(f"/api/tables/{data['id']}").json() == done


@pytest.mark.parametrize(
    ("action", "status"),
    [
        ({"action": "raise", "to": 3}, 422),
        ({"action": "raise"}, 422),
        ({"action": "fold", "to": 4}, 422),
        ({"action": "check"}, 422),
        ({"action": "jump"}, 422),
        ({"action": "raise", "to": 10**12}, 422),
    ],
)
def test_illegal_actions_change_nothing(client, action, status):
    data = opened(client, position=0)
    answer = client.post(f"/api/tables/{data['id']}/actions", json={"seq": data["seq"], **action})
    assert answer.status_code == status
    assert answer.json()["error"]
    assert client.get(f"/api/tables/{data['id']}").json() == data


@pytest.mark.parametrize(
    "body",
    [
        b'{"opponents": NaN}',
        b'{"opponents": ["fish"], "stack": 1e400}',
        b"[" * 5000,
        b"\xff\xfe",
        b"",
        b"null",
        b'{"opponents": ["os:system"]}',
        b'{"opponents": []}',
        b'{"opponents": ["fish"], "more": 1}',
        b'{"opponents": ["mybots:Maniac:share=1"]}',
        b'{"opponents": ["nobody"]}',
        b'{"opponents": ["blueprint:file=/etc/passwd"]}',
        b'{"opponents": ["blueprint:file=none.safetensors"]}',
        b'{"opponents": ["fish:"]}',
        b'{"opponents": ["blueprint:argmax"]}',
    ],
)
def test_bad_bodies_are_refused(client, body):
    answer = client.post("/api/tables", content=body, headers={"content-type": "application/json"})
    assert 400 <= answer.status_code < 500
    assert answer.json()["error"]


def test_hidden_cards_are_never_sent(client):
    """Every byte of every answer, before the showdown, is searched for the opponent's cards."""
    data = opened(client, opponents=["uniform"])
    for _ in range(20):
        texts, table = [json.dumps(data)], data["table"]
        while not table["over"]:
            answer = act(client, data, passive(data))
            data, table = answer.json(), answer.json()["table"]
            if not table["over"]:
                texts.append(answer.text)
        record = client.get(f"/api/tables/{data['id']}/hands/{data['hand']}").json()
        hidden = record["seats"][1]["cards"]
        for text in texts:
            cards = set(re.findall(r'"([2-9TJQKA][cdhs])"', text))
            assert cards <= {*table["seats"][0]["cards"], *table["board"]}
            assert not hidden or not cards & set(hidden)
        data = client.post(f"/api/tables/{data['id']}/next", json={"seq": data["seq"]}).json()


def test_every_agent_of_the_list_can_be_asked_for(client):
    names = [agent["name"] for agent in client.get("/api/about").json()["agents"]]
    assert {"fish", "blueprint", "search"} <= set(names)
    assert "endgame" not in names  # it needs the name of another


def test_tables_are_limited(client, monkeypatch):
    monkeypatch.setattr("tiltless.web.tables._MOST", 2)
    first, _ = opened(client), opened(client)
    assert client.post("/api/tables", json=FISH).status_code == 422
    assert client.delete(f"/api/tables/{first['id']}").status_code == 204
    assert client.get(f"/api/tables/{first['id']}").status_code == 404
    assert client.delete(f"/api/tables/{first['id']}").status_code == 404
    opened(client)


def test_other_sessions_see_no_table(client, tmp_path):
    data = opened(client)
    del client.headers["x-tiltless-token"]
    client.get(f"/?token={TOKEN}")
    assert client.get("/api/tables").json() == []
    assert client.get(f"/api/tables/{data['id']}").status_code == 404


def test_hands_are_exported(client):
    data = to_the_end(client, opened(client))
    answer = client.get(f"/api/tables/{data['id']}/hands.phh")
    assert answer.headers["content-disposition"].endswith('.phhs"')  # a collection of hands
    text = answer.text
    assert text.startswith("[1]\n")
    assert "variant = 'NT'" in text
    assert "?" not in text  # all cards were shown
    folded = act(client, opened(client, position=0), "fold").json()
    text = client.get(f"/api/tables/{folded['id']}/hands.phh").text
    own = "".join(folded["table"]["seats"][0]["cards"])
    assert re.findall(r"d dh p\d (\S{4})", text) == ["????", own]


def test_a_hint(client):
    data = opened(client, opponents=["rules"], position=0)
    hint = client.get(f"/api/tables/{data['id']}/hint").json()
    assert hint["action"]


def test_a_hint_of_a_mixed_strategy(client):
    data = opened(client, opponents=["blueprint"], position=0)
    hint = client.get(f"/api/tables/{data['id']}/hint").json()
    assert sum(row["probability"] for row in hint["policy"]) == pytest.approx(1)
    assert all(set(row["colours"]) == set(PALETTES) for row in hint["policy"])


def test_a_hint_of_an_agent_that_fails(client, monkeypatch):
    data = opened(client, position=0)
    monkeypatch.setattr("tiltless.agents.simple.Caller.act", fail)
    answer = client.get(f"/api/tables/{data['id']}/hint")
    assert answer.status_code == 422
    assert "broken" not in answer.text


def reviewed(client, data):
    path = f"/api/tables/{data['id']}/hands/{data['hand']}/review"
    for _ in range(300):
        answer = client.get(path)
        if answer.status_code != 200 or answer.json()["done"]:
            return answer
        time.sleep(0.1)
    raise AssertionError("the review does not end")


def test_a_review_of_a_finished_hand(client):
    data = opened(client, opponents=["uniform"], position=0)
    path = f"/api/tables/{data['id']}/hands/1/review"
    assert client.get(path).status_code == 404  # it is not over
    data = act(client, data, "fold").json()
    text = reviewed(client, data).text
    (row,) = json.loads(text)["rows"]
    assert row["mine"]
    assert row["cost"] is None
    assert {"f", "c"} <= {action["word"] for action in row["actions"]}
    assert sum(action["probability"] for action in row["actions"]) == pytest.approx(1, abs=0.01)
    assert len(row["grid"]["weight"]) == len(row["grid"]["strategy"]) == 169
    cards = set(re.findall(r'"([2-9TJQKA][cdhs])"', text))
    assert cards == set(data["table"]["seats"][0]["cards"])


def test_only_heads_up_hands_are_reviewed(client):
    data = to_the_end(client, opened(client, opponents=["fish", "fish"]))
    answer = reviewed(client, data)
    assert answer.status_code == 422


def test_bots_that_cannot_play_here_are_refused(client):
    for names in (["river-of-blood"], ["search", "search"]):
        assert client.post("/api/tables", json={"opponents": names}).status_code == 422


def test_saves_do_not_grow_with_the_hands(store):
    table, sizes = WebTable.open("me", CHOICE, "0" * 16, None), []
    for seq in range(0, 20, 2):
        table.apply(seq, "next")
        table.apply(seq + 1, "fold") if not table.finished else None
        sizes.append(len(table.saved()))
        store.save(table)
    assert max(sizes) - min(sizes) <= 4
    again = store.load(table.number, "me")
    assert again.session.won == table.session.won
    assert again.as_json() == table.as_json()


def test_a_searching_agent_thinks_in_a_process_of_its_own(client):
    data = opened(client, opponents=["search"], position=0)
    after = act(client, data, "call").json()
    assert after["seq"] == data["seq"] + 1
