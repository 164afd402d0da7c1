"""Random playouts in OpenSpiel's universal_poker (the ACPC server's code) and in ours agree.

Its players are ACPC positions: 0 is the big blind, 1 the button; they are our seats 0 and 1. In no
limit, action 0 folds, 1 checks or calls, and n > 1 raises to n chips of the whole hand; in limit, 2
raises (with the abstraction fcpa; fullgame gives limit raises the number of a fold).
"""

from random import Random

import pytest

pyspiel = pytest.importorskip("pyspiel")

from tiltless.games import CHANCE, TERMINAL  # noqa: E402
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, RaiseTo  # noqa: E402
from tiltless.games.holdem.game import Holdem  # noqa: E402
from tiltless.games.holdem.state import HoldemState  # noqa: E402
from tiltless.games.holdem.variants import limit_holdem, nlhe  # noqa: E402

HOLDEM = {
    "numRounds": 4,
    "numSuits": 4,
    "numRanks": 13,
    "numHoleCards": 2,
    "numBoardCards": "0 3 1 1",
}
HEADS_UP = HOLDEM | {"numPlayers": 2, "firstPlayer": "2 1 1 1"}
NO_LIMIT = {"betting": "nolimit", "bettingAbstraction": "fullgame"}
LIMIT = {"betting": "limit", "bettingAbstraction": "fcpa", "maxRaises": "3 4 4 4"}

GAMES = {
    "the ACPC's": (
        HEADS_UP | NO_LIMIT | {"blind": "100 50", "stack": "20000 20000"},
        nlhe(stack=20_000, blinds=(50, 100), minimum_raise="acpc", button=1),
        40,
    ),
    "no-limit": (
        HEADS_UP | NO_LIMIT | {"blind": "100 50", "stack": "2000 2000"},
        nlhe(stack=2000, blinds=(50, 100), minimum_raise="acpc", button=1),
        500,
    ),
    "no-limit uneven": (
        HEADS_UP | NO_LIMIT | {"blind": "100 50", "stack": "1500 700"},
        nlhe(stack=(1500, 700), blinds=(50, 100), minimum_raise="acpc", button=1),
        500,
    ),
    "no-limit short": (
        HEADS_UP | NO_LIMIT | {"blind": "2 1", "stack": "9 9"},
        nlhe(stack=9, blinds=(1, 2), minimum_raise="acpc", button=1),
        600,
    ),
    "no-limit three": (
        HOLDEM
        | NO_LIMIT
        | {
            "numPlayers": 3,
            "firstPlayer": "3 1 1 1",
            "blind": "5 10 0",
            "stack": "250 250 250",
        },
        nlhe(seats=3, stack=250, blinds=(5, 10), minimum_raise="acpc", button=2),
        500,
    ),
    "limit": (
        HEADS_UP | LIMIT | {"blind": "10 5", "raiseSize": "10 10 20 20", "stack": "2000 2000"},
        limit_holdem(stack=2000, blinds=(5, 10), button=1),
        600,
    ),
    "limit three": (
        HOLDEM
        | LIMIT
        | {
            "numPlayers": 3,
            "firstPlayer": "3 1 1 1",
            "blind": "5 10 0",
            "raiseSize": "10 10 20 20",
            "stack": "2000 2000 2000",
        },
        limit_holdem(seats=3, stack=2000, blinds=(5, 10), button=2),
        500,
    ),
}


def compare_playout(theirs: "pyspiel.State", game: Holdem, limit: bool, rng: Random) -> int:
    ours: HoldemState = game.start()
    decisions = 0
    while not theirs.is_terminal():
        if theirs.is_chance_node():
            assert ours.actor == CHANCE
            cards = ours.chance.sample(rng)
            for card in cards:
                theirs.apply_action(card)
            ours = ours.apply(cards)
            continue
        decisions += 1
        seat = theirs.current_player()
        assert ours.actor == seat
        earlier = ours.paid[seat] - ours.betting.bets[seat]
        actions, legal = theirs.legal_actions(), ours.actions
        assert (0 in actions) == legal.fold
        assert 1 in actions
        raises = [action for action in actions if action > 1]
        if limit:
            assert bool(raises) == bool(legal.max_raise)
        else:
            first, last = legal.min_raise + earlier, legal.max_raise + earlier
            assert raises == (list(range(first, last + 1)) if legal.max_raise else [])
        action = rng.choice((*actions[:2], *[rng.choice(raises) for _ in range(2) if raises]))
        theirs.apply_action(action)
        if action > 1:
            move = RaiseTo(legal.min_raise if limit else action - earlier)
        else:
            move = FOLD if action == 0 else CHECK if legal.check else CALL
        ours = ours.apply(move)
    assert ours.actor == TERMINAL
    split = 0 if game.players == 2 else 0.7  # three may split what two folded into: fractions there
    assert list(theirs.returns()) == pytest.approx(list(ours.payoffs), abs=split)
    return decisions


@pytest.mark.parametrize("name", GAMES)
def test_playouts_agree(name):
    parameters, game, hands = GAMES[name]
    theirs = pyspiel.load_game("universal_poker", parameters)
    rng = Random(7)
    decisions = sum(
        compare_playout(theirs.new_initial_state(), game, parameters["betting"] == "limit", rng)
        for _ in range(hands)
    )
    assert decisions > 2 * hands
