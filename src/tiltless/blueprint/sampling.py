"""Sampling schemes of blueprint training: external, chance and public chance sampling.

Each scheme defines the number of traversals of a block, the offsets of decisions in a table, and
how to run the traversals of a block. All randomness of a block comes from the generator state that
is passed to it.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.cards.buckets import Buckets
from tiltless.blueprint.bucket_columns import bucket_columns, fill_columns
from tiltless.blueprint.street_blocks import street_blocks
from tiltless.blueprint.tree import BettingTree
from tiltless.cards.card import COMBO_CARDS
from tiltless.cards.evaluate import evaluate_many
from tiltless.cards.hand_order import hand_tables
from tiltless.errors import OptionError
from tiltless.games.holdem.game import Holdem
from tiltless.kernels.base.rng import fill_words
from tiltless.kernels.base.simd import FLOAT32_LANES
from tiltless.kernels.blueprint.chance import DealRows, reorder_table, traverse_chance
from tiltless.kernels.blueprint.external import (
    BlueprintTables,
    Deals,
    TraversalRules,
    show_down,
    traverse_external,
)
from tiltless.kernels.blueprint.nodes import (
    ACTIONS,
    ACTOR,
    LIVE,
    ROW,
    SHOWDOWN,
    STREET,
    UNCONTESTED,
)
from tiltless.kernels.blueprint.public_chance import StreetBlocks, traverse_public_chance
from tiltless.kernels.blueprint.run_deals import board_sizes, deal_around, show_down_runs
from tiltless.kernels.blueprint.terminals import BoardHands
from tiltless.kernels.cards.shuffle import deal_hands

__all__ = [
    "SCHEMES",
    "TraversalSetting",
    "Traversals",
    "by_decision",
    "check_game",
    "heads_up_payoffs",
]

Table = npt.NDArray[np.float32]
Words = npt.NDArray[Any]  # uint64
_LANES = 8
HANDS_OF_A_BOARD = 128
"""Hands dealt around each board of a game whose board grows, see `kernels.blueprint.run_deals`."""


def heads_up_payoffs(tree: BettingTree) -> Table:
    """Player 0's payoff at each terminal if the showdown is lost, tied, won, float32 ``[ends, 3]``.

    If a hand ends by folding the three are equal. Uncalled chips are returned.
    """
    node, paid = tree.nodes.node, tree.nodes.paid
    ends = node[node[:, ACTOR] <= UNCONTESTED]
    out = np.zeros((len(paid), 3), np.float32)
    shown = ends[:, ACTOR] == SHOWDOWN
    at_stake = paid.min(axis=1)
    line = ends[shown, ROW]
    out[line, 0], out[line, 2] = -at_stake[line], at_stake[line]
    line = ends[~shown, ROW]
    stays = ends[~shown, LIVE] == 1
    out[line] = np.where(stays, paid[line, 1], -paid[line, 0])[:, None]
    return out


class TraversalSetting:
    """A betting tree with buckets, and the data about cards that traversals need."""

    def __init__(self, tree: BettingTree, buckets: tuple[Buckets, ...]) -> None:
        self.tree, self.buckets = tree, buckets
        self.rows = tree.rows([group.count for group in buckets])
        self.payoff = heads_up_payoffs(tree)
        self.deck = np.array([card for card in range(52) if tree.game.deck >> card & 1], np.uint8)
        self.hands = hand_tables(tree.game.order)
        self.width = int(tree.nodes.node[:, ACTIONS].max())
        self.columns = bucket_columns(tree, buckets)

    @cached_property
    def decisions(self) -> npt.NDArray[np.int32]:
        """The records of all decisions, in the order of nodes; the first of those sharing a row."""
        node = self.tree.nodes.node
        acts = node[node[:, ACTOR] >= 0]
        if len(acts) > sum(self.tree.size.decisions):
            rows = acts[:, STREET].astype(np.int64) << 32 | acts[:, ROW]
            acts = acts[np.sort(np.unique(rows, return_index=True)[1])]
        return np.ascontiguousarray(acts)

    def number(self, node: int) -> int:
        """The index in `decisions` of the row of a node."""
        acts, own = self.decisions, self.tree.nodes.node[node]
        same = (acts[:, STREET] == own[STREET]) & (acts[:, ROW] == own[ROW])
        return int(np.argmax(same))

    @cached_property
    def layout(self) -> npt.NDArray[np.int64]:
        """The layout of decisions by ``tree.rows``; see `Traversals.layout`."""
        acts = self.decisions.astype(np.int64)
        buckets = self.rows.buckets[acts[:, STREET]]
        begin = self.rows.start[acts[:, STREET]] + acts[:, ROW] * buckets
        actions = acts[:, ACTIONS]
        return np.stack([begin, actions, buckets, actions, np.ones_like(begin)], axis=1)

    def deal(self, state: Words, hands: int) -> Deals:
        """Deal this many hands, with their buckets and winners; see `Deals`."""
        tree = self.tree
        bucket = np.empty((hands, 2, len(self.columns)), np.uint32)
        result, words = np.empty(hands, np.int8), np.empty(hands, np.uint64)
        last = np.zeros(hands, np.uint8)
        fill_words(state, words)
        if tree.run_suits:
            cards = self._deal_runs(state, last, result)
        else:
            cards = np.empty((hands, 4 + tree.board), np.uint8)
            deal_hands(state, self.deck.copy(), cards.shape[1], 0, cards)
            show_down(cards, self.hands, result)
        fill_columns(self.columns, cards, bucket)
        return Deals(bucket, result, words, last)

    def _deal_runs(
        self, state: Words, last: npt.NDArray[np.uint8], result: npt.NDArray[np.int8]
    ) -> npt.NDArray[np.uint8]:
        """Cards of hands whose boards are dealt to their end; last, result: see `Deals`."""
        tree, game, hands = self.tree, self.tree.game, len(last)
        longest = tree.board + sum(tree.run_suits >> (card & 3) & 1 for card in self.deck.tolist())
        boards = np.zeros((-(-hands // HANDS_OF_A_BOARD), longest), np.uint8)
        sizes = np.empty(len(boards), np.uint8)
        deal_hands(state, self.deck.copy(), tree.board, tree.run_suits, boards)
        board_sizes(boards, tree.board, tree.run_suits, sizes)
        cards = np.zeros((len(boards) * HANDS_OF_A_BOARD, 4 + longest), np.uint8)
        deal_around(state, self.deck, boards, sizes, cards)
        cards, sizes = cards[:hands], np.repeat(sizes, HANDS_OF_A_BOARD)[:hands]
        show_down_runs(cards, sizes, game.rules.eval7_flushes, self.hands, result)
        last[:] = sizes.astype(np.int64) + (len(game.rules.streets) - 1 - tree.board)
        return cards


class Traversals(Protocol):
    """A sampling scheme for one setting.

    block: traversals of a block; changing it changes the results of a seed.
    discount_every: the default number of traversals between two discounts; 0 for none.
    prunes: whether it supports regret-based pruning.
    own_order: whether tables have another order than ``tree.rows``.
    """

    block: ClassVar[int]
    discount_every: ClassVar[int]
    prunes: ClassVar[bool]
    own_order: ClassVar[bool]

    @property
    def setting(self) -> TraversalSetting:
        """The tree, its buckets and cards."""
        ...

    def run(self, state: Words, regret: Table, average: Table, rules: TraversalRules) -> int:
        """Run all traversals of a block; returns the number of nodes visited."""
        ...

    @property
    def layout(self) -> npt.NDArray[np.int64]:
        """The layout of decisions in a table, int64 ``[decisions, 5]``; see `count_visited`."""
        ...


@dataclass(frozen=True, eq=False)
class ExternalTraversals:
    """All actions of the traverser, one of the opponent's, one deal: `traverse_external`."""

    setting: TraversalSetting
    lanes: int = _LANES
    block: ClassVar[int] = 8192
    discount_every: ClassVar[int] = 1 << 20
    prunes: ClassVar[bool] = True
    own_order: ClassVar[bool] = False

    def run(self, state: Words, regret: Table, average: Table, rules: TraversalRules) -> int:
        """Run the traversals interleaved, see the kernel."""
        here = self.setting
        return int(
            traverse_external(
                here.tree.nodes,
                here.rows,
                BlueprintTables(regret, average, here.payoff),
                here.deal(state, self.block),
                0,
                rules,
                here.tree.size.depth,
                here.width,
                self.lanes,
            )
        )

    @property
    def layout(self) -> npt.NDArray[np.int64]:
        """The layout of ``tree.rows``."""
        return self.setting.layout


@dataclass(frozen=True, eq=False)
class ChanceTraversals:
    """All actions of both players, one deal: `traverse_chance`, the thesis' algorithm."""

    setting: TraversalSetting
    block: ClassVar[int] = 2048
    discount_every: ClassVar[int] = 0
    prunes: ClassVar[bool] = False
    own_order: ClassVar[bool] = True

    @cached_property
    def _rows(self) -> DealRows:
        actions = np.array(self.setting.tree.size.actions, np.int64)
        return DealRows(self.setting.rows.start, actions)

    def run(self, state: Words, regret: Table, average: Table, rules: TraversalRules) -> int:
        """Run the traversals one after the other."""
        here = self.setting
        tables = BlueprintTables(regret, average, here.payoff)
        dealt = here.deal(state, self.block)
        return int(traverse_chance(here.tree.nodes, self._rows, tables, dealt, 0, rules))

    @cached_property
    def layout(self) -> npt.NDArray[np.int64]:
        """The stride between buckets is the number of actions of the whole street."""
        acts = self.setting.decisions.astype(np.int64)
        street, rows = acts[:, STREET], self._rows
        layout = self.setting.layout.copy()
        layout[:, 0], layout[:, 1] = rows.start[street] + acts[:, ROW], rows.width[street]
        return layout


@dataclass(frozen=True, eq=False)
class PublicChanceTraversals:
    """All actions and all hands of both players, one board: `traverse_public_chance`."""

    setting: TraversalSetting
    block: ClassVar[int] = 2
    discount_every: ClassVar[int] = 64
    prunes: ClassVar[bool] = False
    own_order: ClassVar[bool] = True

    @cached_property
    def _blocks(self) -> StreetBlocks:
        return street_blocks(self.setting.tree)

    @cached_property
    def _scale(self) -> npt.NDArray[np.float32]:
        left = len(self.setting.deck) - self.setting.tree.board
        hands, against = left * (left - 1) // 2, (left - 2) * (left - 3) // 2
        return np.array([1 / (hands * against), 1 / hands], np.float32)

    def run(self, state: Words, regret: Table, average: Table, rules: TraversalRules) -> int:
        """Run a traversal for each player, each on its own board."""
        here, visited = self.setting, 0
        boards = np.empty((self.block, here.tree.board), np.uint8)
        deal_hands(state, here.deck.copy(), boards.shape[1], 0, boards)
        tables = BlueprintTables(regret, average, here.payoff)
        for player, board in enumerate(boards):
            visited += int(
                traverse_public_chance(
                    here.tree.nodes,
                    self._blocks,
                    here.rows,
                    tables,
                    self.hands(board),
                    player,
                    rules,
                    self._scale,
                    here.width,
                )
            )
        return visited

    def hands(self, board: npt.NDArray[np.uint8]) -> BoardHands:
        """All hands that a board does not block, sorted by strength, with their buckets."""
        here = self.setting
        in_deck = np.zeros(52, np.bool_)
        in_deck[here.deck], in_deck[board] = True, False
        cards = COMBO_CARDS[in_deck[COMBO_CARDS].all(axis=1)]
        dealt = np.broadcast_to(board, (len(cards), len(board)))
        values = evaluate_many(np.hstack([cards, dealt]), here.tree.game.order).astype(np.int32)
        order = np.argsort(values, kind="stable")
        cards, values = cards[order], values[order]
        group = np.flatnonzero(np.diff(values, prepend=-1, append=-1)).astype(np.uint64)
        padded = -(-len(cards) // FLOAT32_LANES) * FLOAT32_LANES
        cards = np.vstack([cards, np.broadcast_to(cards[0], (padded - len(cards), 2))])
        pairs = np.empty((padded // 2, 4 + len(board)), np.uint8)  # two hands in a row
        pairs[:, :4], pairs[:, 4:] = cards.reshape(-1, 4), board
        bucket = np.empty((len(pairs), 2, here.tree.streets), np.uint32)
        for street, buckets in enumerate(here.buckets):
            buckets.fill(pairs, street, bucket)
        by_street = np.ascontiguousarray(bucket.reshape(padded, -1).T)
        first, second = np.ascontiguousarray(cards.T.astype(np.uint64) * np.uint64(FLOAT32_LANES))
        return BoardHands(first, second, by_street, group)

    @cached_property
    def layout(self) -> npt.NDArray[np.int64]:
        """The offsets of ``tree.rows``, but with the buckets of an action adjacent."""
        layout = self.setting.layout.copy()
        layout[:, 1], layout[:, 4] = 1, layout[:, 2]
        return layout


def by_decision(scheme: Traversals, table: Table, out: Table | None = None) -> Table:
    """A table in the order of ``tree.rows``: itself if it already has it, else a copy.

    out: float32 of the same length; if given, the result is always written there.
    """
    if out is None:
        if not scheme.own_order:
            return table
        out = np.empty(len(table), np.float32)
    reorder_table(table, scheme.layout, scheme.setting.layout, out)
    return out


SCHEMES: dict[str, type[ExternalTraversals | ChanceTraversals | PublicChanceTraversals]] = {
    "external": ExternalTraversals,
    "chance": ChanceTraversals,
    "public-chance": PublicChanceTraversals,
}
"""Sampling schemes by name."""


def check_game(game: Holdem, sampling: str = "external") -> None:
    """Raise `OptionError` if a scheme cannot traverse the trees of a game."""
    rules = game.rules
    plain = game.players == 2 and game.hidden is None
    if not plain or rules.hole_cards != 2 or not 3 <= sum(game.sizes) <= 5:
        raise OptionError(
            f"{game.name} cannot be trained here; take two players with two hole cards, a "
            "board of three to five and a known order of ranks"
        )
    if rules.run_suits and sampling != "external":
        raise OptionError(
            f"{game.name} cannot be trained by {sampling} sampling, which knows no boards that "
            "grow; use external sampling"
        )
    if rules.big_blind_ante:
        raise OptionError(f"{game.name} has a big blind ante; blueprints need none")
