"""Values before the turn on the pages: reviews and drills play decisions out, if tables are there.

Here the buckets of the shipped blueprint are computed board by board instead of read from tables,
which take minutes to build, and tasks run in threads of this process.
"""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from tiltless.abstraction.cards.fill import filled
from tiltless.abstraction.cards.tables import Tables, build_tables
from tiltless.agents import continuations
from tiltless.agents.blueprint import BlueprintAgent, load_blueprint
from tiltless.agents.continuations import continuation_of, early_streets
from tiltless.blueprint.shipped import find_blueprint
from tiltless.cards.card import COMBO_OF, parse_cards
from tiltless.errors import FileError
from tiltless.games import load
from tiltless.games.game import CHANCE, TERMINAL
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, RaiseTo
from tiltless.intervals import Interval
from tiltless.search.review import GRADES, grade, review_hand
from tiltless.search.review_rows import by_size
from tiltless.web import tasks
from tiltless.web.answers.review import totals_json
from tiltless.web.app import make_app
from tiltless.web.blueprint_values import HandValues, hand_values
from tiltless.web.drills import _values, graded
from tiltless.web.tasks import JobContext
from tiltless.web.workers import Job
from web.conftest import TOKEN, run
from web.test_drill import answered, begun
from web.test_tables import act, opened, reviewed

GAME = load("nlhe", seats=2, stack="100bb")
FEW = 100
"""Playouts: each has a flop of its own, whose buckets take milliseconds."""


_SEEN = {}


@dataclass(frozen=True)
class Computed:
    """Buckets of a street without its table."""

    rule: Any

    @property
    def count(self):
        return self.rule.count

    def fill(self, cards, street, bucket):
        boards, which = np.unique(cards[:, 4 : 6 + street], axis=0, return_inverse=True)
        for at, board in enumerate(boards):
            rows, key = which.ravel() == at, board.tobytes()
            if key not in _SEEN:
                _SEEN[key] = self.rule.buckets(board)
            found = _SEEN[key]
            for player in (0, 1):
                hands = cards[rows, 2 * player], cards[rows, 2 * player + 1]
                bucket[rows, player, street] = found[COMBO_OF[hands]]


def computed(abstraction, verify):
    later = map(Computed, abstraction.streets[1:])
    return Tables(abstraction, (filled(abstraction, 0), *later), ())


@pytest.fixture
def tables(monkeypatch):
    """As if bucket tables had been built."""
    monkeypatch.setattr(continuations, "missing_tables", lambda _: {})
    monkeypatch.setattr(continuations, "open_tables", computed)
    continuations._opened.cache_clear()
    yield
    continuations._opened.cache_clear()


@pytest.fixture
def no_tables(monkeypatch, tmp_path):
    """A cache without tables."""
    monkeypatch.setenv("TILTLESS_CACHE", str(tmp_path / "cache"))
    yield
    assert not (tmp_path / "cache").exists()  # and nothing is built


class Threads:
    """Stands in for `WorkerPool`."""

    def __init__(self, processes, **_):
        self.pool, self.kept = ThreadPoolExecutor(processes), {}

    def submit(self, task, arguments, *, key="", tell=None):
        job = Job(task, arguments, key, tell or (lambda _: None))
        kept = self.kept.setdefault(key, {})

        def work():
            context = JobContext(kept, job.cancelled.is_set, job.enough.is_set, job.tell)
            try:
                job.result.set_result(tasks.TASKS[task](context, **arguments))
            except Exception as problem:
                job.result.set_exception(problem)

        self.pool.submit(work)
        return job

    def run(self, task, arguments, *, key=""):
        return self.submit(task, arguments, key=key).result.result()

    def close(self):
        self.pool.shutdown()


@pytest.fixture
def here(monkeypatch, tmp_path):
    """The application with tasks in this process, and with playouts."""
    monkeypatch.setattr("tiltless.web.app.WorkerPool", Threads)
    app = make_app(tmp_path / "web", TOKEN, rate=1e6, watched=tmp_path, playouts=FEW)
    with TestClient(app, base_url="http://127.0.0.1:8432") as client:
        client.headers["x-tiltless-token"] = TOKEN
        yield client


def played(actions, hero, villain, game=GAME, board=("Kh8s2c", "5d", "9h")):
    """A hand as the button saw it."""
    state, todo = game.start(0), list(actions)
    cards = iter(map(parse_cards, (hero, villain, *board)))
    while state.actor != TERMINAL:
        state = state.apply(next(cards) if state.actor == CHANCE else todo.pop(0))
    return state.view(0)


def review(view, *, seconds=0.0, playouts=FEW, stopped=False):
    told = []
    context = JobContext({}, lambda: stopped, lambda: False, told.append)
    assert tasks.review(context, view, seconds, playouts) == told
    return told


# --- reviews ----------------------------------------------------------------------------------


def test_a_review_has_the_values_and_intervals_of_playouts(tables):
    view = played([FOLD], "KdKh", "7c2d")
    (row,) = review(view)
    agent = BlueprintAgent()
    early = early_streets(agent.at(view.rules), FEW)
    (exact,) = review_hand(view, agent.policies, early=early)
    found = dict(zip(exact.values, exact.errors, strict=True))
    found = {action: (value / 2, 1.96 * error / 2) for (action, value), error in found.items()}
    every = sorted(found, key=by_size)
    assert len(every) > 2
    for each, action in zip(row["actions"], every, strict=True):
        assert (each["value"], each["margin"]) == pytest.approx(found[action], abs=1e-3)
    assert found[FOLD] == (0, 0)
    assert row["cost"] == pytest.approx(exact.cost / 2, abs=1e-3)
    assert row["margin"] == pytest.approx(exact.lost.half_width / 2, abs=1e-3)
    assert row["margin"] > 0
    assert row["grade"] == grade(exact.lost.low, view.pot)
    assert row["unclear"] == (row["grade"] in ("best", "good"))
    assert (row["note"], row["solved"], row["mine"]) == ("", False, True)


def test_a_terrible_fold_before_the_flop_is_a_blunder(tables):
    line = [RaiseTo(5), RaiseTo(200), FOLD]
    row = [row for row in review(played(line, "AsAh", "7c2d")) if row["mine"]][-1]
    assert (row["grade"], row["unclear"]) == ("blunder", False)
    assert row["cost"] > row["margin"] > 0
    assert row["best"] == "Call 195"


def test_an_action_that_the_blueprint_lacks_is_valued_too(tables):
    raised = played([RaiseTo(5), FOLD], "AsKs", "7c2d")
    (row,) = (each for each in review(raised) if each["mine"])
    (taken,) = (each for each in row["actions"] if each["taken"])
    assert (taken["bb"], taken["probability"]) == (2.5, None)
    assert taken["value"] is not None
    assert row["cost"] is not None
    assert all(len(shares) == len(row["actions"]) for shares in row["grid"]["strategy"])


def test_cards_that_the_opponent_had_change_nothing(tables):
    """Neither is any of them in it."""
    line = [RaiseTo(5), CALL, CHECK, RaiseTo(6), FOLD]
    one, two = (json.dumps(review(played(line, "AsKs", other))) for other in ("7c2d", "QcQd"))
    assert one == two
    assert "7c" not in one
    rows = json.loads(one)
    assert [row["cost"] is not None for row in rows] == [row["mine"] for row in rows]
    assert {row["street"] for row in rows if row["mine"]} == {"preflop", "flop"}


def test_the_solved_streets_come_with_values_as_before(tables):
    line = [RaiseTo(5), CALL, CHECK, CHECK, CHECK, CHECK, CHECK, CHECK]
    rows = [row for row in review(played(line, "AsKs", "7c2d"), seconds=0.1) if row["mine"]]
    assert [row["solved"] for row in rows] == [False, False, True, True]
    assert all(row["cost"] is not None for row in rows)
    assert [row["margin"] > 0 for row in rows[2:]] == [False, False]
    assert all(each["margin"] == 0 for row in rows[2:] for each in row["actions"])


def test_a_review_that_is_stopped_plays_nothing_out(tables):
    (row,) = review(played([FOLD], "KdKh", "7c2d"), stopped=True)
    assert row["cost"] is None


def test_without_tables_the_review_says_so_and_builds_nothing(no_tables):
    (row,) = review(played([FOLD], "KdKh", "7c2d"))
    assert (row["cost"], row["grade"]) == (None, None)
    assert "`tiltless abstraction build board-aware`" in row["note"]
    assert row["probability"] is not None


def test_damaged_tables_are_like_missing_ones(tables, monkeypatch):
    def damaged(abstraction, verify):
        raise FileError("the table is damaged")

    monkeypatch.setattr(continuations, "open_tables", damaged)
    (row,) = review(played([FOLD], "KdKh", "7c2d"))
    assert row["cost"] is None
    assert "build them" in row["note"]
    asked = {"name": "hundred", "line": "", "board": "", "hand": "KdKh", "playouts": FEW}
    pool = Threads(1)
    question = pool.submit("blueprint-values", asked)  # of a drill
    pool.close()
    assert run(_values(question)) is None


def test_stacks_that_the_blueprint_does_not_know_have_no_values_before_the_turn(tables):
    game = load("nlhe", seats=2, stack="50bb")
    line = [RaiseTo(5), CALL, CHECK, CHECK, CHECK, CHECK, CHECK, CHECK]
    rows = [row for row in review(played(line, "AsKs", "7c2d", game), seconds=0.1) if row["mine"]]
    assert [row["cost"] is None for row in rows] == [True, True, False, False]
    assert all("stacks of 50 big blinds" in row["note"] for row in rows[:2])
    assert [row["note"] for row in rows[2:]] == ["", ""]


def test_totals_of_a_hand():
    rows = [
        {"mine": True, "street": "preflop", "cost": -0.2, "margin": 0.3},
        {"mine": False, "street": "preflop", "cost": 9.0, "margin": 9.0},
        {"mine": True, "street": "flop", "cost": None, "margin": None},
        {"mine": True, "street": "preflop", "cost": 0.5, "margin": 0.4},
        {"mine": True, "street": "turn", "cost": 1.0, "margin": 0.0},
    ]
    assert totals_json(rows) == {
        "decisions": 3,
        "cost": 1.3,
        "margin": 0.5,
        "streets": [
            {"street": "preflop", "decisions": 2, "cost": 0.3, "margin": 0.5},
            {"street": "turn", "decisions": 1, "cost": 1.0, "margin": 0.0},
        ],
    }
    assert totals_json([])["cost"] == 0


def test_the_interface_reviews_decisions_before_the_turn(tables, here):
    data = opened(here, opponents=["uniform"], position=0)
    data = act(here, data, "fold").json()
    found = reviewed(here, data).json()
    (row,) = found["rows"]
    assert row["cost"] is not None
    assert {name: found["cost"][name] for name in ("cost", "margin")} == {
        name: row[name] for name in ("cost", "margin")
    }
    assert [each["street"] for each in found["cost"]["streets"]] == ["preflop"]


# --- drills -----------------------------------------------------------------------------------


@pytest.mark.parametrize("line", ["", "r4 c / x"])
def test_a_drill_before_the_turn_has_costs(tables, here, line):
    drill, total = begun(here, kind="blueprint", name="hundred", line=line), 0.0
    assert drill["score"]["cost"] is None
    for count in (1, 2):
        question = drill["question"]
        words = [row["word"] for row in question["actions"]]
        drill = answered(here, drill, words[0]).json()
        found, unit = drill["answer"], question["big_blind"]
        values, margins = found["values"], found["margins"]
        assert len(values) == len(margins) == len(words)
        if words[0] == "f":
            assert values[0] == margins[0] == 0
        assert max(margins) > 0
        assert abs(found["cost"] - (max(values) - values[0])) <= 2 * sum(margins)
        low = unit * (found["cost"] - found["margin"])
        assert found["grade"] == grade(low, question["pot"])
        assert low <= 0 or found["best"] != words[0]
        total += found["cost"]
        assert drill["score"]["cost"] == pytest.approx(total, abs=2e-3)
        assert drill["score"]["valued"] == count


def test_values_of_a_drill_are_those_of_the_review(tables):
    """The first decision: all hands are possible, so both ask the same."""
    known = load_blueprint(find_blueprint())
    ours = hand_values(known, "", "", "KdKh", playouts=FEW)
    (row,) = review(played([FOLD], "KdKh", "7c2d"))
    assert len(ours.evs) == len(row["actions"])
    for ev, margin, each in zip(ours.evs, ours.margins, row["actions"], strict=True):
        assert ev / 2 == pytest.approx(each["value"], abs=1.5 * (margin / 2 + each["margin"]))
    assert (0, 0, 0) in ours.costs  # of the best
    assert ours == hand_values(known, "", "", "KdKh", playouts=FEW)
    assert hand_values(known, "", "", "KdKh", playouts=FEW, stop=lambda: True) == HandValues()
    assert hand_values(known, "", "", "KdKh") == HandValues()
    fold, *_, shove = hand_values(known, "r4 c / b4", "Kh8s2c", "KdKc", playouts=2000).costs
    assert fold.low > shove.low > 0  # three kings against a bet


@pytest.mark.slow  # builds the bucket tables of the blueprint
def test_tables_give_the_same_values(tables, monkeypatch):
    known = load_blueprint(find_blueprint())
    questions = [("", "", "QsQd"), ("r4 c / b4", "Kh8s2c", "KdQc")]
    here = [hand_values(known, *each, playouts=FEW) for each in questions]
    build_tables(known.blueprint.abstraction)
    monkeypatch.undo()
    continuations._opened.cache_clear()
    assert [hand_values(known, *each, playouts=FEW) for each in questions] == here
    assert all(each.evs for each in here)


def test_without_tables_a_drill_grades_by_frequency_and_says_so(no_tables, here):
    drill = begun(here, kind="blueprint", name="hundred", line="r4 c / x")
    drill = answered(here, drill, drill["question"]["actions"][0]["word"]).json()
    found = drill["answer"]
    assert (found["cost"], found["values"], drill["score"]["cost"]) == (None, None, None)
    assert (found["grade"] == "mistake") == (found["share"] < 0.02)
    assert "`tiltless abstraction build board-aware`" in found["note"]
    assert continuation_of(load_blueprint(find_blueprint())) is None


@pytest.mark.parametrize(
    ("low", "given"), [(-1.0, "best"), (0.01, "best"), (0.15, "good"), (0.5, "inaccuracy")]
)
def test_noise_is_no_mistake(low, given):
    """The lower end of the interval is graded: here a mean cost of a fifth of the pot."""
    mix = [0.6, 0.4] if low <= 0 else [1.0, 0.0]  # what is as good and more usual is the best
    node = {
        "kind": "blueprint",
        "big_blind": 2,
        "pot": 10,
        "actions": [{"word": "f"}, {"word": "c"}],
        "classes": {"weight": [], "strategy": []},
    }
    cost = Interval(2.1, low, 4.2 - low)
    values = HandValues((0.0, 2.1), (0.0, 1.0), (cost, Interval(0.0, 0.0, 0.0)))
    found = graded(node, {"mix": mix}, "f", values)
    assert (found["grade"], found["best"]) == (given, "f" if low <= 0 else "c")
    assert (found["cost"], found["margin"]) == pytest.approx((1.05, (2.1 - low) / 2), abs=1e-3)
    assert given in GRADES
    assert graded(node, {"mix": [0.0, 1.0]}, "f")["grade"] == "mistake"  # by frequency
