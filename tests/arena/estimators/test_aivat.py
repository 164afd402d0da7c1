from functools import cache, lru_cache
from types import SimpleNamespace
from zlib import crc32

import numpy as np
import pytest

from helpers.endings import Shover, every_ending
from tiltless.agents.agent import Agent, Clock, Decision, Policies, check_or_call
from tiltless.agents.registry import make_agent
from tiltless.arena.dealer import Seated, play_hand, shuffled_decks
from tiltless.arena.estimators.aivat import aivat, aivat_hand
from tiltless.arena.estimators.lbr import LbrSetting, LocalBestResponse
from tiltless.cards.card import COMBO_CARDS, COMBO_OF, parse_cards
from tiltless.cards.evaluate import rank_all_hands
from tiltless.cards.matchups import HOLDING, edges_against_all, preflop_matchups
from tiltless.errors import OptionError
from tiltless.games import load
from tiltless.games.game import CHANCE, TERMINAL
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, RaiseTo
from tiltless.intervals import tally
from tiltless.tabular.flat import flatten
from tiltless.tabular.solver import Solver
from tiltless.tabular.strategy import Strategy


@lru_cache(maxsize=1)
def match():
    """Leduc: 200 iterations of CFR+ as player 0 against a uniform player 1; all that may happen."""
    game = load("leduc", rank_only=True)  # suits never matter, and there are fewer ends
    solver = Solver(game, "cfr+")
    solver.run(200)
    strong = solver.strategy()
    uniform = Strategy.uniform(flatten(game))
    plays = {
        player: (lambda state, who=who: who[state.infoset(state.actor)])
        for player, who in enumerate((strong, uniform))
    }
    values, ends = {}, []

    def walk(state, moves, odds):
        if state.actor == TERMINAL:
            ends.append((moves, odds, state.payoffs[0]))
            values[state] = state.payoffs[0]
        else:
            options = state.chance.outcomes() if state.actor == CHANCE else ()
            if state.actor != CHANCE:
                options = plays[state.actor](state).items()
            values[state] = sum(
                p * walk(state.apply(a), (*moves, a), odds * p) for a, p in options if p > 0
            )
        return values[state]

    value = walk(game.start(), (), 1.0)
    return SimpleNamespace(game=game, plays=plays, values=values, ends=ends, value=value)


def moments(value, known, imagined=None):
    """Exact mean, and variance as a share of the raw one, over all ends of the game."""
    here = match()
    plays = {player: here.plays[player] for player in known}
    odds = np.array([p for _, p, _ in here.ends])
    raw = np.array([u for _, _, u in here.ends])
    found = np.array(
        [aivat(here.game, moves, 0, value, plays, imagined) for moves, _, _ in here.ends]
    )
    mean = odds @ found
    return mean, (odds @ (found - mean) ** 2) / (odds @ (raw - here.value) ** 2), found - raw


def exact(state):
    return match().values.get(state, 0.0)  # what cannot happen may be worth anything


@cache
def noisy(state):
    return exact(state) + np.random.default_rng(crc32(repr(state).encode())).normal()


def test_the_match_is_the_one_of_the_notes():
    here = match()
    assert here.value == pytest.approx(0.5907, abs=0.01)
    assert sum(odds for _, odds, _ in here.ends) == pytest.approx(1)


def test_nothing_is_left_where_all_is_known():
    mean, ratio, _ = moments(exact, (0, 1))
    assert mean == pytest.approx(match().value, abs=1e-12)
    assert ratio < 1e-24  # every single result is the expectation


def test_a_guess_of_nothing_changes_nothing():
    _, _, change = moments(lambda state: 0.0, (0, 1))
    assert not change.any()


@pytest.mark.parametrize(
    ("value", "known", "imagined", "ratio"),
    [
        (exact, (), None, 0.372),
        (exact, (0,), None, 0.266),
        (noisy, (0,), None, 0.451),
        (exact, (0,), 0, 0.096),
        (noisy, (0,), 0, 0.136),
    ],
)
def test_variance_as_elsewhere_and_no_bias(value, known, imagined, ratio):
    """Ratios of 20,000 sampled hands, by another program; ours are exact."""
    mean, found, _ = moments(value, known, imagined)
    assert mean == pytest.approx(match().value, abs=1e-9)
    assert found == pytest.approx(ratio, rel=0.25 if value is noisy else 0.05)


def test_a_bad_guess_has_no_bias_either():
    mean, ratio, _ = moments(lambda state: 3.0 * len(repr(state)) % 7, (0, 1))
    assert mean == pytest.approx(match().value, abs=1e-9)
    assert ratio > 0.1


def test_mistakes():
    here = match()
    with pytest.raises(OptionError, match="imagined=0"):
        aivat(here.game, here.ends[0][0], 0, exact, {}, 0)
    with pytest.raises(OptionError, match="not over"):
        aivat(here.game, here.ends[0][0][:3], 0, exact, {})
    impossible = {0: lambda state: {state.actions[0]: 1.0}}
    with pytest.raises(OptionError, match=r"raise.* 0;"):
        aivat(here.game, next(m for m, _, _ in here.ends if m[2] == "raise"), 0, exact, impossible)


class Strong(Agent):
    """Raises with high cards and folds low ones, more or less: a strategy with all three."""

    def policies(self, view):
        high = (COMBO_CARDS >> 2).sum(axis=1) / 24
        bet = 0.6 * high**2 if view.max_raise else 0 * high
        away = 0 * high if view.actions.check else 0.5 * (1 - high)
        actions = (check_or_call(view.actions), FOLD, RaiseTo(max(view.min_raise, 1)))
        size = [1, not view.actions.check, view.max_raise > 0]
        chances = np.stack([1 - bet - away, away, bet], axis=1).astype(np.float32)
        chances[np.isin(COMBO_CARDS, view.board).any(axis=1)] = 0
        keep = [place for place, there in enumerate(size) if there]
        return Policies(tuple(actions[place] for place in keep), chances[:, keep])

    def act(self, view, clock, rng):
        actions, chances = self.policies(view)
        row = chances[COMBO_OF[view.cards[0], view.cards[1]]].astype(float)
        return Decision(rng.choices(actions, row)[0])


def hands(first, second, deals, seed=3):
    game = load("nlhe", stack=200)
    for deal, deck in enumerate(shuffled_decks(game, seed, 0, deals).tolist()):
        yield play_hand(game, [Seated(first), Seated(second)], deck, seed=seed, deal=deal).final


def test_checking_down_leaves_what_the_small_blind_had_at_stake():
    """By hand: the cards are luck, all but the edge before the flop in the first chip."""
    fish = make_agent("fish")
    for final in hands(fish, fish, 10):
        one, two = (int(COMBO_OF[cards[0], cards[1]]) for cards in final.hole)
        edges = preflop_matchups()[:, two] / 1_712_304
        for known in ({}, {0: fish}, {0: fish, 1: fish}):
            assert aivat_hand(final, 0, known) == pytest.approx(edges[one])
        mean = edges[~HOLDING[list(final.hole[1])].any(axis=0)].mean()
        assert aivat_hand(final, 0, {0: fish}, 0) == pytest.approx(mean)
        assert aivat_hand(final, 1, {0: fish}, 0) == pytest.approx(-mean)


def test_imagined_cards_are_not_looked_at():
    bot = Strong()
    game = load("nlhe", stack=200)
    tried = 0
    for final in hands(bot, bot, 30):
        if len(final.board) < 4:
            continue
        gone = {*final.board, *final.hole[0], *final.hole[1]}
        other = tuple(card for card in range(52) if card not in gone)[5:7]
        state = game.start().apply(other).apply(final.hole[1])
        for move in final.moves[2:]:
            state = state.apply(move)
        known = {0: bot, 1: bot}
        assert aivat_hand(state, 0, known, 0) == pytest.approx(aivat_hand(final, 0, known, 0))
        tried += 1
    assert tried > 3


def test_cards_after_the_betting_change_nothing():
    shove, fish = make_agent("all-in"), make_agent("fish")
    final = next(hands(shove, fish, 1))
    state = load("nlhe", stack=200).start().apply(final.hole[0]).apply(final.hole[1])
    for move in final.moves[2:4]:
        state = state.apply(move)
    left = [card for card in range(52) if not state.dealt >> card & 1]
    results = set()
    for start in range(0, 40, 5):
        end = state
        for part in (
            left[start : start + 3],
            left[start + 3 : start + 4],
            left[start + 4 : start + 5],
        ):
            end = end.apply(tuple(part))
        results.add(round(aivat_hand(end, 0, {0: shove}), 9))
    assert len(results) == 1


@pytest.mark.parametrize(
    ("known", "imagined"), [((0,), None), ((0, 1), None), ((0,), 0), ((1,), 1)]
)
def test_no_bias_and_less_variance_in_holdem(known, imagined):
    bot = Strong()
    raw, less, change = [], [], []
    for final in hands(bot, bot, 150):
        raw.append(final.payoffs[0])
        less.append(aivat_hand(final, 0, dict.fromkeys(known, bot), imagined))
        change.append(less[-1] - raw[-1])
    assert abs(tally(change).mean) < 4 * tally(change).standard_error
    assert tally(less).variance < (0.9 if imagined is None else 0.5) * tally(raw).variance


BOTS = Shover(5), Shover(3)
HOLES = parse_cards("AsKd"), parse_cards("7h7c")
FLOP, TURN = parse_cards("7d8s2h"), parse_cards("7d8s2hTs")
UP_TO_THE_TURN = (CALL, CHECK, FLOP, CHECK, CHECK, TURN[3:])


class Responding(Agent):
    """A local best response to a bot; its only policy is that of the hand it has."""

    def __init__(self, bot):
        self.response = LocalBestResponse(bot, LbrSetting.parse("FCPA"))

    def policies(self, view):
        self.response.hand_start(view)
        action = self.response.act(view, Clock(), None).action
        return Policies((action,), np.ones((1326, 1), np.float32))

    def act(self, view, clock, rng):
        raise NotImplementedError


@pytest.mark.parametrize(
    ("known", "imagined", "seat", "bots"),
    [
        ((), None, 0, BOTS),
        pytest.param((0,), None, 0, BOTS, marks=pytest.mark.slow),
        ((1,), None, 1, BOTS),
        ((0, 1), None, 0, BOTS),
        ((0,), 0, 0, BOTS),
        ((0, 1), 1, 0, BOTS),
        ((1,), 1, 0, (Responding(Shover(3)), Shover(3))),
        pytest.param((0,), 0, 1, (Shover(5), Responding(Shover(5))), marks=pytest.mark.slow),
    ],
)
def test_the_mean_of_all_endings_of_a_turn_in_holdem_is_that_of_the_payoffs(
    known, imagined, seat, bots
):
    """Every river and every decision of both: means are equal to 1e-9, bar what came before.

    Before the turn nobody had a choice, so that is the luck of the cards, by hand: the edge in
    1 chip (the small blind), then its changes in 2. The last two are a local best response.
    """
    mover = seat if imagined is None else imagined
    fixed = int(COMBO_OF[HOLES[1 - mover]])

    def possible(board):
        if imagined is None:
            return np.array([COMBO_OF[HOLES[mover]]])
        return np.flatnonzero(~HOLDING[[*HOLES[1 - mover], *board]].any(axis=0))

    sign = 1 if mover == seat else -1
    edges = [
        -sign * edges_against_all(fixed, np.array(board, np.uint8))[possible(board)].mean()
        for board in ((), FLOP, TURN)
    ]
    before = edges[0] + 2 * (edges[1] - edges[0]) + 2 * (edges[2] - edges[1])
    total, mean, expected, endings = 0.0, 0.0, 0.0, 0
    game, combos = load("nlhe", stack=40), possible(TURN)
    for state, weights in every_ending(game, HOLES, UP_TO_THE_TURN, bots, mover, combos):
        weight = weights.sum()
        endings += 1
        total += weight
        result = aivat_hand(state, seat, {each: bots[each] for each in known}, imagined)
        mean += weight * result
        if state.moves[-1] == FOLD:
            expected += weight * state.payoffs[seat]
        else:
            ranks = rank_all_hands(state.board).astype(int)
            wins = np.sign(ranks[combos] - ranks[fixed])
            expected += sign * float(weights @ wins) * (40 - state.betting.stacks[0])
    rivers = 44 if imagined is None else 46
    assert endings == 2 + 7 * rivers or bots is not BOTS
    assert total == pytest.approx(1, abs=1e-12)
    assert mean == pytest.approx(expected - before, abs=1e-9)
    assert abs(before) > 0.1


def test_both_seats_sum_to_nothing():
    bot = Strong()
    for final in hands(bot, bot, 20):
        for known, imagined in (({0: bot, 1: bot}, None), ({1: bot}, 1)):
            both = [aivat_hand(final, seat, known, imagined) for seat in (0, 1)]
            assert sum(both) == pytest.approx(0, abs=1e-9)


def test_hands_that_are_not_taken():
    fish = make_agent("fish")
    final = next(hands(fish, fish, 1))
    with pytest.raises(OptionError, match="imagined=0"):
        aivat_hand(final, 0, {}, 0)
    with pytest.raises(OptionError, match="not over"):
        aivat_hand(load("nlhe").start(), 0, {})
    deck = list(range(52))
    short = load("short-deck", seats=2)
    with pytest.raises(OptionError, match="short-deck"):
        aivat_hand(play_hand(short, [Seated(fish)] * 2, deck[16:]).final, 0, {})
