"""Largest remainder with exact fractions, by sorting."""

from fractions import Fraction


def quantise_row(weights, whole=255):
    """Whole numbers in proportion to weights that sum to ``whole``; zeros if all weights are."""
    total = sum(map(Fraction, weights))
    if not total:
        return [0] * len(weights)
    exact = [Fraction(weight) * whole / total for weight in weights]
    rounded = [int(share) for share in exact]
    by_rest = sorted(range(len(exact)), key=lambda i: (rounded[i] - exact[i], i))
    for place in by_rest[: whole - sum(rounded)]:
        rounded[place] += 1
    return rounded
