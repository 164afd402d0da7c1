"""Compiled matches between two policies over one betting tree.

Every deal is played twice with the seats swapped, so that good cards help both sides equally, and
each seat has its own random numbers, so that equal sides get equal results (see
`tiltless.kernels.blueprint.match`). The two hands of a deal are not independent, so standard errors
are computed over deals.

Deals come in blocks of fixed size, each with its own generators: results depend only on the seed,
not on the number of threads, and a longer match begins with the deals of a shorter one.
"""

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from math import inf, isfinite, sqrt
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.cards.buckets import Buckets, as_array
from tiltless.blueprint.bucket_columns import bucket_columns, check_buckets
from tiltless.blueprint.simulate.playout import DealtCards, buckets_by_street, check_cards
from tiltless.blueprint.tree import BettingTree
from tiltless.errors import ArrayError, OptionError
from tiltless.intervals import Interval
from tiltless.kernels.base.rng import fill_words
from tiltless.kernels.blueprint.match import MatchDeals, play_mirrored
from tiltless.kernels.blueprint.nodes import Rows
from tiltless.kernels.blueprint.playout import settle_hands
from tiltless.kernels.cards.shuffle import deal_hands
from tiltless.validate import whole_number

__all__ = ["BLOCK", "MatchResult", "Side", "simulate_match"]

BLOCK = 8192
"""Deals that share a pair of generators; changing it changes the deals of a seed."""
_LANES = 8
_DTYPES = (np.float32, np.float64, np.uint8)  # in this order where two sides differ


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """The policy and buckets of one side of a match.

    policy: float32, float64 or uint8, one weight for each action of each bucket of each decision,
        laid out by ``tree.rows``. Actions are chosen in proportion to it; negative weights count as
        zero, and if no weight is positive, all actions are equally likely. It is never copied, and
        may be mapped from a file: only the rows that are visited are read.
    buckets: one set for each street of the tree.
    """

    policy: npt.NDArray[Any]
    buckets: Sequence[Buckets]


@dataclass(frozen=True, slots=True)
class MatchResult:
    """The result of a match; chips are net, and each deal has two hands.

    mean: chips per hand won by the first side, over both seats.  standard_error: of the mean,
    infinite after a single deal.
    button: chips per hand won by player 0, the button, whichever side sat there.
    button_error: its standard error.
    """

    deals: int
    mean: float
    standard_error: float
    button: float
    button_error: float

    @property
    def hands(self) -> int:
        """The number of hands, two for each deal."""
        return 2 * self.deals

    @property
    def interval(self) -> Interval:
        """The mean of the first side with its 95 % interval, valid for many deals."""
        return Interval.of_error(self.mean, self.standard_error)

    @property
    def button_interval(self) -> Interval:
        """The same for the button."""
        return Interval.of_error(self.button, self.button_error)

    def mbb(self, big_blind: float) -> tuple[float, float]:
        """Mean and standard error in thousandths of a big blind per hand.

        big_blind: in chips, such as ``tree.game.rules.big_blind``.
        """
        if not big_blind > 0:
            raise OptionError(f"big_blind={big_blind} is not possible; give chips above zero")
        return 1000 * self.mean / big_blind, 1000 * self.standard_error / big_blind

    def describe(self, big_blind: float) -> str:
        """``+12.3 mbb/h, 95 % between +1.2 and +23.4, in 2,000,000 hands``."""
        mean, error = self.mbb(big_blind)
        if not isfinite(error):
            return f"{mean:+.1f} mbb/h, 95 % unknown after one deal, in {self.hands:,} hands"
        _, low, high = Interval.of_error(mean, error)
        return (
            f"{mean:+.1f} mbb/h, 95 % between {low:+.1f} and {high:+.1f}, in {self.hands:,} hands"
        )


def simulate_match(
    tree: BettingTree,
    deals: int,
    first: Side,
    second: Side,
    *,
    seed: int = 0,
    threads: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> MatchResult:
    """Play ``deals`` deals twice each, with the seats swapped; two players.

    Two equal sides get exactly 0, and exchanging the sides negates the result. The sides may have
    different buckets, and weights of different types: each pair of types is compiled once, when
    first used.
    progress: called with the number of deals so far and the total, after each block.
    """
    deals = whole_number("deals", deals, 1, 10**12)
    threads = whole_number("threads", threads, 1, 1024)
    seed = whole_number("seed", seed, 0, 2**64 - 1)
    _check_game(tree)
    prepared = [_prepare(tree, name, side) for name, side in (("first", first), ("second", second))]
    order = sorted((0, 1), key=lambda side: _DTYPES.index(prepared[side].table.dtype.type))
    match = _Match(tree, [prepared[side] for side in order], seed)
    sums, squares = [0, 0], [0.0, 0.0]
    blocks, taken, done = -(-deals // BLOCK), 0, 0
    waiting: deque[Future[_Totals]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        while done < blocks:
            while taken < min(blocks, done + 2 * threads):
                size = min(BLOCK, deals - taken * BLOCK)
                waiting.append(pool.submit(match.play_block, taken, size))
                taken += 1
            for kind, (total, square) in enumerate(waiting.popleft().result()):
                sums[kind] += total
                squares[kind] += square
            done += 1
            if progress:
                progress(min(done * BLOCK, deals), deals)
    sign = 1 if order == [0, 1] else -1
    mean, error = _mean_and_error(deals, sign * sums[0], squares[0])
    return MatchResult(deals, mean, error, *_mean_and_error(deals, sums[1], squares[1]))


def _mean_and_error(deals: int, total: int, square: float) -> tuple[float, float]:
    """Mean and standard error per hand, from sums over deals of the two hands' chips and squares.

    The variance is the unbiased estimate, over n - 1; it is unknown after one deal.
    """
    mean = total / (2 * deals)
    if deals == 1:
        return mean, inf
    variance = max(square / 4 - deals * mean**2, 0.0) / (deals - 1)
    return mean, sqrt(variance / deals)


class _Prepared(NamedTuple):
    """A side whose policy has been checked."""

    name: str
    table: npt.NDArray[Any]
    groups: tuple[Buckets, ...]
    rows: Rows


_Totals = tuple[tuple[int, float], tuple[int, float]]
"""Sums over deals and sums of squares, of the first side's and of the button's chips."""


class _Match:
    """The data shared by all blocks."""

    def __init__(self, tree: BettingTree, sides: Sequence[_Prepared], seed: int) -> None:
        self.tree, self.sides, self.seed = tree, sides, seed
        self.game = DealtCards(tree)
        self.columns = [bucket_columns(tree, side.groups) for side in sides]
        self.width = max(map(len, self.columns))
        start, buckets = zip(*(side.rows for side in sides), strict=True)
        self.rows = Rows(np.stack(start), np.stack(buckets))

    def play_block(self, block: int, deals: int) -> _Totals:
        """Play a block: deal cards, find buckets, play both hands of every deal, sum the chips."""
        tree, game = self.tree, self.game
        sequence = np.random.SeedSequence(self.seed, spawn_key=(block,))
        deal_rng, choices = sequence.generate_state(2, np.uint64).reshape(2, 1)
        cards = np.empty((deals, game.width), np.uint8)
        words = np.empty((deals, 2), np.uint64)
        bucket = np.zeros((2, deals, 2, self.width), np.uint32)
        end = np.empty((2, deals), np.int32)
        payoffs = np.empty((2, deals, 2), np.int64)
        deal_hands(deal_rng, game.deck.copy(), game.always, game.layout.run_suits, cards)
        fill_words(choices, words.reshape(-1))
        self.fill(cards, bucket)
        dealt = MatchDeals(cards, bucket, words)
        first, second = (side.table for side in self.sides)
        wrong = play_mirrored(tree.nodes, first, second, self.rows, game.layout, dealt, _LANES, end)
        if wrong >= 0:
            self.refuse(int(wrong))
        sums, squares = np.zeros(2, np.int64), np.zeros(2)
        for seats in range(2):
            settle_hands(
                tree.nodes,
                end[seats],
                game.layout,
                cards,
                game.tables,
                payoffs[seats],
                sums,
                squares,
            )
        won = payoffs[0, :, 0] + payoffs[1, :, 1], payoffs[0, :, 0] + payoffs[1, :, 0]
        side, button = ((int(each.sum()), float((each.astype(float) ** 2).sum())) for each in won)
        return side, button

    def fill(self, cards: npt.NDArray[np.uint8], bucket: npt.NDArray[np.uint32]) -> None:
        """Fill in the buckets of both sides; those that they share are computed once."""
        mine, theirs = (side.groups for side in self.sides)
        for column in range(self.width):
            street = min(column, len(mine) - 1)
            group, other = (each[min(column, len(each) - 1)] for each in self.columns)
            group.fill(cards, column, bucket[0])
            if mine[street] is theirs[street]:
                bucket[1, :, :, column] = bucket[0, :, :, column]
            else:
                other.fill(cards, column, bucket[1])
        for side, each in zip(self.sides, bucket, strict=True):
            check_buckets(each, side.rows)

    def refuse(self, wrong: int) -> None:
        """Raise an error that names the weights of a policy that are not valid."""
        index, side = divmod(wrong, 2)
        raise ArrayError(
            f"weights of the {self.sides[side].name} policy from number {index:,} on are not "
            "finite, or their sum is not; give finite weights"
        )


def _check_game(tree: BettingTree) -> None:
    game = tree.game
    if game.players != 2:
        raise OptionError(f"{game.name} has {game.players} seats; a match of two sides needs 2")


def _prepare(tree: BettingTree, name: str, side: Side) -> _Prepared:
    """Check a side; returns its table as kernels take it, and its rows."""
    groups = buckets_by_street(side.buckets, tree.streets)
    check_cards(tree, groups)
    rows = tree.rows([group.count for group in groups])
    # always read-only, so that kernels are compiled for one type
    table = as_array(f"the {name} policy", side.policy).view()
    if table.dtype not in _DTYPES or table.shape != (rows.start[-1],):
        raise ArrayError(
            f"the {name} policy has shape {table.shape} and dtype {table.dtype}; this tree with "
            f"buckets {rows.buckets.tolist()} needs {rows.start[-1]:,} numbers of float32, float64 "
            "or uint8 in one row"
        )
    table.flags.writeable = False
    return _Prepared(name, table, groups, rows)
