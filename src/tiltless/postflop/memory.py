"""Memory of a post-flop spot, counted before tables are allocated."""

from collections.abc import Sequence
from dataclasses import replace
from math import inf
from typing import NamedTuple

import numpy as np

from tiltless.abstraction.bets.menu import Menu, StreetMenu
from tiltless.abstraction.bets.presets import find_menu
from tiltless.errors import OptionError
from tiltless.games.holdem.actions import Action
from tiltless.postflop.betting_forest import (
    MOST_LINES,
    StreetForest,
    TooManyLinesError,
    street_forests,
)
from tiltless.postflop.boards import BoardSet
from tiltless.postflop.spot import Spot
from tiltless.system import free_memory

__all__ = ["RangeCost", "SolvingOptions", "check_memory", "cost_of", "forests_of", "kept_ahead"]

_SHARE_OF_MEMORY = 0.9
_ALWAYS_THERE = 16e6  # bytes; a river is solved faster than the system is asked
_HOPELESS = 4  # a menu that takes so many times more than there is: do not look at larger ones
_NODE_BYTES = 400  # what is known of a line of play besides rows
_FEW_LINES = 10_000  # that are soon looked at
_AHEAD_BYTES = 1 << 23  # in which a thread keeps what may not be added yet
_FEWEST_AHEAD = 2


class RangeCost(NamedTuple):
    """Of a spot and its menu: boards, nodes and decisions over all boards, and bytes.

    tables: regrets and averages.  compressed: the same with 16 bits a number.
    rest: boards, lines of play, and what the threads work in.
    """

    boards: int
    nodes: int
    decisions: int
    tables: int
    compressed: int
    rest: int

    def bytes(self, way: "SolvingOptions") -> int:
        """All that is taken."""
        return self.rest + (self.compressed if way.compressed else self.tables)


class SolvingOptions(NamedTuple):
    """How a spot is to be solved, as far as memory goes; see `PostflopSolver`."""

    predictive: bool = False
    threads: int = 1
    compressed: bool = False
    played: Sequence[Action] = ()


def cost_of(
    forests: Sequence[StreetForest], boards: Sequence[BoardSet], way: SolvingOptions
) -> RangeCost:
    """Counted from the forests and boards of a spot."""
    count = nodes = decisions = entries = rest = 0
    for level, (made, some) in enumerate(zip(forests, boards, strict=True)):
        count += len(some)
        nodes += made.nodes * len(some)
        decisions += made.decisions * len(some)
        width = some.arrays.width.astype(np.int64)
        entries += int((width * np.array(made.rows)).sum())
        threads = way.threads if level else 1  # one works on the first street
        vectors = threads * (max(made.slots) + made.nodes + 2 + 2 * (len(made.forest.next) + 15))
        rest += 4 * vectors * int(width.max())
        rest += sum(np.asarray(each).nbytes for each in some.arrays) + _NODE_BYTES * made.nodes
    most, size = kept_ahead(forests, boards, way.threads)
    rest += 4 * way.threads * most * size
    large = 4 * entries * (3 if way.predictive else 2)
    return RangeCost(count, nodes, decisions, large, 4 * entries + 8 * nodes, rest)


def kept_ahead(
    forests: Sequence[StreetForest], boards: Sequence[BoardSet], threads: int
) -> tuple[int, int]:
    """Of how many boards a thread may keep what it found until it is added, and numbers of each.

    See `tiltless.kernels.postflop.passes`; one thread alone is never ahead.
    """
    if threads == 1 or len(forests) == 1:
        return 0, 0
    size = -(-len(forests[1].forest.root) // 16) * 16 * int(boards[1].arrays.width.max())
    most = max(_AHEAD_BYTES // max(4 * size, 1), _FEWEST_AHEAD)
    return min(most, len(boards[1])), size


def forests_of(
    spot: Spot, boards: Sequence[BoardSet], way: SolvingOptions, memory: float | None
) -> list[StreetForest]:
    """`street_forests`; if there are too many lines, the message says which sizes fit, or none."""
    limit = memory
    if limit is None:
        limit = free_memory() if len(boards) > 1 else inf
    try:
        return street_forests(spot, way.played, _most_lines(boards, limit))
    except TooManyLinesError as problem:
        limit = free_memory() if memory is None else memory
        lines = str(problem).partition(";")[0]
        instead = _that_fits(spot, boards, way, limit)
        remedy = (
            f"give fewer sizes, or a cap, such as {instead}"
            if instead
            else "no menu with fewer of these sizes fits; take smaller ranges"
        )
        raise OptionError(f"{lines}, too many for {_mb(limit)}; {remedy}") from None


def _most_lines(boards: Sequence[BoardSet], limit: float) -> int:
    """Lines that need not be looked at, for even compressed they take too much; not too few."""
    last = boards[-1].arrays.width
    hopeless = _HOPELESS * limit / (4 * len(last) * max(int(last.min()), 1))
    return int(min(MOST_LINES, max(hopeless, _FEW_LINES)))


def check_memory(
    spot: Spot,
    boards: Sequence[BoardSet],
    cost: RangeCost,
    way: SolvingOptions,
    memory: float | None,
) -> None:
    """Refuse a spot that does not fit; memory: the most bytes, by default what is free."""
    needed = cost.bytes(way)
    if memory is None and needed <= _ALWAYS_THERE:
        return
    limit = free_memory() if memory is None else memory
    if needed <= limit:
        return
    there = "are free" if memory is None else "are allowed"
    parts = [f"solving this spot takes {_mb(needed)}, and {_mb(limit)} {there}"]
    if not way.compressed and not way.predictive:
        small = cost.rest + cost.compressed
        word = "fit" if small <= limit else "are too large as well"
        parts.append(f"compressed tables ({_mb(small)}) {word}")
    menu = _that_fits(spot, boards, way, limit)
    fits = f"the bets {menu} would fit" if menu else "no menu fits; take smaller ranges"
    raise OptionError("; ".join([*parts, fits]))


def _that_fits(spot: Spot, boards: Sequence[BoardSet], way: SolvingOptions, limit: float) -> str:
    """The menu with fewer sizes that fits and takes most, and what it takes; or nothing."""
    best, most = "", -1
    whole = find_menu(spot.bets)
    for sizes in (1, 2, None):
        for cap in (1, 2, 3):
            menu = _cut(whole, sizes, cap)
            try:
                made = street_forests(
                    replace(spot, bets=menu), way.played, _most_lines(boards, limit)
                )
            except TooManyLinesError:
                break
            needed = cost_of(made, boards, way).bytes(way)
            if needed > _HOPELESS * limit:
                break
            if most < needed <= limit:
                best, most = f"{str(menu)!r} ({_mb(needed)})", needed
    return best


def _cut(menu: Menu, sizes: int | None, cap: int) -> Menu:
    """So many last sizes of each list (None for all), and no more raises than ``cap``."""

    def street(each: StreetMenu) -> StreetMenu:
        oop, ip = (tuple(line[-(sizes or 0) :] for line in lines) for lines in (each.oop, each.ip))
        donk = None if each.donk is None else each.donk[-(sizes or 0) :]
        return StreetMenu(oop, ip, donk, cap if each.cap is None else min(cap, each.cap))

    return replace(menu, streets=tuple(map(street, menu.streets)))


def _mb(size: float) -> str:
    return f"{size / 1e6:,.0f} MB" if size >= 1e7 else f"{size / 1e6:,.1f} MB"
