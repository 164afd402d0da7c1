"""Design files: a card abstraction as a text and a few arrays.

The arrays of a design are

    opponents8           uint8 ``[169]``, the opponent clusters of ``ochs(8)``
    flop, turn, river    int16 ``[buckets, dims]``, centroids; run1, run2 … in River of Blood;
                         ``[clusters of boards, buckets, dims]`` if boards are clustered
    flop_boards, …       uint8 ``[canonical boards]``, the cluster of each, see `board_aware.py`
    flop_places, …       int16 ``[buckets of the next street, 16]``, see `potential.py`
    preflop              uint16 ``[1326]``, the bucket of each starting hand, if they are clustered
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.cards.abstraction import (
    BOARD_CARDS,
    STREETS,
    CardAbstraction,
    street_name,
)
from tiltless.abstraction.cards.board_aware import BoardAware
from tiltless.abstraction.cards.bucketing import (
    Bucketing,
    Clustered,
    ComboList,
    Lossless,
    StrengthBins,
    Suitless,
    rank_pairs,
)
from tiltless.abstraction.cards.features import HandFeature, Histogram, OpponentClusters, Strength
from tiltless.abstraction.cards.grammar import StreetText, parse_streets
from tiltless.abstraction.cards.next_card import NextCard, NextCardHistogram
from tiltless.abstraction.cards.potential import Potential
from tiltless.abstraction.cards.river_run import RunHistogram
from tiltless.cards.hand_order import NO_STRAIGHTS, STANDARD, HandOrder
from tiltless.errors import ArrayError, DamagedFileError, OptionError
from tiltless.files.arrays import read_arrays, write_arrays
from tiltless.validate import one_of

__all__ = [
    "ORDERS",
    "Common",
    "Design",
    "assemble",
    "bucketing_of",
    "common_to",
    "feature_of",
    "load_design",
    "save_design",
]

KIND = "card-abstraction"
Arrays = Mapping[str, npt.NDArray[Any]]

ORDERS = {"standard": STANDARD, "no-straights": NO_STRAIGHTS}
"""Orders of hands by name; see `tiltless.cards.hand_order.NO_STRAIGHTS`."""


@dataclass(frozen=True)
class Common:
    """What the streets of a design share: the order of hands and the interchangeable suits."""

    order: HandOrder = STANDARD
    suits: str = "all"


def common_to(streets: tuple[StreetText, ...], order: str) -> Common:
    """What these streets share under an order by name, one of `ORDERS`."""
    one_of("order of hands", order, ORDERS)
    runs_on = any(street.runs_on for street in streets)
    if runs_on and order != "standard":
        raise OptionError(f"boards that grow need the standard order of hands, not {order}")
    return Common(ORDERS[order], "red-black" if runs_on else "all")


@dataclass(frozen=True, eq=False)
class Design:
    """The definition of a card abstraction.

    text: the streets.  arrays: see the top of this module.  made_by: how they were computed.
    order: the order of hands, one of `ORDERS`.
    """

    name: str
    text: str
    arrays: Arrays = field(repr=False, default_factory=dict)
    made_by: str = ""
    order: str = "standard"

    def abstraction(self) -> CardAbstraction:
        """The card abstraction that it defines."""
        streets = parse_streets(self.text)
        return assemble(self.name, streets, self.arrays, common_to(streets, self.order))


def feature_of(
    here: StreetText,
    street: int,
    arrays: Arrays,
    following: Bucketing | None,
    common: Common,
) -> HandFeature:
    """The feature of a clustered street; following: the buckets of the next one, if any."""
    if here.kind == "histogram":
        return Histogram(here.size, common.order)
    if here.kind == "run-histogram":
        return RunHistogram(here.size)
    if here.kind == "next-card":
        return NextCardHistogram(here.size)
    if here.kind == "ochs":
        return OpponentClusters(arrays[f"opponents{here.size}"], common.order)
    if here.kind == "potential":
        assert following is not None
        return Potential(following, arrays[f"{STREETS[street]}_places"])
    return Strength(here.kind == "strength2", common.order)


def bucketing_of(
    here: StreetText,
    street: int,
    arrays: Arrays,
    following: Bucketing | None,
    common: Common,
) -> Bucketing:
    """The buckets of a street."""
    if here.kind == "next-card":
        return _next_card(here, street, arrays)
    if here.boards:
        return _board_aware(here, street, arrays, common)
    if here.kind == "lossless":
        return Lossless(BOARD_CARDS[street], common.suits)
    if here.kind == "suitless":
        return Suitless(BOARD_CARDS[street])
    if here.kind == "ranks":
        return rank_pairs()
    if here.kind == "bins":
        return StrengthBins(here.count, common.order)
    if street == 0:
        return ComboList(arrays["preflop"], str(here))
    feature = feature_of(here, street, arrays, following, common)
    if len(arrays[street_name(street)]) != here.count:
        raise DamagedFileError(
            f"the {street_name(street)} has {len(arrays[street_name(street)])} centroids for "
            f"{here}; get the file again, or design it again"
        )
    river = len(STREETS) - 1
    return Clustered(
        feature,
        arrays[street_name(street)],
        here.metric,
        wants_table=street < river or here.kind != "run-histogram",
        newest_counts=here.kind == "run-histogram" and street >= river,
    )


def _next_card(here: StreetText, street: int, arrays: Arrays) -> NextCard:
    """Buckets of boards that may grow."""
    name = street_name(street)
    label = arrays[f"{name}_boards"] if here.boards else np.empty(0, np.uint8)
    found = NextCard(here.black, arrays[name], label)
    if str(here) != found.text:
        raise DamagedFileError(
            f"the {name} has arrays of {found.text} for {here}; get the file again, or design it "
            "again"
        )
    return found


def _board_aware(here: StreetText, street: int, arrays: Arrays, common: Common) -> BoardAware:
    """Buckets of hands for each cluster of boards."""
    hands: tuple[Bucketing, ...] = (StrengthBins(here.count, common.order),) * here.boards
    if here.metric:
        feature = feature_of(here, street, arrays, None, common)
        centroids = arrays[street_name(street)]
        if centroids.shape[:2] != (here.boards, here.count):
            raise DamagedFileError(
                f"the {street_name(street)} has centroids of shape {centroids.shape} for {here}; "
                "get the file again, or design it again"
            )
        hands = tuple(Clustered(feature, each, here.metric) for each in centroids)
    return BoardAware(BOARD_CARDS[street], arrays[f"{street_name(street)}_boards"], hands)


def assemble(
    name: str, streets: tuple[StreetText, ...], arrays: Arrays, common: Common
) -> CardAbstraction:
    """The abstraction of a design, from the last street backwards."""
    rules: list[Bucketing] = []
    for street in reversed(range(len(streets))):
        following = rules[0] if rules else None
        rules.insert(0, bucketing_of(streets[street], street, arrays, following, common))
    return CardAbstraction(name, tuple(rules), common.suits, common.order)


def save_design(path: str | os.PathLike[str], design: Design) -> None:
    """Write a design to a file of a few kilobytes; see `tiltless.files.arrays`."""
    write_arrays(
        path,
        design.arrays,
        kind=KIND,
        fingerprint=design.abstraction().fingerprint,
        metadata={
            "name": design.name,
            "text": design.text,
            "made_by": design.made_by,
            "order": design.order,
        },
    )


def load_design(path: str | os.PathLike[str]) -> Design:
    """Read a file of `save_design`; its fingerprint must match its content."""
    file = read_arrays(path, kind=KIND)
    name, text, made_by = (file.metadata.get(key, "") for key in ("name", "text", "made_by"))
    order = file.metadata.get("order", "standard")
    arrays = {array: file.load(array) for array in file.arrays}
    design = Design(name, text, MappingProxyType(arrays), made_by, order)
    try:
        computed = design.abstraction().fingerprint
    except KeyError as missing:
        raise DamagedFileError(
            f"{os.fspath(path)} has no array {missing}; get the file again, or design it again"
        ) from None
    except ArrayError as problem:
        raise DamagedFileError(f"{os.fspath(path)}: {problem}") from None
    if computed != file.fingerprint:
        raise DamagedFileError(
            f"{os.fspath(path)} says fingerprint {file.fingerprint} but its buckets have "
            f"{computed}; it was made by another version: design it again"
        )
    return design
