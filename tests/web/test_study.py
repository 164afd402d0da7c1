"""Study: spots are estimated, solved, cancelled, read, locked; nodes of blueprints; ranges."""

import time

import numpy as np
import pytest

from tiltless.blueprint.strategy import Blueprint
from tiltless.postflop.solution import load_solution
from tiltless.web.answers.study import equity_curve

RIVER = {
    "board": "QsJh2h8d3c",
    "oop": "QQ+,AKs,JTs,T9s",
    "ip": "88+,AQs+",
    "pot": 64,
    "stack": 320,
    "bets": "50%, a",
}
FLOP = {**RIVER, "board": "QsJh2h", "bets": "50%, 100%, a"}


@pytest.fixture
def folder(study_folder):
    return study_folder


@pytest.fixture
def client(study):
    return study


def solved(client, **more):
    made = client.post("/api/spots", json={**RIVER, **more})
    assert made.status_code == 202, made.text
    return ended(client, made.json()["id"])


def ended(client, number):
    for _ in range(3600):  # a busy machine compiles and solves slowly
        found = client.get(f"/api/spots/{number}").json()
        if found["state"] not in ("waiting", "solving"):
            return found
        time.sleep(0.05)
    raise AssertionError("it is never solved")


@pytest.fixture
def spot(client):
    found = solved(client)
    assert found["state"] == "done"
    return found


def test_a_spot_is_counted_solved_and_read(client, spot, folder):
    cost = client.post("/api/spots/estimate", json=RIVER).json()
    assert cost["boards"] == 1
    assert 0 < cost["decisions"] < cost["nodes"]
    assert 0 < cost["bytes"] < cost["limit"]
    assert spot["curve"][-1][2] <= 0.5
    node = client.get(f"/api/spots/{spot['id']}/node?line=x").json()
    assert (node["player"], node["of"], node["line"]) == ("ip", "ip", "x")
    report = load_solution(folder / "spots" / f"{spot['id']}.spot", threads=1).at("x").report()
    totals = report.totals
    assert node["totals"]["ip"]["ev"] == pytest.approx(totals.ev, abs=1e-3)
    assert [row["frequency"] for row in node["actions"]] == pytest.approx(
        list(totals.frequencies), abs=1e-3
    )
    by_hand = {row["hand"]: row for row in node["combos"]}
    hand = report.hand("AcQc")
    assert by_hand["AcQc"]["ev"] == pytest.approx(hand.ev, abs=1e-3)
    assert by_hand["AcQc"]["equity"] == pytest.approx(hand.equity, abs=1e-3)
    assert by_hand["AcQc"]["made"] == "top pair"
    assert [step["choices"][step["taken"]]["word"] for step in node["strip"]] == ["x"]


def test_a_known_spot_is_not_solved_again(client, spot):
    again = client.post("/api/spots", json=RIVER).json()
    assert again["id"] == spot["id"]
    assert again["state"] == "done"
    assert spot["id"] in [each["id"] for each in client.get("/api/spots").json()]
    assert client.delete(f"/api/spots/{spot['id']}").status_code == 204
    assert spot["id"] not in [each["id"] for each in client.get("/api/spots").json()]
    assert client.delete(f"/api/spots/{spot['id']}").status_code == 404


def test_a_locked_node_is_played_as_locked(client, spot):
    locked = solved(client, locks=["x: x 100%"])
    assert locked["id"] != spot["id"]
    node = client.get(f"/api/spots/{locked['id']}/node?line=x").json()
    assert node["locked"]
    assert [row["frequency"] for row in node["actions"]] == [1, 0, 0]
    assert not client.get(f"/api/spots/{spot['id']}/node?line=x").json()["locked"]


def test_solving_is_cancelled_and_the_server_goes_on(client):
    made = client.post("/api/spots", json={**FLOP, "until": 0.01}).json()
    assert made["state"] in ("waiting", "solving")
    for _ in range(600):
        if client.get(f"/api/spots/{made['id']}").json()["state"] == "solving":
            break
        time.sleep(0.05)
    begin = time.monotonic()
    assert client.delete(f"/api/spots/{made['id']}/solving").status_code == 204
    assert ended(client, made["id"])["state"] == "cancelled"
    assert time.monotonic() - begin < 5  # half a second; the machine may be busy
    assert client.delete(f"/api/spots/{made['id']}/solving").status_code == 404
    assert client.get(f"/api/spots/{made['id']}/node").status_code == 422


def test_solving_is_stopped_early_kept_and_gone_on_with(client):
    asked = {**FLOP, "bets": "100%", "until": 0.011}
    number = client.post("/api/spots", json=asked).json()["id"]
    for _ in range(1200):
        if client.get(f"/api/spots/{number}/grid").status_code == 200:
            break
        time.sleep(0.05)
    grid = client.get(f"/api/spots/{number}/grid").json()
    assert grid["player"] == "oop"
    shares = [row["frequency"] for row in grid["actions"]]
    assert sum(shares) == pytest.approx(1, abs=1e-3)
    assert len(grid["classes"]["strategy"]) == 169
    assert client.delete(f"/api/spots/{number}/solving?keep=true").status_code == 204
    kept = ended(client, number)
    assert (kept["state"], kept["early"]) == ("done", True)
    reached = kept["curve"][-1]
    assert reached[2] > 0.011
    assert client.get(f"/api/spots/{number}/node").json()["player"] == "oop"
    again = client.post("/api/spots", json=asked).json()
    assert again["id"] == number
    assert again["state"] in ("waiting", "solving")
    for _ in range(1200):
        found = client.get(f"/api/spots/{number}").json()
        if found["curve"]:
            break
        time.sleep(0.05)
    assert found["curve"][0][1] >= reached[1]  # iterations go on, they do not begin anew
    client.delete(f"/api/spots/{number}/solving")
    assert ended(client, number)["state"] in ("cancelled", "done")
    assert client.get(f"/api/spots/{number}/node").status_code == 200


def test_an_equity_curve_falls_from_the_best_hand_to_the_worst():
    weight, equity = np.zeros(1326), np.full(1326, np.nan)
    weight[:3], equity[:3] = [1.0, 2.0, 1.0], [0.2, 0.9, 0.5]
    curve = equity_curve(weight, equity)
    assert len(curve) == 101
    assert (curve[0], curve[49], curve[51], curve[74], curve[76], curve[100]) == (
        *(0.9, 0.9, 0.5, 0.5, 0.2, 0.2),
    )
    assert equity_curve(np.zeros(1326), equity) == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"board": "QsQs2h"},
        {"board": "Qs"},
        {"oop": "ZZ"},
        {"ip": ""},
        {"pot": 0},
        {"bets": "banana"},
        {"stack": 10**12},
        {"more": 1},
        {"locks": ["nonsense"]},
        {  # with all hands, fewer lines are too many, and soon counted
            "bets": "1%, 2%, 3%, 4%, 5%, 6%, 7%, 8%, 9%, 10%",
            "board": "QsJh2h",
            "oop": "random",
            "ip": "random",
        },
    ],
)
def test_wrong_spots_are_refused_with_a_reason(client, wrong):
    answer = client.post("/api/spots", json={**RIVER, **wrong})
    if answer.status_code == 202:  # locks are read by the process that solves
        assert ended(client, answer.json()["id"])["state"] == "failed"
        return
    assert answer.status_code == 422
    assert answer.json()["error"]


@pytest.mark.parametrize(
    "path",
    [
        "/api/spots/..%2fetc/node",
        "/api/spots/nothing/node",
        "/api/spots/nothing",
        "/api/blueprints/nothing/node",
        "/api/blueprints/hundred/node?line=q",
        "/api/blueprints/hundred/node?line=r4%20c%20/%20x",
        "/api/blueprints/hundred/node?board=AsAs",
        "/api/blueprints/hundred/spot",
    ],
)
def test_wrong_addresses_are_refused_with_a_reason(client, path):
    answer = client.get(path)
    assert answer.status_code in (404, 422)
    assert answer.json()["error"]


def test_a_node_of_a_blueprint_is_what_a_query_says(client):
    path = "/api/blueprints/hundred/node"
    blueprint = Blueprint.load("hundred")
    first = client.get(path).json()
    for name, hole in (("AKo", "AsKd"), ("72o", "7c2d")):
        at = [cell["class"] for cell in _classes()].index(name)
        asked = [chance for _, chance in blueprint.query(hole)]
        assert first["classes"]["strategy"][at] == pytest.approx(asked, abs=2e-3)
    node = client.get(path, params={"line": "r4 c", "board": "Ks7d2c"}).json()
    assert (node["line"], node["player"], node["needs"]) == ("r4 c /", "oop", 0)
    for row in node["combos"][::50]:
        asked = [chance for _, chance in blueprint.query(row["hand"], "Ks7d2c", "r4 c /")]
        assert row["mix"] == pytest.approx(asked, abs=2e-3)
        weight = dict(blueprint.query(row["hand"], line="r4"))["call 2"]
        assert row["weight"] == pytest.approx(weight, abs=2e-3)
    bare = client.get(path, params={"line": "r4 c"}).json()
    assert (bare["needs"], len(bare["cards"])) == (3, 52)
    spot = client.get(
        "/api/blueprints/hundred/spot", params={"line": "r4 c / x", "board": "Ks7d2c"}
    )
    assert (spot.json()["pot"], spot.json()["stack"]) == (8, 196)


def _classes():
    ranks = "AKQJT98765432"
    for i, row in enumerate(ranks):
        for j, column in enumerate(ranks):
            name = row + column + ("" if i == j else "s")
            yield {"class": name if i <= j else f"{column}{row}o"}


def test_ranges_are_read_painted_and_written(client):
    found = client.post("/api/ranges", json={"text": "QQ+, AKs"}).json()
    assert found["combos"] == 22
    painted = client.post(
        "/api/ranges", json={"text": found["text"], "paint": {"QQ": 0, "72o": 0.5}}
    )
    assert painted.json()["combos"] == 22
    assert (
        painted.json()["text"]
        == client.post("/api/ranges", json={"text": "KK+,AKs,72o:0.5"}).json()["text"]
    )
    assert client.post("/api/ranges", json={"top": 10}).json()["percent"] == pytest.approx(
        10, abs=1
    )
    assert client.post("/api/ranges", json={}).json()["combos"] == 0
    for wrong in ({"text": "ZZ"}, {"paint": {"ZZ": 1}}, {"paint": {"AA": 2}}, {"top": 101}):
        assert client.post("/api/ranges", json=wrong).status_code == 422
