"""Speed of the report's self-play, a figure of ``tiltless bench six``.

The bench finds it by ``provided("six bench", "FIGURES")`` (`tiltless.plugins`), since neither
imports the other.
"""

import time

from tiltless.abstraction.cards.presets import card_abstraction
from tiltless.abstraction.cards.tables import build_tables
from tiltless.experiments.six_player.training import ABSTRACTION, SelfPlay

__all__ = ["FIGURES", "report_hands_per_s"]

_NODES = 4_000_000
_FIRST, _GAMES, _RUNS = 2_000, 40_000, 3


def report_hands_per_s() -> float:
    """Hands of compiled self-play in a second, learning included, games 2,000 to 40,000 of seed 1.

    The best of three runs, by the clock on the wall; bucket tables are built before if need be.
    """
    build_tables(card_abstraction(ABSTRACTION))
    return max(_run() for _ in range(_RUNS))


def _run() -> float:
    play = SelfPlay(seed=1, nodes=_NODES)
    play.run(_FIRST)
    hands, begin = play.counts.hands, time.perf_counter()
    play.run(_GAMES)
    return (play.counts.hands - hands) / (time.perf_counter() - begin)


FIGURES = (("report_hands_per_s", report_hands_per_s),)
"""(name, function that measures it)."""
