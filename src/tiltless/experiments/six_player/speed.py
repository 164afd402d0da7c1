"""Speed of the report's self-play: hands per second of one thread, for ``tiltless bench six``."""

import time

from tiltless.abstraction.cards.presets import card_abstraction
from tiltless.abstraction.cards.tables import missing_tables
from tiltless.experiments.six_player.training import ABSTRACTION, SelfPlay

__all__ = ["report_hands_per_s"]

_NODES = 4_000_000
_FIRST, _GAMES = 2_000, 40_000


def report_hands_per_s() -> float | None:
    """Hands of compiled self-play in a second, learning included, from game 2,000 to 40,000.

    None if the bucket tables have not been built.
    """
    if missing_tables(card_abstraction(ABSTRACTION)):
        return None
    play = SelfPlay(seed=1, nodes=_NODES)
    play.run(_FIRST)
    hands, begin = play.counts.hands, time.perf_counter()
    play.run(_GAMES)
    return (play.counts.hands - hands) / (time.perf_counter() - begin)
