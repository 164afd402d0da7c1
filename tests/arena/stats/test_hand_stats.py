"""The stats that players know, counted by hand."""

import math

import pytest

from helpers.playing import deal, play
from tiltless.arena.dealer import PlayedHand
from tiltless.arena.stats.hand_stats import HandStats, count_hand, new_sheet
from tiltless.games.game import TERMINAL
from tiltless.games.holdem.betting import Betting
from tiltless.games.holdem.history import decisions
from tiltless.games.holdem.variants import nlhe

BOARD = "Kh7c9d2c3s"


def _made(final):
    return tuple((past.street, past.seat, past.action) for past in decisions(final))


def stats(script, hole="AsKd QhQd", game=None, button=0):
    final = play(deal(game or nlhe(), hole, button=button), script, BOARD)
    assert final.actor == TERMINAL
    sheets = [new_sheet() for _ in final.hole]
    count_hand(PlayedHand(final, final.payoffs, (), (), _made(final)), sheets)
    return [HandStats(*sheet) for sheet in sheets]


def test_a_fold_at_once():
    first, second = stats("f")
    assert first == HandStats(hands=1, decisions=1)
    assert second == HandStats(hands=1)
    assert math.isnan(first.went_to_showdown)
    assert math.isnan(first.aggression)


def test_a_limped_pot_checked_down():
    first, second = stats("c k k k k k k k")
    assert (first.vpip, first.pfr) == (1, 0)
    assert (second.vpip, second.pfr) == (0, 0)  # a checked big blind is not voluntary
    assert (first.flops, first.showdowns, first.half_wins) == (1, 1, 2)
    assert (second.flops, second.showdowns, second.half_wins) == (1, 1, 0)
    assert (first.won_at_showdown, second.won_at_showdown) == (1, 0)


def test_three_bets_and_chances():
    first, second = stats("r6 r18 f")
    assert (first.three_bet_chances, first.three_bets) == (0, 0)
    assert (second.three_bet_chances, second.three_bets, second.three_bet) == (1, 1, 1)
    first, second = stats("r6 r18 r54 f")  # the fourth bet is no three-bet
    assert (first.three_bet_chances, first.three_bets) == (0, 0)
    assert first.raised_preflop == 1
    first, second = stats("c r8 r30 f")  # a limp, a raise, a three-bet
    assert (first.three_bet_chances, first.three_bets) == (1, 1)
    assert (second.three_bet_chances, second.pfr) == (0, 1)
    first, second = stats("r6 f")
    assert (second.three_bet_chances, second.three_bets, second.three_bet) == (1, 0, 0)


def test_aggression_is_of_later_streets():
    first, second = stats("r6 c k r6 r20 c r30 c k r40 c")
    assert (first.raises, first.calls) == (2, 2)
    assert (second.raises, second.calls) == (2, 1)
    assert (first.aggression, second.aggression) == (1, 2)


def test_never_calling_is_endless_aggression():
    first, _ = stats("c k k r4 f")
    assert first.aggression == math.inf
    assert first.showdowns == 0


def test_a_split_counts_half():
    first, second = stats("c k k k k k k k", hole="AsQd AcQh")
    assert first.won_at_showdown == second.won_at_showdown == 0.5


def test_dead_money_does_not_make_a_split_a_win():
    """Two share a pot in which a third has folded a bet: both are ahead, and half a win each."""
    game = nlhe(seats=3)
    each = stats("r6 r20 c f k k k k k k", hole="2s7d AsQd AcQh", game=game, button=0)
    assert [(one.showdowns, one.half_wins) for one in each] == [(0, 0), (1, 1), (1, 1)]


def test_a_side_pot_is_a_win():
    """Kings take the main pot from queens and jacks, queens the side pot, and still lose chips."""
    game = nlhe(seats=3, stack=(20, 100, 24))
    final = play(deal(game, "AsKd QhQd JhJd", button=0), "r20 r100 c", BOARD)
    assert final.payoffs == (40, -16, -24)
    sheets = [new_sheet() for _ in final.hole]
    count_hand(PlayedHand(final, final.payoffs, (), (), _made(final)), sheets)
    each = [HandStats(*sheet) for sheet in sheets]
    assert [one.showdowns for one in each] == [1, 1, 1]
    assert [one.half_wins for one in each] == [2, 2, 0]


def test_what_nobody_called_is_no_pot():
    game = nlhe(stack=(20, 200))
    first, second = stats("c r200 c", hole="AsKd QhQd", game=game)
    assert (first.half_wins, second.half_wins) == (2, 0)
    first, second = stats("c r200 c", hole="AsQd AcQh", game=game)
    assert (first.half_wins, second.half_wins) == (1, 1)


def test_all_in_before_the_flop_sees_it():
    first, second = stats("r200 c")
    assert (first.flops, first.showdowns) == (1, 1)
    assert (second.vpip, second.pfr) == (1, 0)


def test_many_seats():
    game = nlhe(seats=4)
    three = stats("r6 f c r20 f c k k k k k k", hole="AsKd 7h7d QhQd 2s2d", game=game, button=0)
    assert [each.vpip for each in three] == [0, 1, 1, 1]
    assert [each.pfr for each in three] == [0, 0, 1, 1]
    assert [each.three_bet_chances for each in three] == [1, 1, 1, 0]
    assert [each.three_bets for each in three] == [0, 0, 1, 0]
    assert [each.flops for each in three] == [0, 1, 1, 0]


def test_merge():
    parts = [stats("f")[0], stats("c k k k k k k k")[0], stats("r6 f")[0]]
    whole = HandStats()
    for part in parts:
        whole = whole.merge(part)
    assert whole.hands == 3
    assert whole.vpip == pytest.approx(2 / 3)
    assert isinstance(play(deal(nlhe()), "f").betting, Betting)
