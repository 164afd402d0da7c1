"""Equity by hand: each hand of a range, one hand against several ranges, histograms."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tiltless.cards.card import COMBO_CARDS, COMBO_COUNT, COMBO_OF, Cards
from tiltless.cards.equity import sweep, won_and_tied
from tiltless.cards.equity_input import EquityInput, Hand, disjoint
from tiltless.cards.hand_order import STANDARD, HandOrder
from tiltless.cards.suits import suit_images
from tiltless.errors import OptionError, RangeError
from tiltless.kernels.cards.equity import compare_with_many
from tiltless.validate import brief, shortened, whole_number

__all__ = ["equity_histogram", "hand_equities", "hand_vs_ranges"]


def hand_equities(
    first: Hand,
    second: Hand,
    *,
    board: Cards = (),
    dead: Cards = (),
    order: HandOrder = STANDARD,
) -> npt.NDArray[np.float64]:
    """Exact equity of every hand of ``first`` against all of ``second``, float64 ``[1326]``.

    NaN if the hand is not in ``first``, or if every hand of ``second`` shares a card with it.
    """
    spot = EquityInput.prepare((first, second), board, dead, order)
    sums = _over_orbits(sweep(spot, spot.ranges[1]), spot.suits)
    defined = (spot.ranges[0].weights > 0) & (sums[:, 2] > 0)
    out = np.full(COMBO_COUNT, np.nan)
    out[defined] = (sums[defined, 0] + sums[defined, 1] / 2) / sums[defined, 2]
    return out


def _over_orbits(sums: npt.NDArray[np.float64], suits: tuple[int, ...]) -> npt.NDArray[np.float64]:
    """Average each hand's sums, ``[1326, k]``, over the hands that it can be swapped with.

    Each board stands for its images under swaps of suits, so a hand's sums on those images are
    found at the images of the hand.
    """
    total, images = np.zeros_like(sums), suit_images(suits)
    for image in images:
        moved = (COMBO_CARDS & 0xFC) | np.array(image, dtype=np.uint8)[COMBO_CARDS & 3]
        total += sums[COMBO_OF[moved[:, 0], moved[:, 1]]]
    mean: npt.NDArray[np.float64] = total / len(images)
    return mean


def hand_vs_ranges(
    hand: Hand,
    ranges: Sequence[Hand],
    *,
    board: Cards = (),
    dead: Cards = (),
    order: HandOrder = STANDARD,
) -> npt.NDArray[np.float64]:
    """Exact equity of one hand against each of several ranges at once, float64 ``[len(ranges)]``.

    Each board is evaluated only once. With the ranges of opponent clusters this is the OCHS
    feature of Johanson, Burch, Valenzano & Bowling (2013), "Evaluating state-space abstractions in
    extensive-form games".
    """
    if not isinstance(ranges, Sequence) or isinstance(ranges, str):
        raise OptionError(f"ranges={brief(ranges)} is not a list; write one such as ['QQ+', '22+']")
    if not ranges:
        raise OptionError("no range to compare with; give at least one")
    spot = EquityInput.prepare((hand, *ranges), board, dead, order)
    combo, villains, rows = _rows(spot)
    met = rows.sum(axis=1) * spot.board_count(2)
    if (met <= 0).any():
        blocked = spot.ranges[1 + int(np.argmax(met <= 0))]
        raise RangeError(f"every hand of {shortened(str(blocked))} is blocked; widen that range")
    hero = np.repeat(combo, len(ranges))
    sums = won_and_tied(*spot.runouts(_cards(combo)), hero, villains, rows, spot.tables)
    out: npt.NDArray[np.float64] = (sums[:, 0] + sums[:, 1] / 2) / met
    return out


def _rows(
    spot: EquityInput,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """The one hand of the first range, all hands of the others, and their weights by range."""
    one, *others = spot.ranges
    combo = one.live()
    if len(combo) != 1:
        raise RangeError(f"{shortened(str(one))} is not one hand; write two cards such as AsKd")
    villains = np.flatnonzero(np.any([r.weights > 0 for r in others], axis=0))
    weights = np.array([r.weights[villains] for r in others])
    return combo, villains, weights * disjoint(combo, villains)


def _cards(combo: npt.NDArray[np.int64]) -> list[int]:
    return [int(card) for card in COMBO_CARDS[combo[0]]]


def equity_histogram(
    hand: Hand,
    opponent: Hand = "random",
    *,
    board: Cards = (),
    dead: Cards = (),
    bins: int = 50,
    order: HandOrder = STANDARD,
) -> npt.NDArray[np.float64]:
    """Histogram of the equity of a hand or range over the final boards, float64 ``[bins]``.

    Bin i covers equities from i / bins up to, not including, (i + 1) / bins; the last includes 1.
    The histogram sums to 1. Hands of a range count by weight, and every final board alike.
    Paper: Gilpin, Sandholm & Sørensen (2007), "Potential-aware automated abstraction of sequential
    games".
    """
    whole_number("bins", bins, 1)
    ours = EquityInput.prepare((hand, opponent), board, dead, order).ranges[0]
    total = np.zeros(bins)
    for combo in ours.live():
        spot = EquityInput.prepare(([*map(int, COMBO_CARDS[combo])], opponent), board, dead, order)
        hero, villains, rows = _rows(spot)
        boards, weights = spot.runouts(_cards(hero))
        sums = np.empty((len(boards), 1, 2))
        compare_with_many(boards, hero, villains, rows, spot.tables, sums)
        met = _unblocked_weight(boards, villains, rows[0])
        reached = met > 0
        equities = (sums[reached, 0, 0] + sums[reached, 0, 1] / 2) / met[reached]
        index = np.minimum((equities * bins + 1e-9).astype(np.int64), bins - 1)
        total += ours.weights[combo] * np.bincount(index, weights[reached], bins)
    if total.sum() <= 0:
        raise RangeError(f"{shortened(str(ours))} has no hand left on this board; widen the range")
    out: npt.NDArray[np.float64] = total / total.sum()
    return out


def _unblocked_weight(
    boards: npt.NDArray[np.uint8], combos: npt.NDArray[np.int64], weights: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Weight of the combos that share no card with each board, float64 ``[boards]``.

    By inclusion and exclusion: all, less those with each card of the board, plus those with two.
    """
    cards = COMBO_CARDS[combos]
    pairs = np.zeros((52, 52))
    pairs[cards[:, 0], cards[:, 1]] = pairs[cards[:, 1], cards[:, 0]] = weights
    both = pairs[boards[:, :, None], boards[:, None, :]].sum(axis=(1, 2)) / 2
    out: npt.NDArray[np.float64] = weights.sum() - pairs.sum(axis=1)[boards].sum(axis=1) + both
    return np.where(out > 1e-9, out, 0.0)
