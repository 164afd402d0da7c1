"""Recorded matches of other people's engines replay to the recorded chips, hand by hand."""

import pytest

from helpers.recorded import Recorded, acpc_log, game_log, hidden_ranks, wire_match
from tiltless.games import CHANCE, TERMINAL
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, RaiseTo
from tiltless.games.holdem.game import Holdem
from tiltless.games.holdem.permutation import permutation
from tiltless.games.holdem.record import hand_line, parse_hand, record_hand
from tiltless.games.holdem.river_of_blood import river_of_blood
from tiltless.games.holdem.state import HoldemState
from tiltless.games.holdem.variants import nlhe


def replay(game: Holdem, hand: Recorded) -> HoldemState:
    state = game.start(hand.button)
    for cards in hand.cards:
        state = state.apply(cards)
    for move in hand.moves:
        if isinstance(move, tuple) and isinstance(move[0], str):
            state = state.apply(acpc_action(state, *move))
        elif isinstance(move, tuple):
            assert state.actor == CHANCE
            state = state.apply(move[len(state.board) :])
        elif state.actor >= 0:
            state = state.apply(move)
        else:  # the MIT engine goes on asking players who are all-in
            assert move == CHECK
            assert 0 in state.betting.stacks
    assert state.actor == TERMINAL
    return state


def acpc_action(state: HoldemState, letter: str, total: int) -> object:
    """ACPC raises count the chips of the whole hand."""
    if letter == "f":
        return FOLD
    if letter == "c":
        return CHECK if state.actions.check else CALL
    earlier = state.paid[state.actor] - state.betting.bets[state.actor]
    return RaiseTo(total - earlier)


RANKS_2020 = hidden_ranks("mit-2020-permutation.gamelog.txt")
MATCHES = {
    "2020 log": (permutation(ranks=RANKS_2020), game_log("mit-2020-permutation.gamelog.txt"), 300),
    "2020 wire": (permutation(ranks=RANKS_2020), wire_match("mit-2020-permutation"), 300),
    "2023 log": (river_of_blood(), game_log("mit-2023-river-of-blood.gamelog.txt"), 6),
    "2023 wire": (river_of_blood(), wire_match("mit-2023-river-of-blood"), 300),
    "acpc m1": (
        nlhe(stack=20_000, blinds=(50, 100), minimum_raise="acpc"),
        acpc_log("acpc-2p-nolimit.m1.log"),
        12,
    ),
    "acpc t2": (
        nlhe(stack=20_000, blinds=(50, 100), minimum_raise="acpc"),
        acpc_log("acpc-2p-nolimit.t2.log"),
        6,
    ),
    "acpc 3p": (
        nlhe(seats=3, stack=20_000, blinds=(50, 100), minimum_raise="acpc"),
        acpc_log("acpc-3p-nolimit.log"),
        5,
    ),
}


@pytest.mark.parametrize("name", MATCHES)
def test_every_recorded_hand_pays_the_recorded_chips(name):
    game, match, hands = MATCHES[name]
    assert len(match) == hands
    wrong = [hand.number for hand in match if list(replay(game, hand).payoffs) != hand.chips]
    assert wrong == []


@pytest.mark.parametrize("name", MATCHES)
def test_recorded_hands_survive_being_written_as_a_line(name):
    game, match, _ = MATCHES[name]
    for hand in match[:50]:
        record = record_hand(replay(game, hand), number=hand.number)
        assert parse_hand(hand_line(record), game) == record


def test_matches_are_worth_replaying():
    """Showdowns, all-ins, long boards: the recordings exercise what they are kept for."""
    game, match, _ = MATCHES["2023 wire"]
    ends = [replay(game, hand) for hand in match]
    assert sum(len(end.board) > 5 for end in ends) > 30
    assert max(len(end.board) for end in ends) >= 9
    assert sum(bool(end.shown) for end in ends) > 100
    game, match, _ = MATCHES["2020 log"]
    plain = permutation(ranks="23456789TJQKA")
    changed = [hand for hand in match if list(replay(plain, hand).payoffs) != hand.chips]
    assert len(changed) > 20  # the hidden order decides


def test_both_logs_of_2020_are_the_same_match():
    log, wire = MATCHES["2020 log"][1], MATCHES["2020 wire"][1]
    assert [hand.chips for hand in log] == [hand.chips for hand in wire]
    assert [hand.cards for hand in log] == [hand.cards for hand in wire]
