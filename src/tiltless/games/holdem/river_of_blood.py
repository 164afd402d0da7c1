"""River of Blood Hold'em, the game of MIT Pokerbots 2023.

Hold'em whose board grows: if the river is red (hearts or diamonds), one more card and one more
betting round follow, and so on until a black card is dealt. The best five of all cards win, as
eval7 scores them: with ten or more cards it considers only one flush suit, and so did the engine.
The longest board has 31 cards.
"""

from collections.abc import Sequence

from tiltless.games.holdem.game import Holdem
from tiltless.games.holdem.streets import no_limit
from tiltless.games.holdem.variants import Stack, holdem, parse_blinds

__all__ = ["river_of_blood"]


def river_of_blood(
    seats: int = 2,
    stack: Stack = 400,
    blinds: Sequence[int] = (1, 2),
    button: int = 0,
    eval7_flushes: bool = True,
    effective_raises: bool = True,
) -> Holdem:
    """River of Blood Hold'em with the raises of the MIT engine, which opponents can always call."""
    made_with = dict(locals())
    posted, big = parse_blinds(blinds)
    return holdem(
        "river-of-blood",
        made_with,
        no_limit((big,) * 4),
        posted,
        big,
        run_suits="dh",
        short_stacks=False,
    )
