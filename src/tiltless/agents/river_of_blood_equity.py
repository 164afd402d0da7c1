"""Play by equity over the remaining cards in River of Blood, without a strategy for the run.

The report on the bot Calling Station (MIT Pokerbots 2023) ends its blueprint at the river. On the
run it computes its equity against the opponent's preflop range and raises or calls with good hands;
on red rivers, it also tells hands that are good already from draws, and plays "slightly
differently for each". That is `EquityPlay`; the thresholds, which the report does not give, are
those of `tiltless.blueprint.fallback`. A draw, which is a hand that would lose more often than not
if hands were shown now, calls if its equity is above the pot odds, and never bets or raises.

`run_strengths` is the same against a random hand, for rows that training never visited.
"""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.cards.river_run import RunHistogram, is_red
from tiltless.agents.agent import Policies
from tiltless.agents.monte_carlo import price
from tiltless.blueprint.fallback import play_by_strength
from tiltless.cards.card import COMBO_CARDS, COMBO_COUNT, DECK_SIZE
from tiltless.cards.matchups import HOLDING
from tiltless.cards.run_boards import rank_run_boards
from tiltless.games.holdem.actions import Action
from tiltless.games.holdem.view import View
from tiltless.search.beliefs import both_ranges, without_cards

__all__ = ["EquityPlay", "final_run_boards", "range_equities", "run_strengths"]

Vector = npt.NDArray[np.float64]
Combos = npt.NDArray[np.int64]
Final = tuple[npt.NDArray[np.uint16], Vector]

_BINS = 200
_RIVER = 3
_FEW = 26  # hands that are compared one by one
_HOLDERS = np.array([np.flatnonzero(HOLDING[card]) for card in range(52)])
"""The combos with each card, ``[52, 51]``."""
_FEATURE = RunHistogram(_BINS)
_MIDDLES = (np.arange(_BINS) + 0.5) / _BINS


def run_strengths(board: tuple[int, ...]) -> Vector:
    """Equity of every hand against a random one over all cards to come, float64 ``[1326]``.

    Runs are drawn as in `RunHistogram`, equities rounded to half a percent; 0 for blocked hands.
    """
    return np.nan_to_num(_FEATURE.exact(np.array(board, np.uint8)) @ _MIDDLES)


@lru_cache(maxsize=32)
def final_run_boards(board: tuple[int, ...]) -> Final:
    """Values of all hands on the final boards that may follow, and the weights of those boards.

    uint16 ``[m, 1326]``, 0 for blocked hands, and float64 ``[m]``. From the river on; after a red
    card 188 runs are drawn, each next card the same number of times. Drawn runs have weights that
    are right for one hand (`tiltless.kernels.cards.river_run.draw_runs`); here they are for a pair
    of hands, for which a run of k of d cards is (d - 2) (d - 3) / ((d - k - 2) (d - k - 3)) times
    as likely as its two blockers leave it.
    """
    red = bool(is_red(np.array(board[-1:], np.uint8))[0])
    boards, sizes, weights = _FEATURE.final_boards(np.sort(np.array(board, np.uint8)), red)
    values = np.zeros((len(boards), COMBO_COUNT), np.uint16)
    for size in np.unique(sizes).tolist():
        some = sizes == size
        values[some] = rank_run_boards(boards[some, :size], eval7_flushes=True)
    left, after = DECK_SIZE - len(board), DECK_SIZE - sizes.astype(np.float64)
    pairs = (left - 2) * (left - 3) / ((after - 2) * (after - 3))
    return values, weights * pairs


def range_equities(final: Final, weights: Vector, combos: Combos) -> Vector:
    """The equity of some hands against a range, on weighted final boards, float64 ``[hands]``.

    final: see `final_run_boards`.  weights: the range, ``[1326]``.  Hands that share a card do not
    meet; 0.5 for a hand that meets none.
    """
    won, met = np.zeros(len(combos)), np.zeros(len(combos))
    for values, times in zip(*final, strict=True):
        live = np.where(values > 0, weights, 0.0)
        if len(combos) <= _FEW:
            beaten, all_of_them = _one_by_one(values, live, combos)
        else:
            beaten, all_of_them = (each[combos] for each in _every(values, live))
        there = values[combos] > 0
        won += times * np.where(there, beaten, 0.0)
        met += times * np.where(there, all_of_them, 0.0)
    return np.where(met > 0, won / np.where(met > 0, met, 1.0), 0.5)


def _one_by_one(
    values: npt.NDArray[np.uint16], live: Vector, combos: Combos
) -> tuple[Vector, Vector]:
    """The weight of hands that each hand beats (ties half), and of all that it meets."""
    beaten, met = np.empty(len(combos)), np.empty(len(combos))
    for index, combo in enumerate(combos.tolist()):
        others = np.where(HOLDING[COMBO_CARDS[combo]].any(axis=0), 0.0, live)
        mine = values[combo]
        beaten[index] = others @ ((values < mine) + 0.5 * (values == mine))
        met[index] = others.sum()
    return beaten, met


def _every(values: npt.NDArray[np.uint16], live: Vector) -> tuple[Vector, Vector]:
    """The same for all combos: by one sort, less the hands that share a card."""
    order = np.argsort(values, kind="stable")
    ranked, sums = values[order], np.concatenate([[0.0], np.cumsum(live[order])])
    low, high = (sums[np.searchsorted(ranked, values, side)] for side in ("left", "right"))
    beaten, met = (low + high) / 2, np.full(COMBO_COUNT, live.sum())
    held, weight = values[_HOLDERS], live[_HOLDERS]
    above = (held[:, :, None] > held[:, None, :]) + 0.5 * (held[:, :, None] == held[:, None, :])
    sharing = np.einsum("cij,cj->ci", above, weight)
    np.subtract.at(beaten, _HOLDERS, sharing)
    np.subtract.at(met, _HOLDERS, np.broadcast_to(weight.sum(axis=1)[:, None], weight.shape))
    return beaten + live / 2, met + live  # the hand itself was subtracted twice


class EquityPlay:
    """Plays by equity over the remaining cards against the opponent's preflop range.

    policies: the strategy that both players are believed to have played before the flop.
    """

    def __init__(self, policies: Callable[[View], Policies]) -> None:
        self._policies = policies

    def rows(self, view: View, combos: Combos) -> tuple[tuple[Action, ...], Vector]:
        """The actions of some hands at a decision from the river on, ``[hands, actions]``."""
        equity = range_equities(final_run_boards(view.board), self._range(view), combos)
        options, chosen = play_by_strength(view, equity)
        if view.street == _RIVER:
            now = range_equities(_shown_now(view.board), self._range(view), combos)
            calls = view.actions.check | (equity >= price(view))
            chosen = np.where(now < 0.5, calls.astype(np.int64), chosen)
        actions = tuple(dict.fromkeys(options))
        columns = np.array([actions.index(option) for option in options])
        return actions, np.eye(len(actions))[columns[chosen]]

    def _range(self, view: View) -> Vector:
        """The opponent's range after the preflop bets, without the cards of the board."""
        ranges = both_ranges(view, lambda past: self._policies(past.view), streets=1)
        left = without_cards(ranges[1 - view.seat], view.board)
        return left if left.any() else without_cards(np.ones(COMBO_COUNT), view.board)


def _shown_now(board: tuple[int, ...]) -> Final:
    """The present board as the final one."""
    return rank_run_boards(np.array([board], np.uint8), eval7_flushes=True), np.ones(1)
