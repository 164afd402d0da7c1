"""The choice of weighted subsets of flops by Bayesian quadrature.

What a report averages, such as how often a size is bet, is a function of the flop. Beforehand it is
taken as a draw from a Gaussian process over all 1,755 flops: flops are alike if the equities of the
169 hand classes against a random hand are, and if they share classes of texture. The best estimate
of its mean over all flops from its values on a few is then a weighted sum of these, and the
expected squared error of that estimate depends on which flops are chosen, not on their values:

    w = K_SS⁻¹ z_S,   error² = z̄ − z_Sᵀ K_SS⁻¹ z_S,   z = K p,

with the covariance K of all flops, the probability p of each, and the chosen ones S. Flops are
added one by one where that lowers the error most, and then exchanged while that helps, five times
at most.

    K(f, g) = Σ [same class of a texture] + Σ [same classes of two textures] / 10
              + (½ + ½ [same suits]) exp(−d² / 2m) + [f = g] / 10,

with the distance d of the equities and the median m of d². Without the pairs of textures, all
two-tone flops of a small subset may be semi-connected ones, and no table can tell them apart.

Papers: O'Hagan (1991), Bayes-Hermite quadrature; Huszár & Duvenaud (2012), arXiv 1204.1664, on
choosing points. Everything is deterministic: ``python -m tiltless.cards.flop_design`` prints the
file of the subsets again, in a few minutes.
"""

import json
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from tiltless.cards.card import CLASS_COUNT, CLASS_OF_COMBO, CLASS_SIZES, COMBO_COUNT
from tiltless.cards.flop_subsets import SUBSETS
from tiltless.cards.flops import TEXTURES, WeightedFlop, all_flops, flop_texture
from tiltless.cards.hand_equity import hand_equities
from tiltless.cards.ranges import Range

__all__ = ["choose_points", "class_equities", "covariance", "design_subset"]

Matrix = npt.NDArray[np.float64]
Vector = npt.NDArray[np.float64]

_OWN = 0.1  # of the variance: what a flop has in common with no other
_PAIRS = 0.1  # of two textures together
_LEAST_GAIN = 1e-9  # of an exchange, relative
_ROUNDS = 5


def class_equities(flops: Sequence[WeightedFlop]) -> Matrix:
    """Equity of each hand class against a random hand on each flop, float64 ``[flops, 169]``.

    The mean over the combos of a class that the flop does not block; 0 if it blocks them all.
    """
    rows = np.zeros((len(flops), CLASS_COUNT))
    for row, flop in zip(rows, flops, strict=True):
        everything = Range.random().without(flop.cards)
        equity = hand_equities(everything, everything, board=flop.cards)
        there = ~np.isnan(equity)
        count = np.bincount(CLASS_OF_COMBO[there], minlength=CLASS_COUNT)
        row[:] = np.bincount(CLASS_OF_COMBO[there], equity[there], CLASS_COUNT)
        row /= np.maximum(count, 1)
    return rows


def covariance(flops: Sequence[WeightedFlop], equities: Matrix) -> Matrix:
    """The covariance of flops, float64 ``[flops, flops]``; see the module.

    equities: `class_equities` of them; a class counts by its number of combos.
    """
    points = equities * np.sqrt(CLASS_SIZES / COMBO_COUNT)
    squares = (points**2).sum(axis=1)
    distance = np.maximum(squares[:, None] + squares - 2 * points @ points.T, 0.0)
    textures = [flop_texture(flop.cards) for flop in flops]
    same = {
        kind: np.equal.outer(names, names).astype(np.float64)
        for kind in TEXTURES
        for names in [np.array([getattr(texture, kind) for texture in textures])]
    }
    alike = np.exp(-distance / (2 * np.median(distance)))
    found: Matrix = (0.5 + 0.5 * same["suits"]) * alike + _OWN * np.eye(len(flops))
    found += sum(same.values())
    found += _PAIRS * sum(one * two for one, two in combinations(same.values(), 2))
    return found


def choose_points(known: Matrix, share: Vector, count: int) -> tuple[list[int], Vector]:
    """The indices of ``count`` points, and their weights, for the mean over all points.

    known: covariance of all points, ``[n, n]``.  share: of each point in the mean.
    """
    towards = known @ share
    chosen: list[int] = []
    for _ in range(count):
        chosen.append(int(np.argmax(_gains(known, towards, chosen))))
    explained = _explained(known, towards, chosen)
    for _ in range(_ROUNDS):
        before = explained
        for number in range(count):
            others = chosen[:number] + chosen[number + 1 :]
            point = int(np.argmax(_gains(known, towards, others)))
            now = _explained(known, towards, [*others, point])
            if now > explained * (1 + _LEAST_GAIN):
                chosen[number], explained = point, now
        if explained == before:
            break
    weights: Vector = np.linalg.solve(known[np.ix_(chosen, chosen)], towards[chosen]).astype(float)
    return chosen, weights


def _gains(known: Matrix, towards: Vector, chosen: list[int]) -> Vector:
    """How much the squared error falls with each further point; -1 for those chosen."""
    root = np.linalg.cholesky(known[np.ix_(chosen, chosen)]) if chosen else np.zeros((0, 0))
    across = np.linalg.solve(root, known[chosen]) if chosen else np.zeros((0, len(known)))
    left = towards - across.T @ (np.linalg.solve(root, towards[chosen]) if chosen else np.zeros(0))
    gains: Vector = left**2 / np.maximum(np.diag(known) - (across**2).sum(axis=0), 1e-12)
    gains[chosen] = -1.0
    return gains


def _explained(known: Matrix, towards: Vector, chosen: list[int]) -> float:
    """z_Sᵀ K_SS⁻¹ z_S."""
    some = towards[chosen]
    return float(some @ np.linalg.solve(known[np.ix_(chosen, chosen)], some))


def design_subset(size: int, flops: Sequence[WeightedFlop], known: Matrix) -> dict[str, int]:
    """The weight of each flop of a subset, by its text, from high to low; they sum as all do.

    known: `covariance` of all flops.
    """
    weights = np.array([flop.weight for flop in flops], np.float64)
    total = int(weights.sum())
    chosen, found = choose_points(known, weights / total, size)
    exact = found * total / found.sum()
    whole = np.floor(exact).astype(np.int64)
    assert whole.min() > 0  # of these flops; quadrature in general has negative weights, too
    order = np.argsort(whole - exact, kind="stable")
    whole[order[: total - int(whole.sum())]] += 1  # largest remainders
    return {flops[chosen[n]].text: int(whole[n]) for n in np.argsort(chosen)}


def main() -> None:
    """Print the file of the subsets."""
    flops = all_flops()
    known = covariance(flops, class_equities(flops))
    print(json.dumps({size: design_subset(size, flops, known) for size in SUBSETS}, indent=1))


if __name__ == "__main__":
    main()
