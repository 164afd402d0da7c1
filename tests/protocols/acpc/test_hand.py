"""The rules of the ACPC, by known hands and against the original code inside OpenSpiel."""

import dataclasses
import re
from random import Random

import pytest

from helpers.acpc_play import random_move
from tiltless.errors import InputError
from tiltless.protocols.acpc.gamedef import GAMES, gamedef_text
from tiltless.protocols.acpc.hand import CALL_MOVE, Move, new_hand
from tiltless.protocols.acpc.wire import betting_text, cards_field, parse_betting

NO_LIMIT = GAMES["holdem.nolimit.2p.reverse_blinds"]
THREE = GAMES["holdem.nolimit.3p"]


def uneven(game, *stacks):
    return dataclasses.replace(game, stacks=stacks)


ORACLE_GAMES = {
    **GAMES,
    "short": uneven(NO_LIMIT, 900, 900),
    "uneven": uneven(NO_LIMIT, 1500, 700),
    "three short": uneven(THREE, 600, 600, 600),
    "three uneven": uneven(THREE, 400, 2000, 900),
    "blind all-in": uneven(THREE, 50, 2000, 900),
}  # no stacks in limit: OpenSpiel drops them


@pytest.mark.parametrize(
    ("betting", "bounds", "can_fold"),
    [
        ("", (200, 20_000), True),
        ("c", (200, 20_000), False),
        ("r300", (500, 20_000), True),
        ("r300r900", (1500, 20_000), True),
        ("cc/", (200, 20_000), False),
        ("cc/r250", (400, 20_000), True),  # 150 more
        ("cr200c/cc/", (300, 20_000), False),
        ("r19950", (20_000, 20_000), True),
        ("r20000", (0, 0), True),
        ("r20000c///", (0, 0), False),
    ],
)
def test_the_bounds_of_raises(betting, bounds, can_fold):
    hand = parse_betting(betting, NO_LIMIT)
    assert (hand.raise_bounds, hand.can_fold) == (bounds, can_fold)


def test_sixty_four_actions_are_the_most_of_a_round():
    game = dataclasses.replace(NO_LIMIT, stacks=(10**9, 10**9), blinds=(2, 1))
    hand = new_hand(game)
    for _ in range(62):
        hand = hand.apply(Move("r", hand.raise_bounds[0]))
        assert len(hand.rounds[0]) <= 62
    assert hand.raise_bounds[1]
    hand = hand.apply(Move("r", hand.raise_bounds[0]))
    assert hand.raise_bounds == (0, 0)
    assert len(hand.apply(CALL_MOVE).rounds[0]) == 64


@pytest.mark.parametrize("move", ["r199", "r20001", "x", "c200", "r"])
def test_illegal_moves_are_refused(move):
    with pytest.raises(InputError, match=r"legal: f, c, r200\.\.20000"):
        new_hand(NO_LIMIT).apply(Move(move[0], int(move[1:] or 0)))
    with pytest.raises(InputError, match="legal: c, r"):
        new_hand(NO_LIMIT).apply(CALL_MOVE).apply(Move("f"))


def test_limit_raises_stop_at_the_stack():
    game = uneven(GAMES["holdem.limit.3p"], 65, 45, 90)
    hand = parse_betting("rrrcc/rcrr", game)  # 50, all-in for 45, 60, all-in for 65
    assert (hand.spent, hand.actor, hand.raise_bounds) == ((65, 45, 60), 2, (0, 0))
    assert betting_text(hand.apply(CALL_MOVE)) == "rrrcc/rcrrc//"
    assert parse_betting("rrrcc/rcrrc//", game).spent == (65, 45, 65)


def test_pots_are_split_into_fractions():
    """Two players tie for the 25 chips that a third has left."""
    hand = parse_betting("fcc/cc/cc/cc", dataclasses.replace(THREE, blinds=(50, 100, 25)))
    board = (0, 1, 2, 3, 51)  # quads and an ace on the board
    assert hand.payoffs(((4, 5), (6, 7), (8, 9)), board) == (12.5, 12.5, -25.0)
    with pytest.raises(InputError, match="not over"):
        new_hand(THREE).payoffs(((), (), ()), ())


def test_the_original_is_our_oracle():
    play_against_openspiel(hands=80)


@pytest.mark.slow
def test_the_original_is_our_oracle_for_long():
    play_against_openspiel(hands=100_000 // len(ORACLE_GAMES) + 1)


def play_against_openspiel(hands):
    pyspiel = pytest.importorskip("pyspiel")
    for name, game in ORACLE_GAMES.items():
        theirs = _load(pyspiel, game)
        rng = Random(name)
        assert sum(_one_hand(theirs.new_initial_state(), game, rng) for _ in range(hands)) > hands


def _load(pyspiel, game):
    loaded = pyspiel.universal_poker.load_universal_poker_from_acpc_gamedef(gamedef_text(game))
    if not game.no_limit:  # where "fullgame" gives raises the number of a fold
        return loaded
    parameters = loaded.get_parameters() | {"bettingAbstraction": "fullgame"}
    return pyspiel.load_game("universal_poker", parameters)


def _one_hand(theirs, game, rng):
    """A random hand in both; every actor, legal move and result agrees. Returns the decisions."""
    deck = sorted(game.deck)  # theirs are numbered by rank, then suit, from the lowest card
    rng.shuffle(order := list(range(len(deck))))
    cards = iter(order)
    dealt, hand, decisions = [], new_hand(game), 0
    while not theirs.is_terminal():
        if theirs.is_chance_node():
            dealt.append(next(cards))
            theirs.apply_action(dealt[-1])
            continue
        decisions += 1
        assert theirs.current_player() == hand.actor
        actions = theirs.legal_actions()
        low, top = hand.raise_bounds
        assert (0 in actions) == hand.can_fold
        assert 1 in actions
        raises = [action for action in actions if action > 1]
        if game.no_limit:
            assert raises == list(range(low, top + 1) if top else ())
        else:
            assert bool(raises) == bool(top)
        move = random_move(hand, rng)
        theirs.apply_action({"f": 0, "c": 1, "r": move.size or 2}[move.letter])
        hand = hand.apply(move)
    assert hand.is_over
    numbers = [deck[card] for card in dealt]
    count = game.hole_cards
    hole = [tuple(numbers[count * p : count * p + count]) for p in range(game.players)]
    board = numbers[count * game.players :]
    if len(hand.live) > 1:
        assert len(board) == sum(game.board_cards)
    assert theirs.returns() == list(hand.payoffs(hole, board[: hand.board_size]))
    if game.ranks == 13:  # smaller decks of theirs begin with the deuce
        said = re.search(r"ACPC State: (STATE:\S*)", str(theirs))[1]
        assert said == f"STATE:0:{betting_text(hand)}:{cards_field(hand, hole, board)}"
    return decisions
