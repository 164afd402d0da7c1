"""Products of features as texts: ``street * seat * pot(20) * cards``.

The key ``information`` of a training configuration, and the metadata of a blueprint, hold such a
text. ``cards`` stands for the buckets of hands that are named beside it. The text of a product
(``str``) reads back as an equal product.

>>> from tiltless.abstraction.information.grammar import parse_information
>>> print(parse_information("street*seat * pot"))
street * seat * pot(20)
>>> print(parse_information("libratus-fan-club"))
street * pot(exact) * pot_odds(1/6, 1/4, 1/3, 2/5, 4/9) * cards
"""

import re
from collections.abc import Callable

from tiltless.abstraction.information.features import (
    actions,
    cards,
    colour,
    history,
    last_action,
    pot,
    pot_odds,
    raises,
    seat,
    street,
)
from tiltless.abstraction.information.presets import PRESETS
from tiltless.abstraction.information.product import Abstraction, Feature
from tiltless.errors import OptionError
from tiltless.validate import brief

__all__ = ["FEATURES", "parse_information", "read_information"]

FEATURES = {
    "street": "street",
    "seat": "seat",
    "pot": "pot(20), pot(exact)",
    "pot_odds": "pot_odds(1/4, 1/3)",
    "history": "history(hand), history(street)",
    "last_action": "last_action",
    "raises": "raises",
    "actions": "actions",
    "colour": "colour(dh)",
    "cards": "cards",
}
"""The features that a text may name, and how each is written."""

_PLAIN: dict[str, Feature] = {
    "street": street,
    "seat": seat,
    "last_action": last_action,
    "raises": raises,
    "actions": actions,
    "cards": cards,
}
_FACTOR = re.compile(r"([a-z_]+)\s*(?:\(([^()]*)\))?")


def _pot(bins: str = "20") -> Feature:
    if bins == "exact":
        return pot(None)
    if not re.fullmatch("[0-9]{1,9}", bins):
        raise OptionError(f"pot({brief(bins)}) has no number of bins; write pot(20) or pot(exact)")
    return pot(int(bins))


def _pot_odds(*edges: str) -> Feature:
    return pot_odds(edges) if edges else pot_odds()


_MAKERS: dict[str, Callable[..., Feature]] = {
    "pot": _pot,
    "pot_odds": _pot_odds,
    "history": history,
    "colour": colour,
}


def parse_information(text: str) -> Abstraction:
    """The product that a text or the name of a preset stands for; `OptionError` if none does."""
    if text.strip() in PRESETS:
        return PRESETS[text.strip()].features * cards
    first, *others = (_factor(part.strip(), text) for part in text.split("*"))
    product: Abstraction = first
    for factor in others:
        product = product * factor
    return product


def read_information(text: str) -> Abstraction | None:
    """The information sets of a strategy; None where they are all bets, times ``cards``.

    All bets (perfect recall) are what a betting tree has anyway. A product without ``cards`` is
    refused: all hands would play alike.
    """
    product = parse_information(text)
    if cards not in product.factors:
        raise OptionError(
            f"information {brief(text)} has no cards, so all hands would play alike; write "
            f"{brief(f'{product} * cards')}"
        )
    if history() in product.factors and product.cards == (cards,):
        return None
    return product


def _factor(part: str, text: str) -> Feature:
    found = _FACTOR.fullmatch(part)
    if found is None or found[1] not in FEATURES:
        raise OptionError(
            f"{brief(part)} in information {brief(text)} is not a feature; join some of "
            f"{', '.join(FEATURES.values())} with *, or choose a preset: {', '.join(PRESETS)}"
        )
    name, inside = found[1], (found[2] or "").strip()
    words = [word.strip() for word in inside.split(",")] if inside else []
    if name in _PLAIN and not words:
        return _PLAIN[name]
    if name in _PLAIN or (name != "pot_odds" and len(words) > 1):
        raise OptionError(f"{brief(part)} has too many numbers or words; write {FEATURES[name]}")
    return _MAKERS[name](*words)
