"""Weighted subsets of flops, which stand for all 1,755: 25, 49, 95 or 184 of them.

They were chosen by `tiltless.cards.flop_design`, which can choose them again; docs/flops.md says
how well they do. Weights sum to 22,100 like those of all flops.
"""

import json
import re
from functools import cache
from importlib.resources import files

from tiltless.cards.card import parse_cards
from tiltless.cards.flops import ALL_ALIKE, WeightedFlop, all_flops, canonical_flop
from tiltless.errors import InputError, OptionError
from tiltless.validate import brief

__all__ = ["SUBSETS", "choose_flops", "flop_subset"]

SUBSETS = (25, 49, 95, 184)
"""The sizes of subsets."""


@cache
def flop_subset(size: int) -> tuple[WeightedFlop, ...]:
    """The subset of a size, from aces to deuces."""
    if size not in SUBSETS:
        sizes = ", ".join(map(str, SUBSETS))
        raise OptionError(f"there is no subset of {brief(size)} flops; choose {sizes}")
    stored = json.loads(files("tiltless.cards").joinpath("flop_subsets.json").read_text("utf-8"))
    return tuple(WeightedFlop(parse_cards(text), w) for text, w in stored[str(size)].items())


def choose_flops(text: str, alike: tuple[int, ...] = ALL_ALIKE) -> tuple[WeightedFlop, ...]:
    """The flops of an option: ``all``, the size of a subset, or a list such as ``Ks7s2h, AsAh5d``.

    In a list a flop has the weight of all that are the same up to suits.
    alike: classes of suits, as for `canonical_flop`; subsets are for suits that are all alike.
    """
    words = "".join(text.split())
    if words.casefold() == "all":
        return all_flops(alike)
    if re.fullmatch("[0-9]{1,9}", words):
        if alike != ALL_ALIKE:
            raise OptionError(
                "subsets of flops need ranges that treat suits alike, such as AKs and not AsKs; "
                "give --flops all, or a list of flops"
            )
        return flop_subset(int(words))
    try:
        flops = {canonical_flop(part, alike) for part in words.split(",")}
    except InputError as problem:
        sizes = ", ".join(map(str, SUBSETS))
        raise OptionError(
            f"{brief(text)} are not flops ({problem}); write all, one of {sizes}, or a list such "
            "as 'Ks7s2h, AsAh5d'"
        ) from None
    return tuple(sorted(flops, reverse=True))
