import pytest

from helpers.playing import deal, play
from tiltless.agents import heuristics, make_agent
from tiltless.agents.agent import Clock
from tiltless.agents.heuristics import Genes, Tuned, points
from tiltless.agents.win_rate import WinRate
from tiltless.cards.card import COMBO_CARDS, parse_cards
from tiltless.cards.hand_order import SHORT_DECK, STANDARD, permuted
from tiltless.errors import OptionError
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, RaiseTo
from tiltless.games.holdem.variants import nlhe
from tiltless.seeding import SeededRandom

GAME = nlhe(stack=1000, blinds=(5, 10))
SIX = nlhe(seats=6, stack=1000, blinds=(5, 10))
BOARD = "Qs7h2c9d3s"


def decide(agent, state):
    return make_agent(agent).act(state.view(state.actor), Clock(), SeededRandom(1)).action


def rated(monkeypatch, rate, agent, state, luck=1):
    counts = WinRate(round(1000 * rate), 0, 1000)
    monkeypatch.setattr(heuristics, "win_rate", lambda *_, **__: counts)
    return agent.act(state.view(state.actor), Clock(), SeededRandom(luck)).action


@pytest.mark.parametrize(
    ("hand", "expected"),
    [
        ("AsAh", 20),
        ("KsKh", 16),
        ("5s5h", 5),
        ("8s8h", 8),
        ("2s2h", 5),
        ("AsKs", 12),
        ("AsKh", 10),
        ("JsTs", 9),
        ("JsTh", 7),
        ("Ts8s", 7),
        ("7s2h", -1.5),
        ("As5s", 7),
        ("QsJs", 9),
        ("KsTs", 8),
    ],
)
def test_chen_points(hand, expected):
    assert points(parse_cards(hand), STANDARD) == expected


def test_points_go_by_the_true_ranks():
    order = permuted("A23456789TJQK")
    assert points(parse_cards("KsKh"), order) == 20
    assert points(parse_cards("AsAh"), order) == 5


def test_the_chart_orders_all_hands():
    chart = heuristics._chart(STANDARD)
    assert min(chart) == 0.0
    assert sum(part == 0.0 for part in chart) == 6  # the aces
    for share in (0.06, 0.22, 0.45, 0.75):
        assert abs(sum(part < share for part in chart) / 1326 - share) < 0.02
    short = heuristics._chart(SHORT_DECK)
    low = [part for part, (x, _) in zip(short, COMBO_CARDS, strict=True) if x < 16]
    assert set(low) == {1.0}


@pytest.mark.parametrize(
    ("hand", "seat", "action"),
    [
        ("AsAh", 3, RaiseTo(25)),
        ("Ts9s", 3, RaiseTo(25)),
        ("KdTh", 3, FOLD),
        ("KdTh", 0, RaiseTo(25)),
        ("7d2h", 0, FOLD),
    ],
)
def test_later_seats_open_more_hands(hand, seat, action):
    cards = ["2c2d", "3c3d", "4c4d", "5c5d", "6c6h", "8c8d"]
    cards[seat] = hand
    state = play(deal(SIX, " ".join(cards)), "" if seat == 3 else "f f f")
    assert state.actor == seat
    assert decide("rules", state) == action


def test_a_raise_over_callers_is_a_big_blind_larger_for_each():
    state = play(deal(SIX, "2c2d 3c3d 4c4d 5c5d 6c6h AsAh"), "c c")
    assert state.actor == 5
    assert decide("rules", state) == RaiseTo(25 + 2 * 10)


@pytest.mark.parametrize(
    ("script", "hand", "action"),
    [
        ("c", "AsAh", RaiseTo(30)),
        ("c", "7d2h", CHECK),
        ("r30", "AsAh", RaiseTo(90)),
        ("r30", "AsTh", CALL),
        ("r30", "7d2h", FOLD),
        ("r1000", "AsAh", CALL),
        ("r1000", "AsTh", FOLD),
    ],
)
def test_the_big_blind_answers_by_chart(script, hand, action):
    state = play(deal(GAME, f"5c4d {hand}"), script)
    assert decide("rules", state) == action


def test_cheap_calls_are_made_with_more_hands():
    hands = "5c4d Ts7h"
    assert decide("rules", play(deal(GAME, hands), "r20")) == FOLD
    cheap = nlhe(stack=1000, blinds=(9, 10), ante=100)
    assert decide("rules", play(deal(cheap, hands), "r20")) == CALL


@pytest.mark.parametrize(
    ("script", "rate", "action"),
    [
        ("c k", 0.61, CHECK),
        ("c k", 0.63, RaiseTo(10)),
        ("c k", 0.79, RaiseTo(20)),
        ("c k r20", 0.39, FOLD),
        ("c k r20", 0.41, CALL),
        ("c k r20", 0.84, CALL),
        ("c k r20", 0.86, RaiseTo(80)),
    ],
)
def test_value_bets_and_pot_odds_after_the_flop(monkeypatch, script, rate, action):
    state = play(deal(GAME), script, BOARD)
    assert rated(monkeypatch, rate, make_agent("rules"), state) == action


GENES = Genes(open=0.6, bet=0.5, again=0.8, timid=0.5, size=0.2, bluff=0.0)


@pytest.mark.parametrize(
    ("script", "rate", "action"),
    [
        ("", 0.61, RaiseTo(20)),
        ("", 0.59, CALL),
        ("", 0.2, FOLD),
        ("c k", 0.49, CHECK),
        ("c k", 0.51, RaiseTo(10)),
        ("c k r20", 0.43, FOLD),
        ("c k r20", 0.44, CALL),
        ("c k r20", 0.81, RaiseTo(50)),
    ],
)
def test_genes_decide(monkeypatch, script, rate, action):
    state = play(deal(GAME), script, BOARD)
    assert rated(monkeypatch, rate, Tuned(GENES), state) == action


def test_bluffs_are_as_frequent_as_their_gene(monkeypatch):
    state = play(deal(GAME), "c k", BOARD)
    agent = Tuned(GENES._replace(bluff=0.5))
    words = [n * 0x9E3779B97F4A7C15 % 2**64 for n in range(1000)]
    bets = sum(rated(monkeypatch, 0.1, agent, state, n) == RaiseTo(10) for n in words)
    assert abs(bets - 100) < 40
    raised = play(state, "r20", BOARD)
    assert all(rated(monkeypatch, 0.1, agent, raised, n) == FOLD for n in words)


def test_bad_options_are_refused():
    with pytest.raises(OptionError, match="rollouts=0"):
        make_agent("rules:rollouts=0")
    with pytest.raises(OptionError, match="rollouts=0"):
        make_agent("heuristic-2:rollouts=0")
