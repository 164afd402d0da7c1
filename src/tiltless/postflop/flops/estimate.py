"""Time and memory of a report over flops, before anything is solved.

The betting tree is the same on every flop, and boards of one suit pattern differ little in size, so
one flop of each pattern is counted. Time is proportional to the numbers in the tables and to the
iterations; how many of them a target needs, and the time of one number, were measured
(docs/flops.md). On a GPU iterations take a part of its time, which processes share, and the rest is
done by the cores meanwhile. The estimate is right within a factor of two or three on most machines;
the progress line, which has measured flops to go by, is better.
"""

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from tiltless.cards.flops import WeightedFlop, flop_texture
from tiltless.postflop.betting_forest import StreetForest
from tiltless.postflop.boards import board_sets
from tiltless.postflop.flops.settings import FlopSettings
from tiltless.postflop.memory import SolvingOptions, check_memory, cost_of, forests_of
from tiltless.system import free_memory, usable_cores

__all__ = ["FlopEstimate", "estimate_flops", "suit_pattern"]

_NUMBER_SECONDS = 1.6e-9  # of each of the two numbers of a row and hand, in an iteration
_FLOP_SECONDS = 0.5  # boards, tree and reports of a flop
_CARD_NUMBER_SECONDS = 1.3e-11  # the same of a number on a GPU, an H200
_ITERATIONS, _POWER = 50.0, 0.75  # to 1 % of the pot, and how they grow for less
_LEAST = 10  # iterations before the first look at the exploitability


class FlopEstimate(NamedTuple):
    """The cost of a report.

    flops: how many are to be solved.  bytes_each: memory of one flop, the largest.
    seconds_each: of a flop of each suit pattern, by one thread.  seconds: of all, by one thread.
    card_seconds: how long a GPU is at work for all of them, however many processes there are.
    """

    flops: int
    bytes_each: int
    seconds_each: dict[tuple[str, str], float]
    seconds: float
    card_seconds: float = 0.0

    def processes(self, most: int) -> int:
        """As many processes as the memory of this machine has room for, at most ``most``."""
        fitting = free_memory() / max(self.bytes_each, 1)
        return max(min(most, self.flops, int(min(fitting, 1e6))), 1)

    def wall_seconds(self, cores: int) -> float:
        """With so many cores at work."""
        return max(self.seconds / max(min(cores, usable_cores()), 1), self.card_seconds)


def suit_pattern(flop: WeightedFlop) -> tuple[str, str]:
    """Flops with the same have as many boards to come: ``("two-tone", "unpaired")``."""
    texture = flop_texture(flop.cards)
    return texture.suits, texture.pairing


def estimate_flops(
    settings: FlopSettings,
    flops: Sequence[WeightedFlop],
    *,
    threads: int = 1,
    here: bool = True,
    device: str = "cpu",
) -> FlopEstimate:
    """The cost of solving some flops.

    threads: for each flop, which the memory depends on a little.
    here: `OptionError` if one does not fit in the memory of this machine, naming bets that do.
    device: ``cpu`` or ``gpu``.
    """
    dealt = [flop for flop in flops if settings.is_dealt(flop)]
    counts = Counter(map(suit_pattern, dealt))
    options = SolvingOptions(False, threads, settings.compressed)
    iterations = _iterations(settings)
    forests: list[StreetForest] | None = None
    number = _NUMBER_SECONDS if device == "cpu" else _CARD_NUMBER_SECONDS
    seconds, solving, largest = {}, {}, 0
    for pattern in counts:
        flop = next(each for each in dealt if suit_pattern(each) == pattern)
        spot = settings.spot(flop.cards)
        boards = board_sets(spot)
        forests = forests or forests_of(spot, boards, options, None)
        cost = cost_of(forests, boards, options)
        if here:
            check_memory(spot, boards, cost, options, None)
        largest = max(largest, cost.bytes(options))
        solving[pattern] = iterations * cost.tables / 4 * number
        each = _FLOP_SECONDS + solving[pattern]
        seconds[pattern] = each if settings.seconds is None else min(each, settings.seconds)
    total = sum(seconds[pattern] * count for pattern, count in counts.items())
    on_card = sum(solving[pattern] * count for pattern, count in counts.items())
    return FlopEstimate(len(dealt), largest, seconds, total, on_card if device != "cpu" else 0.0)


def _iterations(settings: FlopSettings) -> float:
    """About how many iterations a flop takes."""
    some = max(_ITERATIONS / math.pow(max(settings.until, 1e-3), _POWER), _LEAST)
    return some if settings.iterations is None else min(some, settings.iterations)
