"""All-in equity: replaces the runout after an all-in by its expectation.

When no more betting is possible and cards are still to come, each seat gets the mean of its
winnings over all runouts. The expectation stays the same, because the runout does not depend on
what the players do.

All dealt cards are removed from the deck, including those of players who folded: they folded
because of these cards, so putting them back would cause a (small) bias.
"""

import numpy as np

from tiltless.cards.card import COMBO_OF
from tiltless.cards.hand_order import STANDARD, hand_tables, permuted
from tiltless.cards.matchups import preflop_matchups
from tiltless.errors import OptionError
from tiltless.games.game import TERMINAL
from tiltless.games.holdem.history import decisions
from tiltless.games.holdem.record import HandRecord
from tiltless.games.holdem.state import HoldemState
from tiltless.kernels.cards.all_in import sum_winnings

__all__ = ["all_in_payoffs", "board_at_all_in"]


def board_at_all_in(final: HoldemState) -> tuple[int, ...] | None:
    """The board at the last action, if more cards followed and there was a showdown; else None."""
    if final.actor != TERMINAL:
        raise OptionError("the hand is not over; all-in equity needs its last state")
    live = final.betting.live
    if not live & live - 1:
        return None
    board = next((past.board for past in reversed(decisions(final))), ())
    return board if board != final.board else None


def all_in_payoffs(hand: HoldemState | HandRecord) -> tuple[float, ...]:
    """Net chips by seat; the mean over all runouts if the hand was all-in before the river.

    Exact for any number of players and side pots, odd chips included. Before the flop, two players
    take microseconds (from a table that is built once), more players up to 0.2 s. For other hands,
    and in games without two hole cards and boards of five, the actual payoffs.
    """
    final = hand.final if isinstance(hand, HandRecord) else hand
    board = board_at_all_in(final)
    game = final.game
    if board is None or game.rules.run_suits or len(final.board) != 5 or game.rules.hole_cards != 2:
        return tuple(float(each) for each in final.payoffs)
    return tuple(
        now + won - start
        for now, won, start in zip(
            final.betting.stacks, _winnings(final, board), final.table.stacks, strict=True
        )
    )


def _winnings(final: HoldemState, board: tuple[int, ...]) -> list[float]:
    """What each seat takes from the pots, on average."""
    live, pots = final.live, final.pots
    order = final.game.order if final.ranks is None else permuted(final.ranks)
    taken = [0.0] * final.game.players
    if not board and final.game.players == 2 and order == STANDARD:
        one, two = (COMBO_OF[cards[0], cards[1]] for cards in final.hole)
        edge = int(preflop_matchups()[one, two]) / 1_712_304
        if all(len(seats) < 2 or not chips % 2 for chips, seats in pots):
            for chips, seats in pots:
                for seat in seats:
                    share = 0.5 + (edge if seat == 0 else -edge) / 2 if len(seats) == 2 else 1.0
                    taken[seat] += chips * share
            return taken
    seats_in_turn = [seat for seat in final.table.order if seat in live]
    dealt = sum(1 << card for cards in final.hole for card in cards) | sum(1 << c for c in board)
    deck = np.array([c for c in range(52) if final.game.deck >> c & 1 and not dealt >> c & 1])
    members = np.array([[seat in seats for seat in seats_in_turn] for _, seats in pots], np.uint8)
    out = np.zeros(len(seats_in_turn), np.int64)
    count = sum_winnings(
        np.array(board, np.uint8),
        deck.astype(np.uint8),
        np.array([final.hole[seat] for seat in seats_in_turn], np.uint8),
        np.array([chips for chips, _ in pots], np.int64),
        members,
        hand_tables(order),
        out,
    )
    for seat, sum_of_chips in zip(seats_in_turn, out, strict=True):
        taken[seat] = float(sum_of_chips) / count
    return taken
