"""AIVAT in River of Blood, whose board grows."""

from copy import copy

import numpy as np
import pytest

from helpers.endings import every_ending, mixed
from tiltless.agents.agent import Agent, check_or_call
from tiltless.agents.registry import make_agent
from tiltless.arena.dealer import Seated, play_hand, shuffled_decks
from tiltless.arena.estimators.aivat import _Correction, aivat_hand
from tiltless.arena.estimators.run_edges import next_card_edges, shown_edges
from tiltless.cards.card import COMBO_CARDS, COMBO_OF, parse_cards
from tiltless.cards.evaluate import evaluate
from tiltless.cards.matchups import HOLDING, edges_against_all
from tiltless.errors import OptionError
from tiltless.games import load
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, RaiseTo
from tiltless.games.holdem.history import PastDecision, StreetDeal, steps, view_before
from tiltless.intervals import tally

RED = 1, 2  # diamonds and hearts
HOLES = parse_cards("AsKd"), parse_cards("7h7c")
BOARD = parse_cards("7d8s2hTs9h")
UP_TO_THE_RIVER = (CALL, CHECK, BOARD[:3], CHECK, CHECK, BOARD[3:4], CHECK, CHECK, BOARD[4:])


class Bettor(Agent):
    """Bets, folds and calls on some boards, in 64ths; on red ones of ``last`` cards bets or folds.

    So a hand is over after at most ``last`` cards, or one more black one. quiet: checks before.
    """

    def __init__(self, salt, last, quiet=False):
        self.salt, self.last, self.quiet = salt, last, quiet

    def policies(self, view):
        size, can = len(view.board), view.actions.check
        stay = check_or_call(view.actions)
        mix = (COMBO_CARDS[:, 0] * 7 + COMBO_CARDS[:, 1] * self.salt + 11 * size) % 23
        bet = RaiseTo(max(view.min_raise, 1))
        if size >= self.last and view.board[-1] & 3 in RED:
            return mixed(view, (bet if can else FOLD,), [64 + 0 * mix])
        if size < 5 or self.quiet:
            return mixed(view, (stay,), [64 + 0 * mix])
        if can:
            return mixed(view, (stay, bet), [60 - 2 * mix, 4 + 2 * mix])
        return mixed(view, (FOLD, stay), [50 - 2 * mix, 14 + 2 * mix])

    def act(self, view, clock, rng):
        actions, chances = self.policies(view)
        row = chances[COMBO_OF[view.cards[0], view.cards[1]]].astype(float)
        return rng.choices(actions, row)[0]


def value(combo, board):
    return evaluate((*COMBO_CARDS[combo].tolist(), *board), eval7_flushes=True)


@pytest.mark.parametrize(
    ("known", "imagined", "seat", "last", "quiet"),
    [
        pytest.param((), None, 0, 6, False, marks=pytest.mark.slow),
        ((0, 1), None, 0, 6, False),
        ((0, 1), 1, 0, 6, False),
        ((0,), 0, 0, 6, False),
        pytest.param((1,), None, 1, 7, True, marks=pytest.mark.slow),
    ],
)
def test_the_mean_of_all_endings_of_a_red_river_is_that_of_the_payoffs(
    known, imagined, seat, last, quiet
):
    """Every next card (the last row: every next two) and every decision; equal to 1e-9.

    Bar what came before: the edge in 1 chip (the small blind), then its changes in 2.
    """
    bots = Bettor(5, last, quiet), Bettor(3, last, quiet)
    mover = seat if imagined is None else imagined
    fixed = int(COMBO_OF[HOLES[1 - mover]])
    sign = 1 if mover == seat else -1

    def possible(board):
        if imagined is None:
            return np.array([COMBO_OF[HOLES[mover]]])
        return np.flatnonzero(~HOLDING[[*HOLES[1 - mover], *board]].any(axis=0))

    edges = [
        -sign * edges_against_all(fixed, np.array(board, np.uint8))[possible(board)].mean()
        for board in ((), BOARD[:3], BOARD[:4], BOARD)
    ]
    combos = possible(BOARD)
    total, mean, expected, changed = 0.0, 0.0, 0.0, 0
    game = load("river-of-blood")
    for state, weights in every_ending(game, HOLES, UP_TO_THE_RIVER, bots, mover, combos):
        total += weights.sum()
        result = aivat_hand(state, seat, {each: bots[each] for each in known}, imagined)
        mean += weights.sum() * result
        if state.moves[-1] == FOLD:
            expected += weights.sum() * state.payoffs[seat]
        else:
            wins = -sign * shown_edges(fixed, state.board)[combos]
            expected += float(weights @ wins) * (400 - state.betting.stacks[0])
            changed += len(state.board) > 5
    assert total == pytest.approx(1, abs=1e-12)
    assert mean == pytest.approx(expected - (2 * edges[3] - edges[0]), abs=1e-9)
    assert changed > 20


@pytest.mark.parametrize(
    "imagined", [0, *(pytest.param(each, marks=pytest.mark.slow) for each in (None, 1))]
)
def test_the_mean_correction_over_the_cards_of_a_deal_is_0(imagined):
    """Turn, river and run, after bets of a mixed strategy that make some hands likelier."""
    state, bots = load("river-of-blood").start(), (Bettor(5, 30), Bettor(3, 30))
    run = [move for card in parse_cards("3d4hKhJc") for move in (CHECK, CHECK, (card,))]
    for move in (*HOLES, *UP_TO_THE_RIVER, *run, CHECK, CHECK):
        state = state.apply(move)
    terms, sizes = _Correction(state, 0, imagined), []
    for step in steps(state):
        if isinstance(step, PastDecision):
            terms.act(step, bots[step.seat].policies(view_before(state.view(0), step)))
        elif isinstance(step, StreetDeal):
            if len(step.cards) == 1:
                means, size = mean_change(terms, step)
                assert means == pytest.approx([1, 0], abs=1e-12)
                sizes.append(size)
            terms.deal(step)
    assert len(sizes) == 6
    assert max(sizes) > 0.5


def mean_change(terms, step):
    """The sum of the odds of all cards, and the mean correction; and its mean size, in chips."""
    total, left = np.zeros(3), np.ones(52, bool)
    left[[*step.board[:-1], *COMBO_CARDS[terms.fixed]]] = False
    for card in np.flatnonzero(left).tolist():
        free = float(terms.weights @ ~HOLDING[card][terms.combos])
        if free:
            then = copy(terms)
            then.deal(step._replace(cards=(card,), board=(*step.board[:-1], card)))
            change = then.total - terms.total
            total += free / (left.sum() - 2) * np.array([1, change, abs(change)])
    return total[:2].tolist(), total[2]


def test_edges_are_those_of_one_hand_after_the_other():
    hand = int(COMBO_OF[HOLES[0]])
    for board in (BOARD, parse_cards("7d8s2hTs9h3d4hKhJd")):
        shown, after = shown_edges(hand, board), next_card_edges(hand, board)
        for combo in (int(COMBO_OF[HOLES[1]]), int(COMBO_OF[parse_cards("AcKs")]), 1325):
            held = {*board, *COMBO_CARDS[hand].tolist(), *COMBO_CARDS[combo].tolist()}
            if len(held) < len(board) + 4:
                continue
            assert shown[combo] == np.sign(value(hand, board) - value(combo, board))
            left = [(*board, card) for card in range(52) if card not in held]
            each = [np.sign(value(hand, more) - value(combo, more)) for more in left]
            assert after[combo] == pytest.approx(np.mean(each))


def test_no_bias_and_less_variance():
    bot = Bettor(5, 30)
    game, raw, less = load("river-of-blood"), [], []
    for deal, deck in enumerate(shuffled_decks(game, 3, 0, 200).tolist()):
        final = play_hand(game, [Seated(make_agent("fish"))] * 2, deck, seed=3, deal=deal).final
        raw.append(final.payoffs[0])
        less.append(aivat_hand(final, 0, {0: bot}, None))
    change = [one - two for one, two in zip(less, raw, strict=True)]
    assert abs(tally(change).mean) < 4 * tally(change).standard_error
    assert tally(less).variance < 0.5 * tally(raw).variance


def test_more_than_two_seats_are_refused():
    game = load("river-of-blood", seats=3)
    fish = make_agent("fish")
    final = play_hand(game, [Seated(fish)] * 3, list(range(52))).final
    with pytest.raises(OptionError, match="two seats"):
        aivat_hand(final, 0, {})
