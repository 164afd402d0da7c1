"""Words at the table, our agents in PyPokerEngine, and its players in our arena.

`tiltless play` is the same table with you at it. PyPokerEngine: pip install 'tiltless[interop]'
"""

import random

from examples.players.fish_player import FishPlayer  # PyPokerEngine's examples, not ours
from pypokerengine.api.game import setup_config, start_poker

from tiltless.agents import make_agent
from tiltless.arena import Seated, play_hand, shuffled_decks
from tiltless.arena.table.spoken_actions import read_action
from tiltless.games import load
from tiltless.protocols.pypokerengine import Visitor


def words() -> list[str]:
    """What a person means before the flop, on the button, with 100 big blinds."""
    state = load("nlhe").start().apply((51, 50)).apply((0, 1))
    return [str(read_action(text, state.view(0))) for text in ("c", "half", "3bb", "all in")]


def at_their_table(hands: int = 50) -> list[int]:
    """Stacks after some hands of our rule-based agent against PyPokerEngine's FishPlayer."""
    random.seed(1)  # their cards
    config = setup_config(max_round=hands, initial_stack=10_000, small_blind_amount=5)
    config.register_player("ours", Visitor("rules"))
    config.register_player("fish", FishPlayer())
    return [player["stack"] for player in start_poker(config, verbose=0)["players"]]


def at_our_table(hands: int = 200) -> float:
    """What our rule-based agent wins from their RandomPlayer, in big blinds a hand."""
    game = load("nlhe")
    theirs = "pypokerengine:class=examples.players.random_player:RandomPlayer"
    table = [Seated(make_agent("rules")), Seated(make_agent(theirs, trusted=True))]
    won = 0
    for deal, deck in enumerate(shuffled_decks(game, 1, 0, hands).tolist()):
        won += play_hand(game, table, deck, seed=1, deal=deal, button=deal % 2).payoffs[0]
    return won / hands / game.rules.big_blind


if __name__ == "__main__":
    print("words:", words())
    print("their table, stacks after 50 hands:", at_their_table())
    print(f"our table, bb a hand against RandomPlayer: {at_our_table():+.2f}")
