"""The bot for River of Blood (MIT Pokerbots 2023): a blueprint, and search inside the match clock.

::

    make_agent("river-of-blood")              24 of the 30 seconds of a match of 1,000 hands
    make_agent("river-of-blood:search=no")    the blueprint alone
    make_agent("river-of-blood:search=no,cut=run,folds=medium")

The blueprint has the run in its tree, as one street that repeats, and is played purified: after so
short a training it wins 85 mbb/h from its own mixtures that way (docs/river-of-blood.md). From the
river on the rest of the hand is searched while the clock allows it, large pots first
(`tiltless.agents.search`). The rest is what the report on Calling Station describes, as options:
one of three fold thresholds, and play by equity from the run on, or from red rivers on
(`tiltless.agents.river_of_blood_equity`).

The report stores the purified action for three thresholds and does not say which. A threshold above
one half changes nothing, as a fold that is likelier than everything else is chosen anyway; so
`FOLD_THRESHOLDS` has one half, which is plain purification, and two below.
"""

from collections.abc import Mapping
from types import MappingProxyType

from tiltless.agents.agent import Agent
from tiltless.agents.blueprint import BlueprintAgent
from tiltless.agents.search import SearchAgent
from tiltless.errors import OptionError
from tiltless.validate import brief

__all__ = ["FILE", "FOLDS", "FOLD_THRESHOLDS", "SAMPLED", "TOTAL", "river_of_blood"]

FILE = "river-of-blood"
"""The blueprint that ships."""
FOLD_THRESHOLDS: Mapping[str, float] = MappingProxyType(
    {"loose": 0.5, "medium": 0.375, "tight": 0.25}
)
"""Purification folds from these probabilities of folding on."""
FOLDS = "tight"
"""The threshold that plays; of the three it won most from other purified blueprints."""
SAMPLED = "none"
"""Instead of a threshold: play the blueprint's mixtures as they are."""
TOTAL = 24.0
"""Seconds of the 30 of a match; the rest is for the protocol, and for a machine that is busy."""
_SECONDS = 1.0  # of a decision; the engine allows 10


def river_of_blood(
    file: str = FILE,
    search: bool = True,
    total: float = TOTAL,
    hands: int = 1000,
    seconds: float = _SECONDS,
    iterations: int = 0,
    bets_after: bool = True,
    folds: str = FOLDS,
    cut: str = "",
) -> Agent:
    """The bot, with search or without.

    file: a blueprint of River of Blood.  total, hands, seconds, iterations, bets_after: of search,
    see `SearchAgent`; a total of 0 is no match clock.
    folds: purify the blueprint with a threshold of `FOLD_THRESHOLDS`, or `SAMPLED`.  cut: see
    `CUTS` of `tiltless.agents.blueprint`; for play without search.
    """
    if folds not in (*FOLD_THRESHOLDS, SAMPLED):
        raise OptionError(
            f"folds={brief(folds)} is not known; use one of "
            f"{', '.join((*FOLD_THRESHOLDS, SAMPLED))}"
        )
    purify, limit = folds != SAMPLED, FOLD_THRESHOLDS.get(folds, 0.5)
    if not search:
        return BlueprintAgent(file, purify=purify, fold_threshold=limit, cut=cut)
    if cut:
        raise OptionError("cut is for play without search; add search=no")
    return SearchAgent(
        file,
        seconds=seconds,
        total=total,
        hands=hands,
        iterations=iterations,
        bets_after=bets_after,
        purify=purify,
        fold_threshold=limit,
    )
