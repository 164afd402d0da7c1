"""Compiled playouts: millions of hands over a betting tree.

Hands come in blocks of fixed size, each with two generators, one for the cards and one for the
choices. So results depend only on the seed, not on the number of threads, a longer run begins with
the hands of a shorter one, and two policies with the same seed get the same cards.
"""

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.cards.buckets import ONE_BUCKET, Buckets, as_array, need_two_cards
from tiltless.blueprint.bucket_columns import bucket_columns, check_buckets, fill_columns
from tiltless.blueprint.tree import BettingTree
from tiltless.cards.hand_order import hand_tables
from tiltless.errors import ArrayError, OptionError
from tiltless.kernels.base.rng import seed_words
from tiltless.kernels.blueprint.nodes import Rows
from tiltless.kernels.blueprint.playout import CardLayout, play_hands, settle_hands
from tiltless.kernels.cards.shuffle import deal_hands
from tiltless.validate import whole_number

__all__ = ["BLOCK", "DealtCards", "Playouts", "buckets_by_street", "check_cards", "play"]

BLOCK = 16_384
"""Hands that share a pair of generators; changing it changes the hands of a seed."""


@dataclass(frozen=True, eq=False)
class Playouts:
    """The results of many hands; chips are net, by player (player 0 is the button).

    sums: int64 `[players]`.  squares: float64 `[players]`, sums of squares.
    payoffs: int64 `[hands, players]`, if asked for.
    cards: uint8 `[hands, cards]` and path: int32 `[hands, depth]`, if traced: the cards of a hand
        (hole cards of player 0, of player 1 …, the board; 0 past its end), and the nodes that it
        passes through (-1 past its end).
    """

    hands: int
    sums: npt.NDArray[np.int64]
    squares: npt.NDArray[np.float64]
    payoffs: npt.NDArray[np.int64] | None
    cards: npt.NDArray[np.uint8] | None
    path: npt.NDArray[np.int32] | None

    @property
    def mean(self) -> npt.NDArray[np.float64]:
        """Chips per hand."""
        return np.asarray(self.sums / self.hands)

    @property
    def standard_error(self) -> npt.NDArray[np.float64]:
        """The standard error of the mean."""
        variance = np.maximum(self.squares / self.hands - self.mean**2, 0.0)
        return np.asarray(np.sqrt(variance / self.hands))


def play(
    tree: BettingTree,
    hands: int,
    *,
    seed: int = 0,
    policy: npt.ArrayLike | None = None,
    buckets: Sequence[Buckets] | None = None,
    threads: int = 1,
    payoffs: bool = False,
    trace: bool = False,
    memory_limit: int = 4 << 30,
) -> Playouts:
    """Play ``hands`` hands; all players follow the same table of weights.

    policy: float32 or float64, one finite number for each action of each bucket of each decision,
        laid out by ``tree.rows``; actions are chosen in proportion to it. Negative numbers count as
        zero, and if none is positive, all actions are equally likely. None: uniform everywhere.
        A decision belongs to one player, so one table contains the policies of all players.
    buckets: one for each street of the tree; None: `ONE_BUCKET` everywhere.
    payoffs, trace: what to keep besides the sums; see `Playouts`.
    memory_limit: in bytes, for what is kept and for the sums and generators of all blocks.
    """
    hands = whole_number("hands", hands, 1, 10**12)
    threads = whole_number("threads", threads, 1, 1024)
    seed = whole_number("seed", seed, 0, 2**64 - 1)
    whole_number("memory_limit", memory_limit, 1, 2**63 - 1)
    groups = (
        (ONE_BUCKET,) * tree.streets
        if buckets is None
        else buckets_by_street(buckets, tree.streets)
    )
    rows = tree.rows([group.count for group in groups])
    if policy is None:
        table: npt.NDArray[Any] = np.zeros(int(rows.start[-1]), np.float32)
    else:
        table = as_array("the policy", policy)
    _check(tree, table, rows, groups)
    game, columns = DealtCards(tree), bucket_columns(tree, groups)
    blocks = -(-hands // BLOCK)
    each = 8 * tree.players * payoffs + (game.width + 4 * tree.size.depth) * trace
    needed = hands * each + 16 * blocks * (1 + tree.players)
    if needed > memory_limit:
        raise OptionError(
            f"{hands:,} hands need {needed / 1e9:.3g} GB, and the memory limit "
            f"is {memory_limit / 1e9:.3g} GB; allow more, play fewer hands or keep less of them"
        )
    states = seed_words(seed, 2 * blocks).reshape(blocks, 2, 1)
    sums = np.zeros((blocks, tree.players), dtype=np.int64)
    squares = np.zeros((blocks, tree.players))
    kept = np.empty((hands if payoffs else 0, tree.players), dtype=np.int64)
    cards = np.zeros((hands if trace else 0, game.width), dtype=np.uint8)
    path = np.empty((hands if trace else 0, tree.size.depth), dtype=np.int32)

    def work(first: int) -> None:
        size = min(hands, BLOCK)
        all_bucket = np.zeros((size, tree.players, len(columns)), dtype=np.uint32)
        all_payoffs = np.empty((size, tree.players), dtype=np.int64)
        all_cards = np.empty((size, game.width), dtype=np.uint8)
        no_path = np.empty((size, 0), dtype=np.int32)
        all_ends = np.empty(size, dtype=np.int32)
        for block in range(first, blocks, threads):
            low, high = block * BLOCK, min(hands, (block + 1) * BLOCK)
            size = high - low
            dealt = cards[low:high] if trace else all_cards[:size]
            nodes_passed = path[low:high] if trace else no_path[:size]
            won = kept[low:high] if payoffs else all_payoffs[:size]
            bucket, end = all_bucket[:size], all_ends[:size]
            deal_rng, choices = states[block]
            deal_hands(deal_rng, game.deck.copy(), game.always, game.layout.run_suits, dealt)
            fill_columns(columns, dealt, bucket)
            check_buckets(bucket, rows)
            play_hands(
                tree.nodes, table, rows, game.layout, dealt, bucket, choices, end, nodes_passed
            )
            settle_hands(
                tree.nodes, end, game.layout, dealt, game.tables, won, sums[block], squares[block]
            )

    if threads == 1:
        work(0)
    else:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(work, range(threads)))
    return Playouts(
        hands,
        sums.sum(axis=0),
        squares.sum(axis=0),
        kept if payoffs else None,
        cards if trace else None,
        path if trace else None,
    )


def buckets_by_street(buckets: Sequence[Buckets], streets: int) -> tuple[Buckets, ...]:
    """A tuple of buckets; `OptionError` if it is not a sequence of buckets.

    `BettingTree.rows` checks that there is one for each street.
    """
    if not isinstance(buckets, Iterable):
        raise OptionError(
            f"buckets is a single {type(buckets).__name__}; give one for each street, such as "
            f"[ONE_BUCKET] * {streets}"
        )
    groups = tuple(buckets)
    for group in groups:
        if not (hasattr(group, "count") and hasattr(group, "fill")):
            raise OptionError(
                f"a {type(group).__name__} is not a set of buckets; give ONE_BUCKET or an object "
                "with count and fill"
            )
    return groups


def _check(
    tree: BettingTree, table: npt.NDArray[Any], rows: Rows, groups: Sequence[Buckets]
) -> None:
    if table.dtype not in (np.float32, np.float64) or table.shape != (rows.start[-1],):
        raise ArrayError(
            f"the policy has shape {table.shape} and dtype {table.dtype}; this tree with buckets "
            f"{[group.count for group in groups]} needs {rows.start[-1]:,} numbers of float32 or "
            "float64 in one row"
        )
    if not np.isfinite([table.min(initial=0.0), table.max(initial=0.0)]).all():
        index = int(np.argmin(np.isfinite(table)))
        raise ArrayError(f"number {index:,} of the policy is {table[index]}; give finite weights")
    check_cards(tree, groups)


def check_cards(tree: BettingTree, groups: Sequence[Buckets]) -> None:
    """Raise `OptionError` if the cards of a game, or these buckets, are not for compiled hands."""
    if tree.game.hidden is not None:
        raise OptionError(
            f"{tree.game.name} draws hidden ranks for each hand, and here they must be fixed; make "
            "the game with ranks='...'"
        )
    if tree.game.rules.hole_cards != 2 and any(map(need_two_cards, groups)):
        raise OptionError(
            f"buckets of combos need two hole cards, not {tree.game.rules.hole_cards}; "
            "use ONE_BUCKET"
        )


class DealtCards:
    """The data about the cards of a tree's game that kernels need.

    deck: uint8 `[cards]`.  layout: the order of a hand's cards in its row.  always: the number of
    cards that every hand has, of all players and the board.  width: the most that a hand can have
    if streets repeat.  tables: the order of hands.
    """

    def __init__(self, tree: BettingTree) -> None:
        game, rules = tree.game, tree.game.rules
        self.deck = np.array([card for card in range(52) if game.deck >> card & 1], dtype=np.uint8)
        self.layout = CardLayout(rules.hole_cards, tree.board, tree.run_suits, rules.eval7_flushes)
        self.always = rules.hole_cards * game.players + tree.board
        runs = sum(tree.run_suits >> (int(card) & 3) & 1 for card in self.deck)
        self.width = min(self.always + runs, len(self.deck))
        self.tables = hand_tables(game.order)
