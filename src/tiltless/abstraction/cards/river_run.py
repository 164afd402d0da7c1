"""Equity histograms for boards that continue after a red river (River of Blood).

A board is a set of cards and, from the river on, the colour of its newest card: if it is black the
hand is over; if it is red more cards follow, the *run*. Boards are in dealing order, the newest
card last.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import comb
from typing import Any

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.cards.features import MOST_BINS, BinnedFeature
from tiltless.cards.card import COMBO_CARDS, COMBO_COUNT, COMBO_OF, cards_text
from tiltless.cards.hand_order import hand_tables
from tiltless.cards.isomorphism import canonical_boards
from tiltless.errors import CardError, OptionError
from tiltless.kernels.cards.river_run import LONGEST, ONE, draw_runs, run_counts
from tiltless.kernels.cards.strength import equity_counts, final_boards
from tiltless.validate import whole_number

__all__ = [
    "RUNS",
    "RunHistogram",
    "check_run",
    "deal_boards",
    "equity_bins",
    "growing_boards",
    "is_red",
]

Board = npt.NDArray[np.uint8]
Counts = npt.NDArray[np.uint64]

RUNS = (1, 2, 16, 188)
"""Runs drawn for each red river, as seen from preflop, flop, turn, and river and later.

With 40 buckets, a second seed changes the bucket of 8 % of hands on the flop, 12 % on the turn and
15 % on a red river.
"""
_RIVER = 5
_MOST_RUNS = 100_000


def _suit_changes() -> npt.NDArray[np.uint8]:
    """The four colour-preserving permutations of suits as images of cards, uint8 ``[4, 52]``."""
    cards = np.arange(52)
    suits = [(0, 1, 2, 3), (3, 1, 2, 0), (0, 2, 1, 3), (3, 2, 1, 0)]
    return np.array([(cards & ~3) + np.array(new)[cards & 3] for new in suits], np.uint8)


_CHANGES = _suit_changes()
_HAND_AFTER = COMBO_OF[_CHANGES[:, COMBO_CARDS[:, 0]], _CHANGES[:, COMBO_CARDS[:, 1]]].astype(int)


def is_red(cards: npt.NDArray[np.uint8]) -> npt.NDArray[np.bool_]:
    """Whether each card is a diamond or a heart."""
    return np.asarray((cards + 1) & 2 > 0)


@dataclass(frozen=True)
class RunHistogram(BinnedFeature):
    """Equity histogram for River of Blood, where the board continues after a red river.

    Exact up to the river: every flop, turn and river is covered. After each red river, ``runs``
    possible runs are drawn and weighted as described in
    `tiltless.kernels.cards.river_run.draw_runs`, by a generator seeded with ``seed`` and the
    canonical board, so that every machine draws the same. Boards that differ by a swap of the red
    suits or of the black ones have the same numbers; so have the hands that such a swap exchanges
    if it leaves the board unchanged: their counts are added.

    The best five of all cards count. Equity on a board of n cards is (wins + ties / 2) of the
    C(50 - n, 2) other hands. The whole form is cumulative, like that of `Histogram`.
    The team of 2023 that used these histograms drew 30 final boards for each.

    runs: as seen from preflop, flop, turn, river and later; see `RUNS`.
    """

    bins: int = 50
    runs: tuple[int, int, int, int] = RUNS
    seed: int = 0

    def __post_init__(self) -> None:
        whole_number("bins", self.bins, 2, MOST_BINS)
        if len(self.runs) != len(RUNS):
            raise OptionError(f"runs are {self.runs}; give four numbers, for preflop to river")
        for number in self.runs:
            whole_number("runs", number, 1, _MOST_RUNS)
        whole_number("seed", self.seed, 0, 2**63)

    @property
    def text(self) -> str:
        """Name and parameters."""
        return f"run-histogram({self.bins})"

    @property
    def definition(self) -> tuple[Any, ...]:
        """Everything that determines the numbers."""
        return "run histogram", self.bins, self.runs, self.seed

    def counts(self, board: Board) -> Counts:
        """Weights of the final boards in each bin, uint64 ``[1326, bins]``."""
        return self._symmetric_counts(board) if len(board) else _before_the_flop(self)

    def _symmetric_counts(self, board: Board) -> Counts:
        check_run(board)
        images = np.sort(_CHANGES[:, board], axis=1)
        ways = [image.tobytes() for image in images]
        change = ways.index(min(ways))
        canonical = images[change]
        counts = self._counts(canonical, len(board) >= _RIVER and bool(is_red(board[-1:])[0]))
        same = np.sort(_CHANGES[:, canonical], axis=1) == canonical
        total = np.zeros_like(counts)
        for k in np.flatnonzero(same.all(axis=1)):
            total += counts[_HAND_AFTER[k]]
        return np.asarray(total[_HAND_AFTER[change]])

    def final_boards(self, board: Board, red: bool) -> tuple[Board, npt.NDArray[np.uint8], Counts]:
        """Final boards of a sorted board, uint8 ``[m, 32]``, their sizes and weights.

        red: whether the newest card is red, from the river on; before it, False. Boards of five
        cards come first.
        """
        if len(board) < _RIVER:
            rivers, weights = _rivers(board)
            reds = is_red(rivers[:, len(board) :]).sum(axis=1).astype(np.uint64)
            ends = weights * (np.uint64(_RIVER - len(board)) - reds)
            runs, times = self.runs[max(len(board) - 2, 0)], weights * reds
        else:
            rivers, runs = board[None], self.runs[3]
            times, ends = np.array([red], np.uint64), np.array([not red], np.uint64)
        starts, over = np.flatnonzero(times), np.flatnonzero(ends)
        count = len(over) + runs * len(starts)
        boards, sizes = np.zeros((count, LONGEST), np.uint8), np.empty(count, np.uint8)
        out = np.empty(count, np.uint64)
        boards[: len(over), : rivers.shape[1]] = rivers[over]
        sizes[: len(over)] = rivers.shape[1]
        out[: len(over)] = ends[over] * np.uint64(runs * ONE)
        key = [self.seed, *board.tolist(), 52 + red]
        state = np.random.SeedSequence(key).generate_state(1, np.uint64)
        rest = slice(len(over), None)
        draw_runs(rivers[starts], times[starts], runs, state, boards[rest], sizes[rest], out[rest])
        return boards, sizes, out

    def _counts(self, board: Board, red: bool) -> Counts:
        boards, sizes, weights = self.final_boards(board, red)
        tables, bin_of = hand_tables(), equity_bins(self.bins)
        counts = np.zeros((COMBO_COUNT, self.bins), np.uint64)
        five = int(np.count_nonzero(sizes == _RIVER))
        short = np.ascontiguousarray(boards[:five, :_RIVER])
        equity_counts(short, weights[:five], bin_of[_RIVER], tables, counts)
        run_counts(boards[five:], sizes[five:], weights[five:], bin_of, tables, counts)
        return counts


@lru_cache(maxsize=8)
def equity_bins(bins: int) -> npt.NDArray[np.uint8]:
    """The bin of 2 wins + ties on a board of each size, uint8 ``[32, 1981]``."""
    won = np.arange(2 * comb(50 - _RIVER, 2) + 1)
    rows = [np.zeros_like(won)] * _RIVER
    for size in range(_RIVER, LONGEST):
        rows.append(np.minimum(won * bins // (2 * comb(50 - size, 2)), bins - 1))
    return np.array(rows, np.uint8)


@lru_cache(maxsize=2)
def _before_the_flop(feature: RunHistogram) -> Counts:
    """Preflop counts, cached because they take half a minute."""
    counts = feature._symmetric_counts(np.empty(0, np.uint8))
    counts.setflags(write=False)
    return counts


def _rivers(board: Board) -> tuple[Board, Counts]:
    """All boards of five cards, uint8 ``[m, 5]``, the new cards last, and their weights."""
    if not len(board):
        boards, weights = canonical_boards(_RIVER, "red-black")
        return boards, weights.astype(np.uint64)
    boards = np.empty((comb(52 - len(board), _RIVER - len(board)), _RIVER), np.uint8)
    final_boards(board, boards)
    return boards, np.ones(len(boards), np.uint64)


def deal_boards(cards: int, count: int, rng: np.random.Generator) -> Board:
    """Random boards of ``cards`` cards as a game deals them, uint8 ``[count, cards]``, newest last.

    With more than five, only boards that reach that length: all cards from the river on are red
    except possibly the newest.
    """
    boards = np.empty((0, cards), np.uint8)
    while len(boards) < count:
        deals = rng.permuted(np.tile(np.arange(52, dtype=np.uint8), (4 * count, 1)), axis=1)
        reached = is_red(deals[:, _RIVER - 1 : cards - 1]).all(axis=1)
        boards = np.concatenate([boards, deals[reached, :cards]])
    return boards[:count]


def growing_boards(cards: int, count: int, rng: np.random.Generator) -> list[Board]:
    """Random boards that reach ``cards`` cards, 5 or more, and grow: their newest card is red.

    With six or more also longer ones, as often as the game deals them.
    """
    boards: list[Board] = []
    while len(boards) < count:
        deck = rng.permutation(52).astype(np.uint8)
        black = ~is_red(deck[_RIVER - 1 :])
        last = _RIVER - 1 + int(black.argmax())  # the first black card from the river on
        sizes = range(cards, last + 1) if cards > _RIVER else range(cards, min(last, cards) + 1)
        boards += [deck[:size] for size in sizes]
    return boards[:count]


def check_run(board: Board) -> None:
    """Raise `CardError` if a board continues after a black river."""
    run = is_red(board[_RIVER - 1 : -1])
    if not run.all():
        card = int(board[_RIVER - 1 + int(np.argmin(run))])
        raise CardError(
            f"{cards_text(board.tolist())} continues after {cards_text([card])}, which ends the "
            "hand; give the board in dealing order, the newest card last"
        )
