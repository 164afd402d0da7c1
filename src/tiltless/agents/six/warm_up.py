"""Warm-up of search at tables of several seats, so that no decision waits for a compiler.

A turn and a river of two players, and the streets of three, are searched for a moment in hands with
short stacks, whose trees are small. The beliefs of earlier streets are part of it.
"""

from contextlib import suppress

from tiltless.agents.agent import KnownStrategy
from tiltless.agents.spot_query import spot_view
from tiltless.errors import TiltlessError
from tiltless.games.holdem.game import Holdem
from tiltless.games.registry import load

__all__ = ["warm_up"]

_STACK, _BOARD = "12bb", "AsKd7h2c9s"
_CARDS = {1: 6, 2: 8, 3: 10}  # letters of the board by street


def warm_up(agent: KnownStrategy, seats: int) -> None:
    """Ask an agent of ``seats`` seats for its strategy on all streets of two and three players."""
    game = load("nlhe", seats=seats, stack=_STACK)
    assert isinstance(game, Holdem)
    for players in (2, 3):
        first = ["f"] * (seats - players) + ["r2.5bb"] + ["c"] * (players - 1)
        for street, letters in _CARDS.items():
            checked = [["x"] * players] * (street - 1)
            line = " / ".join(map(" ".join, [first, *checked, ["x"]]))
            with suppress(TiltlessError):  # as a search would end
                agent.policies(spot_view(game, line, _BOARD[:letters]))
