"""The training engine: sampled CFR over a betting tree and buckets, for two players.

Traversals ("walks" in options and counts) come in blocks of fixed size. The cards and random
numbers of a block depend only on the seed and the block's index, and tables are read, discounted or
saved only between blocks; so on one thread an interrupted and resumed run gives the same tables to
the last bit. Several threads share the tables without locks, each working on its own blocks: an
occasional lost update costs less than a lock (Recht, Ré, Wright & Niu 2011, "Hogwild!"), but runs
no longer repeat to the bit.
"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields, replace
from math import inf, isfinite
from typing import Any

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.cards.buckets import Buckets
from tiltless.blueprint.packed_changes import CopyChanges, add_packed, pack_table
from tiltless.blueprint.sampling import SCHEMES, TraversalSetting, by_decision, check_game
from tiltless.blueprint.tree import BettingTree
from tiltless.cfr.pruning import NoPruning, PruningRule
from tiltless.errors import ArrayError, OptionError
from tiltless.kernels.blueprint.external import (
    TraversalRules,
    count_visited,
    scale_table,
    sum_positive,
)
from tiltless.validate import one_of, whole_number

__all__ = ["BlueprintEngine", "BlueprintRules", "check_tables", "restore_tables"]

Floats = npt.NDArray[np.float32]

_NO_PRUNING = NoPruning()
_LARGEST_GAMMA = 1000.0
_LOWEST_FLOOR = -1e30  # tables are float32


@dataclass(frozen=True, slots=True)
class BlueprintRules:
    """How traversals update regrets and averages.

    sampling: the sampling scheme, see `tiltless.blueprint.sampling`: "external", "chance" or
        "public-chance".
    discount_every: traversals between two discounts; 0 for none, None for the scheme's default.
        At the k-th discount, positive regrets are multiplied by k^alpha / (k^alpha + 1),
        negative ones by k^beta / (k^beta + 1), and averages by (k / (k + 1))^gamma. With 1, 1, 1
        this is linear CFR in steps, as in Pluribus (Brown & Sandholm 2019). An exponent of inf
        leaves regrets unchanged, -inf (beta only) sets negative ones to 0.
    discount_until: no discounts after this many traversals.
    average_every: one in this many blocks adds to the average strategy.
    average_from: traversals before the average begins.
    pruning: see `tiltless.cfr.pruning`; its threshold is in chips.
    floor: the lower limit of regrets, a negative number of chips; None for no limit.
        Pruning has its own floor, and the higher of the two applies; a floor above the pruning
        threshold prevents all pruning.
    """

    sampling: str = "external"
    discount_every: int | None = None
    discount_until: int = 1 << 62
    alpha: float = 1.0
    beta: float = 1.0
    gamma: float = 1.0
    average_every: int = 1
    average_from: int = 0
    pruning: PruningRule = _NO_PRUNING
    floor: float | None = None

    def __post_init__(self) -> None:
        if not self.alpha >= 0:
            raise OptionError(f"alpha={self.alpha} is not possible; choose 0 or more, or inf")
        if not -inf <= self.beta <= inf:
            raise OptionError(f"beta={self.beta} is not possible; choose a number, inf or -inf")
        if not 0 <= self.gamma <= _LARGEST_GAMMA:
            raise OptionError(
                f"gamma={self.gamma} is not possible; choose 0 to {_LARGEST_GAMMA:.0f}"
            )
        if self.floor is not None and not _LOWEST_FLOOR <= self.floor < 0:
            raise OptionError(
                f"floor={self.floor} is not possible; choose chips below 0, down to "
                f"{_LOWEST_FLOOR:g}, or leave it out"
            )
        if self.discount_every is not None:
            whole_number("discount_every", self.discount_every, 0, 1 << 62)
        whole_number("average_from", self.average_from, 0, 1 << 62)
        whole_number("discount_until", self.discount_until, 0, 1 << 62)
        whole_number("average_every", self.average_every, 1, 1 << 30)
        one_of("sampling", self.sampling, SCHEMES)
        scheme = SCHEMES[self.sampling]
        if self.every % scheme.block:
            raise OptionError(
                f"discount_every={self.every:,} is not a multiple of {scheme.block:,}, the walks "
                f"of a block; take {max(self.every // scheme.block, 1) * scheme.block:,}"
            )
        if not (scheme.prunes or isinstance(self.pruning, NoPruning)):
            raise OptionError(
                f"{self.sampling} sampling does not prune; omit prune_below, or use external "
                "sampling"
            )

    @property
    def every(self) -> int:
        """Traversals between two discounts."""
        if self.discount_every is None:
            return SCHEMES[self.sampling].discount_every
        return self.discount_every

    @property
    def first_average(self) -> int:
        """Traversals before the first block that adds to the average."""
        step = SCHEMES[self.sampling].block * self.average_every
        return -(-self.average_from // step) * step

    def text(self) -> str:
        """One line of text: the sampling, and all settings that differ from the defaults."""
        parts = [f"{self.sampling} sampling", f"discount_every {self.every}"]
        for each in fields(self):
            value = getattr(self, each.name)
            if each.name in ("sampling", "discount_every", "pruning") or value == each.default:
                continue
            parts.append(
                f"{each.name} {value:g}" if isinstance(value, float) else f"{each.name} {value}"
            )
        pruning = self.pruning
        if not isinstance(pruning, NoPruning):
            parts.append(
                f"prune_below {pruning.threshold:g}, prune_from {pruning.warmup_iterations}, "
                f"share_unpruned {pruning.share_unpruned:g}"
            )
        return ", ".join(parts)

    def for_copies(self, copies: int) -> "BlueprintRules":
        """The rules of each of several copies, whose mean has regrets smaller by this factor."""
        pruning, floor = self.pruning, self.floor
        if not isinstance(pruning, NoPruning):
            pruning = replace(pruning, threshold=pruning.threshold / copies)
        return replace(self, pruning=pruning, floor=None if floor is None else floor / copies)

    def discounts(self, time: int) -> tuple[float, float, float]:
        """Factors of positive regrets, negative regrets and averages at the k-th discount."""
        up, down = _discount_factor(time, self.alpha), _discount_factor(time, self.beta)
        return up, down, (time / (time + 1)) ** self.gamma


def _discount_factor(time: int, exponent: float) -> float:
    """t^e / (t^e + 1), or its limit for infinite exponents and where t^e overflows."""
    if not isfinite(exponent):
        return 1.0 if exponent > 0 else 0.0
    try:
        power: float = float(time) ** exponent
    except OverflowError:
        return 1.0
    return power / (power + 1)


def check_tables(regret: Floats, average: Floats, walks: int) -> None:
    """Raise `ArrayError` if a number is not finite; allocates no memory."""
    for name, table in (("regret", regret), ("average", average)):
        if table.size and not (isfinite(table.min()) and isfinite(table.max())):
            raise ArrayError(
                f"the {name} table has numbers that are not finite after {walks:,} walks; "
                "earlier checkpoints are intact: train with other rules"
            )


def restore_tables(
    regret: Floats, average: Floats, state: Mapping[str, npt.NDArray[Any]], betting: str
) -> None:
    """Overwrite the tables by those of a state; betting: what they are laid out by, a word."""
    for name in ("regret", "average"):
        if state[name].shape != regret.shape or state[name].dtype != np.float32:
            raise ArrayError(
                f"{name} has shape {state[name].shape} and dtype {state[name].dtype}; this "
                f"{betting} needs {regret.shape} of float32"
            )
    regret[:], average[:] = state["regret"], state["average"]


class BlueprintEngine:
    """Sampled CFR of one betting tree with one set of buckets.

    regret, average: float32 ``[rows]``, in the order of the sampling scheme; see `policy`.
    blocks: the number done.  visited: nodes visited by all traversals.
    copies: of how many copies regrets are the mean; see `tiltless.blueprint.training.rounds`.
    """

    copies = 1

    def __init__(
        self,
        tree: BettingTree,
        buckets: Sequence[Buckets],
        rules: BlueprintRules | None = None,
        *,
        seed: int = 0,
        threads: int = 1,
    ) -> None:
        self.rules = rules or BlueprintRules()
        check_game(tree.game, self.rules.sampling)
        self.tree, self.buckets = tree, tuple(buckets)
        self.seed = whole_number("seed", seed, 0, 2**64 - 1)
        self.threads = whole_number("threads", threads, 1, 1024)
        setting = TraversalSetting(tree, self.buckets)
        self.rows, self.scheme = setting.rows, SCHEMES[self.rules.sampling](setting)
        size = int(self.rows.start[-1])
        self.regret, self.average = np.zeros(size, np.float32), np.zeros(size, np.float32)
        self.blocks = self.visited = 0

    @property
    def block_walks(self) -> int:
        """Traversals of a block."""
        return self.scheme.block

    @property
    def walks(self) -> int:
        """The number of traversals done."""
        return self.blocks * self.block_walks

    def run(self, walks: int) -> None:
        """Run at least this many more traversals, in whole blocks, each on the next free thread."""
        last = self.blocks + -(-whole_number("walks", walks, 1, 1 << 62) // self.block_walks)
        with ThreadPoolExecutor(self.threads) as pool:
            while self.blocks < last:
                stop = min(last, self._next_discount())
                blocks = iter(range(self.blocks, stop))  # shared: each block is taken once
                self.visited += sum(pool.map(self._run_blocks, [blocks] * self.threads))
                self.blocks = stop
                self._discount()

    def run_copy(
        self, regret: npt.NDArray[np.float32], first: int, stop: int, copy: int
    ) -> CopyChanges:
        """Run every n-th of the blocks ``first`` to ``stop - 1`` from the k-th on, n = `copies`.

        regret: of all copies before the first block, float32 ``[rows]``, not changed. Own tables
        are overwritten. Discounts of the time apply, so changes count from the discounted regrets.
        """
        base = np.array(regret)
        self.regret[:], self.average[:] = base, 0
        begin, visited = first, 0
        for end, factors in [*self._discounts(first, stop), (stop, None)]:
            begin += (first + copy - begin) % self.copies
            visited += self._run_blocks(iter(range(begin, end, self.copies)))
            begin = end
            if factors is not None:
                up, down, average = factors
                for table in (base, self.regret):
                    scale_table(table, up, down)
                scale_table(self.average, average, average)
        np.subtract(self.regret, base, out=base)
        return CopyChanges(pack_table(base), pack_table(self.average), visited)

    def merge(self, first: int, stop: int, changes: Sequence[CopyChanges]) -> None:
        """Add the changes of all copies: the mean to the regrets, the sum to the averages."""
        for _, (up, down, average) in self._discounts(first, stop):
            scale_table(self.regret, up, down)
            scale_table(self.average, average, average)
        add_packed(self.regret, [each.regret for each in changes], 1 / self.copies)
        sums = [each.average for each in changes if each.average is not None]
        add_packed(self.average, sums, 1.0)
        self.visited += sum(each.visited for each in changes)
        self.blocks = stop

    def _discounts(self, first: int, stop: int) -> list[tuple[int, tuple[float, float, float]]]:
        """Discounts after block ``first`` and up to ``stop``: their blocks and factors."""
        every = self.rules.every // self.block_walks
        if not every:
            return []
        last = min(stop, self.rules.discount_until // self.block_walks)
        times = range(first // every + 1, last // every + 1)
        return [(time * every, self.rules.discounts(time)) for time in times]

    def _next_discount(self) -> int:
        every = self.rules.every // self.block_walks
        if not every or self.walks >= self.rules.discount_until:
            return 1 << 62
        return (self.blocks // every + 1) * every

    def _discount(self) -> None:
        every, walks = self.rules.every, self.walks
        if every and walks % every == 0 and walks <= self.rules.discount_until:
            up, down, average = self.rules.discounts(walks // every)
            scale_table(self.regret, up, down)
            scale_table(self.average, average, average)

    def _run_blocks(self, blocks: Iterator[int]) -> int:
        """Run blocks on one thread until none is left; returns the number of nodes visited."""
        visited = 0
        for block in blocks:
            state = np.random.SeedSequence([self.seed, block]).generate_state(1, np.uint64)
            rules = self._traversal_rules(block)
            visited += self.scheme.run(state, self.regret, self.average, rules)
        return visited

    def _traversal_rules(self, block: int) -> TraversalRules:
        rules, pruning = self.rules, self.rules.pruning
        walks = block * self.block_walks
        counts = block % rules.average_every == 0 and walks >= rules.average_from
        floor = -np.inf if rules.floor is None else rules.floor
        limit, unpruned = -np.inf, 1.0
        if not isinstance(pruning, NoPruning):
            floor = max(floor, pruning.floor)
            if walks >= pruning.warmup_iterations:
                limit, unpruned = pruning.threshold, pruning.share_unpruned
        return TraversalRules(float(counts), floor, limit, unpruned)

    def weight(self) -> float:
        """The total weight of all traversals in positive regrets, after the discounts so far."""
        every, weight = self.rules.every, 0.0
        steps = min(self.walks, self.rules.discount_until) // every if every else 0
        for time in range(1, steps + 1):
            weight = (weight + every) * self.rules.discounts(time)[0]
        return weight + self.walks - steps * every

    def mean_positive_regret(self) -> float:
        """The sum of positive regrets over `weight`, in chips: tends to 0 as play converges."""
        return float(sum_positive(self.regret)) / max(self.weight() / self.copies, 1.0)

    def check_finite(self) -> None:
        """Raise `ArrayError` if a regret or an average is not finite; allocates no memory."""
        check_tables(self.regret, self.average, self.walks)

    def policy(
        self,
        average: npt.NDArray[np.float32] | None = None,
        *,
        out: npt.NDArray[np.float32] | None = None,
    ) -> npt.NDArray[np.float32]:
        """The average as `simulate.playout.play` takes it, laid out by ``tree.rows``.

        It is copied only if the sampling scheme has its own order (``scheme.own_order``).
        average: another such table, for example of an older checkpoint.
        out: float32 ``[rows]``, overwritten and returned instead of a new array.
        """
        table = self.average if average is None else average
        for name, each in (("average", table), ("out", table if out is None else out)):
            if each.shape != self.average.shape or each.dtype != np.float32:
                raise ArrayError(
                    f"{name} has shape {each.shape} and dtype {each.dtype}; this tree needs "
                    f"{self.average.shape} of float32"
                )
        return by_decision(self.scheme, table, out)

    def average_at(self, node: int) -> npt.NDArray[np.float32]:
        """The average of a decision, float32 ``[buckets, actions]``."""
        layout = self.scheme.layout[self.scheme.setting.number(node)]
        begin, step, buckets, actions, apart = layout.tolist()
        size = self.average.itemsize
        return np.lib.stride_tricks.as_strided(
            self.average[begin:], (buckets, actions), (step * size, apart * size), writeable=False
        )

    def infosets_touched(self) -> int:
        """The number of infosets that have an average."""
        return int(count_visited(self.average, self.scheme.layout))

    def state(self) -> Mapping[str, npt.NDArray[Any]]:
        """Everything needed to continue later; the tables are not copied."""
        counts = np.array([self.blocks, self.visited], np.int64)
        return {"regret": self.regret, "average": self.average, "counts": counts}

    def restore(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        """Continue from a `state` of the same tree, buckets, rules and seed."""
        restore_tables(self.regret, self.average, state, "tree")
        self.blocks, self.visited = map(int, state["counts"])
