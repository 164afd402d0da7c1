from itertools import combinations, islice

import numpy as np
import pytest

from tiltless.agents.registry import make_agent
from tiltless.arena.dealer import Seated, play_hand, shuffled_decks
from tiltless.arena.estimators.all_in import all_in_payoffs, board_at_all_in
from tiltless.cards.card import parse_cards
from tiltless.cards.equity import equity
from tiltless.errors import OptionError
from tiltless.games import load
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, RaiseTo
from tiltless.games.holdem.record import record_hand
from tiltless.intervals import tally


def played(game, cards, *moves, stacks=None):
    """A hand from its moves; text is cards."""
    state = game.start(0, stacks)
    for hole in cards:
        state = state.apply(parse_cards(hole))
    for move in moves:
        state = state.apply(parse_cards(move) if isinstance(move, str) else move)
    return state


def test_before_the_flop_by_another_way():
    final = played(
        load("nlhe", stack=200), ("AsKs", "QdQh"), RaiseTo(200), CALL, "2c3c4c", "9h", "9d"
    )
    assert board_at_all_in(final) == ()
    share = equity("AsKs", "QdQh").shares[0]
    assert all_in_payoffs(final) == pytest.approx((400 * share - 200, 200 - 400 * share))
    assert final.payoffs == (-200, 200)
    assert all_in_payoffs(record_hand(final)) == all_in_payoffs(final)


def test_unequal_stacks_get_back_what_was_not_called():
    game = load("nlhe", stack=200)
    moves = RaiseTo(200), CALL, "2c3c4c", "9h", "9d"
    final = played(game, ("AsKs", "QdQh"), *moves, stacks=(200, 50))
    share = equity("AsKs", "QdQh").shares[0]
    assert all_in_payoffs(final) == pytest.approx((100 * share - 50, 50 - 100 * share))


def test_three_players_and_a_side_pot_board_by_board():
    game = load("nlhe", seats=3, stack=200)
    holes = "AsKs", "QdQh", "7c7d"
    before = played(
        game, holes, CALL, CALL, CHECK, "7h2s3s", CHECK, RaiseTo(48), CALL, RaiseTo(98), CALL,
        stacks=(50, 100, 100),
    )  # fmt: skip
    left = [card for card in range(52) if not before.dealt >> card & 1]
    every = [before.apply((turn,)).apply((river,)) for turn, river in combinations(left, 2)]
    assert len(every) == 903
    mean = np.mean([final.payoffs for final in every], axis=0)
    for final in islice(every, 3):
        assert board_at_all_in(final) == before.board
        assert all_in_payoffs(final) == pytest.approx(tuple(mean), abs=1e-9)
    assert mean.sum() == pytest.approx(0)


def test_folded_cards_are_gone():
    game = load("nlhe", seats=3, stack=20)
    final = played(
        game, ("AsKs", "QdQh", "AdAh"), RaiseTo(20), CALL, FOLD, "2c3c4c", "9h", "9d"
    )  # fmt: skip
    share = equity("AsKs", "QdQh", dead="AdAh").shares[0]
    assert all_in_payoffs(final) == pytest.approx((42 * share - 20, 42 * (1 - share) - 20, -2))


def test_nothing_changes_where_nothing_was_left_to_chance():
    game = load("nlhe", stack=200)
    folded = played(game, ("AsKs", "QdQh"), RaiseTo(200), FOLD)
    river = ("AsKs", "QdQh"), CALL, CHECK, "2c3c4c", CHECK, CHECK, "9h", CHECK, CHECK, "9d"
    shown = played(game, *river, CHECK, RaiseTo(198), CALL)
    for final in (folded, shown):
        assert board_at_all_in(final) is None
        assert all_in_payoffs(final) == final.payoffs
    with pytest.raises(OptionError, match="not over"):
        all_in_payoffs(played(game, *river))


@pytest.mark.nojit
@pytest.mark.bounds
def test_other_orders_of_hands():
    game = load("short-deck", seats=2, stack=200)
    before = played(game, ("AsKs", "QdQh"), CALL, CHECK, "6c7dTs", RaiseTo(198), CALL)
    left = [c for c in range(52) if game.deck >> c & 1 and not before.dealt >> c & 1]
    every = [before.apply((turn,)).apply((river,)) for turn, river in combinations(left, 2)]
    mean = np.mean([final.payoffs for final in every], axis=0)
    assert all_in_payoffs(every[0]) == pytest.approx(tuple(mean), abs=1e-9)


@pytest.mark.parametrize("players", [2, 4])
def test_the_mean_stays_and_the_variance_falls(players):
    game = load("nlhe", seats=players, stack=40)
    seats = [Seated(make_agent("uniform")) for _ in range(players)]
    raw, less, change = [], [], []
    for deal, deck in enumerate(shuffled_decks(game, 5, 0, 1000).tolist()):
        final = play_hand(game, seats, deck, seed=5, deal=deal).final
        if players > 2 and board_at_all_in(final) == ():
            continue  # exact, but slow for a test: 0.1 s each
        raw.append(final.payoffs[0])
        less.append(all_in_payoffs(final)[0])
        change.append(less[-1] - raw[-1])
        assert sum(all_in_payoffs(final)) == pytest.approx(0, abs=1e-9)
    assert any(change)
    low, high = tally(change).interval.low, tally(change).interval.high
    assert 1.5 * low - 0.5 * high < 0 < 1.5 * high - 0.5 * low  # two intervals wide
    assert tally(less).variance < 0.9 * tally(raw).variance
