"""The training engine for three to six seats: vector sampling over a betting graph.

Traversals come in blocks of 64 deals; a deal is traversed once for each player, so every player has
the same number of traversals whatever the intervals are. The cards and random numbers of a block
depend only on the seed and the block's index, and averages are taken between blocks; on one thread
an interrupted and resumed run gives the same tables to the last bit. Several threads share the
tables without locks, each working on its own blocks: every block is run exactly once, numbers are
never torn, but an update that two threads make to one number at the same moment may be lost
(Recht, Ré, Wright & Niu 2011, "Hogwild!"), so runs no longer repeat to the bit.
"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from tiltless.blueprint.engine import check_tables, restore_tables
from tiltless.blueprint.multiway.deals import MultiwayDealer
from tiltless.blueprint.multiway.graph import BettingGraph
from tiltless.blueprint.packed_changes import CopyChanges, add_packed, pack_table
from tiltless.errors import OptionError
from tiltless.kernels.multiway.averages import add_first_street, add_snapshot
from tiltless.kernels.multiway.nodes import ACTIONS, STREET
from tiltless.kernels.multiway.traversal import MultiwayRules, Stage, traverse_multiway
from tiltless.system import free_memory
from tiltless.validate import whole_number

__all__ = ["MultiwayEngine", "VectorRules"]

DEALS = 64
"""Deals of a block; changing it changes the results of a seed."""
_SHARES = 4  # of a snapshot, for each thread: nodes differ in size


@dataclass(frozen=True, slots=True)
class VectorRules:
    """How traversals update regrets, and when averages are taken.

    discount_every: traversals of a period; regrets of the k-th period have weight k, which is
        linear CFR in steps as in Pluribus (Brown & Sandholm 2019), where earlier regrets are
        multiplied by k / (k + 1) instead. 0 for none.
    discount_until: weights stay the same after this many traversals.
    average_every: traversals between two additions to the average of the first street.
    snapshot_every: traversals between two snapshots of later streets.
    average_from: traversals before the first of either; both are weighted by time.
    explore: opponents take each action with at least this probability.
    callers: in this share of deals one or two players only check and call.
    caller_weight: factor of the regrets of such deals. Regret matching does not see the scale of a
        row, so rows that only callers lead to learn as well with any factor; with a small one, the
        chips that callers give away do not decide how a hand begins against everybody else.
    floor: the lowest regret, a negative number; None for no limit.
    """

    discount_every: int = 1 << 15
    discount_until: int = 1 << 62
    average_every: int = 1 << 17
    snapshot_every: int = 1 << 19
    average_from: int = 0
    explore: float = 0.001
    callers: float = 0.0625
    caller_weight: float = 1 / 64
    floor: float | None = None

    def __post_init__(self) -> None:
        for name in ("discount_every", "discount_until", "average_from"):
            whole_number(name, getattr(self, name), 0, 1 << 62)
        for name in ("average_every", "snapshot_every"):
            whole_number(name, getattr(self, name), 1, 1 << 62)
        if not 0 <= self.explore <= 0.05:
            raise OptionError(f"explore={self.explore} is not possible; choose 0 to 0.05")
        if not 0 <= self.callers <= 1:
            raise OptionError(f"callers={self.callers} is not possible; choose 0 to 1")
        if not 0 < self.caller_weight <= 1:
            raise OptionError(
                f"caller_weight={self.caller_weight} is not possible; choose above 0 and up to 1"
            )
        if self.floor is not None and not -1e30 <= self.floor < 0:
            raise OptionError(
                f"floor={self.floor} is not possible; choose below 0, or leave it out"
            )

    def for_copies(self, copies: int) -> "VectorRules":
        """The rules of each of several copies, whose mean has regrets smaller by this factor."""
        return self if self.floor is None else replace(self, floor=self.floor / copies)

    def weight(self, walks: int) -> float:
        """The weight of regrets after this many traversals."""
        if not self.discount_every:
            return 1.0
        return float(min(walks, self.discount_until) // self.discount_every + 1)


class MultiwayEngine:
    """Vector sampling of one betting graph.

    regret, average: float32 ``[entries]``; the numbers of a decision begin at ``start``, int64
    ``[nodes]``, those of an action and a bucket are at ``start + bucket * ACTIONS + action``.
    blocks: the number done.  visited: nodes visited by all traversals.
    won: float64 ``[players]``, the chips that each player has won in all traversals with the
    strategies of the time, on average over the own actions; see `value_by_player`.
    copies: of how many copies regrets are the mean; see `tiltless.blueprint.training.rounds`.
    """

    copies = 1

    def __init__(
        self,
        graph: BettingGraph,
        dealer: MultiwayDealer,
        rules: VectorRules | None = None,
        *,
        seed: int = 0,
        threads: int = 1,
    ) -> None:
        self.graph, self.dealer, self.rules = graph, dealer, rules or VectorRules()
        self.seed = whole_number("seed", seed, 0, 2**64 - 1)
        self.threads = whole_number("threads", threads, 1, 1024)
        self.start = graph.offsets(dealer.counts)
        self.counts = np.array(dealer.counts, np.int64)
        entries, free = graph.size.entries(dealer.counts), free_memory()
        if 8 * entries > free:
            raise OptionError(
                f"the tables need {8 * entries / 1e9:.3g} GB and {free / 1e9:.3g} GB are free; "
                "share blocks, offer fewer sizes or take fewer buckets"
            )
        self.regret, self.average = np.zeros(entries, np.float32), np.zeros(entries, np.float32)
        self.blocks = self.visited = 0
        self.won = np.zeros(graph.players)
        seats = np.arange(graph.players, dtype=np.int64)
        self._stage = Stage(0, graph.first_street, seats)
        self._width = int(graph.nodes.node[:, ACTIONS].max())

    @property
    def block_walks(self) -> int:
        """Traversals of a block."""
        return DEALS * self.graph.players

    @property
    def walks(self) -> int:
        """The number of traversals done."""
        return self.blocks * self.block_walks

    def run(self, walks: int) -> None:
        """Run at least this many more traversals, in whole blocks, each on the next free thread."""
        last = self.blocks + -(-whole_number("walks", walks, 1, 1 << 62) // self.block_walks)
        rules = self.rules
        with ThreadPoolExecutor(self.threads) as pool:
            while self.blocks < last:
                before = self.walks
                stop = last
                for every in (rules.average_every, rules.snapshot_every):
                    due = before // every + 1
                    stop = min(stop, -(-due * every // self.block_walks))
                blocks = iter(range(self.blocks, stop))  # shared: each block is taken once
                for visited, won in pool.map(self._run_blocks, [blocks] * self.threads):
                    self.visited += visited
                    self.won += won
                self.blocks = stop
                if self.walks > rules.average_from:
                    self._add_averages(before)

    def run_copy(
        self, regret: npt.NDArray[np.float32], first: int, stop: int, copy: int
    ) -> CopyChanges:
        """Run every n-th of the blocks ``first`` to ``stop - 1`` from the k-th on, n = `copies`.

        regret: of all copies before the first block, float32 ``[entries]``, not changed. The own
        regrets are overwritten; averages are taken by `merge`.
        """
        self.regret[:] = regret
        visited, won = self._run_blocks(iter(range(first + copy, stop, self.copies)))
        return CopyChanges(pack_table(self.regret - regret), None, visited, won)

    def merge(self, first: int, stop: int, changes: Sequence[CopyChanges]) -> None:
        """Add the mean of the changes of all copies to the regrets, then to the averages if due."""
        add_packed(self.regret, [each.regret for each in changes], 1 / self.copies)
        for each in changes:
            self.visited += each.visited
            self.won += 0 if each.won is None else each.won
        before = first * self.block_walks
        self.blocks = stop
        if self.walks > self.rules.average_from:
            self._add_averages(before)

    def _run_blocks(self, blocks: Iterator[int]) -> tuple[int, npt.NDArray[np.float64]]:
        """Run blocks on one thread until none is left; returns nodes visited and chips won."""
        visited, won = 0, np.zeros(self.graph.players)
        for block in blocks:
            state = np.random.SeedSequence([self.seed, block]).generate_state(1, np.uint64)
            deals = self.dealer.deal(state, DEALS, self.rules.callers)
            weight = self.rules.weight(block * self.block_walks)
            visited += int(self._traverse(deals, weight, won))
        return visited, won

    def _traverse(self, deals: Any, weight: float, won: npt.NDArray[np.float64]) -> Any:
        graph, rules = self.graph, self.rules
        return traverse_multiway(
            graph.nodes,
            self.start,
            self.regret,
            self._played(),
            deals,
            self._stage,
            MultiwayRules(
                weight,
                float(rules.caller_weight),
                -np.inf if rules.floor is None else float(rules.floor),
                float(rules.explore),
                float(graph.stack),
                float(graph.pot),
                float(graph.ante),
            ),
            self._width,
            sum(graph.size.turns),
            int(self.counts.max()),
            won,
        )

    def _played(self) -> npt.NDArray[np.float32]:
        """The table that opponents act by: here everybody learns."""
        return self.regret

    def _add_averages(self, before: int) -> None:
        """Add to the averages if an interval has ended since ``before`` traversals."""
        rules, walks = self.rules, self.walks
        time = walks / self.block_walks
        if walks // rules.average_every > before // rules.average_every:
            self.add_first_street(time)
        if walks // rules.snapshot_every > before // rules.snapshot_every:
            self.add_snapshot(time)

    def add_first_street(self, weight: float) -> None:
        """Add the current strategy of the first street to its average."""
        arrays = (self.graph.nodes, self.start, self.regret, self.average)
        add_first_street(*arrays, weight, int(self.counts[self.graph.first_street]))

    def add_snapshot(self, weight: float) -> None:
        """Add the current strategy of the later streets to their average."""
        arrays = (self.graph.nodes, self.start, self.counts, self.regret, self.average)
        cuts = np.linspace(0, len(self.start), _SHARES * self.threads + 1).astype(np.int64).tolist()

        def add(share: int) -> None:
            add_snapshot(*arrays, weight, cuts[share], cuts[share + 1])

        with ThreadPoolExecutor(self.threads) as pool:
            list(pool.map(add, range(len(cuts) - 1)))

    def value_by_player(self) -> npt.NDArray[np.float64]:
        """Chips won a hand by each player, over all traversals so far; player 0 is the button."""
        return self.won / max(self.blocks * DEALS, 1)

    def check_finite(self) -> None:
        """Raise `ArrayError` if a regret or an average is not finite; allocates no memory."""
        check_tables(self.regret, self.average, self.walks)

    def at(self, table: npt.NDArray[np.float32], node: int) -> npt.NDArray[np.float32]:
        """The numbers of a decision, float32 ``[buckets, actions]``: a view."""
        street, actions = self.graph.nodes.node[node, [STREET, ACTIONS]].tolist()
        begin, buckets = int(self.start[node]), int(self.counts[street])
        return table[begin : begin + buckets * actions].reshape(buckets, actions)

    def state(self) -> Mapping[str, npt.NDArray[Any]]:
        """Everything needed to continue later; the tables are not copied."""
        counts = np.array([self.blocks, self.visited], np.int64)
        return {
            "regret": self.regret,
            "average": self.average,
            "counts": counts,
            "won": self.won,
        }

    def restore(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        """Continue from a `state` of the same graph, buckets, rules and seed."""
        restore_tables(self.regret, self.average, state, "graph")
        self.won[:] = state["won"]
        self.blocks, self.visited = map(int, state["counts"])
