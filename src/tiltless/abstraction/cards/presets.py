"""Card abstraction presets, by name; their centroids ship with the package."""

from functools import lru_cache
from importlib.resources import as_file, files
from os import PathLike, fspath
from pathlib import Path
from typing import NamedTuple

from tiltless.abstraction.cards.abstraction import CardAbstraction
from tiltless.abstraction.cards.design_file import Design, load_design
from tiltless.errors import OptionError
from tiltless.validate import brief, unknown_name

__all__ = ["CARD_PRESETS", "CardPreset", "card_abstraction", "card_design"]


class CardPreset(NamedTuple):
    """A card abstraction that ships with the package.

    text: the streets, see `tiltless.abstraction.cards.grammar`.  about: a short description.
    order: the order of hands, see `tiltless.abstraction.cards.design_file.ORDERS`.  points, rounds:
    the effort of its design, with 3 tries.
    """

    text: str
    about: str
    order: str = "standard"
    points: int = 500_000
    rounds: int = 50


CARD_PRESETS = {
    "tiny": CardPreset(
        "histogram 8, strength 8, strength 8, strength 8", "8 buckets a street, for tests"
    ),
    "small": CardPreset(
        "lossless, strength 8, strength 8, strength 8", "169/8/8/8: for the one-minute demo"
    ),
    "thesis": CardPreset(
        "suitless, suitless, suitless, suitless", "169 hands x ranks of the board (CFRv1, CFRv2)"
    ),
    "six-player": CardPreset(
        "ranks, bins 190, bins 190, bins 190", "ranks before the flop, then 190 steps of E[HS]"
    ),
    "libratus-fan-club": CardPreset(
        "lossless, histogram 100 l1, histogram 100 l1, ochs 100",
        "169/100/100/100: equity histograms under EMD, opponent clusters on the river",
    ),
    "calling-station": CardPreset(
        "lossless, ochs 256, ochs 256, ochs 256", "169/256/256/256: opponent clusters throughout"
    ),
    "standard": CardPreset(
        "lossless, histogram 200, histogram 200, ochs 200",
        "169/200/200/200: the default for training on a laptop",
    ),
    "strong": CardPreset(
        "lossless, potential 1000, histogram 1000, ochs 1000",
        "169/1000/1000/1000: potential-aware flop, histograms, opponent clusters",
    ),
    "board-aware": CardPreset(
        "lossless, boards 60 x histogram(25) 60, boards 20 x histogram(25) 20, boards 24 x bins 10",
        "169/3600/400/240: clusters of boards x hands, the cards of the shipped blueprints",
        points=1_000_000,
    ),
    "permutation-unknown": CardPreset(
        "lossless, histogram 100 l1, histogram 100 l1, ochs 100",
        "Permutation Hold'em before the order is known: straights count for nothing",
        order="no-straights",
    ),
    "run-small": CardPreset(
        "lossless, strength 8, strength 8, next-card 8 + 8, next-card 8 + 8",
        "507/8/8/16/16: River of Blood in a minute, red and black suits apart",
        points=20_000,
        rounds=10,
    ),
    "run-aware": CardPreset(
        "lossless, boards 60 x histogram(25) 60, boards 20 x histogram(25) 20, "
        "boards 24 x next-card 10 + 250, next-card 100 + 200",
        "507/3600/400/490/300: board-aware, and from the river on by the next card; "
        "the cards of the shipped blueprint of River of Blood",
        points=200_000,
        rounds=25,
    ),
    "river-of-blood": CardPreset(
        ", ".join(["run-histogram 8 l1", *["run-histogram 40 l1"] * 7]),
        "8/40x7: River of Blood with boards of up to nine cards (EP White)",
        points=200_000,
        rounds=25,
    ),
}
"""The presets by name; each has a file in ``centroids/`` unless it needs no centroids."""

_FOLDER = files("tiltless.abstraction.cards") / "centroids"
_SUFFIX = ".safetensors"


def _is_file(name: str | PathLike[str]) -> bool:
    if not isinstance(name, str | PathLike):
        raise OptionError(f"{brief(name)} is no card abstraction; give a name or a file")
    return not isinstance(name, str) or name.endswith(_SUFFIX) or "/" in name or "\\" in name


def card_design(name: str | PathLike[str]) -> Design:
    """The design of a preset, or of a file written by `tiltless abstraction design`."""
    if _is_file(name):
        return load_design(name)
    key = fspath(name)
    if key not in CARD_PRESETS:
        file = f"a file that ends in {_SUFFIX}, as tiltless abstraction design writes it"
        raise unknown_name("card abstraction", key, CARD_PRESETS, file)
    stored = _FOLDER / f"{key}{_SUFFIX}"
    if not stored.is_file():
        return Design(key, CARD_PRESETS[key].text, order=CARD_PRESETS[key].order)
    with as_file(stored) as path:
        return load_design(path)


def card_abstraction(name: str | PathLike[str]) -> CardAbstraction:
    """The buckets of a preset or of a file: ``card_abstraction("standard").buckets("Ks7d2c")``."""
    return _abstraction(Path(name) if _is_file(name) else fspath(name))


@lru_cache(maxsize=16)
def _abstraction(name: str | Path) -> CardAbstraction:
    return card_design(name).abstraction()
