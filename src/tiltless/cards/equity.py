"""Equity: each player's expected share of the pot if nobody folds before the showdown.

Exact by default: every board, every combination of hands, card removal included. Deals that differ
only by a swap of suits are counted once and weighted. If that would take too long, Monte Carlo with
a seed and a standard error; the result says which method was used.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
import numpy.typing as npt

from tiltless.cards.card import COMBO_CARDS, Cards
from tiltless.cards.equity_input import EquityInput, Hand, disjoint
from tiltless.cards.hand_order import STANDARD, HandOrder
from tiltless.cards.ranges import Range
from tiltless.errors import OptionError, RangeError
from tiltless.kernels.base.rng import seed_words
from tiltless.kernels.cards.equity import compare_hands, compare_with_many, sweep_boards
from tiltless.kernels.cards.evaluate import HandTables
from tiltless.kernels.cards.multiway_equity import SampledRanges, sample_deals, sweep_deals
from tiltless.validate import one_of, whole_number

__all__ = ["DEFAULT_SAMPLES", "Equity", "equity", "sweep", "won_and_tied"]

EXACT_LIMIT_NS = 20e9
"""If the exact method would take longer, by estimate, `equity` samples instead."""
DEFAULT_SAMPLES = 2_000_000
MOST_SAMPLES = 10**12
LONGEST_EXACT_NS = 6e14
"""About a week; the exact method refuses what takes longer."""
_AT_ONCE = 1 << 20
_AT_ONCE_NS = 5e8
"""Deals to sample, and nanoseconds to enumerate, in one call of a kernel: Ctrl-C waits for it."""


@dataclass(frozen=True, slots=True)
class Equity:
    """The result of `equity`.

    shares: each player's share of the pot; they sum to 1.
    wins, ties: how often each player wins alone, and splits.
    method: ``"exact"`` or ``"monte carlo"``.
    deals: how many deals (a hand for each player, and a board) were counted or sampled; with
        weighted ranges, their total weight.
    standard_errors: of the shares; zeros if exact.
    """

    shares: tuple[float, ...]
    wins: tuple[float, ...]
    ties: tuple[float, ...]
    method: str
    deals: float
    standard_errors: tuple[float, ...]


def equity(
    *players: Hand,
    board: Cards = (),
    dead: Cards = (),
    method: str = "auto",
    samples: int = DEFAULT_SAMPLES,
    seed: int = 0,
    order: HandOrder = STANDARD,
) -> Equity:
    """Equity of two to ten hands or ranges.

    >>> [round(share, 6) for share in equity("AsAh", "KdKc").shares]
    [0.812555, 0.187445]

    board: none, or 3, 4 or 5 cards; the longer boards of River of Blood are not supported.
    dead: cards that are out of play.
    method: ``"exact"``, ``"monte carlo"``, or ``"auto"``: exact unless it would take too long.
    samples, seed: for Monte Carlo; equal seeds give equal results.
    order: the order of hands; the short-deck order also removes the low cards.
    """
    if not 2 <= len(players) <= 10:
        raise OptionError(f"equity of {len(players)} players; give 2 to 10 hands or ranges")
    one_of("method", method, ("auto", "exact", "monte carlo"))
    whole_number("samples", samples, 1, MOST_SAMPLES)
    whole_number("seed", seed, 0)
    spot = EquityInput.prepare(players, board, dead, order)
    cost = _exact_cost(spot)
    if method == "monte carlo" or (method == "auto" and cost > EXACT_LIMIT_NS):
        return _sampled(spot, samples, seed)
    if cost > LONGEST_EXACT_NS:
        raise OptionError(
            f"the exact equity of these ranges takes about {cost / 8.64e13:,.0f} days; choose "
            "method 'monte carlo' or 'auto', or narrow the ranges"
        )
    return _heads_up(spot) if len(players) == 2 else _multiway(spot)


def _exact_cost(spot: EquityInput) -> float:
    """Estimated time of the exact method, ns."""
    symmetries = prod(spot.suits[:suit].count(spot.suits[suit]) + 1 for suit in range(4))
    live = [len(r) for r in spot.ranges]
    each = min(_costs(*sorted(live))) if len(live) == 2 else _multiway_cost(live)
    return each * spot.board_count(0) / symmetries


def _costs(few: int, many: int) -> tuple[float, float, float]:
    """Estimated time of the three heads-up kernels on one board, ns."""
    compare_all = 20.0 + 3.0 * (few + many) + 0.6 * few * many
    compare_many = 800.0 + 0.7 * many + few * (20.0 + 0.2 * many)
    return compare_all, compare_many, 2500.0 + 10.0 * many


def _multiway_cost(counts: Sequence[int]) -> float:
    """Estimated time of one board, ns, by the number of each player's hands."""
    return 1000.0 + 8.0 * prod(counts)


def _heads_up(spot: EquityInput) -> Equity:
    swapped = len(spot.ranges[0]) > len(spot.ranges[1])
    first, second = spot.ranges[::-1] if swapped else spot.ranges
    one, two = first.live(), second.live()
    costs = _costs(len(one), len(two))
    if costs[2] == min(costs):
        mine = first.weights[:, None] * sweep(spot, second)
        won, tied, deals = mine[one].sum(axis=0)
    else:
        boards, weights = spot.runouts()
        pairs = disjoint(one, two) * first.weights[one][:, None] * second.weights[two]
        deals = pairs.sum() * spot.board_count(2)
        if costs[0] == min(costs):
            won, tied = compare_hands(boards, weights, one, two, pairs, spot.tables)
        else:
            sums = won_and_tied(boards, weights, one, two, pairs, spot.tables)
            won, tied = sums.sum(axis=0)
    if deals <= 0:
        raise _no_deal()
    wins = won / deals, 1 - (won + tied) / deals
    shares = (won + tied / 2) / deals, 1 - (won + tied / 2) / deals
    if swapped:
        wins, shares = wins[::-1], shares[::-1]
    ties = tied / deals, tied / deals
    return Equity(_floats(shares), _floats(wins), _floats(ties), "exact", float(deals), (0.0, 0.0))


def won_and_tied(
    boards: npt.NDArray[np.uint8],
    weights: npt.NDArray[np.float64],
    one: npt.NDArray[np.int64],
    two: npt.NDArray[np.int64],
    pairs: npt.NDArray[np.float64],
    tables: HandTables,
) -> npt.NDArray[np.float64]:
    """Sums of `compare_with_many` over weighted boards, float64 ``[len(one), 2]``."""
    sums = np.zeros((len(one), 2))
    for start in range(0, len(boards), 4096):
        some = boards[start : start + 4096]
        out = np.empty((len(some), len(one), 2))
        compare_with_many(some, one, two, pairs, tables, out)
        sums += np.tensordot(weights[start : start + 4096], out, 1)
    return sums


def sweep(spot: EquityInput, opponent: Range) -> npt.NDArray[np.float64]:
    """Weight that every unblocked hand beats, ties and meets against one of the spot's ranges.

    float64 ``[1326, 3]``, summed over one board of each orbit: meaningful for a hand only after
    averaging over the hands of its own orbit.
    """
    combos = np.flatnonzero(np.any([r.weights > 0 for r in spot.ranges], axis=0))
    cards, weights = COMBO_CARDS[combos], opponent.weights[combos]
    sums = np.zeros((len(combos), 2))
    sweep_boards(*spot.runouts(), combos, cards, weights, spot.tables, sums)
    held = np.bincount(cards.ravel(), np.repeat(weights, 2), 52)
    met = weights.sum() - held[cards].sum(axis=1) + weights
    out = np.zeros((1326, 3))
    out[combos, 0] = sums[:, 0]
    out[combos, 1] = sums[:, 1] - sums[:, 0]
    out[combos, 2] = met * spot.board_count(2)
    return out


def _floats(numbers: Sequence[float] | npt.NDArray[np.float64]) -> tuple[float, ...]:
    return tuple(float(number) for number in numbers)


def _no_deal() -> RangeError:
    return RangeError(
        "no deal is possible: every combination of these hands shares a card; change one of them"
    )


def _multiway(spot: EquityInput) -> Equity:
    live = [r.live() for r in spot.ranges]
    sums = np.zeros((len(live), 4))
    boards, board_weights = spot.runouts()
    for parts in _halves(live):
        counts = [len(part) for part in parts]
        combos = np.concatenate(parts)
        weights = [r.weights[part] for r, part in zip(spot.ranges, parts, strict=True)]
        hands = np.cumsum([0, *counts]), combos, np.concatenate(weights), spot.tables
        step = max(1, int(_AT_ONCE_NS / _multiway_cost(counts)))
        for first in range(0, len(boards), step):
            some = slice(first, first + step)
            sweep_deals(boards[some], board_weights[some], *hands, sums)
    deals = float(sums[0, 3])
    if deals <= 0:
        raise _no_deal()
    wins, ties, shares = (_floats(sums[:, column] / deals) for column in range(3))
    return Equity(shares, wins, ties, "exact", deals, (0.0,) * len(shares))


def _halves(live: list[npt.NDArray[np.int64]]) -> Iterator[list[npt.NDArray[np.int64]]]:
    """The players' hands, the widest range halved until a board does not take too long."""
    counts = [len(each) for each in live]
    if max(counts) < 2 or _multiway_cost(counts) <= _AT_ONCE_NS:
        yield live
        return
    widest = int(np.argmax(counts))
    for half in np.array_split(live[widest], 2):
        yield from _halves([*live[:widest], half, *live[widest + 1 :]])


def _sampled(spot: EquityInput, samples: int, seed: int) -> Equity:
    live = [r.live() for r in spot.ranges]
    starts = np.cumsum([0, *map(len, live)])
    by_combo = np.array([r.weights for r in spot.ranges])
    holds = np.zeros((len(COMBO_CARDS), 52))
    holds[np.arange(len(COMBO_CARDS))[:, None], COMBO_CARDS] = 1.0
    by_card = by_combo @ holds
    cumulative = [np.cumsum(r.weights[combos]) for r, combos in zip(spot.ranges, live, strict=True)]
    ranges = SampledRanges(
        starts, np.concatenate(live), np.concatenate(cumulative), by_combo, by_card
    )
    blocked = np.uint64(sum(1 << card for card in (*spot.board, *spot.gone)))
    board = np.array(spot.board, dtype=np.uint8)
    state = seed_words(seed, 1)[0]
    sums, squares = np.zeros((len(spot.ranges), 4)), np.zeros((len(spot.ranges), 3))
    possible = 0
    for first in range(0, samples, _AT_ONCE):
        some = min(_AT_ONCE, samples - first)
        possible += sample_deals(some, state, board, blocked, ranges, spot.tables, sums, squares)
    if not possible:
        raise _no_deal()
    mass = float(sums[0, 3])
    wins, ties, shares = (_floats(sums[:, column] / mass) for column in range(3))
    mean = np.array(shares)
    spread = squares[:, 2] - 2 * mean * squares[:, 1] + mean**2 * squares[:, 0]
    errors = _floats(np.sqrt(np.maximum(spread, 0.0)) / mass)
    return Equity(shares, wins, ties, "monte carlo", float(possible), errors)
