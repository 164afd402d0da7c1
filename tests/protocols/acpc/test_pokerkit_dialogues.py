"""Dialogues of our dealer with its players, against those that pokerkit makes of the same hands."""

import pokerkit
import pytest

from helpers.acpc_play import random_match
from tiltless.protocols.acpc.gamedef import GAMES

STACK = 20_000
THEIRS = {
    "holdem.nolimit.2p.reverse_blinds": ((), True, 0, (50, 100), 100),
    "holdem.nolimit.3p": ((), True, 0, (50, 100), 100),
    "holdem.limit.2p.reverse_blinds": ((), True, 0, (5, 10), 10, 20),
    "holdem.limit.3p": ((), True, 0, (5, 10), 10, 20),
}


def by_hand(lines):
    """Lines of one player by the number of the hand."""
    found = {}
    for line in lines:
        found.setdefault(int(line[1].split(":")[2]), []).append(line)
    return found


def compare(name, hands, seed):
    """Every line of every player; returns how many."""
    kind = pokerkit.NoLimitTexasHoldem if "nolimit" in name else pokerkit.FixedLimitTexasHoldem
    seats, match = random_match(GAMES[name], hands, seed)
    players = len(seats)
    halves = [hand for hand in match.log.hands if any(chips % 1 for chips in hand.chips)]
    text = "\n".join(hand.text for hand in match.log.hands if hand not in halves)
    ours = [by_hand(seat.lines) for seat in seats]
    lines = 0
    for history in pokerkit.HandHistory.from_acpc_protocol(
        kind(*THEIRS[name]), STACK, text, error_status=True
    ):
        for seat in range(players):
            position = (seat - history.hand) % players
            *theirs, (side, last) = history.to_acpc_protocol(position)
            *before, (our_side, end) = ours[seat][history.hand]
            assert theirs == before
            assert side == our_side
            if last != end:  # pokerkit's losers may hide their cards, those of the ACPC may not
                *start, cards = last.rpartition(":")
                hole, slash, board = cards.partition("/")
                shown, _, our_board = end.rpartition(":")[2].partition("/")
                assert (start, board) == ([end.rpartition(":")[0], ":"], our_board)
                fields = zip(hole.split("|"), shown.split("|"), strict=True)
                assert slash
                assert all(one in ("", other) for one, other in fields)
            lines += len(before) + 1
    return lines


@pytest.mark.parametrize("name", THEIRS)
def test_every_line_of_random_matches(name):
    assert compare(name, 25, 3) > 250


@pytest.mark.slow
@pytest.mark.parametrize("name", THEIRS)
def test_every_line_of_long_random_matches(name):
    assert compare(name, 2500, 4) > 25_000
