"""Training a blueprint: sampled CFR over a betting tree and buckets, two players.

Hands come in blocks of fixed size. The cards and random numbers of a block depend on the seed and
its number alone, and tables are only looked at, discounted or saved between blocks; so a run that
is cut into pieces gives the same tables to the last bit on one thread. Several threads share the
tables without locks, each on blocks of its own: an update that is lost now and then costs less than
a lock (Recht, Ré, Wright & Niu 2011, "Hogwild!"), but runs no longer repeat to the bit.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.buckets import Buckets
from tiltless.cards.hand_order import hand_tables
from tiltless.errors import ArrayError, OptionError
from tiltless.games.common import whole_number
from tiltless.kernels.betting import ACTIONS, ACTOR, LIVE, ROW, SHOWDOWN, UNCONTESTED
from tiltless.kernels.blueprint import (
    BlueprintTables,
    Deals,
    WalkRules,
    scale_table,
    show_down,
    sum_positive,
    walk_external,
)
from tiltless.kernels.deal import deal_hands
from tiltless.kernels.rng import fill_words
from tiltless.solvers.pruning import NoPruning, PruningRule
from tiltless.tree.betting import BettingTree

__all__ = ["BLOCK", "BlueprintEngine", "BlueprintRules", "heads_up_payoffs"]

BLOCK = 8192
"""Walks of a block; another number would be another run for the same seed."""
_LANES = 8
_NO_PRUNING = NoPruning()


@dataclass(frozen=True, slots=True)
class BlueprintRules:
    """How walks add up.

    discount_every: walks between two discounts; 0 for none. Before the k-th of them, positive
        regrets are multiplied by k^alpha / (k^alpha + 1), negative ones by k^beta / (k^beta + 1),
        and averages by (k / (k + 1))^gamma. With 1, 1, 1 that is linear CFR in steps, as Pluribus
        had it (Brown & Sandholm 2019).
    discount_until: no discount after so many walks.
    average_every: of so many blocks, one adds to the average strategy.
    average_from: walks before the average begins.
    pruning: see `tiltless.solvers.pruning`; its threshold is in chips.
    """

    discount_every: int = 1 << 20
    discount_until: int = 1 << 62
    alpha: float = 1.0
    beta: float = 1.0
    gamma: float = 1.0
    average_every: int = 1
    average_from: int = 0
    pruning: PruningRule = _NO_PRUNING

    def __post_init__(self) -> None:
        for name in ("discount_every", "average_from"):
            whole_number(name, getattr(self, name), 0, 1 << 62)
        whole_number("discount_until", self.discount_until, 0, 1 << 62)
        whole_number("average_every", self.average_every, 1, 1 << 30)
        if self.discount_every % BLOCK:
            raise OptionError(
                f"discount_every={self.discount_every:,} is not a multiple of {BLOCK:,}, the walks "
                f"of a block; take {max(self.discount_every // BLOCK, 1) * BLOCK:,}"
            )

    def discounts(self, time: int) -> tuple[float, float, float]:
        """Factors of positive regrets, negative ones and averages before the k-th discount."""
        up, down = float(time) ** self.alpha, float(time) ** self.beta
        return up / (up + 1), down / (down + 1), (time / (time + 1)) ** self.gamma


def heads_up_payoffs(tree: BettingTree) -> npt.NDArray[np.float32]:
    """What player 0 wins at each end if the showdown is lost, tied, won, float32 ``[ends, 3]``.

    Where a hand ends by folding the three are equal. Chips that nobody called go back.
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


class BlueprintEngine:
    """External sampling of one betting tree with one set of buckets.

    regret, average: float32 ``[rows]``, placed by ``tree.rows``; the average is a policy for
        `tiltless.tree.playout.play` as it is.
    blocks: how many are behind us.  visited: nodes that all walks have visited.
    """

    def __init__(
        self,
        tree: BettingTree,
        buckets: Sequence[Buckets],
        rules: BlueprintRules | None = None,
        *,
        seed: int = 0,
        threads: int = 1,
        lanes: int = _LANES,
    ) -> None:
        rules_of_cards = tree.game.rules.hole_cards, tree.board
        plain = tree.players == 2 and not tree.run_suits and tree.game.hidden is None
        if not plain or rules_of_cards != (2, 5):
            raise OptionError(
                f"{tree.game.name} cannot be trained here; take two players with two hole cards, a "
                "board of five and a known order of ranks"
            )
        if tree.nodes.dead.any():
            raise OptionError(f"{tree.game.name} has a big blind ante; blueprints need none")
        self.tree, self.buckets = tree, tuple(buckets)
        self.rules = rules or BlueprintRules()
        self.seed = whole_number("seed", seed, 0, 2**64 - 1)
        self.threads = whole_number("threads", threads, 1, 1024)
        self.lanes = whole_number("lanes", lanes, 1, 64)
        self.rows = tree.rows([group.count for group in self.buckets])
        size = int(self.rows.start[-1])
        self.regret, self.average = np.zeros(size, np.float32), np.zeros(size, np.float32)
        self.payoff = heads_up_payoffs(tree)
        self.blocks = self.visited = 0
        self._deck = np.array([card for card in range(52) if tree.game.deck >> card & 1], np.uint8)
        self._hands = hand_tables(tree.game.order)
        self._width = int(tree.nodes.node[:, ACTIONS].max())

    @property
    def walks(self) -> int:
        """How many walks are behind us."""
        return self.blocks * BLOCK

    def run(self, walks: int) -> None:
        """At least so many more walks: whole blocks, one thread for each in turn."""
        last = self.blocks + -(-whole_number("walks", walks, 1, 1 << 62) // BLOCK)
        with ThreadPoolExecutor(self.threads) as pool:
            while self.blocks < last:
                stop = min(last, self._next_discount())
                parts = [range(self.blocks + i, stop, self.threads) for i in range(self.threads)]
                self.visited += sum(pool.map(self._run_blocks, parts))
                self.blocks = stop
                self._discount()

    def _next_discount(self) -> int:
        every = self.rules.discount_every // BLOCK
        if not every or self.walks >= self.rules.discount_until:
            return 1 << 62
        return (self.blocks // every + 1) * every

    def _discount(self) -> None:
        every, walks = self.rules.discount_every, self.walks
        if every and walks % every == 0 and walks <= self.rules.discount_until:
            up, down, average = self.rules.discounts(walks // every)
            scale_table(self.regret, up, down)
            scale_table(self.average, average, average)

    def _run_blocks(self, blocks: range) -> int:
        """All walks of some blocks, by one thread."""
        cards = np.empty((BLOCK, 9), np.uint8)
        bucket = np.empty((BLOCK, 2, self.tree.streets), np.uint32)
        result, words = np.empty(BLOCK, np.int8), np.empty(BLOCK, np.uint64)
        tables = BlueprintTables(self.regret, self.average, self.payoff)
        visited = 0
        for block in blocks:
            state = np.random.SeedSequence([self.seed, block]).generate_state(1, np.uint64)
            fill_words(state, words)
            deal_hands(state, self._deck.copy(), 9, 0, cards)
            for street, group in enumerate(self.buckets):
                group.fill(cards, street, bucket)
            show_down(cards, self._hands, result)
            visited += walk_external(
                self.tree.nodes,
                self.rows,
                tables,
                Deals(bucket, result, words),
                0,
                self._walk_rules(block),
                self.tree.size.depth,
                self._width,
                self.lanes,
            )
        return visited

    def _walk_rules(self, block: int) -> WalkRules:
        rules, pruning = self.rules, self.rules.pruning
        counts = block % rules.average_every == 0 and block * BLOCK >= rules.average_from
        floor = limit = -np.inf
        unpruned = 1.0
        if not isinstance(pruning, NoPruning):
            floor = pruning.floor
            if block * BLOCK >= pruning.warmup_iterations:
                limit, unpruned = pruning.threshold, pruning.share_unpruned
        return WalkRules(float(counts), floor, limit, unpruned)

    def weight(self) -> float:
        """What all walks count for in positive regrets, after the discounts so far."""
        every, weight = self.rules.discount_every, 0.0
        steps = min(self.walks, self.rules.discount_until) // every if every else 0
        for time in range(1, steps + 1):
            weight = (weight + every) * self.rules.discounts(time)[0]
        return weight + self.walks - steps * every

    def mean_positive_regret(self) -> float:
        """The sum of positive regrets over `weight`, in chips: goes to 0 as play converges."""
        return float(sum_positive(self.regret)) / max(self.weight(), 1.0)

    def touched(self) -> int:
        """How many numbers of the average are not 0."""
        return int(np.count_nonzero(self.average))

    def state(self) -> Mapping[str, npt.NDArray[Any]]:
        """Everything that must be kept to go on later; the tables are not copied."""
        counts = np.array([self.blocks, self.visited], np.int64)
        return {"regret": self.regret, "average": self.average, "counts": counts}

    def restore(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        """Go on from a `state` of the same tree, buckets, rules and seed."""
        for name in ("regret", "average"):
            if state[name].shape != self.regret.shape or state[name].dtype != np.float32:
                raise ArrayError(
                    f"{name} has shape {state[name].shape} and dtype {state[name].dtype}; this "
                    f"tree needs {self.regret.shape} of float32"
                )
        self.regret[:], self.average[:] = state["regret"], state["average"]
        self.blocks, self.visited = map(int, state["counts"])
