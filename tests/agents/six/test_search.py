"""Search at tables of several seats: who is searched, what is played and believed, and the time."""

from random import Random

import numpy as np
import pytest

from helpers.small_six import random_model
from tiltless.agents.agent import Clock
from tiltless.agents.registry import make_agent
from tiltless.agents.six import search as six_search
from tiltless.agents.six.search import SixSearchAgent
from tiltless.agents.spot_query import spot_view
from tiltless.agents.thinking_time import compiling
from tiltless.cards.card import COMBO_OF, parse_cards
from tiltless.errors import OptionError
from tiltless.games.game import CHANCE, TERMINAL
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, RaiseTo
from tiltless.games.registry import load
from tiltless.search.beliefs import seat_ranges
from tiltless.search.table_streets import Spread, table_start

GAME = load("nlhe", seats=4, stack="20bb")
PAIR = "f r2.5bb f c / x x / x x / x"  # the button and the big blind
THREE = "f r2.5bb c c / x x x / x x x / "
BOARD = "AsKsQs2d2c"
NUTS, NOTHING = (COMBO_OF[tuple(parse_cards(text))] for text in ("JsTs", "4c3d"))


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("six") / "six.safetensors"
    random_model().compact().save(path)
    return path


@pytest.fixture
def agent(path):
    return make_agent(f"six:file={path},search,iterations=60")


def folds(told, hand):
    return told.chances[hand, told.actions.index(FOLD)] if FOLD in told.actions else 0.0


@pytest.mark.parametrize("line", [PAIR, THREE], ids=["two", "three"])
def test_rivers_are_solved_with_the_model_s_ranges(agent, line):
    """A royal flush never folds to a bet, and four high does not call it."""
    view = spot_view(GAME, f"{line.rstrip()} r60%", BOARD)
    told = agent.policies(view)
    assert folds(told, NUTS) < 0.01
    assert folds(told, NOTHING) > 0.9
    some = told.chances.sum(axis=1) > 0.5
    assert some.sum() == 47 * 46 // 2
    np.testing.assert_allclose(told.chances[some].sum(axis=1), 1, atol=1e-5)
    blueprint = agent.blueprint.policies(view)
    assert folds(blueprint, NUTS) > 0.02  # a random model: not what was played here


def test_act_plays_what_policies_tell_and_solves_a_street_once(agent, path):
    view = spot_view(GAME, f"{PAIR} r60%", BOARD)
    mine = view._replace(cards=tuple(parse_cards("JsTs")))
    decision = agent.act(mine, Clock(), Random(1))
    assert (decision.source, agent.counts["solved"]) == ("search", 1)
    told = agent.policies(view)
    row = dict(zip(told.actions, told.chances[NUTS].tolist(), strict=True))
    assert dict(decision.policy) == {action: p for action, p in row.items() if p > 0}
    agent.act(mine, Clock(), Random(2))
    assert (agent.counts["solved"], agent.counts["reused"]) == (1, 1)
    again = make_agent(f"six:file={path},search,iterations=60")
    np.testing.assert_array_equal(again.policies(view).chances, told.chances)


class Bets:
    """A solution that bets three times in four; ``solved`` counts how many were made."""

    solved = 0

    def __init__(self, *_):
        Bets.solved += 1

    def played(self, line, position):
        return Spread((CHECK, RaiseTo(9)), np.tile([0.25, 0.75], (1326, 1)))

    believed = played


@pytest.fixture
def quick(monkeypatch):
    """Every search succeeds at once, whatever its time: only whether it starts is left."""
    monkeypatch.setattr(Bets, "solved", 0)
    monkeypatch.setattr(SixSearchAgent, "_solve_pair", Bets)
    monkeypatch.setattr(SixSearchAgent, "_sample", Bets)


def assert_same(decision, told):
    row = dict(zip(told.actions, told.chances[NUTS].tolist(), strict=True))
    assert dict(decision.policy) == {action: p for action, p in row.items() if p > 0}


@pytest.mark.parametrize(
    ("line", "letters", "searched"),
    [
        ("f r2.5bb f c / x", 6, False),
        ("f r2.5bb c c / x", 6, False),
        ("f r2.5bb f c / x x / x", 8, False),
        ("f r2.5bb c c / x x x / x", 8, False),
        (PAIR, 10, True),
        (f"{THREE} x", 10, True),
    ],
    ids=["flop-2", "flop-3", "turn-2", "turn-3", "river-2", "river-3"],
)
@pytest.mark.parametrize(
    "options", ["seconds=0.2", "total=0.5,hands=5", "total=0.5,hands=5,iterations=3"]
)
def test_policies_start_no_search_that_act_would_not(path, quick, line, letters, searched, options):
    """0.2 s, and a share of a match clock of about as much: enough for rivers only."""
    view = spot_view(GAME, line, BOARD[:letters])
    told = make_agent(f"six:file={path},search,{options}").policies(view)
    agent = make_agent(f"six:file={path},search,{options}")
    decision = agent.act(view._replace(cards=tuple(parse_cards("JsTs"))), Clock(), Random(1))
    assert (decision.source == "search") is searched
    assert Bets.solved == 2 * searched
    assert_same(decision, told)
    assert_same(decision, agent.policies(view))


def test_a_decision_without_time_stays_the_blueprint_s_until_it_is_searched(path, quick):
    agent = make_agent(f"six:file={path},search,seconds=0.2")
    view = spot_view(GAME, PAIR, BOARD)
    mine = view._replace(cards=tuple(parse_cards("JsTs")))
    late = agent.act(mine, Clock(0.001), Random(1))
    assert "search" not in late.source
    assert_same(late, agent.policies(view))
    assert Bets.solved == 0
    searched = agent.act(mine, Clock(), Random(1))
    assert searched.source == "search"
    assert_same(searched, agent.policies(view))
    assert Bets.solved == 1


def test_what_is_told_without_a_dealer_s_clock_is_played_with_one(path, quick):
    """A solution that exists costs no time."""
    agent = make_agent(f"six:file={path},search,seconds=0.2")
    view = spot_view(GAME, PAIR, BOARD)
    told = agent.policies(view)
    mine = view._replace(cards=tuple(parse_cards("JsTs")))
    assert_same(agent.act(mine, Clock(0.001), Random(1)), told)


class OneLine:
    """A solution that lacks all lines but its own, and checks less often than the one before."""

    made = 0

    def __init__(self, view, here, *_):
        OneLine.made += 1
        self.line, self.number = here.start.line, OneLine.made

    def played(self, line, position):
        check = 1 / (1 + self.number)
        row = Spread((CHECK, RaiseTo(9)), np.tile([check, 1 - check], (1326, 1)))
        return row if line == self.line else None

    believed = played


def test_a_hand_of_many_solutions_is_told_as_it_was_played(path, monkeypatch):
    """Eight bets in one hand, each of which no tree had; those of the hand before are dropped."""
    monkeypatch.setattr(OneLine, "made", 0)
    monkeypatch.setattr(SixSearchAgent, "_solve_pair", OneLine)
    monkeypatch.setattr(six_search, "warm_up", lambda *_: None)
    agent = make_agent(f"six:file={path},search,seconds=0.2")
    raises = [f"r{size}bb" for size in range(1, 15)]
    lines = [" ".join([PAIR, *raises[:count]]) for count in range(0, 15, 2)]
    for board in (BOARD, "AsKsQs2d2h"):
        views = [spot_view(GAME, line, board) for line in lines]
        agent.hand_start(views[0])
        held = tuple(parse_cards("JsTs"))
        decisions = [agent.act(view._replace(cards=held), Clock(), Random(1)) for view in views]
        for view, decision in zip(views, decisions, strict=True):
            assert decision.source == "search"
            assert_same(decision, agent.policies(view))
    assert OneLine.made == 2 * len(views)
    assert len(agent._solved) == len(views)


def test_nothing_is_compiled_after_the_first_hand_has_begun(path, monkeypatch):
    """Two and three players on all streets, once in a process; no decision waits for it."""
    asked, policies = [], SixSearchAgent.policies
    monkeypatch.setattr(six_search, "_warm", set())
    monkeypatch.setattr(
        SixSearchAgent, "policies", lambda agent, view: asked.append(view) or policies(agent, view)
    )
    agent = make_agent(f"six:file={path},search,iterations=16")
    rivers = [spot_view(GAME, line, BOARD) for line in (PAIR, f"{THREE} x")]
    turn = spot_view(GAME, "f r2.5bb f c / x x / x", BOARD[:8])
    for _ in range(2):
        agent.hand_start(turn)
    make_agent(f"six:file={path},search,seconds=0.5").hand_start(turn)
    starts = [(len(table_start(view).order), view.street) for view in asked]
    assert starts == [(2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (3, 3)]
    assert sum(agent.counts.values()) == 0
    before = compiling.total
    for view in (turn, *rivers):
        agent.act(view, Clock(), Random(1))
    assert agent.counts["solved"] == 3
    assert compiling.total == before


def test_other_decisions_are_the_blueprint_s(agent, path):
    """Before the flop, four on the flop, an all-in player among three, and too little time."""
    four = spot_view(GAME, "c c c x / x", "AsKsQs")
    short = load("nlhe", seats=4, stack=(40, 5, 40, 40))
    all_in = spot_view(short, "f r2.5bb c c / x", "AsKsQs")
    for view in (spot_view(GAME, "f r2.5bb"), four, all_in):
        assert table_start(view) is None or len(table_start(view).order) == 4
        np.testing.assert_array_equal(
            agent.policies(view).chances, agent.blueprint.policies(view).chances
        )
    hasty = make_agent(f"six:file={path},search,seconds=0.05")
    river = spot_view(GAME, THREE, BOARD)
    decision = hasty.act(river._replace(cards=tuple(parse_cards("JsTs"))), Clock(), Random(1))
    assert "search" not in decision.source
    assert hasty.counts["late"] == 1


def test_the_start_of_a_street_with_unequal_stacks():
    """The pot with the blinds of those who folded, and what the two deepest can win."""
    game = load("nlhe", seats=4, stack=(40, 60, 30, 50))
    view = spot_view(game, "r6 f c c / r9 c c / x", "AsKsQs2d")  # seats 1, 2 and 3
    order, start = table_start(view)
    assert order == (1, 2, 3)
    assert (start.pot, start.stack, len(start.board)) == (45, 35, 4)
    assert len(start.line) == 1
    big = spot_view(game, "r6 f c c / r9 c c / r45", "AsKsQs2d")
    assert table_start(big).start.line == (RaiseTo(35),)


def test_ranges_of_seats_follow_bayes_rule(agent):
    """One decision each: a range is the probability of it; those who folded have none."""
    view = spot_view(GAME, "f r2.5bb c c / x", "AsKsQs")
    before = spot_view(GAME, "f r2.5bb")  # the small blind, who calls
    ranges = seat_ranges(
        view, lambda past: agent.blueprint.policies(past.view), (1, 2, 0), streets=1
    )
    told = agent.blueprint.policies(before)
    wanted = told.chances[:, told.actions.index(CALL)].astype(float)
    wanted[[any(card in parse_cards("AsKsQs") for card in hand) for hand in _hands()]] = 0
    np.testing.assert_allclose(ranges[0], wanted / wanted.max(), rtol=1e-6)
    assert ranges.shape == (3, 1326)
    assert (ranges.max(axis=1) == 1).all()


def _hands():
    from tiltless.cards.card import COMBO_CARDS

    return COMBO_CARDS.tolist()


def test_a_street_that_was_searched_is_believed(agent):
    """On the river the turn's decisions come from its solution, not from the blueprint."""
    turn = spot_view(GAME, "f r2.5bb f c / x x / x", BOARD[:8])
    agent.policies(turn)
    river = spot_view(GAME, PAIR, BOARD)
    found = agent._ranges(river, table_start(river))
    plain = seat_ranges(
        river,
        lambda past: agent.blueprint.policies(past.view),
        table_start(river).order,
        own=river.seat,
        streets=3,
    )
    assert abs(found - plain).max() > 0.05


@pytest.mark.parametrize("parameters", [{"stack": "20bb"}, {"stack": (40, 12, 300, 90), "ante": 1}])
def test_play_is_legal(path, parameters):
    agent, rng = make_agent(f"six:file={path},search,iterations=1"), Random(5)
    game = load("nlhe", seats=4, **parameters)
    agent.check_table(game.name, game.rules)
    for hand in range(40):
        state = game.start(button=hand % 4)
        while state.actor != TERMINAL:
            if state.actor == CHANCE:
                state = state.apply(state.chance.sample(rng))
                continue
            view = state.view(state.actor)
            decision = agent.act(view, Clock(), rng)
            assert decision.action in view.actions
            state = state.apply(decision.action)
    assert agent.counts["solved"] > 0


def test_options(path):
    for wrong in ("seconds=0", "threads=0", "iterations=-1", "total=-1", "hands=0"):
        with pytest.raises(OptionError):
            make_agent(f"six:file={path},search,{wrong}")
    clocked = make_agent(f"six:file={path},search,total=0.001")
    view = spot_view(GAME, f"{PAIR} r60%", BOARD)._replace(cards=tuple(parse_cards("JsTs")))
    clocked.hand_start(view)
    assert "search" not in clocked.act(view, Clock(), Random(1)).source
    plain = make_agent(f"six:file={path},search").fingerprint()
    assert plain != make_agent(f"six:file={path}").fingerprint()
    with pytest.raises(OptionError):
        clocked.check_table("nlhe", load("nlhe").rules)
