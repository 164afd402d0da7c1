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
_ALWAYS_THERE = 16e6  # bytes; a river is solved faster than the free memory is read
_HOPELESS = 4  # do not try menus larger than one that needs this many times the limit
_NODE_BYTES = 400  # of a line of play, besides its rows
_FEW_LINES = 10_000  # counted quickly, so always tried
_AHEAD_BYTES = 1 << 23  # of a thread's results that may not be added yet
_FEWEST_AHEAD = 2


class RangeCost(NamedTuple):
    """The size of a spot with its menu: boards, nodes and decisions over all boards, and bytes.

    tables: regrets and averages.  compressed: the same with 16 bits a number.
    rest: boards, lines of play, and the threads' buffers.
    """

    boards: int
    nodes: int
    decisions: int
    tables: int
    compressed: int
    rest: int

    def bytes(self, options: "SolvingOptions") -> int:
        """Total bytes."""
        return self.rest + (self.compressed if options.compressed else self.tables)


class SolvingOptions(NamedTuple):
    """Options of solving that memory depends on; see `PostflopSolver`."""

    predictive: bool = False
    threads: int = 1
    compressed: bool = False
    played: Sequence[Action] = ()


def cost_of(
    forests: Sequence[StreetForest], boards: Sequence[BoardSet], options: SolvingOptions
) -> RangeCost:
    """The cost, counted from the forests and boards of a spot."""
    count = nodes = decisions = entries = rest = 0
    for street_index, (forest, some) in enumerate(zip(forests, boards, strict=True)):
        count += len(some)
        nodes += forest.nodes * len(some)
        decisions += forest.decisions * len(some)
        width = some.arrays.width.astype(np.int64)
        entries += int((width * np.array(forest.rows)).sum())
        threads = options.threads if street_index else 1  # one thread works on the first street
        vectors = threads * (
            max(forest.slots) + forest.nodes + 2 + 2 * (len(forest.forest.next) + 15)
        )
        rest += 4 * vectors * int(width.max())
        rest += sum(np.asarray(each).nbytes for each in some.arrays) + _NODE_BYTES * forest.nodes
    most, size = kept_ahead(forests, boards, options.threads)
    rest += 4 * options.threads * most * size
    large = 4 * entries * (3 if options.predictive else 2)
    return RangeCost(count, nodes, decisions, large, 4 * entries + 8 * nodes, rest)


def kept_ahead(
    forests: Sequence[StreetForest], boards: Sequence[BoardSet], threads: int
) -> tuple[int, int]:
    """How many boards' results a thread may keep until they are added, and the size of each.

    See `tiltless.kernels.postflop.passes`; one thread alone is never ahead.
    """
    if threads == 1 or len(forests) == 1:
        return 0, 0
    size = -(-len(forests[1].forest.root) // 16) * 16 * int(boards[1].arrays.width.max())
    most = max(_AHEAD_BYTES // max(4 * size, 1), _FEWEST_AHEAD)
    return min(most, len(boards[1])), size


def forests_of(
    spot: Spot, boards: Sequence[BoardSet], options: SolvingOptions, memory: float | None
) -> list[StreetForest]:
    """`street_forests`; if there are too many lines, the error names a menu that fits, if any."""
    limit = memory
    if limit is None:
        limit = free_memory() if len(boards) > 1 else inf
    try:
        return street_forests(spot, options.played, _most_lines(boards, limit))
    except TooManyLinesError as problem:
        limit = free_memory() if memory is None else memory
        lines = str(problem).partition(";")[0]
        instead = _that_fits(spot, boards, options, limit)
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
    options: SolvingOptions,
    memory: float | None,
) -> None:
    """Refuse a spot that does not fit.  memory: the limit in bytes, by default what is free."""
    needed = cost.bytes(options)
    if memory is None and needed <= _ALWAYS_THERE:
        return
    limit = free_memory() if memory is None else memory
    if needed <= limit:
        return
    there = "are free" if memory is None else "are allowed"
    parts = [f"solving this spot takes {_mb(needed)}, and {_mb(limit)} {there}"]
    if not options.compressed and not options.predictive:
        small = cost.rest + cost.compressed
        word = "fit" if small <= limit else "are too large as well"
        parts.append(f"compressed tables ({_mb(small)}) {word}")
    menu = _that_fits(spot, boards, options, limit)
    fits = f"the bets {menu} would fit" if menu else "no menu fits; take smaller ranges"
    raise OptionError("; ".join([*parts, fits]))


def _that_fits(
    spot: Spot, boards: Sequence[BoardSet], options: SolvingOptions, limit: float
) -> str:
    """The largest menu with fewer sizes that fits, with its memory; empty if none does."""
    best, most = "", -1
    whole = find_menu(spot.bets)
    for sizes in (1, 2, None):
        for cap in (1, 2, 3):
            menu = _cut(whole, sizes, cap)
            try:
                forests = street_forests(
                    replace(spot, bets=menu), options.played, _most_lines(boards, limit)
                )
            except TooManyLinesError:
                break
            needed = cost_of(forests, boards, options).bytes(options)
            if needed > _HOPELESS * limit:
                break
            if most < needed <= limit:
                best, most = f"{str(menu)!r} ({_mb(needed)})", needed
    return best


def _cut(menu: Menu, sizes: int | None, cap: int) -> Menu:
    """The menu with this many last sizes of each list (None for all) and ``cap`` raises at most."""

    def street(each: StreetMenu) -> StreetMenu:
        oop, ip = (tuple(line[-(sizes or 0) :] for line in lines) for lines in (each.oop, each.ip))
        donk = None if each.donk is None else each.donk[-(sizes or 0) :]
        return StreetMenu(oop, ip, donk, cap if each.cap is None else min(cap, each.cap))

    return replace(menu, streets=tuple(map(street, menu.streets)))


def _mb(size: float) -> str:
    return f"{size / 1e6:,.0f} MB" if size >= 1e7 else f"{size / 1e6:,.1f} MB"
