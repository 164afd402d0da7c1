"""Equity hand by hand: of every hand of a range, against several ranges, as a histogram."""

from collections.abc import Sequence
from itertools import permutations

import numpy as np
import numpy.typing as npt

from tiltless.cards.card import COMBO_CARDS, COMBO_COUNT, COMBO_OF, Cards
from tiltless.cards.equity import sweep, won_and_tied
from tiltless.cards.equity_input import EquityInput, Hand, disjoint
from tiltless.cards.hand_order import STANDARD, HandOrder
from tiltless.errors import OptionError, RangeError
from tiltless.kernels.cards.equity import compare_with_many
from tiltless.validate import shortened, whole_number

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

    NaN where the hand is not in ``first``, or meets no hand of ``second``.
    """
    spot = EquityInput.prepare((first, second), board, dead, order)
    sums = _over_orbits(sweep(spot, spot.ranges[1]), spot.suits)
    known = (spot.ranges[0].weights > 0) & (sums[:, 2] > 0)
    out = np.full(COMBO_COUNT, np.nan)
    out[known] = (sums[known, 0] + sums[known, 1] / 2) / sums[known, 2]
    return out


def _over_orbits(sums: npt.NDArray[np.float64], suits: Sequence[int]) -> npt.NDArray[np.float64]:
    """Average each hand's sums, ``[1326, k]``, over the hands that it can be swapped with.

    A board that stands for its images under swaps of suits was met by one hand; its images are met
    by the images of that hand.
    """
    total, count = np.zeros_like(sums), 0
    for image in permutations(range(4)):
        if all(suits[image[suit]] == suits[suit] for suit in range(4)):
            moved = (COMBO_CARDS & 0xFC) | np.array(image, dtype=np.uint8)[COMBO_CARDS & 3]
            total += sums[COMBO_OF[moved[:, 0], moved[:, 1]]]
            count += 1
    mean: npt.NDArray[np.float64] = total / count
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

    Each board is ranked once for all ranges. With the ranges of opponent clusters this is the OCHS
    feature of Johanson, Burch, Valenzano & Bowling (2013), "Evaluating state-space abstractions in
    extensive-form games".
    """
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
    """How often the final board leaves this hand or range with each equity, float64 ``[bins]``.

    Bin i covers equities from i / bins up to, not including, (i + 1) / bins; the last includes 1.
    The histogram sums to 1. Hands of a range count by weight, and every final board alike.
    Paper: Gilpin, Sandholm & Sørensen (2007), "Potential-aware automated abstraction of sequential
    games".
    """
    whole_number("bins", bins, 1)
    given = EquityInput.prepare((hand, opponent), board, dead, order).ranges[0]
    total = np.zeros(bins)
    for combo in given.live():
        spot = EquityInput.prepare(([*map(int, COMBO_CARDS[combo])], opponent), board, dead, order)
        hero, villains, rows = _rows(spot)
        boards, weights = spot.runouts(_cards(hero))
        sums = np.empty((len(boards), 1, 2))
        compare_with_many(boards, hero, villains, rows, spot.tables, sums)
        met = _unblocked_weight(boards, villains, rows[0])
        known = met > 0
        shares = (sums[known, 0, 0] + sums[known, 0, 1] / 2) / met[known]
        place = np.minimum((shares * bins + 1e-9).astype(np.int64), bins - 1)
        total += given.weights[combo] * np.bincount(place, weights[known], bins)
    if total.sum() <= 0:
        raise RangeError(f"{shortened(str(given))} has no hand left on this board; widen the range")
    out: npt.NDArray[np.float64] = total / total.sum()
    return out


def _unblocked_weight(
    boards: npt.NDArray[np.uint8], combos: npt.NDArray[np.int64], weights: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Weight of the combos that share no card with each board, float64 ``[boards]``.

    Inclusion and exclusion: all, less those that hold each card, plus those that hold two of them.
    """
    cards = COMBO_CARDS[combos]
    pairs = np.zeros((52, 52))
    pairs[cards[:, 0], cards[:, 1]] = pairs[cards[:, 1], cards[:, 0]] = weights
    both = pairs[boards[:, :, None], boards[:, None, :]].sum(axis=(1, 2)) / 2
    out: npt.NDArray[np.float64] = weights.sum() - pairs.sum(axis=1)[boards].sum(axis=1) + both
    return np.where(out > 1e-9, out, 0.0)
