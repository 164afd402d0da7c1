"""Hands for other programs."""

import csv
import importlib.util
import json
import tomllib

import pytest

from tiltless.arena.export import export, hand_record, phh_text
from tiltless.arena.match import play_stored
from tiltless.arena.plan import MatchPlan
from tiltless.arena.store import Store
from tiltless.errors import OptionError
from tiltless.games.holdem.phh import from_phh

PLAN = MatchPlan(("fish", "uniform"), 30, seed=2, chunk=20)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    with Store(tmp_path_factory.mktemp("export") / "r.sqlite") as made:
        play_stored(PLAN, made)
        play_stored(MatchPlan(("fish", "fold"), 5), made, keep_hands=False)
        yield made


def test_csv(store, tmp_path):
    path = tmp_path / "hands.csv"
    assert export(store, 1, path) == 60
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    kept = list(store.hands(1))
    assert len(rows) == 60
    assert [row["line"] for row in rows] == [row.line for row in kept]
    assert [int(row["agent_2"]) for row in rows] == [row.payoffs[1] for row in kept]
    assert (rows[1]["deal"], rows[1]["half"], rows[1]["seats"]) == ("0", "1", "2|1")


def test_json_lines(store, tmp_path):
    path, seen = tmp_path / "hands.jsonl", []
    assert export(store, 1, path, progress=seen.append) == 60
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert [row["agent_1"] for row in rows] == [row.payoffs[0] for row in store.hands(1)]
    assert seen == [60]


def test_phh(store, tmp_path):
    for row in list(store.hands(1))[:10]:
        record = from_phh(phh_text(PLAN, row), game=PLAN.table)
        assert record.events == hand_record(PLAN, row).events
        assert record.payoffs == tuple(row.payoffs[agent] for agent in row.agents)
    path = tmp_path / "hands.phhs"
    assert export(store, 1, path) == 60
    hands = tomllib.loads(path.read_text(encoding="utf-8"))
    assert len(hands) == 60
    assert sorted(hands["1"]["players"]) == ["fish", "uniform"]


@pytest.mark.parametrize(
    "plan",
    [
        MatchPlan(
            ("uniform", "fish", "rules:rollouts=10", "random", "all-in", "fold"),
            5,
            parameters={"stack": (60, 200, 100, 30, 200, 150)},
            seed=6,
        ),
        MatchPlan(
            ("uniform", "fish", "rules:rollouts=10", "random", "heuristic-1", "heuristic-2"),
            20,
            seed=7,
            carry=True,
            game_hands=10,
            chunk=10,
            mirrored=False,
        ),
    ],
    ids=["rotation", "carried stacks"],
)
def test_six_seats_as_pokerkit_reads_them(plan, tmp_path):
    """Every stored hand of six seats, side pots and players who are out: the same chips there."""
    pokerkit = pytest.importorskip("pokerkit")
    path, split = tmp_path / "six.phhs", 0
    with Store(tmp_path / "six.sqlite") as kept:
        play_stored(plan, kept)
        rows = list(kept.hands(1))
        assert export(kept, 1, path) == len(rows)
    with open(path, "rb") as file:
        histories = list(pokerkit.HandHistory.load_all(file))
    for row, history in zip(rows, histories, strict=True):
        record = hand_record(plan, row)
        *_, end = history
        order = record.game.rules.clockwise(record.button)
        odd = len(record.final.pots) > 1  # pokerkit may find the odd chips elsewhere
        split += odd
        for number, seat in enumerate(order):
            ours = row.payoffs[row.agents[seat]]
            assert ours == record.payoffs[seat]
            assert abs(end.payoffs[number] - ours) <= (len(order) if odd else 0)
        assert from_phh(phh_text(plan, row), game=record.game).payoffs == record.payoffs
    assert split
    assert len({len(row.agents) for row in rows}) > (0 if plan.mirrored else 1)


def test_parquet(store, tmp_path):
    path = tmp_path / "hands.parquet"
    if importlib.util.find_spec("pyarrow") is None:
        with pytest.raises(OptionError, match=r"tiltless\[analysis\]"):
            export(store, 1, path)
        return
    from pyarrow import parquet

    assert export(store, 1, path) == 60
    table = parquet.read_table(path).to_pylist()
    assert [row["line"] for row in table] == [row.line for row in store.hands(1)]
    assert [row["agent_1"] for row in table] == [row.payoffs[0] for row in store.hands(1)]
    record = play_stored(MatchPlan(("arena.match_runner:Sayer", "fish"), 20, trusted=True), store)
    export(store, record.number, path)
    about = parquet.read_schema(path).metadata
    assert json.loads(about[b"sources"]) == [dict(record.scores[0].sources.counts), {}]
    assert record.scores[0].sources.counts


def test_names_with_signs():
    plan = MatchPlan(("fish", "monte-carlo:rollouts=10"), 5)
    from tiltless.arena.chunk import play_chunk

    row = play_chunk(plan, 0, plan.make_agents()).hands[0]
    assert hand_record(plan, row).names == ("fish", "monte-carlo rollouts=10")


def test_refusals(store, tmp_path):
    with pytest.raises(OptionError, match=r"\.csv, \.jsonl, \.parquet.*\.phhs"):
        export(store, 1, tmp_path / "hands.txt")
    with pytest.raises(OptionError, match="--no-hands"):
        export(store, 2, tmp_path / "hands.csv")
    with pytest.raises(OptionError, match="match 9"):
        export(store, 9, tmp_path / "hands.csv")
    assert not (tmp_path / "hands.csv").exists()
