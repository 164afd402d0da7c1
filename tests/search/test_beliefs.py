"""Both ranges along a hand, by Bayes."""

from typing import Any, NamedTuple

import numpy as np
import pytest

from helpers.playing import deal, play
from tiltless.cards.card import COMBO_CARDS, parse_cards
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, RaiseTo
from tiltless.games.registry import load
from tiltless.search.beliefs import both_ranges, likelihood
from tiltless.search.streets import past_decisions

GAME = load("nlhe")
SCRIPT = "r6 c k r8 c r20 c k r30"
BOARD = "Ks7d2c9h4s"


class Row(NamedTuple):
    actions: tuple[Any, ...]
    chances: Any


def at(view):
    """Random strategies that depend on the public history alone; one bet is never made."""
    legal = view.actions
    actions = (FOLD, CALL) if legal.call else (CHECK,)
    low = legal.min_raise
    if low:
        actions += tuple(RaiseTo(chips) for chips in (6, 8, 20, 30) if chips >= low)
    rng = np.random.default_rng(len(view.moves))
    chances = rng.dirichlet(np.ones(len(actions)), 1326)
    return Row(actions, chances)


def view_after(script, board=BOARD, hole="AsAd QhQc"):
    state = play(deal(GAME, hole), script, board)
    return state.view(state.actor)


def brute(script, board, hands):
    """The chance of each pair of hands, by playing every pair through."""
    found = np.zeros((len(hands), len(hands)))
    for i, one in enumerate(hands):
        for j, two in enumerate(hands):
            cards = [*COMBO_CARDS[one].tolist(), *COMBO_CARDS[two].tolist(), *parse_cards(board)]
            if len(set(cards)) < len(cards):
                continue
            state = GAME.start()
            for hand in (one, two):
                state = state.apply(tuple(COMBO_CARDS[hand].tolist()))
            words, left, chance = script.split(), list(parse_cards(board)), 1.0
            while words or state.actor < 0:
                if state.actor < 0:
                    size = state.chance.size
                    state, left = state.apply(tuple(left[:size])), left[size:]
                    continue
                word = words.pop(0)
                move = {"k": CHECK, "c": CALL, "f": FOLD}.get(word) or RaiseTo(int(word[1:]))
                view = state.view(state.actor)
                actions, chances = at(view)
                hand = (one, two)[state.actor]
                chance *= chances[hand, actions.index(move)]
                state = state.apply(move)
            found[i, j] = chance
    return found / found.sum()


def test_ranges_are_those_of_brute_force():
    rng = np.random.default_rng(3)
    hands = rng.choice(1326, 14, replace=False)
    ranges = both_ranges(view_after(SCRIPT), lambda past: at(past.view))
    pairs = np.outer(ranges[0, hands], ranges[1, hands])
    for i, one in enumerate(hands):
        for j, two in enumerate(hands):
            if set(COMBO_CARDS[one]) & set(COMBO_CARDS[two]):
                pairs[i, j] = 0
    expected = brute(SCRIPT, BOARD, hands.tolist())
    assert pairs / pairs.sum() == pytest.approx(expected)
    assert ranges.max(axis=1) == pytest.approx([1, 1])


def known(past):
    return at(past.view)


def test_own_cards_are_not_looked_at():
    one, two = view_after(SCRIPT), view_after(SCRIPT, hole="8s8d 3h3c")
    assert (both_ranges(one, known, own=0) == both_ranges(two, known, own=0)).all()


def test_doubt_leaves_everything_possible_to_an_opponent():
    def never(past):
        row = at(past.view)
        chances = np.zeros_like(row.chances)
        chances[: 1326 // 2, row.actions.index(past.move)] = 1  # half of all hands did it
        chances[1326 // 2 :, (row.actions.index(past.move) + 1) % len(row.actions)] = 1
        return row._replace(chances=chances)

    view = view_after("r6 c")
    free = ~np.isin(COMBO_CARDS, view.board).any(axis=1)
    ranges = both_ranges(view, never, own=view.seat, uniform_mix=0.02)
    other = 1 - view.seat
    assert (ranges[other, free] > 0).all()
    assert not ranges[other, ~free].any()
    late = free.copy()
    late[: 1326 // 2] = False
    actions = len(at(next(past_decisions(view)).view).actions)
    least = 0.02 / (6 if other == 0 else actions)
    assert ranges[other, late] == pytest.approx(least / (0.98 + least))
    assert not ranges[view.seat, late].any()


def test_a_range_that_the_board_blocks_begins_again():
    holds = np.isin(COMBO_CARDS, parse_cards("Ks")).any(axis=1)

    def kings(past):
        row = at(past.view)
        return Row(row.actions, holds[:, None] / np.full(len(row.actions), len(row.actions)))

    ranges = both_ranges(view_after("r6 c", board="Ks7d2c"), kings)
    free = ~np.isin(COMBO_CARDS, parse_cards("Ks7d2c")).any(axis=1)
    assert (ranges == free).all()


def test_a_street_may_be_left_out():
    view = view_after(SCRIPT)
    before = view_after("r6 c k r8 c r20 c")
    assert both_ranges(view, known, streets=3) == pytest.approx(both_ranges(before, known))


def test_bets_off_the_menu_lie_between_their_neighbours():
    view = view_after("c k k", board="Ks7d2c")  # a pot of 4
    chances = np.zeros((1326, 3))
    chances[:] = 0.2, 0.5, 0.3
    row = Row((CHECK, RaiseTo(2), RaiseTo(4)), chances)
    small, large, between = (likelihood(view, row, RaiseTo(chips))[0] for chips in (2, 4, 3))
    assert (small, large) == (0.5, 0.3)
    part = (1 - 0.75) * (1 + 0.5) / ((1 - 0.5) * (1 + 0.75))
    assert between == pytest.approx(part * 0.5 + (1 - part) * 0.3)
    part = (0.5 - 0.25) / (0.5 * (1 + 0.25))  # one chip: between a check and the smallest
    assert likelihood(view, row, RaiseTo(1))[0] == pytest.approx(part * 0.2 + (1 - part) * 0.5)
    assert likelihood(view, row, RaiseTo(100))[0] == 0.3
    assert likelihood(view, row._replace(actions=(CHECK, CALL, FOLD)), RaiseTo(9)) is None
