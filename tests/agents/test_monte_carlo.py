import numpy as np
import pytest

from helpers.playing import deal, play
from tiltless.agents import make_agent
from tiltless.agents.agent import Clock
from tiltless.agents.monte_carlo import MonteCarlo, heads_up_rate, price, sized_raise
from tiltless.agents.opponent_model import board_strengths, opponent_ranges
from tiltless.agents.win_rate import WinRate, win_rate
from tiltless.arena.dealer import Seated, play_hand, shuffled_decks
from tiltless.cards.card import combo_index, parse_cards
from tiltless.cards.hand_equity import hand_equities
from tiltless.cards.hand_order import STANDARD
from tiltless.errors import OptionError
from tiltless.games import load
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, RaiseTo
from tiltless.games.holdem.variants import nlhe, toy_holdem
from tiltless.seeding import SeededRandom

GAME = nlhe(stack=1000, blinds=(5, 10), free_fold=True)
DECK = (1 << 52) - 1
ACE_KING = 0.6532  # offsuit against a random hand


def rated(monkeypatch, rate, agent, state):
    """The action of an agent at a given win rate, without ties."""
    counts = WinRate(round(10_000 * rate), 0, 10_000)
    monkeypatch.setattr("tiltless.agents.monte_carlo.win_rate", lambda *_, **__: counts)
    return make_agent(agent).act(state.view(state.actor), Clock(), SeededRandom()).action


BOARD = "Qs7h2c9d3s"
STREETS = ["", "c k", "c k k k", "c k k k k k"]


@pytest.mark.parametrize(
    ("street", "call", "once", "twice"),
    [(0, 0.13, 0.17, 0.20), (1, 0.30, 0.45, 0.55), (2, 0.40, 0.47, 0.47), (3, 0.70, 0.80, 0.90)],
)
def test_thresholds_by_street(monkeypatch, street, call, once, twice):
    free = play(deal(GAME, "AsKd 8h8c"), STREETS[street], BOARD)
    if street:
        cases = [(free, CHECK, CHECK)]
        cases += [(play(free, "r10", BOARD), FOLD, CALL)]
    else:
        cases = [(free, FOLD, CALL), (play(free, "c"), FOLD, CHECK)]
    for state, passes, stays in cases:
        low = state.actions.min_raise
        expected = [(call, passes), (twice + 0.001, RaiseTo(2 * low)), (1.0, RaiseTo(2 * low))]
        expected += [(call + 0.001, stays), (once, stays)]
        if once < twice:
            expected += [(once + 0.001, RaiseTo(low)), (twice, RaiseTo(low))]
        for rate, action in expected:
            assert rated(monkeypatch, rate, "monte-carlo", state) == action


def test_raises_beyond_the_stack_are_all_in_and_none_is_a_call(monkeypatch):
    state = play(deal(GAME), "r600")
    assert rated(monkeypatch, 0.9, "monte-carlo", state) == RaiseTo(1000)
    assert rated(monkeypatch, 0.18, "monte-carlo:fold-short=no", state) == RaiseTo(1000)
    assert rated(monkeypatch, 0.18, "monte-carlo", state) == FOLD  # as the original does
    assert rated(monkeypatch, 0.9, "monte-carlo:fold-short=no", state) == RaiseTo(1000)
    state = play(deal(GAME), "r1000")
    assert rated(monkeypatch, 0.9, "monte-carlo", state) == CALL


def test_the_big_blinds_option_is_folded_where_that_is_legal(monkeypatch):
    for game, passes in ((GAME, FOLD), (nlhe(stack=1000, blinds=(5, 10)), CHECK)):
        option = play(deal(game), "c")
        assert rated(monkeypatch, 0.1, "monte-carlo", option) == passes
        assert rated(monkeypatch, 0.14, "monte-carlo", option) == CHECK
        free = play(option, "k", BOARD)  # nobody has bet: a call of nothing, in the original too
        assert rated(monkeypatch, 0.1, "monte-carlo", free) == CHECK


def test_a_tie_counts_as_a_win_for_the_thresholds_only():
    state = play(deal(GAME, "3s2d 3h2c"), "c k k k k k", "AcKcQcJcTc")
    assert isinstance(
        make_agent("monte-carlo").act(state.view(1), Clock(), SeededRandom()).action, RaiseTo
    )
    agent = make_agent("monte-carlo:pot-odds")
    assert agent.act(state.view(1), Clock(), SeededRandom()).action == CHECK


def test_rollouts_are_against_those_who_are_still_in():
    game = nlhe(seats=6)
    state = play(deal(game, "2c2d AsKd 4c4d 7d2h 5c5d 6c6d"), "f f f f")
    said = MonteCarlo(100_000).act(state.view(1), Clock(), SeededRandom(3)).source
    assert said.startswith("win rate ")
    assert float(said.split()[-1]) == pytest.approx(ACE_KING, abs=0.01)


def test_price_leaves_out_what_the_stack_cannot_match():
    state = play(deal(GAME), "r30")
    assert price(state.view(1)) == 20 / 60
    short = play(deal(nlhe(stack=(1000, 50), blinds=(5, 10))), "r1000")
    assert short.view(1).to_call == 40
    assert price(short.view(1)) == 40 / 100


def test_win_rates_against_several_are_measured_by_the_fair_share():
    assert heads_up_rate(0.37, 1) == pytest.approx(0.37)
    assert heads_up_rate(1 / 6, 5) == pytest.approx(0.5)
    assert (heads_up_rate(0.0, 4), heads_up_rate(1.0, 4)) == (0.0, 1.0)


def test_sizes_are_parts_of_the_pot_after_the_call():
    state = play(deal(GAME), "r30")
    assert sized_raise(state.view(1), 1.0) == RaiseTo(90)
    assert sized_raise(state.view(1), 0.5) == RaiseTo(60)
    assert sized_raise(state.view(1), 12.0) == RaiseTo(1000)
    state = play(deal(GAME), "c k", BOARD)
    assert sized_raise(state.view(state.actor), 0.5) == RaiseTo(10)


@pytest.mark.parametrize(
    ("rate", "action"),
    [(0.33, FOLD), (0.34, CALL), (0.67, CALL), (0.69, RaiseTo(60)), (0.81, RaiseTo(90))],
)
def test_pot_odds_decide(monkeypatch, rate, action):
    state = play(deal(GAME), "r30")
    assert rated(monkeypatch, rate, "monte-carlo:pot-odds", state) == action


@pytest.mark.parametrize(
    ("rate", "action"), [(0.2, CHECK), (0.55, CHECK), (0.57, RaiseTo(10)), (0.7, RaiseTo(20))]
)
def test_bets_by_edge(monkeypatch, rate, action):
    state = play(deal(GAME), "c k", BOARD)
    assert rated(monkeypatch, rate, "monte-carlo:pot-odds", state) == action


def test_strengths_are_exact_on_the_river_and_close_before_it():
    board = parse_cards(BOARD)
    for cards, error in ((5, 1e-12), (4, 0.08)):
        found = board_strengths(board[:cards], DECK, STANDARD)
        exact = hand_equities("random", "random", board=board[:cards])
        blocked = np.isnan(exact)
        assert (found[blocked] == -1).all()
        apart = np.abs(found - exact)[~blocked]
        assert apart.mean() <= error
        assert np.corrcoef(found[~blocked], exact[~blocked])[0, 1] > 0.98


def mean_strength(state, seat):
    """How strong an opponent's range is on the flop."""
    view = state.view(seat)
    weights = opponent_ranges(view)[0]
    strengths = board_strengths(view.board[:3], DECK, STANDARD)
    assert (weights[strengths < 0] == 0).all()
    return (weights * strengths).sum() / weights.sum()


def test_actions_narrow_ranges():
    flop = play(deal(GAME, "AsKd 8h8c"), "c k", "Qs7h2c")
    start = mean_strength(flop, 0)
    checked = mean_strength(play(flop, "k"), 0)
    small = mean_strength(play(flop, "r10"), 0)
    large = mean_strength(play(flop, "r60"), 0)
    called = mean_strength(play(flop, "k r20 c", "9d"), 0)
    assert checked < start < small < large
    assert start < called < large


def test_a_raise_keeps_hands_as_the_module_says():
    """20 chips beyond a call of 5 into 15: of the size of the pot, so the step is at 0.55."""
    weights = opponent_ranges(play(deal(GAME, "AsKd 8h8c"), "r30").view(1))[0]
    worse = np.empty(1326)
    worse[np.argsort(board_strengths((), DECK, STANDARD), kind="stable")] = np.arange(1, 1327)
    expected = 0.25 + 0.75 / (1 + np.exp((0.55 - worse / 1326) / 0.1))
    assert weights == pytest.approx(expected / expected.max())


def test_no_hand_is_ruled_out_and_nobody_knows_the_own_cards():
    state = play(deal(GAME, "AsKd 8h8c"), "r30 c r40 c", "Qs7h2c9d3s")
    for seat in (0, 1):
        weights = opponent_ranges(state.view(seat))
        assert weights.shape == (1, 1326)
        assert weights[0, combo_index("Jh5c")] > 0
        other = play(deal(GAME, "6s6d 4h4c"), "r30 c r40 c", "Qs7h2c9d3s")
        assert np.array_equal(weights, opponent_ranges(other.view(seat)))


def test_ranges_change_the_win_rate_as_exact_equity_does():
    state = play(deal(GAME, "AsKd 8h8c"), "r30 c k r60", "Qs7h2c")
    view = state.view(1)
    weights = opponent_ranges(view)
    rate = win_rate(GAME.rules, view.cards, view.board, 200_000, SeededRandom(1), ranges=weights)
    plain = win_rate(GAME.rules, view.cards, view.board, 200_000, SeededRandom(1))
    assert rate.share < plain.share - 0.03
    each = hand_equities("random", "8h8c", board=view.board)
    known = ~np.isnan(each) & (weights[0] > 0)
    exact = 1 - (each * weights[0])[known].sum() / weights[0][known].sum()
    assert rate.share == pytest.approx(exact, abs=0.01)


def test_an_empty_range_counts_as_random():
    rules, hand = GAME.rules, parse_cards("AsKd")
    none = win_rate(rules, hand, (), 50_000, SeededRandom(2), ranges=np.zeros((1, 1326)))
    assert none.share == pytest.approx(ACE_KING, abs=0.01)
    beside = np.zeros((2, 1326))
    beside[1, combo_index("AhAc")] = 1.0
    one = win_rate(rules, hand, (), 1000, SeededRandom(2), ranges=beside)
    beside[0] = 1.0
    assert win_rate(rules, hand, (), 1000, SeededRandom(2), ranges=beside) == one
    with pytest.raises(OptionError, match="two hole cards"):
        win_rate(toy_holdem().rules, hand, (), 10, SeededRandom(), ranges=np.ones((1, 1326)))


AGENTS = [
    "honest",
    "random",
    "rules",
    "monte-carlo",
    "monte-carlo:pot-odds",
    "monte-carlo:range",
    "monte-carlo:pot-odds,range",
    "monte-carlo:fold-short=no",
    "simple-1400",
    "simple-3000",
    "heuristic-1",
    "heuristic-2",
]
GAMES = [
    ("nlhe", {"stack": 1000, "blinds": (5, 10), "heads_up": "pypokerengine", "free_fold": True}),
    ("nlhe", {"seats": 6, "stack": [3, 10, 40, 200, 1000, 5], "ante": 1}),
    ("nlhe", {"seats": 10, "stack": "20bb", "straddle": 4, "big_blind_ante": 2}),
    ("limit-holdem", {"seats": 3}),
    ("short-deck", {}),
    ("short-deck", {"seats": 2}),
    ("river-of-blood", {}),
    ("river-of-blood", {"seats": 4}),
    ("permutation", {}),
    ("toy-holdem", {}),
]


@pytest.mark.parametrize("text", AGENTS)
@pytest.mark.parametrize(("name", "options"), GAMES, ids=[f"{n}-{len(o)}" for n, o in GAMES])
def test_every_decision_is_legal_in_every_game(name, options, text):
    game = load(name, **options)
    agent = make_agent(text)
    if hasattr(agent, "rollouts"):
        agent.rollouts = 20
    uniform = make_agent("uniform")
    decks = shuffled_decks(game, 5, 0, 4)
    for number, deck in enumerate(decks):
        seats = [Seated(agent if (seat + number) % 3 else uniform) for seat in range(game.players)]
        button = number % game.players
        hand = play_hand(game, seats, deck.tolist(), seed=5, deal=number, button=button)
        assert hand.faults == ()
        again = play_hand(game, seats, deck.tolist(), seed=5, deal=number, button=button)
        assert again.payoffs == hand.payoffs


def test_pot_odds_and_ranges_beat_thresholds():
    plain, better = (Seated(make_agent(f"monte-carlo:rollouts=500{o}")) for o in ("", ",pot-odds"))
    narrowed = Seated(make_agent("monte-carlo:rollouts=500,pot-odds,range"))
    for first, second in ((better, plain), (narrowed, plain)):
        won = []
        for number, deck in enumerate(shuffled_decks(GAME, 3, 0, 150).tolist()):
            one = play_hand(GAME, (first, second), deck, seed=3, deal=number)
            two = play_hand(GAME, (second, first), deck, seed=3, deal=number)
            won.append((one.payoffs[0] + two.payoffs[1]) / 2)
        assert np.mean(won) - 1.96 * np.std(won) / len(won) ** 0.5 > 0


def test_bad_options_are_refused():
    with pytest.raises(OptionError, match="rollouts=0"):
        make_agent("monte-carlo:rollouts=0")
    with pytest.raises(OptionError, match="rollouts=-5"):
        make_agent("simple-3000:rollouts=-5")
    with pytest.raises(OptionError, match="rollouts='many'"):
        make_agent("monte-carlo:rollouts=many")
    with pytest.raises(OptionError, match="'depth'"):
        make_agent("monte-carlo:depth=3")


@pytest.mark.parametrize(
    ("rate", "action"), [(0.49, FOLD), (0.5, CALL), (0.76, RaiseTo(50)), (0.86, RaiseTo(1000))]
)
def test_simple_bots_have_three_limits(monkeypatch, rate, action):
    state = play(deal(GAME), "r30")
    assert rated(monkeypatch, rate, "simple-1400", state) == action
    assert rated(monkeypatch, rate, "simple-3000", state) == action


def test_simple_bots_differ_by_their_rollouts():
    assert make_agent("simple-1400").rollouts == 1400
    assert make_agent("simple-3000").rollouts == 3000
