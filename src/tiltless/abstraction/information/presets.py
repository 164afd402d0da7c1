"""Information presets: the information sets of the five reports as products of features.

They tell bets apart, and in one case the colour of a card. The buckets of hands that each of them
used are named beside them, and so are the bets. Street and allowed actions are factors of every
product that is compiled (`tiltless.blueprint.information`), so writing them or not makes no
difference.
"""

from dataclasses import dataclass

from tiltless.abstraction.information.features import (
    actions,
    colour,
    history,
    pot,
    pot_odds,
    seat,
    street,
)
from tiltless.abstraction.information.product import Abstraction

__all__ = [
    "CALLING_STATION",
    "EP_WHITE",
    "LIBRATUS_FAN_CLUB",
    "PRESETS",
    "SIX_PLAYER",
    "THESIS",
    "InformationPreset",
]


@dataclass(frozen=True, slots=True)
class InformationPreset:
    """How a bot saw the game.

    cards: the name of its buckets, see `tiltless.abstraction.cards.presets`.  bets: of its menu,
    see `tiltless.abstraction.bets.presets`.  features: the rest of its information.  repeat_from:
    how its tree is laid out, see `tiltless.blueprint.tree`; None: as by default.
    """

    name: str
    cards: str
    bets: str
    features: Abstraction
    repeat_from: int | None = None


THESIS = InformationPreset("thesis", "thesis", "thesis", history())
"""Suited or not, ranks of the board, and all bets, before and on the flop."""

CALLING_STATION = InformationPreset(
    "calling-station", "calling-station", "calling-station", history()
)
"""All bets, and the bucket of the present street alone: imperfect recall of cards."""

EP_WHITE = InformationPreset(
    name="ep-white",
    cards="river-of-blood",
    bets="ep-white",
    features=colour() * street * seat * pot(20) * actions,
    repeat_from=8,
)
"""The pot in twenty bins instead of any history. Buckets end with boards of nine cards; what comes
after them is one street that repeats."""

SIX_PLAYER = InformationPreset("six-player", "six-player", "six-player", history())
"""All bets, in seats counted from the button: the rotation of the report."""

LIBRATUS_FAN_CLUB = InformationPreset(
    "libratus-fan-club",
    "libratus-fan-club",
    "libratus-fan-club",
    street * pot(None) * pot_odds(),
)
"""The pot and the odds of a call. Not the seat: both players share the rows where these agree."""

PRESETS = {
    preset.name: preset
    for preset in (THESIS, CALLING_STATION, EP_WHITE, SIX_PLAYER, LIBRATUS_FAN_CLUB)
}
"""All of them, by name."""
