"""Training runs: what the files say is what the page is told, as they grow."""

import re
import time
from collections import defaultdict
from importlib.resources import files

import pytest

from helpers.small_run import BLOCK, small
from tiltless.blueprint.training import run as training
from tiltless.blueprint.training.run import Trainer
from tiltless.web import runs
from web.samples import STOP_WALKS, SampleRun
from web.test_guard import PAGE


@pytest.fixture
def run(tmp_path):
    return SampleRun(tmp_path / "runs" / "small")


def read(client, **params):
    return client.get("/api/runs/runs~small", params=params).json()


def test_a_run_is_listed_with_its_curves_and_the_time_that_is_left(client, run, tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "metrics.csv").write_text("walks\n")
    run.grow()
    run.grow(holds=False)
    (only,) = client.get("/api/runs").json()
    assert (only["id"], only["state"], only["name"]) == ("runs~small", "running", "runs/small")
    assert only["left_seconds"] == pytest.approx((STOP_WALKS - 2000) / 1000)
    found = read(client)
    assert [point["mean_regret"] for point in found["points"]] == [100, 50]
    assert found["checks"] == [["AA never folds first in", True], ["72o folds", False]]
    assert [match["mbb"] for match in found["matches"]] == [100, 50]
    assert [each["walks"] for each in found["checkpoints"]] == [1000, 2000]


def test_only_what_is_new_is_read_and_half_a_line_is_not(client, run):
    run.grow()
    assert len(read(client)["points"]) == 1
    run.grow()
    with open(run.folder / "metrics.csv", "a") as file:
        file.write("3000,3")
    found = read(client, after=1000)
    assert [point["walks"] for point in found["points"]] == [2000]
    with open(run.folder / "metrics.csv", "a") as file:
        file.write(",1000,5000,33,0.15,1\n")
    assert read(client)["last"]["walks"] == 3000
    again = run.metrics.__class__(run.folder / "metrics.csv", run.metrics.columns, 1000)
    assert len(again.rows) == 1  # a run that resumes from an older checkpoint
    assert [point["walks"] for point in read(client)["points"]] == [1000]


def test_a_line_that_was_half_written_at_the_first_look_is_read_later(client, run):
    run.grow()
    whole = (run.folder / "metrics.csv").read_text()
    (run.folder / "metrics.csv").write_text(whole[:-9])
    assert read(client)["points"] == []
    with open(run.folder / "metrics.csv", "a") as file:
        file.write(whole[-9:])
        file.write("2000,2,1000,5000,nan,0.1,1\n")
    assert [point["walks"] for point in read(client)["points"]] == [1000]


def test_two_tabs_that_read_at_the_same_moment_get_each_row_once(run, monkeypatch):
    tail = runs._Tail(run.folder / "metrics.csv")
    run.grow()
    tail.read()
    run.grow()

    def meanwhile(*given):
        monkeypatch.delattr(runs, "open")
        tail.read()  # the other thread is quicker
        return open(*given)

    monkeypatch.setattr(runs, "open", meanwhile, raising=False)
    assert [row["walks"] for row in tail.read()] == [1000, 2000]
    assert [row["walks"] for row in tail.read()] == [1000, 2000]


def test_a_run_says_why_it_ended(client, run):
    run.grow()
    run.status.end("10,000 walks are done")
    found = read(client)
    assert (found["state"], found["ended"]) == ("ended", "10,000 walks are done")
    assert found["left_seconds"] is None


def test_the_first_in_strategy_of_each_checkpoint(client, run):
    run.grow()
    run.grow()
    for walks, raised in ((1000, 0.1), (2000, 0.2)):
        (found,) = client.get(f"/api/runs/runs~small/first-in/{walks}").json()
        assert found["player"] == "the button"
        assert found["chances"][0] == pytest.approx(
            [0.9 - 0.9 * raised, 0.1 - 0.1 * raised, raised]
        )
        assert [each["label"] for each in found["actions"]] == ["fold", "call", "raise 2.5 bb"]
        assert found["actions"][0]["colours"]["usual"] == "#3b82f6"
    assert client.get("/api/runs/runs~small/first-in/7").status_code == 404


def test_a_run_that_resumes_forgets_later_checkpoints(run):
    run.grow()
    run.grow()
    from tiltless.blueprint.training.config import read_config
    from tiltless.blueprint.training.status import RunStatus, read_first_in

    RunStatus(run.folder, read_config("minute"), 1000, 1500)
    assert [row["walks"] for row in read_first_in(run.folder)] == [1000]


def test_who_watches_a_run_is_told_when_it_grows(client, run, monkeypatch):
    monkeypatch.setattr("tiltless.web.runs._LOOK_SECONDS", 0.1)
    run.grow()
    with client.websocket_connect("/api/events", headers=PAGE) as socket:
        socket.send_json({"watch": {"run:runs~small": None, "run:nothing": None}})
        assert socket.receive_json()["topic"] == "run:runs~small"
        time.sleep(0.4)  # the first look
        run.grow()
        news = socket.receive_json()
        assert (news["topic"], news["kind"]) == ("run:runs~small", "run")


@pytest.mark.parametrize("name", ["nothing", "..", "..~..", "%2e%2e%2fetc", "runs"])
def test_other_names_are_not_found(client, run, name):
    assert client.get(f"/api/runs/{name}").status_code == 404


_DOTTED = re.compile(r"(?=\b(run|last|point|match|opening)\??\.(\w+))")
_TAKEN_APART = re.compile(r"\{ ([\w, ]+) \} = (?:state\.)?(run);")


def read_by_the_page():
    """The keys that the training page reads, by the name that it has for their object."""
    script = (files("tiltless.web") / "static" / "train.js").read_text(encoding="utf-8")
    keys = defaultdict(set)
    for name, key in _DOTTED.findall(script):
        keys[name].add(key)
    for found, name in _TAKEN_APART.findall(script):
        keys[name].update(found.split(", "))
    return keys


def test_a_run_of_the_trainer_grows_as_the_page_expects(client, tmp_path, monkeypatch):
    for name, value in (("MATCH_SHARE", 1e9), ("TICK_SECONDS", 1e-9), ("MEASURED_SECONDS", 0.0)):
        monkeypatch.setattr(training, f"_{name}", value)  # ticks and matches at every block
    config, seen = small(walks=8 * BLOCK, minutes=1e-6), []

    def look(match):
        found = read(client)
        walks = found["checkpoints"][-1]["walks"]
        opening = client.get(f"/api/runs/runs~small/first-in/{walks}").json()
        seen.append((match, found, opening))

    trainer = Trainer(config, tmp_path / "runs" / "small", threads=1, match_deals=1000)
    trainer.run(on_match=look)
    assert len(seen) > 2
    keys = read_by_the_page()
    assert {"state", "left_seconds", "points", "matches"} <= keys["run"]
    assert keys["opening"] == {"player", "actions", "chances"}
    for count, (match, found, openings) in enumerate(seen, start=1):
        assert keys["run"] <= found.keys()
        assert (found["state"], found["configuration"]) == ("running", "small")
        left = (8 * BLOCK - match.walks) / found["last"]["walks_per_second"]
        assert found["left_seconds"] == pytest.approx(left)
        assert found["points"][-1] == found["last"]
        assert keys["point"] | keys["last"] <= found["last"].keys()
        assert found["last"]["walks"] == match.walks
        assert found["last"]["mean_regret"] > 0 < found["last"]["touched"] <= 1
        assert len(found["checks"]) == found["litmus"] == 5
        assert len(found["matches"]) == count
        assert keys["match"] <= found["matches"][-1].keys()
        assert found["matches"][-1]["mbb"] == pytest.approx(match.mbb)
        (opening,) = openings
        assert {*keys["opening"], "short"} <= opening.keys()
        assert [action["word"] for action in opening["actions"]] == ["fold", "call", "raise to 20"]
        assert all(action.keys() >= {"label", "colours"} for action in opening["actions"])
        assert len(opening["chances"]) == 169
        assert all(sum(row) == pytest.approx(1, abs=0.002) for row in opening["chances"])
    assert len(seen[-1][1]["points"]) > len(seen[0][1]["points"])
    assert len(seen[-1][1]["checkpoints"]) == len(seen[0][1]["checkpoints"]) + len(seen) - 1
    assert seen[-1][2] != seen[0][2]  # it has learned
    ended = read(client)
    assert (ended["state"], ended["ended"]) == ("ended", f"{8 * BLOCK:,} walks are done")
    assert client.get("/api/runs").json()[0].keys() >= {"id", "name", "state", "last"}
