"""Distributions of hand results, for the dynamic program and for the first decision of a hand.

Measured once, the shipped blueprint of 100 big blinds against itself (`measure`), and stored in a
file of 120 kB. Chips are those of a game with blinds 1 and 2 and stacks of 200; they are scaled to
other blinds, and cut off at shorter stacks. For deeper stacks there is no measurement: swings are
larger there in truth, and lock lines are reached earlier.
"""

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.files.arrays import read_arrays, write_arrays

__all__ = [
    "BINS",
    "FILE",
    "LIMPED",
    "OPEN",
    "RAISED",
    "STACK",
    "HandResults",
    "hand_results",
    "save_results",
    "split",
]

FILE = Path(__file__).with_name("hand_results.safetensors")
STACK = 200
_KIND = "hand-results"
OPEN, RAISED, LIMPED = 0, 1, 2
"""First decisions: the button's; the big blind's after a raise short of all-in, or after a call."""

_NEAR = (*range(9), 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 64, 80, 100, 125, 150, 175, 200)
BINS: npt.NDArray[np.int64] = np.array(sorted({sign * each for each in _NEAR for sign in (-1, 1)}))
"""Results of `HandResults.first`, in chips; others are split between their two neighbours."""

Vector = npt.NDArray[np.float64]


class HandResults(NamedTuple):
    """Results of hands that are played without a thought for the match.

    whole: float64 ``[2, 401]``, the probability of winning -200 to 200 chips as button, and as big
        blind.
    first: float64 ``[3, 169, bins]``, the probability of `BINS` by first decision and class.
    called: float64 ``[3, 169]``, the probability that an all-in is called there.
    equity: float64 ``[3, 169]``, of the class against the hands that call.
    versus: float64 ``[169, 169]``, equities of all classes before the flop: those of
        `tiltless.cards.preflop`, whose table takes ten seconds to make where it is not kept.
    """

    whole: Vector
    first: Vector
    called: Vector
    equity: Vector
    versus: Vector


@lru_cache(maxsize=1)
def split() -> Vector:
    """Chips to bins, keeping the mean: float64 ``[401, bins]``, linear between neighbours."""
    chips = np.arange(-STACK, STACK + 1)
    return np.stack([np.interp(chips, BINS, row) for row in np.eye(len(BINS))], axis=1)


@lru_cache(maxsize=1)
def hand_results() -> HandResults:
    """The stored distributions."""
    file = read_arrays(FILE, kind=_KIND)
    whole, first, *others = (file.load(name).astype(np.float64) for name in HandResults._fields)
    whole /= whole.sum(axis=1, keepdims=True)  # they were rounded
    first /= first.sum(axis=2, keepdims=True)
    return HandResults(whole, first, *others)


def save_results(results: HandResults, about: str) -> None:
    """Write the file; about: where the numbers come from."""
    arrays = {name: array.astype(np.float32) for name, array in results._asdict().items()}
    for name in ("first", "versus"):
        arrays[name] = arrays[name].astype(np.float16)
    write_arrays(FILE, arrays, kind=_KIND, metadata={"about": about})
