"""The distribution that a chain should have, by enumeration."""

from naive.permutation.agreement import result


def inversions(order):
    """The number of pairs in the wrong order."""
    return sum(order[i] > order[j] for j in range(len(order)) for i in range(j))


def target(orders, showdowns, penalty):
    """Probabilities: prior times penalty^violations, normalised over some orders."""
    weights = []
    for order in orders:
        violations = sum(result(cards, order) != seen for cards, seen in showdowns)
        weights.append(0.75 ** inversions(order) * penalty**violations)
    total = sum(weights)
    return [weight / total for weight in weights]
